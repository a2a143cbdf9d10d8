//! Connections. SQLite has one connection that writes, a pool that reads, and a pool for scans;
//! PostgreSQL has one pool for requests and one for scans. Scans are long reads: searches without
//! an index, exports, verification.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use ports::StoreError;
use sea_orm::{
    ConnectOptions, ConnectionTrait, DatabaseConnection, DbBackend, DbErr, IsolationLevel,
    SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait,
    sqlx::{
        self, ConnectOptions as _, Connection as _, Executor, PgConnection,
        sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous},
    },
};

use crate::db::{
    error::store_error,
    transaction::{Pool, Transaction},
};

/// URL of the database, and numbers of connections.
#[derive(Debug, Clone)]
pub struct DatabaseSettings {
    /// `sqlite://path`, `sqlite::memory:` or `postgres://…`.
    pub url: String,
    /// Connections for requests. On SQLite they only read, and there is one more for writes.
    pub connections: u32,
    /// Connections for scans.
    pub scan_connections: u32,
}

/// The connections of one database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Database {
    /// For writes.
    pub(crate) writer: Pool,
    /// For short reads.
    pub(crate) reader: Pool,
    /// For scans.
    pub(crate) scanner: Pool,
    lock_file: Option<PathBuf>,
    /// The URL for migrations of PostgreSQL, which have no deadline.
    server_url: Option<String>,
}

/// The maximum wait of a statement for a connection to SQLite, and of SQLite for a lock.
const SQLITE_TIMEOUT: Duration = Duration::from_secs(5);

/// The maximum wait of a statement for a connection to PostgreSQL.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(3);

/// The maximum time of a request's statement, including its wait for a connection. Slightly longer
/// than the server's own `statement_timeout`, so that it only applies if the server does not
/// respond.
const STATEMENT_DEADLINE: Duration = Duration::from_secs(6);

/// The maximum time of a statement that moves a user with its subtree.
const MOVE_DEADLINE: Duration = Duration::from_mins(5);

/// The maximum time of a statement in a snapshot (verification).
const SNAPSHOT_DEADLINE: Duration = Duration::from_mins(30);

/// The maximum time to finish a cancelled statement after a connection is returned to its pool.
const RETURN_TIMEOUT: Duration = Duration::from_secs(2);

/// The settings of every connection to PostgreSQL for requests.
const POSTGRES_SESSION: &str = "SET statement_timeout = '5s'; SET lock_timeout = '3s'; \
     SET idle_in_transaction_session_timeout = '15s'; SET tcp_keepalives_idle = 30; \
     SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3";

/// The session of a `VACUUM` after an import.
const VACUUM_SESSION: &str = "SET statement_timeout = '29min'; SET lock_timeout = '3s'";

/// Pages of SQLite's write-ahead log, 4 KiB each, after which a commit copies them to the database. A page
/// that several transactions have changed is copied once; with SQLite's own number, 1,000, bulk operations
/// and imports copy most pages after each of their transactions.
const PAGES_OF_LOG: &str = "4000";

/// Steps of SQLite's virtual machine between two yields of a scan: some tens of microseconds.
const STEPS_BETWEEN_YIELDS: i32 = 1_000;

/// An arbitrary number, the same on all nodes.
const MIGRATION_LOCK: i64 = 4_711_001;

impl Database {
    /// Opens the database; creates the file and its folder if they are missing.
    pub async fn connect(settings: &DatabaseSettings) -> Result<Self, StoreError> {
        connect(settings).await.map_err(store_error)
    }

