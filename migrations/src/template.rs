//! Empty databases with the schema, for tests: the migrations run once for each test program and the result
//! is copied, because twenty of them take longer than most tests. Not for production. Also reports missing
//! programs of the machine.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use sea_orm::{ConnectionTrait, Database, DatabaseConnection, DbErr, Statement, TransactionTrait};

/// An arbitrary number, the same in all test programs.
const TEMPLATE_LOCK: i64 = 4_711_002;

fn failed(error: io::Error) -> DbErr {
    DbErr::Custom(error.to_string())
}

/// Requirements that may be missing where every test must run: the right to mount a file system, and the
/// shell of SQLite.
const MAY_BE_MISSING: [&str; 2] = ["mount", "sqlite3"];
/// List of skipped tests for `scripts/test`, in its folder of temporary files.
const SKIPPED: &str = "skipped-tests";

/// URL of a PostgreSQL for tests, from `TEST_PG_URL`; without one the caller is [`skipped`].
pub fn postgres_server() -> Option<String> {
    needed("TEST_PG_URL", "PostgreSQL")
}

/// Folder of PostgreSQL's programs, from `TEST_PG_PROGRAMS`; without one the caller is [`skipped`].
pub fn postgres_programs() -> Option<PathBuf> {
    needed("TEST_PG_PROGRAMS", "PostgreSQL's programs").map(PathBuf::from)
}

fn needed(name: &str, what: &str) -> Option<String> {
    let value = variable(name);
    if value.is_none() {
        skipped(&format!("{what} ({name}; scripts/with-pg)"));
    }
    value
}

#[expect(clippy::disallowed_methods, reason = "tests have no settings but these")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Reports that a test, or a part of one, is skipped for a missing requirement.
///
/// # Panics
///
/// With `CARTELERA_TESTS_MUST_RUN`, except for the requirements that may be missing, which are listed for
/// `scripts/test`.
pub fn skipped(what: &str) {
    println!("skipped: {what} is missing");
    if variable("CARTELERA_TESTS_MUST_RUN").is_none() {
        return;
    }
    assert!(MAY_BE_MISSING.contains(&what), "{what} is missing, and every test must run");
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let list = fs::File::options().create(true).append(true).open(std::env::temp_dir().join(SKIPPED));
    list.and_then(|mut list| writeln!(list, "{test}: {what} is missing")).unwrap();
}

/// Name and modification time of this program, which identify its migrations.
fn program() -> io::Result<(String, SystemTime)> {
    let file = std::env::current_exe()?;
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok((name, file.metadata()?.modified()?))
}

/// Creates an SQLite file with the schema at `copy`. `folder` has the template; it is the same for all tests
/// of a program.
pub async fn sqlite(folder: &Path, copy: &Path) -> Result<(), DbErr> {
    let template = sqlite_template(folder).await?;
    fs::copy(template, copy).map(drop).map_err(failed)
}

async fn sqlite_template(folder: &Path) -> Result<PathBuf, DbErr> {
    let (name, since) = program().map_err(failed)?;
    let template = folder.join(format!("{name}.db"));
    let is_current = || template.metadata().and_then(|file| file.modified()).is_ok_and(|made| made > since);
    if is_current() {
        return Ok(template);
    }
    let lock = fs::File::create(folder.join(format!("{name}.lock"))).map_err(failed)?;
    lock.lock().map_err(failed)?;
    if !is_current() {
        // Renamed when it is complete: others read without the lock.
        let making = folder.join(format!("{name}.making"));
        if making.exists() {
            fs::remove_file(&making).map_err(failed)?;
        }
        let connection = Database::connect(format!("sqlite://{}?mode=rwc", making.display())).await?;
        super::migrate(&connection).await?;
        // The mode of the product. A process can't set it while another one reads.
        connection.execute_unprepared("PRAGMA journal_mode = WAL").await?;
        connection.close().await?;
        fs::rename(making, &template).map_err(failed)?;
    }
    Ok(template)
}

/// Creates a database with the schema on the `PostgreSQL` of `server`; `url` is the same server's URL,
/// without a database. The template stays there, one for each build of a test program.
pub async fn postgres(server: &DatabaseConnection, url: &str, copy: &str) -> Result<(), DbErr> {
    let template = postgres_template(server, url).await?;
    server.execute_unprepared(&format!("DROP DATABASE IF EXISTS {copy}")).await?;
    let create = format!("CREATE DATABASE {copy} TEMPLATE {template}");
    // Faster than a copy through the log, the default since version 15; earlier versions have no choice.
    if server.execute_unprepared(&format!("{create} STRATEGY FILE_COPY")).await.is_err() {
        server.execute_unprepared(&create).await?;
    }
    Ok(())
}

async fn postgres_template(server: &DatabaseConnection, url: &str) -> Result<String, DbErr> {
    let (name, since) = program().map_err(failed)?;
    let since = since.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let template = format!("schema_{}_{since}", name.replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
    let sql = format!("SELECT 1 FROM pg_database WHERE datname = '{template}'");
    let known = Statement::from_string(server.get_database_backend(), sql);
    if server.query_one_raw(known.clone()).await?.is_some() {
        return Ok(template);
    }
    // A database can't be created in a transaction; this one only holds the lock, and releases it in any
    // case.
    let lock = server.begin().await?;
    lock.execute_unprepared(&format!("SELECT pg_advisory_xact_lock({TEMPLATE_LOCK})")).await?;
    if server.query_one_raw(known).await?.is_none() {
        let making = format!("making_{template}");
        empty_postgres(server, &making).await?;
        let connection = Database::connect(format!("{url}/{making}")).await?;
        super::migrate(&connection).await?;
        connection.close().await?;
        server.execute_unprepared(&format!("ALTER DATABASE {making} RENAME TO {template}")).await?;
    }
    lock.commit().await?;
    Ok(template)
}

/// Creates a database with the Spanish locale on a `PostgreSQL`, whatever its default: results must be the
/// same on all.
pub async fn empty_postgres(server: &DatabaseConnection, name: &str) -> Result<(), DbErr> {
    server.execute_unprepared(&format!("DROP DATABASE IF EXISTS {name}")).await?;
    let spanish = format!("CREATE DATABASE {name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'es-ES'");
    if server.execute_unprepared(&spanish).await.is_err() {
        server.execute_unprepared(&format!("CREATE DATABASE {name}")).await?;
    }
    Ok(())
}
