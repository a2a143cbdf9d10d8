//! How often links played, by day.

use chrono::NaiveDate;

/// The probes of a day that said something about their link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeDay {
    /// The day where the service is.
    pub day: NaiveDate,
    /// Those that found it playing.
    pub good: u32,
    /// Those that found it failing.
    pub failed: u32,
}

/// Days that are shown, today included.
pub const DAYS_SHOWN: u64 = 30;
