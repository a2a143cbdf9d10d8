//! The list of reports: two statements a page. Totals come from kept counts, rows are found along narrow indexes.

use domain_issues::Report;
use domain_kernel::{Enumeration, ListQuery, Page, fold};
use ports::{IssueFilter, StoreError};
use sea_orm::{ConnectionTrait, DbBackend};

use super::{SeaOrmIssues, columns, report};
use crate::{
    error::store_error,
    paging::{Order, PageWindow, ordered, page},
    sql::{Sql, like_pattern, match_phrase},
};

/// What looking a row up costs, in entries of an index walked over.
const LOOK_UP: u64 = 20;

/// What is looked for.
pub(super) enum Search {
    Nothing,
    /// Three letters and more: the trigram index.
    Indexed(String),
    /// One or two letters: every text.
    Short(String),
}

impl Search {
    pub(super) fn of(query: &ListQuery) -> Self {
        match query.search.as_deref().map(fold).filter(|text| !text.is_empty()) {
            None => Self::Nothing,
            Some(text) if text.chars().count() < 3 => Self::Short(text),
            Some(text) => Self::Indexed(text),
        }
    }

    /// The condition that a row `m` of `table` is found. Walking, SQLite tests text after text.
    pub(super) fn push(&self, sql: &mut Sql, backend: DbBackend, table: &str, walks: bool) {
        match (self, backend) {
            (Self::Nothing, _) => {}
            (Self::Indexed(text), DbBackend::Sqlite) if !walks => {
                sql.push(&format!(
                    " AND m.id IN (SELECT rowid FROM {table}_search WHERE {table}_search MATCH "
                ));
                sql.bind(match_phrase(text)).push(")");
            }
            (Self::Indexed(text) | Self::Short(text), DbBackend::Sqlite) => {
                sql.push(" AND instr(m.search_text, ").bind(text.as_str()).push(") > 0");
            }
            (Self::Indexed(text) | Self::Short(text), _) => {
                sql.push(" AND m.search_text LIKE ").bind(like_pattern(text)).push(r" ESCAPE '\'");
            }
        }
    }

    /// Long scans stand aside, so that nobody waits behind them.
    pub(super) fn connection<'a>(&self, database: &'a crate::Database) -> &'a crate::transaction::Pool {
        if matches!(self, Self::Short(_)) { &database.scanner } else { &database.reader }
    }
}

fn column(field: &str) -> &'static str {
    match field {
        "reportedDate" => "m.created_date",
        "updatedDate" => "m.updated_date",
        "title" => "m.title_key",
        "contentType" => "m.content_type",
        "reportType" => "m.report_type",
        "status" => "m.status",
        "priority" => "m.urgency",
        "assignedTo" => "m.assigned_to_key",
        _ => "m.id",
    }
}

/// Whether a filter keeps anything out.
fn narrows(filter: &IssueFilter) -> bool {
    *filter != IssueFilter::default()
}

impl SeaOrmIssues {
    pub(super) async fn page(
        &self,
        filter: &IssueFilter,
        query: &ListQuery,
    ) -> Result<Page<Vec<Report>>, StoreError> {
        let backend = self.0.backend();
        let search = Search::of(query);
        let connection = search.connection(&self.0);
        let statement = self.totals(filter, &search).statement(backend);
        let row = connection.query_one_raw(statement).await.map_err(store_error)?;
        let row = row.ok_or_else(|| StoreError::Broken("a statement without a row".into()))?;
        let count = |column: &str| row.try_get::<i64>("", column).map(i64::unsigned_abs).map_err(store_error);
        let (total, whole) = (count("total")?, count("whole")?);
        let read = |row: &sea_orm::QueryResult| report(row).map_err(store_error);
        let Some(stretch) = PageWindow::of(query, total) else { return page(query, Vec::new(), total, read) };

        let mut order: Order =
            query.sort.iter().map(|sort| (column(&sort.field).to_owned(), sort.descending)).collect();
        if order.is_empty() {
            order.push(("m.created_date".into(), true));
        }
        if !order.iter().any(|(column, _)| column == "m.id") {
            let direction = order.last().is_some_and(|(_, descending)| *descending);
            order.push(("m.id".into(), direction));
        }
        // Whether SQLite is kept from gathering all that fit and sorting them: walking along the order and testing is
        // cheaper where many fit. (PostgreSQL knows from its statistics.)
        let walked = stretch.walked().saturating_mul(whole) / total.max(1);
        let walks = filter.group.is_none()
            && match search {
                Search::Nothing => narrows(filter) && walked < total.saturating_mul(LOOK_UP),
                Search::Indexed(_) => walked < total,
                Search::Short(_) => true,
            };
        let mut sql = Sql::new(format!(
            "SELECT {} FROM (SELECT m.id AS id FROM issue_reports m WHERE 1 = 1",
            columns("m.")
        ));
        self.push_filter(&mut sql, filter, walks);
        search.push(&mut sql, backend, "issue_reports", walks);
        sql.push(&format!(" ORDER BY {}", ordered(&order, stretch.from_end)));
        stretch.push(&mut sql);
        sql.push(&format!(") p JOIN issue_reports m ON m.id = p.id ORDER BY {}", ordered(&order, false)));
        let rows = connection.query_all_raw(sql.statement(backend)).await.map_err(store_error)?;
        page(query, rows, total, read)
    }

    /// How many fit, and how many there are.
    fn totals(&self, filter: &IssueFilter, search: &Search) -> Sql {
        let backend = self.0.backend();
        let mut sql = Sql::new("SELECT ");
        match search {
            Search::Nothing if filter.group.is_none() => {
                sql.push("(SELECT CAST(coalesce(sum(m.total), 0) AS bigint) FROM issue_reports_counts m WHERE 1 = 1");
                self.push_filter(&mut sql, filter, false);
            }
            // The search index knows by itself, or with the narrow index of the rows' ids.
            Search::Indexed(text) if backend == DbBackend::Sqlite => {
                sql.push("(SELECT count(*) FROM issue_reports_search s");
                if narrows(filter) {
                    let index = if filter.group.is_none() { " INDEXED BY issue_reports_by_id" } else { "" };
                    sql.push(&format!(" CROSS JOIN issue_reports m{index} ON m.id = s.rowid"));
                }
                sql.push(" WHERE issue_reports_search MATCH ").bind(match_phrase(text));
                self.push_filter(&mut sql, filter, false);
            }
            _ => {
                sql.push("(SELECT count(*) FROM issue_reports m WHERE 1 = 1");
                self.push_filter(&mut sql, filter, false);
                search.push(&mut sql, backend, "issue_reports", true);
            }
        }
        sql.push(
            ") AS total, (SELECT CAST(coalesce(sum(total), 0) AS bigint) FROM issue_reports_counts) AS whole",
        );
        sql
    }

    /// What must hold of a row `m`, of the reports or of their counts.
    fn push_filter(&self, sql: &mut Sql, filter: &IssueFilter, walks: bool) {
        // A plus keeps SQLite from leaving the order's index for the filter's.
        let keep = if walks && self.0.backend() == DbBackend::Sqlite { "+" } else { "" };
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
            let key = assigned.as_ref().map(domain_kernel::Username::key).unwrap_or_default();
            sql.push(&format!(" AND {keep}m.assigned_to_key = ")).bind(key);
        }
        if let Some(group) = filter.group {
            sql.push(" AND m.item_id = ").bind(group);
        }
    }
}