    /// Runs migrations with a lock, so that two nodes can start at the same time.
    pub async fn migrate<F>(&self, run: F) -> Result<(), StoreError>
    where
        F: AsyncFnOnce(&DatabaseConnection) -> Result<(), DbErr>,
    {
        let failed = |error: std::io::Error| StoreError::Unavailable(error.to_string());
        if let Some(path) = &self.lock_file {
            let file = private(fs::OpenOptions::new().write(true).create(true).truncate(false))
                .open(path)
                .map_err(failed)?;
            let file = tokio_blocking(move || file.lock().map(|()| file)).await.map_err(failed)?;
            let outcome = run(&self.writer.connections).await.map_err(store_error);
            drop(file);
            return outcome;
        }
        let Some(url) = &self.server_url else {
            return run(&self.writer.connections).await.map_err(store_error);
        };
        // Two separate connections: the advisory lock is released with its transaction.
        let pool = postgres_pool(url, 2, "").await.map_err(store_error)?;
        let lock = pool.begin().await.map_err(store_error)?;
        let take = Statement::from_sql_and_values(
            DbBackend::Postgres,
            "SELECT pg_advisory_xact_lock($1)",
            [MIGRATION_LOCK.into()],
        );
        lock.execute_raw(take).await.map_err(store_error)?;
        let outcome = run(&pool).await.map_err(store_error);
        lock.commit().await.map_err(store_error)?;
        pool.close().await.map_err(store_error)?;
        outcome
    }

    /// Checks whether the database responds.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.reader.execute_unprepared("SELECT 1").await.map(drop).map_err(store_error)
    }

    /// Which database it is.
    pub fn backend(&self) -> DbBackend {
        self.writer.get_database_backend()
    }

    /// A write transaction. SQLite takes its write lock at the start, because an upgrade from a
    /// read lock fails during another write (docs/adr/0009-ledger.md).
    pub async fn begin(&self) -> Result<Transaction, DbErr> {
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        self.writer.begin(options, None).await
    }

    /// A transaction for moving users: PostgreSQL changes the lineages of a whole subtree in one
    /// statement.
    pub(crate) async fn begin_move(&self) -> Result<Transaction, DbErr> {
        if self.backend() == DbBackend::Sqlite {
            return self.begin().await;
        }
        let transaction = self.writer.begin(TransactionOptions::default(), Some(MOVE_DEADLINE)).await?;
        transaction.execute_unprepared("SET LOCAL statement_timeout = '4min'").await?;
        Ok(transaction)
    }

    /// A read transaction with a consistent state, on a connection for scans.
    pub(crate) async fn snapshot(&self) -> Result<Transaction, DbErr> {
        if self.backend() == DbBackend::Sqlite {
            // Every transaction of SQLite has a consistent state.
            return self.scanner.begin(TransactionOptions::default(), None).await;
        }
        let options = TransactionOptions {
            isolation_level: Some(IsolationLevel::RepeatableRead),
            ..TransactionOptions::default()
        };
        let transaction = self.scanner.begin(options, Some(SNAPSHOT_DEADLINE)).await?;
        transaction.execute_unprepared("SET LOCAL statement_timeout = '29min'").await?;
        Ok(transaction)
    }

    /// The connection for writes, for tests that read tables directly.
    pub fn connection(&self) -> &DatabaseConnection {
        &self.writer.connections
    }

    /// The same database with a callback for every executed statement, for tests that count them.
    #[doc(hidden)]
    #[must_use]
    pub fn watched(mut self, report: impl Fn(&Statement) + Clone + Send + Sync + 'static) -> Self {
        for pool in [&mut self.writer, &mut self.reader, &mut self.scanner] {
            let report = report.clone();
            pool.connections.set_metric_callback(move |info| report(info.statement));
        }
        self
    }

    /// The same database with another maximum time of a statement, for tests of statements that are
    /// not answered.
    #[doc(hidden)]
    #[must_use]
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        for pool in [&mut self.writer, &mut self.reader, &mut self.scanner] {
            *pool = Pool::new(pool.connections.clone(), Some(deadline));
        }
        self
    }

    /// After an import: marks the pages of PostgreSQL's tables as all-visible, which index-only
    /// scans need, and updates the planner's statistics; truncates SQLite's write-ahead log.
    pub async fn optimize(&self) -> Result<(), StoreError> {
        if self.backend() == DbBackend::Sqlite {
            let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
            return self.writer.execute_unprepared(sql).await.map(drop).map_err(store_error);
        }
        let Some(url) = &self.server_url else { return Ok(()) };
        // VACUUM runs outside of transactions, and longer than the limit of requests.
        let connection = postgres_pool(url, 1, VACUUM_SESSION).await.map_err(store_error)?;
        connection.execute_unprepared("VACUUM (ANALYZE)").await.map_err(store_error)?;
        connection.close().await.map_err(store_error)
    }
}

