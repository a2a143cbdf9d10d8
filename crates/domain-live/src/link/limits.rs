//! How many probes a host gets (docs/spec/live-tv.md#politeness).

use chrono::Duration;

/// When links are probed, and how many at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProbePolicy {
    /// Lies between two probes of a link that plays; zero where none is probed.
    pub interval: Duration,
    /// Probes of a host at a time.
    pub connections: u32,
    /// Lies between the beginnings of two probes of a host, and between the end of one and the next.
    pub pause: Duration,
    /// Probes of a host on one day; `None` where they are not counted.
    pub budget: Option<u32>,
}

impl ProbePolicy {
    /// Whether links are probed at all.
    pub fn is_on(&self) -> bool {
        self.interval > Duration::zero()
    }
}
