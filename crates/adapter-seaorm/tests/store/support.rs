//! A separate database for every test, and the same test on both databases.

use std::sync::atomic::{AtomicU32, Ordering};

use adapter_seaorm::{Database, DatabaseSettings, SeaOrmSessions, SeaOrmUsers};
use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Origin, Source, Today, Username, checked};
use garde::{Valid, Validate};
use migrations::template;
use ports::{NewSession, SessionRepository, StoreError, UserRepository};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, QueryResult, Statement, TransactionTrait};
use tempfile::TempDir;

/// A database of one test.
pub struct TestDb {
    pub database: Database,
    url: String,
    _folder: Option<TempDir>,
    server: Option<(DatabaseConnection, String)>,
}

static NEXT_DATABASE: AtomicU32 = AtomicU32::new(0);

impl TestDb {
    /// SQLite in a file, without its schema yet.
    pub async fn bare_sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("test.db").display());
        Self { database: open(&url).await, url, _folder: Some(folder), server: None }
    }

    /// PostgreSQL, if there is one, without its schema yet.
    pub async fn bare_postgres() -> Option<Self> {
        let server = Server::known().await?;
        template::empty_postgres(&server.connection, &server.name).await.unwrap();
        Some(server.db().await)
    }

    pub async fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("test.db");
        template::sqlite(env!("CARGO_TARGET_TMPDIR").as_ref(), &file).await.unwrap();
        let url = format!("sqlite://{}", file.display());
        Self { database: open(&url).await, url, _folder: Some(folder), server: None }
    }

    /// PostgreSQL, if there is one.
    pub async fn postgres() -> Option<Self> {
        let server = Server::known().await?;
        template::postgres(&server.connection, &server.url, &server.name).await.unwrap();
        Some(server.db().await)
    }

    /// On PostgreSQL, deletes all rows: faster than another database.
    pub async fn emptied(self) -> Self {
        let tables = [
            "reversal_requests",
            "lineage_changes",
            "entries",
            "expiration_edits",
            "operations",
            "credits_sold",
            "users",
            "users_counts",
            "users_registered",
        ];
        let empty = tables.map(|table| format!("DELETE FROM {table};")).concat();
        // Without triggers, which prevent deletions.
        let sql = format!(
            "SET session_replication_role = replica; {empty} UPDATE entries_counts SET total = 0; RESET session_replication_role"
        );
        self.run(&sql).await;
        self
    }

    /// As after a restart: closes all connections, and opens the same database again.
    pub async fn reopen(&mut self) {
        self.database.connection().clone().close().await.unwrap();
        self.database = open(&self.url).await;
    }

    /// The same database, opened by another node.
    pub async fn other_node(&self) -> Database {
        open(&self.url).await
    }

    /// The URL of another database of the same server.
    pub fn url_of(&self, name: &str) -> String {
        let (server, _) = self.url.rsplit_once('/').expect("PostgreSQL");
        format!("{server}/{name}")
    }

    /// The file of SQLite.
    pub fn file(&self) -> std::path::PathBuf {
        self.url.strip_prefix("sqlite://").expect("SQLite").into()
    }

    /// A separate connection to PostgreSQL that fails instead of waiting for a lock.
    pub async fn without_lock_waits(&self) -> DatabaseConnection {
        let mut options = sea_orm::ConnectOptions::new(self.url.as_str());
        options.max_connections(1);
        let connection = sea_orm::Database::connect(options).await.unwrap();
        connection.execute_unprepared("SET lock_timeout = '1ms'").await.unwrap();
        connection
    }

    /// Waits until a transaction waits for a lock on PostgreSQL. SQLite has one writer, so any
    /// other waits.
    pub async fn until_a_lock_is_awaited(&self) {
        let waiting = "SELECT count(*) AS number FROM pg_stat_activity WHERE datname = current_database() \
                       AND wait_event_type = 'Lock'";
        while !self.is_sqlite() && self.number(waiting).await == 0 {
            tokio::task::yield_now().await;
        }
    }

    pub fn is_sqlite(&self) -> bool {
        self.database.backend() == DbBackend::Sqlite
    }

    /// Executes SQL directly.
    pub async fn run(&self, sql: &str) -> u64 {
        self.database.connection().execute_unprepared(sql).await.unwrap().rows_affected()
    }

    /// Executes SQL directly, without a time limit, for many rows on a busy machine.
    pub async fn fill(&self, sql: &str) {
        let transaction = self.database.connection().begin().await.unwrap();
        if !self.is_sqlite() {
            transaction.execute_unprepared("SET LOCAL statement_timeout = 0").await.unwrap();
        }
        transaction.execute_unprepared(sql).await.unwrap();
        transaction.commit().await.unwrap();
    }

    /// Executes SQL that may be refused.
    pub async fn try_run(&self, sql: &str) -> Result<u64, sea_orm::DbErr> {
        Ok(self.database.connection().execute_unprepared(sql).await?.rows_affected())
    }

    /// The rows of a query.
    pub async fn rows(&self, sql: &str) -> Vec<QueryResult> {
        let statement = Statement::from_string(self.database.backend(), sql);
        self.database.connection().query_all_raw(statement).await.unwrap()
    }

    /// The only number in the result of a query.
    pub async fn number(&self, sql: &str) -> i64 {
        Self::number_of(&self.database, sql).await
    }

    /// The only number in the result of a query on this node.
    pub async fn number_of(node: &Database, sql: &str) -> i64 {
        let statement = Statement::from_string(node.backend(), sql);
        let row = node.connection().query_one_raw(statement).await.unwrap().unwrap();
        row.try_get("", "number").unwrap()
    }

    /// Removes the database. A failing test keeps its database for inspection.
    pub async fn remove(self) {
        if let Some((server, name)) = self.server {
            server.execute_unprepared(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
        }
    }
}

