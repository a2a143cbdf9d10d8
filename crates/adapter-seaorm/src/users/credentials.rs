//! What signing in reads and writes of users.

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, RoleCode, Username, order_key};
use domain_users::{UserCredentials, UserStatus};
use ports::{NewPassword, StoreError};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};

use super::SeaOrmUsers;
use crate::{
    db::{error::store_error, sql::Sql},
    entities::users::{Column, Entity},
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

/// Superadmins who can sign in.
const SUPERADMIN: &str = "SELECT 1 AS found FROM users WHERE role = 'superadmin' AND status = 'ACTIVE' \
     AND password_hash IS NOT NULL";

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
        let sql = Sql::new(format!("{SUPERADMIN} LIMIT 1"));
        let row = self.0.writer.query_one_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        Ok(row.is_some())
    }

    pub(super) async fn add_first(
        &self,
        new: &UserCredentials,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        // One statement looks and adds; the unique name settles what two nodes do at the same moment.
        let mut sql = Sql::new(
            "INSERT INTO users (username, username_key, full_name, full_name_key, search_text, role, status, \
             password_hash, default_password, sign_ins, created_date, updated_date, version) SELECT ",
        );
        sql.bind(new.username.as_str()).push(", ").bind(new.username.key()).push(", ");
        sql.bind(new.full_name.as_str()).push(", ").bind(order_key(&new.full_name)).push(", ");
        sql.bind(folded_search_text(&new.username, &new.full_name, new.role, ("", ""))).push(", ");
        sql.bind(new.role.code()).push(", ").bind(new.status.code());
        sql.push(", ").bind(new.password_hash.clone()).push(", ").bind(true).push(", 0, ");
        sql.bind(now).push(", ").bind(now).push(&format!(", 1 WHERE NOT EXISTS ({SUPERADMIN}) "));
        sql.push("ON CONFLICT (username_key) DO NOTHING");
        let done = self.0.writer.execute_raw(sql.statement(self.0.backend())).await.map_err(store_error)?;
        Ok(done.rows_affected() == 1)
    }

    pub(super) async fn write_own_password(
        &self,
        username: &Username,
        password: &NewPassword,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let backend = self.0.backend();
        let transaction = self.0.begin().await.map_err(store_error)?;
        let mut sql = Sql::new("UPDATE users SET password_hash = ");
        sql.bind(password.hash.as_str()).push(", default_password = false, updated_date = ").bind(now);
        // Who knew the old password changes their own; otherwise it is the operator of the server.
        let changed_by = password.checked.as_ref().map(|_| username.to_string());
        sql.push(", password_changed_date = ").bind(now).push(", password_changed_by = ").bind(changed_by);
        sql.push(", version = version + 1 WHERE username_key = ").bind(username.key());
        if let Some(checked) = &password.checked {
            sql.push(" AND password_hash = ").bind(checked.as_str());
        }
        let done = transaction.execute_raw(sql.statement(backend)).await.map_err(store_error)?;
        if done.rows_affected() != 1 {
            return Ok(false);
        }
        let own = "user_id IN (SELECT id FROM users WHERE username_key = ";
        if let Some(keep) = &password.keep_session {
            let mut renew = Sql::new("UPDATE sessions SET key_hash = ");
            renew.bind(keep.to.as_str()).push(" WHERE key_hash = ").bind(keep.from.as_str());
            renew.push(" AND ").push(own).bind(username.key()).push(") AND ends_date > ").bind(now);
            let renewed = transaction.execute_raw(renew.statement(backend)).await.map_err(store_error)?;
            if renewed.rows_affected() != 1 {
                return Ok(false);
            }
        }
        let mut end = Sql::new(format!("DELETE FROM sessions WHERE {own}"));
        let kept = password.keep_session.as_ref().map(|keep| keep.to.as_str());
        end.bind(username.key()).push(") AND key_hash <> ").bind(kept.unwrap_or_default());
        transaction.execute_raw(end.statement(backend)).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(true)
    }

    pub(super) async fn default_password_exists(&self) -> Result<bool, StoreError> {
        let found = Entity::find().filter(Column::DefaultPassword.eq(true)).one(&self.0.reader).await;
        Ok(found.map_err(store_error)?.is_some())
    }
}
