//! Lists and single items.
//!
//! The database builds the JSON of a page, so that a page is one row of one statement (ADR 0005). Order, filters and
//! far pages walk narrow indexes and fetch the page's rows last; totals come from kept counts (ADR 0006).

use domain_catalogue::{Content, Stored};
use domain_kernel::{Filter, FilterValue, Id, ListQuery, Page, fold};
use ports::{Rows, StoreError};
use sea_orm::{
    ColumnTrait, ColumnType, ConnectionTrait, DatabaseConnection, DbBackend, IdenStatic, Iterable,
    QueryResult, Statement,
};
use serde_json::value::RawValue;

use super::{
    SeaOrmContents,
    ladders::{Approach, is_far, step},
    table::{ContentTable, column_name, is_internal, json_name, order_column, table_name},
};
use crate::{
    error::store_error,
    sql::{Sql, like_pattern, match_phrase},
};

/// The SQL that turns a row `m` into JSON.
pub(super) struct Projection {
    table: String,
    /// Without the kind's details, with its category.
    row: String,
    /// With everything.
    whole: String,
}

impl Projection {
    pub(super) fn of<T: ContentTable>(backend: DbBackend) -> Self {
        let field = |column: &T::Column| {
            format!(
                "'{}', {}",
                json_name(column.as_str()),
                json_of(backend, column.as_str(), column.def().get_column_type())
            )
        };
        let object = |fields: &[String]| match backend {
            DbBackend::Sqlite => format!("json_object({})", fields.join(", ")),
            _ => format!("json_build_object({})", fields.join(", ")),
        };
        let shown = || T::Column::iter().filter(|column| !is_internal(column.as_str()));
        let whole: Vec<String> = shown().map(|column| field(&column)).collect();
        let mut row: Vec<String> = shown()
            .filter(|column| !T::Content::DETAILS.contains(&json_name(column.as_str()).as_str()))
            .map(|column| field(&column))
            .collect();
        // The category, or of several the first.
        let has = |name: &str| shown().any(|column| column.as_str() == name);
        let category = match backend {
            _ if has("category_id") => Some("m.category_id"),
            DbBackend::Sqlite if has("categories") => Some("json_extract(m.categories, '$[0]')"),
            _ if has("categories") => Some("CAST(m.categories->>0 AS bigint)"),
            _ => None,
        };
        if let Some(id) = category {
            let parts = ["id", "description", "english_description"]
                .map(|column| format!("'{}', c.{column}", json_name(column)));
            let category = object(&parts);
            row.push(format!("'category', (SELECT {category} FROM categories c WHERE c.id = {id})"));
        }
        Self { table: table_name::<T>(), row: object(&row), whole: object(&whole) }
    }
}

/// One column as JSON. SQLite has neither booleans nor JSON nor time zones of its own.
fn json_of(backend: DbBackend, column: &str, of: &ColumnType) -> String {
    match (backend, of) {
        (DbBackend::Sqlite, ColumnType::Boolean) => {
            format!("json(CASE m.{column} WHEN 1 THEN 'true' ELSE 'false' END)")
        }
        (DbBackend::Sqlite, ColumnType::JsonBinary | ColumnType::Json) => format!("json(m.{column})"),
        (DbBackend::Sqlite, ColumnType::TimestampWithTimeZone) => {
            format!("replace(m.{column}, '+00:00', 'Z')")
        }
        (_, ColumnType::TimestampWithTimeZone) => {
            format!(r#"to_char(m.{column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"#)
        }
        _ => format!("m.{column}"),
    }
}

/// What is looked for.
enum Search {
    Nothing,
    /// Three letters and more: the trigram index.
    Indexed(String),
    /// One or two letters: along the narrow index.
    Short(String),
}

impl Search {
    fn of(query: &ListQuery) -> Self {
        match query.search.as_deref().map(fold).filter(|text| !text.is_empty()) {
            None => Self::Nothing,
            Some(text) if text.chars().count() < 3 => Self::Short(text),
            Some(text) => Self::Indexed(text),
        }
    }
}

/// Whether it is a page near the beginning of a list that some index has in its order.
fn is_first_sight<T: ContentTable>(query: &ListQuery, search: &Search) -> bool {
    let indexed = query.filters.is_empty() || (is_by_id(query) && is_counted::<T>(query));
    matches!(search, Search::Nothing) && indexed && query.offset() < FAR
}

/// Whether the kept counts know how many rows fit.
fn is_counted<T: ContentTable>(query: &ListQuery) -> bool {
    !query.filters.iter().any(|filter| condition::<T>(&filter.field).is_some())
}

fn is_by_id(query: &ListQuery) -> bool {
    query.sort.first().is_none_or(|sort| sort.field == "id")
}

/// How the rows of a page are found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plan {
    /// Along the index of the order, testing as it goes: good when most rows fit.
    Walk,
    /// From the rows that fit, sorted afterwards: good when few do.
    Gather,
}

