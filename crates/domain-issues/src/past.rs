//! Imported reports, with their state.

use chrono::{DateTime, Utc};
use domain_kernel::Id;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{IssueContentType, Priority, ReportStatus, ReportType};

/// A line of `issue-reports.ndjson`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-readOnly" = ["transitions", "groupId", "item", "history"]))]
pub struct PastReport {
    /// Short description of the problem.
    #[garde(length(chars, min = 2, max = 200))]
    pub title: String,
    /// Long description of the problem.
    #[garde(inner(length(chars, max = 2000)))]
    #[schemars(extend("x-severalLines" = true))]
    pub description: Option<String>,
    /// Type of the content.
    #[garde(skip)]
    pub content_type: IssueContentType,
    /// Id of the content.
    #[garde(inner(range(min = 1)))]
    pub content_id: Option<Id>,
    /// Title of the content, by which it is looked up if there is no id.
    #[garde(inner(length(chars, max = 200)))]
    pub content: Option<String>,
    /// Type of the problem.
    #[garde(skip)]
    pub report_type: ReportType,
    /// Name of the reporter.
    #[garde(inner(length(chars, max = 100)))]
    pub reporter: Option<String>,
    /// Time of the report.
    #[garde(skip)]
    pub reported_date: DateTime<Utc>,
    /// Status of the report.
    #[garde(skip)]
    pub status: ReportStatus,
    /// Priority of the report.
    #[garde(skip)]
    #[serde(default)]
    pub priority: Priority,
    /// User name of the assignee.
    #[garde(skip)]
    pub assigned_to: Option<String>,
    /// Notes of staff.
    #[garde(inner(length(chars, max = 2000)))]
    #[schemars(extend("x-severalLines" = true))]
    pub notes: Option<String>,
}
