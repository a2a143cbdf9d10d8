//! Visits, sign-ins and views (docs/spec/integrations.md#visits), with the limits of their batches.
//!
//! Storage and counting do not belong here.

mod view;
mod visit;

pub use view::{Played, PlayedType, View, Views};
pub use visit::{
    DayOfVisits, LONGEST_DEVICE, LONGEST_LOOK_BACK, SeenDevice, Visit, VisitBatch, VisitKind, VisitReport,
    VisitTime, Watched, WatchedType, kept_device,
};