/// A PostgreSQL server, and an unused name.
struct Server {
    connection: DatabaseConnection,
    url: String,
    name: String,
}

impl Server {
    async fn known() -> Option<Self> {
        let url = template::postgres_server()?;
        let connection = sea_orm::Database::connect(format!("{url}/postgres")).await.unwrap();
        let name = format!("store_{}_{}", std::process::id(), NEXT_DATABASE.fetch_add(1, Ordering::Relaxed));
        Some(Self { connection, url, name })
    }

    async fn db(self) -> TestDb {
        let url = format!("{}/{}", self.url, self.name);
        TestDb { database: open(&url).await, url, _folder: None, server: Some((self.connection, self.name)) }
    }
}

async fn open(url: &str) -> Database {
    let settings = DatabaseSettings { url: url.to_owned(), connections: 4, scan_connections: 1 };
    // Beside compilers a new connection may take longer than a request waits for one.
    let mut attempts = 0..4;
    loop {
        match Database::connect(&settings).await {
            Err(StoreError::Unavailable(_)) if attempts.next().is_some() => {}
            opened => return opened.unwrap(),
        }
    }
}

/// Opens a session of an hour for a user, who gets a password if there is none.
pub async fn open_session(db: &TestDb, key_hash: &str, username: &str) {
    db.run("UPDATE users SET password_hash = 'hash' WHERE password_hash IS NULL").await;
    let name = Username::parse(username).unwrap();
    let user = SeaOrmUsers(db.database.clone()).find_credentials(&name).await.unwrap().unwrap();
    let session = NewSession {
        key_hash: key_hash.into(),
        created_date: start(),
        ends_date: after(60),
        address: "192.0.2.1".into(),
        device: Some("Firefox".into()),
    };
    assert!(SeaOrmSessions::new(db.database.clone()).open(&user, &session).await.unwrap());
}

/// Whether this is the nightly run, which tests more than a push (docs/contributing.md lists it).
pub fn nightly() -> bool {
    std::env::var_os("CARTELERA_NIGHTLY").is_some_and(|value| value == "1")
}

/// The start time of every test.
pub fn start() -> DateTime<Utc> {
    "2026-11-20T10:00:00.123Z".parse().unwrap()
}

/// A change by a user.
pub fn edit_of(username: &str, at: DateTime<Utc>) -> ports::Edit {
    ports::Edit { by: Username::parse(username), at, origin: Origin::of(Source::Request) }
}

/// A change by the content manager of the tests.
pub fn edit(at: DateTime<Utc>) -> ports::Edit {
    edit_of("rosa_1", at)
}

/// So many minutes later.
pub fn after(minutes: i64) -> DateTime<Utc> {
    start() + TimeDelta::minutes(minutes)
}

pub fn valid<C: Validate<Context = Today>>(content: C) -> Valid<C> {
    checked(content, &Today(start().date_naive())).unwrap_or_else(|broken| panic!("{broken:?}"))
}

/// Pseudorandom numbers, the same in every run.
pub struct Rng(pub u64);

impl Rng {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// The same test on both databases: `name::sqlite` and `name::postgres`.
macro_rules! on_both {
    ($(async fn $name:ident($db:ident: &TestDb) $body:block)+) => {$(
        mod $name {
            use super::*;

            async fn body($db: &TestDb) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn sqlite() {
                let db = TestDb::sqlite().await;
                body(&db).await;
                db.remove().await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn postgres() {
                let Some(db) = TestDb::postgres().await else { return };
                body(&db).await;
                db.remove().await;
            }
        }
    )+};
}

/// The same test for two kinds on both databases, `name::movies::sqlite` and so on: categories,
/// which have the fewest columns and no references, and movies, which have the most and refer to
/// categories. Differences between kinds are tested on all eleven: lists in statements.rs, requests
/// in crates/api/tests/rest/every_kind.rs.
macro_rules! for_categories_and_movies {
    ($(async fn $name:ident<$kind:ident>($db:ident: &TestDb) $body:block)+) => {$(
        mod $name {
            use super::*;

            async fn body<$kind: KindFixture>($db: &TestDb) $body

            $crate::support::for_categories_and_movies! { @kind categories, domain_catalogue::Category }
            $crate::support::for_categories_and_movies! { @kind movies, domain_catalogue::Movie }
        }
    )+};
    (@kind $module:ident, $type:ty) => {
        mod $module {
            use super::*;

            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn sqlite() {
                let db = TestDb::sqlite().await;
                body::<$type>(&db).await;
                db.remove().await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn postgres() {
                let Some(db) = TestDb::postgres().await else { return };
                body::<$type>(&db).await;
                db.remove().await;
            }
        }
    };
}

pub(crate) use {for_categories_and_movies, on_both};
