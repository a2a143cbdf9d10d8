//! Sessions, and the secret that signs their cookies. A request reads its session and its user in
//! one statement (docs/adr/0008-sessions.md).

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_audience::VisitKind;
use domain_audit::AuditAction;
use domain_kernel::{Enumeration, Origin, Source, Username};
use domain_users::UserCredentials;
use ports::{
    Edit, NewSession, OpenSession, SESSION_ID_LENGTH, SessionDetails, SessionRepository, StoreError,
    session_id,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QueryResult, QuerySelect,
    QueryTrait,
    sea_query::{Expr, ExprTrait, Func, InsertStatement, OnConflict, Query, SelectStatement},
};
use serde_json::json;

use crate::{
    Database,
    audit::{Record, added, fields_of, record, record_one},
    db::{error::store_error, sql::insert_from},
    entities::{
        secrets,
        sessions::{ActiveModel, Column, Entity, Model},
        users,
    },
    users::{credentials, is_session_of, record_of},
    visits::{NewVisit, insert},
};

/// The store of sessions.
#[derive(Debug, Clone)]
pub struct SeaOrmSessions {
    database: Database,
}

impl SeaOrmSessions {
    /// Sessions in this database.
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    /// Ends the sessions of a user that satisfy a condition, with an audit entry of their number if
    /// there were any.
    async fn end_where(&self, username: &Username, which: Expr, edit: &Edit) -> Result<u64, DbErr> {
        let transaction = self.database.begin().await?;
        let delete = Entity::delete_many().filter(is_session_of(username)).filter(which);
        let ended = delete.exec(&transaction).await?.rows_affected;
        if ended > 0 {
            let diff = added(fields_of(&json!({"sessions": ended})));
            let of_them = record_of(AuditAction::SessionsEnded, username, None);
            record_one(&transaction, edit, Record { resource: "sessions", diff, ..of_them }).await?;
        }
        transaction.commit().await?;
        Ok(ended)
    }
}

/// The name of the secret that signs cookies.
const COOKIE: &str = "cookie";

/// A session with columns of its user, in one statement. Sessions from before migration 33 have no
/// last use until their next use.
fn select_open(key_hash: &str, now: DateTime<Utc>) -> SelectStatement {
    let last_used = Func::coalesce([
        Expr::col(Column::LastUsedDate.as_column_ref()),
        Expr::col(Column::CreatedDate.as_column_ref()),
    ]);
    let query = Entity::find()
        .select_only()
        .columns([Column::CreatedDate, Column::EndsDate])
        .column_as(Expr::from(last_used), "last_used_date")
        .columns([
            users::Column::Username,
            users::Column::FullName,
            users::Column::Role,
            users::Column::Status,
        ])
        .inner_join(users::Entity)
        .filter(Column::KeyHash.eq(key_hash))
        .filter(Column::EndsDate.gt(now));
    query.into_query()
}

/// A new session of the user with this name.
fn insert_session(username: &Username, session: &NewSession) -> InsertStatement {
    let values = vec![
        (Column::KeyHash, session.key_hash.as_str().into()),
        (Column::UserId, Expr::col(users::Column::Id)),
        (Column::CreatedDate, session.created_date.into()),
        (Column::LastUsedDate, session.created_date.into()),
        (Column::EndsDate, session.ends_date.into()),
        (Column::Address, session.address.as_str().into()),
        (Column::Device, session.device.clone().into()),
    ];
    let user =
        Query::select().from(users::Entity).and_where(users::Column::UsernameKey.eq(username.key())).take();
    insert_from(Entity, values, user)
}

fn date(row: &QueryResult, column: &str) -> Result<DateTime<Utc>, StoreError> {
    row.try_get("", column).map_err(store_error)
}

fn open_session(key_hash: &str, row: &QueryResult) -> Result<OpenSession, StoreError> {
    let text = |column: &str| row.try_get::<String>("", column).map_err(store_error);
    Ok(OpenSession {
        key_hash: key_hash.to_owned(),
        created_date: date(row, "created_date")?,
        last_used_date: date(row, "last_used_date")?,
        ends_date: date(row, "ends_date")?,
        user: credentials(&text("username")?, text("full_name")?, &text("role")?, &text("status")?, None)?,
    })
}

fn details(row: Model) -> SessionDetails {
    SessionDetails {
        id: session_id(&row.key_hash).to_owned(),
        address: row.address,
        device: row.device,
        created_date: row.created_date,
        last_used_date: row.last_used_date.unwrap_or(row.created_date),
        ends_date: row.ends_date,
    }
}

#[async_trait]
impl SessionRepository for SeaOrmSessions {
    async fn find(&self, key_hash: &str, now: DateTime<Utc>) -> Result<Option<OpenSession>, StoreError> {
        let row = self.database.reader.query_one(&select_open(key_hash, now)).await.map_err(store_error)?;
        row.as_ref().map(|row| open_session(key_hash, row)).transpose()
    }

