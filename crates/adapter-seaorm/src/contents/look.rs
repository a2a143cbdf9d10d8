//! The statement that looks at a list: a page of it, and how many rows there are (ADR 0005, ADR 0006).
//!
//! Order, filters and far pages walk narrow indexes and fetch the page's rows last; totals come from kept counts.

use domain_kernel::{FilterValue, Id};
use sea_orm::DbBackend;

use super::{
    plan::{Asked, Plan, Search, Totals, Way},
    projection::Projection,
    table::column_name,
};
use crate::sql::{Sql, like_pattern, match_phrase};

impl Projection {
    /// `SELECT stamp, whole, total, rows`: the page and what is true of the list at that moment. Of a page that can't be
    /// chosen yet there are no rows; totals that are known are counted only if something was written since.
    pub(super) fn look(&self, asked: &Asked<'_>, way: Option<Way>, known: Option<Totals>) -> Sql {
        let table = &self.table;
        let mut sql = Sql::new("SELECT w.number AS stamp, ");
        self.push_known(&mut sql, known.map(|known| (known.stamp, known.whole)), |sql| {
            sql.push(&format!("(SELECT CAST(coalesce(sum(total), 0) AS bigint) FROM {table}_counts)"));
        });
        sql.push(" AS whole, ");
        self.push_known(&mut sql, known.map(|known| (known.stamp, known.fitting)), |sql| {
            self.push_total(sql, asked);
        });
        sql.push(" AS total, ");
        match way {
            Some(way) => self.push_rows(&mut sql, asked, way),
            None => drop(sql.push("'[]'")),
        }
        sql.push(&format!(" AS rows FROM {table}_writes w"));
        sql
    }

    /// A number that is known as of a count of writes, or else counted.
    fn push_known(&self, sql: &mut Sql, known: Option<(i64, u64)>, count: impl FnOnce(&mut Sql)) {
        let Some((stamp, number)) = known else { return count(sql) };
        sql.push("CASE WHEN w.number = ").bind(stamp).push(" THEN ");
        sql.bind(i64::try_from(number).unwrap_or(i64::MAX)).push(" ELSE ");
        count(sql);
        sql.push(" END");
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
        self.push_conditions(sql, asked, Plan::Gather);
        sql.push(")");
    }

    /// The page's rows as one JSON array.
    fn push_rows(&self, sql: &mut Sql, asked: &Asked<'_>, way: Way) {
        let table = &self.table;
        let concat = self.concat();
        sql.push(&format!("(SELECT '[' || coalesce({concat}(r.item, ','), '') || ']' FROM ("));
        sql.push(&format!("SELECT CAST({} AS text) AS item FROM (", self.row));
        match way.rung {
            Some(rung) => self.push_climb(sql, asked, way.plan, rung),
            None => self.push_walk(sql, asked, way),
        }
        sql.push(" LIMIT ").bind(i64::try_from(way.size).unwrap_or(i64::MAX)).push(" OFFSET ");
        sql.bind(i64::try_from(way.skipped).unwrap_or(i64::MAX));
        let join = if self.is_sqlite() { "CROSS JOIN" } else { "JOIN" };
        let by = sorted(&asked.order, false, "m.", "m.id");
        sql.push(&format!(") p {join} {table} m ON m.id = p.id ORDER BY {by}) r)"));
    }

    /// The ids of the rows that fit, in order, from an end on.
    fn push_walk(&self, sql: &mut Sql, asked: &Asked<'_>, way: Way) {
        let table = &self.table;
        let gathers = way.plan == Plan::Gather && self.is_sqlite();
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
        sql.push(&format!(" ORDER BY {}", sorted(&asked.order, way.from_end, "m.", id)));
    }

    /// The ids of the rows that fit, in order, from a rung on: those that share the rung's place in the order, and
    /// those behind it. `PostgreSQL` finds both along the index at once and would sort them if asked for each; `SQLite`
    /// would walk all that share the place if asked for both at once.
    fn push_climb(&self, sql: &mut Sql, asked: &Asked<'_>, plan: Plan, rung: Id) {
        let table = &self.table;
        let order = &asked.order;
        let (column, descending) = &order[0];
        let behind = if *descending { "<" } else { ">" };
        let conditions = |sql: &mut Sql| {
            self.push_conditions(sql, asked, plan);
            sql.push(if asked.query.filters.is_empty() { " WHERE " } else { " AND " });
        };
        if column == "id" {
            sql.push(&format!("SELECT m.id AS id FROM {table} m"));
            conditions(sql);
            sql.push(&format!("m.id {behind}= ")).bind(rung);
            sql.push(&format!(" ORDER BY {}", sorted(order, false, "m.", "m.id")));
            return;
        }
        let place = format!("(SELECT a.{column} FROM {table} a WHERE a.id = ");
        if !self.is_sqlite() {
            sql.push(&format!("SELECT m.id AS id FROM {table} m"));
            conditions(sql);
            sql.push(&format!("(m.{column}, m.id) {behind}= ({place}")).bind(rung).push("), ").bind(rung);
            sql.push(&format!(") ORDER BY {}", sorted(order, false, "m.", "m.id")));
            return;
        }
        sql.push(&format!("SELECT m.id AS id, m.{column} AS {column} FROM {table} m"));
        conditions(sql);
        sql.push(&format!("m.{column} = {place}"))
            .bind(rung)
            .push(&format!(") AND m.id {behind}= "))
            .bind(rung);
        sql.push(&format!(" UNION ALL SELECT m.id, m.{column} FROM {table} m"));
        conditions(sql);
        sql.push(&format!("m.{column} {behind} {place}")).bind(rung);
        sql.push(&format!(") ORDER BY {}", sorted(order, false, "", "id")));
    }

    /// `WHERE` and what must hold.
    pub(super) fn push_conditions(&self, sql: &mut Sql, asked: &Asked<'_>, plan: Plan) {
        let mut word = " WHERE ";
        let mut and = |sql: &mut Sql| {
            sql.push(word);
            word = " AND ";
        };
        match &asked.search {
            Search::Nothing => {}
            Search::Indexed(text) if self.is_sqlite() && plan == Plan::Gather => {
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
        // A plus keeps SQLite from leaving the order's index for the filter's.
        let keep = if plan == Plan::Walk && self.is_sqlite() { "+" } else { "" };
        for filter in &asked.query.filters {
            and(sql);
            if let Some(condition) = asked.condition(&filter.field) {
                let not = if filter.value == FilterValue::Flag(false) { "NOT " } else { "" };
                sql.push(&format!("{not}({condition})"));
                continue;
            }
            sql.push(&format!("{keep}m.{} = ", column_name(&filter.field)));
            match &filter.value {
                FilterValue::Flag(flag) => sql.bind(*flag),
                FilterValue::Reference(number) | FilterValue::Number(number) => sql.bind(*number),
                FilterValue::Code(code) => sql.bind(*code),
            };
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
pub(super) fn sorted(order: &[(String, bool)], reversed: bool, prefix: &str, id: &str) -> String {
    let part = |(column, descending): &(String, bool)| {
        let direction = if *descending == reversed { "ASC" } else { "DESC" };
        if column == "id" { format!("{id} {direction}") } else { format!("{prefix}{column} {direction}") }
    };
    order.iter().map(part).collect::<Vec<_>>().join(", ")
}
