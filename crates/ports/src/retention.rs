//! Removal of rows past their retention.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::StoreError;

/// Rows with a retention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aged {
    /// Sessions, by their end.
    Sessions,
    /// Idempotency keys, by their first use.
    IdempotencyKeys,
    /// Visits, by their date.
    Visits,
    /// Deliveries of webhooks, by their delivery or final failure.
    Deliveries,
    /// Bulk operations with their rows, by their end.
    Operations,
    /// Uploaded import files without an operation, by their upload.
    Sheets,
    /// Content in the trash, by its deletion.
    Trash,
    /// Entries of the audit log, by their date.
    AuditEntries,
    /// Replaced streams of channels, by their replacement.
    ReplacedStreams,
    /// Changes of links, by their date.
    LinkChanges,
    /// Links of on-demand items, by the last request.
    RequestedLinks,
    /// Probes of links by day.
    LinkDays,
    /// Probes of hosts by day.
    LinkHostDays,
    /// Hosts of links, by their last probe.
    LinkHosts,
}

/// Removes old rows in batches.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait Retention: Send + Sync {
    /// Removes at most this number of rows older than this time, in one transaction; returns their number. Items of
    /// the trash are removed with their parts, and lists of streams whole, so the last one may exceed the limit. Audit
    /// entries of items have the time `now`.
    async fn remove(
        &self,
        what: Aged,
        before: DateTime<Utc>,
        now: DateTime<Utc>,
        most: u32,
    ) -> Result<u64, StoreError>;
}
