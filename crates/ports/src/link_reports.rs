//! Links and the reports on their items.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::Id;
use domain_live::link::{Link, LinkOwner};

use crate::StoreError;

/// A link of an item that somebody reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedLink {
    /// The link.
    pub link: Link,
    /// Since when it has its address; `None` where that was never changed.
    pub address_since: Option<DateTime<Utc>>,
    /// When it last came up after it was down; `None` where it never did.
    pub came_up: Option<DateTime<Utc>>,
    /// Whether players get it, where it is up.
    pub is_played: bool,
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
    /// Makes links of channels and stations due now on whose item there is an open report of a playback problem that is newer than the last
    /// probe. Answers how many.
    async fn request_reported(&self, span: ReportedSpan) -> Result<u64, StoreError>;

    /// Films and other items with an open report of a playback problem whose links nobody requested since, at most so many.
    async fn reported_items(&self, span: ReportedSpan, most: u32)
    -> Result<Vec<(LinkOwner, Id)>, StoreError>;

    /// The links of an item, in their order.
    async fn of_item(&self, owner: LinkOwner, item: Id) -> Result<Vec<ReportedLink>, StoreError>;

    /// Of these items, those with a link that players get, which plays and was down before, and when the last of them came up.
    async fn came_up(
        &self,
        items: &[(LinkOwner, Id)],
    ) -> Result<Vec<(LinkOwner, Id, DateTime<Utc>)>, StoreError>;

    /// Open reports of a playback problem that nobody changed since a link of their item came up, where that was after
    /// `since`, it still plays and players get it; at most so many.
    async fn recovered(&self, since: DateTime<Utc>, most: u32) -> Result<Vec<Id>, StoreError>;
}
