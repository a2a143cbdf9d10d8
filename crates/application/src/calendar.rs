//! The current day in the service's time zone.

use std::sync::Arc;

use chrono::{
    DateTime, Datelike, Days, Months, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Utc,
};
use chrono_tz::Tz;
use domain_kernel::{Actor, Origin, Today};
use domain_users::{ExpiryFilter, RenewalWindow};
use ports::{Clock, Edit};

/// A clock and the service's time zone, for rules about years and days.
#[derive(Clone)]
pub struct Calendar {
    clock: Arc<dyn Clock>,
    zone: Tz,
}

impl Calendar {
    pub fn new(clock: Arc<dyn Clock>, zone: Tz) -> Self {
        Self { clock, zone }
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// A change by the actor, now.
    pub(crate) fn edit_by(&self, actor: &Actor) -> Edit {
        Edit { by: Some(actor.username.clone()), at: self.now(), origin: actor.origin }
    }

    /// A change by the server, now.
    pub(crate) fn edit_of_server(&self) -> Edit {
        Edit { by: None, at: self.now(), origin: Origin::SERVER }
    }

    /// The current day in the service's time zone.
    pub fn today(&self) -> Today {
        Today(self.clock.now().with_timezone(&self.zone).date_naive())
    }

    /// The last moment of a day in the service's time zone, to the millisecond. Like
    /// [`Calendar::beginning_after`], never after the year 9999 in UTC, because years are written
    /// with four digits.
    pub fn end_of(&self, day: NaiveDate) -> DateTime<Utc> {
        (self.next_beginning(day) - TimeDelta::milliseconds(1)).min(last_moment())
    }

    /// The first moment of the following day in the service's time zone, which is the exclusive end
    /// of a range.
    pub(crate) fn beginning_after(&self, day: NaiveDate) -> DateTime<Utc> {
        self.next_beginning(day).min(last_moment())
    }

    fn next_beginning(&self, day: NaiveDate) -> DateTime<Utc> {
        self.beginning_of(day.checked_add_days(Days::new(1)).unwrap_or(day))
    }

    /// Expired subscriptions.
    pub fn expired(&self) -> ExpiryFilter {
        ExpiryFilter::Expired { now: self.now() }
    }

    /// Subscriptions that expire before the end of this month.
    pub fn about_to_expire(&self) -> ExpiryFilter {
        let Today(today) = self.today();
        let first = today.with_day(1).and_then(|day| day.checked_add_months(Months::new(1)));
        ExpiryFilter::AboutToExpire { now: self.now(), month_end: self.beginning_of(first.unwrap_or(today)) }
    }

    /// Subscriptions of a window, by days of the service's time zone.
    pub fn ending(&self, window: RenewalWindow) -> ExpiryFilter {
        let Some(days) = window.days() else { return self.expired() };
        let Today(today) = self.today();
        let last = today.checked_add_days(Days::new(days + 1)).unwrap_or(today);
        ExpiryFilter::Within { now: self.now(), end: self.beginning_of(last) }
    }

    /// A moment in the service's time zone: `2026-11-20 10:00:00`.
    pub fn clock_time(&self, moment: DateTime<Utc>) -> String {
        moment.with_timezone(&self.zone).format("%Y-%m-%d %H:%M:%S").to_string()
    }

    /// The first moment of the next day if `moment` is the first one of a day; otherwise `moment`.
    pub(crate) fn end_of_day_from(&self, moment: DateTime<Utc>) -> DateTime<Utc> {
        let day = self.local(moment).date();
        if self.beginning_of(day) == moment { self.beginning_after(day) } else { moment }
    }

    /// A moment in the service's time zone.
    pub fn local(&self, moment: DateTime<Utc>) -> NaiveDateTime {
        moment.with_timezone(&self.zone).naive_local()
    }

    /// Name of the service's time zone.
    pub fn zone_name(&self) -> &'static str {
        self.zone.name()
    }

