//! Schedule of the active channels, and current and next programme of one
//! (docs/spec/schedule.md#what-is-on).

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use chrono::{DateTime, TimeDelta, Utc};
use domain_catalogue::Kind;
use domain_kernel::{
    Action, Actor, Code, Enumeration, FilterKind, Id, KeyScope, ListQuery, Page, Principal, Violation,
    Violations, fold,
};
use domain_live::{
    health::is_placeholder_title,
    programme::{KeptProgramme, ProgrammeDetails},
    schedule::{LONGEST_SPAN, MOST_CHANNELS, ScheduleChannel, ScheduleSpan, Showing, WithoutGuide},
};
use ports::{ScheduleFilter, ScheduleRepository};

use crate::{Calendar, Error, KeptDays, ListShape, listing::moment, read_list_query};

/// Default span of a schedule.
const SPAN: TimeDelta = TimeDelta::hours(6);
/// Maximum hours that can be examined: those of guide health.
const MOST_HOURS: i64 = 72;
/// Period and maximum number of further showings of a programme.
const SHOWINGS_AHEAD: TimeDelta = TimeDelta::days(7);
const MOST_SHOWINGS: usize = 12;

/// A channel with its programmes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelSchedule {
    pub channel: ScheduleChannel,
    /// Programmes, by start.
    pub programmes: Vec<KeptProgramme>,
}

/// A programme of a channel, or a channel without programmes, in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledProgramme {
    pub channel: Arc<ScheduleChannel>,
    /// The programme with its parsed details; `None` for a channel that has none in the span.
    pub programme: Option<(KeptProgramme, ProgrammeDetails)>,
}

/// Programmes of a channel at a time.
#[derive(Debug)]
pub struct OnAt {
    pub at: DateTime<Utc>,
    /// The channel with the current and following programmes.
    pub channel: ChannelSchedule,
    /// Further broadcasts of the title.
    pub elsewhere: Vec<Showing>,
}

/// A page of channels with their programmes.
#[derive(Debug)]
pub struct Schedule {
    pub span: ScheduleSpan,
    /// Name of the service's time zone.
    pub time_zone: &'static str,
    /// Days of stored programmes.
    pub days: KeptDays,
    pub page: Page<Vec<ChannelSchedule>>,
}

/// Use cases of the schedule.
pub struct ScheduleService {
    store: Arc<dyn ScheduleRepository>,
    calendar: Calendar,
    days: KeptDays,
}

fn require(caller: &Principal) -> Result<(), Error> {
    Ok(caller.require(Kind::TvChannels.permission(Action::Read), KeyScope::CatalogueRead)?)
}

/// Channels of guides by the offset of their linked channels.
pub(crate) fn by_shift(channels: &[ScheduleChannel]) -> BTreeMap<i64, Vec<Id>> {
    let mut by_shift: BTreeMap<i64, Vec<Id>> = BTreeMap::new();
    for link in channels.iter().map(|channel| &channel.link) {
        by_shift.entry(link.shift).or_default().extend(link.guide_channel);
    }
    by_shift
}

/// The guide's channel of a linked channel, and the offset in seconds.
pub(crate) fn source_of(channel: &ScheduleChannel) -> Option<(Id, i64)> {
    channel.link.guide_channel.map(|id| (id, channel.link.shift))
}

/// Channels with their programmes. Several channels may share those of a guide's channel: the last
/// one takes them.
fn with_programmes(
    channels: Vec<ScheduleChannel>,
    mut programmes: HashMap<(Id, i64), Vec<KeptProgramme>>,
) -> Vec<ChannelSchedule> {
    let mut waiting: HashMap<(Id, i64), usize> = HashMap::new();
    for source in channels.iter().filter_map(source_of) {
        *waiting.entry(source).or_default() += 1;
    }
    let with = |channel: ScheduleChannel| {
        let own = source_of(&channel).and_then(|source| {
            let waiting = waiting.entry(source).or_default();
            *waiting = waiting.saturating_sub(1);
            if *waiting == 0 { programmes.remove(&source) } else { programmes.get(&source).cloned() }
        });
        ChannelSchedule { programmes: own.unwrap_or_default(), channel }
    };
    channels.into_iter().map(with).collect()
}

/// Rows of a channel in a file: one per programme, or one without a programme if there are none.
fn rows_of(of: ChannelSchedule) -> Vec<ScheduledProgramme> {
    let channel = Arc::new(of.channel);
    if of.programmes.is_empty() {
        return vec![ScheduledProgramme { channel, programme: None }];
    }
    let row = |programme: KeptProgramme| {
        let details = programme.details();
        ScheduledProgramme { channel: channel.clone(), programme: Some((programme, details)) }
    };
    of.programmes.into_iter().map(row).collect()
}

