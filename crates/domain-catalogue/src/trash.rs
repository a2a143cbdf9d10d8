//! What was deleted.

use chrono::{DateTime, Utc};
use domain_kernel::{Id, Kind};

/// How long content stays in the trash, in days (docs/spec/content.md#trash).
pub const TRASH_DAYS: i64 = 30;

/// An item of the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrashEntry {
    /// Of which kind.
    pub kind: Kind,
    /// Its id, which it gets back.
    pub item: Id,
    /// What it was called.
    pub title: String,
    /// When it was deleted.
    pub deleted_date: DateTime<Utc>,
    /// The username of who deleted it.
    pub deleted_by: Option<String>,
    /// How many seasons and episodes were deleted with it.
    pub parts: u64,
}
