//! Backups: `backup`, `restore` and `verify` (docs/backup.md).
//!
//! A backup is good only after it was restored into a scratch database and verified there. Files
//! are written under another name, synchronised and renamed, so that a file with the final name is
//! complete.

mod postgres;
pub(crate) mod schedule;
mod sqlite;

use std::{
    fs::{self, File},
    io::Read,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use tempfile::NamedTempFile;

use crate::{config::Settings, database};

/// Prefix of files of a backup in progress.
const TEMPORARY: &str = ".cartelera-backup-";

/// A written backup.
#[derive(Debug)]
pub(crate) struct Backup {
    pub(crate) size: u64,
    pub(crate) took: Duration,
}

/// The database system of a URL or a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sqlite,
    Postgres,
}

impl Kind {
    fn of(url: &str) -> Self {
        if url.starts_with("sqlite:") { Self::Sqlite } else { Self::Postgres }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// Writes a backup of the database to a file. An existing file is replaced at the end, or not at
/// all.
pub(crate) async fn create(settings: &Settings, file: &Path, verify: bool) -> anyhow::Result<Backup> {
    let begun = Instant::now();
    let file = std::path::absolute(file)?;
    let folder = file.parent().context("a backup needs a file name")?;
    ensure!(folder.is_dir(), "the folder {} does not exist", folder.display());
    ensure!(!file.is_dir(), "{} is a folder", file.display());
    // Readable by its owner only, and removed if a later step fails.
    let temporary = tempfile::Builder::new()
        .prefix(TEMPORARY)
        .tempfile_in(folder)
        .with_context(|| format!("{} can't be written to", folder.display()))?;
    match Kind::of(&settings.database_url) {
        Kind::Sqlite => sqlite::write(settings, &file, temporary.path()).await?,
        Kind::Postgres => postgres::write(settings, temporary.path()).await?,
    }
    File::open(temporary.path())?.sync_all().context("the backup can't be written")?;
    if verify {
        verify_file(settings, temporary.path()).await.context("the backup is not good and was discarded")?;
    }
    let size = temporary.path().metadata()?.len();
    persist(temporary, &file)?;
    Ok(Backup { size, took: begun.elapsed() })
}

/// Restores a backup file into a scratch database and verifies that.
async fn verify_file(settings: &Settings, file: &Path) -> anyhow::Result<()> {
    let wrong = match Kind::of(&settings.database_url) {
        Kind::Sqlite => sqlite::verify_copy(settings, file).await?,
        Kind::Postgres => postgres::verify_dump(settings, file).await?,
    };
    if wrong.is_empty() {
        return Ok(());
    }
    bail!("{} rows are wrong:\n{}", wrong.len(), wrong.join("\n"))
}

/// Restores the database from a backup file.
pub(crate) async fn restore(settings: &Settings, file: &Path, replace: bool) -> anyhow::Result<String> {
    let target = Kind::of(&settings.database_url);
    let found = kind_of_file(file)?;
    ensure!(
        found == target,
        "{} is a backup of {}, but the database is {}",
        file.display(),
        found.name(),
        target.name()
    );
    match target {
        Kind::Sqlite => sqlite::restore(settings, file).await,
        Kind::Postgres => postgres::restore(settings, file, replace).await,
    }
}

/// Faults of the database, row by row.
pub(crate) async fn verify(settings: &Settings) -> anyhow::Result<Vec<String>> {
    match Kind::of(&settings.database_url) {
        Kind::Sqlite => sqlite::verify(settings).await,
        Kind::Postgres => postgres::verify(settings).await,
    }
}

/// The database system of a backup file, by its first bytes.
fn kind_of_file(file: &Path) -> anyhow::Result<Kind> {
    let mut beginning = Vec::new();
    let opened = File::open(file).with_context(|| format!("{} can't be read", file.display()))?;
    ensure!(opened.metadata()?.is_file(), "{} is not a file", file.display());
    opened.take(16).read_to_end(&mut beginning)?;
    if beginning == b"SQLite format 3\0" {
        Ok(Kind::Sqlite)
    } else if beginning.starts_with(b"PGDMP") {
        Ok(Kind::Postgres)
    } else {
        bail!("{} is not a backup: it is neither a SQLite database nor a PostgreSQL dump", file.display())
    }
}

/// Fails if an applied migration is unknown to this binary.
fn check_schema(applied: Option<Vec<String>>) -> anyhow::Result<()> {
    let Some(applied) = applied.filter(|applied| !applied.is_empty()) else {
        bail!("it is not a database of Cartelera");
    };
    database::check_known(&applied)
}

/// Faults of the ledger of a database, whose schema is migrated first.
async fn verify_ledger(settings: &Settings, url: String) -> anyhow::Result<Vec<String>> {
    let settings = Settings { database_url: url, ..settings.clone() };
    let opened = database::open(&settings).await?;
    let breaches = database::credits(&settings, &opened).verify().await;
    database::close(opened).await;
    Ok(breaches?.into_iter().map(|breach| format!("ledger, I{}: {}", breach.invariant, breach.row)).collect())
}

/// Renames a temporary file to its final name, durably.
fn persist(temporary: NamedTempFile, file: &Path) -> anyhow::Result<()> {
    temporary.persist(file).with_context(|| format!("{} can't be written", file.display()))?;
    sync_folder(file)
}

/// Makes renames in a file's folder durable.
fn sync_folder(file: &Path) -> anyhow::Result<()> {
    let folder = file.parent().context("a file is in a folder")?;
    File::open(folder)?.sync_all().with_context(|| format!("{} can't be synchronised", folder.display()))
}

/// Removes files of killed backups that are older than a day. A failure is logged and does not
/// prevent a backup.
fn remove_leftovers(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_ours = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(TEMPORARY));
        if is_ours && let Err(error) = remove_if_old(&path) {
            tracing::warn!(%error, file = %path.display(), "failed to remove leftover file of a backup");
        }
    }
    Ok(())
}

fn remove_if_old(path: &Path) -> std::io::Result<()> {
    let metadata = path.metadata()?;
    let age = metadata.modified()?.elapsed().unwrap_or_default();
    if age <= Duration::from_hours(24) {
        Ok(())
    } else if metadata.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}

/// Time of day, for names of files and databases.
fn timestamp() -> String {
    database::now().format("%Y%m%dT%H%M%S%3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_schema_and_a_foreign_database_are_refused_with_a_message() {
        let known = migrations::names();
        assert!(check_schema(Some(known.clone())).is_ok());
        assert!(check_schema(Some(known[..3].to_vec())).is_ok(), "an older schema is migrated");
        let newer = [known, vec!["m20990101_000099_later".to_owned()]].concat();
        let error = check_schema(Some(newer)).unwrap_err().to_string();
        assert!(error.contains("newer") && error.contains("m20990101_000099_later"), "{error}");
        for foreign in [None, Some(Vec::new())] {
            assert!(check_schema(foreign).unwrap_err().to_string().contains("not a database of Cartelera"));
        }
    }

    #[test]
    fn files_are_distinguished_by_their_first_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        for (bytes, kind) in [
            (&b"SQLite format 3\0rest"[..], Some(Kind::Sqlite)),
            (b"PGDMP\x01", Some(Kind::Postgres)),
            (b"INSERT INTO", None),
            (b"", None),
        ] {
            fs::write(&file, bytes).unwrap();
            assert_eq!(kind_of_file(&file).ok(), kind);
        }
    }
}
