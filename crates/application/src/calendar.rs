//! Today, where the service is.

use std::sync::Arc;

use chrono::{
    DateTime, Datelike, Days, Months, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Utc,
};
use chrono_tz::Tz;
use domain_kernel::{Actor, Origin, Today};
use domain_users::{ExpiryFilter, RenewalWindow};
use ports::{Clock, Edit};

/// A clock and the service's time zone: rules about years and days use it.
#[derive(Clone)]
pub struct Calendar {
    clock: Arc<dyn Clock>,
    zone: Tz,
}

impl Calendar {
    /// The calendar of a clock in a time zone.
    pub fn new(clock: Arc<dyn Clock>, zone: Tz) -> Self {
        Self { clock, zone }
    }

    /// Now.
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// A change that somebody makes now.
    pub(crate) fn edit_by(&self, actor: &Actor) -> Edit {
        Edit { by: Some(actor.username.clone()), at: self.now(), origin: actor.origin }
    }

    /// A change that the server makes now.
    pub(crate) fn edit_of_server(&self) -> Edit {
        Edit { by: None, at: self.now(), origin: Origin::SERVER }
    }

    /// The day that it is now in the service's time zone.
    pub fn today(&self) -> Today {
        Today(self.clock.now().with_timezone(&self.zone).date_naive())
    }

    /// The last moment of a day where the service is, to the millisecond. Like [`Calendar::beginning_after`], never after
    /// the year 9999 in UTC: years have four digits wherever they are written.
    pub fn end_of(&self, day: NaiveDate) -> DateTime<Utc> {
        (self.next_beginning(day) - TimeDelta::milliseconds(1)).min(last_moment())
    }

    /// The first moment of the day after one where the service is, before which a range ends.
    pub(crate) fn beginning_after(&self, day: NaiveDate) -> DateTime<Utc> {
        self.next_beginning(day).min(last_moment())
    }

    fn next_beginning(&self, day: NaiveDate) -> DateTime<Utc> {
        self.beginning_of(day.checked_add_days(Days::new(1)).unwrap_or(day))
    }

    /// The subscriptions that are over.
    pub fn expired(&self) -> ExpiryFilter {
        ExpiryFilter::Expired { now: self.now() }
    }

    /// The subscriptions that will be over before this month is.
    pub fn about_to_expire(&self) -> ExpiryFilter {
        let Today(today) = self.today();
        let first = today.with_day(1).and_then(|day| day.checked_add_months(Months::new(1)));
        ExpiryFilter::AboutToExpire { now: self.now(), month_end: self.beginning_of(first.unwrap_or(today)) }
    }

    /// The subscriptions of a window, by the days where the service is.
    pub fn ending(&self, window: RenewalWindow) -> ExpiryFilter {
        let Some(days) = window.days() else { return self.expired() };
        let Today(today) = self.today();
        let last = today.checked_add_days(Days::new(days + 1)).unwrap_or(today);
        ExpiryFilter::Within { now: self.now(), end: self.beginning_of(last) }
    }

    /// A moment as clocks show it where the service is: `2026-11-20 10:00:00`.
    pub fn clock_time(&self, moment: DateTime<Utc>) -> String {
        moment.with_timezone(&self.zone).format("%Y-%m-%d %H:%M:%S").to_string()
    }

    /// The first moment of the next day, of a day's first moment; of any other moment itself.
    pub(crate) fn end_of_day_from(&self, moment: DateTime<Utc>) -> DateTime<Utc> {
        let day = self.local(moment).date();
        if self.beginning_of(day) == moment { self.beginning_after(day) } else { moment }
    }

    /// A moment on the clocks of the service's time zone.
    pub fn local(&self, moment: DateTime<Utc>) -> NaiveDateTime {
        moment.with_timezone(&self.zone).naive_local()
    }

    /// The name of the service's time zone.
    pub fn zone_name(&self) -> &'static str {
        self.zone.name()
    }

    /// The first moment of a day where the service is. Where clocks jump over midnight, the moment they jump to.
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
    fn the_year_turns_where_the_service_is() {
        let mut clock = MockClock::new();
        clock.expect_now().returning(|| "2026-12-31T23:30:00Z".parse().unwrap());
        let clock: Arc<dyn Clock> = Arc::new(clock);
        let day = |zone| Calendar::new(clock.clone(), zone).today().0.to_string();
        assert_eq!(day(chrono_tz::UTC), "2026-12-31");
        assert_eq!(day(chrono_tz::Europe::Madrid), "2027-01-01");
    }

    #[test]
    fn a_day_and_a_month_end_where_the_service_is() {
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
        // The last day there is, where it ends in the next year of UTC.
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
        // Where the clocks jumped from 00:00 to 01:00 (Santiago, 6 September 2026).
        let santiago = at("2026-09-05T12:00:00Z", chrono_tz::America::Santiago);
        assert_eq!(santiago.end_of(day("2026-09-05")), moment("2026-09-06T03:59:59.999Z"));
    }
}
