//! How well guides cover the channels that use them, and why channels have none (docs/spec/schedule.md#guide-health).

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Action, Actor, Id, ListQuery};
use domain_live::{
    guide_fetch::GuideFetch,
    health::{Coverage, Slot, coverage},
    schedule::{ScheduleSpan, WithoutGuide},
};
use ports::{GuideStore, ScheduleRepository};

use crate::{Calendar, Error, guide_permission};

/// Channels that are looked at in one go.
const AT_ONCE: u32 = 100;
/// A guide that was not read for so many of its turns is stale.
const TURNS: i32 = 2;

/// What a time has of all channels of a guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GuideCoverage {
    /// Hundredths of the time of all channels.
    pub percent: u8,
    /// Times of over 30 minutes without a programme.
    pub gaps: u64,
    /// Programmes that begin before the one before them ends.
    pub overlaps: u64,
    /// Programmes that say nothing.
    pub placeholders: u64,
}

/// How a guide is.
#[derive(Debug, Clone, PartialEq)]
pub struct GuideHealth {
    /// Its newest fetch.
    pub fetch: GuideFetch,
    /// Active channels that have their programmes from it.
    pub channels: u64,
    /// The next 24 hours.
    pub day: GuideCoverage,
    /// The next 72 hours.
    pub three_days: GuideCoverage,
    /// Its channels that nothing uses.
    pub unused: u64,
    /// It was not read for two of its turns, or its last programme ends within a day.
    pub stale: bool,
}

/// How guides are, and which channels have none.
#[derive(Debug)]
pub struct Health {
    /// Guides by id.
    pub guides: Vec<GuideHealth>,
    /// Active channels.
    pub channels: u64,
    /// Active channels without programmes, by reason.
    pub without: BTreeMap<WithoutGuide, u64>,
}

#[derive(Default)]
struct Sum {
    channels: u64,
    day: Coverage,
    three_days: Coverage,
}

/// The use cases of the health of guides.
pub struct GuideHealthService {
    guides: Arc<dyn GuideStore>,
    schedule: Arc<dyn ScheduleRepository>,
    calendar: Calendar,
}

fn add(sum: &mut Coverage, more: Coverage) {
    sum.covered += more.covered;
    sum.gaps += more.gaps;
    sum.overlaps += more.overlaps;
    sum.placeholders += more.placeholders;
}

fn share(sum: Coverage, channels: u64, length: TimeDelta) -> GuideCoverage {
    let whole = i64::try_from(channels).unwrap_or(i64::MAX).saturating_mul(length.num_seconds());
    // Rounded down: a hundred is all of it.
    let percent = (sum.covered * 100).checked_div(whole).unwrap_or_default();
    GuideCoverage {
        percent: u8::try_from(percent).unwrap_or(100),
        gaps: sum.gaps,
        overlaps: sum.overlaps,
        placeholders: sum.placeholders,
    }
}

fn is_stale(fetch: &GuideFetch, now: DateTime<Utc>) -> bool {
    let pause = TimeDelta::hours(fetch.settings.refresh_hours.into()) * TURNS;
    fetch.active
        && (fetch.last_good_date.is_none_or(|last| last + pause < now)
            || fetch.newest_programme.is_none_or(|end| end < now + TimeDelta::days(1)))
}

impl GuideHealthService {
    /// The use cases over their ports.
    pub fn new(
        guides: Arc<dyn GuideStore>,
        schedule: Arc<dyn ScheduleRepository>,
        calendar: Calendar,
    ) -> Self {
        Self { guides, schedule, calendar }
    }

    /// How all guides are.
    pub async fn health(&self, actor: &Actor) -> Result<Health, Error> {
        actor.require(guide_permission(Action::Read))?;
        let now = self.calendar.now();
        let (day, three_days) = (TimeDelta::days(1), TimeDelta::days(3));
        let span = ScheduleSpan { from: now, to: now + three_days };
        let mut sums: HashMap<Id, Sum> = HashMap::new();
        let mut without: BTreeMap<WithoutGuide, u64> = BTreeMap::new();
        let mut query = ListQuery { size: AT_ONCE, ..ListQuery::default() };
        let channels = loop {
            let page = self.schedule.channels(span, &query).await?;
            let ids: Vec<Id> = page.content.iter().filter_map(|one| one.link.guide_channel).collect();
            let mut slots: HashMap<Id, Vec<Slot>> = HashMap::new();
            for (channel, programme) in self.schedule.programmes(&ids, span).await? {
                let slot = Slot { start: programme.start, stop: programme.stop, title: programme.title };
                slots.entry(channel).or_default().push(slot);
            }
            for one in &page.content {
                if let Some(fault) = one.link.fault() {
                    *without.entry(fault).or_default() += 1;
                }
                let (Some((guide, ..)), Some(channel)) = (one.link.guide, one.link.guide_channel) else {
                    continue;
                };
                let own = slots.get(&channel).map(Vec::as_slice).unwrap_or_default();
                let sum = sums.entry(guide).or_default();
                sum.channels += 1;
                let of = |length: TimeDelta| coverage(own, now.timestamp(), (now + length).timestamp());
                add(&mut sum.day, of(day));
                add(&mut sum.three_days, of(three_days));
            }
            query.page += 1;
            if query.page >= page.total_pages {
                break page.total_elements;
            }
        };
        let unused: HashMap<Id, u64> = self.guides.unused().await?.into_iter().collect();
        let health = |fetch: GuideFetch| {
            let sum = sums.remove(&fetch.guide).unwrap_or_default();
            GuideHealth {
                channels: sum.channels,
                day: share(sum.day, sum.channels, day),
                three_days: share(sum.three_days, sum.channels, three_days),
                unused: unused.get(&fetch.guide).copied().unwrap_or_default(),
                stale: is_stale(&fetch, now),
                fetch,
            }
        };
        let guides = self.guides.fetches().await?.into_iter().map(health).collect();
        Ok(Health { guides, channels, without })
    }
}
