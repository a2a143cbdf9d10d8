//! The states of a delivery: pending, retried after growing delays, then delivered or failed.

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Id, enumeration};

use crate::EventType;

/// Days before its expiration on which a subscription counts as about to expire.
pub const WARNING_DAYS: i64 = 7;

enumeration! {
    /// Status of a delivery.
    pub enum DeliveryStatus {
        /// Waiting for an attempt.
        Pending = "PENDING" ("Pendiente", "Pending"),
        /// Accepted by the receiver.
        Delivered = "DELIVERED" ("Entregada", "Delivered"),
        /// Failed permanently.
        Failed = "FAILED" ("Fallida", "Failed"),
    }
}

enumeration! {
    /// Reason for a failed attempt.
    pub enum DeliveryFault {
        /// The receiver responded with a status other than 2xx.
        Refused = "REFUSED" ("El receptor respondió con un error", "The receiver answered with an error"),
        /// The receiver responded with a redirect, which is not followed.
        Redirected = "REDIRECTED" ("El receptor redirige a otra dirección, y no se siguen redirecciones", "The receiver redirects elsewhere, and redirects are not followed"),
        /// Timeout.
        TimedOut = "TIMED_OUT" ("El receptor no respondió a tiempo", "The receiver did not answer in time"),
        /// Name resolution or connection failed.
        Unreachable = "UNREACHABLE" ("No se pudo conectar con el receptor", "The receiver could not be reached"),
        /// The address belongs to a private network.
        ForbiddenAddress = "FORBIDDEN_ADDRESS" ("La dirección pertenece a una red privada que no está permitida", "The address belongs to a private network that is not allowed"),
        /// The response is not HTTP.
        Unreadable = "UNREADABLE" ("La respuesta del receptor no se entiende", "The receiver's answer can't be read"),
    }
}

/// One delivery of an event to a webhook, as in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub id: Id,
    pub webhook: Id,
    /// Id of the event for receivers; a repeated delivery has that of the first.
    pub message: String,
    pub event_type: EventType,
    /// Key of the entity: deliveries of one entity arrive in order.
    pub entity: String,
    /// Payload, as JSON.
    pub data: String,
    /// Time of the event.
    pub occurred_at: DateTime<Utc>,
    pub status: DeliveryStatus,
    /// Number of attempts.
    pub attempts: u32,
    /// Time of the next attempt; `None` for as soon as possible, or never.
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// Time of the last attempt.
    pub last_attempt_at: Option<DateTime<Utc>>,
    /// HTTP status of the last response.
    pub status_code: Option<u16>,
    /// Reason for the failure of the last attempt.
    pub fault: Option<DeliveryFault>,
    /// Duration of the last attempt, in milliseconds.
    pub duration_ms: Option<i64>,
    /// Time of the successful attempt.
    pub delivered_at: Option<DateTime<Utc>>,
    /// Id of the repeated delivery, if this is a repetition.
    pub resend_of: Option<Id>,
}

/// Outcome of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    /// HTTP status of the response, if there was one.
    pub status_code: Option<u16>,
    /// Reason for the failure; `None` on success.
    pub fault: Option<DeliveryFault>,
}

/// Next state of a delivery after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Delivered.
    Delivered,
    /// Retried at this time.
    Retry(DateTime<Utc>),
    /// Failed permanently.
    GivenUp,
}

/// Delays after the first, second, … failed attempt: nearly a day in all, so that a receiver that is down
/// overnight gets all events.
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

/// Maximum number of attempts of an event. A test has one, whose outcome the user waits for.
pub const fn attempts_at_most(event: EventType) -> usize {
    match event {
        EventType::Test => 1,
        _ => PAUSES.len() + 1,
    }
}

/// Next state after an attempt that ended at `now`, the `made`th one of this event.
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
    fn a_success_is_delivered_at_any_attempt() {
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