/// How many rows fit, how many there are, and after how many writes that was so.
#[derive(Clone, Copy)]
struct Totals {
    fitting: u64,
    whole: u64,
    stamp: i64,
}

/// Where a page is read.
#[derive(Clone, Copy)]
struct Way {
    plan: Plan,
    from_end: bool,
    /// From the row with this id instead of an end.
    rung: Option<Id>,
    skipped: u64,
    size: u64,
}

/// What looking a row up costs, in entries of an index walked over.
const LOOK_UP: u64 = 20;

/// Beyond this many rows, a page is far, and the total decides from which end to walk.
const FAR: u64 = 500;

impl<T: ContentTable> SeaOrmContents<T> {
    pub(super) async fn read(
        &self,
        connection: &DatabaseConnection,
        id: Id,
    ) -> Result<Option<Stored<T::Content>>, StoreError> {
        let mut sql = Sql::new(format!(
            "SELECT CAST({} AS text) AS item FROM {} m WHERE m.id = ",
            self.projection.whole, self.projection.table
        ));
        sql.bind(id);
        let row =
            connection.query_one_raw(sql.statement(self.database.backend())).await.map_err(store_error)?;
        let Some(row) = row else { return Ok(None) };
        let text: String = row.try_get("", "item").map_err(store_error)?;
        serde_json::from_str(&text).map(Some).map_err(|error| StoreError::Broken(error.to_string()))
    }

    pub(super) async fn page(&self, query: &ListQuery) -> Result<Page<Rows>, StoreError> {
        let search = Search::of(query);
        let backend = self.database.backend();
        if is_first_sight::<T>(query, &search) {
            let row = self.database.reader.query_one_raw(self.at_once(query).statement(backend)).await;
            let row = row.map_err(store_error)?;
            let total = total_of(row.as_ref())?;
            return Self::built(query, text_of(row, "rows")?, total);
        }
        let connection = match search {
            Search::Short(_) => &self.database.scanner,
            _ => &self.database.reader,
        };
        let row = connection
            .query_one_raw(self.total(query, &search).statement(backend))
            .await
            .map_err(store_error)?;
        let totals = totals_of(row.as_ref())?;
        let Some(way) = Self::way(query, &search, totals) else {
            return Self::built(query, "[]".to_owned(), totals.fitting);
        };
        let list = Self::list_with_ladder(query, &search, totals, way);
        if let Some(list) = &list {
            match self.ladders.approach(list, totals.stamp, query.offset()) {
                Approach::Climb { from, skipped } => {
                    let climb = Way { from_end: false, rung: Some(from), skipped, ..way };
                    let rows = self.select_rows(query, &search, climb);
                    let row = connection.query_one_raw(rows.statement(backend)).await.map_err(store_error)?;
                    if stamp_of(row.as_ref())? == totals.stamp {
                        return Self::built(query, text_of(row, "rows")?, totals.fitting);
                    }
                    // Somebody wrote in between: the rungs stand elsewhere now.
                }
                Approach::Build => self.build_ladder(connection, query, list, totals).await?,
                Approach::Walk => {}
            }
        }
        let rows = self.select_rows(query, &search, way);
        let row = connection.query_one_raw(rows.statement(backend)).await.map_err(store_error)?;
        Self::built(query, text_of(row, "rows")?, totals.fitting)
    }

