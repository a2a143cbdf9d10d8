//! The statement that looks at a list: a page of it, and how many rows there are (ADR 0005, ADR 0006).
//!
//! Order, filters and far pages read narrow indexes from the nearer end and fetch the page's rows last; totals come from
//! counter tables.

use sea_orm::DbBackend;

use super::{
    filters::push_filter,
    plan::{AccessPath, IndexScan, ListRequest, Search},
    projection::Projection,
};
use crate::sql::{Sql, like_pattern, match_phrase};

impl Projection {
    /// `SELECT all, matching, rows`: a page and the totals of its list, of one state of the database. Of a page that is
    /// chosen by the totals there are no rows yet.
    pub(super) fn look(&self, request: &ListRequest<'_>, way: Option<IndexScan>) -> Sql {
        let table = &self.table;
        let mut sql = Sql::new(format!(
            "SELECT (SELECT CAST(coalesce(sum(total), 0) AS bigint) FROM {table}_counts) AS in_all, "
        ));
        self.push_total(&mut sql, request);
        sql.push(" AS matching, ");
        match way {
            Some(way) => self.push_rows(&mut sql, request, way),
            None => drop(sql.push("'[]'")),
        }
        sql.push(" AS rows");
        sql
    }

    /// `SELECT rows`: a page alone, where the totals are known.
    pub(super) fn rows(&self, request: &ListRequest<'_>, way: IndexScan) -> Sql {
        let mut sql = Sql::new("SELECT ");
        self.push_rows(&mut sql, request, way);
        sql.push(" AS rows");
        sql
    }

    /// How many rows fit.
    fn push_total(&self, sql: &mut Sql, request: &ListRequest<'_>) {
        let table = &self.table;
        sql.push(&match request.search {
            _ if request.is_counted() => {
                format!("(SELECT CAST(coalesce(sum(m.total), 0) AS bigint) FROM {table}_counts m")
            }
            // Without filters the search index alone knows.
            Search::Indexed(_) if self.is_sqlite() && request.query.filters.is_empty() => {
                format!("(SELECT count(*) FROM {table}_search s")
            }
            Search::Indexed(_) if self.is_sqlite() => {
                format!("(SELECT count(*) FROM {table}_search s CROSS JOIN {table} m ON m.id = s.rowid")
            }
            _ => format!("(SELECT count(*) FROM {table} m"),
        });
        self.push_conditions(sql, request, AccessPath::Gather);
        sql.push(")");
    }

    /// The page's rows as one JSON array.
    fn push_rows(&self, sql: &mut Sql, request: &ListRequest<'_>, way: IndexScan) {
        let table = &self.table;
        let concat = self.concat();
        sql.push(&format!("(SELECT '[' || coalesce({concat}(r.item, ','), '') || ']' FROM ("));
        sql.push(&format!("SELECT CAST({} AS text) AS item FROM (", self.row));
        self.push_walk(sql, request, way);
        sql.push(" LIMIT ").bind(i64::try_from(way.size).unwrap_or(i64::MAX)).push(" OFFSET ");
        sql.bind(i64::try_from(way.skipped).unwrap_or(i64::MAX));
        let join = if self.is_sqlite() { "CROSS JOIN" } else { "JOIN" };
        let by = sorted(&request.order, false, "m.id");
        sql.push(&format!(") p {join} {table} m ON m.id = p.id ORDER BY {by}) r)"));
    }

    /// The ids of the rows that fit, in order, from an end on.
    fn push_walk(&self, sql: &mut Sql, request: &ListRequest<'_>, way: IndexScan) {
        let table = &self.table;
        let gathers = way.plan == AccessPath::Gather && self.is_sqlite();
        let (id, source) = match &request.search {
            Search::Indexed(_)
                if gathers && request.query.filters.is_empty() && request.query.sort.is_empty() =>
            {
                ("s.rowid", format!("{table}_search s"))
            }
            Search::Indexed(_) if gathers => {
                ("m.id", format!("{table}_search s CROSS JOIN {table} m ON m.id = s.rowid"))
            }
            Search::Short(_) if gathers => ("m.id", format!("{table} m INDEXED BY {table}_by_search_text")),
            _ => ("m.id", format!("{table} m")),
        };
        sql.push(&format!("SELECT {id} AS id FROM {source}"));
        self.push_conditions(sql, request, way.plan);
        sql.push(&format!(" ORDER BY {}", sorted(&request.order, way.from_end, id)));
    }

    /// `WHERE` and what must hold.
    pub(super) fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, plan: AccessPath) {
        let mut word = " WHERE ";
        let mut and = |sql: &mut Sql| {
            sql.push(word);
            word = " AND ";
        };
        match &request.search {
            Search::Nothing => {}
            Search::Indexed(text) if self.is_sqlite() && plan == AccessPath::Gather => {
                and(sql);
                sql.push(&format!("{}_search MATCH ", self.table)).bind(match_phrase(text));
            }
            Search::Indexed(text) | Search::Short(text) if self.is_sqlite() => {
                and(sql);
                sql.push("instr(m.search_text, ").bind(text.as_str()).push(") > 0");
            }
            Search::Indexed(text) | Search::Short(text) => {
                and(sql);
                sql.push("m.search_text LIKE ").bind(like_pattern(text)).push(r" ESCAPE '\'");
            }
        }
        let alone = matches!(request.search, Search::Nothing) && request.query.filters.len() == 1;
        for filter in &request.query.filters {
            and(sql);
            let condition = request.condition(&filter.field);
            push_filter(sql, self.backend, &self.table, (filter, condition), plan, alone);
        }
    }

    pub(super) fn is_sqlite(&self) -> bool {
        self.backend == DbBackend::Sqlite
    }

    /// The aggregate that joins texts.
    pub(super) fn concat(&self) -> &'static str {
        if self.is_sqlite() { "group_concat" } else { "string_agg" }
    }
}

/// `ORDER BY` in this order, or in its reverse.
fn sorted(order: &[(String, bool)], reversed: bool, id: &str) -> String {
    let part = |(column, descending): &(String, bool)| {
        let direction = if *descending == reversed { "ASC" } else { "DESC" };
        if column == "id" { format!("{id} {direction}") } else { format!("m.{column} {direction}") }
    };
    order.iter().map(part).collect::<Vec<_>>().join(", ")
}
