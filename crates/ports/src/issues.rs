//! The store of viewers' reports. A method that writes is one transaction over the report, its history and
//! the counts of its item.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_catalogue::Kind;
use domain_issues::{
    Author, HistoryEntry, IssueContentType, IssueGroup, NewReport, Priority, Report, ReportStatus, ReportType,
};
use domain_kernel::{Id, ListQuery, Page, RoleCode, UserRef, Username};
use domain_operations::OperationRow;

use crate::{IdempotencyKey, Inserted, SliceOf, SliceWritten, StoreError, Written};

/// The filters of reports. All that are set must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IssueFilter {
    /// Reports with one of these statuses; all if empty.
    pub statuses: Vec<ReportStatus>,
    pub content_type: Option<IssueContentType>,
    pub report_type: Option<ReportType>,
    pub priority: Option<Priority>,
    /// Reports assigned to this user, or, for `Some(None)`, to no user.
    pub assigned_to: Option<Option<Username>>,
    /// Reports on one item.
    pub group: Option<Id>,
    /// Reports from this time on.
    pub reported_from: Option<DateTime<Utc>>,
    /// Reports before this time.
    pub reported_to: Option<DateTime<Utc>>,
    /// Reports of this reporter (case-insensitive) from this time on.
    pub reporter: Option<(String, DateTime<Utc>)>,
}

/// New values of the changeable fields of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportState {
    pub status: ReportStatus,
    pub priority: Priority,
    pub assigned_to: Option<Username>,
    /// Notes of staff.
    pub notes: Option<String>,
}

/// The content that a report is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueItem {
    /// Type of the content in reports.
    pub content_type: IssueContentType,
    pub kind: Kind,
    pub id: Id,
    /// Title; for an episode with its show and number.
    pub title: String,
    /// The show of an episode.
    pub show: Option<Id>,
}

/// An imported report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedReport {
    /// The report as received. A content id refers to existing content.
    pub report: NewReport,
    pub state: ReportState,
    pub reported_date: DateTime<Utc>,
    /// Identifies the report in a repeated import.
    pub natural_key: String,
}

/// A slice of a bulk operation on reports.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportSlice {
    pub slice: SliceOf,
    /// In order.
    pub items: Vec<ReportSliceItem>,
}

/// A report of a slice.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportSliceItem {
    pub row: OperationRow,
    /// The report as read, and its new state; `None` in a dry run and where nothing changes.
    pub change: Option<(Report, ReportState)>,
    /// The report as read, if it is deleted.
    pub deletes: Option<Report>,
}

/// Stores viewers' reports.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait IssueRepository: Send + Sync {
    /// A page of the list, newest first by default. The filters of the query itself are ignored.
    async fn list(&self, filter: &IssueFilter, query: &ListQuery) -> Result<Page<Vec<Report>>, StoreError>;

    /// Ids of the reports of the list, in its order, limited.
    async fn matching_ids(
        &self,
        filter: &IssueFilter,
        query: &ListQuery,
        limit: u64,
    ) -> Result<Vec<Id>, StoreError>;

    /// Changes the reports of a slice as by [`IssueRepository::change`] where they have not changed since
    /// they were read, and records the rows of all, in one transaction.
    async fn write_slice(
        &self,
        slice: ReportSlice,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<SliceWritten, StoreError>;

    /// One report.
    async fn find(&self, id: Id) -> Result<Option<Report>, StoreError>;

    /// The existing ones of these reports, in any order.
    async fn find_all(&self, ids: &[Id]) -> Result<Vec<Report>, StoreError>;

    /// History of a report, oldest first.
    async fn history(&self, id: Id) -> Result<Vec<HistoryEntry>, StoreError>;

    /// The existing ones of these items.
    async fn items(&self, wanted: &[(IssueContentType, Id)]) -> Result<Vec<IssueItem>, StoreError>;

    /// Ids of content by title, in the requested order, where the title is unique. Episodes have the form
    /// `Show S1E2: Title`.
    async fn ids_by_title(
        &self,
        wanted: &[(IssueContentType, String)],
    ) -> Result<Vec<Option<Id>>, StoreError>;

    /// Response stored under this key, if any.
    async fn answered(&self, once: &IdempotencyKey) -> Result<Option<Inserted<Report>>, StoreError>;

    /// Inserts a report, idempotently where a key is given.
    async fn insert(
        &self,
        report: &NewReport,
        author: &Author,
        now: DateTime<Utc>,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<Report>, StoreError>;

    /// Changes a report that has not changed since it was read.
    async fn change(
        &self,
        from: &Report,
        to: &ReportState,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<Written<Report>, StoreError>;

    /// Removes a report that has not changed since it was read. Its history stays in the audit log.
    async fn delete(
        &self,
        report: &Report,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<Written<Report>, StoreError>;

    /// Number of reports by status.
    async fn counts(&self) -> Result<Vec<(ReportStatus, u64)>, StoreError>;

    /// Active users with one of these roles, by name.
    async fn staff(&self, roles: &[RoleCode]) -> Result<Vec<UserRef>, StoreError>;

    /// A page of the items with open reports, those with the most first by default.
    async fn groups(
        &self,
        content_type: Option<IssueContentType>,
        query: &ListQuery,
    ) -> Result<Page<Vec<IssueGroup>>, StoreError>;

    /// Imports a batch; returns for each report whether it is new. Existing reports are not changed.
    async fn import(&self, batch: Vec<ImportedReport>, now: DateTime<Utc>) -> Result<Vec<bool>, StoreError>;
}
