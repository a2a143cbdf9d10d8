//! The states of a delivery: pending, retried after growing pauses, then delivered or failed.

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Id, enumeration};

use crate::EventType;

/// So many days before its end a subscription counts as about to expire.
pub const WARNING_DAYS: i64 = 7;

enumeration! {
    /// What became of a delivery.
    pub enum DeliveryStatus {
        /// It waits for its turn, or to be tried again.
        Pending = "PENDING" ("Pendiente", "Pending"),
        /// The receiver took it.
        Delivered = "DELIVERED" ("Entregada", "Delivered"),
        /// It failed for good.
        Failed = "FAILED" ("Fallida", "Failed"),
    }
}

enumeration! {
    /// Why an attempt failed.
    pub enum DeliveryFault {
        /// The receiver answered with another status than 2xx.
        Refused = "REFUSED" ("El receptor respondió con un error", "The receiver answered with an error"),
        /// The receiver sent us elsewhere; nobody goes there.
        Redirected = "REDIRECTED" ("El receptor redirige a otra dirección, y no se siguen redirecciones", "The receiver redirects elsewhere, and redirects are not followed"),
        /// No answer within the limit of time.
        TimedOut = "TIMED_OUT" ("El receptor no respondió a tiempo", "The receiver did not answer in time"),
        /// The receiver can't be found or reached.
        Unreachable = "UNREACHABLE" ("No se pudo conectar con el receptor", "The receiver could not be reached"),
        /// The address leads to a private network.
        ForbiddenAddress = "FORBIDDEN_ADDRESS" ("La dirección pertenece a una red privada que no está permitida", "The address belongs to a private network that is not allowed"),
        /// What came back is not HTTP.
        Unreadable = "UNREADABLE" ("La respuesta del receptor no se entiende", "The receiver's answer can't be read"),
    }
}

/// One delivery of one event to one webhook, as the log shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The number it is known by.
    pub id: Id,
    /// To which webhook.
    pub webhook: Id,
    /// What receivers recognise the event by: a delivery that is sent again carries that of the first.
    pub message: String,
    /// What changed.
    pub event_type: EventType,
    /// Whom or what it is about: deliveries of one of them arrive in order.
    pub entity: String,
    /// What it says, as JSON.
    pub data: String,
    /// When it happened.
    pub occurred_at: DateTime<Utc>,
    /// What became of it.
    pub status: DeliveryStatus,
    /// How often it was tried.
    pub attempts: u32,
    /// When it is tried next; `None` for as soon as its turn comes, or never.
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// When it was tried last.
    pub last_attempt_at: Option<DateTime<Utc>>,
    /// What the receiver answered last.
    pub status_code: Option<u16>,
    /// Why the last attempt failed.
    pub fault: Option<DeliveryFault>,
    /// How long the last attempt took, in milliseconds.
    pub duration_ms: Option<i64>,
    /// When it arrived.
    pub delivered_at: Option<DateTime<Utc>>,
    /// The delivery that somebody had sent again, if it is a repetition.
    pub resend_of: Option<Id>,
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    /// What the receiver answered, where it did.
    pub status_code: Option<u16>,
    /// What went wrong; `None` where it arrived.
    pub fault: Option<DeliveryFault>,
}

/// What follows from an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It arrived.
    Delivered,
    /// It is tried again at this moment.
    Retry(DateTime<Utc>),
    /// Nobody tries any more.
    GivenUp,
}

/// The pauses after the first, second, … attempt that failed: nearly a day in all, so that a receiver that is down over
/// night misses nothing.
const PAUSES: [TimeDelta; 9] = [
    TimeDelta::seconds(5),
    TimeDelta::seconds(30),
    TimeDelta::minutes(2),
    TimeDelta::minutes(10),
    TimeDelta::minutes(30),
    TimeDelta::hours(1),
    TimeDelta::hours(3),
    TimeDelta::hours(6),
    TimeDelta::hours(12),
];

/// How often an event is tried at most. Whoever tests waits for the one answer.
pub const fn attempts_at_most(event: EventType) -> usize {
    match event {
        EventType::Test => 1,
        _ => PAUSES.len() + 1,
    }
}

/// What follows from an attempt that ended at `now`, the `made`th one of this event.
pub fn verdict_of(event: EventType, made: u32, attempt: Attempt, now: DateTime<Utc>) -> Verdict {
    if attempt.fault.is_none() {
        return Verdict::Delivered;
    }
    let made = usize::try_from(made).unwrap_or(usize::MAX);
    match PAUSES.get(made.saturating_sub(1)) {
        Some(pause) if made < attempts_at_most(event) => Verdict::Retry(now + *pause),
        _ => Verdict::GivenUp,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Attempt = Attempt { status_code: Some(204), fault: None };
    const BAD: Attempt = Attempt { status_code: Some(500), fault: Some(DeliveryFault::Refused) };

    fn now() -> DateTime<Utc> {
        "2026-11-21T03:00:00Z".parse().unwrap()
    }

    #[test]
    fn an_event_is_tried_ten_times_within_a_day_after_ever_longer_pauses() {
        let mut moment = now();
        let mut pauses = Vec::new();
        for made in 1.. {
            match verdict_of(EventType::ItemCreated, made, BAD, moment) {
                Verdict::Retry(next) => {
                    pauses.push((next - moment).num_seconds());
                    moment = next;
                }
                verdict => {
                    assert_eq!((made, verdict), (10, Verdict::GivenUp));
                    break;
                }
            }
        }
        assert_eq!(pauses, [5, 30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200]);
        assert!(moment - now() < TimeDelta::days(1));
        assert_eq!(verdict_of(EventType::ItemCreated, 11, BAD, now()), Verdict::GivenUp);
    }

    #[test]
    fn what_arrived_arrived_whenever_it_did() {
        for made in [1, 5, 10, 99] {
            assert_eq!(verdict_of(EventType::CreditsMoved, made, GOOD, now()), Verdict::Delivered);
        }
    }

    #[test]
    fn a_test_is_tried_once() {
        assert_eq!(verdict_of(EventType::Test, 1, BAD, now()), Verdict::GivenUp);
        assert_eq!(verdict_of(EventType::Test, 1, GOOD, now()), Verdict::Delivered);
    }
}
