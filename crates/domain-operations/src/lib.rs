//! Bulk operations: one change of many items, recorded row by row (docs/spec/bulk-operations.md).
//!
//! An operation is a record: who, when, which change, of which items, and for each of them what became of it, with the values
//! before and after. A dry run is the same without the change. What was changed can be undone for a day.

mod activity;
mod change;
mod item;
mod operation;

pub use activity::{
    Activity, EndedJob, Job, JobKind, LinkActivity, MAX_JOBS, ReportActivity, ReviewActivity,
};
pub use change::{BulkChange, ChangeType};
pub use item::{ItemKey, Resource};
pub use operation::{
    BulkOperation, Counts, FailureCode, MAX_ITEMS, MAX_NAMED_ITEMS, OperationRequest, OperationRow,
    OperationState, SHARED_SLICE, SLICE, SheetDefault, SheetImport, SheetImportRequest, SheetRowOf,
    UNDO_HOURS, Verdict, exactly_one_of, items_of_slice, rows_of_slice,
};
