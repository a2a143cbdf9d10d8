//! Connections. SQLite has one writer, a few readers, and one connection aside for slow scans, so that none of them
//! waits for another; PostgreSQL has one pool for all.

use std::{fs, path::PathBuf, sync::Arc, thread, time::Duration};

use ports::StoreError;
use sea_orm::{
    ConnectOptions, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr,
    IsolationLevel, SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait,
    sqlx::{
        self, ConnectOptions as _,
        sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous},
    },
};

use crate::{
    commits::{Commits, Moment},
    error::{not_connected, store_error},
    reader::{Held, Reader},
};

/// Where the database is and how to hold it.
#[derive(Debug, Clone)]
pub struct DatabaseSettings {
    /// `sqlite://path`, `sqlite::memory:` or `postgres://…`.
    pub url: String,
    /// Connections that read at once (SQLite), or all connections (PostgreSQL).
    pub readers: u32,
}

/// The connections of one database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Database {
    /// For everything that writes.
    pub(crate) writer: DatabaseConnection,
    /// For everything that only reads.
    pub(crate) reader: Reader,
    /// For reads that may take long.
    pub(crate) scanner: Reader,
    /// The same, for transactions that only read.
    aside: DatabaseConnection,
    lock_file: Option<PathBuf>,
    /// Of a file: `PostgreSQL` and a database in memory don't tell without being asked.
    commits: Option<Arc<Commits>>,
}

/// Steps of SQLite's machine that a scan does without giving way: some tens of microseconds.
const STEPS_IN_A_ROW: i32 = 1_000;

/// Any number; the same on all nodes.
const MIGRATION_LOCK: i64 = 4_711_001;

impl Database {
    /// Opens the database, making the file and its folder where they are missing.
    pub async fn connect(settings: &DatabaseSettings) -> Result<Self, StoreError> {
        connect(settings).await.map_err(store_error)
    }

    /// One pool for everything.
    fn over_one(pool: DatabaseConnection) -> Self {
        let reader = Reader::Pool(pool.clone());
        Self {
            writer: pool.clone(),
            scanner: reader.clone(),
            reader,
            aside: pool,
            lock_file: None,
            commits: None,
        }
    }

    /// Runs migrations under a lock, so that two nodes may start together.
    pub async fn migrate<F>(&self, run: F) -> Result<(), StoreError>
    where
        F: AsyncFnOnce(&DatabaseConnection) -> Result<(), DbErr>,
    {
        let failed = |error: std::io::Error| StoreError::Unavailable(error.to_string());
        if let Some(path) = &self.lock_file {
            let file = fs::File::create(path).map_err(failed)?;
            let file = tokio_blocking(move || file.lock().map(|()| file)).await.map_err(failed)?;
            let outcome = run(&self.writer).await.map_err(store_error);
            drop(file);
            return outcome;
        }
        if self.backend() == DbBackend::Sqlite {
            return run(&self.writer).await.map_err(store_error);
        }
        // An advisory lock belongs to its transaction: it goes with the connection, whatever happens.
        let lock = self.aside.begin().await.map_err(store_error)?;
        let take = Statement::from_sql_and_values(
            DbBackend::Postgres,
            "SELECT pg_advisory_xact_lock($1)",
            [MIGRATION_LOCK.into()],
        );
        lock.execute_raw(take).await.map_err(store_error)?;
        let outcome = run(&self.writer).await.map_err(store_error);
        lock.commit().await.map_err(store_error)?;
        outcome
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.reader.execute_unprepared("SELECT 1").await.map(drop).map_err(store_error)
    }

    /// Which database it is.
    pub fn backend(&self) -> DbBackend {
        self.writer.get_database_backend()
    }

    /// This moment of the database, where it can be told from others without a connection.
    pub(crate) fn moment(&self) -> Option<Moment> {
        self.commits.as_ref()?.now()
    }

    /// A transaction that writes from its first statement on: SQLite takes its write lock at once, because a reader that
    /// turns writer fails where another writes (docs/adr/0009-ledger.md).
    pub(crate) async fn begin(&self) -> Result<DatabaseTransaction, DbErr> {
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        self.writer.begin_with_options(options).await
    }

    /// A transaction that only reads, aside from the others, and sees one moment throughout.
    pub(crate) async fn snapshot(&self) -> Result<DatabaseTransaction, DbErr> {
        // Every transaction of SQLite is one.
        let isolation_level = (self.backend() != DbBackend::Sqlite).then_some(IsolationLevel::RepeatableRead);
        let options = TransactionOptions { isolation_level, ..TransactionOptions::default() };
        self.aside.begin_with_options(options).await
    }

    /// The connection that writes, for tests that look behind the ports.
    pub fn connection(&self) -> &DatabaseConnection {
        &self.writer
    }

    /// The same database, telling of every statement it executes, for tests that count them.
    #[doc(hidden)]
    #[must_use]
    pub fn watched(mut self, tell: impl Fn(&Statement) + Clone + Send + Sync + 'static) -> Self {
        let watch = |connection: &mut DatabaseConnection| {
            let tell = tell.clone();
            connection.set_metric_callback(move |info| tell(info.statement));
        };
        watch(&mut self.writer);
        watch(&mut self.aside);
        self.scanner = Reader::Pool(self.aside.clone());
        match &mut self.reader {
            Reader::Pool(pool) => watch(pool),
            Reader::Held(held) => *held = Arc::new(held.watched(Arc::new(tell.clone()))),
        }
        self
    }

