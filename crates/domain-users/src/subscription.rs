//! Whether a subscription is over, or soon will be (docs/spec/users.md#expiration): cards and filters share
//! the one predicate.

use chrono::{DateTime, Utc};
use domain_kernel::{RoleCode, enumeration};

use crate::UserStatus;

/// Between which moments an expiration counts. Stores filter by these bounds; [`Deadline::holds`] is the same rule for
/// one user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpiryFilter {
    /// Over: before now.
    Expired {
        /// Now.
        now: DateTime<Utc>,
    },
    /// Over before the month is: from now on, up to and including the month's last moment.
    AboutToExpire {
        /// Now.
        now: DateTime<Utc>,
        /// The first moment of the next month, where the service is.
        month_end: DateTime<Utc>,
    },
    /// Over within some days: from now on, up to the end of a day.
    Within {
        /// Now.
        now: DateTime<Utc>,
        /// The first moment of the day after the last one, where the service is.
        end: DateTime<Utc>,
    },
}

impl ExpiryFilter {
    /// The time that it is judged by.
    pub const fn now(self) -> DateTime<Utc> {
        match self {
            Self::Expired { now } | Self::AboutToExpire { now, .. } | Self::Within { now, .. } => now,
        }
    }

    /// From this moment on, included.
    pub const fn from(self) -> Option<DateTime<Utc>> {
        match self {
            Self::Expired { .. } => None,
            Self::AboutToExpire { now, .. } | Self::Within { now, .. } => Some(now),
        }
    }

    /// Before this moment.
    pub const fn before(self) -> DateTime<Utc> {
        match self {
            Self::Expired { now } => now,
            Self::AboutToExpire { month_end, .. } => month_end,
            Self::Within { end, .. } => end,
        }
    }

    /// Whether it is so of somebody: only app users have a subscription, and one without an end never ends.
    pub fn holds(self, role: RoleCode, expiration: Option<DateTime<Utc>>) -> bool {
        let within =
            |date: DateTime<Utc>| self.from().is_none_or(|from| date >= from) && date < self.before();
        role == RoleCode::App && expiration.is_some_and(within)
    }
}

enumeration! {
    /// How far a subscription has come, whatever the status of the account.
    pub enum SubscriptionState {
        /// An agent registered the user, and nothing has been sold to them yet.
        NotStarted = "NOT_STARTED" ("Sin empezar", "Not started"),
        /// It ends some day to come.
        Current = "CURRENT" ("Al día", "Current"),
        /// It never ends: an admin granted that.
        NoExpiration = "NO_EXPIRATION" ("No vence", "Never expires"),
        /// It is over.
        Expired = "EXPIRED" ("Vencida", "Expired"),
    }
}

/// When a subscription ends, and whether it has started: no expiration means "never" only after the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subscription {
    /// Whether it has started.
    pub started: bool,
    /// When it ends.
    pub expiration: Option<DateTime<Utc>>,
}

impl Subscription {
    /// Its state at this time.
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
    /// Whether somebody may play, or why not.
    pub enum SubscriptionStatus {
        /// They may.
        Current = "CURRENT" ("Al día", "Current"),
        /// Their subscription has not started: nothing has been sold to them yet.
        NotStarted = "NOT_STARTED" ("Sin empezar", "Not started"),
        /// Their subscription is over.
        Expired = "EXPIRED" ("Vencida", "Expired"),
        /// They were deactivated.
        Inactive = "INACTIVE" ("Inactivo", "Inactive"),
        /// They were suspended.
        Suspended = "SUSPENDED" ("Suspendido", "Suspended"),
    }
}

impl SubscriptionStatus {
    /// Whoever is not active may not, whatever they paid for; nor whose subscription is over or has not started.
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

    /// Whether they may play.
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
