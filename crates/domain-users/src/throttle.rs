//! Throttling of password attempts. Attempts count before they are checked and are uncounted when they
//! succeed, so that parallel attempts have no advantage and successful ones don't extend a wait. No permanent
//! lock-out.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
};

use chrono::{DateTime, TimeDelta, Utc};

/// Limits for one type of key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThrottlePolicy {
    /// Number of attempts without a wait.
    pub free: u32,
    /// The first wait; it doubles with each further attempt.
    pub first_wait: TimeDelta,
    /// Maximum wait.
    pub longest_wait: TimeDelta,
    /// Attempts older than this are forgotten.
    pub memory: TimeDelta,
}

impl ThrottlePolicy {
    /// For one user name from one network or one known device: ten attempts, then 30 seconds doubling to 15 minutes.
    pub const PER_NAME_AND_ORIGIN: Self = Self {
        free: 10,
        first_wait: TimeDelta::seconds(30),
        longest_wait: TimeDelta::minutes(15),
        memory: TimeDelta::minutes(30),
    };
    /// For one user name from anywhere: a hundred attempts in an hour. Known devices are not affected.
    pub const PER_NAME: Self = Self {
        free: 100,
        first_wait: TimeDelta::seconds(30),
        longest_wait: TimeDelta::minutes(10),
        memory: TimeDelta::hours(1),
    };
    /// For one network: thirty attempts in ten minutes.
    pub const PER_NETWORK: Self = Self {
        free: 30,
        first_wait: TimeDelta::seconds(30),
        longest_wait: TimeDelta::minutes(10),
        memory: TimeDelta::minutes(10),
    };
}

/// The network by which attempts are counted: one IPv4 address, or the /64 of an IPv6 address.
pub fn network_of(address: &str) -> String {
    match address.parse::<IpAddr>().map(|address| address.to_canonical()) {
        Ok(IpAddr::V6(address)) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{}/64", Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        Ok(IpAddr::V4(address)) => address.to_string(),
        Err(_) => address.to_owned(),
    }
}

/// Number of attempts whose times are stored: one more than are checked concurrently
/// (docs/spec/access.md#throttling), so that a failed one remains when those are uncounted.
const LATEST: usize = 3;

/// The attempts of one key.
#[derive(Debug)]
struct Throttle {
    attempts: u32,
    /// Times of the latest attempts, ascending; at least one.
    latest: Vec<DateTime<Utc>>,
}

impl Throttle {
    fn last(&self) -> DateTime<Utc> {
        self.latest.last().copied().unwrap_or_default()
    }

    /// Wait before another attempt is checked; `None` for no wait.
    fn wait(&self, policy: &ThrottlePolicy, now: DateTime<Utc>) -> Option<TimeDelta> {
        let over = self.attempts.checked_sub(policy.free)?;
        let penalty = policy.first_wait * 2_i32.saturating_pow(over.min(20));
        let until = self.last() + penalty.min(policy.longest_wait);
        (until > now).then(|| until - now)
    }

    /// State after one more attempt.
    fn after_attempt(previous: Option<Self>, policy: &ThrottlePolicy, now: DateTime<Utc>) -> Self {
        let remembered = previous.filter(|throttle| now - throttle.last() < policy.memory);
        let Self { attempts, mut latest } = remembered.unwrap_or(Self { attempts: 0, latest: Vec::new() });
        if latest.len() == LATEST {
            latest.remove(0);
        }
        latest.push(now);
        Self { attempts: attempts.saturating_add(1), latest }
    }

    /// State without the attempt of that time; `None` where there was no other. Only its own time is removed:
    /// the waits for other failed attempts do not change.
    fn without_attempt(mut self, at: DateTime<Utc>) -> Option<Self> {
        self.attempts = self.attempts.checked_sub(1).filter(|attempts| *attempts > 0)?;
        if self.latest.len() > 1
            && let Some(position) = self.latest.iter().rposition(|latest| *latest == at)
        {
            self.latest.remove(position);
        }
        Some(self)
    }
}

/// Attempts by key, in bounded memory.
#[derive(Debug)]
pub struct Throttles {
    by_key: HashMap<String, Throttle>,
    capacity: usize,
}

impl Throttles {
    /// Stores at most `capacity` keys; beyond that, those with the oldest last attempt are removed.
    pub fn new(capacity: usize) -> Self {
        Self { by_key: HashMap::new(), capacity }
    }