impl ScheduleService {
    /// List parameters of the schedule, without `from` and `to`.
    pub fn shape() -> ListShape {
        const FILTERS: &[(&str, FilterKind)] = &[
            ("ids", FilterKind::References),
            ("category", FilterKind::Reference),
            ("guide", FilterKind::Reference),
            ("without", FilterKind::Flag),
            ("reason", FilterKind::Code(WithoutGuide::CODES)),
            ("gaps", FilterKind::Flag),
            ("overlaps", FilterKind::Flag),
            ("placeholders", FilterKind::Flag),
            ("uncovered", FilterKind::Flag),
        ];
        ListShape { page_size: 50, sorts: Vec::new(), filters: FILTERS }
    }

    pub fn new(store: Arc<dyn ScheduleRepository>, calendar: Calendar, days: KeptDays) -> Self {
        Self { store, calendar, days }
    }

    /// A page of the active channels by number, with the programmes of a span. `pairs` are those of
    /// the query string.
    pub async fn schedule(&self, caller: &Principal, pairs: &[(String, String)]) -> Result<Schedule, Error> {
        require(caller)?;
        let (ScheduleFilter { span, examined }, query) = self.read_query(pairs)?;
        let page = self.store.channels(span, examined, &query).await?;
        let programmes = self.programmes(&page.content, span).await?;
        let page = page.map(|channels| with_programmes(channels, programmes));
        Ok(Schedule { span, time_zone: self.calendar.zone_name(), days: self.days, page })
    }