    /// The name of a list that is worth a ladder: by one column, so far from both ends.
    fn list_with_ladder(query: &ListQuery, search: &Search, totals: Totals, way: Way) -> Option<String> {
        let order = order::<T>(query);
        let alike = order.len() <= 2 && order.iter().all(|(_, descending)| *descending == order[0].1);
        let indexed = way.plan == Plan::Walk || is_by_id(query);
        let far = is_far(way.skipped, totals.fitting, totals.whole);
        let fits = matches!(search, Search::Nothing) && alike && indexed && far;
        fits.then(|| format!("{order:?} {:?}", query.filters))
    }

    /// Walks a list once from its beginning to its end and remembers every so manieth row.
    async fn build_ladder(
        &self,
        connection: &DatabaseConnection,
        query: &ListQuery,
        list: &str,
        totals: Totals,
    ) -> Result<(), StoreError> {
        let step = step(totals.fitting, totals.whole);
        let statement = self.select_rungs(query, step).statement(self.database.backend());
        let row = connection.query_one_raw(statement).await.map_err(store_error)?;
        let stamp = stamp_of(row.as_ref())?;
        let text = text_of(row, "rungs")?;
        let rungs = serde_json::from_str(&text).map_err(|error| StoreError::Broken(error.to_string()))?;
        self.ladders.keep(list, stamp, rungs);
        Ok(())
    }

    /// The statements that answer a list of which `total` rows fit, for tests that ask the planner about them.
    #[doc(hidden)]
    pub fn statements(&self, query: &ListQuery, total: u64) -> Vec<Statement> {
        let search = Search::of(query);
        let all = if is_first_sight::<T>(query, &search) {
            vec![self.at_once(query)]
        } else {
            let totals = Totals { fitting: total, whole: total.max(1_000_000), stamp: 0 };
            let rows = Self::way(query, &search, totals).map(|way| self.select_rows(query, &search, way));
            [Some(self.total(query, &search)), rows].into_iter().flatten().collect()
        };
        all.into_iter().map(|sql| sql.statement(self.database.backend())).collect()
    }

    /// The page that everybody opens: total and rows in one statement.
    fn at_once(&self, query: &ListQuery) -> Sql {
        let plan = if query.filters.is_empty() { Plan::Walk } else { Plan::Gather };
        let (skipped, size) = (query.offset(), query.size.into());
        let way = Way { plan, from_end: false, rung: None, skipped, size };
        let mut sql = self.select_rows(query, &Search::Nothing, way);
        let table = &self.projection.table;
        sql.push(&format!(", (SELECT CAST(coalesce(sum(m.total), 0) AS bigint) FROM {table}_counts m"));
        self.push_conditions(&mut sql, &Search::Nothing, &query.filters, Plan::Gather);
        sql.push(") AS total");
        sql
    }

    fn built(query: &ListQuery, rows: String, total: u64) -> Result<Page<Rows>, StoreError> {
        let rows = RawValue::from_string(rows).map_err(|error| StoreError::Broken(error.to_string()))?;
        Ok(Page::of(query, Rows(rows), total))
    }

    /// The statement that says how many rows fit.
    fn total(&self, query: &ListQuery, search: &Search) -> Sql {
        let table = &self.projection.table;
        let counted = is_counted::<T>(query);
        let mut sql = Sql::new(format!(
            "SELECT (SELECT CAST(coalesce(sum(total), 0) AS bigint) FROM {table}_counts) AS whole, \
             (SELECT number FROM {table}_writes) AS stamp, "
        ));
        sql.push(&match search {
            Search::Nothing if counted => {
                format!("CAST(coalesce(sum(m.total), 0) AS bigint) AS total FROM {table}_counts m")
            }
            // Without filters the search index alone knows.
            Search::Indexed(_) if self.is_sqlite() && query.filters.is_empty() => {
                format!("count(*) AS total FROM {table}_search s")
            }
            Search::Indexed(_) if self.is_sqlite() => {
                format!("count(*) AS total FROM {table}_search s CROSS JOIN {table} m ON m.id = s.rowid")
            }
            _ => format!("count(*) AS total FROM {table} m"),
        });
        self.push_conditions(&mut sql, search, &query.filters, Plan::Gather);
        sql
    }

