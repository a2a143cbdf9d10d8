//! The open reports on one item, so that twenty complaints are one job.

use chrono::{DateTime, Utc};
use domain_kernel::{Id, Username};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{IssueContentType, Priority, ReportType};

/// The open reports on one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssueGroup {
    /// Its id.
    pub id: Id,
    /// What the item is.
    pub content_type: IssueContentType,
    /// The item's id, where that is known. It may be gone by now.
    pub content_id: Option<Id>,
    /// The item, by name.
    pub title: String,
    /// How many reports are open.
    pub reports: u64,
    /// How many of them somebody sees to.
    pub in_progress: u64,
    /// What is wrong, the most frequent first.
    pub report_types: Vec<ReportType>,
    /// When the first of them came.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub first_date: DateTime<Utc>,
    /// When the last of them came.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub last_date: DateTime<Utc>,
    /// The highest of their priorities.
    pub priority: Priority,
    /// Who sees to them, by name.
    pub assigned_to: Vec<Username>,
}