    async fn open(&self, checked: &UserCredentials, session: &NewSession) -> Result<bool, StoreError> {
        let Some(hash) = checked.password_hash.as_deref() else { return Ok(false) };
        let transaction = self.database.begin().await.map_err(store_error)?;
        // The update locks the row: a concurrent change of password, role or status is either read
        // here, or ends this session.
        let counted = users::Entity::update_many()
            .col_expr(users::Column::SignIns, Expr::col(users::Column::SignIns).add(1))
            .filter(users::Column::UsernameKey.eq(checked.username.key()))
            .filter(users::Column::PasswordHash.eq(hash))
            .filter(users::Column::Role.eq(checked.role.code()))
            .filter(users::Column::Status.eq(checked.status.code()))
            .exec(&transaction)
            .await
            .map_err(store_error)?;
        if counted.rows_affected != 1 {
            return Ok(false);
        }
        transaction.execute(&insert_session(&checked.username, session)).await.map_err(store_error)?;
        let visit = NewVisit {
            occurred_at: session.created_date,
            kind: VisitKind::SignIn,
            username: checked.username.as_str(),
            full_name: Some(&checked.full_name),
            address: Some(&session.address),
            device: session.device.as_deref(),
            content: None,
            source: None,
        };
        insert(&transaction, [visit]).await.map_err(store_error)?;
        let origin = Origin { address: session.address.parse().ok(), ..Origin::of(Source::Request) };
        let edit = Edit { by: Some(checked.username.clone()), at: session.created_date, origin };
        let signed_in =
            Record { resource: "sessions", ..record_of(AuditAction::SignedIn, &checked.username, None) };
        record(&transaction, &edit, vec![signed_in]).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)?;
        Ok(true)
    }

    async fn extend(&self, key_hash: &str, ends_date: DateTime<Utc>) -> Result<bool, StoreError> {
        let row = ActiveModel { ends_date: Set(ends_date), ..ActiveModel::default() };
        let update = Entity::update_many().set(row).filter(Column::KeyHash.eq(key_hash));
        let done = update.exec(&self.database.writer).await.map_err(store_error)?;
        Ok(done.rows_affected == 1)
    }

    async fn touch(
        &self,
        key_hash: &str,
        now: DateTime<Utc>,
        before: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let row = ActiveModel { last_used_date: Set(Some(now)), ..ActiveModel::default() };
        let is_old = Column::LastUsedDate.is_null().or(Column::LastUsedDate.lte(before));
        let update = Entity::update_many().set(row).filter(Column::KeyHash.eq(key_hash)).filter(is_old);
        update.exec(&self.database.writer).await.map(drop).map_err(store_error)
    }

    async fn end(&self, key_hash: &str) -> Result<(), StoreError> {
        Entity::delete_by_id(key_hash).exec(&self.database.writer).await.map(drop).map_err(store_error)
    }

    async fn list(
        &self,
        username: &Username,
        now: DateTime<Utc>,
        most: u32,
    ) -> Result<Vec<SessionDetails>, StoreError> {
        let last_used = Func::coalesce([Expr::col(Column::LastUsedDate), Expr::col(Column::CreatedDate)]);
        let rows = Entity::find()
            .filter(is_session_of(username))
            .filter(Column::EndsDate.gt(now))
            .order_by_desc(last_used)
            .order_by_asc(Column::KeyHash)
            .limit(u64::from(most))
            .all(&self.database.reader)
            .await;
        Ok(rows.map_err(store_error)?.into_iter().map(details).collect())
    }

    async fn end_one(&self, username: &Username, id: &str, edit: &Edit) -> Result<bool, StoreError> {
        let beginning = Expr::cust(format!("substr(key_hash, 1, {SESSION_ID_LENGTH})"));
        Ok(self.end_where(username, beginning.eq(id), edit).await.map_err(store_error)? > 0)
    }

    async fn end_all<'a>(
        &self,
        username: &Username,
        keep: Option<&'a str>,
        edit: &Edit,
    ) -> Result<u64, StoreError> {
        let others = Column::KeyHash.ne(keep.unwrap_or_default());
        self.end_where(username, others, edit).await.map_err(store_error)
    }

    async fn cookie_secret(&self, candidate: &str) -> Result<String, StoreError> {
        let row = secrets::ActiveModel { name: Set(COOKIE.to_owned()), value: Set(candidate.to_owned()) };
        let kept = OnConflict::column(secrets::Column::Name).do_nothing().to_owned();
        let insert = secrets::Entity::insert(row).on_conflict(kept);
        insert.exec_without_returning(&self.database.writer).await.map_err(store_error)?;
        let row =
            secrets::Entity::find_by_id(COOKIE).one(&self.database.writer).await.map_err(store_error)?;
        row.map(|row| row.value).ok_or_else(|| StoreError::Broken("the cookie secret is missing".into()))
    }
}
