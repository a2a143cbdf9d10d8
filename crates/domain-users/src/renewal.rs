//! Customers by when their subscription ends (docs/spec/renewals.md#windows).

use chrono::{DateTime, Utc};
use domain_kernel::enumeration;

use crate::{LastContact, User};

enumeration! {
    /// When a subscription ends. Each window of days holds those before it: who ends today also ends within three days.
    pub enum RenewalWindow {
        /// It has ended.
        Expired = "EXPIRED" ("Vencidos", "Expired"),
        /// It ends today.
        Today = "TODAY" ("Hoy", "Today"),
        /// It ends today or on one of the next three days.
        Days3 = "DAYS_3" ("3 días", "3 days"),
        /// It ends today or on one of the next seven days.
        Days7 = "DAYS_7" ("7 días", "7 days"),
        /// It ends today or on one of the next thirty days.
        Days30 = "DAYS_30" ("30 días", "30 days"),
    }
}

/// A customer of a window, with what was done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renewal {
    /// The customer.
    pub user: User,
    /// The last contact.
    pub last_contact: Option<LastContact>,
    /// The moment from which renewals show the customer again.
    pub snoozed_until: Option<DateTime<Utc>>,
}

impl RenewalWindow {
    /// How many days after today the window ends; `None` for what has ended.
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
    fn a_code_says_how_many_days_its_window_has() {
        for window in RenewalWindow::ALL {
            let days = window.code().strip_prefix("DAYS_").map(|days| days.parse().unwrap());
            let expected = if *window == RenewalWindow::Today { Some(0) } else { days };
            assert_eq!(window.days(), expected, "{window:?}");
        }
    }
}
