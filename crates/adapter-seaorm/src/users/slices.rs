//! Bulk operations on users: the users of a list, and the change of a slice of them.

use domain_kernel::{ListQuery, Username};
use domain_operations::{OperationRow, Verdict};
use domain_users::{ExpiryFilter, Scope, User};
use ports::{Edit, RegistrarChange, SliceWritten, StoreError, UserSlice, UserUpdateConflict, Written};
use serde_json::json;

use super::{
    SeaOrmUsers,
    failure::Failure,
    lineage::{LineageUse, hold_lineages},
    listing::UserList,
    username,
};
use crate::{
    db::{error::store_error, retries::tried, transaction::Transaction},
    list::keys,
    operations::record_slice,
};

impl SeaOrmUsers {
    pub(super) async fn names_of(
        &self,
        scope: &Scope,
        query: &ListQuery,
        deadline: Option<ExpiryFilter>,
        limit: u64,
    ) -> Result<Vec<Username>, StoreError> {
        let table = UserList { backend: self.0.backend(), scope, deadline };
        let rows = keys(&self.0, &table, "username", query, limit).await?;
        rows.iter()
            .map(|row| username(&row.try_get::<String>("", "username").map_err(store_error)?))
            .collect()
    }

    pub(super) async fn change_slice(
        &self,
        scope: &Scope,
        slice: &UserSlice,
        edit: &Edit,
    ) -> Result<SliceWritten, StoreError> {
        tried(Failure::is_worth_another_try, || self.try_slice(scope, slice, edit))
            .await
            .map_err(Failure::into_store_error)
    }

    async fn try_slice(
        &self,
        scope: &Scope,
        slice: &UserSlice,
        edit: &Edit,
    ) -> Result<SliceWritten, Failure> {
        let mut updates = slice.items.iter().filter_map(|item| item.update.as_ref());
        let moves = updates.any(|(_, update)| update.registrar != RegistrarChange::Stays);
        let mut transaction = if moves { self.0.begin_move().await? } else { self.0.begin().await? };
        if moves {
            hold_lineages(&transaction, LineageUse::Change).await?;
        }
        let rows = self.update_all(&transaction, scope, slice, edit).await?;
        if slice.dry_run {
            // Rolls back the updates.
            drop(transaction);
            transaction = self.0.begin().await?;
        }
        match record_slice(&transaction, slice.slice, &rows, edit.at).await? {
            Some(counts) => Ok(transaction.commit().await.map(|()| SliceWritten::Done(counts))?),
            None => Ok(SliceWritten::Overtaken),
        }
    }

    /// Updates the users of a slice one after the other, so that each decision is based on the
    /// updates before; returns the rows of all.
    async fn update_all(
        &self,
        transaction: &Transaction,
        scope: &Scope,
        slice: &UserSlice,
        edit: &Edit,
    ) -> Result<Vec<OperationRow>, Failure> {
        let updates = slice
            .items
            .iter()
            .filter_map(|item| item.update.as_ref().map(|(_, update)| (item.row.item.to_string(), update)));
        self.hold_users(transaction, &updates.collect::<Vec<_>>()).await?;
        let mut rows = Vec::with_capacity(slice.items.len());
        for item in &slice.items {
            let mut row = item.row.clone();
            if let Some((version, update)) = &item.update {
                let name = username(&row.item.to_string())?;
                let outcome = self.write_in(transaction, scope, &name, update, *version, edit).await?;
                record_outcome(&mut row, outcome);
            }
            rows.push(row);
        }
        Ok(rows)
    }
}

/// Sets the result of the update of its user in a row.
pub(crate) fn record_outcome(row: &mut OperationRow, outcome: Written<User, UserUpdateConflict>) {
    match outcome {
        Written::Done(user) => {
            // In its stored spelling.
            if let Some(registrar) = row.after.get_mut("registeredBy") {
                *registrar = json!(user.registered_by);
            }
        }
        Written::Missing => row.fail(Verdict::Missing, Vec::new()),
        Written::Outdated(_) => row.fail(Verdict::Conflict, Vec::new()),
        Written::Conflict(conflict) => row.fail(Verdict::Refused, vec![conflict.violation()]),
    }
}
