//! Registering, changing and removing users. A whole row is never saved: balances are not among what is written here.

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, RoleCode, Username, Version, fold, order_key};
use domain_users::{Scope, User, UserStatus, search_text};
use ports::{
    IdempotencyKey, Inserted, InsertedUser, LastSuperadmin, Removed, StoreError, UserInsert,
    UserRemovalConflict, UserUpdate, UsernameTaken, Written,
};
use sea_orm::{ConnectionTrait, DbBackend, DbErr};
use serde_json::Value;

use super::{SeaOrmUsers, find_in};
use crate::db::{
    error::{is_overtaken, store_error},
    retries::tried,
    sql::Sql,
    transaction::Transaction,
};

/// A failure inside a transaction: of the database, or of what it holds.
enum Failure {
    Database(DbErr),
    Store(StoreError),
}

impl From<DbErr> for Failure {
    fn from(error: DbErr) -> Self {
        Self::Database(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Failure {
    fn is_worth_another_try(&self) -> bool {
        matches!(self, Self::Database(error) if is_overtaken(error))
    }

    fn into_store_error(self) -> StoreError {
        match self {
            Self::Database(error) => store_error(error),
            Self::Store(error) => error,
        }
    }
}

/// What the search looks in, folded.
pub(crate) fn folded_search_text(
    username: &Username,
    full_name: &str,
    role: RoleCode,
    (email, phone_number): (&str, &str),
) -> String {
    search_text(username.as_str(), full_name, role, email, phone_number)
        .lines()
        .map(fold)
        .collect::<Vec<_>>()
        .join("\n")
}

impl SeaOrmUsers {
    pub(super) async fn add(
        &self,
        new: &UserInsert,
        registrar: &Username,
        now: DateTime<Utc>,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<InsertedUser, UsernameTaken>, StoreError> {
        tried(Failure::is_worth_another_try, || self.try_add(new, registrar, now, once.as_ref()))
            .await
            .map_err(Failure::into_store_error)
    }

    async fn try_add(
        &self,
        new: &UserInsert,
        registrar: &Username,
        now: DateTime<Utc>,
        once: Option<&IdempotencyKey>,
    ) -> Result<Inserted<InsertedUser, UsernameTaken>, Failure> {
        let backend = self.0.backend();
        let transaction = self.0.begin().await?;
        if let Some(before) = self.done_before(&transaction, new, registrar, once).await? {
            return Ok(before);
        }
        let mut sql = Sql::new(
            "INSERT INTO users (username, username_key, full_name, full_name_key, email, phone_number, address, comment, \
             role, status, password_hash, search_text, subscription_started, registered_by_id, lineage, \
             created_date, updated_date) SELECT ",
        );
        sql.bind(new.username.as_str()).push(", ").bind(new.username.key()).push(", ");
        sql.bind(new.full_name.as_str()).push(", ").bind(order_key(&new.full_name)).push(", ");
        sql.bind(new.email.as_str()).push(", ").bind(new.phone_number.as_str()).push(", ");
        sql.bind(new.address.clone()).push(", ").bind(new.comment.clone()).push(", ");
        sql.bind(new.role.code()).push(", ").bind(new.status.code()).push(", ");
        sql.bind(new.password_hash.clone()).push(", ");
        sql.bind(folded_search_text(
            &new.username,
            &new.full_name,
            new.role,
            (&new.email, &new.phone_number),
        ));
        sql.push(", ").bind(new.subscription_started);
        sql.push(", a.id, a.lineage || a.id || '/', ").bind(now).push(", ").bind(now);
        sql.push(" FROM users a WHERE a.username_key = ").bind(registrar.key());
        sql.push(" AND NOT EXISTS (SELECT 1 FROM users WHERE username_key = ")
            .bind(new.username.key())
            .push(")");
        if backend != DbBackend::Sqlite {
            // Whoever is being removed at this moment registers nobody.
            sql.push(" FOR KEY SHARE OF a");
        }
        let done = transaction.execute_raw(sql.statement(backend)).await?;
        if done.rows_affected() == 0 {
            // Under the same key the name may exist since the key was looked up: PostgreSQL shows every
            // statement what was committed before it.
            let before = self.done_before(&transaction, new, registrar, once).await?;
            return Ok(before.unwrap_or(Inserted::Conflict(UsernameTaken)));
        }
        if let Some(once) = once {
            let mut keep = Sql::new(
                "INSERT INTO idempotency_keys (username_key, idempotency_key, fingerprint, answer, password_hash, created_date) \
                 VALUES (",
            );
            keep.bind(once.username.as_str()).push(", ").bind(once.key.as_str()).push(", ");
            keep.bind(once.fingerprint.as_str())
                .push(", ")
                .bind(Value::Null.to_string())
                .push(", ")
                .bind(new.password_hash.clone())
                .push(", ")
                .bind(now)
                .push(")");
            transaction.execute_raw(keep.statement(backend)).await?;
        }
        let added = find_in(&transaction, &Scope::Everyone, &new.username).await?;
        transaction.commit().await?;
        let added =
            added.ok_or_else(|| StoreError::Broken("a user is gone in its own transaction".into()))?;
        Ok(Inserted::New(InsertedUser { user: added, password_hash: new.password_hash.clone() }))
    }

    /// What was answered under the key, if it was used before.
    async fn done_before(
        &self,
        transaction: &Transaction,
        new: &UserInsert,
        registrar: &Username,
        once: Option<&IdempotencyKey>,
    ) -> Result<Option<Inserted<InsertedUser, UsernameTaken>>, DbErr> {
        let Some(once) = once else { return Ok(None) };
        let mut known = Sql::new(
            "SELECT fingerprint, password_hash, created_date FROM idempotency_keys WHERE username_key = ",
        );
        known.bind(once.username.as_str()).push(" AND idempotency_key = ").bind(once.key.as_str());
        let row = transaction.query_one_raw(known.statement(self.0.backend())).await?;
        let Some(row) = row else { return Ok(None) };
        if row.try_get::<String>("", "fingerprint")? != once.fingerprint {
            return Ok(Some(Inserted::KeyReused));
        }
        let first = row.try_get("", "created_date")?;
        let hash = row.try_get("", "password_hash")?;
        let user = as_registered(new, registrar, first);
        Ok(Some(Inserted::Replayed(InsertedUser { user, password_hash: hash })))
    }

    pub(super) async fn write(
        &self,
        scope: &Scope,
        username: &Username,
        change: &UserUpdate,
        expected: Version,
        performer: &Username,
        now: DateTime<Utc>,
    ) -> Result<Written<User, LastSuperadmin>, StoreError> {
        tried(Failure::is_worth_another_try, || {
            self.try_write(scope, username, change, expected, performer, now)
        })
        .await
        .map_err(Failure::into_store_error)
    }

    async fn try_write(
        &self,
        scope: &Scope,
        username: &Username,
        change: &UserUpdate,
        expected: Version,
        performer: &Username,
        now: DateTime<Utc>,
    ) -> Result<Written<User, LastSuperadmin>, Failure> {
        let backend = self.0.backend();
        let transaction = self.0.begin().await?;
        let current = match self.locked(&transaction, "NO KEY UPDATE", scope, username, expected).await? {
            Ok(current) => current,
            Err(other) => return Ok(other),
        };
        let stays = change.role == RoleCode::Superadmin && change.status == UserStatus::Active;
        if !stays && self.is_last_superadmin(&transaction, &current).await? {
            return Ok(Written::Conflict(LastSuperadmin));
        }
        if change.expiration_date != current.expiration_date
            || change.subscription_started != current.subscription_started
        {
            let mut edit = Sql::new(
                "INSERT INTO expiration_edits (user_id, app_seq, expiration_before, expiration_after, performer_id, \
                 edit_date) SELECT m.id, m.app_seq, m.expiration_date, ",
            );
            edit.push("CAST(").bind(change.expiration_date);
            let moment = if backend == DbBackend::Sqlite { "text" } else { "timestamp with time zone" };
            edit.push(&format!(" AS {moment}), (SELECT id FROM users WHERE username_key = "))
                .bind(performer.key());
            edit.push("), ").bind(now).push(" FROM users m WHERE m.username_key = ").bind(username.key());
            transaction.execute_raw(edit.statement(backend)).await?;
        }
        let mut sql = Sql::new("UPDATE users SET full_name = ");
        sql.bind(change.full_name.as_str()).push(", full_name_key = ").bind(order_key(&change.full_name));
        sql.push(", email = ")
            .bind(change.email.as_str())
            .push(", phone_number = ")
            .bind(change.phone_number.as_str());
        sql.push(", address = ")
            .bind(change.address.clone())
            .push(", comment = ")
            .bind(change.comment.clone());
        sql.push(", role = ").bind(change.role.code()).push(", status = ").bind(change.status.code());
        sql.push(", expiration_date = ").bind(change.expiration_date);
        sql.push(", subscription_started = ").bind(change.subscription_started).push(", search_text = ");
        sql.bind(folded_search_text(
            &current.username,
            &change.full_name,
            change.role,
            (&change.email, &change.phone_number),
        ));
        sql.push(", updated_date = ").bind(now).push(", version = version + 1 WHERE username_key = ");
        sql.bind(username.key()).push(" AND version = ").bind(expected);
        if transaction.execute_raw(sql.statement(backend)).await?.rows_affected() != 1 {
            // The row was locked with this version: nobody can have changed it.
            return Err(StoreError::Broken("a locked user changed".into()).into());
        }
        if change.status != UserStatus::Active || change.role != current.role {
            end_sessions(&transaction, username).await?;
        }
        let changed = find_in(&transaction, scope, username).await?;
        transaction.commit().await?;
        Ok(changed.map_or(Written::Missing, Written::Done))
    }

    pub(super) async fn write_password(
        &self,
        scope: &Scope,
        username: &Username,
        password_hash: &str,
        expected: Version,
        performer: &Username,
        now: DateTime<Utc>,
    ) -> Result<Written<User, LastSuperadmin>, StoreError> {
        tried(Failure::is_worth_another_try, || {
            self.try_write_password(scope, username, password_hash, expected, performer, now)
        })
        .await
        .map_err(Failure::into_store_error)
    }

    async fn try_write_password(
        &self,
        scope: &Scope,
        username: &Username,
        password_hash: &str,
        expected: Version,
        performer: &Username,
        now: DateTime<Utc>,
    ) -> Result<Written<User, LastSuperadmin>, Failure> {
        let transaction = self.0.begin().await?;
        if let Err(other) = self.locked(&transaction, "NO KEY UPDATE", scope, username, expected).await? {
            return Ok(other);
        }
        let mut sql = Sql::new("UPDATE users SET password_hash = ");
        sql.bind(password_hash).push(", default_password = false, password_changed_date = ").bind(now);
        sql.push(", password_changed_by = ").bind(performer.as_str()).push(", updated_date = ").bind(now);
        sql.push(", version = version + 1 WHERE username_key = ").bind(username.key());
        sql.push(" AND version = ").bind(expected);
        let done = transaction.execute_raw(sql.statement(self.0.backend())).await?;
        if done.rows_affected() != 1 {
            // The row was locked with this version: nobody can have changed it.
            return Err(StoreError::Broken("a locked user changed".into()).into());
        }
        end_sessions(&transaction, username).await?;
        let changed = find_in(&transaction, scope, username).await?;
        transaction.commit().await?;
        Ok(changed.map_or(Written::Missing, Written::Done))
    }

    /// The user as they are, held until the transaction ends, if they still have the expected version.
    async fn locked(
        &self,
        transaction: &Transaction,
        strength: &str,
        scope: &Scope,
        username: &Username,
        expected: Version,
    ) -> Result<Result<User, Written<User, LastSuperadmin>>, Failure> {
        if self.0.backend() != DbBackend::Sqlite {
            let mut lock = Sql::new("SELECT id FROM users WHERE username_key = ");
            lock.bind(username.key()).push(&format!(" FOR {strength}"));
            transaction.query_one_raw(lock.statement(self.0.backend())).await?;
        }
        Ok(match find_in(transaction, scope, username).await? {
            None => Err(Written::Missing),
            Some(current) if current.version != expected => Err(Written::Outdated(current)),
            Some(current) => Ok(current),
        })
    }

    /// Whether without them nobody would be left who may do everything. Two who leave at the same moment queue here.
    async fn is_last_superadmin(&self, transaction: &Transaction, current: &User) -> Result<bool, Failure> {
        if current.role != RoleCode::Superadmin || current.status != UserStatus::Active {
            return Ok(false);
        }
        let mut sql = Sql::new(
            "SELECT username FROM users WHERE role = 'superadmin' AND status = 'ACTIVE' ORDER BY id",
        );
        if self.0.backend() != DbBackend::Sqlite {
            sql.push(" FOR NO KEY UPDATE");
        }
        let active = transaction.query_all_raw(sql.statement(self.0.backend())).await?;
        Ok(active.len() < 2)
    }

    pub(super) async fn erase(
        &self,
        scope: &Scope,
        username: &Username,
        expected: Version,
    ) -> Result<Removed<User, UserRemovalConflict>, StoreError> {
        tried(Failure::is_worth_another_try, || self.try_erase(scope, username, expected))
            .await
            .map_err(Failure::into_store_error)
    }

    async fn try_erase(
        &self,
        scope: &Scope,
        username: &Username,
        expected: Version,
    ) -> Result<Removed<User, UserRemovalConflict>, Failure> {
        let backend = self.0.backend();
        let transaction = self.0.begin().await?;
        let current = match self.locked(&transaction, "UPDATE", scope, username, expected).await? {
            Ok(current) => current,
            Err(Written::Outdated(current)) => return Ok(Removed::Outdated(current)),
            Err(_) => return Ok(Removed::Missing),
        };
        if self.is_last_superadmin(&transaction, &current).await? {
            return Ok(Removed::Conflict(UserRemovalConflict::LastSuperadmin));
        }
        let mut uses = Sql::new(
            "SELECT (SELECT count(*) FROM entries e WHERE e.user_id = m.id) \
             + (SELECT count(*) FROM entries e WHERE e.performer_id = m.id AND e.user_id IS NOT NULL) \
             + (SELECT count(*) FROM expiration_edits x WHERE x.user_id = m.id OR x.performer_id = m.id) AS movements, \
             (SELECT count(*) FROM users c WHERE c.registered_by_id = m.id) AS registered FROM users m WHERE m.username_key = ",
        );
        uses.bind(username.key());
        let row = transaction.query_one_raw(uses.statement(backend)).await?;
        let count = |column: &str| -> Result<u64, DbErr> {
            Ok(row.as_ref().map_or(Ok(0), |row| row.try_get::<i64>("", column))?.unsigned_abs())
        };
        let (movements, registered) = (count("movements")?, count("registered")?);
        if movements + registered > 0 {
            return Ok(Removed::Conflict(UserRemovalConflict::InUse { movements, registered }));
        }
        let mut sql = Sql::new("DELETE FROM users WHERE username_key = ");
        sql.bind(username.key());
        transaction.execute_raw(sql.statement(backend)).await?;
        transaction.commit().await?;
        Ok(Removed::Done)
    }
}

/// Ends all sessions of a user.
async fn end_sessions(transaction: &Transaction, username: &Username) -> Result<(), DbErr> {
    let mut end =
        Sql::new("DELETE FROM sessions WHERE user_id IN (SELECT id FROM users WHERE username_key = ");
    end.bind(username.key()).push(")");
    let statement = end.statement(transaction.get_database_backend());
    transaction.execute_raw(statement).await.map(drop)
}

/// Somebody as the registration left them, whatever became of them since.
fn as_registered(new: &UserInsert, registrar: &Username, at: DateTime<Utc>) -> User {
    let UserInsert {
        username,
        full_name,
        email,
        phone_number,
        address,
        comment,
        role,
        status,
        subscription_started,
        ..
    } = new.clone();
    User {
        username,
        full_name,
        email,
        phone_number,
        address,
        comment,
        role,
        status,
        credits: 0,
        sale_credits: 0,
        expiration_date: None,
        subscription_started,
        sign_ins: 0,
        registered_by: Some(registrar.clone()),
        created_date: at,
        updated_date: at,
        password_changed_date: None,
        password_changed_by: None,
        version: 1,
    }
}
