//! PostgreSQL: a backup is a dump in pg_dump's custom format.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use adapter_seaorm::backup::PostgresDatabase;
use anyhow::{Context, anyhow, bail, ensure};
use url::Url;

use super::{check_schema, timestamp, verify_ledger};
use crate::config::Settings;

/// Environment variables of libpq, by their names in a URL, and parameters of sqlx only.
const PARAMETERS: [(&str, &str); 14] = [
    ("host", "PGHOST"),
    ("hostaddr", "PGHOSTADDR"),
    ("port", "PGPORT"),
    ("user", "PGUSER"),
    ("password", "PGPASSWORD"),
    ("sslmode", "PGSSLMODE"),
    ("sslrootcert", "PGSSLROOTCERT"),
    ("sslcert", "PGSSLCERT"),
    ("sslkey", "PGSSLKEY"),
    ("ssl-mode", "PGSSLMODE"),
    ("ssl-root-cert", "PGSSLROOTCERT"),
    ("ssl-ca", "PGSSLROOTCERT"),
    ("ssl-cert", "PGSSLCERT"),
    ("ssl-key", "PGSSLKEY"),
];

/// Databases that a PostgreSQL server has from the start, in the order in which they are tried.
/// Template1 can't be copied while there is a connection to it.
const MAINTENANCE: [&str; 2] = ["postgres", "template1"];

/// The parts of a PostgreSQL URL.
struct Target {
    url: Url,
    name: String,
}

impl Target {
    fn of(settings: &Settings) -> anyhow::Result<Self> {
        // The URL may contain a password, so errors do not repeat it.
        let url = Url::parse(&settings.database_url)
            .map_err(|error| anyhow!("the database's URL is not valid: {error}"))?;
        Self::of_url(url)
    }

    /// The server connects to the database of `dbname`, if a URL has it, so the backup is of that
    /// one.
    fn of_url(mut url: Url) -> anyhow::Result<Self> {
        let (named, others): (Vec<_>, Vec<_>) =
            url.query_pairs().into_owned().partition(|(key, _)| key == "dbname");
        let name = match named.into_iter().next_back() {
            Some((_, name)) => name,
            None => decoded(url.path().trim_start_matches('/'))?,
        };
        ensure!(!name.is_empty(), "the database's URL names no database");
        if url.query_pairs().count() > others.len() {
            url.query_pairs_mut().clear().extend_pairs(others);
        }
        Ok(Self { url, name })
    }

    /// URL of another database of the same server.
    fn url_of(&self, name: &str) -> String {
        let mut url = self.url.clone();
        url.set_path(name);
        url.into()
    }

    /// A connection for creating and removing other databases. It may be to the database itself.
    async fn maintenance(&self) -> anyhow::Result<PostgresDatabase> {
        self.connect_to_first(&MAINTENANCE).await
    }

    /// A connection for renaming the database, which PostgreSQL refuses over a connection to it.
    async fn maintenance_elsewhere(&self) -> anyhow::Result<PostgresDatabase> {
        self.connect_to_first(&self.elsewhere()).await
    }

    fn elsewhere(&self) -> Vec<&'static str> {
        MAINTENANCE.into_iter().filter(|name| *name != self.name).collect()
    }

    async fn connect_to_first(&self, names: &[&str]) -> anyhow::Result<PostgresDatabase> {
        for name in names {
            if let Ok(database) = PostgresDatabase::open(&self.url_of(name)).await {
                return Ok(database);
            }
        }
        bail!("{} can't be connected to, and another database can't be created without", names.join(" and "))
    }

    /// Environment of pg_dump and pg_restore: other users could read arguments.
    fn environment(&self, name: &str) -> anyhow::Result<Vec<(&'static str, String)>> {
        let mut variables =
            vec![("PGDATABASE", name.to_owned()), ("PGAPPNAME", "cartelera backup".to_owned())];
        if let Some(host) = self.url.host_str().filter(|host| !host.is_empty()) {
            variables.push(("PGHOST", decoded(host.trim_matches(['[', ']']))?));
        }
        if let Some(port) = self.url.port() {
            variables.push(("PGPORT", port.to_string()));
        }
        if !self.url.username().is_empty() {
            variables.push(("PGUSER", decoded(self.url.username())?));
        }
        if let Some(password) = self.url.password() {
            variables.push(("PGPASSWORD", decoded(password)?));
        }
        for (key, value) in self.url.query_pairs() {
            if let Some((_, variable)) = PARAMETERS.iter().find(|(name, _)| *name == key) {
                variables.push((variable, value.into_owned()));
            }
        }
        Ok(variables)
    }
}