    /// Reads the parameters of a file of channels: those of the schedule.
    pub(crate) fn read_list(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<(ScheduleFilter, ListQuery), Error> {
        actor.require(Kind::TvChannels.permission(Action::Read))?;
        Ok(self.read_query(pairs)?)
    }

    fn read_query(&self, pairs: &[(String, String)]) -> Result<(ScheduleFilter, ListQuery), Violations> {
        let of_times = |name: &str| ["from", "to", "hours"].contains(&name);
        let (times, pairs): (Vec<_>, Vec<_>) = pairs.iter().cloned().partition(|(name, _)| of_times(name));
        let mut violations = Vec::new();
        let mut query = match read_list_query(&Self::shape(), &pairs) {
            Ok(query) => query,
            Err(more) => {
                violations.extend(more.0);
                ListQuery::default()
            }
        };
        if violations.is_empty() && query.size > MOST_CHANNELS {
            violations.push(Violation::new("_size", Code::TooLarge).with("max", MOST_CHANNELS));
        }
        let span = self.span(&times, &mut violations);
        let examined = self.examined(&times, &mut violations);
        if !violations.is_empty() {
            return Err(Violations(violations));
        }
        query.sort.clear();
        Ok((ScheduleFilter { span, examined: examined.unwrap_or(span) }, query))
    }

    /// Programmes of a span, by the guide's channel and the offset.
    async fn programmes(
        &self,
        channels: &[ScheduleChannel],
        span: ScheduleSpan,
    ) -> Result<HashMap<(Id, i64), Vec<KeptProgramme>>, Error> {
        let mut programmes: HashMap<(Id, i64), Vec<KeptProgramme>> = HashMap::new();
        for (shift, ids) in by_shift(channels) {
            for (channel, programme) in self.store.programmes(&ids, span.before(shift)).await? {
                programmes.entry((channel, shift)).or_default().push(programme.later(shift));
            }
        }
        Ok(programmes)
    }

    /// Rows of these channels in a file of a span.
    pub(crate) async fn file_rows(
        &self,
        channels: Vec<ScheduleChannel>,
        span: ScheduleSpan,
    ) -> Result<Vec<ScheduledProgramme>, Error> {
        let programmes = self.programmes(&channels, span).await?;
        Ok(with_programmes(channels, programmes).into_iter().flat_map(rows_of).collect())
    }

    /// Number of these rows.
    pub(crate) async fn count_file_rows(
        &self,
        channels: &[ScheduleChannel],
        span: ScheduleSpan,
    ) -> Result<usize, Error> {
        let sources: BTreeSet<(Id, i64)> = channels.iter().filter_map(source_of).collect();
        let sources: Vec<(Id, i64)> = sources.into_iter().collect();
        let counts = self.store.programme_counts(&sources, span).await?;
        let of_channel = |channel: &ScheduleChannel| {
            source_of(channel).and_then(|source| counts.get(&source).copied()).unwrap_or(1)
        };
        let rows: u64 = channels.iter().map(of_channel).sum();
        Ok(usize::try_from(rows).unwrap_or(usize::MAX))
    }

    /// Hours from now that are examined instead of the span.
    fn examined(&self, times: &[(String, String)], violations: &mut Vec<Violation>) -> Option<ScheduleSpan> {
        let (_, text) = times.iter().rev().find(|(name, text)| name == "hours" && !text.is_empty())?;
        match text.parse::<i64>() {
            Ok(hours @ 1..=MOST_HOURS) => {
                let from = self.calendar.now();
                return Some(ScheduleSpan { from, to: from + TimeDelta::hours(hours) });
            }
            Ok(..=0) => violations.push(Violation::new("hours", Code::TooSmall).with("min", 1)),
            Ok(_) => violations.push(Violation::new("hours", Code::TooLarge).with("max", MOST_HOURS)),
            Err(_) => violations.push(Violation::new("hours", Code::WrongType).with("expected", "integer")),
        }
        None
    }

    fn span(&self, times: &[(String, String)], violations: &mut Vec<Violation>) -> ScheduleSpan {
        let mut read = |name: &str| -> Option<DateTime<Utc>> {
            let (_, text) = times.iter().rev().find(|(known, text)| known == name && !text.is_empty())?;
            match moment(&self.calendar, name, text) {
                Ok(moment) => Some(moment),
                Err(violation) => {
                    violations.push(violation);
                    None
                }
            }
        };
        let from = read("from").unwrap_or_else(|| self.calendar.now());
        let to = read("to").unwrap_or(from + SPAN);
        if to <= from {
            violations.push(Violation::new("to", Code::Contradictory));
        } else {
            // A day on which clocks are set back has 25 hours.
            let latest = (from + LONGEST_SPAN).max(self.calendar.end_of_day_from(from));
            if to > latest {
                violations.push(Violation::new("to", Code::TooLarge).with("max", latest.to_rfc3339()));
            }
        }
        ScheduleSpan { from, to }
    }

    /// Programme of a channel at a time, or now, and a limited number of following ones.
    pub async fn on_at(
        &self,
        caller: &Principal,
        id: Id,
        at: Option<&str>,
        most: u64,
    ) -> Result<OnAt, Error> {
        require(caller)?;
        let read = |text| moment(&self.calendar, "at", text).map_err(|fault| Violations(vec![fault]));
        let now = at.filter(|text| !text.is_empty()).map(read).transpose()?;
        let now = now.unwrap_or_else(|| self.calendar.now());
        let channel = self.store.channel(id).await?;
        let channel = channel.ok_or(Error::NoSuch { what: Kind::TvChannels.path(), id })?;
        let programmes = match channel.link.guide_channel {
            Some(guide_channel) => {
                let shift = channel.link.shift;
                let found = self.store.on_from(guide_channel, now.timestamp() - shift, most).await?;
                found.into_iter().map(|programme| programme.later(shift)).collect()
            }
            None => Vec::new(),
        };
        Ok(OnAt { at: now, channel: ChannelSchedule { channel, programmes }, elsewhere: Vec::new() })
    }

    /// The same, with further broadcasts of the current title within a week from now.
    pub async fn on_at_with_showings(
        &self,
        caller: &Principal,
        id: Id,
        at: Option<&str>,
        most: u64,
    ) -> Result<OnAt, Error> {
        let mut found = self.on_at(caller, id, at, most).await?;
        let on = found.channel.programmes.first().filter(|one| one.start <= found.at.timestamp());
        let Some(on) = on else { return Ok(found) };
        let title = fold(&on.title);
        if is_placeholder_title(&title, &found.channel.channel.folded_names()) {
            return Ok(found);
        }
        let from = self.calendar.now();
        let span = ScheduleSpan { from, to: from + SHOWINGS_AHEAD };
        let mut showings = self.store.showings(&title, span, MOST_SHOWINGS as u64 + 1).await?;
        showings.retain(|one| one.channel != id || one.start != on.start);
        showings.truncate(MOST_SHOWINGS);
        found.elsewhere = showings;
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use domain_live::schedule::ChannelLink;

    use super::*;

    #[test]
    fn channels_with_the_same_guide_channel_have_the_same_programmes() {
        let channel = |(id, guide_channel, shift): (Id, Option<Id>, i64)| ScheduleChannel {
            id,
            number: 1,
            title: "Siete".into(),
            image_url: None,
            guide_title: None,
            guide_channel_title: None,
            link: ChannelLink { guide: None, epg_id: None, guide_channel, shift, pending: None },
        };
        let programmes = |title: &str| {
            let (title, details, further_details) = (title.to_owned(), None, None);
            vec![KeptProgramme { start: 0, stop: 60, title, details, further_details }]
        };
        let of_guide = HashMap::from([((7, 0), programmes("cine")), ((7, 60), programmes("más tarde"))]);
        let channels = [(1, Some(7), 0), (2, None, 0), (3, Some(7), 60), (4, Some(8), 0), (5, Some(7), 0)];
        let found = with_programmes(channels.map(channel).to_vec(), of_guide);
        let titles = |one: &ChannelSchedule| -> Vec<String> {
            one.programmes.iter().map(|programme| programme.title.clone()).collect()
        };
        let found: Vec<(Id, Vec<String>)> = found.iter().map(|one| (one.channel.id, titles(one))).collect();
        let expected = [(1, Some("cine")), (2, None), (3, Some("más tarde")), (4, None), (5, Some("cine"))];
        let expected: [(Id, Vec<String>); 5] =
            expected.map(|(id, title)| (id, title.into_iter().map(str::to_owned).collect()));
        assert_eq!(found, expected);
    }
}