async fn tokio_blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> std::io::Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(std::io::Error::other(error)))
}

/// Created files are readable only by their owner.
fn private(options: &mut fs::OpenOptions) -> &mut fs::OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// The file of a SQLite URL, as sqlx reads it (`%20` is a space); `None` for PostgreSQL and for a
/// database in memory.
pub fn sqlite_file(url: &str) -> Result<Option<PathBuf>, DbErr> {
    let Some(rest) = url.strip_prefix("sqlite:") else { return Ok(None) };
    let path = rest.trim_start_matches("//").split('?').next().unwrap_or_default();
    if path == ":memory:" || path.is_empty() {
        return Ok(None);
    }
    let options: SqliteConnectOptions =
        url.parse().map_err(|error| DbErr::Custom(format!("the database's URL is not valid: {error}")))?;
    Ok(Some(options.get_filename().to_owned()))
}

async fn connect(settings: &DatabaseSettings) -> Result<Database, DbErr> {
    let (connections, scan_connections) = (settings.connections.max(1), settings.scan_connections.max(1));
    if !settings.url.starts_with("sqlite:") {
        let pool = postgres_pool(&settings.url, connections, POSTGRES_SESSION).await?;
        let pool = Pool::new(pool, Some(STATEMENT_DEADLINE));
        let scanner = postgres_pool(&settings.url, scan_connections, POSTGRES_SESSION).await?;
        return Ok(Database {
            writer: pool.clone(),
            reader: pool,
            scanner: Pool::new(scanner, Some(STATEMENT_DEADLINE)),
            lock_file: None,
            server_url: Some(settings.url.clone()),
        });
    }
    let Some(file) = sqlite_file(&settings.url)? else {
        // An in-memory database has only one connection.
        let only = Pool::new(sqlite_pool(None, 1, Purpose::Write).await?, None);
        return Ok(Database {
            writer: only.clone(),
            reader: only.clone(),
            scanner: only,
            lock_file: None,
            server_url: None,
        });
    };
    let failed = |what: &std::path::Path, error: std::io::Error| {
        DbErr::Custom(format!("{} can't be created: {error}", what.display()))
    };
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    }
    // Only missing files are opened here: closing a descriptor of the database would release the
    // locks that SQLite holds on it in this process. The log and its index get the permissions of
    // the database.
    match private(fs::OpenOptions::new().write(true).create_new(true)).open(&file) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(failed(&file, error)),
        _ => {}
    }
    Ok(Database {
        writer: Pool::new(sqlite_pool(Some(&file), 1, Purpose::Write).await?, None),
        reader: Pool::new(sqlite_pool(Some(&file), connections, Purpose::Read).await?, None),
        scanner: Pool::new(sqlite_pool(Some(&file), scan_connections, Purpose::Scan).await?, None),
        lock_file: Some(file.with_extension("lock")),
        server_url: None,
    })
}

/// The use of a SQLite pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Write,
    Read,
    Scan,
}

/// The options of every connection to SQLite.
fn sqlite_options(options: SqliteConnectOptions, purpose: Purpose) -> SqliteConnectOptions {
    let options = options
        .journal_mode(SqliteJournalMode::Wal)
        // A committed transaction is on the disk, even after a power failure.
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(SQLITE_TIMEOUT)
        .statement_cache_capacity(256)
        .pragma("temp_store", "MEMORY")
        .pragma("cache_size", if purpose == Purpose::Write { "-16000" } else { "-8000" })
        .disable_statement_logging();
    match purpose {
        Purpose::Write => options.pragma("wal_autocheckpoint", PAGES_OF_LOG),
        Purpose::Read | Purpose::Scan => options.pragma("query_only", "1"),
    }
}

