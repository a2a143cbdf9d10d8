//! Links as they are kept.

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Id, Kind, enumeration, for_each_kind};

use super::{LinkHealth, LinkState, Probe, ProbeDay, ProbeOutcome};

macro_rules! link_owner {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal
        [$($code:literal $labels:tt played $views:tt reported $reports:tt watched $visits:tt counted $dashboards:tt
            linked($($variant:ident $names:tt)?) $($rest:tt)*)?];)+) => {
        enumeration! {
            /// What a link belongs to, by the path of its kind.
            pub enum LinkOwner {
                $($($($variant = $path $names,)?)?)+
            }
        }

        impl LinkOwner {
            /// The kind that it is.
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
    /// What the links of this kind belong to, if it has links.
    pub fn of(kind: Kind) -> Option<Self> {
        Self::ALL.iter().copied().find(|owner| owner.kind() == kind)
    }

    /// Whether all of its links are probed; those of other kinds where somebody requests it or reports a problem.
    pub const fn is_live(self) -> bool {
        matches!(self, Self::TvChannels | Self::RadioStations)
    }
}

enumeration! {
    /// How many of a channel's streams play, where they are too few.
    pub enum Redundancy {
        /// All are down.
        None = "NONE" ("Ninguna señal se reproduce", "No stream plays"),
        /// One isn't down.
        Single = "SINGLE" ("Sin una segunda señal", "Without a second stream"),
    }
}

/// A link, and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The number it is known by.
    pub id: Id,
    /// What kind of item it belongs to.
    pub owner: LinkOwner,
    /// The item.
    pub item: Id,
    /// What the item is called.
    pub title: String,
    /// Its place among the streams of the item, from 0.
    pub position: u32,
    /// What the stream is called.
    pub label: Option<String>,
    /// The host of its address.
    pub host: String,
    /// Whether it is probed: the item is active, or switched off by the service, and its address is known.
    pub active: bool,
    /// Whether the service has switched the item off because no link of it played.
    pub switched_off: bool,
    /// What is said of it.
    pub health: LinkHealth,
    /// When it is probed next, if it is active: not before its host is free. `None` where it waits for a request.
    pub next_probe: Option<DateTime<Utc>>,
    /// The last probe, and when.
    pub last: Option<(DateTime<Utc>, Probe)>,
}

/// A change of a link's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkChange {
    /// When.
    pub occurred_at: DateTime<Utc>,
    /// The state before it.
    pub from: LinkState,
    /// The state since.
    pub to: LinkState,
    /// What the probe found that decided it.
    pub outcome: ProbeOutcome,
    /// The status of its answer.
    pub http_status: Option<u16>,
}

/// The links of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostLinks {
    /// The host.
    pub host: String,
    /// Its links that are probed.
    pub links: u64,
    /// Those that are suspect or down.
    pub failing: u64,
    /// Probes of its links on the last days, a day without any is not there.
    pub days: Vec<ProbeDay>,
}

/// Links from which on a host can have an incident.
const LEAST_OF_INCIDENT: u64 = 3;
/// Hosts from which on the network can be down.
const LEAST_OF_NETWORK: u64 = 4;

impl HostLinks {
    /// Whether half of its links fail together: then the host has an incident, not each link one of its own.
    pub const fn has_incident(&self) -> bool {
        self.links >= LEAST_OF_INCIDENT && self.failing * 2 >= self.links
    }
}

/// Whether our own network is down: of the hosts that were probed a moment ago, half fail with all of their links.
pub const fn is_network_down(probed: u64, failing: u64) -> bool {
    probed >= LEAST_OF_NETWORK && failing * 2 >= probed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_link_belongs_to_is_called_as_its_kind() {
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
