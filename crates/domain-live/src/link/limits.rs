//! Rate limits of probes per host (docs/spec/live-tv.md#politeness).

use chrono::Duration;

/// Intervals and limits of probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbePolicy {
    /// Interval between two probes of a playing link; zero turns probes off.
    pub interval: Duration,
    /// Concurrent probes per host.
    pub connections: u32,
    /// Minimum time between the starts of two probes of a host, and between the end of one and the
    /// start of the next.
    pub pause: Duration,
    /// Maximum probes per host and day; `None` for no limit.
    pub budget: Option<u32>,
}

impl ProbePolicy {
    /// Whether probes are enabled.
    pub fn is_on(&self) -> bool {
        self.interval > Duration::zero()
    }
}
