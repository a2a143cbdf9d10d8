//! What reads. On PostgreSQL, and on a database in memory, the pool that everybody shares; on a SQLite file connections
//! that are held for good.
//!
//! A pool of sqlx asks every connection that comes back whether it is well. For SQLite that is a second trip to the
//! connection's thread and back for every statement, as long as the first; and SQLite is well, or the file is gone.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use sea_orm::{
    ConnAcquireErr, ConnectionTrait, DatabaseConnection, DbBackend, DbErr, ExecResult, QueryResult,
    RuntimeErr, Statement, Values,
    sqlx::{
        self, AssertSqlSafe, ConnectOptions as _, Connection as _, Sqlite, SqliteConnection, query::Query,
        sqlite::SqliteConnectOptions,
    },
};
use sea_query_sqlx::SqlxValues;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::not_connected;

/// How long a statement waits for its turn.
const PATIENCE: Duration = Duration::from_secs(5);

/// Is told of every statement.
pub(crate) type Tell = Arc<dyn Fn(&Statement) + Send + Sync>;

/// Something that reads.
#[derive(Debug, Clone)]
pub(crate) enum Reader {
    /// A pool.
    Pool(DatabaseConnection),
    /// Connections held for good.
    Held(Arc<Held>),
}

/// A few connections to a `SQLite` file, each for one statement at a time.
pub(crate) struct Held {
    options: SqliteConnectOptions,
    idle: Mutex<Vec<SqliteConnection>>,
    places: Arc<Semaphore>,
    tell: Option<Tell>,
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held").field("places", &self.places).finish_non_exhaustive()
    }
}

impl Held {
    /// Opens as many as read at once.
    pub(crate) async fn open(options: SqliteConnectOptions, count: u32) -> Result<Self, DbErr> {
        let mut idle = Vec::new();
        for _ in 0..count {
            idle.push(options.connect().await.map_err(not_connected)?);
        }
        let places = Arc::new(Semaphore::new(idle.len()));
        Ok(Self { options, idle: Mutex::new(idle), places, tell: None })
    }

    /// Connections of their own to the same file, opened when they are wanted, that tell of every statement.
    pub(crate) fn watched(&self, tell: Tell) -> Self {
        let places = Arc::new(Semaphore::new(self.places.available_permits().max(1)));
        Self { options: self.options.clone(), idle: Mutex::default(), places, tell: Some(tell) }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<SqliteConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a connection.
    async fn turn(self: &Arc<Self>, statement: &Statement) -> Result<Turn, DbErr> {
        let place = tokio::time::timeout(PATIENCE, self.places.clone().acquire_owned()).await;
        let place = place
            .map_err(|_| DbErr::ConnectionAcquire(ConnAcquireErr::Timeout))?
            .map_err(|_| DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed))?;
        let idle = self.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.options.connect().await.map_err(not_connected)?,
        };
        if let Some(tell) = &self.tell {
            tell(statement);
        }
        Ok(Turn { held: self.clone(), kept: Some((connection, place)) })
    }
}

/// A connection for one statement.
struct Turn {
    held: Arc<Held>,
    kept: Option<(SqliteConnection, OwnedSemaphorePermit)>,
}

impl Turn {
    fn connection(&mut self) -> &mut SqliteConnection {
        &mut self.kept.as_mut().expect("a turn has its connection until it ends").0
    }

    /// The statement has ended, well or not.
    fn end<T>(mut self, outcome: Result<T, sqlx::Error>) -> Result<T, DbErr> {
        if let Some((connection, place)) = self.kept.take() {
            // Without its thread a connection is of no use; the next turn opens another.
            if !matches!(outcome, Err(sqlx::Error::WorkerCrashed)) {
                self.held.idle().push(connection);
            }
            drop(place);
        }
        outcome.map_err(|error| DbErr::Query(RuntimeErr::SqlxError(Arc::new(error))))
    }
}

impl Drop for Turn {
    /// Whoever asked left in the middle: the statement runs on, and its place is taken until it has ended.
    fn drop(&mut self) {
        let Some((mut connection, place)) = self.kept.take() else { return };
        let held = self.held.clone();
        tokio::spawn(async move {
            if connection.ping().await.is_ok() {
                held.idle().push(connection);
            }
            drop(place);
        });
    }
}

