//! The list of reports.

use domain_issues::Report;
use domain_kernel::{Enumeration, ListQuery, Page, Username};
use ports::{IssueFilter, StoreError};
use sea_orm::{DbBackend, QueryResult};

use super::{SeaOrmIssues, columns, report};
use crate::{
    db::{
        error::store_error,
        sql::{Sql, match_phrase},
    },
    list::{AccessPath, LOOK_UP, ListRequest, ListTable, PageWindow, Search, Totals, page, rows_of_list},
};

/// The condition ` AND` that the search matches the row `m` of `table`.
pub(super) fn push_search(sql: &mut Sql, search: &Search, backend: DbBackend, table: &str, path: AccessPath) {
    match search {
        Search::Nothing => {}
        Search::Indexed(_) if backend == DbBackend::Sqlite && path == AccessPath::FilterThenSort => {
            sql.push(" AND m.id IN (");
            search.push_ids(sql, backend, table);
            sql.push(")");
        }
        _ => {
            sql.push(" AND ");
            search.push_match(sql, backend, "m");
        }
    }
}

/// The list of reports.
pub(super) struct ReportList<'a> {
    pub(super) backend: DbBackend,
    pub(super) filter: &'a IssueFilter,
}

impl ListTable for ReportList<'_> {
    type Row = Report;

    const TABLE: &'static str = "issue_reports";
    const ALIAS: &'static str = "m";
    const SORTS: &'static [(&'static str, &'static str)] = &[
        ("reportedDate", "created_date"),
        ("updatedDate", "updated_date"),
        ("title", "title_key"),
        ("contentType", "content_type"),
        ("reportType", "report_type"),
        ("status", "status"),
        ("priority", "urgency"),
        ("assignedTo", "assigned_to_key"),
    ];
    const DEFAULT_ORDER: (&'static str, bool) = ("m.created_date", true);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = |row| report(row).map_err(store_error);
    const SCANS_SHORT_SEARCHES: bool = true;

    fn columns(&self) -> String {
        columns()
    }

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, path: AccessPath) {
        sql.push(" WHERE 1 = 1");
        self.push_filter(sql, path);
        // A range of the column of the order is a part of the index of the order.
        let keep = if request.order.begins_with("m.created_date") { "" } else { path.keep(self.backend) };
        self.push_range(sql, keep);
        push_search(sql, &request.search, self.backend, Self::TABLE, path);
    }

    fn push_total(&self, sql: &mut Sql, request: &ListRequest<'_>) {
        let by_group = self.filter.group.is_some();
        match &request.search {
            Search::Nothing if !by_group && self.filter.reporter.is_none() && !self.has_range() => {
                sql.push(
                    "SELECT CAST(coalesce(sum(m.total), 0) AS bigint) AS total FROM issue_reports_counts m \
                     WHERE 1 = 1",
                );
                self.push_filter(sql, AccessPath::FilterThenSort);
            }
            // The search index suffices, alone or with the narrow index of IDs.
            Search::Indexed(text) if self.backend == DbBackend::Sqlite => {
                sql.push("SELECT count(*) AS total FROM issue_reports_search s");
                if self.has_filter() {
                    let index = if by_group { "" } else { " INDEXED BY issue_reports_by_id" };
                    sql.push(&format!(" CROSS JOIN issue_reports m{index} ON m.id = s.rowid"));
                }
                sql.push(" WHERE issue_reports_search MATCH ").bind(match_phrase(text));
                self.push_filter(sql, AccessPath::FilterThenSort);
                self.push_range(sql, "");
            }
            search => {
                sql.push("SELECT count(*) AS total FROM issue_reports m WHERE 1 = 1");
                self.push_filter(sql, AccessPath::FilterThenSort);
                self.push_range(sql, "");
                push_search(sql, search, self.backend, Self::TABLE, AccessPath::IndexScan);
            }
        }
    }

    fn needs_all(&self, _request: &ListRequest<'_>) -> bool {
        true
    }

    fn push_all(&self, sql: &mut Sql, _request: &ListRequest<'_>) {
        sql.push("SELECT CAST(coalesce(sum(total), 0) AS bigint) FROM issue_reports_counts");
    }

    fn access_path(&self, request: &ListRequest<'_>, window: PageWindow, totals: Totals) -> AccessPath {
        let read = window.rows_read(totals);
        let scans = self.filter.group.is_none()
            && self.filter.reporter.is_none()
            && match request.search {
                Search::Nothing => self.has_filter() && read < totals.matching.saturating_mul(LOOK_UP),
                Search::Indexed(_) | Search::Either(..) => read < totals.matching,
                Search::Short(_) => true,
            };
        if scans { AccessPath::IndexScan } else { AccessPath::FilterThenSort }
    }
}

impl ReportList<'_> {
    fn has_filter(&self) -> bool {
        *self.filter != IssueFilter::default()
    }

    fn has_range(&self) -> bool {
        self.filter.reported_from.is_some() || self.filter.reported_to.is_some()
    }

    /// The range of dates of a row `m` of the reports.
    fn push_range(&self, sql: &mut Sql, keep: &str) {
        if let Some(from) = self.filter.reported_from {
            sql.push(&format!(" AND {keep}m.created_date >= ")).bind(from);
        }
        if let Some(to) = self.filter.reported_to {
            sql.push(&format!(" AND {keep}m.created_date < ")).bind(to);
        }
    }

    /// The conditions on a row `m` of the reports or of their counter table, without the range of
    /// dates, which the counter table lacks.
    fn push_filter(&self, sql: &mut Sql, path: AccessPath) {
        let (filter, keep) = (self.filter, path.keep(self.backend));
        if !filter.statuses.is_empty() {
            sql.push(&format!(" AND {keep}m.status IN ("));
            sql.bind_all(filter.statuses.iter().map(|status| status.code())).push(")");
        }
        let codes = [
            ("content_type", filter.content_type.map(Enumeration::code)),
            ("report_type", filter.report_type.map(Enumeration::code)),
            ("priority", filter.priority.map(Enumeration::code)),
        ];
        for (column, code) in codes {
            if let Some(code) = code {
                sql.push(&format!(" AND {keep}m.{column} = ")).bind(code);
            }
        }
        if let Some(assigned) = &filter.assigned_to {
            let key = assigned.as_ref().map(Username::key).unwrap_or_default();
            sql.push(&format!(" AND {keep}m.assigned_to_key = ")).bind(key);
        }
        if let Some(group) = filter.group {
            sql.push(" AND m.item_id = ").bind(group);
        }
        if let Some((reporter, from)) = &filter.reporter {
            sql.push(" AND lower(m.reporter) = ").bind(reporter.to_lowercase());
            sql.push(" AND m.created_date >= ").bind(*from);
        }
    }
}

impl SeaOrmIssues {
    pub(super) async fn page(
        &self,
        filter: &IssueFilter,
        query: &ListQuery,
    ) -> Result<Page<Vec<Report>>, StoreError> {
        page(&self.0, &ReportList { backend: self.0.backend(), filter }, query).await
    }
}

rows_of_list!(SeaOrmIssues, 0, IssueFilter, Report, |store, filter| ReportList {
    backend: store.0.backend(),
    filter,
});
