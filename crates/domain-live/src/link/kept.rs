//! Stored links.

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Id, Kind, enumeration, for_each_kind};

use super::{LinkHealth, LinkState, Probe, ProbeDay, ProbeOutcome};

macro_rules! link_owner {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal
        [$($code:literal $labels:tt played $views:tt reported $reports:tt watched $visits:tt counted $dashboards:tt
            linked($($variant:ident $names:tt)?) $($rest:tt)*)?];)+) => {
        enumeration! {
            /// Owner of a link, by the path of its kind.
            pub enum LinkOwner {
                $($($($variant = $path $names,)?)?)+
            }
        }

        impl LinkOwner {
            pub const fn kind(self) -> Kind {
                match self {
                    $($($(Self::$variant => Kind::$kind,)?)?)+
                }
            }
        }
    };
}
for_each_kind!(link_owner);

impl LinkOwner {
    /// The owner type of a kind with links.
    pub fn of(kind: Kind) -> Option<Self> {
        Self::ALL.iter().copied().find(|owner| owner.kind() == kind)
    }

    /// Whether all of its links are probed; those of other kinds are probed on request or after a
    /// problem report.
    pub const fn is_live(self) -> bool {
        matches!(self, Self::TvChannels | Self::RadioStations)
    }
}

enumeration! {
    /// Missing redundancy of a channel's streams.
    pub enum Redundancy {
        None = "NONE" ("Ninguna señal se reproduce", "No stream plays"),
        Single = "SINGLE" ("Sin una segunda señal", "Without a second stream"),
    }
}

/// A link and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub id: Id,
    pub owner: LinkOwner,
    pub item: Id,
    pub title: String,
    /// Position among the streams of the item, from 0.
    pub position: u32,
    pub label: Option<String>,
    pub host: String,
    /// Whether it is probed: the item is active, or deactivated by the service, and the URL is
    /// known.
    pub active: bool,
    /// Whether the service has deactivated the item because none of its links played.
    pub switched_off: bool,
    pub health: LinkHealth,
    /// Time of the next probe of an active link, at the earliest when its host is free. `None` for
    /// links probed on request.
    pub next_probe: Option<DateTime<Utc>>,
    /// The last probe and its time.
    pub last: Option<(DateTime<Utc>, Probe)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkChange {
    pub occurred_at: DateTime<Utc>,
    /// State before the change.
    pub from: LinkState,
    /// State after the change.
    pub to: LinkState,
    /// Outcome of the probe that caused the change.
    pub outcome: ProbeOutcome,
    /// HTTP status of that probe.
    pub http_status: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostLinks {
    pub host: String,
    /// Number of probed links.
    pub links: u64,
    /// Number of suspect or down links.
    pub failing: u64,
    /// Daily counts of the last days, without empty days.
    pub days: Vec<ProbeDay>,
}

/// Minimum links of a host for an incident.
const LEAST_OF_INCIDENT: u64 = 3;
/// Minimum hosts for a network outage.
const LEAST_OF_NETWORK: u64 = 4;

impl HostLinks {
    /// Whether at least half of the links fail: one incident of the host instead of one per link.
    pub const fn has_incident(&self) -> bool {
        self.links >= LEAST_OF_INCIDENT && self.failing * 2 >= self.links
    }
}

/// Whether the service's own network is down: half of the recently probed hosts fail with all their
/// links.
pub const fn is_network_down(probed: u64, failing: u64) -> bool {
    probed >= LEAST_OF_NETWORK && failing * 2 >= probed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_of_links_have_the_names_of_their_kinds() {
        for owner in LinkOwner::ALL {
            assert_eq!(owner.code(), owner.kind().path());
            assert_eq!(LinkOwner::of(owner.kind()), Some(*owner));
        }
        assert_eq!(LinkOwner::of(Kind::Seasons), None);
    }

    #[test]
    fn half_of_a_hosts_links_are_an_incident_and_half_of_the_hosts_are_the_network() {
        for (links, failing, incident) in
            [(2, 2, false), (3, 1, false), (3, 2, true), (4, 2, true), (100, 49, false)]
        {
            let host = HostLinks { host: "h.example".into(), links, failing, days: Vec::new() };
            assert_eq!(host.has_incident(), incident, "{failing} of {links}");
        }
        for (probed, failing, down) in [(3, 3, false), (4, 1, false), (4, 2, true), (50, 24, false)] {
            assert_eq!(is_network_down(probed, failing), down, "{failing} of {probed}");
        }
    }
}
