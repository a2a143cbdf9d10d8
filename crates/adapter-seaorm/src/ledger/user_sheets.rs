//! Imports of users from spreadsheets: a slice adds and changes users and posts balances against
//! the issuer, in one transaction. A balance is posted by the row that adds its user, so that no
//! file posts one twice.

use async_trait::async_trait;
use domain_audit::AuditAction;
use domain_credits::{OPENING_REASON, OperationType};
use domain_kernel::{Code, Enumeration, Id, Violation};
use domain_operations::{OperationRow, Verdict};
use domain_users::Scope;
use ports::{
    Edit, History, ImportedUser, RegistrarChange, SliceWritten, StoreError, UserSheetChange, UserSheetSlice,
    UserSheets, UserUpdateConflict, Written,
};
use serde_json::json;

use crate::{
    Database,
    audit::{Record, added, fields_of, record_one},
    db::{retries::tried, transaction::Transaction},
    imported_movements,
    operations::record_slice,
    users::{
        AddedUser, Failure, LineageUse, SeaOrmUsers, hold_lineages, performer, record_outcome, username,
    },
};

/// The store of users imported from spreadsheets.
#[derive(Debug, Clone)]
pub struct SeaOrmUserSheets {
    users: SeaOrmUsers,
}

impl SeaOrmUserSheets {
    /// The store in a database.
    pub fn new(database: Database) -> Self {
        Self { users: SeaOrmUsers(database) }
    }

    async fn try_slice(
        &self,
        scope: &Scope,
        slice: &UserSheetSlice,
        edit: &Edit,
    ) -> Result<SliceWritten, Failure> {
        let moves = slice.items.iter().any(|item| match &item.change {
            Some(UserSheetChange::Update(_, update)) => update.registrar != RegistrarChange::Stays,
            _ => false,
        });
        let users = &self.users.0;
        let mut transaction = if moves { users.begin_move().await? } else { users.begin().await? };
        let uses = if moves { LineageUse::Change } else { LineageUse::Extend };
        hold_lineages(&transaction, uses).await?;
        let rows = self.write_all(&transaction, scope, slice, edit).await?;
        if slice.dry_run {
            // Rolls back the transaction.
            drop(transaction);
            transaction = self.users.0.begin().await?;
        }
        match record_slice(&transaction, slice.slice, &rows, edit.at).await? {
            Some(counts) => Ok(transaction.commit().await.map(|()| SliceWritten::Done(counts))?),
            None => Ok(SliceWritten::Overtaken),
        }
    }

    /// Writes the users of a slice one after the other, because the registering user of one may be
    /// another.
    async fn write_all(
        &self,
        transaction: &Transaction,
        scope: &Scope,
        slice: &UserSheetSlice,
        edit: &Edit,
    ) -> Result<Vec<OperationRow>, Failure> {
        let updates = slice.items.iter().filter_map(|item| match &item.change {
            Some(UserSheetChange::Update(_, update)) => Some((item.row.item.to_string(), &**update)),
            _ => None,
        });
        self.users.hold_users(transaction, &updates.collect::<Vec<_>>()).await?;
        let mut rows = Vec::with_capacity(slice.items.len());
        for item in &slice.items {
            let mut row = item.row.clone();
            let registrar_comes = slice.dry_run && item.registrar_comes;
            match &item.change {
                None => {}
                Some(UserSheetChange::Add(new)) => match self.users.add_in(transaction, new, edit).await? {
                    AddedUser::Added(id) => self.open(transaction, new, id, edit).await?,
                    AddedUser::NameInUse => row.fail(Verdict::Conflict, Vec::new()),
                    AddedUser::UnknownRegistrar if registrar_comes => {}
                    AddedUser::UnknownRegistrar => {
                        let fault = Violation::new("registeredBy", Code::UnknownReference);
                        row.fail(Verdict::Refused, vec![fault]);
                    }
                    AddedUser::RegistrarRole => {
                        let fault = UserUpdateConflict::RegistrarRole.violation();
                        row.fail(Verdict::Refused, vec![fault]);
                    }
                },
                Some(UserSheetChange::Update(version, update)) => {
                    let name = username(&row.item.to_string())?;
                    let outcome =
                        self.users.write_in(transaction, scope, &name, update, *version, edit).await?;
                    let is_unknown =
                        matches!(outcome, Written::Conflict(UserUpdateConflict::UnknownRegistrar));
                    if !(is_unknown && registrar_comes) {
                        record_outcome(&mut row, outcome);
                    }
                }
            }
            rows.push(row);
        }
        Ok(rows)
    }

    /// Opens the account of a new user with its balances, with an audit entry.
    async fn open(
        &self,
        transaction: &Transaction,
        new: &ImportedUser,
        user: Id,
        edit: &Edit,
    ) -> Result<(), Failure> {
        for (for_sale, balance) in [(false, new.credits), (true, new.sale_credits)] {
            if balance == 0 {
                continue;
            }
            let performer = self.users.id_of(transaction, performer(edit)?).await?;
            let history = History::opening(user, for_sale, balance, performer, edit.at);
            imported_movements::book(transaction, &[history]).await?;
            let name = &new.user.username;
            let moved = Record {
                action: AuditAction::CreditsMoved,
                resource: "credits",
                item: name.key(),
                title: name.to_string(),
                version: None,
                diff: added(fields_of(&json!({
                    "operationType": OperationType::of_change(for_sale, balance).code(),
                    "amount": balance,
                    "reason": OPENING_REASON,
                }))),
            };
            record_one(transaction, edit, moved).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl UserSheets for SeaOrmUserSheets {
    async fn write_slice(
        &self,
        scope: &Scope,
        slice: UserSheetSlice,
        edit: &Edit,
    ) -> Result<SliceWritten, StoreError> {
        tried(Failure::is_worth_another_try, || self.try_slice(scope, &slice, edit))
            .await
            .map_err(Failure::into_store_error)
    }
}
