//! Pages of lists (ADR 0037). A page needs two statements: the total, then the rows, which are found
//! along a narrow index from the nearer end and fetched last. If the database builds the rows as
//! JSON, a page near the beginning may need one (`json`).

mod comparison;
mod json;
mod request;
mod search;
mod whole;

use domain_kernel::{Bound, FilterValue, ListQuery, Page};
use ports::StoreError;
use sea_orm::{ConnectionTrait, DbBackend, QueryResult, Statement};

pub(crate) use self::{
    comparison::push_comparison,
    json::{json_page, json_statements, page_of_items},
    request::{AccessPath, IdSource, ListRequest, Order, PageScan, PageWindow, Totals},
    search::Search,
    whole::{matching_ids, rows_of, rows_of_list},
};
use crate::{
    Database,
    db::{error::store_error, sql::Sql, transaction::Pool},
};

/// Cost of fetching a row, in index entries.
pub(crate) const LOOK_UP: u64 = 20;

/// A table with a list: the parts of its statements.
pub(crate) trait ListTable: Sync {
    /// The type of a row.
    type Row;

    /// The table, if it is the same for all lists of this type.
    const TABLE: &'static str = "";
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
    /// The offset from which on a page is far: the total decides from which end it is read. Only for
    /// rows as JSON; others are read after their total in any case.
    const FAR: u64 = 1;

    /// Reads a row.
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError>;

