//! Locks of users, and the last active superadmin.

use domain_kernel::{Enumeration, RoleCode, Username, Version};
use domain_users::{Scope, User, UserStatus};
use ports::{UserUpdate, UserUpdateConflict, Written};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait,
    sea_query::{Expr, ExprTrait, LockType},
};

use super::{SeaOrmUsers, failure::Failure, find_in};
use crate::{
    db::transaction::Transaction,
    entities::users::{Column, Entity},
};

impl SeaOrmUsers {
    /// The user, locked until the transaction ends, if it still has the expected version.
    pub(super) async fn locked(
        &self,
        transaction: &Transaction,
        strength: LockType,
        scope: &Scope,
        username: &Username,
        expected: Version,
    ) -> Result<Result<User, Written<User, UserUpdateConflict>>, Failure> {
        if self.0.backend() != DbBackend::Sqlite {
            let row = Entity::find()
                .select_only()
                .column(Column::Id)
                .filter(Column::UsernameKey.eq(username.key()));
            transaction.query_one(&row.lock(strength).into_query()).await?;
        }
        Ok(match find_in(transaction, scope, username).await? {
            None => Err(Written::Missing),
            Some(current) if current.version != expected => Err(Written::Outdated(current)),
            Some(current) => Ok(current),
        })
    }

    /// Whether the user is the last active superadmin. Concurrent changes of two superadmins wait
    /// for each other here.
    pub(super) async fn is_last_superadmin(
        &self,
        transaction: &Transaction,
        current: &User,
    ) -> Result<bool, Failure> {
        if current.role != RoleCode::Superadmin || current.status != UserStatus::Active {
            return Ok(false);
        }
        Ok(lock_superadmins(transaction).await? < 2)
    }

    /// Locks the active superadmins if this user is one. Two of them that stop being one concurrently would
    /// otherwise each lock its own row first, and wait for each other. On SQLite transactions wait anyway.
    pub(super) async fn hold_superadmins(
        &self,
        transaction: &Transaction,
        username: &Username,
    ) -> Result<(), DbErr> {
        if self.0.backend() == DbBackend::Sqlite {
            return Ok(());
        }
        if includes_superadmin(transaction, [username.key()]).await? {
            lock_superadmins(transaction).await?;
        }
        Ok(())
    }

    /// Locks the users of these updates, in the order of their IDs as the ledger does. The active superadmins are
    /// locked by the same statement if one of the users stops being one: they would be locked after the users
    /// otherwise, out of that order. On SQLite transactions wait anyway.
    pub(crate) async fn hold_users(
        &self,
        transaction: &Transaction,
        updates: &[(String, &UserUpdate)],
    ) -> Result<(), DbErr> {
        if self.0.backend() == DbBackend::Sqlite {
            return Ok(());
        }
        let others = updates.iter().filter(|(_, update)| !is_superadmin_after(update));
        let others = others.map(|(name, _)| name.to_lowercase());
        let mut rows = Column::UsernameKey.is_in(updates.iter().map(|(name, _)| name.to_lowercase()));
        if includes_superadmin(transaction, others).await? {
            rows = rows.or(is_active_superadmin());
        }
        lock(transaction, rows).await.map(drop)
    }
}

/// Whether the user is an active superadmin after an update.
pub(super) fn is_superadmin_after(update: &UserUpdate) -> bool {
    update.role == RoleCode::Superadmin && update.status == UserStatus::Active
}

fn is_active_superadmin() -> Expr {
    Column::Role.eq(RoleCode::Superadmin.code()).and(Column::Status.eq(UserStatus::Active.code()))
}

/// Whether one of the users with these keys is an active superadmin.
async fn includes_superadmin(
    transaction: &Transaction,
    keys: impl IntoIterator<Item = String>,
) -> Result<bool, DbErr> {
    let found = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::UsernameKey.is_in(keys))
        .filter(is_active_superadmin())
        .limit(1);
    Ok(transaction.query_one(&found.into_query()).await?.is_some())
}

/// Locks the active superadmins; returns their number.
async fn lock_superadmins(transaction: &Transaction) -> Result<usize, DbErr> {
    lock(transaction, is_active_superadmin()).await
}

/// Locks users in the order of their IDs; returns their number.
async fn lock(transaction: &Transaction, users: Expr) -> Result<usize, DbErr> {
    let rows = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(users)
        .order_by_asc(Column::Id)
        .lock(LockType::NoKeyUpdate);
    Ok(transaction.query_all(&rows.into_query()).await?.len())
}
