//! The statement that puts up a ladder: one walk along a whole list (ADR 0006).

use super::{
    look::sorted,
    plan::{Asked, Plan},
    projection::Projection,
};
use crate::sql::Sql;

impl Projection {
    /// `SELECT (rank and id of every so manieth row that fits, as one JSON array) AS rungs`. A hop stays among the rows
    /// that share their place in the order, or, if too few of them are left, goes on from behind them: two ranges of
    /// the index, where one over both would walk all that share the place.
    pub(super) fn rungs(&self, asked: &Asked<'_>, step: u64) -> Sql {
        let table = &self.table;
        let order = &asked.order;
        let (column, descending) = &order[0];
        let behind = if *descending { "<" } else { ">" };
        let by = sorted(order, false, "m.", "m.id");
        let plan = if asked.is_by_id() { Plan::Gather } else { Plan::Walk };
        let step = i64::try_from(step).unwrap_or(i64::MAX);
        let range = |sql: &mut Sql, what: &str, from: &str| {
            sql.push(&format!("(SELECT {what} FROM {table} m"));
            self.push_conditions(sql, asked, plan);
            sql.push(if asked.query.filters.is_empty() { " WHERE " } else { " AND " }).push(from);
        };
        let alike = format!("m.{column} = l.place AND m.id {behind}= l.id");
        let mut sql = Sql::new(format!(
            "WITH RECURSIVE ladder(place, id, rank) AS (SELECT a.{column}, a.id, CAST(0 AS bigint) FROM {table} a \
             WHERE a.id = (SELECT m.id FROM {table} m"
        ));
        self.push_conditions(&mut sql, asked, plan);
        sql.push(&format!(" ORDER BY {by} LIMIT 1) UNION ALL SELECT a.{column}, a.id, l.rank + CAST("));
        sql.bind(step).push(&format!(" AS bigint) + CASE WHEN a.{column} = l.place THEN 0 ELSE "));
        range(&mut sql, "count(*)", &alike);
        sql.push(&format!(") END FROM ladder l JOIN {table} a ON a.id = coalesce("));
        range(&mut sql, "m.id", &alike);
        sql.push(&format!(" ORDER BY {by} LIMIT 1 OFFSET ")).bind(step).push("), ");
        range(&mut sql, "m.id", &format!("m.{column} {behind} l.place"));
        sql.push(&format!(" ORDER BY {by} LIMIT 1 OFFSET ")).bind(step);
        let concat = self.concat();
        sql.push(&format!(
            "))) SELECT (SELECT '[' || coalesce({concat}('[' || r.rank || ',' || r.id || ']', ','), '') || ']' FROM \
             (SELECT rank, id FROM ladder ORDER BY rank) r) AS rungs, (SELECT number FROM {table}_writes) AS stamp"
        ));
        sql
    }
}
