//! What is on: the schedule of the active channels, and now and next of one (docs/spec/schedule.md#what-is-on).

use std::{collections::HashMap, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};
use domain_catalogue::Kind;
use domain_kernel::{Action, Code, FilterKind, Id, KeyScope, Page, Principal, Violation, Violations};
use domain_live::{
    programme::KeptProgramme,
    schedule::{LONGEST_SPAN, MOST_CHANNELS, ScheduleChannel, ScheduleSpan},
};
use ports::ScheduleRepository;

use crate::{Calendar, Error, ListShape, read_list_query, visits::moment};

/// The span of a schedule that names none.
const SPAN: TimeDelta = TimeDelta::hours(6);

/// A channel with its programmes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelSchedule {
    /// The channel.
    pub channel: ScheduleChannel,
    /// Its programmes, by their beginning.
    pub programmes: Vec<KeptProgramme>,
}

/// A page of channels with their programmes.
#[derive(Debug)]
pub struct Schedule {
    /// The span that it is of.
    pub span: ScheduleSpan,
    /// The name of the service's time zone.
    pub time_zone: &'static str,
    /// The channels.
    pub page: Page<Vec<ChannelSchedule>>,
}

/// The use cases of the schedule.
pub struct ScheduleService {
    store: Arc<dyn ScheduleRepository>,
    calendar: Calendar,
}

fn require(caller: &Principal) -> Result<(), Error> {
    Ok(caller.require(Kind::TvChannels.permission(Action::Read), KeyScope::CatalogueRead)?)
}

impl ScheduleService {
    /// The parameters of the schedule, beside `from` and `to`.
    pub fn shape() -> ListShape {
        const FILTERS: &[(&str, FilterKind)] =
            &[("category", FilterKind::Reference), ("without", FilterKind::Flag), ("gaps", FilterKind::Flag)];
        ListShape { page_size: 50, sorts: Vec::new(), filters: FILTERS }
    }

    /// The use cases over a store.
    pub fn new(store: Arc<dyn ScheduleRepository>, calendar: Calendar) -> Self {
        Self { store, calendar }
    }

    /// A page of the active channels by number, with what is on in a span. `pairs` are those of the query string.
    pub async fn schedule(&self, caller: &Principal, pairs: &[(String, String)]) -> Result<Schedule, Error> {
        require(caller)?;
        let (times, pairs): (Vec<_>, Vec<_>) =
            pairs.iter().cloned().partition(|(name, _)| name == "from" || name == "to");
        let mut violations = Vec::new();
        let mut query = match read_list_query(&Self::shape(), &pairs) {
            Ok(query) => query,
            Err(more) => {
                violations.extend(more.0);
                domain_kernel::ListQuery::default()
            }
        };
        if violations.is_empty() && query.size > MOST_CHANNELS {
            violations.push(Violation::new("_size", Code::TooLarge).with("max", MOST_CHANNELS));
        }
        let span = self.span(&times, &mut violations);
        if !violations.is_empty() {
            return Err(Violations(violations).into());
        }
        query.sort.clear();
        let page = self.store.channels(span, &query).await?;
        let linked: Vec<Id> = page.content.iter().filter_map(|channel| channel.link.guide_channel).collect();
        let mut programmes: HashMap<Id, Vec<KeptProgramme>> = HashMap::new();
        for (channel, programme) in self.store.programmes(&linked, span).await? {
            programmes.entry(channel).or_default().push(programme);
        }
        // Two channels may have the same one of a guide.
        let with = |channel: ScheduleChannel| {
            let own = channel.link.guide_channel.and_then(|id| programmes.get(&id));
            ChannelSchedule { programmes: own.cloned().unwrap_or_default(), channel }
        };
        let page = page.map(|channels| channels.into_iter().map(with).collect());
        Ok(Schedule { span, time_zone: self.calendar.zone_name(), page })
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
        } else if to - from > LONGEST_SPAN {
            violations
                .push(Violation::new("to", Code::TooLarge).with("max", (from + LONGEST_SPAN).to_rfc3339()));
        }
        ScheduleSpan { from, to }
    }

    /// What is on a channel at a time, or now, and what comes behind it: at most so many programmes.
    pub async fn on_at(
        &self,
        caller: &Principal,
        id: Id,
        at: Option<&str>,
        most: u64,
    ) -> Result<(DateTime<Utc>, ChannelSchedule), Error> {
        require(caller)?;
        let read = |text| moment(&self.calendar, "at", text).map_err(|fault| Violations(vec![fault]));
        let now = at.filter(|text| !text.is_empty()).map(read).transpose()?;
        let now = now.unwrap_or_else(|| self.calendar.now());
        let channel = self.store.channel(id).await?;
        let channel = channel.ok_or(Error::NoSuch { what: Kind::TvChannels.path(), id })?;
        let programmes = match channel.link.guide_channel {
            Some(guide_channel) => self.store.on_from(guide_channel, now.timestamp(), most).await?,
            None => Vec::new(),
        };
        Ok((now, ChannelSchedule { channel, programmes }))
    }
}
