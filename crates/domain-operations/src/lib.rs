//! Bulk operations: one change of many items, recorded row by row (docs/spec/bulk-operations.md).
//!
//! An operation is a record: user, time, change and items, with the outcome of each item and its
//! values before and after. A dry run has no effect on the items. Changes can be undone for a day.

mod activity;
mod change;
mod item;
mod operation;

pub use activity::{
    Activity, EndedJob, Job, JobKind, LinkActivity, MAX_JOBS, ReportActivity, ReviewActivity,
};
pub use change::{BulkChange, ChangeType, STREAMS};
pub use item::{ItemKey, Resource};
pub use operation::{
    BulkOperation, Counts, FailureCode, IMPORTED_SLICE, MAX_ITEMS, MAX_NAMED_ITEMS, OperationRequest,
    OperationRow, OperationState, SHARED_SLICE, SLICE, SheetDefault, SheetImport, SheetImportRequest,
    SheetRowOf, UNDO_HOURS, Verdict, exactly_one_of, items_of_slice, rows_of_slice,
};
