//! The trash.

use chrono::{DateTime, Utc};
use domain_kernel::{Id, Kind};

/// Retention of content in the trash, in days (docs/spec/content.md#trash).
pub const TRASH_DAYS: i64 = 30;

/// An item of the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrashEntry {
    pub kind: Kind,
    /// Its id, which is kept by a restoration.
    pub item: Id,
    /// Display name.
    pub title: String,
    /// Time of the deletion.
    pub deleted_date: DateTime<Utc>,
    /// User name of the user who deleted it.
    pub deleted_by: Option<String>,
    /// Number of seasons and episodes deleted with it.
    pub parts: u64,
}