    /// Longest wait of these keys; `None` where an attempt can be checked now.
    pub fn wait(&self, keys: &[(String, ThrottlePolicy)], now: DateTime<Utc>) -> Option<TimeDelta> {
        let waits = keys.iter().filter_map(|(key, policy)| self.by_key.get(key)?.wait(policy, now));
        waits.max()
    }

    /// Counts an attempt under all of these keys.
    pub fn count(&mut self, keys: &[(String, ThrottlePolicy)], now: DateTime<Utc>) {
        for (key, policy) in keys {
            if self.by_key.len() >= self.capacity && !self.by_key.contains_key(key) {
                self.evict();
            }
            let next = Throttle::after_attempt(self.by_key.remove(key), policy, now);
            self.by_key.insert(key.clone(), next);
        }
    }

    /// Uncounts the attempt of that time: it succeeded, or was not checked.
    pub fn uncount(&mut self, key: &str, at: DateTime<Utc>) {
        if let Some(left) = self.by_key.remove(key).and_then(|throttle| throttle.without_attempt(at)) {
            self.by_key.insert(key.to_owned(), left);
        }
    }

    /// Removes the attempts of a key.
    pub fn forget(&mut self, key: &str) {
        self.by_key.remove(key);
    }

    /// Removes the tenth with the oldest last attempt, so that this happens rarely.
    fn evict(&mut self) {
        let mut ages: Vec<DateTime<Utc>> = self.by_key.values().map(Throttle::last).collect();
        let tenth = ages.len() / 10;
        let (_, oldest_kept, _) = ages.select_nth_unstable(tenth);
        let oldest_kept = *oldest_kept;
        let mut to_remove = tenth.max(1);
        self.by_key.retain(|_, throttle| {
            let remove = to_remove > 0 && throttle.last() <= oldest_kept;
            to_remove -= usize::from(remove);
            !remove
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: ThrottlePolicy = ThrottlePolicy::PER_NAME_AND_ORIGIN;

    fn after(attempts: u32, now: DateTime<Utc>) -> Throttle {
        (1..attempts).fold(Throttle::after_attempt(None, &POLICY, now), |throttle, _| {
            Throttle::after_attempt(Some(throttle), &POLICY, now)
        })
    }

    #[test]
    fn the_tenth_attempt_costs_30_seconds_and_waits_double_up_to_a_quarter_of_an_hour() {
        let now = DateTime::UNIX_EPOCH;
        assert_eq!(after(9, now).wait(&POLICY, now), None);
        for (attempts, seconds) in [(10, 30), (11, 60), (12, 120), (14, 480), (15, 900), (400, 900)] {
            assert_eq!(
                after(attempts, now).wait(&POLICY, now),
                Some(TimeDelta::seconds(seconds)),
                "{attempts}"
            );
        }
    }

    #[test]
    fn a_wait_ends_and_old_attempts_do_not_count() {
        let now = DateTime::UNIX_EPOCH;
        let ten = after(10, now);
        assert_eq!(ten.wait(&POLICY, now + TimeDelta::seconds(30)), None);
        let later = now + TimeDelta::minutes(31);
        assert_eq!(Throttle::after_attempt(Some(ten), &POLICY, later).wait(&POLICY, later), None);
    }

    #[test]
    fn a_network_is_an_ipv4_address_or_64_bits_of_an_ipv6_address() {
        for (address, network) in [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
            ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
            ("unknown", "unknown"),
        ] {
            assert_eq!(network_of(address), network, "{address}");
        }
    }

    #[test]
    fn attempts_that_succeed_do_not_count() {
        let now = DateTime::UNIX_EPOCH;
        let mut throttles = Throttles::new(100);
        let keys = [("a".to_owned(), POLICY)];
        for _ in 0..100 {
            assert_eq!(throttles.wait(&keys, now), None);
            throttles.count(&keys, now);
            throttles.uncount("a", now);
        }
        for _ in 0..10 {
            throttles.count(&keys, now);
        }
        assert_eq!(throttles.wait(&keys, now), Some(TimeDelta::seconds(30)));
        throttles.forget("a");
        assert_eq!(throttles.wait(&keys, now), None);
    }

    /// The second attempt has a wait of 30 seconds, and ten minutes are remembered.
    const SHORT: ThrottlePolicy = ThrottlePolicy { free: 2, ..ThrottlePolicy::PER_NETWORK };

    /// All sequences of this length of these choices.
    fn sequences(choices: usize, length: u32) -> impl Iterator<Item = Vec<usize>> {
        (0..choices.pow(length)).map(move |number| {
            (0..length).map(|place| number / choices.pow(place) % choices).collect::<Vec<_>>()
        })
    }

    #[test]
    fn consecutive_successful_attempts_change_no_wait() {
        let keys = [("a".to_owned(), SHORT)];
        let pauses = [TimeDelta::zero(), TimeDelta::seconds(31), TimeDelta::minutes(6)];
        for steps in sequences(2 * pauses.len(), 5) {
            let (mut all, mut failed) = (Throttles::new(100), Throttles::new(100));
            let mut now = DateTime::UNIX_EPOCH;
            for step in &steps {
                now += pauses[step / 2];
                let wait = all.wait(&keys, now);
                assert_eq!(wait, failed.wait(&keys, now), "{steps:?}");
                if wait.is_some() {
                    continue;
                }
                all.count(&keys, now);
                if step % 2 == 1 {
                    all.uncount("a", now);
                } else {
                    failed.count(&keys, now);
                }
            }
        }
    }

    #[test]
    fn concurrent_successful_attempts_remove_no_failed_ones() {
        let keys = [("a".to_owned(), ThrottlePolicy::PER_NETWORK)];
        // At once or a second later, one attempt fails, one starts that will succeed, or the first or the
        // last of those ends.
        for steps in sequences(2 * 4, 5) {
            let (mut all, mut failed) = (Throttles::new(100), Throttles::new(100));
            let mut now = DateTime::UNIX_EPOCH;
            let mut begun = Vec::new();
            for step in &steps {
                now += TimeDelta::seconds(i64::from(step / 4 == 1));
                match step % 4 {
                    // Two are checked concurrently.
                    0 if begun.len() < 2 => {
                        all.count(&keys, now);
                        failed.count(&keys, now);
                    }
                    1 if begun.len() < 2 => {
                        all.count(&keys, now);
                        begun.push(now);
                    }
                    2 if !begun.is_empty() => all.uncount("a", begun.remove(0)),
                    3 if !begun.is_empty() => all.uncount("a", begun.pop().unwrap()),
                    _ => {}
                }
            }
            for at in begun {
                all.uncount("a", at);
            }
            let left = |throttles: &Throttles| {
                throttles.by_key.get("a").map(|throttle| (throttle.attempts, throttle.last()))
            };
            assert_eq!(left(&all), left(&failed), "{steps:?}");
        }
    }

    #[test]
    fn a_successful_attempt_removes_no_other_attempt() {
        let second = |number: i64| DateTime::UNIX_EPOCH + TimeDelta::seconds(number);
        let keys = [("a".to_owned(), SHORT)];
        let mut throttles = Throttles::new(100);
        for number in [1, 2] {
            throttles.count(&keys, second(number));
        }
        // Another one at the same time fails.
        throttles.count(&keys, second(40));
        throttles.count(&keys, second(40));
        throttles.uncount("a", second(40));
        assert_eq!(throttles.wait(&keys, second(40)), Some(TimeDelta::seconds(60)));
        // A later one fails.
        throttles.count(&keys, second(100));
        throttles.count(&keys, second(101));
        throttles.uncount("a", second(100));
        assert_eq!(throttles.wait(&keys, second(101)), Some(TimeDelta::seconds(120)));
        // More succeed concurrently than there are stored times.
        for number in 200..210 {
            throttles.count(&keys, second(number));
        }
        for number in 200..210 {
            throttles.uncount("a", second(number));
        }
        assert!(throttles.wait(&keys, second(210)) >= Some(second(101 + 120) - second(210)));
    }

    #[test]
    fn memory_is_bounded_and_the_latest_attempts_are_kept() {
        let mut throttles = Throttles::new(1_000);
        let mut now = DateTime::UNIX_EPOCH;
        for number in 0..10_000 {
            now += TimeDelta::milliseconds(1);
            throttles.count(&[(format!("key {number}"), POLICY)], now);
            assert!(throttles.by_key.len() <= 1_000, "{}", throttles.by_key.len());
        }
        assert!(throttles.by_key.contains_key("key 9999") && throttles.by_key.contains_key("key 9200"));
        assert!(!throttles.by_key.contains_key("key 0"));
        // Also where all have the same time.
        let mut throttles = Throttles::new(10);
        for number in 0..100 {
            throttles.count(&[(format!("key {number}"), POLICY)], now);
        }
        assert!(throttles.by_key.len() <= 10);
    }
}