    /// Where the page's rows are read, or `None` where the page is past the end.
    fn way(query: &ListQuery, search: &Search, totals: Totals) -> Option<Way> {
        let (offset, total) = (query.offset(), totals.fitting);
        if offset >= total {
            return None;
        }
        let size = u64::from(query.size).min(total - offset);
        // The last page costs what the first one does: walk from the nearer end.
        let from_end = offset > total / 2;
        let skipped = if from_end { total - offset - size } else { offset };
        let plan = Self::plan(search, query, totals, skipped + size);
        Some(Way { plan, from_end, rung: None, skipped, size })
    }

    /// Compares what walking costs (rows until enough fit) with what gathering costs (all that fit).
    fn plan(search: &Search, query: &ListQuery, totals: Totals, needed: u64) -> Plan {
        let Totals { fitting, whole, .. } = totals;
        let walked = needed.saturating_mul(whole) / fitting.max(1);
        let (walk, gather) = match search {
            Search::Nothing if query.filters.is_empty() => return Plan::Walk,
            // Each row that is walked is looked up for its text; gathered are those that a scan of all texts finds.
            Search::Short(_) if query.filters.is_empty() => (walked.saturating_mul(LOOK_UP), whole),
            Search::Short(_) => return Plan::Walk,
            // These come in the order of ids by themselves.
            Search::Indexed(_) | Search::Nothing if is_by_id(query) => return Plan::Gather,
            Search::Indexed(_) => (walked, fitting),
            // The order's index knows the filters; whatever is gathered is looked up for its place in the order.
            Search::Nothing => (walked, fitting.saturating_mul(LOOK_UP)),
        };
        if walk < gather { Plan::Walk } else { Plan::Gather }
    }

    /// `SELECT (the page's rows as one JSON array) AS rows`, without a `FROM`, so that more columns may follow.
    fn select_rows(&self, query: &ListQuery, search: &Search, way: Way) -> Sql {
        let table = &self.projection.table;
        let order = order::<T>(query);
        let mut sql = Sql::new(match self.database.backend() {
            DbBackend::Sqlite => {
                "SELECT (SELECT '[' || coalesce(group_concat(r.item, ','), '') || ']' FROM ("
            }
            _ => "SELECT (SELECT '[' || coalesce(string_agg(r.item, ','), '') || ']' FROM (",
        });
        sql.push(&format!("SELECT CAST({} AS text) AS item FROM (", self.projection.row));
        match way.rung {
            Some(rung) => self.push_climb(&mut sql, query, way.plan, rung),
            None => self.push_walk(&mut sql, query, search, way),
        }
        sql.push(" LIMIT ").bind(i64::try_from(way.size).unwrap_or(i64::MAX)).push(" OFFSET ");
        sql.bind(i64::try_from(way.skipped).unwrap_or(i64::MAX));
        let join = if self.is_sqlite() { "CROSS JOIN" } else { "JOIN" };
        let by = sorted(&order, false, "m.", "m.id");
        sql.push(&format!(") p {join} {table} m ON m.id = p.id ORDER BY {by}) r) AS rows"));
        sql.push(&format!(", (SELECT number FROM {table}_writes) AS stamp"));
        sql
    }

    /// The ids of the rows that fit, in order, from an end on.
    fn push_walk(&self, sql: &mut Sql, query: &ListQuery, search: &Search, way: Way) {
        let table = &self.projection.table;
        let gathers = way.plan == Plan::Gather && self.is_sqlite();
        let (id, source) = match search {
            Search::Indexed(_) if gathers && query.filters.is_empty() && query.sort.is_empty() => {
                ("s.rowid", format!("{table}_search s"))
            }
            Search::Indexed(_) if gathers => {
                ("m.id", format!("{table}_search s CROSS JOIN {table} m ON m.id = s.rowid"))
            }
            Search::Short(_) if gathers => ("m.id", format!("{table} m INDEXED BY {table}_by_search_text")),
            _ => ("m.id", format!("{table} m")),
        };
        sql.push(&format!("SELECT {id} AS id FROM {source}"));
        self.push_conditions(sql, search, &query.filters, way.plan);
        sql.push(&format!(" ORDER BY {}", sorted(&order::<T>(query), way.from_end, "m.", id)));
    }

