//! What time it is.

use chrono::{DateTime, Utc};

/// The source of time. Nothing else reads the system clock.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait Clock: Send + Sync {
    /// Now, cut to milliseconds: what both databases keep alike.
    fn now(&self) -> DateTime<Utc>;
}
