//! What viewers and staff do that is worth keeping (docs/spec/integrations.md#visits): visits, sign-ins, and
//! what was watched, with the bounds of the batches they come in.
//!
//! Who reports it and how it is counted up does not belong here.

mod view;
mod visit;

pub use view::{Played, PlayedType, View, Views};
pub use visit::{
    DayOfVisits, LONGEST_DEVICE, LONGEST_LOOK_BACK, SeenDevice, Visit, VisitBatch, VisitKind, VisitReport,
    VisitTime, Watched, WatchedType, kept_device,
};
