//! A lock file beside the SQLite database. Every process that opens the database holds a shared
//! lock until it ends; a restore holds an exclusive one. SQLite's own locks do not cover a process
//! that has opened the file but not yet locked it.

use std::{
    fs::{File, OpenOptions, TryLockError},
    path::{Path, PathBuf},
};

use adapter_seaorm::sqlite_file;
use anyhow::{Context, bail};

fn lock_file(database: &Path) -> PathBuf {
    with_suffix(database, "-open")
}

fn open(database: &Path) -> anyhow::Result<File> {
    let path = lock_file(database);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&path).with_context(|| format!("{} can't be created", path.display()))
}

/// Acquires the shared lock of the database until this process ends. Does nothing for PostgreSQL.
pub(crate) fn lock_while_open(url: &str) -> anyhow::Result<()> {
    let Some(database) = sqlite_file(url)? else { return Ok(()) };
    if let Some(folder) = database.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).with_context(|| format!("{} can't be created", folder.display()))?;
    }
    let file = open(&database)?;
    match file.try_lock_shared() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => bail!("{} is being restored: try again", database.display()),
        Err(TryLockError::Error(error)) => return Err(error.into()),
    }
    // The lock ends with the process.
    std::mem::forget(file);
    Ok(())
}

/// Acquires the exclusive lock of the database, or fails with its holder.
pub(crate) fn lock_alone(database: &Path) -> anyhow::Result<File> {
    let file = open(database)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            bail!("{} is in use: stop the server first. Nothing was changed", database.display())
        }
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// A path with a suffix.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
