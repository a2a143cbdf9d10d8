//! Who changes something.

use chrono::{DateTime, Utc};
use domain_kernel::{Origin, Username};

/// Who writes something, when and from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The user; `None` where no user does, as in an import.
    pub by: Option<Username>,
    /// The time of the change.
    pub at: DateTime<Utc>,
    /// From where.
    pub origin: Origin,
}
