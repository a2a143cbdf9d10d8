//! States of a link: several probes decide (docs/spec/live-tv.md#states-of-a-link).

use chrono::{DateTime, Duration, Utc};
use domain_kernel::enumeration;

use super::probe::{Probe, Verdict};

/// Delays of the probes after a failure, in minutes; the last one repeats until the state is
/// decided.
pub const RETRIES: [i64; 3] = [1, 5, 15];
/// Consecutive failures after which a link is down.
pub const FAILURES_OF_DOWN: u32 = 3;
/// Minimum time between the first and the last of them.
pub const DOWN_AFTER: Duration = Duration::minutes(10);
/// Minimum time between two successful probes that bring a link back up.
pub const RECOVERY: Duration = Duration::minutes(5);
/// Maximum changes within a day; above it a link is flapping.
pub const CHANGES_OF_FLAPPING: u32 = 4;
/// Interval of probes of a link that is down.
const DOWN_INTERVAL: Duration = Duration::minutes(30);
/// Delay after a busy host without `Retry-After`, and maximum delay.
const BUSY: Duration = Duration::minutes(15);
const LONGEST_BUSY: Duration = Duration::hours(24);

enumeration! {
    /// State of a link.
    pub enum LinkState {
        /// No conclusive probe yet.
        Unknown = "UNKNOWN" ("Sin comprobar", "Not checked yet"),
        Up = "UP" ("Se reproduce", "Up"),
        /// It failed recently, and is probed again.
        Suspect = "SUSPECT" ("En duda", "Suspect"),
        /// It failed three times over at least ten minutes.
        Down = "DOWN" ("Caído", "Down"),
        /// It was down and played once.
        Recovering = "RECOVERING" ("Se está recuperando", "Recovering"),
        /// It went down and up more than four times within a day.
        Flapping = "FLAPPING" ("Inestable", "Unstable"),
    }
}

/// State of a link between two probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkHealth {
    pub state: LinkState,
    pub since: DateTime<Utc>,
    /// Consecutive failures.
    pub failures: u32,
    /// Time of the first failure, or of the first successful probe of a recovering link.
    pub turn: Option<DateTime<Utc>>,
}

/// Result of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub health: LinkHealth,
    /// Whether the link went down or came up, which is recorded in its history.
    pub changed: bool,
    /// Time of the next probe.
    pub next: DateTime<Utc>,
    /// Conclusion of the probe; unknown during an outage of the service's own network.
    pub verdict: Verdict,
}

impl LinkHealth {
    /// A link without probes.
    pub const fn unknown(since: DateTime<Utc>) -> Self {
        Self { state: LinkState::Unknown, since, failures: 0, turn: None }
    }

    /// Next state after a probe. `recent_changes` are those of the last 24 hours, `interval` is the
    /// time between two probes of a playing link. With `network_is_down`, half of all hosts fail
    /// together, so a failure is inconclusive.
    #[must_use]
    pub fn after(
        &self,
        probe: &Probe,
        now: DateTime<Utc>,
        recent_changes: u32,
        interval: Duration,
        network_is_down: bool,
    ) -> Step {
        match probe.outcome.verdict() {
            Verdict::Plays => self.after_success(now, recent_changes, interval),
            Verdict::Fails if network_is_down => {
                let next = match self.state {
                    LinkState::Down | LinkState::Flapping => rarely(now, interval),
                    _ => now + Duration::minutes(RETRIES[1]),
                };
                self.kept(next, Verdict::Unknown)
            }
            Verdict::Fails => self.after_failure(now, recent_changes, interval),
            Verdict::Unknown => {
                let wait = probe.retry_after.map(|seconds| Duration::seconds(seconds.into()));
                let wait = match probe.outcome {
                    super::ProbeOutcome::Busy => {
                        wait.unwrap_or(BUSY).clamp(Duration::minutes(1), LONGEST_BUSY)
                    }
                    _ => interval,
                };
                self.kept(now + wait, Verdict::Unknown)
            }
        }
    }

    const fn kept(&self, next: DateTime<Utc>, verdict: Verdict) -> Step {
        Step { health: *self, changed: false, next, verdict }
    }

    fn moved(&self, state: LinkState, now: DateTime<Utc>) -> Self {
        let since = if state == self.state { self.since } else { now };
        Self { state, since, failures: 0, turn: None }
    }

