//! Links of films and other items, probed only on request or after a problem report: there are too
//! many to probe all (docs/spec/live-tv.md#links-of-items).

use chrono::{DateTime, Duration, Utc};

use super::{LinkHealth, LinkState, Probe, ProbeOutcome, Step, Verdict};

/// Retention of an item's link since the last request, in days.
pub const ON_DEMAND_DAYS: i64 = 30;

/// Time of the next probe of a link probed on request: in the year 9999.
pub fn at_rest() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + Duration::days(2_932_896)
}

impl LinkHealth {
    /// Next state of an item's link after a probe. Differs from other links in the schedule: after
    /// a playing or inconclusive probe the link waits for a request, and a link that is down is
    /// probed once per `interval`.
    #[must_use]
    pub fn after_on_demand(
        &self,
        probe: &Probe,
        now: DateTime<Utc>,
        recent_changes: u32,
        interval: Duration,
        network_is_down: bool,
    ) -> Step {
        let step = self.after(probe, now, recent_changes, interval, network_is_down);
        let next = match (probe.outcome.verdict(), step.health.state) {
            (Verdict::Plays, LinkState::Up) => at_rest(),
            // A busy host is probed again after its `Retry-After`.
            (Verdict::Unknown, LinkState::Up | LinkState::Unknown) if probe.outcome != ProbeOutcome::Busy => {
                at_rest()
            }
            (Verdict::Fails, LinkState::Down | LinkState::Flapping) => now + interval,
            _ => step.next,
        };
        Step { next, ..step }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOURS: Duration = Duration::hours(6);

    fn at(minutes: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::minutes(minutes)
    }

    /// Minutes until each next probe; `None` for links waiting for a request.
    fn waits(outcomes: &[ProbeOutcome], network_is_down: bool) -> Vec<Option<i64>> {
        let (mut health, mut now) = (LinkHealth::unknown(at(0)), at(0));
        outcomes
            .iter()
            .map(|outcome| {
                let step = health.after_on_demand(&Probe::of(*outcome), now, 0, HOURS, network_is_down);
                let wait = (step.next < at_rest()).then(|| (step.next - now).num_minutes());
                health = step.health;
                now += Duration::minutes(wait.unwrap_or(60));
                wait
            })
            .collect()
    }

    #[test]
    fn a_link_that_plays_is_probed_on_request_and_one_that_is_down_until_it_plays() {
        use ProbeOutcome::{Auth, Busy, Http, NotChecked, Ok};
        for (outcomes, expected) in [
            (vec![Ok], vec![None]),
            (vec![Http, Ok], vec![Some(1), None]),
            (
                vec![Http, Http, Http, Http, Http, Ok, Ok],
                vec![Some(1), Some(5), Some(15), Some(360), Some(360), Some(5), None],
            ),
            (vec![Auth], vec![None]),
            (vec![NotChecked], vec![None]),
            (vec![Ok, Auth], vec![None, None]),
            // An inconclusive probe leaves a suspect link suspect: it is probed again.
            (vec![Http, Auth], vec![Some(1), Some(360)]),
            (vec![Busy, Ok], vec![Some(15), None]),
        ] {
            assert_eq!(waits(&outcomes, false), expected, "{outcomes:?}");
        }
        assert_eq!(waits(&[Http, Http], true), [Some(5), Some(5)], "no state changes, and it is tried again");
        let down = LinkHealth { state: LinkState::Down, ..LinkHealth::unknown(at(0)) };
        for network_is_down in [false, true] {
            let step = down.after_on_demand(&Probe::of(Http), at(0), 0, HOURS, network_is_down);
            assert_eq!(step.next, at(360), "as rarely, whatever the network does");
        }
    }
}
