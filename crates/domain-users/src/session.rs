//! How long a session lasts (docs/spec/access.md#sessions).

use chrono::{DateTime, TimeDelta, Utc};

/// How long a session lasts without a refresh.
pub const SESSION_IDLE: TimeDelta = TimeDelta::hours(24);
/// How long a session lasts at most, however often it is refreshed.
pub const SESSION_MAX: TimeDelta = TimeDelta::days(7);
/// The time of the last use is exact to this much, so that reading does not write.
pub const LAST_USE_PRECISION: TimeDelta = TimeDelta::minutes(1);

/// When a session ends that began at `created` and is opened or refreshed at `now`.
pub fn session_end(created: DateTime<Utc>, now: DateTime<Utc>) -> DateTime<Utc> {
    (now + SESSION_IDLE).min(created + SESSION_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refresh_extends_a_session_by_a_day_and_never_beyond_its_seventh() {
        let created = DateTime::UNIX_EPOCH;
        for (hours, end) in [(0, 24), (23, 47), (143, 167), (144, 168), (150, 168), (167, 168)] {
            let now = created + TimeDelta::hours(hours);
            assert_eq!(
                session_end(created, now),
                created + TimeDelta::hours(end),
                "refreshed after {hours} h"
            );
        }
    }
}
