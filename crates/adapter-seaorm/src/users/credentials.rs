//! Reads and writes of users for signing in.

use chrono::{DateTime, Utc};
use domain_audit::AuditAction;
use domain_kernel::{Enumeration, Origin, RoleCode, Username, order_key};
use domain_users::{Scope, UserCredentials, UserStatus};
use ports::{Edit, NewPassword, StoreError};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, OnConflict, Query, SelectStatement},
};

use super::{
    SeaOrmUsers, find_in,
    recording::{record_of, record_of_new},
    scope::is_session_of,
};
use crate::{
    audit::record,
    db::{error::store_error, sql::insert_from},
    entities::{
        sessions,
        users::{ActiveModel, Column, Entity},
    },
    users::folded_search_text,
};

/// A row as credentials.
pub(crate) fn credentials(
    username: &str,
    full_name: String,
    role: &str,
    status: &str,
    password_hash: Option<String>,
) -> Result<UserCredentials, StoreError> {
    let broken = |what: &str| StoreError::Broken(format!("user {username} has an unknown {what}"));
    Ok(UserCredentials {
        username: Username::parse(username).ok_or_else(|| broken("name"))?,
        full_name,
        role: RoleCode::from_code(role).ok_or_else(|| broken("role"))?,
        status: UserStatus::from_code(status).ok_or_else(|| broken("status"))?,
        password_hash,
    })
}

/// Active superadmins with a password.
fn superadmins() -> SelectStatement {
    let query = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::Role.eq(RoleCode::Superadmin.code()))
        .filter(Column::Status.eq(UserStatus::Active.code()))
        .filter(Column::PasswordHash.is_not_null());
    query.into_query()
}

/// Exactly as in the partial index: with a bound value no database could use it.
const DEFAULT_PASSWORD: &str = "default_password";

impl SeaOrmUsers {
    pub(super) async fn read_credentials(
        &self,
        username: &Username,
    ) -> Result<Option<UserCredentials>, StoreError> {
        let row = Entity::find().filter(Column::UsernameKey.eq(username.key())).one(&self.0.reader).await;
        row.map_err(store_error)?
            .map(|row| credentials(&row.username, row.full_name, &row.role, &row.status, row.password_hash))
            .transpose()
    }

    pub(super) async fn superadmin_exists(&self) -> Result<bool, StoreError> {
        let row = self.0.writer.query_one(superadmins().limit(1)).await.map_err(store_error)?;
        Ok(row.is_some())
    }

    pub(super) async fn add_first(
        &self,
        new: &UserCredentials,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let values = vec![
            (Column::Username, new.username.as_str().into()),
            (Column::UsernameKey, new.username.key().into()),
            (Column::FullName, new.full_name.as_str().into()),
            (Column::FullNameKey, order_key(&new.full_name).into()),
            (
                Column::SearchText,
                folded_search_text(&new.username, &new.full_name, new.role, ("", "")).into(),
            ),
            (Column::Role, new.role.code().into()),
            (Column::Status, new.status.code().into()),
            (Column::PasswordHash, new.password_hash.clone().into()),
            (Column::DefaultPassword, true.into()),
            (Column::SignIns, 0.into()),
            (Column::CreatedDate, now.into()),
            (Column::UpdatedDate, now.into()),
            (Column::Version, 1.into()),
        ];
        // One statement checks and inserts; the unique name decides between two concurrent nodes.
        let none = Query::select().and_where(Expr::exists(superadmins()).not()).take();
        let mut insert = insert_from(Entity, values, none);
        insert.on_conflict(OnConflict::column(Column::UsernameKey).do_nothing().to_owned());
        let transaction = self.0.begin().await.map_err(store_error)?;
        let done = transaction.execute(&insert).await.map_err(store_error)?;
        if done.rows_affected() != 1 {
            return Ok(false);
        }
        let edit = Edit { by: None, at: now, origin: Origin::SERVER };
        let added = find_in(&transaction, &Scope::Everyone, &new.username).await?;
        let added = added.ok_or_else(|| StoreError::Broken("a user is missing in its transaction".into()))?;
        record(&transaction, &edit, vec![record_of_new(&added)]).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(true)
    }

    pub(super) async fn write_own_password(
        &self,
        username: &Username,
        password: &NewPassword,
        edit: &Edit,
    ) -> Result<bool, StoreError> {
        let now = edit.at;
        let transaction = self.0.begin().await.map_err(store_error)?;
        // Users change their own password with the current one; otherwise the operator changes it
        // on the server.
        let changed_by = password.checked.as_ref().map(|_| username.to_string());
        let mut update = Entity::update_many()
            .set(ActiveModel {
                password_hash: Set(Some(password.hash.clone())),
                default_password: Set(false),
                updated_date: Set(now),
                password_changed_date: Set(Some(now)),
                password_changed_by: Set(changed_by),
                ..ActiveModel::default()
            })
            .col_expr(Column::Version, Expr::col(Column::Version).add(1))
            .filter(Column::UsernameKey.eq(username.key()));
        if let Some(checked) = &password.checked {
            update = update.filter(Column::PasswordHash.eq(checked.as_str()));
        }
        if update.exec(&transaction).await.map_err(store_error)?.rows_affected != 1 {
            return Ok(false);
        }
        if let Some(keep) = &password.keep_session {
            // The key is the primary key, which `set` omits.
            let renew = sessions::Entity::update_many()
                .col_expr(sessions::Column::KeyHash, keep.to.as_str().into())
                .filter(sessions::Column::KeyHash.eq(keep.from.as_str()))
                .filter(is_session_of(username))
                .filter(sessions::Column::EndsDate.gt(now));
            if renew.exec(&transaction).await.map_err(store_error)?.rows_affected != 1 {
                return Ok(false);
            }
        }
        let kept = password.keep_session.as_ref().map(|keep| keep.to.as_str());
        let end = sessions::Entity::delete_many()
            .filter(is_session_of(username))
            .filter(sessions::Column::KeyHash.ne(kept.unwrap_or_default()));
        end.exec(&transaction).await.map_err(store_error)?;
        let changed = record_of(AuditAction::PasswordChanged, username, None);
        record(&transaction, edit, vec![changed]).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(true)
    }

    /// Replaces the hash. The password stays, so version, sessions and dates do not change.
    pub(super) async fn write_hash(
        &self,
        username: &Username,
        from: &str,
        to: &str,
    ) -> Result<bool, StoreError> {
        let update = Entity::update_many()
            .set(ActiveModel { password_hash: Set(Some(to.to_owned())), ..ActiveModel::default() })
            .filter(Column::UsernameKey.eq(username.key()))
            .filter(Column::PasswordHash.eq(from));
        Ok(update.exec(&self.0.writer).await.map_err(store_error)?.rows_affected == 1)
    }

    /// Whether an active user has the first password. Read by the partial index only, which has few
    /// entries; with a further condition the database might choose another index.
    pub(super) async fn default_password_exists(&self) -> Result<bool, StoreError> {
        let query = Entity::find()
            .select_only()
            .columns([Column::Status, Column::PasswordHash])
            .filter(Expr::cust(DEFAULT_PASSWORD))
            .into_query();
        let rows = self.0.reader.query_all(&query).await.map_err(store_error)?;
        for row in rows {
            let status: String = row.try_get("", "status").map_err(store_error)?;
            let password: Option<String> = row.try_get("", "password_hash").map_err(store_error)?;
            if status == UserStatus::Active.code() && password.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
