//! Lists and single items.
//!
//! The database builds the JSON of a page, so that a page is one row of one statement (ADR 0005). Order, filters and
//! far pages walk narrow indexes and fetch the page's rows last; totals come from kept counts (ADR 0006).

use domain_catalogue::{Content, Stored};
use domain_kernel::{Filter, FilterValue, Id, ListQuery, Page, fold};
use ports::{Rows, StoreError};
use sea_orm::{ColumnTrait, ColumnType, ConnectionTrait, DatabaseConnection, DbBackend, IdenStatic, Iterable, QueryResult, Statement};
use serde_json::value::RawValue;

use super::{
    SeaOrmContents,
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
            format!("'{}', {}", json_name(column.as_str()), json_of(backend, column.as_str(), column.def().get_column_type()))
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
        (DbBackend::Sqlite, ColumnType::TimestampWithTimeZone) => format!("replace(m.{column}, '+00:00', 'Z')"),
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

/// Whether it is a page near the beginning of the whole list.
fn is_first_sight(query: &ListQuery, search: &Search) -> bool {
    matches!(search, Search::Nothing) && query.filters.is_empty() && query.offset() < FAR
}

/// How the rows of a page are found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plan {
    /// Along the index of the order, testing as it goes: good when most rows fit.
    Walk,
    /// From the rows that fit, sorted afterwards: good when few do.
    Gather,
}

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
        let row = connection.query_one_raw(sql.statement(self.database.backend())).await.map_err(store_error)?;
        let Some(row) = row else { return Ok(None) };
        let text: String = row.try_get("", "item").map_err(store_error)?;
        serde_json::from_str(&text).map(Some).map_err(|error| StoreError::Broken(error.to_string()))
    }

    pub(super) async fn page(&self, query: &ListQuery) -> Result<Page<Rows>, StoreError> {
        let search = Search::of(query);
        let backend = self.database.backend();
        if is_first_sight(query, &search) {
            let row = self.database.reader.query_one_raw(self.at_once(query).statement(backend)).await;
            let row = row.map_err(store_error)?;
            let total = total_of(row.as_ref())?;
            return self.built(query, text_of(row, "rows")?, total);
        }
        let connection = match search {
            Search::Short(_) => &self.database.scanner,
            _ => &self.database.reader,
        };
        let total = connection.query_one_raw(self.total(query, &search).statement(backend)).await;
        let total = total_of(total.map_err(store_error)?.as_ref())?;
        let rows = self.rows(query, &search, total);
        let Some(rows) = rows else { return self.built(query, "[]".to_owned(), total) };
        let row = connection.query_one_raw(rows.statement(backend)).await.map_err(store_error)?;
        let text = text_of(row, "rows")?;
        self.built(query, text, total)
    }

    /// The statements that answer a list of which `total` rows fit, for tests that ask the planner about them.
    #[doc(hidden)]
    pub fn statements(&self, query: &ListQuery, total: u64) -> Vec<Statement> {
        let search = Search::of(query);
        let all = if is_first_sight(query, &search) {
            vec![self.at_once(query)]
        } else {
            [Some(self.total(query, &search)), self.rows(query, &search, total)].into_iter().flatten().collect()
        };
        all.into_iter().map(|sql| sql.statement(self.database.backend())).collect()
    }

    /// The page that everybody opens: total and rows in one statement.
    fn at_once(&self, query: &ListQuery) -> Sql {
        let mut sql = self.select_rows(query, &Search::Nothing, Plan::Walk, false, query.offset(), query.size.into());
        sql.push(&format!(
            ", (SELECT CAST(coalesce(sum(total), 0) AS bigint) FROM {}_counts) AS total",
            self.projection.table
        ));
        sql
    }

    fn built(&self, query: &ListQuery, rows: String, total: u64) -> Result<Page<Rows>, StoreError> {
        let rows = RawValue::from_string(rows).map_err(|error| StoreError::Broken(error.to_string()))?;
        Ok(Page::of(query, Rows(rows), total))
    }

    /// The statement that says how many rows fit.
    fn total(&self, query: &ListQuery, search: &Search) -> Sql {
        let table = &self.projection.table;
        let counted = !query.filters.iter().any(|filter| condition::<T>(&filter.field).is_some());
        let mut sql = match search {
            Search::Nothing if counted => Sql::new(format!("SELECT CAST(coalesce(sum(total), 0) AS bigint) AS total FROM {table}_counts m")),
            // Without filters the search index alone knows.
            Search::Indexed(_) if self.is_sqlite() && query.filters.is_empty() => {
                Sql::new(format!("SELECT count(*) AS total FROM {table}_search s"))
            }
            Search::Indexed(_) if self.is_sqlite() => Sql::new(format!(
                "SELECT count(*) AS total FROM {table}_search s CROSS JOIN {table} m ON m.id = s.rowid"
            )),
            _ => Sql::new(format!("SELECT count(*) AS total FROM {table} m")),
        };
        self.push_conditions(&mut sql, search, &query.filters, Plan::Gather);
        sql
    }

    /// The statement that answers the page's rows, or `None` where the page is past the end.
    fn rows(&self, query: &ListQuery, search: &Search, total: u64) -> Option<Sql> {
        let offset = query.offset();
        if offset >= total {
            return None;
        }
        let size = u64::from(query.size).min(total - offset);
        // The last page costs what the first one does: walk from the nearer end.
        let from_end = offset > total / 2;
        let skipped = if from_end { total - offset - size } else { offset };
        let plan = self.plan(search, query, total, skipped + size);
        Some(self.select_rows(query, search, plan, from_end, skipped, size))
    }

    /// Compares what walking costs (rows until enough fit) with what gathering costs (all that fit). The number of
    /// all rows is not at hand; a million is the size this is made for.
    fn plan(&self, search: &Search, query: &ListQuery, fitting: u64, needed: u64) -> Plan {
        const ALL: u64 = 1_000_000;
        match search {
            Search::Short(_) => Plan::Walk,
            Search::Nothing if query.filters.is_empty() => Plan::Walk,
            // The search index answers in the order of ids by itself.
            Search::Indexed(_) if query.sort.is_empty() => Plan::Gather,
            _ => {
                let walked = needed.saturating_mul(ALL) / fitting.max(1);
                if walked < fitting { Plan::Walk } else { Plan::Gather }
            }
        }
    }

    /// `SELECT (the page's rows as one JSON array) AS rows`, without a `FROM`, so that more columns may follow.
    fn select_rows(
        &self,
        query: &ListQuery,
        search: &Search,
        plan: Plan,
        from_end: bool,
        skipped: u64,
        size: u64,
    ) -> Sql {
        let table = &self.projection.table;
        let gathered_by_index = matches!(search, Search::Indexed(_)) && plan == Plan::Gather && self.is_sqlite();
        let order = order::<T>(query);
        let mut sql = Sql::new(match self.database.backend() {
            DbBackend::Sqlite => "SELECT (SELECT '[' || coalesce(group_concat(r.item, ','), '') || ']' FROM (",
            _ => "SELECT (SELECT '[' || coalesce(string_agg(r.item, ','), '') || ']' FROM (",
        });
        sql.push(&format!("SELECT CAST({} AS text) AS item FROM (", self.projection.row));
        let (id, source) = if gathered_by_index && query.filters.is_empty() && query.sort.is_empty() {
            ("s.rowid", format!("{table}_search s"))
        } else if gathered_by_index {
            ("m.id", format!("{table}_search s CROSS JOIN {table} m ON m.id = s.rowid"))
        } else {
            ("m.id", format!("{table} m"))
        };
        sql.push(&format!("SELECT {id} AS id FROM {source}"));
        self.push_conditions(&mut sql, search, &query.filters, plan);
        let by = |prefix: &str, flip: bool, id: &str| {
            let parts = order.iter().map(|(column, descending)| {
                let direction = if *descending == flip { "ASC" } else { "DESC" };
                if column == "id" { format!("{id} {direction}") } else { format!("{prefix}{column} {direction}") }
            });
            parts.collect::<Vec<_>>().join(", ")
        };
        sql.push(&format!(" ORDER BY {} LIMIT ", by("m.", from_end, id)));
        sql.bind(i64::try_from(size).unwrap_or(i64::MAX)).push(" OFFSET ");
        sql.bind(i64::try_from(skipped).unwrap_or(i64::MAX));
        let join = if self.is_sqlite() { "CROSS JOIN" } else { "JOIN" };
        sql.push(&format!(") p {join} {table} m ON m.id = p.id ORDER BY {}) r) AS rows", by("m.", false, "m.id")));
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

fn text_of(row: Option<QueryResult>, column: &str) -> Result<String, StoreError> {
    let row = row.ok_or_else(|| StoreError::Broken("a statement without a row".into()))?;
    row.try_get("", column).map_err(store_error)
}

fn total_of(row: Option<&QueryResult>) -> Result<u64, StoreError> {
    let row = row.ok_or_else(|| StoreError::Broken("a statement without a row".into()))?;
    let total: i64 = row.try_get("", "total").map_err(store_error)?;
    Ok(u64::try_from(total).unwrap_or_default())
}
