//! Sessions and idempotency keys. Every request reads its session by one indexed statement, so that no answer is older
//! than the last change of a user or a session, whichever process made it (docs/adr/0008-sessions.md).

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::Username;
use ports::{OpenSession, SessionRepository, SessionState, StoreError};
use sea_orm::{ConnectionTrait, QueryResult};

use crate::{Database, error::store_error, sql::Sql, users::account};

/// Keeps sessions.
#[derive(Debug, Clone)]
pub struct SeaOrmSessions {
    database: Database,
}

/// For how long an idempotency key is remembered.
const KEYS_LIVE: TimeDelta = TimeDelta::days(1);

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

fn open_session(row: &QueryResult) -> Result<OpenSession, StoreError> {
    let text = |column: &str| row.try_get::<String>("", column).map_err(store_error);
    let state =
        serde_json::from_str(&text("state")?).map_err(|error| StoreError::Broken(error.to_string()))?;
    let account = account(&text("username")?, text("full_name")?, &text("role")?, &text("status")?, None)?;
    Ok(OpenSession { state, account })
}

fn written(state: &SessionState) -> Result<String, StoreError> {
    serde_json::to_string(state).map_err(|error| StoreError::Broken(error.to_string()))
}

#[async_trait]
impl SessionRepository for SeaOrmSessions {
    async fn find(&self, key_hash: &str, now: DateTime<Utc>) -> Result<Option<OpenSession>, StoreError> {
        let mut sql = Sql::new(
            "SELECT s.state, u.username, u.full_name, u.role, u.status FROM sessions s \
             JOIN users u ON u.id = s.user_id WHERE s.key_hash = ",
        );
        sql.bind(key_hash).push(" AND s.ends_date > ").bind(now);
        let statement = sql.statement(self.database.backend());
        let Some(row) = self.database.reader.query_one_raw(statement).await.map_err(store_error)? else {
            return Ok(None);
        };
        open_session(&row).map(Some)
    }

    async fn open(
        &self,
        key_hash: &str,
        username: &Username,
        state: &SessionState,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let mut sql =
            Sql::new("INSERT INTO sessions (key_hash, user_id, state, created_date, ends_date) SELECT ");
        sql.bind(key_hash).push(", id, ").bind(written(state)?).push(", ").bind(now).push(", ").bind(until);
        sql.push(" FROM users WHERE username_key = ").bind(username.key());
        match self.run(sql).await? {
            1 => Ok(()),
            _ => Err(StoreError::Broken(format!("no user {username} to open a session for"))),
        }
    }

    async fn update(
        &self,
        key_hash: &str,
        state: &SessionState,
        until: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let mut sql = Sql::new("UPDATE sessions SET state = ");
        sql.bind(written(state)?)
            .push(", ends_date = ")
            .bind(until)
            .push(" WHERE key_hash = ")
            .bind(key_hash);
        Ok(self.run(sql).await? == 1)
    }

    async fn end(&self, key_hash: &str) -> Result<(), StoreError> {
        let mut sql = Sql::new("DELETE FROM sessions WHERE key_hash = ");
        sql.bind(key_hash);
        self.run(sql).await.map(drop)
    }

    async fn sweep(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let mut ended = Sql::new("DELETE FROM sessions WHERE ends_date <= ");
        ended.bind(now);
        self.run(ended).await?;
        let mut old = Sql::new("DELETE FROM idempotency_keys WHERE created_date <= ");
        old.bind(now - KEYS_LIVE);
        self.run(old).await.map(drop)
    }

    async fn cookie_secret(&self, candidate: &str) -> Result<String, StoreError> {
        let mut offer = Sql::new("INSERT INTO secrets (name, value) VALUES ('cookie', ");
        offer.bind(candidate).push(") ON CONFLICT (name) DO NOTHING");
        self.run(offer).await?;
        let kept =
            Sql::new("SELECT value FROM secrets WHERE name = 'cookie'").statement(self.database.backend());
        let row = self.database.writer.query_one_raw(kept).await.map_err(store_error)?;
        row.ok_or_else(|| StoreError::Broken("the cookie secret is gone".into()))?
            .try_get::<String>("", "value")
            .map_err(store_error)
    }
}
