//! Lifetime of sessions (docs/spec/access.md#sessions).

use chrono::{DateTime, TimeDelta, Utc};

/// Lifetime of a session without a refresh.
pub const SESSION_IDLE: TimeDelta = TimeDelta::hours(24);
/// Maximum lifetime of a session.
pub const SESSION_MAX: TimeDelta = TimeDelta::days(7);
/// Precision of the time of the last use, so that a read does not cause a write.
pub const LAST_USE_PRECISION: TimeDelta = TimeDelta::minutes(1);

/// End of a session that was created at `created` and opened or refreshed at `now`.
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
