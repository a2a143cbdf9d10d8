//! SQLite: a backup is a plain SQLite database.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use adapter_seaorm::{backup::SqliteFile, sqlite_file};
use anyhow::{Context, anyhow, bail, ensure};
use tempfile::TempDir;
use url::Url;

use super::{TEMPORARY, check_schema, sync_folder, timestamp, verify_ledger};
use crate::{
    config::Settings,
    open_lock::{self, with_suffix},
};

fn database(settings: &Settings) -> anyhow::Result<PathBuf> {
    let path = sqlite_file(&settings.database_url)?.context("a database in memory has no backup")?;
    Ok(std::path::absolute(path)?)
}

fn url_of(path: &Path) -> anyhow::Result<String> {
    let url = Url::from_file_path(path).map_err(|()| anyhow!("{} is not absolute", path.display()))?;
    Ok(format!("sqlite://{}", url.path()))
}

/// Opens an existing file.
async fn open(path: &Path) -> anyhow::Result<SqliteFile> {
    ensure!(path.is_file(), "{} does not exist", path.display());
    SqliteFile::open(path).await.with_context(|| format!("{} can't be opened", path.display()))
}

/// Copies the database into an empty file.
pub(super) async fn write(settings: &Settings, file: &Path, target: &Path) -> anyhow::Result<()> {
    let source = database(settings)?;
    // Rejects the database and its companion files as the target.
    for own in ["", "-wal", "-shm", "-open"] {
        let own = with_suffix(&source, own);
        let same =
            own == file || matches!((own.canonicalize(), file.canonicalize()), (Ok(a), Ok(b)) if a == b);
        ensure!(!same, "{} belongs to the database itself", file.display());
    }
    ensure!(source.is_file(), "{} does not exist", source.display());
    open_lock::lock_while_open(&settings.database_url)?;
    let database = open(&source).await?;
    let copied = database.vacuum_into(target).await;
    database.close().await?;
    copied.context("the database can't be copied")
}

/// A folder for scratch databases beside a file, on the same file system with enough space.
fn scratch_folder(file: &Path) -> anyhow::Result<TempDir> {
    let folder = file.parent().context("a file is in a folder")?;
    tempfile::Builder::new()
        .prefix(TEMPORARY)
        .tempdir_in(folder)
        .with_context(|| format!("{} can't be written to", folder.display()))
}

/// Copies a backup to a scratch database and returns its faults, row by row.
pub(super) async fn verify_copy(settings: &Settings, file: &Path) -> anyhow::Result<Vec<String>> {
    let folder = scratch_folder(file)?;
    let scratch = folder.path().join("scratch.db");
    fs::copy(file, &scratch).context("the backup can't be copied to a scratch database")?;
    verify_scratch(settings, &scratch).await
}

/// All checks, on a database without other users. Migrates the schema first.
async fn verify_scratch(settings: &Settings, scratch: &Path) -> anyhow::Result<Vec<String>> {
    let copy = open(scratch).await?;
    let wrong = copy.check_integrity().await.context("it can't be read")?;
    if !wrong.is_empty() {
        return Ok(wrong);
    }
    check_schema(copy.migrations().await?)?;
    copy.close().await?;
    let mut wrong = verify_ledger(settings, url_of(scratch)?).await?;
    let copy = open(scratch).await?;
    wrong.extend(copy.check_counters().await?);
    wrong.extend(copy.check_search().await?);
    copy.close().await?;
    Ok(wrong)
}

/// Checks the database: its pages in place, everything else in a copy, so that no writer waits.
pub(super) async fn verify(settings: &Settings) -> anyhow::Result<Vec<String>> {
    let path = database(settings)?;
    ensure!(path.is_file(), "{} does not exist", path.display());
    open_lock::lock_while_open(&settings.database_url)?;
    let live = open(&path).await?;
    let wrong = live.check_integrity().await.context("it can't be read")?;
    if !wrong.is_empty() {
        return Ok(wrong);
    }
    let folder = scratch_folder(&path)?;
    let scratch = folder.path().join("scratch.db");
    live.vacuum_into(&scratch).await.context("the database can't be copied")?;
    live.close().await?;
    verify_scratch(settings, &scratch).await
}

