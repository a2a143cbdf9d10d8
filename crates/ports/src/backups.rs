//! The log of backups. At most one backup is unfinished at a time.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::Id;
use domain_settings::{Backup, BackupOrigin};

use crate::{Edit, StoreError};

/// When backups were made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BackupDates {
    /// When the last good one began.
    pub last_good: Option<DateTime<Utc>>,
    /// When the last one began, whatever became of it.
    pub last_attempt: Option<DateTime<Utc>>,
}

/// How a backup ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackupOutcome {
    /// It was verified.
    Good {
        /// Its file.
        file_name: String,
        /// The file's size in bytes.
        size: i64,
        /// How long it took, in milliseconds.
        duration_ms: i64,
    },
    /// It was not.
    Failed {
        /// Why.
        detail: String,
        /// How long it took, in milliseconds, if it began.
        duration_ms: Option<i64>,
    },
}

/// Keeps the log of backups.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait BackupLog: Send + Sync {
    /// The newest backups.
    async fn newest(&self, limit: u64) -> Result<Vec<Backup>, StoreError>;

    /// When backups were made.
    async fn dates(&self) -> Result<BackupDates, StoreError>;

    /// The files of backups that have ended, the newest first, and whether each is good. One that failed may have
    /// left none.
    async fn files(&self) -> Result<Vec<(String, bool)>, StoreError>;

    /// Adds a backup that waits; `None` if another one is unfinished.
    async fn add(&self, origin: BackupOrigin, edit: &Edit) -> Result<Option<Backup>, StoreError>;

    /// The unfinished backup.
    async fn unfinished(&self) -> Result<Option<Backup>, StoreError>;

    /// Marks a waiting backup as running, and records the file that it is going to have.
    async fn begin(&self, id: Id, file_name: &str) -> Result<(), StoreError>;

    /// Forgets the file of a backup, which was removed.
    async fn forget_file(&self, file_name: &str) -> Result<(), StoreError>;

    /// Records how a backup ended. Of those before the newest thousand only good ones with a file stay in the log.
    async fn finish(&self, id: Id, outcome: &BackupOutcome, now: DateTime<Utc>) -> Result<(), StoreError>;
}
