//! Links of channels, stations and items: outcomes of probes and states of links
//! (docs/spec/live-tv.md#links-that-play).

mod days;
mod kept;
mod limits;
mod on_demand;
mod probe;
mod state;

pub use days::{DAYS_SHOWN, ProbeDay};
pub use kept::{HostLinks, Link, LinkChange, LinkOwner, Redundancy, is_network_down};
pub use limits::ProbePolicy;
pub use on_demand::{ON_DEMAND_DAYS, at_rest};
pub use probe::{Probe, ProbeOutcome, StreamFormat, Verdict, outcome_of_status};
pub use state::{
    CHANGES_OF_FLAPPING, DOWN_AFTER, FAILURES_OF_DOWN, LinkHealth, LinkState, RECOVERY, RETRIES, Step,
};
