//! Sessions, and the secret that signs their cookies. A request reads its session and its user in one statement
//! (docs/adr/0008-sessions.md).

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_audience::VisitKind;
use domain_kernel::{Enumeration, Username};
use domain_users::Account;
use ports::{
    NewSession, OpenSession, SESSION_ID_LENGTH, SessionDetails, SessionRepository, StoreError, session_id,
};
use sea_orm::{ConnectionTrait, QueryResult};

use crate::{
    Database,
    db::{error::store_error, sql::Sql},
    users::account,
    visits::{NewVisit, insert},
};

/// Keeps sessions.
#[derive(Debug, Clone)]
pub struct SeaOrmSessions {
    database: Database,
}

impl SeaOrmSessions {
    /// Sessions in this database.
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    async fn run(&self, sql: Sql) -> Result<u64, StoreError> {
        let done = self.database.writer.execute_raw(sql.statement(self.database.backend())).await;
        Ok(done.map_err(store_error)?.rows_affected())
    }
}

/// The condition that a session belongs to a user.
fn of_user(sql: &mut Sql, username: &Username) {
    sql.push("user_id IN (SELECT id FROM users WHERE username_key = ").bind(username.key()).push(")");
}

/// Existing sessions have no last use until they are used again.
const LAST_USED: &str = "coalesce(s.last_used_date, s.created_date) AS last_used_date";

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
        account: account(&text("username")?, text("full_name")?, &text("role")?, &text("status")?, None)?,
    })
}

fn details(row: &QueryResult) -> Result<SessionDetails, StoreError> {
    let key_hash: String = row.try_get("", "key_hash").map_err(store_error)?;
    Ok(SessionDetails {
        id: session_id(&key_hash).to_owned(),
        address: row.try_get("", "address").map_err(store_error)?,
        device: row.try_get("", "device").map_err(store_error)?,
        created_date: date(row, "created_date")?,
        last_used_date: date(row, "last_used_date")?,
        ends_date: date(row, "ends_date")?,
    })
}

#[async_trait]
impl SessionRepository for SeaOrmSessions {
    async fn find(&self, key_hash: &str, now: DateTime<Utc>) -> Result<Option<OpenSession>, StoreError> {
        let mut sql = Sql::new(format!(
            "SELECT s.created_date, s.ends_date, {LAST_USED}, u.username, u.full_name, u.role, u.status FROM sessions s \
             JOIN users u ON u.id = s.user_id WHERE s.key_hash = "
        ));
        sql.bind(key_hash).push(" AND s.ends_date > ").bind(now);
        let statement = sql.statement(self.database.backend());
        let row = self.database.reader.query_one_raw(statement).await.map_err(store_error)?;
        row.as_ref().map(|row| open_session(key_hash, row)).transpose()
    }

    async fn open(&self, checked: &Account, session: &NewSession) -> Result<bool, StoreError> {
        let Some(hash) = checked.password_hash.as_deref() else { return Ok(false) };
        let backend = self.database.backend();
        let transaction = self.database.begin().await.map_err(store_error)?;
        // The update locks the row: a new password, role or status is either seen here, or finds this session and ends it.
        let mut sql = Sql::new("UPDATE users SET sign_ins = sign_ins + 1 WHERE username_key = ");
        sql.bind(checked.username.key()).push(" AND password_hash = ").bind(hash);
        sql.push(" AND role = ").bind(checked.role.code()).push(" AND status = ").bind(checked.status.code());
        let counted = transaction.execute_raw(sql.statement(backend)).await.map_err(store_error)?;
        if counted.rows_affected() != 1 {
            return Ok(false);
        }
        let mut sql = Sql::new(
            "INSERT INTO sessions (key_hash, user_id, created_date, last_used_date, ends_date, address, device) SELECT ",
        );
        sql.bind(session.key_hash.as_str()).push(", id, ").bind(session.created_date).push(", ");
        sql.bind(session.created_date).push(", ").bind(session.ends_date).push(", ");
        sql.bind(session.address.as_str()).push(", ").bind(session.device.clone());
        sql.push(" FROM users WHERE username_key = ").bind(checked.username.key());
        transaction.execute_raw(sql.statement(backend)).await.map_err(store_error)?;
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
        transaction.commit().await.map_err(store_error)?;
        Ok(true)
    }

    async fn extend(&self, key_hash: &str, ends_date: DateTime<Utc>) -> Result<bool, StoreError> {
        let mut sql = Sql::new("UPDATE sessions SET ends_date = ");
        sql.bind(ends_date).push(" WHERE key_hash = ").bind(key_hash);
        Ok(self.run(sql).await? == 1)
    }

    async fn touch(
        &self,
        key_hash: &str,
        now: DateTime<Utc>,
        before: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let mut sql = Sql::new("UPDATE sessions SET last_used_date = ");
        sql.bind(now).push(" WHERE key_hash = ").bind(key_hash);
        sql.push(" AND (last_used_date IS NULL OR last_used_date <= ").bind(before).push(")");
        self.run(sql).await.map(drop)
    }

    async fn end(&self, key_hash: &str) -> Result<(), StoreError> {
        let mut sql = Sql::new("DELETE FROM sessions WHERE key_hash = ");
        sql.bind(key_hash);
        self.run(sql).await.map(drop)
    }

    async fn list(
        &self,
        username: &Username,
        now: DateTime<Utc>,
        most: u32,
    ) -> Result<Vec<SessionDetails>, StoreError> {
        let mut sql = Sql::new(format!(
            "SELECT s.key_hash, s.address, s.device, s.created_date, s.ends_date, {LAST_USED} FROM sessions s WHERE "
        ));
        of_user(&mut sql, username);
        sql.push(" AND s.ends_date > ").bind(now);
        sql.push(" ORDER BY coalesce(s.last_used_date, s.created_date) DESC, s.key_hash LIMIT ");
        sql.bind(i64::from(most));
        let statement = sql.statement(self.database.backend());
        let rows = self.database.reader.query_all_raw(statement).await.map_err(store_error)?;
        rows.iter().map(details).collect()
    }

    async fn end_one(&self, username: &Username, id: &str) -> Result<bool, StoreError> {
        let mut sql = Sql::new("DELETE FROM sessions WHERE ");
        of_user(&mut sql, username);
        sql.push(&format!(" AND substr(key_hash, 1, {SESSION_ID_LENGTH}) = ")).bind(id);
        Ok(self.run(sql).await? > 0)
    }

    async fn end_all<'a>(&self, username: &Username, keep: Option<&'a str>) -> Result<u64, StoreError> {
        let mut sql = Sql::new("DELETE FROM sessions WHERE ");
        of_user(&mut sql, username);
        sql.push(" AND key_hash <> ").bind(keep.unwrap_or_default());
        self.run(sql).await
    }

    async fn cookie_secret(&self, candidate: &str) -> Result<String, StoreError> {
        let mut insert = Sql::new("INSERT INTO secrets (name, value) VALUES ('cookie', ");
        insert.bind(candidate).push(") ON CONFLICT (name) DO NOTHING");
        self.run(insert).await?;
        let kept =
            Sql::new("SELECT value FROM secrets WHERE name = 'cookie'").statement(self.database.backend());
        let row = self.database.writer.query_one_raw(kept).await.map_err(store_error)?;
        row.ok_or_else(|| StoreError::Broken("the cookie secret is gone".into()))?
            .try_get::<String>("", "value")
            .map_err(store_error)
    }
}
