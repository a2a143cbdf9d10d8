//! Author, time and origin of a change.

use chrono::{DateTime, Utc};
use domain_kernel::{Origin, Username};

/// Author, time and origin of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// User name; `None` where there is no user, as in an import.
    pub by: Option<Username>,
    pub at: DateTime<Utc>,
    pub origin: Origin,
}
