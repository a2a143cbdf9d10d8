//! Coverage of channels by their guides, and reasons for channels without programmes
//! (docs/spec/schedule.md#guide-health).

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Action, Actor, Id};
use domain_live::{
    distance::{FARTHEST, Shown, constant_distance},
    guide_fetch::GuideFetch,
    health::{Coverage, Slot, coverage, is_placeholder_title},
    schedule::{ScheduleChannel, ScheduleSpan, WithoutGuide},
};
use ports::{GuideStore, ScheduleRepository};

use crate::{
    Calendar, Error, guide_permission,
    schedule::{by_shift, source_of},
};

/// Channels per read.
const AT_ONCE: u32 = 500;
/// Maximum channels of a guide, and programmes of each, compared with other guides.
const COMPARED_CHANNELS: usize = 8;
const COMPARED_PROGRAMMES: usize = 24;

/// Coverage of a guide's channels in a time span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GuideCoverage {
    /// Covered percentage of the channels' time.
    pub percent: u8,
    /// Gaps of over 30 minutes without a programme.
    pub gaps: u64,
    /// Programmes that begin before the end of the previous one.
    pub overlaps: u64,
    /// Placeholder programmes.
    pub placeholders: u64,
}

/// Health of a guide.
#[derive(Debug, Clone, PartialEq)]
pub struct GuideHealth {
    pub fetch: GuideFetch,
    /// Number of active channels that use the guide.
    pub channels: u64,
    /// Coverage of the next 24 hours.
    pub day: GuideCoverage,
    /// Coverage of the next 72 hours.
    pub three_days: GuideCoverage,
    /// Number of the guide's channels without use.
    pub unused: u64,
    /// Whether the guide missed two intervals, or its last programme ends within a day.
    pub stale: bool,
    /// Guide with the same titles at a constant offset.
    pub shift: Option<SuspectedShift>,
}

/// Constant offset against another guide: one of the two has times in an undeclared time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SuspectedShift {
    /// ID of the other guide.
    pub than: Id,
    /// Offset of this guide's programmes, in minutes.
    pub minutes: i64,
}

/// Health of all guides, and channels without one.
#[derive(Debug)]
pub struct Health {
    /// Guides, by ID.
    pub guides: Vec<GuideHealth>,
    /// Number of active channels.
    pub channels: u64,
    /// Coverage of all channels in the next 24 hours.
    pub day: GuideCoverage,
    /// Coverage of all channels in the next 72 hours.
    pub three_days: GuideCoverage,
    /// Numbers of active channels without programmes, by reason.
    pub without: BTreeMap<WithoutGuide, u64>,
}

/// An active channel with the coverage by its own programmes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelHealth {
    pub channel: ScheduleChannel,
    /// Coverage of the next 24 and of the next 72 hours; `None` without a linked channel of a guide.
    pub covered: Option<(GuideCoverage, GuideCoverage)>,
}

/// Sum of a guide's channels, or of all channels.
#[derive(Default)]
struct Sum {
    channels: u64,
    day: Coverage,
    three_days: Coverage,
    /// Programmes of some channels, in the guide's own times.
    compared: Vec<Shown>,
    compared_channels: usize,
}

impl Sum {
    /// Adds a channel with its programmes of 72 hours.
    fn add(&mut self, slots: &[Slot], names: &[String], now: DateTime<Utc>) {
        self.channels += 1;
        let of = |length: TimeDelta| coverage(slots, names, now.timestamp(), (now + length).timestamp());
        add(&mut self.day, of(DAY));
        add(&mut self.three_days, of(THREE_DAYS));
    }

    /// Keeps some of the first channels with programmes, for the comparison with other guides.
    fn keep(&mut self, channel: Id, slots: &[Slot], names: &[String], shift: i64) {
        if self.compared_channels == COMPARED_CHANNELS {
            return;
        }
        let said =
            slots.iter().filter(|slot| !is_placeholder_title(&slot.title, names)).take(COMPARED_PROGRAMMES);
        let shown = |slot: &Slot| Shown { channel, start: slot.start - shift, title: slot.title.clone() };
        let before = self.compared.len();
        self.compared.extend(said.map(shown));
        self.compared_channels += usize::from(self.compared.len() > before);
    }
}

const DAY: TimeDelta = TimeDelta::days(1);
const THREE_DAYS: TimeDelta = TimeDelta::days(3);

/// Use cases of guide health.
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
    // Rounded down: 100 means complete coverage.
    let percent = (sum.covered * 100).checked_div(whole).unwrap_or_default();
    GuideCoverage {
        percent: u8::try_from(percent).unwrap_or(100),
        gaps: sum.gaps,
        overlaps: sum.overlaps,
        placeholders: sum.placeholders,
    }
}

impl GuideHealthService {
    pub fn new(
        guides: Arc<dyn GuideStore>,
        schedule: Arc<dyn ScheduleRepository>,
        calendar: Calendar,
    ) -> Self {
        Self { guides, schedule, calendar }
    }

