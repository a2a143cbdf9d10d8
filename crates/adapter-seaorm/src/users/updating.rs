//! Changes of users. Only changed columns are written, never balances.

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Username, Version, order_key};
use domain_users::{Scope, User, UserStatus, keeps_password};
use ports::{Edit, RegistrarChange, StoreError, UserUpdate, UserUpdateConflict, Written};
use sea_orm::{ActiveValue::Set, ConnectionTrait, sea_query::LockType};

use super::{
    SeaOrmUsers,
    failure::Failure,
    find_in,
    lineage::{LineageUse, hold_lineages},
    locking::is_superadmin_after,
    recording::{performer, record_of_change},
    writing::{end_sessions, folded_search_text, insert_expiration_edit, update_locked},
};
use crate::{
    audit::record,
    db::{retries::tried, transaction::Transaction},
    entities::users::ActiveModel,
};

impl SeaOrmUsers {
    pub(super) async fn write(
        &self,
        scope: &Scope,
        username: &Username,
        change: &UserUpdate,
        expected: Version,
        edit: &Edit,
    ) -> Result<Written<User, UserUpdateConflict>, StoreError> {
        tried(Failure::is_worth_another_try, || self.try_write(scope, username, change, expected, edit))
            .await
            .map_err(Failure::into_store_error)
    }

    async fn try_write(
        &self,
        scope: &Scope,
        username: &Username,
        change: &UserUpdate,
        expected: Version,
        edit: &Edit,
    ) -> Result<Written<User, UserUpdateConflict>, Failure> {
        let moves = change.registrar != RegistrarChange::Stays;
        let transaction = if moves { self.0.begin_move().await? } else { self.0.begin().await? };
        if moves {
            hold_lineages(&transaction, LineageUse::Change).await?;
        }
        if !is_superadmin_after(change) {
            self.hold_superadmins(&transaction, username).await?;
        }
        let written = self.write_in(&transaction, scope, username, change, expected, edit).await?;
        if matches!(written, Written::Done(_)) {
            transaction.commit().await?;
        }
        Ok(written)
    }

    /// Changes a user in this transaction, which has locked the lineages if the change moves the
    /// user. Nothing is written unless it returns [`Written::Done`].
    pub(crate) async fn write_in(
        &self,
        transaction: &Transaction,
        scope: &Scope,
        username: &Username,
        change: &UserUpdate,
        expected: Version,
        edit: &Edit,
    ) -> Result<Written<User, UserUpdateConflict>, Failure> {
        let (performer, now) = (performer(edit)?, edit.at);
        if let RegistrarChange::Becomes(registrar) = &change.registrar {
            self.hold_subtree(transaction, username, registrar.as_ref()).await?;
        }
        let current = match self.locked(transaction, LockType::NoKeyUpdate, scope, username, expected).await?
        {
            Ok(current) => current,
            Err(other) => return Ok(other),
        };
        if !is_superadmin_after(change) && self.is_last_superadmin(transaction, &current).await? {
            return Ok(Written::Conflict(UserUpdateConflict::LastSuperadmin));
        }
        if let RegistrarChange::Becomes(registrar) = &change.registrar {
            match self.movement(transaction, username, change.role, registrar.as_ref()).await? {
                Ok(movement) => self.move_subtree(transaction, &movement, now).await?,
                Err(conflict) => return Ok(Written::Conflict(conflict)),
            }
        }
        if change.expiration_date != current.expiration_date
            || change.subscription_started != current.subscription_started
        {
            let expiration = insert_expiration_edit(self.0.backend(), username, change, performer, now);
            transaction.execute(&expiration).await?;
        }
        let row = changed_row(&current, change, performer, now);
        update_locked(transaction, username, expected, row).await?;
        if change.status != UserStatus::Active || change.role != current.role {
            end_sessions(transaction, username).await?;
        }
        let changed = find_in(transaction, scope, username).await?;
        if let Some(changed) = &changed {
            record(transaction, edit, vec![record_of_change(&current, changed)]).await?;
        }
        Ok(changed.map_or(Written::Missing, Written::Done))
    }
}

/// The changed columns of a user. A role that does not keep the password removes it.
fn changed_row(current: &User, change: &UserUpdate, performer: &Username, now: DateTime<Utc>) -> ActiveModel {
    let search_text = folded_search_text(
        &current.username,
        &change.full_name,
        change.role,
        (&change.email, &change.phone_number),
    );
    let mut row = ActiveModel {
        full_name: Set(change.full_name.clone()),
        full_name_key: Set(order_key(&change.full_name)),
        email: Set(change.email.clone()),
        phone_number: Set(change.phone_number.clone()),
        language: Set(change.language.map(|language| language.code().to_owned())),
        address: Set(change.address.clone()),
        comment: Set(change.comment.clone()),
        role: Set(change.role.code().to_owned()),
        status: Set(change.status.code().to_owned()),
        expiration_date: Set(change.expiration_date),
        subscription_started: Set(change.subscription_started),
        search_text: Set(search_text),
        updated_date: Set(now),
        ..ActiveModel::default()
    };
    if !keeps_password(current.role, change.role) {
        row.password_hash = Set(None);
        row.password_changed_date = Set(Some(now));
        row.password_changed_by = Set(Some(performer.to_string()));
    }
    row
}
