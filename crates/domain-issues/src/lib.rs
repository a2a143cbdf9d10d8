//! Viewers' reports of playback problems, with their status transitions (docs/spec/reports.md#transitions).
//!
//! Rules only, without I/O: reporter and assignee are names.

mod change;
mod episode_titles;
mod group;
mod history;
mod kinds;
mod past;
mod report;
mod status;

pub use change::{ReportChange, ReportPatch};
pub use episode_titles::{episode_title, parse_episode_title};
pub use group::IssueGroup;
pub use history::{Author, AuthorKind, HistoryAction, HistoryEntry};
pub use kinds::{IssueContentType, Priority, ReportType};
pub use past::PastReport;
pub use report::{IssueStats, NewReport, Report, ReportSeen, search_text, seen_in_group};
pub use status::ReportStatus;
