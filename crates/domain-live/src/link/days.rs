//! Daily counts of probes.

use chrono::NaiveDate;

/// Conclusive probes of one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbeDay {
    /// Day in the service's time zone.
    pub day: NaiveDate,
    /// Probes of a playing link.
    pub good: u32,
    /// Probes of a failing link.
    pub failed: u32,
}

/// Number of days shown, including today.
pub const DAYS_SHOWN: u64 = 30;
