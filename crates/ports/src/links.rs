//! Links and their probes.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain_kernel::{Id, ListQuery, Page};
use domain_live::link::{
    HostLinks, Link, LinkChange, LinkHealth, LinkOwner, LinkState, Probe, ProbeDay, ProbePolicy, Step,
};

use crate::StoreError;

/// A link of an item in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueLink {
    /// Kind of the item.
    pub owner: LinkOwner,
    pub item: Id,
    /// Number of the stream; 0 for the only one, and for all of an on-demand item.
    pub stream: i64,
    /// Id of the link of an on-demand item; empty for a channel and a station.
    pub key: String,
    /// Zero-based position among the streams of the item.
    pub position: i32,
    /// Label of the stream.
    pub label: Option<String>,
    /// Title of the item.
    pub title: String,
    /// URL for players.
    pub address: String,
    pub host: String,
    /// Account of the host; empty without credentials.
    pub account: String,
    /// Whether it is probed: the item is active, or switched off by the service.
    pub active: bool,
    /// Time of the last request of a link of an on-demand item; `None` for a channel and a station.
    pub requested_at: Option<DateTime<Utc>>,
    /// Whether the service has switched the item off and no user has activated it since.
    pub switched_off: bool,
}

/// A link claimed for a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedLink {
    pub id: Id,
    /// Kind of the item.
    pub owner: LinkOwner,
    pub address: String,
    pub host: String,
    /// Request headers of players.
    pub headers: Vec<(String, String)>,
    /// State before the probe.
    pub health: LinkHealth,
    /// Newest segment in the last probe, if that was at least a minute ago.
    pub sequence: Option<u64>,
    /// Number of changes in the last 24 hours.
    pub recent_changes: u32,
    /// Time of the claim; a later request needs another probe.
    pub claimed_at: DateTime<Utc>,
    /// End of the claim, which also identifies it.
    pub until: DateTime<Utc>,
}

/// Time of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeTime {
    pub now: DateTime<Utc>,
    /// Local day of the service, by which probes are counted.
    pub day: NaiveDate,
}

/// Numbers of channels with too few playing streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RedundancyCounts {
    /// Channels whose streams are all down.
    pub none: u64,
    /// Channels with one stream that is not down.
    pub single: u64,
}

/// Results of the hosts probed in the last minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostCounts {
    /// Number of probed hosts.
    pub probed: u64,
    /// Number of probed hosts whose links all failed.
    pub failing: u64,
}

/// Probes a link.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait LinkProber: Send + Sync {
    /// Performs one probe.
    async fn probe(&self, link: &ClaimedLink) -> Probe;
}

/// Stores links.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait LinkRepository: Send + Sync {
    /// Streams of items, from the item `first` on, whose link is missing or differs, by item and position,
    /// limited. `base_url` is the prefix of the numbers of INTERNAL channels, which have no address without
    /// it. Host and account are empty.
    async fn outdated(
        &self,
        owner: LinkOwner,
        base_url: Option<String>,
        first: Id,
        most: u32,
    ) -> Result<Vec<CatalogueLink>, StoreError>;

    /// Inserts or updates these links. A link with another address is unknown again and due; a link that is
    /// down is requested where its item was activated.
    async fn put(&self, links: &[CatalogueLink], now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Removes links whose item or stream was removed, limited; returns their number.
    async fn remove_orphans(&self, owner: LinkOwner, most: u32) -> Result<u64, StoreError>;

    /// Hosts with a due link, requested ones first, then by waiting time; without hosts that have used up the
    /// probes of the day.
    async fn due_hosts(&self, at: ProbeTime, policy: &ProbePolicy) -> Result<Vec<String>, StoreError>;

    /// Claims a due link of a host, and counts the probe; no other process gets it before the claim ends.
    /// Requested links come first, then suspect and recovering ones, then by waiting time. None is claimed in
    /// the pause after the last claim, beyond the limit of probes per day or of concurrent probes, or of an
    /// account in use.
    async fn claim(
        &self,
        host: &str,
        at: ProbeTime,
        until: DateTime<Utc>,
        policy: &ProbePolicy,
    ) -> Result<Option<ClaimedLink>, StoreError>;

    /// Records the result of a probe, the next state and the change, if any, and counts it by day. A link
    /// requested since the claim stays due. Returns whether the claim was still valid.
    async fn record(
        &self,
        claimed: &ClaimedLink,
        probe: &Probe,
        step: &Step,
        at: ProbeTime,
    ) -> Result<bool, StoreError>;

    /// Suspends probes of a host until then.
    async fn postpone(&self, host: &str, until: DateTime<Utc>) -> Result<(), StoreError>;

    /// Results of hosts probed since then. Links that are down, or failing since before, are ignored.
    async fn host_counts(&self, since: DateTime<Utc>) -> Result<HostCounts, StoreError>;

    /// Makes an active link due now, before all others of its host.
    async fn request(&self, id: Id, now: DateTime<Utc>) -> Result<Option<Link>, StoreError>;

    /// Number of probes of a host on a day.
    async fn probes_of(&self, host: &str, day: NaiveDate) -> Result<u64, StoreError>;

    /// A page of the list. Filters: `state`, `owner`, `host`, `outcome`, `redundancy`. The search covers
    /// titles.
    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<Link>>, StoreError>;

    /// Number of probed links by state.
    async fn states(&self) -> Result<Vec<(LinkState, u64)>, StoreError>;

    /// Numbers of active channels with too few playing streams.
    async fn redundancy(&self) -> Result<RedundancyCounts, StoreError>;

    /// Hosts with failing links, the most first, limited, each with its days since then.
    async fn failing_hosts(&self, most: u32, since: NaiveDate) -> Result<Vec<HostLinks>, StoreError>;

    /// Probes of a link by day since then, oldest first; `None` where the link does not exist.
    async fn days(&self, id: Id, since: NaiveDate) -> Result<Option<Vec<ProbeDay>>, StoreError>;

    /// Changes of a link, newest first, limited; `None` where the link does not exist.
    async fn changes(&self, id: Id, most: u32) -> Result<Option<Vec<LinkChange>>, StoreError>;
}
