//! Users: lists and single users within a scope, inserting, updating, removing, importing, and
//! sign-in.

mod credentials;
mod failure;
mod importing;
mod lineage;
mod listing;
mod locking;
mod recording;
mod scope;
mod slices;
mod subscription_ends;
mod updating;
mod writing;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{ListQuery, Page, Username, Version};
use domain_users::{ExpiryFilter, Scope, User, UserCredentials};
use ports::{
    Edit, IdempotencyKey, ImportedUser, Inserted, InsertedUser, NewPassword, Removed, SliceWritten,
    StoreError, UserImportOutcome, UserInsert, UserRemovalConflict, UserRepository, UserSlice, UserUpdate,
    UserUpdateConflict, UsernameTaken, Written,
};
use sea_orm::{ConnectionTrait, QueryResult};

pub use self::subscription_ends::SeaOrmSubscriptionEnds;
pub(crate) use self::{
    credentials::credentials, failure::Failure, importing::AddedUser, lineage::LineageUse,
    lineage::hold_lineages, listing::search, recording::performer, recording::record_of,
    scope::is_session_of, scope::push_scope, slices::record_outcome, writing::folded_search_text,
};
use crate::{
    Database,
    db::{error::store_error, sql::Sql, values::member},
};

/// The store of users.
#[derive(Debug, Clone)]
pub struct SeaOrmUsers(pub Database);

/// The columns of a user: `m` is the user's row, `r` that of the registering user.
pub(crate) const COLUMNS: &str = "m.username, m.full_name, m.email, m.phone_number, m.language, m.address, m.comment, m.role, \
     m.status, m.credits, m.sale_credits, m.expiration_date, m.subscription_started, m.sign_ins, r.username AS registrar, m.created_date, \
     m.updated_date, m.password_changed_date, m.password_changed_by, m.version";

pub(crate) fn username(text: &str) -> Result<Username, StoreError> {
    Username::parse(text).ok_or_else(|| StoreError::Broken(format!("an impossible user name, {text:?}")))
}

pub(crate) fn user(row: &QueryResult) -> Result<User, StoreError> {
    let text = |column: &str| row.try_get::<String>("", column).map_err(store_error);
    let optional = |column: &str| row.try_get::<Option<String>>("", column).map_err(store_error);
    let number = |column: &str| row.try_get::<i64>("", column).map_err(store_error);
    let date = |column: &str| row.try_get::<DateTime<Utc>>("", column).map_err(store_error);
    Ok(User {
        username: username(&text("username")?)?,
        full_name: text("full_name")?,
        email: text("email")?,
        phone_number: text("phone_number")?,
        language: optional("language")?.as_deref().map(member).transpose()?,
        address: optional("address")?,
        comment: optional("comment")?,
        role: member(&text("role")?)?,
        status: member(&text("status")?)?,
        credits: number("credits")?,
        sale_credits: number("sale_credits")?,
        expiration_date: row.try_get("", "expiration_date").map_err(store_error)?,
        subscription_started: row.try_get("", "subscription_started").map_err(store_error)?,
        sign_ins: number("sign_ins")?,
        registered_by: optional("registrar")?.as_deref().map(username).transpose()?,
        created_date: date("created_date")?,
        updated_date: date("updated_date")?,
        password_changed_date: row.try_get("", "password_changed_date").map_err(store_error)?,
        password_changed_by: optional("password_changed_by")?.as_deref().map(username).transpose()?,
        version: number("version")?,
    })
}

/// A user within a scope, or the agent.
pub(crate) async fn find_in(
    connection: &impl ConnectionTrait,
    scope: &Scope,
    username: &Username,
) -> Result<Option<User>, StoreError> {
    let mut sql = Sql::new(format!(
        "SELECT {COLUMNS} FROM users m LEFT JOIN users r ON r.id = m.registered_by_id WHERE m.username_key = "
    ));
    sql.bind(username.key()).push(" AND (");
    push_scope(&mut sql, scope);
    if let Scope::SubtreeOf(agent) = scope {
        sql.push(" OR m.username_key = ").bind(agent.key());
    }
    sql.push(")");
    let statement = sql.statement(connection.get_database_backend());
    let row = connection.query_one_raw(statement).await.map_err(store_error)?;
    row.as_ref().map(user).transpose()
}

#[async_trait]
impl UserRepository for SeaOrmUsers {
    async fn list(
        &self,
        scope: &Scope,
        query: &ListQuery,
        deadline: Option<ExpiryFilter>,
    ) -> Result<Page<Vec<User>>, StoreError> {
        self.page(scope, query, deadline).await
    }

    async fn matching_names(
        &self,
        scope: &Scope,
        query: &ListQuery,
        deadline: Option<ExpiryFilter>,
        limit: u64,
    ) -> Result<Vec<Username>, StoreError> {
        self.names_of(scope, query, deadline, limit).await
    }

    async fn write_slice(
        &self,
        scope: &Scope,
        slice: UserSlice,
        edit: &Edit,
    ) -> Result<SliceWritten, StoreError> {
        self.change_slice(scope, &slice, edit).await
    }

    async fn find(&self, scope: &Scope, username: &Username) -> Result<Option<User>, StoreError> {
        find_in(&self.0.reader, scope, username).await
    }

    async fn find_credentials(&self, username: &Username) -> Result<Option<UserCredentials>, StoreError> {
        self.read_credentials(username).await
    }

    async fn insert(
        &self,
        user: &UserInsert,
        edit: &Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<InsertedUser, UsernameTaken>, StoreError> {
        self.add(user, edit, once).await
    }

    async fn insert_first(&self, user: &UserCredentials, now: DateTime<Utc>) -> Result<bool, StoreError> {
        self.add_first(user, now).await
    }

    async fn has_superadmin(&self) -> Result<bool, StoreError> {
        self.superadmin_exists().await
    }

    async fn has_default_password(&self) -> Result<bool, StoreError> {
        self.default_password_exists().await
    }

    async fn update(
        &self,
        scope: &Scope,
        username: &Username,
        update: &UserUpdate,
        expected: Version,
        edit: &Edit,
    ) -> Result<Written<User, UserUpdateConflict>, StoreError> {
        self.write(scope, username, update, expected, edit).await
    }

    async fn reset_password(
        &self,
        scope: &Scope,
        username: &Username,
        password_hash: &str,
        expected: Version,
        edit: &Edit,
    ) -> Result<Written<User, UserUpdateConflict>, StoreError> {
        self.write_password(scope, username, password_hash, expected, edit).await
    }

    async fn change_password(
        &self,
        username: &Username,
        password: &NewPassword,
        edit: &Edit,
    ) -> Result<bool, StoreError> {
        self.write_own_password(username, password, edit).await
    }

    async fn rehash(&self, username: &Username, from: &str, to: &str) -> Result<bool, StoreError> {
        self.write_hash(username, from, to).await
    }

    async fn import(
        &self,
        batch: Vec<ImportedUser>,
        now: DateTime<Utc>,
    ) -> Result<Vec<UserImportOutcome>, StoreError> {
        self.import_batch(batch, now).await
    }

    async fn remove(
        &self,
        scope: &Scope,
        username: &Username,
        expected: Version,
        edit: &Edit,
    ) -> Result<Removed<User, UserRemovalConflict>, StoreError> {
        self.erase(scope, username, expected, edit).await
    }
}
