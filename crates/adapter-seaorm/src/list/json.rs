//! Pages whose rows the database builds as one JSON array (ADR 0005). A page near the beginning needs
//! one statement, which returns rows and total of one state. If the total decides on the access
//! path, or on the end, it needs two: the totals, then the rows.

use domain_kernel::{ListQuery, Page};
use ports::StoreError;
use sea_orm::{DbBackend, QueryResult, Statement};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::{
    ListRequest, ListTable, PageScan, PageWindow, Totals, connection, number, push_rows, scan,
    total_statement, totals,
};
use crate::{
    Database,
    db::{error::store_error, sql::Sql},
};

/// One page of a list whose rows are JSON in the column `item`.
pub(crate) async fn json_page<T: ListTable>(
    database: &Database,
    table: &T,
    query: &ListQuery,
) -> Result<Page<Box<RawValue>>, StoreError> {
    let (backend, request) = (database.backend(), ListRequest::of(table, query));
    let connection = connection(database, table, &request);
    let (rows, total) = if let Some(near) = near(table, &request) {
        let row = near_statement(backend, table, &request, near).only_row(connection).await?;
        (rows_of_page(&row)?, number(&row, "total")?)
    } else {
        let totals = totals(connection, table, &request).await?;
        let rows = match scan(table, &request, totals) {
            Some(scan) => {
                rows_of_page(&far_statement(backend, table, &request, scan).only_row(connection).await?)?
            }
            None => "[]".to_owned(),
        };
        (rows, totals.matching)
    };
    let rows = RawValue::from_string(rows).map_err(|error| StoreError::Broken(error.to_string()))?;
    Ok(Page::of(query, rows, total))
}

/// The same with parsed rows.
pub(crate) async fn page_of_items<T>(
    database: &Database,
    table: &T,
    query: &ListQuery,
) -> Result<Page<Vec<T::Row>>, StoreError>
where
    T: ListTable,
    T::Row: DeserializeOwned,
{
    let page = json_page(database, table, query).await?;
    let rows = serde_json::from_str(page.content.get());
    let rows = rows.map_err(|error| StoreError::Broken(error.to_string()))?;
    Ok(page.map(|_| rows))
}

/// The statements of a page of a list of which so many rows match, for tests of their plans.
pub(crate) fn json_statements<T: ListTable>(
    backend: DbBackend,
    table: &T,
    query: &ListQuery,
    matching: u64,
) -> Vec<Statement> {
    let request = ListRequest::of(table, query);
    let all = if let Some(near) = near(table, &request) {
        [Some(near_statement(backend, table, &request, near)), None]
    } else {
        let rows = scan(table, &request, Totals::of_a_million(matching))
            .map(|scan| far_statement(backend, table, &request, scan));
        [Some(total_statement(table, &request)), rows]
    };
    all.into_iter().flatten().map(|sql| sql.statement(backend)).collect()
}

/// The scan of a page near the beginning, which needs no totals.
fn near<T: ListTable>(table: &T, request: &ListRequest<'_>) -> Option<PageScan> {
    let path = table.only_path(request).filter(|_| request.query.offset() < T::FAR)?;
    Some(PageScan { path, window: PageWindow::from_beginning(request.query) })
}

/// `SELECT total, rows`.
fn near_statement<T: ListTable>(
    backend: DbBackend,
    table: &T,
    request: &ListRequest<'_>,
    scan: PageScan,
) -> Sql {
    let mut sql = Sql::new("SELECT (");
    table.push_total(&mut sql, request);
    sql.push(") AS total, ");
    push_array(&mut sql, backend, table, request, scan);
    sql
}

/// `SELECT rows`.
fn far_statement<T: ListTable>(
    backend: DbBackend,
    table: &T,
    request: &ListRequest<'_>,
    scan: PageScan,
) -> Sql {
    let mut sql = Sql::new("SELECT ");
    push_array(&mut sql, backend, table, request, scan);
    sql
}

fn push_array<T: ListTable>(
    sql: &mut Sql,
    backend: DbBackend,
    table: &T,
    request: &ListRequest<'_>,
    scan: PageScan,
) {
    sql.push_items(backend, |sql| push_rows(sql, backend, table, request, scan));
    sql.push(" AS rows");
}

fn rows_of_page(row: &QueryResult) -> Result<String, StoreError> {
    row.try_get("", "rows").map_err(store_error)
}
