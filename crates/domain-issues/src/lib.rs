//! Viewers' reports of what does not play, and the states a report goes through
//! (docs/spec/reports.md#transitions).
//!
//! Rules only. Who reports and who is assigned are names to this crate; it looks nobody up.

mod change;
mod group;
mod history;
mod kinds;
mod past;
mod report;
mod status;

pub use change::{GroupChange, ReportChange, ReportPatch};
pub use group::IssueGroup;
pub use history::{Author, AuthorKind, HistoryAction, HistoryEntry};
pub use kinds::{IssueContentType, Priority, ReportType};
pub use past::PastReport;
pub use report::{IssueStats, NewReport, Report, ReportSeen, UserRef, search_text, seen_in_group};
pub use status::ReportStatus;
