//! List of links, and the job that probes them (docs/spec/live-tv.md#links-that-play).

use std::{collections::HashMap, sync::Arc};

use chrono::{Days, NaiveDate, TimeDelta};
use domain_catalogue::Kind;
use domain_kernel::{Action, Actor, Enumeration, FilterKind, Id, ListQuery, Page, Permission, Today};
use domain_live::{
    account::account,
    link::{
        DAYS_SHOWN, HostLinks, Link, LinkChange, LinkHealth, LinkOwner, LinkState, Probe, ProbeDay,
        ProbeOutcome, ProbePolicy, Redundancy, Verdict, is_network_down,
    },
};
use ports::{CatalogueLink, ClaimedLink, LinkProber, LinkRepository, ProbeTime, RedundancyCounts};
use url::Url;

use crate::{BaseUrlService, Calendar, Error, LinkRefusal, ListShape, panics::catch_panic, read_list_query};

/// Links per batch synchronized from the catalogue.
const AT_ONCE: u32 = 500;
/// Validity of a claim: longer than a probe.
const CLAIM: TimeDelta = TimeDelta::minutes(2);
/// Period for detecting hosts that fail together.
const TOGETHER: TimeDelta = TimeDelta::minutes(10);
/// Maximum delay of a probe that does not count as delayed.
const SOON: TimeDelta = TimeDelta::minutes(1);
/// Maximum hosts in the summary.
const MOST_HOSTS: u32 = 50;
/// Maximum changes of a link in a list.
const MOST_CHANGES: u32 = 200;

/// Numbers of links by state, and hosts with failing links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkSummary {
    /// Counts by state, without empty states.
    pub states: Vec<(LinkState, u64)>,
    /// Hosts, most failing links first.
    pub hosts: Vec<HostLinks>,
    /// Channels with too few playing streams.
    pub redundancy: RedundancyCounts,
    /// Whether probes are enabled.
    pub is_on: bool,
}

/// A link with a requested probe, and the earliest time that its host allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedLink {
    pub link: Link,
    /// Whether its next probe is more than a minute away.
    pub is_delayed: bool,
}

/// Use cases of links.
pub struct LinkService {
    links: Arc<dyn LinkRepository>,
    prober: Arc<dyn LinkProber>,
    base_urls: Arc<BaseUrlService>,
    calendar: Calendar,
    policy: ProbePolicy,
}

/// Last synchronized item of each kind. Held by the caller of the synchronization; a new one starts
/// at the first item.
#[derive(Debug, Default)]
pub struct CataloguePosition(HashMap<LinkOwner, Id>);

/// Permission for links: that of channels, whose staff see links too.
pub const fn link_permission(action: Action) -> Permission {
    Kind::TvChannels.permission(action)
}

impl LinkService {
    pub fn shape() -> ListShape {
        const FILTERS: &[(&str, FilterKind)] = &[
            ("state", FilterKind::Codes(LinkState::CODES)),
            ("owner", FilterKind::Code(LinkOwner::CODES)),
            ("outcome", FilterKind::Code(ProbeOutcome::CODES)),
            ("host", FilterKind::Text),
            ("redundancy", FilterKind::Code(Redundancy::CODES)),
        ];
        ListShape { page_size: 25, sorts: vec!["since", "title", "host", "probedAt"], filters: FILTERS }
    }

    pub fn new(
        links: Arc<dyn LinkRepository>,
        prober: Arc<dyn LinkProber>,
        base_urls: Arc<BaseUrlService>,
        calendar: Calendar,
        policy: ProbePolicy,
    ) -> Self {
        Self { links, prober, base_urls, calendar, policy }
    }

    /// Intervals and limits of probes.
    pub const fn policy(&self) -> &ProbePolicy {
        &self.policy
    }

    fn time(&self) -> ProbeTime {
        let Today(day) = self.calendar.today();
        ProbeTime { now: self.calendar.now(), day }
    }

    /// First day of the shown days.
    fn first_day(&self) -> NaiveDate {
        let Today(today) = self.calendar.today();
        today.checked_sub_days(Days::new(DAYS_SHOWN - 1)).unwrap_or(today)
    }

    /// A page of links. `pairs` are those of the query string.
    pub async fn list(&self, actor: &Actor, pairs: &[(String, String)]) -> Result<Page<Vec<Link>>, Error> {
        Ok(self.links.list(&Self::read_list(actor, pairs)?).await?)
    }

    /// Reads the parameters of the list.
    pub(crate) fn read_list(actor: &Actor, pairs: &[(String, String)]) -> Result<ListQuery, Error> {
        actor.require(link_permission(Action::Read))?;
        Ok(read_list_query(&Self::shape(), pairs)?)
    }

    /// Counts, and hosts with failing links.
    pub async fn summary(&self, actor: &Actor) -> Result<LinkSummary, Error> {
        actor.require(link_permission(Action::Read))?;
        let states = self.links.states().await?;
        let hosts = self.links.failing_hosts(MOST_HOSTS, self.first_day()).await?;
        let redundancy = self.links.redundancy().await?;
        Ok(LinkSummary { states, hosts, redundancy, is_on: self.policy.is_on() })
    }

    /// State changes of a link, newest first.
    pub async fn changes(&self, actor: &Actor, id: Id) -> Result<Vec<LinkChange>, Error> {
        actor.require(link_permission(Action::Read))?;
        self.links.changes(id, MOST_CHANGES).await?.ok_or(Error::NoSuch { what: "links", id })
    }

    /// Daily probe counts of a link in the last 30 days, oldest first.
    pub async fn days(&self, actor: &Actor, id: Id) -> Result<Vec<ProbeDay>, Error> {
        actor.require(link_permission(Action::Read))?;
        let first = self.first_day();
        let probed = self.links.days(id, first).await?.ok_or(Error::NoSuch { what: "links", id })?;
        Ok(every_day(first, &probed))
    }