    /// Health of all guides.
    pub async fn health(&self, actor: &Actor) -> Result<Health, Error> {
        actor.require(guide_permission(Action::Read))?;
        let now = self.calendar.now();
        let mut sums: HashMap<Id, Sum> = HashMap::new();
        let mut all = Sum::default();
        let mut without: BTreeMap<WithoutGuide, u64> = BTreeMap::new();
        let mut after = 0;
        loop {
            let channels = self.schedule.channels_after(after, AT_ONCE).await?;
            let Some(last) = channels.last() else { break };
            after = last.id;
            let slots = self.slots(&channels, ScheduleSpan { from: now, to: now + THREE_DAYS }).await?;
            for one in &channels {
                if let Some(fault) = one.link.fault() {
                    *without.entry(fault).or_default() += 1;
                }
                let Some(channel) = one.link.guide_channel else {
                    // Uncovered, but not a gap: counted by its own reason.
                    all.channels += 1;
                    continue;
                };
                let shift = one.link.shift;
                let own = slots.get(&(channel, shift)).map(Vec::as_slice).unwrap_or_default();
                let names = one.folded_names();
                all.add(own, &names, now);
                if let Some((guide, ..)) = one.link.guide {
                    let sum = sums.entry(guide).or_default();
                    sum.add(own, &names, now);
                    sum.keep(channel, own, &names, shift);
                }
            }
        }
        let unused: HashMap<Id, u64> = self.guides.unused().await?.into_iter().collect();
        let mut guides = Vec::new();
        for fetch in self.guides.fetches().await? {
            let sum = sums.remove(&fetch.guide).unwrap_or_default();
            guides.push(GuideHealth {
                channels: sum.channels,
                day: share(sum.day, sum.channels, DAY),
                three_days: share(sum.three_days, sum.channels, THREE_DAYS),
                unused: unused.get(&fetch.guide).copied().unwrap_or_default(),
                stale: fetch.is_stale(now),
                shift: self.suspected_shift(fetch.guide, &sum.compared).await?,
                fetch,
            });
        }
        let (day, three_days) =
            (share(all.day, all.channels, DAY), share(all.three_days, all.channels, THREE_DAYS));
        Ok(Health { guides, channels: all.channels, day, three_days, without })
    }

    /// Each of these channels with its coverage from a moment on.
    pub(crate) async fn of_channels(
        &self,
        channels: Vec<ScheduleChannel>,
        now: DateTime<Utc>,
    ) -> Result<Vec<ChannelHealth>, Error> {
        let slots = self.slots(&channels, ScheduleSpan { from: now, to: now + THREE_DAYS }).await?;
        let health = |channel: ScheduleChannel| {
            let covered = source_of(&channel).map(|source| {
                let own = slots.get(&source).map(Vec::as_slice).unwrap_or_default();
                let mut sum = Sum::default();
                sum.add(own, &channel.folded_names(), now);
                (share(sum.day, 1, DAY), share(sum.three_days, 1, THREE_DAYS))
            });
            ChannelHealth { channel, covered }
        };
        Ok(channels.into_iter().map(health).collect())
    }

    /// Programmes of a span, by the guide's channel and the offset, in the times of the channels.
    async fn slots(
        &self,
        channels: &[ScheduleChannel],
        span: ScheduleSpan,
    ) -> Result<HashMap<(Id, i64), Vec<Slot>>, Error> {
        let mut slots: HashMap<(Id, i64), Vec<Slot>> = HashMap::new();
        for (shift, ids) in by_shift(channels) {
            for (channel, slot) in self.schedule.slots(&ids, span.before(shift)).await? {
                let slot = Slot { start: slot.start + shift, stop: slot.stop + shift, ..slot };
                slots.entry((channel, shift)).or_default().push(slot);
            }
        }
        Ok(slots)
    }

    /// The offset against another guide with the same titles, if any.
    async fn suspected_shift(&self, guide: Id, own: &[Shown]) -> Result<Option<SuspectedShift>, Error> {
        let starts = || own.iter().map(|shown| shown.start);
        let (Some(first), Some(last)) = (starts().min(), starts().max()) else { return Ok(None) };
        let mut titles: Vec<String> = own.iter().map(|shown| shown.title.clone()).collect();
        titles.sort_unstable();
        titles.dedup();
        let (from, to) = (first - FARTHEST, last + FARTHEST + 1);
        let mut others: BTreeMap<Id, Vec<Shown>> = BTreeMap::new();
        for (other, shown) in self.guides.shown_elsewhere(guide, &titles, from, to).await? {
            others.entry(other).or_default().push(shown);
        }
        let suspected = others.iter().find_map(|(than, shown)| {
            let minutes = constant_distance(own, shown)? / 60;
            Some(SuspectedShift { than: *than, minutes })
        });
        Ok(suspected)
    }
}