    /// The first moment of a day in the service's time zone. If the clocks skip midnight, the
    /// moment after the skip.
    pub fn beginning_of(&self, day: NaiveDate) -> DateTime<Utc> {
        let midnight = day.and_time(NaiveTime::MIN);
        let local = (0..24).find_map(|hours| {
            self.zone.from_local_datetime(&(midnight + TimeDelta::hours(hours))).earliest()
        });
        local.map_or_else(|| midnight.and_utc(), |moment| moment.with_timezone(&Utc))
    }
}

/// The end of the year 9999 in UTC.
fn last_moment() -> DateTime<Utc> {
    const MILLISECONDS: i64 = 253_402_300_799_999;
    DateTime::from_timestamp_millis(MILLISECONDS).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

#[cfg(test)]
mod tests {
    use ports::MockClock;

    use super::*;

    #[test]
    fn the_year_changes_in_the_services_time_zone() {
        let mut clock = MockClock::new();
        clock.expect_now().returning(|| "2026-12-31T23:30:00Z".parse().unwrap());
        let clock: Arc<dyn Clock> = Arc::new(clock);
        let day = |zone| Calendar::new(clock.clone(), zone).today().0.to_string();
        assert_eq!(day(chrono_tz::UTC), "2026-12-31");
        assert_eq!(day(chrono_tz::Europe::Madrid), "2027-01-01");
    }

    #[test]
    fn a_day_and_a_month_end_in_the_services_time_zone() {
        let at = |now: &'static str, zone| {
            let mut clock = MockClock::new();
            clock.expect_now().returning(move || now.parse().unwrap());
            Calendar::new(Arc::new(clock), zone)
        };
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        let moment = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let madrid = at("2026-11-30T23:30:00Z", chrono_tz::Europe::Madrid);
        assert_eq!(madrid.end_of(day("2027-01-31")), moment("2027-01-31T22:59:59.999Z"));
        assert_eq!(madrid.about_to_expire().before(), moment("2026-12-31T23:00:00Z"), "it is December there");
        let utc = at("2026-11-30T23:30:00Z", chrono_tz::UTC);
        assert_eq!(utc.about_to_expire().before(), moment("2026-12-01T00:00:00Z"));
        assert_eq!(utc.expired().before(), moment("2026-11-30T23:30:00Z"));
        for (window, end) in [
            (RenewalWindow::Expired, "2026-11-30T23:30:00Z"),
            (RenewalWindow::Today, "2026-12-01T23:00:00Z"),
            (RenewalWindow::Days3, "2026-12-04T23:00:00Z"),
            (RenewalWindow::Days7, "2026-12-08T23:00:00Z"),
            (RenewalWindow::Days30, "2026-12-31T23:00:00Z"),
        ] {
            assert_eq!(madrid.ending(window).before(), moment(end), "{window:?}: it is 1 December there");
            let from = (window != RenewalWindow::Expired).then(|| moment("2026-11-30T23:30:00Z"));
            assert_eq!(madrid.ending(window).from(), from);
        }
        // The last representable day, which ends in the next year of UTC.
        let panama = at("2026-09-05T12:00:00Z", chrono_tz::America::Panama);
        for calendar in [&panama, &utc] {
            assert_eq!(calendar.end_of(day("9999-12-31")), moment("9999-12-31T23:59:59.999Z"));
            assert_eq!(calendar.beginning_after(day("9999-12-31")), moment("9999-12-31T23:59:59.999Z"));
        }
        assert_eq!(panama.beginning_after(day("2026-12-31")), moment("2027-01-01T05:00:00Z"));
        assert_eq!(
            madrid.end_of_day_from(moment("2026-10-24T22:00:00Z")),
            moment("2026-10-25T23:00:00Z"),
            "25 hours"
        );
        assert_eq!(madrid.end_of_day_from(moment("2026-10-24T22:00:01Z")), moment("2026-10-24T22:00:01Z"));
        // The clocks skip from 00:00 to 01:00 (Santiago, 6 September 2026).
        let santiago = at("2026-09-05T12:00:00Z", chrono_tz::America::Santiago);
        assert_eq!(santiago.end_of(day("2026-09-05")), moment("2026-09-06T03:59:59.999Z"));
    }
}
