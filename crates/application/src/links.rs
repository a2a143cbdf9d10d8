//! Links that play: the list, and the job that probes them (docs/spec/live-tv.md#links-that-play).

use std::{collections::HashMap, sync::Arc};

use chrono::{Days, NaiveDate, TimeDelta};
use domain_catalogue::Kind;
use domain_kernel::{Action, Actor, Enumeration, FilterKind, Id, Page, Permission, Today};
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

/// Links that are taken over from the catalogue in one go.
const AT_ONCE: u32 = 500;
/// How long a claim stands: longer than a probe takes.
const CLAIM: TimeDelta = TimeDelta::minutes(2);
/// The time in which hosts that fail together are looked for.
const TOGETHER: TimeDelta = TimeDelta::minutes(10);
/// A probe that is further away is delayed.
const SOON: TimeDelta = TimeDelta::minutes(1);
/// Hosts that are shown.
const MOST_HOSTS: u32 = 50;
/// Changes of a link that are shown.
const MOST_CHANGES: u32 = 200;

/// How many links are in which state, and which hosts have links that fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkSummary {
    /// Counts by state; a state without links is not there.
    pub states: Vec<(LinkState, u64)>,
    /// Hosts, the most failing links first.
    pub hosts: Vec<HostLinks>,
    /// Channels with too few streams that play.
    pub redundancy: RedundancyCounts,
    /// Whether links are probed at all.
    pub is_on: bool,
}

/// A link whose probe was requested, with its next probe as its host lets it through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedLink {
    /// The link as it is until then.
    pub link: Link,
    /// Whether its next probe is more than a minute away.
    pub is_delayed: bool,
}

/// The use cases of links.
pub struct LinkService {
    links: Arc<dyn LinkRepository>,
    prober: Arc<dyn LinkProber>,
    base_urls: Arc<BaseUrlService>,
    calendar: Calendar,
    policy: ProbePolicy,
}

/// Up to which item of each kind the catalogue was looked through. Whoever looks through it holds this; a new one begins at the
/// first item.
#[derive(Debug, Default)]
pub struct CataloguePosition(HashMap<LinkOwner, Id>);

/// Links are of channels and stations: whoever keeps channels, sees them.
pub const fn link_permission(action: Action) -> Permission {
    Kind::TvChannels.permission(action)
}

impl LinkService {
    /// The parameters of the list.
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

    /// The use cases over their ports.
    pub fn new(
        links: Arc<dyn LinkRepository>,
        prober: Arc<dyn LinkProber>,
        base_urls: Arc<BaseUrlService>,
        calendar: Calendar,
        policy: ProbePolicy,
    ) -> Self {
        Self { links, prober, base_urls, calendar, policy }
    }

    /// When links are probed, and how many at a time.
    pub const fn policy(&self) -> &ProbePolicy {
        &self.policy
    }

    fn time(&self) -> ProbeTime {
        let Today(day) = self.calendar.today();
        ProbeTime { now: self.calendar.now(), day }
    }

    /// The first of the days that are shown.
    fn first_day(&self) -> NaiveDate {
        let Today(today) = self.calendar.today();
        today.checked_sub_days(Days::new(DAYS_SHOWN - 1)).unwrap_or(today)
    }

    /// A page of the links. `pairs` are those of the query string.
    pub async fn list(&self, actor: &Actor, pairs: &[(String, String)]) -> Result<Page<Vec<Link>>, Error> {
        actor.require(link_permission(Action::Read))?;
        Ok(self.links.list(&read_list_query(&Self::shape(), pairs)?).await?)
    }

    /// Counts, and hosts with links that fail.
    pub async fn summary(&self, actor: &Actor) -> Result<LinkSummary, Error> {
        actor.require(link_permission(Action::Read))?;
        let states = self.links.states().await?;
        let hosts = self.links.failing_hosts(MOST_HOSTS, self.first_day()).await?;
        let redundancy = self.links.redundancy().await?;
        Ok(LinkSummary { states, hosts, redundancy, is_on: self.policy.is_on() })
    }

    /// When a link went down and came up, newest first.
    pub async fn changes(&self, actor: &Actor, id: Id) -> Result<Vec<LinkChange>, Error> {
        actor.require(link_permission(Action::Read))?;
        self.links.changes(id, MOST_CHANGES).await?.ok_or(Error::NoSuch { what: "links", id })
    }

    /// Probes of a link on each of the last 30 days, the oldest first.
    pub async fn days(&self, actor: &Actor, id: Id) -> Result<Vec<ProbeDay>, Error> {
        actor.require(link_permission(Action::Read))?;
        let first = self.first_day();
        let probed = self.links.days(id, first).await?.ok_or(Error::NoSuch { what: "links", id })?;
        Ok(every_day(first, &probed))
    }

    /// Has a link probed next. The answer says when: its host may be in a pause, or have had all probes of the day.
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

    /// When a link that was read is probed next: its repository respects the pause of its host, this the probes of the day. Never
    /// where links are not probed.
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

    /// Takes over all that changed in the catalogue.
    pub async fn take_all_over(&self) -> Result<(), Error> {
        let mut position = CataloguePosition::default();
        while self.take_over(&mut position).await? {}
        Ok(())
    }

    /// Takes over what changed in the catalogue behind `position`, one slice of each kind; answers whether there may be more, to
    /// be called for with the same position. At the end it begins again.
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
            // Of the last item there may be further streams.
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

    /// Hosts with a link that is due and probes left today: those first with one that was requested, then those that wait for
    /// longest.
    pub async fn due_hosts(&self) -> Result<Vec<String>, Error> {
        Ok(self.links.due_hosts(self.time(), &self.policy).await?)
    }

    /// Probes a link of a host that is due, if there still is one that the policy lets through.
    pub async fn probe_next(&self, host: &str) -> Result<bool, Error> {
        let time = self.time();
        let claimed = self.links.claim(host, time, time.now + CLAIM, &self.policy).await?;
        let Some(claimed) = claimed else { return Ok(false) };
        self.probe(&claimed).await?;
        Ok(true)
    }

    async fn probe(&self, claimed: &ClaimedLink) -> Result<(), Error> {
        // What came is of strangers: a panic of its parser says nothing of the link, and must not end the probes of its host.
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
            tracing::info!(link = claimed.id, state = step.health.state.code(), "link changed its state");
        }
        if probe.outcome == ProbeOutcome::Busy {
            self.links.postpone(&claimed.host, step.next).await?;
        }
        Ok(())
    }
}

/// The days that are shown, from the first one on, those without probes too.
fn every_day(first: NaiveDate, probed: &[ProbeDay]) -> Vec<ProbeDay> {
    let days = first.iter_days().zip(0..DAYS_SHOWN).map(|(day, _)| day);
    let found = |day| probed.iter().find(|one| one.day == day).copied();
    days.map(|day| found(day).unwrap_or(ProbeDay { day, good: 0, failed: 0 })).collect()
}

/// Which host the address of a link opens, and with which account.
pub(crate) fn locate(link: &mut CatalogueLink) {
    link.host = host_of(&link.address);
    link.account = account(&link.address).unwrap_or_default();
}

/// The host of an address; empty where it has none.
fn host_of(address: &str) -> String {
    Url::parse(address).ok().and_then(|url| url.host_str().map(str::to_lowercase)).unwrap_or_default()
}
