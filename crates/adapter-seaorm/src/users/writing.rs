//! Registering, changing and removing users. Only changed columns are written, never balances.

use chrono::{DateTime, Utc};
use domain_audit::AuditAction;
use domain_kernel::{Enumeration, RoleCode, Username, Version, fold, order_key};
use domain_users::{Scope, User, search_text};
use ports::{
    Edit, IdempotencyKey, Inserted, InsertedUser, Removed, StoreError, UserInsert, UserRemovalConflict,
    UserUpdate, UserUpdateConflict, UsernameTaken, Written,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, InsertStatement, LockType, Query},
};
use serde_json::Value;

use super::{
    SeaOrmUsers,
    failure::Failure,
    find_in,
    lineage::{LineageUse, hold_lineages},
    recording::{performer, record_of, record_of_new},
    scope::is_session_of,
};
use crate::{
    audit::record,
    db::{
        retries::tried,
        sql::{Sql, insert_from, of},
        transaction::Transaction,
    },
    entities::{
        expiration_edits, idempotency_keys, sessions,
        users::{ActiveModel, Column, Entity},
    },
};

/// The folded text for searches.
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
        edit: &Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<InsertedUser, UsernameTaken>, StoreError> {
        tried(Failure::is_worth_another_try, || self.try_add(new, edit, once.as_ref()))
            .await
            .map_err(Failure::into_store_error)
    }

    async fn try_add(
        &self,
        new: &UserInsert,
        edit: &Edit,
        once: Option<&IdempotencyKey>,
    ) -> Result<Inserted<InsertedUser, UsernameTaken>, Failure> {
        let (registrar, now) = (performer(edit)?, edit.at);
        let transaction = self.0.begin().await?;
        if let Some(before) = self.done_before(&transaction, new, registrar, once).await? {
            return Ok(before);
        }
        hold_lineages(&transaction, LineageUse::Extend).await?;
        if transaction.execute(&insert_beneath(new, registrar, now)).await?.rows_affected() == 0 {
            // A concurrent request with the same key may have added the name since the lookup:
            // PostgreSQL shows every statement what was committed before it.
            let before = self.done_before(&transaction, new, registrar, once).await?;
            return Ok(before.unwrap_or(Inserted::Conflict(UsernameTaken)));
        }
        if let Some(once) = once {
            let row = idempotency_keys::ActiveModel {
                username_key: Set(once.username.clone()),
                idempotency_key: Set(once.key.clone()),
                fingerprint: Set(once.fingerprint.clone()),
                answer: Set(Value::Null.to_string()),
                password_hash: Set(new.password_hash.clone()),
                created_date: Set(now),
            };
            idempotency_keys::Entity::insert(row).exec_without_returning(&transaction).await?;
        }
        let added = find_in(&transaction, &Scope::Everyone, &new.username).await?;
        let added = added.ok_or_else(|| StoreError::Broken("a user is missing in its transaction".into()))?;
        record(&transaction, edit, vec![record_of_new(&added)]).await?;
        transaction.commit().await?;
        Ok(Inserted::New(InsertedUser { user: added, password_hash: new.password_hash.clone() }))
    }

    /// The response to an earlier request with the key, if any.
    async fn done_before(
        &self,
        transaction: &Transaction,
        new: &UserInsert,
        registrar: &Username,
        once: Option<&IdempotencyKey>,
    ) -> Result<Option<Inserted<InsertedUser, UsernameTaken>>, DbErr> {
        let Some(once) = once else { return Ok(None) };
        let key = (once.username.clone(), once.key.clone());
        let row = idempotency_keys::Entity::find_by_id(key).one(transaction).await?;
        let Some(row) = row else { return Ok(None) };
        if row.fingerprint != once.fingerprint {
            return Ok(Some(Inserted::KeyReused));
        }
        let user = as_registered(new, Some(registrar), row.created_date);
        Ok(Some(Inserted::Replayed(InsertedUser { user, password_hash: row.password_hash })))
    }

    pub(super) async fn write_password(
        &self,
        scope: &Scope,
        username: &Username,
        password_hash: &str,
        expected: Version,
        edit: &Edit,
    ) -> Result<Written<User, UserUpdateConflict>, StoreError> {
        tried(Failure::is_worth_another_try, || {
            self.try_write_password(scope, username, password_hash, expected, edit)
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
        edit: &Edit,
    ) -> Result<Written<User, UserUpdateConflict>, Failure> {
        let (performer, now) = (performer(edit)?, edit.at);
        let transaction = self.0.begin().await?;
        if let Err(other) =
            self.locked(&transaction, LockType::NoKeyUpdate, scope, username, expected).await?
        {
            return Ok(other);
        }
        let row = ActiveModel {
            password_hash: Set(Some(password_hash.to_owned())),
            default_password: Set(false),
            password_changed_date: Set(Some(now)),
            password_changed_by: Set(Some(performer.to_string())),
            updated_date: Set(now),
            ..ActiveModel::default()
        };
        update_locked(&transaction, username, expected, row).await?;
        end_sessions(&transaction, username).await?;
        let changed = find_in(&transaction, scope, username).await?;
        let version = changed.as_ref().map(|changed| changed.version);
        record(&transaction, edit, vec![record_of(AuditAction::PasswordChanged, username, version)]).await?;
        transaction.commit().await?;
        Ok(changed.map_or(Written::Missing, Written::Done))
    }

    pub(super) async fn erase(
        &self,
        scope: &Scope,
        username: &Username,
        expected: Version,
        edit: &Edit,
    ) -> Result<Removed<User, UserRemovalConflict>, StoreError> {
        tried(Failure::is_worth_another_try, || self.try_erase(scope, username, expected, edit))
            .await
            .map_err(Failure::into_store_error)
    }

    async fn try_erase(
        &self,
        scope: &Scope,
        username: &Username,
        expected: Version,
        edit: &Edit,
    ) -> Result<Removed<User, UserRemovalConflict>, Failure> {
        let backend = self.0.backend();
        let transaction = self.0.begin().await?;
        self.hold_superadmins(&transaction, username).await?;
        let current = match self.locked(&transaction, LockType::Update, scope, username, expected).await? {
            Ok(current) => current,
            Err(Written::Outdated(current)) => return Ok(Removed::Outdated(current)),
            Err(_) => return Ok(Removed::Missing),
        };
        if self.is_last_superadmin(&transaction, &current).await? {
            return Ok(Removed::Conflict(UserRemovalConflict::LastSuperadmin));
        }
        let mut uses = Sql::new(COUNT_USES);
        uses.bind(username.key());
        let row = transaction.query_one_raw(uses.statement(backend)).await?;
        let count = |column: &str| -> Result<u64, DbErr> {
            Ok(row.as_ref().map_or(Ok(0), |row| row.try_get::<i64>("", column))?.unsigned_abs())
        };
        let (movements, registered) = (count("movements")?, count("registered")?);
        if movements + registered > 0 {
            return Ok(Removed::Conflict(UserRemovalConflict::InUse { movements, registered }));
        }
        Entity::delete_many().filter(Column::UsernameKey.eq(username.key())).exec(&transaction).await?;
        let deleted = record_of(AuditAction::Deleted, &current.username, Some(current.version));
        record(&transaction, edit, vec![deleted]).await?;
        transaction.commit().await?;
        Ok(Removed::Done)
    }
}

/// Ends all sessions of a user.
pub(super) async fn end_sessions(transaction: &Transaction, username: &Username) -> Result<(), DbErr> {
    sessions::Entity::delete_many().filter(is_session_of(username)).exec(transaction).await.map(drop)
}

/// Updates a user whose row this transaction has locked with the expected version.
pub(super) async fn update_locked(
    transaction: &Transaction,
    username: &Username,
    expected: Version,
    row: ActiveModel,
) -> Result<(), Failure> {
    let done = Entity::update_many()
        .set(row)
        .col_expr(Column::Version, Expr::col(Column::Version).add(1))
        .filter(Column::UsernameKey.eq(username.key()))
        .filter(Column::Version.eq(expected))
        .exec(transaction)
        .await?;
    if done.rows_affected == 1 {
        Ok(())
    } else {
        Err(StoreError::Broken("a locked user changed".into()).into())
    }
}

/// Inserts a user of the registering user `a`, unless the name is in use. The registering user's
/// row is locked, so that it can't be removed concurrently.
fn insert_beneath(new: &UserInsert, registrar: &Username, now: DateTime<Utc>) -> InsertStatement {
    let contact = (new.email.as_str(), new.phone_number.as_str());
    let values = vec![
        (Column::Username, new.username.as_str().into()),
        (Column::UsernameKey, new.username.key().into()),
        (Column::FullName, new.full_name.as_str().into()),
        (Column::FullNameKey, order_key(&new.full_name).into()),
        (Column::Email, new.email.as_str().into()),
        (Column::PhoneNumber, new.phone_number.as_str().into()),
        (Column::Language, new.language.map(|language| language.code().to_owned()).into()),
        (Column::Address, new.address.clone().into()),
        (Column::Comment, new.comment.clone().into()),
        (Column::Role, new.role.code().into()),
        (Column::Status, new.status.code().into()),
        (Column::PasswordHash, new.password_hash.clone().into()),
        (Column::SearchText, folded_search_text(&new.username, &new.full_name, new.role, contact).into()),
        (Column::SubscriptionStarted, new.subscription_started.into()),
        (Column::RegisteredById, of("a", Column::Id)),
        (Column::Lineage, Expr::cust("a.lineage || a.id || '/'")),
        (Column::CreatedDate, now.into()),
        (Column::UpdatedDate, now.into()),
    ];
    let conflicting =
        Entity::find().select_only().column(Column::Id).filter(Column::UsernameKey.eq(new.username.key()));
    let registrar = Query::select()
        .from_as(Entity, "a")
        .and_where(of("a", Column::UsernameKey).eq(registrar.key()))
        .and_where(Expr::exists(conflicting.into_query()).not())
        .lock_with_tables(LockType::KeyShare, ["a"])
        .take();
    insert_from(Entity, values, registrar)
}

/// Records a new expiration, ordered among the movements of the user's app credits.
pub(super) fn insert_expiration_edit(
    backend: DbBackend,
    username: &Username,
    change: &UserUpdate,
    performer: &Username,
    now: DateTime<Utc>,
) -> InsertStatement {
    use expiration_edits::Column as Edit;
    // PostgreSQL needs the type of a selected null.
    let date = if backend == DbBackend::Sqlite { "text" } else { "timestamp with time zone" };
    let performer =
        Entity::find().select_only().column(Column::Id).filter(Column::UsernameKey.eq(performer.key()));
    let values = vec![
        (Edit::UserId, of("m", Column::Id)),
        (Edit::AppSeq, of("m", Column::AppSeq)),
        (Edit::ExpirationBefore, of("m", Column::ExpirationDate)),
        (Edit::ExpirationAfter, Expr::val(change.expiration_date).cast_as(date)),
        (Edit::PerformerId, performer.into_query().into()),
        (Edit::EditDate, now.into()),
    ];
    let user = Query::select()
        .from_as(Entity, "m")
        .and_where(of("m", Column::UsernameKey).eq(username.key()))
        .take();
    insert_from(expiration_edits::Entity, values, user)
}

/// References to a user: movements and edits of expirations, and registered users. Four counts
/// along indexes of the references. Raw: built by sea-query, their sum would be longer.
const COUNT_USES: &str = "SELECT (SELECT count(*) FROM entries e WHERE e.user_id = m.id) \
    + (SELECT count(*) FROM entries e WHERE e.performer_id = m.id AND e.user_id IS NOT NULL) \
    + (SELECT count(*) FROM expiration_edits x WHERE x.user_id = m.id OR x.performer_id = m.id) AS movements, \
    (SELECT count(*) FROM users c WHERE c.registered_by_id = m.id) AS registered FROM users m WHERE m.username_key = ";

/// A user as registered, independent of later changes.
pub(super) fn as_registered(new: &UserInsert, registrar: Option<&Username>, at: DateTime<Utc>) -> User {
    let UserInsert {
        username,
        full_name,
        email,
        phone_number,
        language,
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
        language,
        address,
        comment,
        role,
        status,
        credits: 0,
        sale_credits: 0,
        expiration_date: None,
        subscription_started,
        sign_ins: 0,
        registered_by: registrar.cloned(),
        created_date: at,
        updated_date: at,
        password_changed_date: None,
        password_changed_by: None,
        version: 1,
    }
}
