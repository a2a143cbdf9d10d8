//! Databases for one test.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

use migrations::template;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement, TryGetable};
use tempfile::TempDir;

static DATABASES: AtomicU32 = AtomicU32::new(0);

/// A database and a folder for files beside it.
pub struct TestDb {
    url: String,
    folder: TempDir,
    /// URL of the PostgreSQL server, without a database.
    server: Option<String>,
}

impl TestDb {
    /// SQLite in a temporary folder, with the schema.
    pub async fn sqlite() -> Self {
        let db = Self::empty_sqlite();
        template::sqlite(env!("CARGO_TARGET_TMPDIR").as_ref(), &db.file()).await.unwrap();
        db
    }

    /// The same without a file, which the first process creates.
    pub fn empty_sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("test.db").display());
        Self { url, folder, server: None }
    }

    /// SQLite in a given folder, without a file.
    pub fn sqlite_in(path: &Path) -> Self {
        let url = format!("sqlite://{}", path.join("test.db").display());
        Self { url, folder: tempfile::tempdir().unwrap(), server: None }
    }

    /// A database with the schema on the server that `TEST_PG_URL` names; `None` without one.
    pub async fn postgres() -> Option<Self> {
        let server = template::postgres_server()?;
        let name = new_name();
        let connection = connect(&format!("{server}/postgres")).await;
        template::postgres(&connection, &server, &name).await.unwrap();
        connection.close().await.unwrap();
        let url = format!("{server}/{name}");
        Some(Self { url, folder: tempfile::tempdir().unwrap(), server: Some(server) })
    }

    /// An empty database on a given PostgreSQL server.
    pub async fn postgres_on(server: &str) -> Self {
        let name = new_name();
        let connection = connect(&format!("{server}/postgres")).await;
        connection.execute_unprepared(&format!("CREATE DATABASE {name}")).await.unwrap();
        connection.close().await.unwrap();
        let url = format!("{server}/{name}");
        Self { url, folder: tempfile::tempdir().unwrap(), server: Some(server.to_owned()) }
    }

    /// The database `postgres` of a given PostgreSQL server, which no other test uses.
    pub fn postgres_itself(server: &str) -> Self {
        let url = format!("{server}/postgres");
        Self { url, folder: tempfile::tempdir().unwrap(), server: Some(server.to_owned()) }
    }

    /// An empty database of the same kind.
    pub async fn another(&self) -> Self {
        match &self.server {
            Some(server) => Self::postgres_on(server).await,
            None => Self::empty_sqlite(),
        }
    }

    /// Databases of the PostgreSQL server whose names begin with this one's.
    pub async fn databases(&self) -> Vec<String> {
        let server = self.server.as_ref().expect("PostgreSQL");
        let name = self.url.rsplit('/').next().unwrap();
        let connection = connect(&format!("{server}/postgres")).await;
        let sql =
            format!("SELECT datname::text FROM pg_database WHERE datname LIKE '{name}%' ORDER BY datname");
        let rows = connection.query_all_raw(Statement::from_string(DbBackend::Postgres, sql)).await.unwrap();
        connection.close().await.unwrap();
        rows.iter().map(|row| row.try_get_by_index(0).unwrap()).collect()
    }

    /// Executes SQL directly.
    pub async fn execute(&self, sql: &str) {
        let connection = self.connect().await;
        connection.execute_unprepared(sql).await.unwrap();
        connection.close().await.unwrap();
    }

    /// Deletes all leases. Those of a killed server would expire within 20 seconds.
    pub async fn end_leases(&self) {
        self.execute("DELETE FROM leases").await;
    }

    /// A value of many items, by their ids: thousands of requests would take longer than the rest of a test.
    pub async fn by_id<T: TryGetable>(&self, sql: &str) -> HashMap<i64, T> {
        self.rows(sql).await.into_iter().collect()
    }

    /// The actions in the history of each item of a resource, oldest first.
    pub async fn histories(&self, resource: &str) -> HashMap<i64, Vec<String>> {
        let sql = format!(
            "SELECT CAST(item AS bigint), action FROM audit_entries WHERE resource = '{resource}' AND item <> '' \
             ORDER BY id"
        );
        let mut histories: HashMap<i64, Vec<String>> = HashMap::new();
        for (id, action) in self.rows(&sql).await {
            histories.entry(id).or_default().push(action);
        }
        histories
    }

    async fn rows<T: TryGetable>(&self, sql: &str) -> Vec<(i64, T)> {
        let connection = self.connect().await;
        let statement = Statement::from_string(connection.get_database_backend(), sql);
        let rows = connection.query_all_raw(statement).await.unwrap();
        connection.close().await.unwrap();
        rows.iter().map(|row| (row.try_get_by_index(0).unwrap(), row.try_get_by_index(1).unwrap())).collect()
    }

    /// Value of `CARTELERA_DATABASE_URL`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The database file of SQLite.
    pub fn file(&self) -> PathBuf {
        self.url.strip_prefix("sqlite://").expect("SQLite").into()
    }

    /// A folder that is removed after the test.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn is_sqlite(&self) -> bool {
        self.server.is_none()
    }

    /// A connection of the test. Not while a test depends on the locks of this process.
    pub async fn connect(&self) -> DatabaseConnection {
        connect(&self.url).await
    }

    /// The idempotency keys of all stored operations that have one.
    pub async fn stored_keys(&self) -> HashSet<String> {
        stored_keys(&self.url).await
    }

    /// Removes the PostgreSQL database. A test that fails keeps it for inspection.
    pub async fn drop_database(&self) {
        let Some(server) = &self.server else { return };
        let connection = connect(&format!("{server}/postgres")).await;
        for name in self.databases().await {
            let sql = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
            connection.execute_unprepared(&sql).await.unwrap();
        }
        connection.close().await.unwrap();
    }
}

/// Name of another database on PostgreSQL.
fn new_name() -> String {
    let number = DATABASES.fetch_add(1, Ordering::Relaxed);
    format!("reliability_{}_{number}_", std::process::id())
}

pub async fn connect(url: &str) -> DatabaseConnection {
    sea_orm::Database::connect(url).await.unwrap()
}

/// The idempotency keys of all operations stored in the database at `url`.
pub async fn stored_keys(url: &str) -> HashSet<String> {
    let connection = connect(url).await;
    let sql = "SELECT idempotency_key FROM operations WHERE idempotency_key IS NOT NULL";
    let rows = connection
        .query_all_raw(Statement::from_string(connection.get_database_backend(), sql))
        .await
        .unwrap();
    connection.close().await.unwrap();
    rows.iter().map(|row| row.try_get("", "idempotency_key").unwrap()).collect()
}

/// A small filesystem in memory, unmounted on drop.
pub struct Tmpfs(TempDir);

impl Tmpfs {
    /// Mounts a filesystem of this size; `None` if the user may not mount.
    pub fn mount(mebibytes: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={mebibytes}m"), "tmpfs"])
            .arg(folder.path())
            .stderr(Stdio::null())
            .status();
        if mounted.is_ok_and(|status| status.success()) {
            return Some(Self(folder));
        }
        template::skipped("mount");
        None
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0.path()).status();
    }
}