    fn table(&self) -> &'static str {
        Self::TABLE
    }

    fn columns(&self) -> String {
        Self::COLUMNS.to_owned()
    }

    /// The column that a field is ordered by.
    fn column(&self, field: &str) -> String {
        let column =
            Self::SORTS.iter().find(|(known, _)| *known == field).map_or("id", |(_, column)| *column);
        format!("{}.{column}", Self::ALIAS)
    }

    /// Whether a column of an order, as named in the order, is nullable.
    fn is_nullable(&self, column: &str) -> bool {
        Self::NULLABLE.contains(&column)
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

    /// Source of the IDs of a page.
    fn id_source(&self, request: &ListRequest<'_>, _path: AccessPath) -> IdSource {
        IdSource {
            tables: format!("{} {}{}", self.table(), Self::ALIAS, self.condition_joins()),
            id: format!("{}.id", Self::ALIAS),
            order: request.order.clone(),
        }
    }

    /// ` WHERE` with the conditions on a row.
    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, path: AccessPath);

    /// A query whose only row has `total`, the number of matching rows.
    fn push_total(&self, sql: &mut Sql, request: &ListRequest<'_>) {
        sql.push(&format!("SELECT count(*) AS total FROM {} {}", self.table(), Self::ALIAS));
        sql.push(self.condition_joins());
        self.push_conditions(sql, request, AccessPath::FilterThenSort);
    }

    /// Whether [`ListTable::access_path`] needs the total of the whole list.
    fn needs_all(&self, _request: &ListRequest<'_>) -> bool {
        false
    }

    /// A query that counts the whole list.
    fn push_all(&self, _sql: &mut Sql, _request: &ListRequest<'_>) {}

    /// The access path of every page, if only one is possible.
    fn only_path(&self, _request: &ListRequest<'_>) -> Option<AccessPath> {
        None
    }

    /// The access path of a page, if several are possible.
    fn access_path(&self, _request: &ListRequest<'_>, _window: PageWindow, _totals: Totals) -> AccessPath {
        AccessPath::IndexScan
    }

    /// Whether the list reads a whole index or table, on a connection for scans.
    fn is_scan(&self, request: &ListRequest<'_>) -> bool {
        Self::SCANS_SHORT_SEARCHES && matches!(request.search, Search::Short(_))
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
    let connection = connection(database, table, &request);
    let totals = totals(connection, table, &request).await?;
    let Some(scan) = scan(table, &request, totals) else {
        return Ok(Page::of(query, Vec::new(), totals.matching));
    };
    let backend = database.backend();
    let statement = rows_statement(backend, table, &request, scan).statement(backend);
    let rows = connection.query_all_raw(statement).await.map_err(store_error)?;
    let rows = rows.iter().map(T::READ).collect::<Result<_, StoreError>>()?;
    Ok(Page::of(query, rows, totals.matching))
}

/// The statements of a page of a list of which so many rows match, for tests of their plans.
pub(crate) fn statements<T: ListTable>(
    backend: DbBackend,
    table: &T,
    query: &ListQuery,
    matching: u64,
) -> Vec<Statement> {
    let request = ListRequest::of(table, query);
    let rows = scan(table, &request, Totals::of_a_million(matching))
        .map(|scan| rows_statement(backend, table, &request, scan));
    let all = [Some(total_statement(table, &request)), rows];
    all.into_iter().flatten().map(|sql| sql.statement(backend)).collect()
}

/// The connections for a list.
fn connection<'a, T: ListTable>(database: &'a Database, table: &T, request: &ListRequest<'_>) -> &'a Pool {
    if table.is_scan(request) { &database.scanner } else { &database.reader }
}

/// The scan of a page, or `None` past the end.
fn scan<T: ListTable>(table: &T, request: &ListRequest<'_>, totals: Totals) -> Option<PageScan> {
    let window = PageWindow::of(request.query, totals.matching)?;
    let path = table.only_path(request).unwrap_or_else(|| table.access_path(request, window, totals));
    Some(PageScan { path, window })
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
    let (name, alias) = (table.table(), T::ALIAS);
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
    let all = if table.needs_all(request) { number(&row, "in_all")? } else { 0 };
    Ok(Totals { matching: number(&row, "total")?, all })
}

fn number(row: &QueryResult, column: &str) -> Result<u64, StoreError> {
    let number: i64 = row.try_get("", column).map_err(store_error)?;
    Ok(u64::try_from(number).unwrap_or_default())
}

/// The statement that counts a list.
fn total_statement<T: ListTable>(table: &T, request: &ListRequest<'_>) -> Sql {
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
/// their order. With an ordinary join it scans the table by the index of the order and searches each
/// row among those IDs: no plan depends on the bound `LIMIT`
/// (docs/adr/0013-how-sqlite-is-compiled.md), so SQLite has no estimate of their number.
fn page_join(backend: DbBackend) -> &'static str {
    if backend == DbBackend::Sqlite { "CROSS JOIN" } else { "JOIN" }
}

/// The statement that reads a page's rows.
fn rows_statement<T: ListTable>(
    backend: DbBackend,
    table: &T,
    request: &ListRequest<'_>,
    scan: PageScan,
) -> Sql {
    let mut sql = Sql::default();
    push_rows(&mut sql, backend, table, request, scan);
    sql
}

fn push_rows<T: ListTable>(
    sql: &mut Sql,
    backend: DbBackend,
    table: &T,
    request: &ListRequest<'_>,
    PageScan { path, window }: PageScan,
) {
    let (name, alias, joins) = (table.table(), T::ALIAS, T::JOINS);
    sql.push(&format!("SELECT {} FROM (", table.columns()));
    push_ids(sql, table, request, path, window.from_end, "row_id");
    window.push(sql);
    let (join, order) = (page_join(backend), request.order.sql(false));
    sql.push(&format!(") page {join} {name} {alias} ON {alias}.id = page.row_id{joins} ORDER BY {order}"));
}

/// A query for the IDs of all matching rows, named so, in their order, or reversed.
pub(crate) fn push_ids<T: ListTable>(
    sql: &mut Sql,
    table: &T,
    request: &ListRequest<'_>,
    path: AccessPath,
    reversed: bool,
    name: &str,
) {
    let IdSource { tables, id, order } = table.id_source(request, path);
    sql.push(&format!("SELECT {id} AS {name} FROM {tables}"));
    table.push_conditions(sql, request, path);
    sql.push(&format!(" ORDER BY {}", order.sql(reversed)));
}
