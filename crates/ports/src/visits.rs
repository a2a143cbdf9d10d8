//! The store of visits: ten million rows, never updated.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain_audience::{DayOfVisits, SeenDevice, Visit, VisitKind, VisitReport};
use domain_kernel::{ListQuery, Page};

use crate::{IdempotencyKey, Inserted, StoreError};

/// Filter of visits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VisitFilter {
    /// In any case.
    pub username: Option<String>,
    pub kind: Option<VisitKind>,
    /// Inclusive.
    pub from: Option<DateTime<Utc>>,
    /// Exclusive.
    pub to: Option<DateTime<Utc>>,
}

/// Stores visits.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait VisitRepository: Send + Sync {
    /// Response stored under this key.
    async fn answered(&self, once: &IdempotencyKey) -> Result<Option<Inserted<u64>>, StoreError>;

    /// Records the visits of a request in one transaction, idempotently under its key. A viewer's sign-in
    /// counts for the viewer.
    async fn record(
        &self,
        visits: &[VisitReport],
        source: &str,
        now: DateTime<Utc>,
        once: &IdempotencyKey,
    ) -> Result<Inserted<u64>, StoreError>;

    /// A page of the list, newest first by default.
    async fn list(&self, filter: &VisitFilter, query: &ListQuery) -> Result<Page<Vec<Visit>>, StoreError>;

    /// Number of visits on each of these consecutive days: `days` has the start of each day, and the end of
    /// the last.
    async fn per_day(
        &self,
        username: Option<String>,
        kind: Option<VisitKind>,
        days: &[(NaiveDate, DateTime<Utc>)],
        end: DateTime<Utc>,
    ) -> Result<Vec<DayOfVisits>, StoreError>;

    /// Devices of a user's visits since a time, by last use descending, limited.
    async fn devices(
        &self,
        username: &str,
        from: DateTime<Utc>,
        most: u32,
    ) -> Result<Vec<SeenDevice>, StoreError>;
}