    fn after_success(&self, now: DateTime<Utc>, recent_changes: u32, interval: Duration) -> Step {
        let verdict = Verdict::Plays;
        let step = |state, changed| {
            let health = self.moved(state, now);
            Step { health, changed, next: now + interval, verdict }
        };
        match self.state {
            LinkState::Unknown | LinkState::Up | LinkState::Suspect => step(LinkState::Up, false),
            LinkState::Flapping if recent_changes > CHANGES_OF_FLAPPING => step(LinkState::Flapping, false),
            // The number of changes is below the limit, so this is not a recorded change either.
            LinkState::Flapping => step(LinkState::Up, true),
            LinkState::Down => {
                let health = Self { turn: Some(now), ..self.moved(LinkState::Recovering, now) };
                Step { health, changed: false, next: now + RECOVERY, verdict }
            }
            LinkState::Recovering => {
                let played = self.turn.unwrap_or(self.since);
                if now - played < RECOVERY {
                    return self.kept(played + RECOVERY, verdict);
                }
                step(unless_flapping(LinkState::Up, recent_changes), true)
            }
        }
    }

    fn after_failure(&self, now: DateTime<Utc>, recent_changes: u32, interval: Duration) -> Step {
        let first = self.turn.filter(|_| self.failures > 0).unwrap_or(now);
        let failures = self.failures.saturating_add(1);
        let failed = |state| Self { failures, turn: Some(first), ..self.moved(state, now) };
        let is_decided = failures >= FAILURES_OF_DOWN && now - first >= DOWN_AFTER;
        let rarely = rarely(now, interval);
        let step = |health, changed, next| Step { health, changed, next, verdict: Verdict::Fails };
        match self.state {
            LinkState::Unknown | LinkState::Up | LinkState::Suspect if is_decided => {
                step(failed(unless_flapping(LinkState::Down, recent_changes)), true, rarely)
            }
            LinkState::Unknown | LinkState::Up | LinkState::Suspect => {
                let retry = RETRIES.len().min(usize::try_from(failures).unwrap_or(usize::MAX)) - 1;
                step(failed(LinkState::Suspect), false, now + Duration::minutes(RETRIES[retry]))
            }
            LinkState::Flapping if is_decided && recent_changes <= CHANGES_OF_FLAPPING => {
                step(failed(LinkState::Down), true, rarely)
            }
            LinkState::Flapping => step(failed(LinkState::Flapping), false, rarely),
            // A recovering link has not come up yet, so nothing changed.
            LinkState::Down | LinkState::Recovering => step(failed(LinkState::Down), false, rarely),
        }
    }
}

/// Time of the next probe of a link that is down.
fn rarely(now: DateTime<Utc>, interval: Duration) -> DateTime<Utc> {
    now + interval.min(DOWN_INTERVAL)
}

/// The state, or flapping if this change exceeds the limit.
const fn unless_flapping(state: LinkState, recent_changes: u32) -> LinkState {
    if recent_changes >= CHANGES_OF_FLAPPING { LinkState::Flapping } else { state }
}

#[cfg(test)]
mod tests {
    use domain_kernel::Enumeration;
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::link::ProbeOutcome;

    fn at(minutes: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::minutes(minutes)
    }

    const HOURS: Duration = Duration::hours(6);

    /// The states after probes at these minutes.
    fn states(probes: &[(i64, ProbeOutcome)]) -> Vec<LinkState> {
        let mut health = LinkHealth::unknown(at(0));
        probes
            .iter()
            .map(|(minute, outcome)| {
                health = health.after(&Probe::of(*outcome), at(*minute), 0, HOURS, false).health;
                health.state
            })
            .collect()
    }

    #[test]
    fn three_failures_over_ten_minutes_make_it_down_and_two_successes_up() {
        use LinkState::{Down, Recovering, Suspect, Up};
        use ProbeOutcome::{Busy, Http, Ok, Timeout};
        for (probes, expected) in [
            (
                vec![(0, Ok), (1, Http), (2, Http), (7, Http), (22, Http)],
                vec![Up, Suspect, Suspect, Suspect, Down],
            ),
            (vec![(0, Timeout), (1, Timeout), (10, Timeout)], vec![Suspect, Suspect, Down]),
            // A success resets the count.
            (
                vec![(0, Http), (1, Http), (7, Ok), (8, Http), (22, Http)],
                vec![Suspect, Suspect, Up, Suspect, Suspect],
            ),
            // An inconclusive probe changes nothing and does not reset failures.
            (vec![(0, Http), (1, Busy), (7, Http), (22, Http)], vec![Suspect, Suspect, Suspect, Down]),
            (
                vec![(0, Http), (1, Http), (10, Http), (40, Ok), (45, Ok)],
                vec![Suspect, Suspect, Down, Recovering, Up],
            ),
            (
                vec![(0, Http), (1, Http), (10, Http), (40, Ok), (41, Ok)],
                vec![Suspect, Suspect, Down, Recovering, Recovering],
            ),
            (
                vec![(0, Http), (1, Http), (10, Http), (40, Ok), (45, Http)],
                vec![Suspect, Suspect, Down, Recovering, Down],
            ),
        ] {
            assert_eq!(states(&probes), expected, "{probes:?}");
        }
    }