    /// Gathers what the planner of SQLite needs to know, after much has changed.
    pub async fn optimize(&self) -> Result<(), StoreError> {
        let sql =
            if self.backend() == DbBackend::Sqlite { "PRAGMA wal_checkpoint(TRUNCATE)" } else { "ANALYZE" };
        self.writer.execute_unprepared(sql).await.map(drop).map_err(store_error)
    }
}

async fn tokio_blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> std::io::Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(std::io::Error::other(error)))
}

async fn connect(settings: &DatabaseSettings) -> Result<Database, DbErr> {
    if !settings.url.starts_with("sqlite:") {
        let pool = postgres_pool(&settings.url, settings.readers.max(2) + 2).await?;
        return Ok(Database::over_one(pool));
    }
    let path = settings.url.trim_start_matches("sqlite:").trim_start_matches("//");
    let file = path.split('?').next().unwrap_or_default();
    if file == ":memory:" || file.is_empty() {
        // A database in memory lives in its only connection.
        let only = sqlite_pool("sqlite::memory:", 1, false).await?;
        return Ok(Database::over_one(only));
    }
    let file = PathBuf::from(file);
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)
            .map_err(|error| DbErr::Custom(format!("{} can't be made: {error}", folder.display())))?;
    }
    let url = format!("sqlite://{}?mode=rwc", file.display());
    let writer = sqlite_pool(&url, 1, false).await?;
    let reader = sqlite_options(url.parse().map_err(not_connected)?, true);
    let reader = Reader::Held(Arc::new(Held::open(reader, settings.readers.max(1)).await?));
    let aside = sqlite_pool(&url, 1, true).await?;
    let scanner = Reader::Pool(aside.clone());
    let lock_file = Some(file.with_extension("lock"));
    let commits = Some(Arc::new(Commits::of(&own_name(&writer).await?)));
    Ok(Database { writer, reader, scanner, aside, lock_file, commits })
}

/// What SQLite itself calls the database's file: links are followed and escapes read.
async fn own_name(connection: &impl ConnectionTrait) -> Result<PathBuf, DbErr> {
    let sql = "SELECT file FROM pragma_database_list WHERE name = 'main'";
    let row = connection.query_one_raw(Statement::from_string(DbBackend::Sqlite, sql)).await?;
    let name: String =
        row.ok_or_else(|| DbErr::Custom("a database without a file".into()))?.try_get("", "file")?;
    Ok(name.into())
}

/// How every connection to `SQLite` is opened.
fn sqlite_options(options: SqliteConnectOptions, reads_only: bool) -> SqliteConnectOptions {
    let options = options
        .journal_mode(SqliteJournalMode::Wal)
        // What was answered is on the disk, power cut or not.
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(5))
        .statement_cache_capacity(256)
        .pragma("temp_store", "MEMORY")
        .pragma("cache_size", if reads_only { "-8000" } else { "-16000" })
        .disable_statement_logging();
    if reads_only { options.pragma("query_only", "1") } else { options }
}

async fn sqlite_pool(url: &str, connections: u32, reads_only: bool) -> Result<DatabaseConnection, DbErr> {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections)
        .min_connections(connections)
        .sqlx_logging(false)
        .test_before_acquire(false)
        .acquire_timeout(Duration::from_secs(5))
        // A file does not tire of its connections, and a new one knows no statement.
        .idle_timeout(None)
        .max_lifetime(None)
        .map_sqlx_sqlite_opts(move |sqlite| sqlite_options(sqlite, reads_only));
    if reads_only {
        options.map_sqlx_sqlite_pool_opts(|pool| {
            pool.after_connect(|connection, _| Box::pin(give_way(connection)))
        });
    }
    sea_orm::Database::connect(options).await
}

/// Lets whoever waits for this core have it, every so many steps of a scan. The kernel would, but under some hypervisors
/// not before its next tick, 4 ms later (docs/adr/0015-slow-work-gives-way.md).
async fn give_way(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    connection.lock_handle().await?.set_progress_handler(STEPS_IN_A_ROW, || {
        thread::yield_now();
        true
    });
    Ok(())
}

async fn postgres_pool(url: &str, connections: u32) -> Result<DatabaseConnection, DbErr> {
    use sea_orm::sqlx::Executor;
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections)
        .sqlx_logging(false)
        .test_before_acquire(false)
        .acquire_timeout(Duration::from_secs(5))
        .connect_timeout(Duration::from_secs(5))
        .map_sqlx_postgres_opts(|postgres| postgres.application_name("cartelera"))
        // Rows are locked before they are read, so this is enough; under a stricter default of the server whoever waits
        // for a lock would be sent away.
        .map_sqlx_postgres_pool_opts(|pool| {
            pool.after_connect(|connection, _| {
                let sql = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED";
                Box::pin(async move { connection.execute(sql).await.map(drop) })
            })
        });
    sea_orm::Database::connect(options).await
}