    /// The ids of the rows that fit, in order, from a rung on: those that share the rung's place in the order, and
    /// those behind it. `PostgreSQL` finds both along the index at once and would sort them if asked for each; `SQLite`
    /// would walk all that share the place if asked for both at once.
    fn push_climb(&self, sql: &mut Sql, query: &ListQuery, plan: Plan, rung: Id) {
        let table = &self.projection.table;
        let order = order::<T>(query);
        let (column, descending) = &order[0];
        let behind = if *descending { "<" } else { ">" };
        let conditions = |sql: &mut Sql| {
            self.push_conditions(sql, &Search::Nothing, &query.filters, plan);
            sql.push(if query.filters.is_empty() { " WHERE " } else { " AND " });
        };
        if column == "id" {
            sql.push(&format!("SELECT m.id AS id FROM {table} m"));
            conditions(sql);
            sql.push(&format!("m.id {behind}= ")).bind(rung);
            sql.push(&format!(" ORDER BY {}", sorted(&order, false, "m.", "m.id")));
            return;
        }
        let place = format!("(SELECT a.{column} FROM {table} a WHERE a.id = ");
        if !self.is_sqlite() {
            sql.push(&format!("SELECT m.id AS id FROM {table} m"));
            conditions(sql);
            sql.push(&format!("(m.{column}, m.id) {behind}= ({place}")).bind(rung).push("), ").bind(rung);
            sql.push(&format!(") ORDER BY {}", sorted(&order, false, "m.", "m.id")));
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
        sql.push(&format!(") ORDER BY {}", sorted(&order, false, "", "id")));
    }

    /// `SELECT (rank and id of every so manieth row that fits, as one JSON array) AS rungs`. A hop stays among the rows
    /// that share their place in the order, or, if too few of them are left, goes on from behind them: two ranges of
    /// the index, where one over both would walk all that share the place.
    fn select_rungs(&self, query: &ListQuery, step: u64) -> Sql {
        let table = &self.projection.table;
        let order = order::<T>(query);
        let (column, descending) = &order[0];
        let behind = if *descending { "<" } else { ">" };
        let by = sorted(&order, false, "m.", "m.id");
        let plan = if is_by_id(query) { Plan::Gather } else { Plan::Walk };
        let step = i64::try_from(step).unwrap_or(i64::MAX);
        let range = |sql: &mut Sql, what: &str, from: &str| {
            sql.push(&format!("(SELECT {what} FROM {table} m"));
            self.push_conditions(sql, &Search::Nothing, &query.filters, plan);
            sql.push(if query.filters.is_empty() { " WHERE " } else { " AND " }).push(from);
        };
        let alike = format!("m.{column} = l.place AND m.id {behind}= l.id");
        let mut sql = Sql::new(format!(
            "WITH RECURSIVE ladder(place, id, rank) AS (SELECT a.{column}, a.id, CAST(0 AS bigint) FROM {table} a \
             WHERE a.id = (SELECT m.id FROM {table} m"
        ));
        self.push_conditions(&mut sql, &Search::Nothing, &query.filters, plan);
        sql.push(&format!(" ORDER BY {by} LIMIT 1) UNION ALL SELECT a.{column}, a.id, l.rank + CAST("));
        sql.bind(step).push(&format!(" AS bigint) + CASE WHEN a.{column} = l.place THEN 0 ELSE "));
        range(&mut sql, "count(*)", &alike);
        sql.push(&format!(") END FROM ladder l JOIN {table} a ON a.id = coalesce("));
        range(&mut sql, "m.id", &alike);
        sql.push(&format!(" ORDER BY {by} LIMIT 1 OFFSET ")).bind(step).push("), ");
        range(&mut sql, "m.id", &format!("m.{column} {behind} l.place"));
        sql.push(&format!(" ORDER BY {by} LIMIT 1 OFFSET ")).bind(step);
        let concat = if self.is_sqlite() { "group_concat" } else { "string_agg" };
        sql.push(&format!(
            "))) SELECT (SELECT '[' || coalesce({concat}('[' || r.rank || ',' || r.id || ']', ','), '') || ']' FROM \
             (SELECT rank, id FROM ladder ORDER BY rank) r) AS rungs, (SELECT number FROM {table}_writes) AS stamp"
        ));
        sql
    }

    /// `WHERE` and what must hold.
    fn push_conditions(&self, sql: &mut Sql, search: &Search, filters: &[Filter], plan: Plan) {
        let mut word = " WHERE ";
        let mut and = |sql: &mut Sql| {
            sql.push(word);
            word = " AND ";
        };
        match search {
            Search::Nothing => {}
            Search::Indexed(text) if self.is_sqlite() && plan == Plan::Gather => {
                and(sql);
                sql.push(&format!("{}_search MATCH ", self.projection.table)).bind(match_phrase(text));
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
        for filter in filters {
            and(sql);
            if let Some(condition) = condition::<T>(&filter.field) {
                let not = if filter.value == FilterValue::Flag(false) { "NOT " } else { "" };
                sql.push(&format!("{not}({condition})"));
                continue;
            }
            sql.push(&format!("{keep}m.{} = ", column_name(&filter.field)));
            match &filter.value {
                FilterValue::Flag(flag) => sql.bind(*flag),
                FilterValue::Reference(id) => sql.bind(*id),
                FilterValue::Code(code) => sql.bind(*code),
            };
        }
    }

    fn is_sqlite(&self) -> bool {
        self.database.backend() == DbBackend::Sqlite
    }
}

/// The condition behind a filter that is no column.
fn condition<T: ContentTable>(field: &str) -> Option<&'static str> {
    T::CONDITIONS.iter().find(|(name, _)| *name == field).map(|(_, condition)| *condition)
}

/// Columns and directions, the id last, in the direction of the last field so that an index serves both ways.
fn order<T: ContentTable>(query: &ListQuery) -> Vec<(String, bool)> {
    let mut order: Vec<(String, bool)> =
        query.sort.iter().map(|sort| (order_column::<T>(&sort.field), sort.descending)).collect();
    if !order.iter().any(|(column, _)| column == "id") {
        let descending = order.last().is_some_and(|(_, descending)| *descending);
        order.push(("id".to_owned(), descending));
    }
    order
}

/// `ORDER BY` in this order, or in its reverse.
fn sorted(order: &[(String, bool)], reversed: bool, prefix: &str, id: &str) -> String {
    let part = |(column, descending): &(String, bool)| {
        let direction = if *descending == reversed { "ASC" } else { "DESC" };
        if column == "id" { format!("{id} {direction}") } else { format!("{prefix}{column} {direction}") }
    };
    order.iter().map(part).collect::<Vec<_>>().join(", ")
}

fn text_of(row: Option<QueryResult>, column: &str) -> Result<String, StoreError> {
    let row = row.ok_or_else(|| StoreError::Broken("a statement without a row".into()))?;
    row.try_get("", column).map_err(store_error)
}

fn number_of(row: Option<&QueryResult>, column: &str) -> Result<i64, StoreError> {
    let row = row.ok_or_else(|| StoreError::Broken("a statement without a row".into()))?;
    row.try_get("", column).map_err(store_error)
}

fn total_of(row: Option<&QueryResult>) -> Result<u64, StoreError> {
    Ok(u64::try_from(number_of(row, "total")?).unwrap_or_default())
}

fn stamp_of(row: Option<&QueryResult>) -> Result<i64, StoreError> {
    number_of(row, "stamp")
}

fn totals_of(row: Option<&QueryResult>) -> Result<Totals, StoreError> {
    let whole = u64::try_from(number_of(row, "whole")?).unwrap_or_default();
    Ok(Totals { fitting: total_of(row)?, whole, stamp: stamp_of(row)? })
}
