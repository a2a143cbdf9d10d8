//! The list of visits.

use domain_audience::Visit;
use domain_kernel::{Enumeration, ListQuery, Page};
use ports::{StoreError, VisitFilter};
use sea_orm::{DbBackend, QueryResult, Statement};

use super::{COLUMNS, SeaOrmVisits, days::quarter_of, name_key, visit};
use crate::{
    db::sql::Sql,
    list::{AccessPath, ListRequest, ListTable, PageWindow, Search, Totals, page, rows_of_list, statements},
};

/// Cost of fetching a row, in index entries.
const LOOK_UP: u64 = 4;

/// The list of visits.
struct VisitList<'a> {
    backend: DbBackend,
    filter: &'a VisitFilter,
}

impl ListTable for VisitList<'_> {
    type Row = Visit;

    const TABLE: &'static str = "visits";
    const ALIAS: &'static str = "v";
    const COLUMNS: &'static str = COLUMNS;
    const SORTS: &'static [(&'static str, &'static str)] = &[("occurredAt", "occurred_at")];
    const DEFAULT_ORDER: (&'static str, bool) = ("v.occurred_at", true);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = visit;
    const SCANS_SHORT_SEARCHES: bool = true;

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, path: AccessPath) {
        self.push_conditions_of(sql, &request.search, path);
    }

    fn push_total(&self, sql: &mut Sql, request: &ListRequest<'_>) {
        self.push_count(sql, &request.search);
    }

    fn needs_all(&self, request: &ListRequest<'_>) -> bool {
        request.search.text().is_some()
    }

    /// Without its search.
    fn push_all(&self, sql: &mut Sql, _request: &ListRequest<'_>) {
        self.push_count(sql, &Search::Nothing);
    }

    fn access_path(&self, request: &ListRequest<'_>, window: PageWindow, totals: Totals) -> AccessPath {
        let scans = window.rows_read(totals).saturating_mul(LOOK_UP) < totals.matching;
        if scans || request.search.text().is_none() {
            AccessPath::IndexScan
        } else {
            AccessPath::FilterThenSort
        }
    }
}

impl VisitList<'_> {
    /// Counts by counter tables if possible, else by an index only.
    fn push_count(&self, sql: &mut Sql, search: &Search) {
        let filter = self.filter;
        let edges = [filter.from, filter.to];
        let is_counted = edges
            .iter()
            .flatten()
            .all(|edge| edge.timestamp() % 900 == 0 && edge.timestamp_subsec_nanos() == 0);
        let searches = search.text().is_some();
        if !searches && filter.username.is_none() && is_counted {
            sql.push(
                "SELECT CAST(coalesce(sum(c.total), 0) AS bigint) AS total FROM visits_counts c WHERE 1 = 1",
            );
            if let Some(kind) = filter.kind {
                sql.push(" AND c.kind = ").bind(kind.code());
            }
            if let Some(from) = filter.from {
                sql.push(" AND c.quarter >= ").bind(quarter_of(from));
            }
            if let Some(to) = filter.to {
                sql.push(" AND c.quarter < ").bind(quarter_of(to));
            }
        } else if searches && *filter == VisitFilter::default() {
            // A search of all visits is counted by the search index only.
            sql.push("SELECT count(*) AS total FROM (");
            search.push_ids(sql, self.backend, "visits");
            sql.push(") found");
        } else {
            sql.push("SELECT count(*) AS total FROM visits v");
            self.push_conditions_of(sql, search, AccessPath::FilterThenSort);
        }
    }

    fn push_conditions_of(&self, sql: &mut Sql, search: &Search, path: AccessPath) {
        let filter = self.filter;
        sql.push(" WHERE 1 = 1");
        if let Some(username) = &filter.username {
            sql.push(" AND v.username_key = ").bind(name_key(username));
        }
        if let Some(from) = filter.from {
            sql.push(" AND v.occurred_at >= ").bind(from);
        }
        if let Some(to) = filter.to {
            sql.push(" AND v.occurred_at < ").bind(to);
        }
        if let Some(kind) = filter.kind {
            sql.push(" AND v.kind = ").bind(kind.code());
        }
        let Some(text) = search.text() else { return };
        match (path, self.backend) {
            (AccessPath::FilterThenSort, backend) => {
                sql.push(" AND v.id IN (");
                search.push_ids(sql, backend, "visits");
                sql.push(")");
            }
            (AccessPath::IndexScan, DbBackend::Sqlite) => {
                sql.push(" AND instr(v.search_text, ").bind(text).push(") > 0");
            }
            // `LIKE` would make PostgreSQL use the trigram index.
            (AccessPath::IndexScan, _) => {
                sql.push(" AND strpos(v.search_text, ").bind(text).push(") > 0");
            }
        }
    }
}

impl SeaOrmVisits {
    fn table<'a>(&self, filter: &'a VisitFilter) -> VisitList<'a> {
        VisitList { backend: self.0.backend(), filter }
    }

    pub(super) async fn page(
        &self,
        filter: &VisitFilter,
        query: &ListQuery,
    ) -> Result<Page<Vec<Visit>>, StoreError> {
        page(&self.0, &self.table(filter), query).await
    }

    /// The statements of a list's first page, for tests that explain them.
    #[doc(hidden)]
    pub fn statements(&self, filter: &VisitFilter, query: &ListQuery) -> Vec<Statement> {
        statements(self.0.backend(), &self.table(filter), query, 1_000_000)
    }
}

rows_of_list!(SeaOrmVisits, 0, VisitFilter, Visit, |store, filter| VisitList {
    backend: store.0.backend(),
    filter,
});
