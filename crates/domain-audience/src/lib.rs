//! What viewers and staff do that is worth keeping (decisions.md "Settings, visits"): visits, sign-ins, and what was
//! watched, with the bounds of the batches they come in.
//!
//! Who reports it and how it is counted up does not belong here.

mod view;

pub use view::{Played, PlayedType, View, Views};
