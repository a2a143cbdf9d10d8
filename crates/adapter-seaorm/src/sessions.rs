//! Sessions and what lives as shortly as they do.
//!
//! Every request asks whose session it carries. On SQLite the answer is remembered for as long as nothing at all is
//! committed to the file (`commits`), so that no answer is older than the last change of a user or a session, whoever
//! made it; PostgreSQL is asked anew each time (docs/adr/0008-sessions.md).

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::Username;
use ports::{OpenSession, SessionRepository, SessionState, StoreError};
use sea_orm::{ConnectionTrait, QueryResult};

use crate::{Database, commits::Moment, error::store_error, sql::Sql, users::account};

/// Keeps sessions.
#[derive(Debug, Clone)]
pub struct SeaOrmSessions {
    database: Database,
    memory: Arc<Mutex<Memory>>,
}

/// For how long an idempotency key is remembered.
const KEYS_LIVE: TimeDelta = TimeDelta::days(1);

/// Sessions that are remembered at once.
const MOST_REMEMBERED: usize = 1_024;

/// The sessions that were asked for at one moment of the database, and when each of them ends.
#[derive(Debug, Default)]
struct Memory {
    moment: Option<Moment>,
    by_key: HashMap<String, (OpenSession, DateTime<Utc>)>,
}

impl SeaOrmSessions {
    /// Sessions in this database.
    pub fn new(database: Database) -> Self {
        Self { database, memory: Arc::default() }
    }

    async fn run(&self, sql: Sql) -> Result<u64, StoreError> {
        let done = self.database.writer.execute_raw(sql.statement(self.database.backend())).await;
        Ok(done.map_err(store_error)?.rows_affected())
    }

    /// What is remembered of a moment; of any other nothing is.
    fn memory(&self, moment: Moment) -> MutexGuard<'_, Memory> {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.moment != Some(moment) {
            memory.moment = Some(moment);
            memory.by_key.clear();
        }
        memory
    }

    fn remembered(&self, moment: Moment, key_hash: &str) -> Option<(OpenSession, DateTime<Utc>)> {
        self.memory(moment).by_key.get(key_hash).cloned()
    }

    fn remember(&self, moment: Moment, key_hash: &str, found: (OpenSession, DateTime<Utc>)) {
        let mut memory = self.memory(moment);
        if memory.by_key.len() >= MOST_REMEMBERED {
            memory.by_key.clear();
        }
        memory.by_key.insert(key_hash.to_owned(), found);
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
        // Taken before the database is asked: what is remembered may then be too new for its moment, never too old.
        let moment = self.database.moment();
        if let Some((open, until)) = moment.and_then(|moment| self.remembered(moment, key_hash)) {
            return Ok((until > now).then_some(open));
        }
        let mut sql = Sql::new(
            "SELECT s.state, s.ends_date, u.username, u.full_name, u.role, u.status FROM sessions s \
             JOIN users u ON u.id = s.user_id WHERE s.key_hash = ",
        );
        sql.bind(key_hash).push(" AND s.ends_date > ").bind(now);
        let statement = sql.statement(self.database.backend());
        let Some(row) = self.database.reader.query_one_raw(statement).await.map_err(store_error)? else {
            return Ok(None);
        };
        let open = open_session(&row)?;
        if let Some(moment) = moment {
            let until = row.try_get("", "ends_date").map_err(store_error)?;
            self.remember(moment, key_hash, (open.clone(), until));
        }
        Ok(Some(open))
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
