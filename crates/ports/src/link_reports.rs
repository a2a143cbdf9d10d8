//! Links and the reports on their channels.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::Id;
use domain_live::link::Link;

use crate::StoreError;

/// A link of a channel that somebody reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedLink {
    /// The link.
    pub link: Link,
    /// Since when it has its address; `None` where that was never changed.
    pub address_since: Option<DateTime<Utc>>,
    /// When it last came up after it was down; `None` where it never did.
    pub came_up: Option<DateTime<Utc>>,
}

/// Which reports wait for a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportedSpan {
    /// Reports after this.
    pub since: DateTime<Utc>,
    /// Links that were not probed after this.
    pub probed_before: DateTime<Utc>,
    /// Now.
    pub now: DateTime<Utc>,
}

/// Brings reports and links together.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait LinkReports: Send + Sync {
    /// Makes links due now on whose channel there is an open report of a playback problem that is newer than the last
    /// probe. Answers how many.
    async fn request_reported(&self, span: ReportedSpan) -> Result<u64, StoreError>;

    /// The links of a channel, in their order.
    async fn of_channel(&self, channel: Id) -> Result<Vec<ReportedLink>, StoreError>;
}
