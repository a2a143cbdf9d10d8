//! The log of backups. At most one backup is unfinished at a time.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::Id;
use domain_settings::{Backup, BackupOrigin};

use crate::{Edit, StoreError};

/// Dates of backups.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BackupDates {
    /// Start of the last successful backup.
    pub last_good: Option<DateTime<Utc>>,
    /// Start of the last backup, with any outcome.
    pub last_attempt: Option<DateTime<Utc>>,
}

/// Outcome of a backup: what the process did, an argument of a write and no outcome of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackupOutcome {
    /// Verified.
    Good {
        file_name: String,
        /// In bytes.
        size: i64,
        /// In milliseconds.
        duration_ms: i64,
    },
    /// Failed.
    Failed {
        detail: String,
        /// In milliseconds; `None` if the backup did not start.
        duration_ms: Option<i64>,
    },
}

/// Stores the log of backups.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait BackupLog: Send + Sync {
    /// The newest backups.
    async fn newest(&self, limit: u64) -> Result<Vec<Backup>, StoreError>;

    /// Dates of backups.
    async fn dates(&self) -> Result<BackupDates, StoreError>;

    /// Files of ended backups, newest first, each with whether it is good. A failed backup may have left no
    /// file.
    async fn files(&self) -> Result<Vec<(String, bool)>, StoreError>;

    /// Adds a pending backup; `None` if another one is unfinished.
    async fn add(&self, origin: BackupOrigin, edit: &Edit) -> Result<Option<Backup>, StoreError>;

    /// The unfinished backup.
    async fn unfinished(&self) -> Result<Option<Backup>, StoreError>;

    /// Marks a pending backup as running, and records its file name.
    async fn begin(&self, id: Id, file_name: &str) -> Result<(), StoreError>;

    /// Clears the file name of a backup whose file was removed.
    async fn forget_file(&self, file_name: &str) -> Result<(), StoreError>;

    /// Records the outcome of a backup. Of those before the newest thousand only good ones with a file stay
    /// in the log.
    async fn finish(&self, id: Id, outcome: &BackupOutcome, now: DateTime<Utc>) -> Result<(), StoreError>;
}
