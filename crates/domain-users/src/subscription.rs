//! Whether a subscription has expired, or will soon (docs/spec/users.md#expiration): one predicate for cards
//! and filters.

use chrono::{DateTime, Utc};
use domain_kernel::{RoleCode, enumeration};

use crate::UserStatus;

/// Filter of expirations by time. Stores filter by these bounds; [`ExpiryFilter::holds`] is the same rule for
/// one user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpiryFilter {
    /// Expired before now.
    Expired { now: DateTime<Utc> },
    /// Expires from now to the end of the month.
    AboutToExpire {
        now: DateTime<Utc>,
        /// Start of the next month, in the time zone of the service.
        month_end: DateTime<Utc>,
    },
    /// Expires from now to the end of a day.
    Within {
        now: DateTime<Utc>,
        /// Start of the day after the last one, in the time zone of the service.
        end: DateTime<Utc>,
    },
}

impl ExpiryFilter {
    /// Reference time.
    pub const fn now(self) -> DateTime<Utc> {
        match self {
            Self::Expired { now } | Self::AboutToExpire { now, .. } | Self::Within { now, .. } => now,
        }
    }

    /// Inclusive lower bound.
    pub const fn from(self) -> Option<DateTime<Utc>> {
        match self {
            Self::Expired { .. } => None,
            Self::AboutToExpire { now, .. } | Self::Within { now, .. } => Some(now),
        }
    }

    /// Exclusive upper bound.
    pub const fn before(self) -> DateTime<Utc> {
        match self {
            Self::Expired { now } => now,
            Self::AboutToExpire { month_end, .. } => month_end,
            Self::Within { end, .. } => end,
        }
    }

    /// Whether a user matches: only app users have a subscription, and one without an expiration never
    /// expires.
    pub fn holds(self, role: RoleCode, expiration: Option<DateTime<Utc>>) -> bool {
        let within =
            |date: DateTime<Utc>| self.from().is_none_or(|from| date >= from) && date < self.before();
        role == RoleCode::App && expiration.is_some_and(within)
    }
}

enumeration! {
    /// State of a subscription, whatever the status of the account.
    pub enum SubscriptionState {
        /// Registered by an agent, and nothing sold yet.
        NotStarted = "NOT_STARTED" ("Sin empezar", "Not started"),
        /// Expires in the future.
        Current = "CURRENT" ("Al día", "Current"),
        /// Never expires, as granted by an admin.
        NoExpiration = "NO_EXPIRATION" ("No vence", "Never expires"),
        /// Expired.
        Expired = "EXPIRED" ("Vencida", "Expired"),
    }
}

/// Start and expiration of a subscription: no expiration means "never" only after the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subscription {
    pub started: bool,
    pub expiration: Option<DateTime<Utc>>,
}

impl Subscription {
    /// State at this time.
    pub fn state(self, now: DateTime<Utc>) -> SubscriptionState {
        match self.expiration {
            None if self.started => SubscriptionState::NoExpiration,
            None => SubscriptionState::NotStarted,
            Some(_) if (ExpiryFilter::Expired { now }).holds(RoleCode::App, self.expiration) => {
                SubscriptionState::Expired
            }
            Some(_) => SubscriptionState::Current,
        }
    }
}

enumeration! {
    /// Status of a subscriber: whether playback is allowed, or the reason why it is not.
    pub enum SubscriptionStatus {
        /// Playback is allowed.
        Current = "CURRENT" ("Al día", "Current"),
        /// The subscription has not started: nothing has been sold yet.
        NotStarted = "NOT_STARTED" ("Sin empezar", "Not started"),
        /// The subscription has expired.
        Expired = "EXPIRED" ("Vencida", "Expired"),
        /// The user was deactivated.
        Inactive = "INACTIVE" ("Inactivo", "Inactive"),
        /// The user was suspended.
        Suspended = "SUSPENDED" ("Suspendido", "Suspended"),
    }
}

impl SubscriptionStatus {
    /// Status of a user: playback needs an active account with a started, unexpired subscription.
    pub fn of(status: UserStatus, subscription: Subscription, now: DateTime<Utc>) -> Self {
        match status {
            UserStatus::Inactive => Self::Inactive,
            UserStatus::Suspended => Self::Suspended,
            UserStatus::Active => match subscription.state(now) {
                SubscriptionState::NotStarted => Self::NotStarted,
                SubscriptionState::Expired => Self::Expired,
                SubscriptionState::Current | SubscriptionState::NoExpiration => Self::Current,
            },
        }
    }

    /// Whether playback is allowed.
    pub fn may_play(self) -> bool {
        self == Self::Current
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expired_is_before_now_and_about_to_is_from_now_to_the_months_end() {
        let at = |text: &str| Some(text.parse::<DateTime<Utc>>().unwrap());
        let now = at("2026-11-20T10:00:00Z").unwrap();
        let month_end = at("2026-12-01T00:00:00Z").unwrap();
        let (expired, about) =
            (ExpiryFilter::Expired { now }, ExpiryFilter::AboutToExpire { now, month_end });
        for (date, is_expired, is_about) in [
            (None, false, false),
            (at("2026-11-20T09:59:59.999Z"), true, false),
            (at("2026-11-20T10:00:00Z"), false, true),
            (at("2026-11-30T23:59:59.999Z"), false, true),
            (at("2026-12-01T00:00:00Z"), false, false),
        ] {
            assert_eq!(
                (expired.holds(RoleCode::App, date), about.holds(RoleCode::App, date)),
                (is_expired, is_about)
            );
            assert!(!expired.holds(RoleCode::Agent, date) && !about.holds(RoleCode::Admin, date));
        }
    }

    #[test]
    fn only_active_subscribers_whose_time_is_not_over_may_play() {
        let now: DateTime<Utc> = "2026-11-20T10:00:00Z".parse().unwrap();
        let (before, later) = (now - chrono::TimeDelta::milliseconds(1), now + chrono::TimeDelta::days(1));
        for (status, expiration, expected) in [
            (UserStatus::Active, None, SubscriptionStatus::Current),
            (UserStatus::Active, Some(now), SubscriptionStatus::Current),
            (UserStatus::Active, Some(later), SubscriptionStatus::Current),
            (UserStatus::Active, Some(before), SubscriptionStatus::Expired),
            (UserStatus::Inactive, Some(later), SubscriptionStatus::Inactive),
            (UserStatus::Suspended, Some(before), SubscriptionStatus::Suspended),
        ] {
            let subscription = Subscription { started: true, expiration };
            assert_eq!(
                SubscriptionStatus::of(status, subscription, now),
                expected,
                "{status:?} {expiration:?}"
            );
            assert_eq!(expected.may_play(), expected == SubscriptionStatus::Current);
        }
        let not_started = Subscription { started: false, expiration: None };
        for (status, expected) in [
            (UserStatus::Active, SubscriptionStatus::NotStarted),
            (UserStatus::Inactive, SubscriptionStatus::Inactive),
            (UserStatus::Suspended, SubscriptionStatus::Suspended),
        ] {
            assert_eq!(SubscriptionStatus::of(status, not_started, now), expected);
            assert!(!expected.may_play());
        }
        let state = |expiration| Subscription { started: true, expiration }.state(now);
        assert_eq!(not_started.state(now), SubscriptionState::NotStarted);
        assert_eq!(
            [state(None), state(Some(now)), state(Some(before))],
            [SubscriptionState::NoExpiration, SubscriptionState::Current, SubscriptionState::Expired]
        );
    }
}
