//! Rate limit of keys per minute, counted on each node.

use chrono::{DateTime, Utc};

/// Number of calls in the current minute.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Meter {
    minute: i64,
    calls: u32,
}

impl Meter {
    /// Counts a call, or returns the seconds until the next one is allowed.
    pub fn admit(&mut self, now: DateTime<Utc>, limit: u32) -> Result<(), u32> {
        let minute = now.timestamp().div_euclid(60);
        if minute != self.minute {
            *self = Self { minute, calls: 0 };
        }
        if self.calls >= limit {
            return Err(u32::try_from(60 - now.timestamp().rem_euclid(60)).unwrap_or(60));
        }
        self.calls += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_has_so_many_calls_and_the_next_as_many_again() {
        let at = |seconds: i64| DateTime::UNIX_EPOCH + chrono::TimeDelta::seconds(seconds);
        let mut meter = Meter::default();
        for _ in 0..3 {
            assert_eq!(meter.admit(at(61), 3), Ok(()));
        }
        assert_eq!(meter.admit(at(75), 3), Err(45));
        assert_eq!(meter.admit(at(119), 3), Err(1));
        assert_eq!(meter.admit(at(120), 3), Ok(()));
    }
}
