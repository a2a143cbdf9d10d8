//! Links and their probes.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain_kernel::{Id, ListQuery, Page};
use domain_live::link::{
    HostLinks, Link, LinkChange, LinkHealth, LinkOwner, LinkState, Probe, ProbeDay, ProbePolicy, Step,
};

use crate::StoreError;

/// An item's link as the catalogue has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueLink {
    /// What kind of item it belongs to.
    pub owner: LinkOwner,
    /// The item.
    pub item: Id,
    /// The number of the stream; 0 for the only one, and for all of a film or another item.
    pub stream: i64,
    /// The id of the link of a film or another item; empty for a channel and a station.
    pub key: String,
    /// Its place among the streams of the item, from 0.
    pub position: i32,
    /// What the stream is called.
    pub label: Option<String>,
    /// What the item is called.
    pub title: String,
    /// The address that players open.
    pub address: String,
    /// The host of it.
    pub host: String,
    /// The account of the host that it is opened with; empty where it has no credentials.
    pub account: String,
    /// Whether it is to be probed: the item is active, or switched off by the service.
    pub active: bool,
    /// When somebody last requested a link of a film or another item; `None` for a channel and a station.
    pub requested_at: Option<DateTime<Utc>>,
    /// Whether the service has switched the item off, and nobody has activated it since.
    pub switched_off: bool,
}

/// A link that a probe is on its way to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedLink {
    /// Which link.
    pub id: Id,
    /// What kind of item it belongs to.
    pub owner: LinkOwner,
    /// Where it is.
    pub address: String,
    /// Its host.
    pub host: String,
    /// The headers that its players send.
    pub headers: Vec<(String, String)>,
    /// What is known of it.
    pub health: LinkHealth,
    /// The newest segment that the last probe saw, if that is a minute ago or longer.
    pub sequence: Option<u64>,
    /// How often it changed within the last 24 hours.
    pub recent_changes: u32,
    /// When it was claimed: a probe that is requested later is another one.
    pub claimed_at: DateTime<Utc>,
    /// Until when nobody else probes it; names this claim.
    pub until: DateTime<Utc>,
}

/// When a probe is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeTime {
    /// Now.
    pub now: DateTime<Utc>,
    /// The day that it is where the service is: probes are counted by it.
    pub day: NaiveDate,
}

/// Channels with too few streams that play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RedundancyCounts {
    /// Those whose streams are all down.
    pub none: u64,
    /// Those with one stream that isn't.
    pub single: u64,
}

/// Probes of hosts in the last minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostCounts {
    /// Hosts that were probed.
    pub probed: u64,
    /// Those of them whose links all failed.
    pub failing: u64,
}

/// Probes a link.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait LinkProber: Send + Sync {
    /// One probe: what is there.
    async fn probe(&self, link: &ClaimedLink) -> Probe;
}

/// Keeps links.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait LinkRepository: Send + Sync {
    /// Streams of items, from the item `first` on, whose link is missing or differs, by item and place, at most so
    /// many. `base_url` goes before the numbers of INTERNAL channels; without it they have no address. Host and account
    /// are left empty.
    async fn outdated(
        &self,
        owner: LinkOwner,
        base_url: Option<String>,
        first: Id,
        most: u32,
    ) -> Result<Vec<CatalogueLink>, StoreError>;

    /// Adds these links, or puts them in the place of what there is. One with another address is unknown again, and is due;
    /// one that is down is requested where its item was activated.
    async fn put(&self, links: &[CatalogueLink], now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Removes links whose item or stream is gone, at most so many; answers how many.
    async fn remove_orphans(&self, owner: LinkOwner, most: u32) -> Result<u64, StoreError>;

    /// Hosts with a link that is due, those first with one that was requested, then those that wait for longest; without those that have had all probes of the day.
    async fn due_hosts(&self, at: ProbeTime, policy: &ProbePolicy) -> Result<Vec<String>, StoreError>;

    /// Claims a link of a host that is due, and counts the probe: nobody else gets it until then. First comes what was requested,
    /// then what is suspect or recovers, then what is due for longest. None is claimed in the
    /// pause after the last claim, beyond the probes of the day or those at a time, or of an account that is in use.
    async fn claim(
        &self,
        host: &str,
        at: ProbeTime,
        until: DateTime<Utc>,
        policy: &ProbePolicy,
    ) -> Result<Option<ClaimedLink>, StoreError>;

    /// Writes down what a probe found, what follows, the change, if it is one, and counts it by day. A link whose probe was
    /// requested since the claim stays due. Answers whether the claim still stood.
    async fn record(
        &self,
        claimed: &ClaimedLink,
        probe: &Probe,
        step: &Step,
        at: ProbeTime,
    ) -> Result<bool, StoreError>;

    /// Leaves a host alone until then.
    async fn postpone(&self, host: &str, until: DateTime<Utc>) -> Result<(), StoreError>;

    /// Hosts that were probed since then. Links that are down, or failed as often since before, are left out.
    async fn host_counts(&self, since: DateTime<Utc>) -> Result<HostCounts, StoreError>;

    /// Makes a link due now, before all others of its host, if it is active.
    async fn request(&self, id: Id, now: DateTime<Utc>) -> Result<Option<Link>, StoreError>;

    /// How many probes a host has had on a day.
    async fn probes_of(&self, host: &str, day: NaiveDate) -> Result<u64, StoreError>;

    /// A page of the list. Filters: `state`, `owner`, `host`, `outcome`, `redundancy`. The search looks in titles.
    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<Link>>, StoreError>;

    /// Links that are probed, by state.
    async fn states(&self) -> Result<Vec<(LinkState, u64)>, StoreError>;

    /// Active channels with too few streams that play.
    async fn redundancy(&self) -> Result<RedundancyCounts, StoreError>;

    /// Hosts with links that fail, the most first, at most so many, with their days since then.
    async fn failing_hosts(&self, most: u32, since: NaiveDate) -> Result<Vec<HostLinks>, StoreError>;

    /// Probes of a link by day since then, the oldest first; `None` where there is no such link.
    async fn days(&self, id: Id, since: NaiveDate) -> Result<Option<Vec<ProbeDay>>, StoreError>;

    /// The changes of a link, newest first, at most so many; `None` where there is no such link.
    async fn changes(&self, id: Id, most: u32) -> Result<Option<Vec<LinkChange>>, StoreError>;
}
