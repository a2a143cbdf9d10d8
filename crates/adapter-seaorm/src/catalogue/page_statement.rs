//! The statement of a list: a page, and the totals (ADR 0005, ADR 0006).
//!
//! Order, filters and far pages read narrow indexes from the nearer end, and fetch the page's rows
//! last; totals are from counter tables.

use sea_orm::DbBackend;

use super::{
    filters::push_filter,
    plan::{ContentRequest, PageScan},
    projection::Projection,
};
use crate::{
    db::sql::{Sql, match_phrase},
    list::{AccessPath, PageWindow, Search, page_join},
};

impl Projection {
    /// `SELECT all, matching, rows`: a page and the totals of its list, of one state of the
    /// database. Without rows if the totals are needed to choose the scan.
    pub(super) fn page_and_totals(&self, request: &ContentRequest<'_>, scan: Option<PageScan>) -> Sql {
        let table = &self.table;
        let mut sql = Sql::new(format!(
            "SELECT (SELECT CAST(coalesce(sum(total), 0) AS bigint) FROM {table}_counts) AS in_all, "
        ));
        self.push_total(&mut sql, request);
        sql.push(" AS matching, ");
        match scan {
            Some(scan) => self.push_rows(&mut sql, request, scan),
            None => drop(sql.push("'[]'")),
        }
        sql.push(" AS rows");
        sql
    }

    /// `SELECT rows`: a page alone, if the totals are known.
    pub(super) fn rows(&self, request: &ContentRequest<'_>, scan: PageScan) -> Sql {
        let mut sql = Sql::new("SELECT ");
        self.push_rows(&mut sql, request, scan);
        sql.push(" AS rows");
        sql
    }

    /// `SELECT id`: the IDs of all matching rows, in their order, with a limit.
    pub(super) fn push_matching_ids(&self, sql: &mut Sql, request: &ContentRequest<'_>, limit: u64) {
        let window = PageWindow::from_beginning(request.list.query);
        self.push_ids(sql, request, PageScan { path: AccessPath::FilterThenSort, window });
        sql.push(" LIMIT ").bind(i64::try_from(limit).unwrap_or(i64::MAX));
    }

    /// The largest number of links of a matching row.
    pub(super) fn most_links(&self, request: &ContentRequest<'_>) -> Sql {
        let table = &self.table;
        let length = if self.is_sqlite() { "json_array_length" } else { "jsonb_array_length" };
        let mut sql = Sql::new(format!(
            "SELECT CAST(coalesce(max({length}(l.links)), 0) AS bigint) AS most FROM {table} l WHERE l.id IN ("
        ));
        let window = PageWindow::from_beginning(request.list.query);
        self.push_ids(&mut sql, request, PageScan { path: AccessPath::FilterThenSort, window });
        sql.push(")");
        sql
    }

    /// The number of matching rows.
    fn push_total(&self, sql: &mut Sql, request: &ContentRequest<'_>) {
        let table = &self.table;
        sql.push(&match request.search() {
            _ if request.is_counted() => {
                format!("(SELECT CAST(coalesce(sum(m.total), 0) AS bigint) FROM {table}_counts m")
            }
            // Without filters the search index suffices.
            Search::Indexed(_) if self.is_sqlite() && request.filters().is_empty() => {
                format!("(SELECT count(*) FROM {table}_search s")
            }
            Search::Indexed(_) if self.is_sqlite() => {
                format!("(SELECT count(*) FROM {table}_search s CROSS JOIN {table} m ON m.id = s.rowid")
            }
            _ => format!("(SELECT count(*) FROM {table} m"),
        });
        self.push_conditions(sql, request, AccessPath::FilterThenSort);
        sql.push(")");
    }

    /// The page's rows as one JSON array.
    fn push_rows(&self, sql: &mut Sql, request: &ContentRequest<'_>, scan: PageScan) {
        sql.push_items(self.backend, |sql| {
            sql.push(&format!("SELECT CAST({} AS text) AS item FROM (", self.row));
            self.push_ids(sql, request, scan);
            scan.window.push(sql);
            let (table, join) = (&self.table, page_join(self.backend));
            let by = request.list.order.sql(false);
            sql.push(&format!(") p {join} {table} m ON m.id = p.id ORDER BY {by}"));
        });
    }

    /// The IDs of matching rows, in order, from one end.
    fn push_ids(&self, sql: &mut Sql, request: &ContentRequest<'_>, scan: PageScan) {
        let table = &self.table;
        let sorts = scan.path == AccessPath::FilterThenSort && self.is_sqlite();
        let (id, source) = match request.search() {
            Search::Indexed(_)
                if sorts && request.filters().is_empty() && request.list.query.sort.is_empty() =>
            {
                ("s.rowid", format!("{table}_search s"))
            }
            Search::Indexed(_) if sorts => {
                ("m.id", format!("{table}_search s CROSS JOIN {table} m ON m.id = s.rowid"))
            }
            Search::Short(_) if sorts => ("m.id", format!("{table} m INDEXED BY {table}_by_search_text")),
            _ => ("m.id", format!("{table} m")),
        };
        sql.push(&format!("SELECT {id} AS id FROM {source}"));
        self.push_conditions(sql, request, scan.path);
        let by = match id {
            "s.rowid" => format!("{id} {}", if scan.window.from_end { "DESC" } else { "ASC" }),
            _ => request.list.order.sql(scan.window.from_end),
        };
        sql.push(&format!(" ORDER BY {by}"));
    }

    /// `WHERE` with the conditions.
    pub(super) fn push_conditions(&self, sql: &mut Sql, request: &ContentRequest<'_>, path: AccessPath) {
        let mut word = " WHERE ";
        let mut and = |sql: &mut Sql| {
            sql.push(word);
            word = " AND ";
        };
        match request.search() {
            Search::Nothing => {}
            Search::Indexed(text) if self.is_sqlite() && path == AccessPath::FilterThenSort => {
                and(sql);
                sql.push(&format!("{}_search MATCH ", self.table)).bind(match_phrase(text));
            }
            search => {
                and(sql);
                search.push_match(sql, self.backend, "m");
            }
        }
        let alone = matches!(request.search(), Search::Nothing) && request.filters().len() == 1;
        for filter in request.filters() {
            and(sql);
            let condition = request.condition(&filter.field);
            push_filter(sql, self.backend, &self.table, request.kind, (filter, condition), path, alone);
        }
    }

    pub(super) fn is_sqlite(&self) -> bool {
        self.backend == DbBackend::Sqlite
    }
}