fn decoded(text: &str) -> anyhow::Result<String> {
    let bytes: Vec<u8> = percent_decode(text.as_bytes());
    String::from_utf8(bytes).context("the database's URL is not UTF-8")
}

fn percent_decode(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        let hex = (*first == b'%').then(|| tail.get(..2)).flatten();
        let byte = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    bytes
}

/// The pg_restore beside pg_dump.
fn pg_restore(settings: &Settings) -> PathBuf {
    settings.pg_dump.with_file_name("pg_restore")
}

/// Runs a PostgreSQL program; the error is its last output.
async fn execute(command: Command) -> anyhow::Result<String> {
    let mut command = command;
    let program = command.get_program().to_string_lossy().into_owned();
    let output = actix_web::rt::task::spawn_blocking(move || command.stdin(Stdio::null()).output()).await?;
    let output = output.map_err(|error| {
        anyhow!("{program} can't be started ({error}): install PostgreSQL's client programs, or name pg_dump by CARTELERA_PG_DUMP")
    })?;
    ensure!(
        output.status.success(),
        "{program} failed ({}): {}",
        output.status,
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Fails for a program older than the server.
async fn check_version(program: &Path, database: &PostgresDatabase) -> anyhow::Result<()> {
    let mut command = Command::new(program);
    command.arg("--version");
    let text = execute(command).await?;
    let version =
        major_version(&text).with_context(|| format!("{} has no version: {text}", program.display()))?;
    let server = database.major_version().await?;
    ensure!(
        version >= server,
        "{} is of PostgreSQL {version}, but the server is of PostgreSQL {server}: name a newer one by CARTELERA_PG_DUMP",
        program.display()
    );
    Ok(())
}

/// Major version in a line such as `pg_dump (PostgreSQL) 15.14 (Debian …)`.
fn major_version(text: &str) -> Option<i64> {
    let after = text.split("(PostgreSQL)").nth(1)?.trim_start();
    after.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}

/// Dumps the database into a file.
pub(super) async fn write(settings: &Settings, file: &Path) -> anyhow::Result<()> {
    let target = Target::of(settings)?;
    let database = open(settings).await?;
    check_version(&settings.pg_dump, &database).await?;
    check_schema(database.migrations().await?).context("there is nothing to back up")?;
    database.close().await?;
    let mut command = Command::new(&settings.pg_dump);
    command
        .args(["--format=custom", "--no-owner", "--no-privileges", "--no-password", "--file"])
        .arg(file)
        .envs(target.environment(&target.name)?);
    execute(command).await.map(drop)
}

async fn open(settings: &Settings) -> anyhow::Result<PostgresDatabase> {
    PostgresDatabase::open(&settings.database_url).await.context("the database can't be connected to")
}

/// Restores a dump into an empty database in one transaction.
async fn load(settings: &Settings, target: &Target, name: &str, file: &Path) -> anyhow::Result<()> {
    let mut command = Command::new(pg_restore(settings));
    command
        .args(["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", "--no-comments"])
        .args(["--no-password", "--dbname", name])
        .arg(file)
        .envs(target.environment(name)?);
    execute(command).await.map(drop)
}

/// Restores a dump into a scratch database and returns its faults, row by row.
pub(super) async fn verify_dump(settings: &Settings, file: &Path) -> anyhow::Result<Vec<String>> {
    let target = Target::of(settings)?;
    let scratch = format!("{}_scratch_{}", target.name, timestamp().to_lowercase());
    let server = target.maintenance().await?;
    create_database(&server, &scratch, &target.name).await?;
    let wrong = load_and_verify(settings, &target, &scratch, file).await;
    drop_scratch(&server, &scratch).await;
    server.close().await?;
    wrong
}

/// Removes a scratch database. A failure is logged, so that it does not hide the result.
async fn drop_scratch(server: &PostgresDatabase, name: &str) {
    if let Err(error) = server.drop_database(name).await {
        tracing::warn!(%error, database = name, "failed to remove a scratch database");
    }
}

async fn create_database(server: &PostgresDatabase, name: &str, model: &str) -> anyhow::Result<()> {
    server.create_database(name, model).await.with_context(|| {
        format!("the database {name} can't be created: the role needs CREATEDB (ALTER ROLE … CREATEDB)")
    })
}

async fn load_and_verify(
    settings: &Settings,
    target: &Target,
    name: &str,
    file: &Path,
) -> anyhow::Result<Vec<String>> {
    load(settings, target, name, file).await?;
    let settings = Settings { database_url: target.url_of(name), ..settings.clone() };
    verify_restored(&settings).await
}

/// All checks. Migrates the schema first.
async fn verify_restored(settings: &Settings) -> anyhow::Result<Vec<String>> {
    let database = open(settings).await?;
    check_schema(database.migrations().await?)?;
    let mut wrong = verify_ledger(settings, settings.database_url.clone()).await?;
    wrong.extend(database.check_integrity().await?);
    wrong.extend(database.check_counters().await?);
    database.close().await?;
    Ok(wrong)
}

async fn end_sessions(settings: &Settings) -> anyhow::Result<()> {
    let database = open(settings).await?;
    database.end_sessions().await?;
    Ok(database.close().await?)
}

/// Checks the database, while it may be in use.
pub(super) async fn verify(settings: &Settings) -> anyhow::Result<Vec<String>> {
    verify_restored(settings).await
}

/// Restores into another database, which is renamed to the database's name after its verification.
/// A database that is not empty is replaced only with `replace`, and is kept under another name.
pub(super) async fn restore(settings: &Settings, file: &Path, replace: bool) -> anyhow::Result<String> {
    let target = Target::of(settings)?;
    let database = open(settings).await?;
    check_version(&pg_restore(settings), &database).await?;
    let empty = database.is_empty().await?;
    database.close().await?;
    ensure!(
        empty || replace,
        "the database {} is not empty. With --replace the backup is restored into another database, which takes its name after it was verified; the old one keeps its data under another name. Nothing was changed",
        target.name
    );
    let time = timestamp().to_lowercase();
    let (new, before) = (format!("{}_restore_{time}", target.name), format!("{}_before_{time}", target.name));
    let server = target.maintenance_elsewhere().await?;
    create_database(&server, &new, &target.name).await?;
    let swapped = replace_by(settings, &target, &server, file, &new, &before).await;
    if swapped.is_err() {
        drop_scratch(&server, &new).await;
    }
    let is_removed = swapped.is_ok() && empty && remove_empty(&target, &server, &before).await;
    server.close().await?;
    swapped.context("nothing was changed")?;
    Ok(if is_removed {
        "The database was empty before.".to_owned()
    } else {
        format!("The database as it was before is called {before}.")
    })
}

/// Removes the former database, unless it was written to since it was empty.
async fn remove_empty(target: &Target, server: &PostgresDatabase, name: &str) -> bool {
    let is_empty = async {
        let database = PostgresDatabase::open(&target.url_of(name)).await?;
        let empty = database.is_empty().await?;
        database.close().await?;
        Ok::<_, anyhow::Error>(empty)
    };
    let is_empty = is_empty.await.unwrap_or_else(|error| {
        tracing::warn!(%error, database = name, "failed to read former database");
        false
    });
    is_empty && server.drop_database(name).await.is_ok()
}

async fn replace_by(
    settings: &Settings,
    target: &Target,
    server: &PostgresDatabase,
    file: &Path,
    new: &str,
    before: &str,
) -> anyhow::Result<()> {
    let in_use = async || -> anyhow::Result<()> {
        let connections = server.connections_to(&target.name).await?;
        ensure!(
            connections == 0,
            "the database {} has {connections} connections: stop the servers first",
            target.name
        );
        Ok(())
    };
    in_use().await?;
    let wrong = load_and_verify(settings, target, new, file).await?;
    ensure!(
        wrong.is_empty(),
        "the backup is not good: {} rows are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    end_sessions(&Settings { database_url: target.url_of(new), ..settings.clone() }).await?;
    in_use().await?;
    // A connection opened now makes both renames fail.
    server.swap(&target.name, before, new).await.context("the databases can't be renamed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_pg_dump_prints_them() {
        assert_eq!(major_version("pg_dump (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)"), Some(15));
        assert_eq!(major_version("pg_dump (PostgreSQL) 18beta1"), Some(18));
        assert_eq!(major_version("pg_dump: command not found"), None);
    }

    #[test]
    fn a_password_travels_in_the_environment_and_is_decoded() {
        let url =
            Url::parse("postgres://ana:p%40ss%20word@[::1]:5433/tv?sslmode=require&sslrootcert=/ca.pem")
                .unwrap();
        let target = Target::of_url(url).unwrap();
        assert_eq!(target.name, "tv");
        let variables = target.environment("other").unwrap();
        for expected in [
            ("PGDATABASE", "other"),
            ("PGHOST", "::1"),
            ("PGPORT", "5433"),
            ("PGUSER", "ana"),
            ("PGPASSWORD", "p@ss word"),
            ("PGSSLMODE", "require"),
            ("PGSSLROOTCERT", "/ca.pem"),
        ] {
            assert!(
                variables.contains(&(expected.0, expected.1.to_owned())),
                "{expected:?} in {variables:?}"
            );
        }
        assert_eq!(
            target.url_of("x"),
            "postgres://ana:p%40ss%20word@[::1]:5433/x?sslmode=require&sslrootcert=/ca.pem"
        );
    }

    #[test]
    fn a_backup_is_of_the_database_that_the_server_connects_to_and_over_the_same_connection() {
        let url =
            "postgres://u@h/postgres?dbname=tv&ssl-mode=verify-full&ssl-root-cert=/ca.pem&sslkey=/k.pem";
        let target = Target::of_url(Url::parse(url).unwrap()).unwrap();
        assert_eq!(target.name, "tv");
        assert!(!target.url_of("scratch").contains("dbname"), "{}", target.url_of("scratch"));
        let variables = target.environment("scratch").unwrap();
        for expected in [
            ("PGDATABASE", "scratch"),
            ("PGSSLMODE", "verify-full"),
            ("PGSSLROOTCERT", "/ca.pem"),
            ("PGSSLKEY", "/k.pem"),
        ] {
            assert!(
                variables.contains(&(expected.0, expected.1.to_owned())),
                "{expected:?} in {variables:?}"
            );
        }
        let socket =
            Target::of_url(Url::parse("postgres:///?host=/run/postgresql&dbname=tv").unwrap()).unwrap();
        assert_eq!(socket.name, "tv");
        assert!(socket.environment("tv").unwrap().contains(&("PGHOST", "/run/postgresql".to_owned())));
        assert!(Target::of_url(Url::parse("postgres://u@h/").unwrap()).is_err());
    }

    #[test]
    fn a_database_is_renamed_over_a_connection_to_another_one() {
        for (url, elsewhere) in [
            ("postgres://u@h/tv", &["postgres", "template1"][..]),
            ("postgres://u@h/postgres", &["template1"]),
            ("postgres://u@h/tv?dbname=postgres", &["template1"]),
            ("postgres://u@h/template1", &["postgres"]),
        ] {
            let target = Target::of_url(Url::parse(url).unwrap()).unwrap();
            assert_eq!(target.elsewhere(), elsewhere, "{url}");
        }
    }
}
