//! How many wrong passwords are too many. Successes never are, and nobody is ever locked out for good.

use chrono::{DateTime, TimeDelta, Utc};

/// How patient to be.
#[derive(Debug, Clone, Copy)]
pub struct ThrottlePolicy {
    /// Failures that cost nothing.
    pub free: u32,
    /// The first wait; it doubles with each further failure.
    pub first_wait: TimeDelta,
    /// The longest wait.
    pub longest_wait: TimeDelta,
    /// Failures older than this are forgotten.
    pub memory: TimeDelta,
}

impl ThrottlePolicy {
    /// For one user name, known or not: ten failures, then 30 seconds doubling to 15 minutes.
    pub const PER_USERNAME: Self = Self {
        free: 10,
        first_wait: TimeDelta::seconds(30),
        longest_wait: TimeDelta::minutes(15),
        memory: TimeDelta::minutes(30),
    };
    /// For one address: thirty failures in ten minutes.
    pub const PER_ADDRESS: Self = Self {
        free: 30,
        first_wait: TimeDelta::seconds(30),
        longest_wait: TimeDelta::minutes(10),
        memory: TimeDelta::minutes(10),
    };
}

/// The failures of one user name or one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throttle {
    failures: u32,
    last: DateTime<Utc>,
}

impl Throttle {
    /// How long to wait before another attempt is looked at; `None` for not at all.
    pub fn wait(&self, policy: &ThrottlePolicy, now: DateTime<Utc>) -> Option<TimeDelta> {
        let over = self.failures.checked_sub(policy.free)?;
        let penalty = policy.first_wait * 2_i32.saturating_pow(over.min(20));
        let until = self.last + penalty.min(policy.longest_wait);
        (until > now).then(|| until - now)
    }

    /// After one more failure.
    #[must_use]
    pub fn after_failure(previous: Option<Self>, policy: &ThrottlePolicy, now: DateTime<Utc>) -> Self {
        let remembered = previous.filter(|throttle| now - throttle.last < policy.memory);
        Self { failures: remembered.map_or(0, |throttle| throttle.failures).saturating_add(1), last: now }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: ThrottlePolicy = ThrottlePolicy::PER_USERNAME;

    fn after(failures: u32, now: DateTime<Utc>) -> Throttle {
        (1..failures).fold(Throttle::after_failure(None, &POLICY, now), |throttle, _| {
            Throttle::after_failure(Some(throttle), &POLICY, now)
        })
    }

    #[test]
    fn the_tenth_failure_costs_30_seconds_and_waits_double_up_to_a_quarter_of_an_hour() {
        let now = DateTime::UNIX_EPOCH;
        assert_eq!(after(9, now).wait(&POLICY, now), None);
        for (failures, seconds) in [(10, 30), (11, 60), (12, 120), (14, 480), (15, 900), (400, 900)] {
            assert_eq!(
                after(failures, now).wait(&POLICY, now),
                Some(TimeDelta::seconds(seconds)),
                "{failures}"
            );
        }
    }

    #[test]
    fn waiting_helps_and_old_failures_are_forgotten() {
        let now = DateTime::UNIX_EPOCH;
        let ten = after(10, now);
        assert_eq!(ten.wait(&POLICY, now + TimeDelta::seconds(30)), None);
        let later = now + TimeDelta::minutes(31);
        assert_eq!(Throttle::after_failure(Some(ten), &POLICY, later).wait(&POLICY, later), None);
    }
}
