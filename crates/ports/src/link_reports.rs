//! Links and the reports on their items.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::Id;
use domain_live::link::{Link, LinkOwner};

use crate::StoreError;

/// A link of a reported item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedLink {
    pub link: Link,
    /// Date of the last change of the address; `None` if it was never changed.
    pub address_since: Option<DateTime<Utc>>,
    /// Time of the last recovery; `None` if it never recovered.
    pub came_up: Option<DateTime<Utc>>,
    /// Whether players get this link while it is up.
    pub is_played: bool,
}

/// Selection of reports that a probe may answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportedSpan {
    /// Reports after this time.
    pub since: DateTime<Utc>,
    /// Links without a probe after this time.
    pub probed_before: DateTime<Utc>,
    pub now: DateTime<Utc>,
}

/// Relates reports to links.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait LinkReports: Send + Sync {
    /// Makes links of channels and stations due now whose item has an open report of a playback problem newer
    /// than the last probe. Returns their number.
    async fn request_reported(&self, span: ReportedSpan) -> Result<u64, StoreError>;

    /// On-demand items with an open report of a playback problem whose links were not requested since,
    /// limited.
    async fn reported_items(&self, span: ReportedSpan, most: u32)
    -> Result<Vec<(LinkOwner, Id)>, StoreError>;

    /// Links of an item, in order.
    async fn of_item(&self, owner: LinkOwner, item: Id) -> Result<Vec<ReportedLink>, StoreError>;

    /// The items among these with a playing link that players get and that was down before, each with the time
    /// of the last recovery.
    async fn came_up(
        &self,
        items: &[(LinkOwner, Id)],
    ) -> Result<Vec<(LinkOwner, Id, DateTime<Utc>)>, StoreError>;

    /// Open reports of a playback problem, not changed since a link of their item recovered after `since`
    /// that still plays and that players get; limited.
    async fn recovered(&self, since: DateTime<Utc>, most: u32) -> Result<Vec<Id>, StoreError>;
}
