//! Today, where the service is.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use domain_kernel::Today;
use ports::Clock;

/// A clock and the service's time zone: rules about years and days ask it.
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

    /// The day that it is now in the service's time zone.
    pub fn today(&self) -> Today {
        Today(self.clock.now().with_timezone(&self.zone).date_naive())
    }
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
}
