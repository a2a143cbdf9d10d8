//! Pages of lists that are read row by row. A page needs two statements: the total, then the rows,
//! which are found along a narrow index from the nearer end and fetched last (ADR 0006). If the
//! database builds the rows as JSON, the first page needs one. Lists of contents, which are JSON as
//! well, use the same request and window (`catalogue`).

mod comparison;
mod request;
mod search;
mod whole;

use domain_kernel::{Bound, FilterValue, ListQuery, Page};
use ports::StoreError;
use sea_orm::{ConnectionTrait, DbBackend, QueryResult};
use serde::de::DeserializeOwned;

pub(crate) use self::{
    comparison::push_comparison,
    request::{AccessPath, ListRequest, Order, PageWindow, Totals},
    search::Search,
    whole::{ids_of, matching_ids, rows_of, rows_of_list},
};
use crate::{
    Database,
    db::{error::store_error, sql::Sql, transaction::Pool},
};

/// A table with a list: the parts of its statements.
pub(crate) trait ListTable: Sync {
    /// The type of a row.
    type Row;

    /// The table.
    const TABLE: &'static str;
    /// Its alias in every statement.
    const ALIAS: &'static str;
    /// The columns of a row. `id` need not be qualified.
    const COLUMNS: &'static str = "";
    /// Tables that the columns need.
    const JOINS: &'static str = "";
    /// Sort fields and their columns. Other fields are ordered by ID.
    const SORTS: &'static [(&'static str, &'static str)] = &[];
    /// Nullable columns of orders, as named in the order.
    const NULLABLE: &'static [&'static str] = &[];
    /// The order of a query without one: a column, and whether it is descending.
    const DEFAULT_ORDER: (&'static str, bool);
    /// Whether a search of one or two letters uses a connection for scans, because it reads every
    /// text.
    const SCANS_SHORT_SEARCHES: bool = false;

    /// Reads a row.
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError>;

    fn columns(&self) -> String {
        Self::COLUMNS.to_owned()
    }

    /// The column that a field is ordered by.
    fn column(&self, field: &str) -> String {
        let column =
            Self::SORTS.iter().find(|(known, _)| *known == field).map_or("id", |(_, column)| *column);
        format!("{}.{column}", Self::ALIAS)
    }

    /// The search of a query.
    fn search(&self, query: &ListQuery) -> Search {
        Search::of(query.search.as_deref())
    }

    fn order(&self, query: &ListQuery) -> Order {
        Order::requested(query, |field| self.column(field))
            .or(Self::DEFAULT_ORDER)
            .then_like_last(format!("{}.id", Self::ALIAS))
    }

    /// Tables that the conditions need.
    fn condition_joins(&self) -> &'static str {
        ""
    }

    /// ` WHERE` with the conditions on a row.
    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, path: AccessPath);

    /// A query whose only row has `total`, the number of matching rows.
    fn push_total(&self, sql: &mut Sql, request: &ListRequest<'_>) {
        sql.push(&format!("SELECT count(*) AS total FROM {} {}", Self::TABLE, Self::ALIAS));
        sql.push(self.condition_joins());
        self.push_conditions(sql, request, AccessPath::FilterThenSort);
    }

    /// Whether [`ListTable::access_path`] needs the total of the whole list.
    fn needs_all(&self, _request: &ListRequest<'_>) -> bool {
        false
    }

    /// A query that counts the whole list.
    fn push_all(&self, _sql: &mut Sql, _request: &ListRequest<'_>) {}

    /// The access path of a page.
    fn access_path(&self, _request: &ListRequest<'_>, _window: PageWindow, _totals: Totals) -> AccessPath {
        AccessPath::IndexScan
    }
}

/// The conditions ` AND` of the filters that are bounds of times, on this column: from a time on, and
/// before another.
pub(crate) fn push_range(sql: &mut Sql, query: &ListQuery, column: &str) {
    for filter in &query.filters {
        let (FilterValue::Moment(moment), Some((_, bound))) = (&filter.value, Bound::split(&filter.field))
        else {
            continue;
        };
        let comparison = if bound == Bound::From { ">=" } else { "<" };
        sql.push(&format!(" AND {column} {comparison} ")).bind(*moment);
    }
}

/// One page of a list.
pub(crate) async fn page<T: ListTable>(
    database: &Database,
    table: &T,
    query: &ListQuery,
) -> Result<Page<Vec<T::Row>>, StoreError> {
    let request = ListRequest::of(table, query);
    let connection = connection::<T>(database, &request);
    let totals = totals(connection, table, &request).await?;
    let Some(window) = PageWindow::of(query, totals.matching) else {
        return Ok(Page::of(query, Vec::new(), totals.matching));
    };
    let path = table.access_path(&request, window, totals);
    let backend = database.backend();
    let statement = rows_statement(backend, table, &request, window, path).statement(backend);
    let rows = connection.query_all_raw(statement).await.map_err(store_error)?;
    let rows = rows.iter().map(T::READ).collect::<Result<_, StoreError>>()?;
    Ok(Page::of(query, rows, totals.matching))
}

