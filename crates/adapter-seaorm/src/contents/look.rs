//! The statement that looks at a list: a page of it, and how many rows there are (ADR 0005, ADR 0006).
//!
//! Order, filters and far pages read narrow indexes from the nearer end and fetch the page's rows last; totals come from
//! counter tables.

use sea_orm::DbBackend;

use super::{
    filters::push_filter,
    plan::{AccessPath, Asked, IndexScan, Search},
    projection::Projection,
};
use crate::sql::{Sql, like_pattern, match_phrase};

impl Projection {
    /// `SELECT all, matching, rows`: a page and the totals of its list, of one state of the database. Of a page that is
    /// chosen by the totals there are no rows yet.
    pub(super) fn look(&self, asked: &Asked<'_>, way: Option<IndexScan>) -> Sql {
        let table = &self.table;
        let mut sql = Sql::new(format!(
            "SELECT (SELECT CAST(coalesce(sum(total), 0) AS bigint) FROM {table}_counts) AS in_all, "
        ));
        self.push_total(&mut sql, asked);
        sql.push(" AS matching, ");
        match way {
            Some(way) => self.push_rows(&mut sql, asked, way),
            None => drop(sql.push("'[]'")),
        }
        sql.push(" AS rows");
        sql
    }

    /// `SELECT rows`: a page alone, where the totals are known.
    pub(super) fn rows(&self, asked: &Asked<'_>, way: IndexScan) -> Sql {
        let mut sql = Sql::new("SELECT ");
        self.push_rows(&mut sql, asked, way);
        sql.push(" AS rows");
        sql
    }

    /// How many rows fit.
    fn push_total(&self, sql: &mut Sql, asked: &Asked<'_>) {
        let table = &self.table;
        sql.push(&match asked.search {
            _ if asked.is_counted() => {
                format!("(SELECT CAST(coalesce(sum(m.total), 0) AS bigint) FROM {table}_counts m")
            }
            // Without filters the search index alone knows.
            Search::Indexed(_) if self.is_sqlite() && asked.query.filters.is_empty() => {
                format!("(SELECT count(*) FROM {table}_search s")
            }
            Search::Indexed(_) if self.is_sqlite() => {
                format!("(SELECT count(*) FROM {table}_search s CROSS JOIN {table} m ON m.id = s.rowid")
            }
            _ => format!("(SELECT count(*) FROM {table} m"),
        });
        self.push_conditions(sql, asked, AccessPath::Gather);
        sql.push(")");
    }

    /// The page's rows as one JSON array.
    fn push_rows(&self, sql: &mut Sql, asked: &Asked<'_>, way: IndexScan) {
        let table = &self.table;
        let concat = self.concat();
        sql.push(&format!("(SELECT '[' || coalesce({concat}(r.item, ','), '') || ']' FROM ("));
        sql.push(&format!("SELECT CAST({} AS text) AS item FROM (", self.row));
        self.push_walk(sql, asked, way);
        sql.push(" LIMIT ").bind(i64::try_from(way.size).unwrap_or(i64::MAX)).push(" OFFSET ");
        sql.bind(i64::try_from(way.skipped).unwrap_or(i64::MAX));
        let join = if self.is_sqlite() { "CROSS JOIN" } else { "JOIN" };
        let by = sorted(&asked.order, false, "m.id");
        sql.push(&format!(") p {join} {table} m ON m.id = p.id ORDER BY {by}) r)"));
    }

    /// The ids of the rows that fit, in order, from an end on.
    fn push_walk(&self, sql: &mut Sql, asked: &Asked<'_>, way: IndexScan) {
        let table = &self.table;
        let gathers = way.plan == AccessPath::Gather && self.is_sqlite();
        let (id, source) = match &asked.search {
            Search::Indexed(_)
                if gathers && asked.query.filters.is_empty() && asked.query.sort.is_empty() =>
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
        self.push_conditions(sql, asked, way.plan);
        sql.push(&format!(" ORDER BY {}", sorted(&asked.order, way.from_end, id)));
    }

    /// `WHERE` and what must hold.
    pub(super) fn push_conditions(&self, sql: &mut Sql, asked: &Asked<'_>, plan: AccessPath) {
        let mut word = " WHERE ";
        let mut and = |sql: &mut Sql| {
            sql.push(word);
            word = " AND ";
        };
        match &asked.search {
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
        let alone = matches!(asked.search, Search::Nothing) && asked.query.filters.len() == 1;
        for filter in &asked.query.filters {
            and(sql);
            let condition = asked.condition(&filter.field);
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
