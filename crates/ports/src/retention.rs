//! Removing what has reached its age.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::StoreError;

/// What is removed once it has reached its age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aged {
    /// Sessions, from their end on.
    Sessions,
    /// Idempotency keys, from their first use on.
    IdempotencyKeys,
    /// Visits, from their date on.
    Visits,
    /// Deliveries of webhooks, from when they were delivered or failed for good.
    Deliveries,
    /// Bulk operations with their rows, from their end on.
    Operations,
    /// Files that were uploaded for an import and that no operation is about, from their upload on.
    Sheets,
    /// Content in the trash, from its deletion on.
    Trash,
    /// Entries of the audit log, from their date on.
    AuditEntries,
    /// Changes of links, from their date on.
    LinkChanges,
    /// Links of films and other items, from when somebody last requested them on.
    RequestedLinks,
    /// Probes of links by day, from their day on.
    LinkDays,
    /// Probes of hosts by day, from their day on.
    LinkHostDays,
    /// Hosts of links, from their last probe on.
    LinkHosts,
}

/// Removes old rows, a bounded number at a time.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait Retention: Send + Sync {
    /// Removes at most so many whose age counts from before this time, in one transaction; answers how many.
    async fn remove(&self, what: Aged, before: DateTime<Utc>, most: u32) -> Result<u64, StoreError>;
}