    /// Requests a probe of a link. The result has its time: the host may be in a pause, or at its
    /// daily limit.
    pub async fn request(&self, actor: &Actor, id: Id) -> Result<RequestedLink, Error> {
        actor.require(link_permission(Action::Update))?;
        if !self.policy.is_on() {
            return Err(Error::Link(LinkRefusal::Off));
        }
        let now = self.calendar.now();
        let link = self.links.request(id, now).await?.ok_or(Error::NoSuch { what: "links", id })?;
        if !link.active {
            return Err(Error::Link(LinkRefusal::Inactive));
        }
        self.requested(link).await
    }

    /// Adjusts the time of a link's next probe by the daily limit of its host, whose pause the
    /// repository has applied. No time if probes are disabled.
    pub(crate) async fn requested(&self, mut link: Link) -> Result<RequestedLink, Error> {
        let ProbeTime { now, day } = self.time();
        let tomorrow = self.calendar.beginning_after(day);
        link.next_probe = link.next_probe.filter(|_| self.policy.is_on());
        if let Some(budget) = self.policy.budget
            && link.next_probe.is_some_and(|next| next < tomorrow)
            && self.links.probes_of(&link.host, day).await? >= u64::from(budget)
        {
            link.next_probe = Some(tomorrow);
        }
        Ok(RequestedLink { is_delayed: link.next_probe > Some(now + SOON), link })
    }

    /// Synchronizes all changes of the catalogue.
    pub async fn take_all_over(&self) -> Result<(), Error> {
        let mut position = CataloguePosition::default();
        while self.take_over(&mut position).await? {}
        Ok(())
    }

    /// Synchronizes changes of the catalogue after `position`, one batch per kind; returns whether
    /// there may be more, for a call with the same position. Restarts after the end.
    pub async fn take_over(&self, CataloguePosition(firsts): &mut CataloguePosition) -> Result<bool, Error> {
        let base_url = self.base_urls.of_channels().await?;
        let mut is_more = false;
        for owner in LinkOwner::ALL {
            let first = firsts.get(owner).copied().unwrap_or_default();
            let mut found = self.links.outdated(*owner, base_url.clone(), first, AT_ONCE).await?;
            for link in &mut found {
                locate(link);
            }
            if !found.is_empty() {
                self.links.put(&found, self.calendar.now()).await?;
            }
            let last = found.last().map(|link| link.item).filter(|_| found.len() == AT_ONCE as usize);
            is_more |= last.is_some();
            // The last item may have further streams.
            firsts.insert(*owner, last.unwrap_or_default());
        }
        if is_more {
            return Ok(true);
        }
        for owner in LinkOwner::ALL {
            is_more |= self.links.remove_orphans(*owner, AT_ONCE).await? == u64::from(AT_ONCE);
        }
        Ok(is_more)
    }

    /// Hosts with a due link and a remaining daily limit: requested probes first, then the longest
    /// overdue.
    pub async fn due_hosts(&self) -> Result<Vec<String>, Error> {
        Ok(self.links.due_hosts(self.time(), &self.policy).await?)
    }

    /// Probes a due link of a host, if the policy allows one.
    pub async fn probe_next(&self, host: &str) -> Result<bool, Error> {
        let time = self.time();
        let claimed = self.links.claim(host, time, time.now + CLAIM, &self.policy).await?;
        let Some(claimed) = claimed else { return Ok(false) };
        self.probe(&claimed).await?;
        Ok(true)
    }

    async fn probe(&self, claimed: &ClaimedLink) -> Result<(), Error> {
        // The response is untrusted: a panic of its parser is inconclusive, and must not end the
        // probes of its host.
        let probe = catch_panic(async { Ok(self.prober.probe(claimed).await) }).await;
        let probe = probe.unwrap_or_else(|error| {
            tracing::error!(link = claimed.id, %error, "failed to probe a link");
            Probe::of(ProbeOutcome::NotChecked)
        });
        let time = self.time();
        let now = time.now;
        let fails = probe.outcome.verdict() == Verdict::Fails;
        let network_is_down = fails && {
            let hosts = self.links.host_counts(now - TOGETHER).await?;
            is_network_down(hosts.probed, hosts.failing)
        };
        let after = if claimed.owner.is_live() { LinkHealth::after } else { LinkHealth::after_on_demand };
        let (changes, interval) = (claimed.recent_changes, self.policy.interval);
        let step = after(&claimed.health, &probe, now, changes, interval, network_is_down);
        if self.links.record(claimed, &probe, &step, time).await? && step.changed {
            tracing::info!(link = claimed.id, state = step.health.state.code(), "link state changed");
        }
        if probe.outcome == ProbeOutcome::Busy {
            self.links.postpone(&claimed.host, step.next).await?;
        }
        Ok(())
    }
}

/// The shown days from the first one on, including days without probes.
fn every_day(first: NaiveDate, probed: &[ProbeDay]) -> Vec<ProbeDay> {
    let days = first.iter_days().zip(0..DAYS_SHOWN).map(|(day, _)| day);
    let found = |day| probed.iter().find(|one| one.day == day).copied();
    days.map(|day| found(day).unwrap_or(ProbeDay { day, good: 0, failed: 0 })).collect()
}

/// Sets host and account from a link's URL.
pub(crate) fn locate(link: &mut CatalogueLink) {
    link.host = host_of(&link.address);
    link.account = account(&link.address).unwrap_or_default();
}

/// Host of a URL; empty without one.
pub(crate) fn host_of(address: &str) -> String {
    Url::parse(address).ok().and_then(|url| url.host_str().map(str::to_lowercase)).unwrap_or_default()
}
