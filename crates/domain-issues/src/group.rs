//! Open reports grouped by item.

use chrono::{DateTime, Utc};
use domain_kernel::{Id, Username};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{IssueContentType, Priority, ReportType};

/// The open reports on one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssueGroup {
    /// Id of the group.
    pub id: Id,
    /// Type of the item.
    pub content_type: IssueContentType,
    /// Id of the item, if known. The item may have been deleted.
    pub content_id: Option<Id>,
    /// Title of the item.
    pub title: String,
    /// Number of open reports.
    pub reports: u64,
    /// Number of reports in progress.
    pub in_progress: u64,
    /// Types of the problems, the most frequent first.
    pub report_types: Vec<ReportType>,
    /// Time of the first report.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub first_date: DateTime<Utc>,
    /// Time of the last report.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub last_date: DateTime<Utc>,
    /// Highest priority of the reports.
    pub priority: Priority,
    /// User names of the assignees.
    pub assigned_to: Vec<Username>,
}
