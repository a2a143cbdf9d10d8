//! The store of visits: ten million of them, never changed.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain_audience::{DayOfVisits, SeenDevice, Visit, VisitKind, VisitReport};
use domain_kernel::{ListQuery, Page};

use crate::{IdempotencyKey, Inserted, StoreError};

/// Which visits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VisitFilter {
    /// Of whom, in any case.
    pub username: Option<String>,
    /// What for.
    pub kind: Option<VisitKind>,
    /// From this moment on.
    pub from: Option<DateTime<Utc>>,
    /// Before this moment.
    pub to: Option<DateTime<Utc>>,
}

/// Keeps visits.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait VisitRepository: Send + Sync {
    /// What was answered under this key.
    async fn answered(&self, once: &IdempotencyKey) -> Result<Option<Inserted<u64>>, StoreError>;

    /// Records what a program reports: all of it or nothing, once for its key. A viewer's sign-in counts for the viewer.
    async fn record(
        &self,
        visits: &[VisitReport],
        source: &str,
        now: DateTime<Utc>,
        once: &IdempotencyKey,
    ) -> Result<Inserted<u64>, StoreError>;

    /// A page of the list, newest first by default.
    async fn list(&self, filter: &VisitFilter, query: &ListQuery) -> Result<Page<Vec<Visit>>, StoreError>;

    /// How many came on each of these days, which follow one another: each with its first moment, and the first moment
    /// after the last.
    async fn per_day(
        &self,
        username: Option<String>,
        kind: Option<VisitKind>,
        days: &[(NaiveDate, DateTime<Utc>)],
        end: DateTime<Utc>,
    ) -> Result<Vec<DayOfVisits>, StoreError>;

    /// The devices of a user's visits from a moment on, the last seen first; at most this many.
    async fn devices(
        &self,
        username: &str,
        from: DateTime<Utc>,
        most: u32,
    ) -> Result<Vec<SeenDevice>, StoreError>;
}