fn query(statement: Statement) -> Query<'static, Sqlite, SqlxValues> {
    let Statement { sql, values, .. } = statement;
    sqlx::query_with(AssertSqlSafe(sql), SqlxValues(values.unwrap_or(Values(Vec::new()))))
}

#[async_trait]
impl ConnectionTrait for Reader {
    fn get_database_backend(&self) -> DbBackend {
        match self {
            Self::Pool(pool) => pool.get_database_backend(),
            Self::Held(_) => DbBackend::Sqlite,
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        let held = match self {
            Self::Pool(pool) => return pool.execute_raw(statement).await,
            Self::Held(held) => held,
        };
        let mut turn = held.turn(&statement).await?;
        let done = query(statement).execute(turn.connection()).await;
        turn.end(done).map(ExecResult::from)
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.execute_raw(Statement::from_string(self.get_database_backend(), sql)).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let held = match self {
            Self::Pool(pool) => return pool.query_one_raw(statement).await,
            Self::Held(held) => held,
        };
        let mut turn = held.turn(&statement).await?;
        let row = query(statement).fetch_optional(turn.connection()).await;
        turn.end(row).map(|row| row.map(QueryResult::from))
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let held = match self {
            Self::Pool(pool) => return pool.query_all_raw(statement).await,
            Self::Held(held) => held,
        };
        let mut turn = held.turn(&statement).await?;
        let rows = query(statement).fetch_all(turn.connection()).await;
        Ok(turn.end(rows)?.into_iter().map(QueryResult::from).collect())
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn reader_of(folder: &tempfile::TempDir) -> SqliteConnectOptions {
        SqliteConnectOptions::new().filename(folder.path().join("a.db")).create_if_missing(true)
    }

    fn statement(sql: &str) -> Statement {
        Statement::from_string(DbBackend::Sqlite, sql)
    }

    async fn number(reader: &Reader, sql: &str) -> i64 {
        reader.query_one_raw(statement(sql)).await.unwrap().unwrap().try_get("", "n").unwrap()
    }

    const LONG: &str = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 200000) \
                        SELECT max(n) AS n FROM c";

    #[tokio::test]
    async fn who_leaves_in_the_middle_takes_not_connected_along() {
        let folder = tempfile::tempdir().unwrap();
        let held = Arc::new(Held::open(reader_of(&folder), 2).await.unwrap());
        let reader = Reader::Held(held.clone());
        for _ in 0..20 {
            assert!(
                reader.query_one_raw(statement(LONG)).now_or_never().is_none(),
                "it takes longer than that"
            );
            tokio::task::yield_now().await;
        }
        assert_eq!(number(&reader, LONG).await, 200_000);
        let all = held.places.acquire_many(2).await.unwrap();
        assert_eq!(held.idle().len(), 2, "as many as were opened, no more");
        drop(all);
    }

    #[tokio::test]
    async fn every_statement_sees_what_was_committed_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = reader_of(&folder).connect().await.unwrap();
        for sql in ["PRAGMA journal_mode = WAL", "CREATE TABLE t (n INTEGER)"] {
            sqlx::query(sql).execute(&mut writer).await.unwrap();
        }
        let reader = Reader::Held(Arc::new(Held::open(reader_of(&folder), 1).await.unwrap()));
        for n in 0..50 {
            // A row of several that is read alone ends its statement all the same.
            sqlx::query("INSERT INTO t (n) VALUES (1)").execute(&mut writer).await.unwrap();
            reader.query_one_raw(statement("SELECT n FROM t")).await.unwrap().unwrap();
            assert_eq!(number(&reader, "SELECT count(*) AS n FROM t").await, n + 1);
        }
        assert_eq!(reader.query_all_raw(statement("SELECT n FROM t")).await.unwrap().len(), 50);
    }

    #[tokio::test]
    async fn a_statement_that_fails_is_told_and_the_connection_stays() {
        let folder = tempfile::tempdir().unwrap();
        let reader = Reader::Held(Arc::new(Held::open(reader_of(&folder), 1).await.unwrap()));
        assert!(matches!(reader.query_one_raw(statement("SELEC")).await, Err(DbErr::Query(_))));
        assert_eq!(number(&reader, "SELECT 7 AS n").await, 7);
        assert_eq!(reader.execute_unprepared("SELECT 1").await.unwrap().rows_affected(), 0);
    }
}
