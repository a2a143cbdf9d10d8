//! The store of viewers' reports. A method that writes is one transaction: the report, its history and the counts of its
//! item go together.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_catalogue::Kind;
use domain_issues::{
    Author, GroupChange, HistoryEntry, IssueContentType, IssueGroup, NewReport, Priority, Report,
    ReportStatus, ReportType, UserRef,
};
use domain_kernel::{Id, ListQuery, Page, RoleCode, Username};
use domain_operations::OperationRow;

use crate::{IdempotencyKey, Inserted, SliceOf, SliceWritten, StoreError, Written};

/// The filters of reports. All that are set must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IssueFilter {
    /// Those that stand at one of these; all where there is none.
    pub statuses: Vec<ReportStatus>,
    /// Those about this.
    pub content_type: Option<IssueContentType>,
    /// Those of this trouble.
    pub report_type: Option<ReportType>,
    /// Those that matter so much.
    pub priority: Option<Priority>,
    /// Those that somebody sees to: them, or, for `None`, nobody.
    pub assigned_to: Option<Option<Username>>,
    /// Those on one item.
    pub group: Option<Id>,
    /// Those of this reporter, in any case, from this moment on.
    pub reporter: Option<(String, DateTime<Utc>)>,
}

/// What may change of a report, as it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportState {
    /// Where it stands.
    pub status: ReportStatus,
    /// How much it matters.
    pub priority: Priority,
    /// Who it is assigned to.
    pub assigned_to: Option<Username>,
    /// What staff wrote about it.
    pub notes: Option<String>,
}

/// What a report is about, as it is in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueItem {
    /// As reports name it.
    pub content_type: IssueContentType,
    /// What it is.
    pub kind: Kind,
    /// Its id.
    pub id: Id,
    /// Its title; of an episode also its show's, and its place there.
    pub title: String,
    /// The show of an episode.
    pub show: Option<Id>,
}

/// A report of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedReport {
    /// As it came in. An id of content is one that exists.
    pub report: NewReport,
    /// What became of it.
    pub state: ReportState,
    /// When it came.
    pub reported_date: DateTime<Utc>,
    /// What a second import recognises it by.
    pub natural_key: String,
}

/// A slice of a bulk operation on reports.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportSlice {
    /// Which slice it is.
    pub slice: SliceOf,
    /// Its reports, in their order.
    pub items: Vec<ReportSliceItem>,
}

/// A report of a slice.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportSliceItem {
    /// What is recorded.
    pub row: OperationRow,
    /// The report as it was read, and as it is to be; `None` in a dry run and where nothing changes.
    pub change: Option<(Report, ReportState)>,
}

/// Keeps viewers' reports.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait IssueRepository: Send + Sync {
    /// A page of the list, newest first unless ordered otherwise. Filters of the query itself are not looked at.
    async fn list(&self, filter: &IssueFilter, query: &ListQuery) -> Result<Page<Vec<Report>>, StoreError>;

    /// The ids of what the list shows, in their order; at most so many.
    async fn matching_ids(
        &self,
        filter: &IssueFilter,
        query: &ListQuery,
        limit: u64,
    ) -> Result<Vec<Id>, StoreError>;

    /// Does a slice of a bulk operation: every report that is still as it was read is changed as by
    /// [`IssueRepository::change`], and the rows of all are recorded, in one transaction.
    async fn write_slice(
        &self,
        slice: ReportSlice,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<SliceWritten, StoreError>;

    /// One report.
    async fn find(&self, id: Id) -> Result<Option<Report>, StoreError>;

    /// These reports, those that exist; in any order.
    async fn find_all(&self, ids: &[Id]) -> Result<Vec<Report>, StoreError>;

    /// What was done to a report, oldest first.
    async fn history(&self, id: Id) -> Result<Vec<HistoryEntry>, StoreError>;

    /// What there is of this content; what is gone is missing.
    async fn items(&self, wanted: &[(IssueContentType, Id)]) -> Result<Vec<IssueItem>, StoreError>;

    /// The ids of content by what viewers call it, in the requested order: where there is one of that title, and only
    /// one. Episodes go by `Show S1E2: Title`.
    async fn ids_by_title(
        &self,
        wanted: &[(IssueContentType, String)],
    ) -> Result<Vec<Option<Id>>, StoreError>;

    /// What was answered to a once-only request before, if anything: what it named may have changed since.
    async fn answered(&self, once: &IdempotencyKey) -> Result<Option<Inserted<Report>>, StoreError>;

    /// Stores a new report, once for a once-only request.
    async fn insert(
        &self,
        report: &NewReport,
        author: &Author,
        now: DateTime<Utc>,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<Report>, StoreError>;

    /// Changes a report that is still as it was read.
    async fn change(
        &self,
        from: &Report,
        to: &ReportState,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<Written<Report>, StoreError>;

    /// Removes a report that is still as it was read. What was done to it stays written down.
    async fn delete(
        &self,
        report: &Report,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<Written<Report>, StoreError>;

    /// How many reports stand where.
    async fn counts(&self) -> Result<Vec<(ReportStatus, u64)>, StoreError>;

    /// Active users of these roles, by name.
    async fn staff(&self, roles: &[RoleCode]) -> Result<Vec<UserRef>, StoreError>;

    /// A page of the items that have open reports, those with the most first unless ordered otherwise.
    async fn groups(
        &self,
        content_type: Option<IssueContentType>,
        query: &ListQuery,
    ) -> Result<Page<Vec<IssueGroup>>, StoreError>;

    /// Whether there is such a group, with open reports or without.
    async fn has_group(&self, group: Id) -> Result<bool, StoreError>;

    /// Changes all reports that are open on one item at this moment, and answers how many differed. `None` where there
    /// is no such group.
    async fn change_group(
        &self,
        group: Id,
        change: &GroupChange,
        author: &Author,
        now: DateTime<Utc>,
    ) -> Result<Option<u64>, StoreError>;

    /// Stores a batch; of each whether it is new. Known ones stay as staff left them.
    async fn import(&self, batch: Vec<ImportedReport>, now: DateTime<Utc>) -> Result<Vec<bool>, StoreError>;
}
