//! Databases for one test.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

use migrations::template;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement};
use tempfile::TempDir;

static DATABASES: AtomicU32 = AtomicU32::new(0);

/// An empty database and a folder for files beside it.
pub struct TestDb {
    url: String,
    folder: TempDir,
    /// URL of the PostgreSQL server, without a database.
    server: Option<String>,
}

impl TestDb {
    /// SQLite in a temporary folder.
    pub fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("test.db").display());
        Self { url, folder, server: None }
    }

    /// SQLite in a given folder.
    pub fn sqlite_in(path: &Path) -> Self {
        let url = format!("sqlite://{}", path.join("test.db").display());
        Self { url, folder: tempfile::tempdir().unwrap(), server: None }
    }

    /// A database on the server that `TEST_PG_URL` names; `None` without one.
    pub async fn postgres() -> Option<Self> {
        Some(Self::postgres_on(&template::postgres_server()?).await)
    }

    /// A database on a given PostgreSQL server.
    pub async fn postgres_on(server: &str) -> Self {
        let number = DATABASES.fetch_add(1, Ordering::Relaxed);
        let name = format!("reliability_{}_{number}_", std::process::id());
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

    /// Another empty database of the same kind.
    pub async fn another(&self) -> Self {
        match &self.server {
            Some(server) => Self::postgres_on(server).await,
            None => Self::sqlite(),
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
