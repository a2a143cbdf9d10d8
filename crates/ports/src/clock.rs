//! What time it is.

use chrono::{DateTime, Utc};

/// The source of time. Nothing else in the house may ask the machine.
#[cfg_attr(feature = "mocks", mockall::automock)]
pub trait Clock: Send + Sync {
    /// Now, cut to milliseconds: what both databases keep alike.
    fn now(&self) -> DateTime<Utc>;
}
