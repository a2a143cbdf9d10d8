//! Customers by expiration of their subscription (docs/spec/renewals.md#windows).

use chrono::{DateTime, Utc};
use domain_kernel::enumeration;

use crate::{LastContact, User};

enumeration! {
    /// Window of expirations. Each window of days includes the shorter ones: today is also within three days.
    pub enum RenewalWindow {
        /// Expired.
        Expired = "EXPIRED" ("Vencidos", "Expired"),
        /// Expires today.
        Today = "TODAY" ("Hoy", "Today"),
        /// Expires today or on one of the next three days.
        Days3 = "DAYS_3" ("3 días", "3 days"),
        /// Expires today or on one of the next seven days.
        Days7 = "DAYS_7" ("7 días", "7 days"),
        /// Expires today or on one of the next thirty days.
        Days30 = "DAYS_30" ("30 días", "30 days"),
    }
}

/// A customer of a window, with the last contact and the snooze.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renewal {
    pub user: User,
    pub last_contact: Option<LastContact>,
    /// End of the snooze.
    pub snoozed_until: Option<DateTime<Utc>>,
}

impl RenewalWindow {
    /// Number of days from today to the end of the window; `None` for expired subscriptions.
    pub const fn days(self) -> Option<u64> {
        match self {
            Self::Expired => None,
            Self::Today => Some(0),
            Self::Days3 => Some(3),
            Self::Days7 => Some(7),
            Self::Days30 => Some(30),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain_kernel::Enumeration;

    use super::*;

    #[test]
    fn the_days_of_a_window_are_those_of_its_code() {
        for window in RenewalWindow::ALL {
            let days = window.code().strip_prefix("DAYS_").map(|days| days.parse().unwrap());
            let expected = if *window == RenewalWindow::Today { Some(0) } else { days };
            assert_eq!(window.days(), expected, "{window:?}");
        }
    }
}