    #[test]
    fn a_failing_link_is_probed_again_after_1_5_and_15_minutes() {
        let mut health = LinkHealth::unknown(at(0));
        let mut waits = Vec::new();
        let mut now = at(0);
        while health.state != LinkState::Down {
            let step = health.after(&Probe::of(ProbeOutcome::Http), now, 0, HOURS, false);
            waits.push((step.next - now).num_minutes());
            (health, now) = (step.health, step.next);
        }
        assert_eq!(waits, [1, 5, 15, 30]);
    }

    #[test]
    fn a_network_failure_does_not_shorten_the_interval_of_a_link_that_is_down() {
        for (state, minutes) in [(LinkState::Up, 5), (LinkState::Suspect, 5), (LinkState::Down, 30)] {
            let health = LinkHealth { state, ..LinkHealth::unknown(at(0)) };
            let step = health.after(&Probe::of(ProbeOutcome::Http), at(0), 0, HOURS, true);
            assert_eq!((step.next - at(0)).num_minutes(), minutes, "{state:?}");
        }
    }

    #[test]
    fn a_busy_host_is_not_probed_before_its_retry_after() {
        for (retry_after, minutes) in
            [(None, 15), (Some(5), 1), (Some(3_600), 60), (Some(10_000_000), 24 * 60)]
        {
            let busy = Probe { retry_after, ..Probe::of(ProbeOutcome::Busy) };
            let step = LinkHealth::unknown(at(0)).after(&busy, at(0), 0, HOURS, false);
            assert_eq!((step.next - at(0)).num_minutes(), minutes, "{retry_after:?}");
        }
    }

    #[test]
    fn the_fifth_change_within_a_day_makes_it_flapping_until_a_day_without() {
        let down = LinkHealth { state: LinkState::Suspect, since: at(0), failures: 2, turn: Some(at(0)) };
        let fails = Probe::of(ProbeOutcome::Http);
        let step = down.after(&fails, at(10), 4, HOURS, false);
        assert_eq!((step.health.state, step.changed), (LinkState::Flapping, true));
        let plays = Probe::of(ProbeOutcome::Ok);
        let again = step.health.after(&plays, at(20), 5, HOURS, false);
        assert_eq!((again.health.state, again.changed), (LinkState::Flapping, false));
        let calm = again.health.after(&plays, at(2_000), 0, HOURS, false);
        assert_eq!((calm.health.state, calm.changed), (LinkState::Up, true));
        let dead = [2_000, 2_005, 2_010]
            .iter()
            .fold(again.health, |health, minute| health.after(&fails, at(*minute), 0, HOURS, false).health);
        assert_eq!(dead.state, LinkState::Down);
    }

    proptest! {
        /// For any sequence of outcomes: a link is down only after three consecutive failures over
        /// ten minutes, and a failure of the service's own network never changes a state.
        #[test]
        fn nothing_is_down_too_early(probes in vec((0_i64..30, 0_usize..16, any::<bool>()), 1..60)) {
            let mut health = LinkHealth::unknown(at(0));
            let (mut now, mut failing) = (0, Vec::new());
            for (wait, outcome, network_is_down) in probes {
                now += wait;
                let outcome = ProbeOutcome::ALL[outcome % ProbeOutcome::ALL.len()];
                let before = health;
                let step = health.after(&Probe::of(outcome), at(now), 0, HOURS, network_is_down);
                health = step.health;
                prop_assert!(step.next > at(now));
                let is_hidden = network_is_down && outcome.verdict() == Verdict::Fails;
                prop_assert_eq!(step.verdict, if is_hidden { Verdict::Unknown } else { outcome.verdict() });
                match outcome.verdict() {
                    Verdict::Plays => failing.clear(),
                    Verdict::Fails if !network_is_down => failing.push(now),
                    _ => prop_assert_eq!(health, before),
                }
                if health.state == LinkState::Down && before.state == LinkState::Suspect {
                    prop_assert!(failing.len() >= 3 && now - failing[0] >= 10);
                }
                if health.state == LinkState::Up {
                    prop_assert!(failing.is_empty() || outcome.verdict() == Verdict::Unknown || network_is_down);
                }
            }
        }
    }
}
