//! Visits per day in the service's time zone. Consecutive days of the same length are counted by
//! one division; a day on which the clocks change is counted separately.

use chrono::{DateTime, NaiveDate, Utc};
use domain_audience::{DayOfVisits, VisitKind};
use domain_kernel::Enumeration;
use ports::StoreError;
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use super::{SeaOrmVisits, name_key};
use crate::db::{error::store_error, sql::Sql};

/// Quarters of an hour in a day without a change of clocks.
const USUAL: i64 = 96;

/// The quarter of an hour of a time, counted from 1970.
pub(super) fn quarter_of(moment: DateTime<Utc>) -> i64 {
    moment.timestamp().div_euclid(900)
}

/// Days that are counted together: the index of the first, their number, and their start and end in
/// quarters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    place: i64,
    begin: i64,
    end: i64,
    length: i64,
}

fn runs(days: &[(NaiveDate, DateTime<Utc>)], end: DateTime<Utc>) -> Vec<Run> {
    let begins: Vec<i64> =
        days.iter().map(|(_, begin)| quarter_of(*begin)).chain([quarter_of(end)]).collect();
    let mut runs: Vec<Run> = Vec::new();
    for (place, edges) in (0_i64..).zip(begins.windows(2)) {
        let length = edges[1] - edges[0];
        match runs.last_mut() {
            Some(run) if run.length == length && length == USUAL => run.end = edges[1],
            _ => runs.push(Run { place, begin: edges[0], end: edges[1], length: length.max(1) }),
        }
    }
    runs
}

impl SeaOrmVisits {
    pub(super) async fn counted_by_day(
        &self,
        username: Option<&str>,
        kind: Option<VisitKind>,
        days: &[(NaiveDate, DateTime<Utc>)],
        end: DateTime<Utc>,
    ) -> Result<Vec<DayOfVisits>, StoreError> {
        let mut counted: Vec<DayOfVisits> =
            days.iter().map(|(day, _)| DayOfVisits { day: *day, sign_ins: 0, visits: 0 }).collect();
        if days.is_empty() {
            return Ok(counted);
        }
        let statement = self.count_by_day(username, kind, days, end);
        let rows = self.0.reader.query_all_raw(statement).await.map_err(store_error)?;
        for row in rows {
            let place: i64 = row.try_get("", "place").map_err(store_error)?;
            let code: String = row.try_get("", "kind").map_err(store_error)?;
            let total: i64 = row.try_get("", "total").map_err(store_error)?;
            let Some(day) = usize::try_from(place).ok().and_then(|place| counted.get_mut(place)) else {
                continue;
            };
            let total = u64::try_from(total).unwrap_or_default();
            match VisitKind::from_code(&code) {
                Some(VisitKind::SignIn) => day.sign_ins += total,
                _ => day.visits += total,
            }
        }
        Ok(counted)
    }

    /// The statement that counts, for tests of its plan.
    #[doc(hidden)]
    pub fn count_by_day(
        &self,
        username: Option<&str>,
        kind: Option<VisitKind>,
        days: &[(NaiveDate, DateTime<Utc>)],
        end: DateTime<Utc>,
    ) -> Statement {
        let backend = self.0.backend();
        let mut sql = Sql::default();
        for (index, run) in runs(days, end).into_iter().enumerate() {
            let Run { place, begin, end, length } = run;
            if index > 0 {
                sql.push(" UNION ALL ");
            }
            sql.push(&format!(
                "SELECT {place} + (c.quarter - {begin}) / {length} AS place, c.kind, CAST(sum(c.total) AS bigint) AS total \
                 FROM "
            ));
            match username {
                None => sql.push("visits_counts c"),
                Some(username) => {
                    // A user has few visits: counted along the index of users.
                    let quarter = match backend {
                        DbBackend::Sqlite => "CAST(strftime('%s', v.occurred_at) AS integer) / 900",
                        _ => "CAST(floor(extract(epoch FROM v.occurred_at) / 900) AS bigint)",
                    };
                    let moment =
                        |quarter: i64| DateTime::from_timestamp(quarter * 900, 0).unwrap_or_default();
                    sql.push(&format!(
                        "(SELECT {quarter} AS quarter, v.kind AS kind, 1 AS total FROM visits v WHERE v.username_key = "
                    ));
                    sql.bind(name_key(username)).push(" AND v.occurred_at >= ").bind(moment(begin));
                    sql.push(" AND v.occurred_at < ").bind(moment(end)).push(") c")
                }
            };
            sql.push(&format!(" WHERE c.quarter >= {begin} AND c.quarter < {end}"));
            if let Some(kind) = kind {
                sql.push(" AND c.kind = ").bind(kind.code());
            }
            sql.push(" GROUP BY 1, 2");
        }
        sql.statement(backend)
    }
}
