//! Current time.

use chrono::{DateTime, Utc};

/// The source of time. Nothing else reads the system clock.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait Clock: Send + Sync {
    /// Now, truncated to milliseconds, the precision of both databases.
    fn now(&self) -> DateTime<Utc>;
}