/// Restores to another file, verifies, and swaps: at any time the database is either the old or the
/// new one.
pub(super) async fn restore(settings: &Settings, file: &Path) -> anyhow::Result<String> {
    let target = database(settings)?;
    let folder = target.parent().context("a database is in a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("{} can't be created", folder.display()))?;
    let same = matches!((target.canonicalize(), file.canonicalize()), (Ok(a), Ok(b)) if a == b);
    ensure!(!same, "{} is the database itself", file.display());
    ensure!(
        !with_suffix(file, "-wal").exists(),
        "{} is in use, or was not closed: {}-wal exists. Make a backup of it with `cartelera backup`",
        file.display(),
        file.display()
    );
    let new = with_suffix(&target, ".new");
    let is_new = matches!((new.canonicalize(), file.canonicalize()), (Ok(a), Ok(b)) if a == b);
    ensure!(
        !is_new,
        "{} is where a restore copies its backup to: give it another name first",
        file.display()
    );
    let lock = open_lock::lock_alone(&target)?;
    let prepared = prepare(settings, file, &new).await;
    let swapped = match prepared {
        Ok(()) => swap(&target, &new).await,
        Err(error) => Err(error),
    };
    if swapped.is_err()
        && new.exists()
        && let Err(error) = fs::remove_file(&new)
    {
        tracing::warn!(%error, file = %new.display(), "failed to remove the copy of the backup");
    }
    drop(lock);
    Ok(match swapped.context("nothing was changed")? {
        Some(before) => format!("The database as it was before is {}.", before.display()),
        None => "There was no database before.".to_owned(),
    })
}

/// Copies the backup to the future database file, and verifies it.
async fn prepare(settings: &Settings, file: &Path, new: &Path) -> anyhow::Result<()> {
    // Files of a killed restore.
    for leftover in ["", "-wal", "-shm", "-journal"] {
        let leftover = with_suffix(new, leftover);
        if leftover.exists() {
            fs::remove_file(&leftover)?;
        }
    }
    fs::copy(file, new).with_context(|| format!("{} can't be copied", file.display()))?;
    #[cfg(unix)]
    fs::set_permissions(new, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    File::open(new)?.sync_all()?;
    let wrong =
        verify_copy(settings, new).await.with_context(|| format!("{} is no good backup", file.display()))?;
    if !wrong.is_empty() {
        bail!("{} is no good backup: {} rows are wrong:\n{}", file.display(), wrong.len(), wrong.join("\n"))
    }
    let restored = open(new).await?;
    restored.end_sessions().await?;
    // Only this one file is renamed.
    let whole = restored.leave_wal_mode().await;
    restored.close().await?;
    ensure!(whole?, "{} is in use by another process", new.display());
    Ok(())
}

/// Renames the new file to the database's name, after linking the old database to another name.
async fn swap(target: &Path, new: &Path) -> anyhow::Result<Option<PathBuf>> {
    if !target.exists() {
        // A log without its database would be applied to the new one.
        for suffix in ["-wal", "-shm", "-journal"] {
            let stray = with_suffix(target, suffix);
            ensure!(!stray.exists(), "{} exists without its database: move it away first", stray.display());
        }
        fs::rename(new, target)?;
        sync_folder(target)?;
        return Ok(None);
    }
    let before = with_suffix(target, &format!(".before-restore-{}", timestamp()));
    match close_log(target).await {
        Ok(true) => {}
        Ok(false) => bail!("{} is in use by another process", target.display()),
        // The old database is damaged: its log is moved along.
        Err(_) => {
            for suffix in ["-wal", "-shm", "-journal"] {
                let old = with_suffix(target, suffix);
                if old.exists() {
                    fs::rename(&old, with_suffix(&before, suffix))?;
                }
            }
        }
    }
    // The rename replaces the database atomically; the link keeps the old one.
    fs::hard_link(target, &before).with_context(|| format!("{} can't be kept", target.display()))?;
    sync_folder(target)?;
    if let Err(error) = fs::rename(new, target) {
        fs::remove_file(&before)?;
        return Err(error.into());
    }
    sync_folder(target)?;
    Ok(Some(before))
}

/// Checkpoints the old database's log. `false` if another process has the database open.
async fn close_log(target: &Path) -> anyhow::Result<bool> {
    let old = open(target).await?;
    let alone = old.leave_wal_mode().await;
    old.close().await?;
    Ok(alone?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_url_that_names_it() {
        for path in ["/var/cartelera.db", "/var/50% más/what?/my #1.db", "/var/a%20b.db"] {
            let found = sqlite_file(&url_of(Path::new(path)).unwrap()).unwrap();
            assert_eq!(found, Some(PathBuf::from(path)), "{path}");
        }
    }
}
