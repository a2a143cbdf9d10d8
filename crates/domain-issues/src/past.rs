//! Reports that are brought in from elsewhere, with what became of them there.

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
    /// What is wrong, in a few words.
    #[garde(length(chars, min = 2, max = 200))]
    pub title: String,
    /// What is wrong, in as many words as it took.
    #[garde(inner(length(chars, max = 2000)))]
    #[schemars(extend("x-severalLines" = true))]
    pub description: Option<String>,
    /// What it is about.
    #[garde(skip)]
    pub content_type: IssueContentType,
    /// The id of what it is about.
    #[garde(inner(range(min = 1)))]
    pub content_id: Option<Id>,
    /// What it is about, by name: without an id it is looked for by this.
    #[garde(inner(length(chars, max = 200)))]
    pub content: Option<String>,
    /// What kind of trouble it is.
    #[garde(skip)]
    pub report_type: ReportType,
    /// Who complained.
    #[garde(inner(length(chars, max = 100)))]
    pub reporter: Option<String>,
    /// When it came.
    #[garde(skip)]
    pub reported_date: DateTime<Utc>,
    /// Where it stands.
    #[garde(skip)]
    pub status: ReportStatus,
    /// How much it matters.
    #[garde(skip)]
    #[serde(default)]
    pub priority: Priority,
    /// Who saw to it.
    #[garde(skip)]
    pub assigned_to: Option<String>,
    /// What staff wrote about it.
    #[garde(inner(length(chars, max = 2000)))]
    #[schemars(extend("x-severalLines" = true))]
    pub notes: Option<String>,
}
