//! Visit history (docs/spec/integrations.md#visits): programs record visits; staff list them and
//! count them by day.

use std::sync::Arc;

use chrono::{DateTime, Days, NaiveDate, Utc};
use domain_audience::{DayOfVisits, Visit, VisitBatch, VisitKind, VisitTime};
use domain_kernel::{
    Action, Actor, Code, DraftReader, Enumeration, FilterKind, FilterValue, Integrator, KeyScope, Page,
    Permission, Subject, Violation, Violations, calendar_day,
};
use ports::{Inserted, VisitFilter, VisitRepository};

use crate::{
    Calendar, Error, ListShape,
    batches::read_batch,
    listing::{TimeRange, read_rest},
};

const READ: Permission = Permission::new(Subject("VIEW_HISTORY"), Action::Read);
/// Maximum days of a chart: a leap year.
const MOST_DAYS: u64 = 366;
/// Default number of days of a chart.
const USUAL_DAYS: u64 = 30;
/// Filters besides those of every list.
const OWN_FILTERS: [&str; 4] = ["username", "kind", "from", "to"];

/// Use cases of visits.
pub struct VisitService {
    visits: Arc<dyn VisitRepository>,
    calendar: Calendar,
    reader: DraftReader<VisitBatch>,
}

/// Number of recorded visits, and whether the response is a repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisitsRecorded {
    pub recorded: u64,
    /// Whether the same request was answered before under this idempotency key.
    pub replayed: bool,
}

impl VisitService {
    /// List parameters besides `username`, `from` and `to`.
    pub fn list_shape() -> ListShape {
        ListShape {
            page_size: 10,
            sorts: vec!["id", "occurredAt"],
            filters: &[("kind", FilterKind::Code(VisitKind::CODES))],
        }
    }

    pub fn new(visits: Arc<dyn VisitRepository>, calendar: Calendar) -> Self {
        Self { visits, calendar, reader: DraftReader::new() }
    }

    /// Records a batch: all of it, or nothing.
    pub async fn record(
        &self,
        by: &Integrator,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<VisitsRecorded, Error> {
        by.require(KeyScope::VisitsRecord)?;
        let now = self.calendar.now();
        let (batch, once) = read_batch(&self.reader, &VisitTime(now), by, key, "visits", body)?;
        let recorded = match batch {
            Ok(batch) => self.visits.record(&batch.visits, &by.name, now, &once).await?,
            // A replay is answered even if its visits are too old by now.
            Err(refusal) => self.visits.answered(&once).await?.ok_or(refusal)?,
        };
        match recorded {
            Inserted::New(recorded) => Ok(VisitsRecorded { recorded, replayed: false }),
            Inserted::Replayed(recorded) => Ok(VisitsRecorded { recorded, replayed: true }),
            Inserted::KeyReused => Err(Error::IdempotencyMismatch),
        }
    }

    /// A page of the history. `pairs` are those of the query string.
    pub async fn list(&self, actor: &Actor, pairs: &[(String, String)]) -> Result<Page<Vec<Visit>>, Error> {
        let (filter, query) = self.read_list(actor, pairs)?;
        Ok(self.visits.list(&filter, &query).await?)
    }

    /// Reads the list parameters, after a check of the permission.
    pub(crate) fn read_list(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<(VisitFilter, domain_kernel::ListQuery), Error> {
        actor.require(READ)?;
        Ok(self.read(pairs)?)
    }

    /// Number of visits per day, including days without any.
    pub async fn per_day(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<Vec<DayOfVisits>, Error> {
        actor.require(READ)?;
        let known: Vec<_> =
            pairs.iter().filter(|(name, _)| OWN_FILTERS.contains(&name.as_str())).cloned().collect();
        let mut violations: Vec<Violation> = pairs
            .iter()
            .filter(|(name, _)| !OWN_FILTERS.contains(&name.as_str()))
            .map(|(name, _)| Violation::new(name, Code::UnknownFilter).with("allowed", OWN_FILTERS.to_vec()))
            .collect();
        let mut named = |name: &str| {
            let text = known.iter().rev().find(|(key, value)| key == name && !value.trim().is_empty());
            let (_, text) = text?;
            let found = calendar_day(text);
            if found.is_none() {
                violations.push(Violation::new(name, Code::InvalidDate));
            }
            found
        };
        let (from, to) = (named("from"), named("to"));
        let (filter, _) = match self.read(&known) {
            Ok(read) if violations.is_empty() => read,
            Ok(_) => return Err(Violations(violations).into()),
            Err(Violations(more)) => {
                let is_known = |one: &Violation| violations.iter().any(|known| known.field == one.field);
                let more: Vec<Violation> = more.into_iter().filter(|one| !is_known(one)).collect();
                violations.extend(more);
                return Err(Violations(violations).into());
            }
        };
        let back = |day: NaiveDate| day.checked_sub_days(Days::new(USUAL_DAYS - 1)).unwrap_or(day);
        let last = to.unwrap_or_else(|| self.calendar.today().0.max(from.unwrap_or(NaiveDate::MIN)));
        let first = from.unwrap_or_else(|| back(last));
        let latest = first.checked_add_days(Days::new(MOST_DAYS - 1)).unwrap_or(NaiveDate::MAX);
        if last > latest {
            let violation = Violation::new("to", Code::TooLarge).with("max", latest.to_string());
            return Err(Violations(vec![violation]).into());
        }
        let days: Vec<(NaiveDate, DateTime<Utc>)> = first
            .iter_days()
            .take_while(|day| *day <= last)
            .map(|day| (day, self.calendar.beginning_of(day)))
            .collect();
        let end = self.calendar.beginning_of(last.checked_add_days(Days::new(1)).unwrap_or(last));
        Ok(self.visits.per_day(filter.username, filter.kind, &days, end).await?)
    }

    fn read(
        &self,
        pairs: &[(String, String)],
    ) -> Result<(VisitFilter, domain_kernel::ListQuery), Violations> {
        let mut violations = Vec::new();
        let TimeRange { from, to } = TimeRange::read(&self.calendar, pairs, &mut violations);
        let mut filter = VisitFilter { from, to, ..VisitFilter::default() };
        let mut rest = Vec::new();
        for (name, value) in pairs {
            match name.as_str() {
                "from" | "to" => {}
                "username" if value.trim().is_empty() => {}
                "username" if value.trim().chars().count() > 100 => {
                    violations.push(Violation::new("username", Code::TooLong).with("max", 100));
                }
                "username" if value.contains('\0') => {
                    violations.push(Violation::new("username", Code::ControlCharacters));
                }
                "username" => filter.username = Some(value.trim().to_owned()),
                _ => rest.push((name.clone(), value.clone())),
            }
        }
        let query = read_rest(&Self::list_shape(), &rest, &OWN_FILTERS, violations)?;
        filter.kind = query.filters.iter().find_map(|one| match one.value {
            FilterValue::Code(code) => VisitKind::from_code(code),
            _ => None,
        });
        Ok((filter, query))
    }
}