/// One page of a list whose rows are JSON in the column `item`, and which has no choice of access
/// paths. The first page needs one statement, which returns rows and total of one state, because it
/// is found without the total.
pub(crate) async fn page_of_items<T>(
    database: &Database,
    table: &T,
    query: &ListQuery,
) -> Result<Page<Vec<T::Row>>, StoreError>
where
    T: ListTable,
    T::Row: DeserializeOwned,
{
    if query.offset() > 0 {
        return page(database, table, query).await;
    }
    let (backend, request) = (database.backend(), ListRequest::of(table, query));
    let mut sql = Sql::new("SELECT (");
    table.push_total(&mut sql, &request);
    sql.push(") AS total, ");
    let window = PageWindow::from_beginning(query);
    sql.push_items(backend, |sql| {
        push_rows(sql, backend, table, &request, window, AccessPath::IndexScan);
    });
    sql.push(" AS rows");
    let row = sql.only_row(connection::<T>(database, &request)).await?;
    let total: i64 = row.try_get("", "total").map_err(store_error)?;
    let rows: String = row.try_get("", "rows").map_err(store_error)?;
    let rows = serde_json::from_str(&rows).map_err(|error| StoreError::Broken(error.to_string()))?;
    Ok(Page::of(query, rows, u64::try_from(total).unwrap_or_default()))
}

/// The connections for a list.
fn connection<'a, T: ListTable>(database: &'a Database, request: &ListRequest<'_>) -> &'a Pool {
    let scans = T::SCANS_SHORT_SEARCHES && matches!(request.search, Search::Short(_));
    if scans { &database.scanner } else { &database.reader }
}

/// One column of the rows of a list, in the order of their IDs, so that changes of one row do not
/// move others. At most so many, read on a connection for scans.
pub(crate) async fn keys<T: ListTable>(
    database: &Database,
    table: &T,
    column: &str,
    query: &ListQuery,
    limit: u64,
) -> Result<Vec<QueryResult>, StoreError> {
    let request = ListRequest::of(table, query);
    let (name, alias) = (T::TABLE, T::ALIAS);
    let mut sql = Sql::new(format!("SELECT {alias}.{column} FROM {name} {alias}{}", table.condition_joins()));
    table.push_conditions(&mut sql, &request, AccessPath::FilterThenSort);
    sql.push(&format!(" ORDER BY {alias}.id LIMIT "));
    sql.bind(i64::try_from(limit).unwrap_or(i64::MAX));
    let statement = sql.statement(database.backend());
    database.scanner.query_all_raw(statement).await.map_err(store_error)
}

async fn totals<T: ListTable>(
    connection: &impl ConnectionTrait,
    table: &T,
    request: &ListRequest<'_>,
) -> Result<Totals, StoreError> {
    let row = total_statement(table, request).only_row(connection).await?;
    let number =
        |column: &str| row.try_get::<i64>("", column).map(|number| u64::try_from(number).unwrap_or_default());
    let all = if table.needs_all(request) { number("in_all").map_err(store_error)? } else { 0 };
    Ok(Totals { matching: number("total").map_err(store_error)?, all })
}

/// The statement that counts a list.
pub(crate) fn total_statement<T: ListTable>(table: &T, request: &ListRequest<'_>) -> Sql {
    let mut sql = Sql::default();
    if table.needs_all(request) {
        sql.push("SELECT (");
        table.push_total(&mut sql, request);
        sql.push(") AS total, (");
        table.push_all(&mut sql, request);
        sql.push(") AS in_all");
    } else {
        table.push_total(&mut sql, request);
    }
    sql
}

/// The join of a page's rows with the found IDs. SQLite processes the tables of a `CROSS JOIN` in
/// their order. With an ordinary join it reads the whole table along the index of the order and
/// looks each row up among those IDs: no plan depends on the bound `LIMIT`
/// (docs/adr/0013-how-sqlite-is-compiled.md), so SQLite has no estimate of their number.
pub(crate) fn page_join(backend: DbBackend) -> &'static str {
    if backend == DbBackend::Sqlite { "CROSS JOIN" } else { "JOIN" }
}

/// The statement that reads a page's rows.
pub(crate) fn rows_statement<T: ListTable>(
    backend: DbBackend,
    table: &T,
    request: &ListRequest<'_>,
    window: PageWindow,
    path: AccessPath,
) -> Sql {
    let mut sql = Sql::default();
    push_rows(&mut sql, backend, table, request, window, path);
    sql
}

fn push_rows<T: ListTable>(
    sql: &mut Sql,
    backend: DbBackend,
    table: &T,
    request: &ListRequest<'_>,
    window: PageWindow,
    path: AccessPath,
) {
    let (name, alias, joins) = (T::TABLE, T::ALIAS, T::JOINS);
    sql.push(&format!(
        "SELECT {} FROM (SELECT {alias}.id AS row_id FROM {name} {alias}{}",
        table.columns(),
        table.condition_joins()
    ));
    table.push_conditions(sql, request, path);
    sql.push(&format!(" ORDER BY {}", request.order.sql(window.from_end)));
    window.push(sql);
    let (join, order) = (page_join(backend), request.order.sql(false));
    sql.push(&format!(") page {join} {name} {alias} ON {alias}.id = page.row_id{joins} ORDER BY {order}"));
}