/// Connections to a file, which is created if it is missing; without one, to an in-memory database.
async fn sqlite_pool(
    file: Option<&Path>,
    connections: u32,
    purpose: Purpose,
) -> Result<DatabaseConnection, DbErr> {
    let file = file.map(Path::to_owned);
    let mut options = ConnectOptions::new(if file.is_some() { "sqlite:" } else { "sqlite::memory:" });
    options
        .max_connections(connections)
        .min_connections(connections)
        .sqlx_logging(false)
        .test_before_acquire(false)
        .acquire_timeout(SQLITE_TIMEOUT)
        // SQLite does not close connections, and a new one has no prepared statements.
        .idle_timeout(None)
        .max_lifetime(None)
        .map_sqlx_sqlite_opts(move |sqlite| {
            let sqlite = match &file {
                Some(file) => sqlite.filename(file).create_if_missing(true),
                None => sqlite,
            };
            sqlite_options(sqlite, purpose)
        })
        .map_sqlx_sqlite_pool_opts(move |pool| {
            let pool = pool
                .after_release(|connection, _| {
                    Box::pin(async {
                        // A rollback may still be queued.
                        if is_in_transaction(connection) {
                            connection.ping().await?;
                        }
                        Ok(!is_in_transaction(connection))
                    })
                })
                .before_acquire(|connection, _| {
                    let is_usable = !is_in_transaction(connection);
                    Box::pin(async move { Ok(is_usable) })
                });
            if purpose != Purpose::Scan {
                return pool;
            }
            pool.after_connect(|connection, _| Box::pin(yield_while_scanning(connection)))
        });
    sea_orm::Database::connect(options).await
}

/// Whether sqlx has an open transaction. SQLite ends one by itself on a full disk and similar
/// errors (<https://www.sqlite.org/lang_transaction.html>, "Response To Errors Within A
/// Transaction"); sqlx keeps its count, and every later "transaction" would be a savepoint of a
/// missing one. Such a connection is closed.
fn is_in_transaction(connection: &SqliteConnection) -> bool {
    connection.is_in_transaction()
}

/// Yields to other threads after a number of steps of a scan, because some hypervisors preempt only
/// at their next tick, 4 ms later.
async fn yield_while_scanning(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    connection.lock_handle().await?.set_progress_handler(STEPS_BETWEEN_YIELDS, || {
        thread::yield_now();
        true
    });
    Ok(())
}

async fn postgres_pool(
    url: &str,
    connections: u32,
    session: &'static str,
) -> Result<DatabaseConnection, DbErr> {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections)
        .sqlx_logging(false)
        .test_before_acquire(false)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .connect_timeout(ACQUIRE_TIMEOUT)
        .map_sqlx_postgres_opts(|postgres| postgres.application_name("cartelera"))
        .map_sqlx_postgres_pool_opts(move |pool| {
            pool.after_connect(move |connection, _| Box::pin(begin_session(connection, session)))
                .after_release(|connection, _| Box::pin(is_answering(connection)))
        });
    sea_orm::Database::connect(options).await
}

/// Rows are locked before they are read, so READ COMMITTED suffices; with a stricter default of the
/// server a statement that waited for a lock would be refused.
async fn begin_session(connection: &mut PgConnection, session: &'static str) -> Result<(), sqlx::Error> {
    connection.execute("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED").await?;
    connection.execute(session).await.map(drop)
}

/// Without this check a connection to a frozen server would stay in the pool until the server
/// responds.
async fn is_answering(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    match tokio::time::timeout(RETURN_TIMEOUT, connection.ping()).await {
        Ok(answer) => answer.map(|()| true),
        Err(_) => Err(sqlx::Error::PoolTimedOut),
    }
}
