//! Whole lists, for exports: the IDs of all matching rows, then the rows in batches. Memory is
//! eight bytes per row.

use domain_kernel::{Id, ListQuery};
use ports::StoreError;
use sea_orm::{ConnectionTrait, DbBackend, QueryResult};

use super::{AccessPath, ListRequest, ListTable, push_ids};
use crate::{
    Database,
    db::{error::store_error, sql::Sql},
};

/// The IDs of all rows of a list, in its order, with a limit. They are transferred as one text: a
/// million rows of the driver would need a hundred times the memory.
pub(crate) async fn matching_ids<T: ListTable>(
    database: &Database,
    table: &T,
    query: &ListQuery,
    most: u64,
) -> Result<Vec<Id>, StoreError> {
    let request = ListRequest::of(table, query);
    let joined = match database.backend() {
        DbBackend::Sqlite => "group_concat(id)",
        _ => "string_agg(CAST(id AS text), ',')",
    };
    let mut sql = Sql::new(format!("SELECT coalesce({joined}, '') AS ids FROM ("));
    push_ids(&mut sql, table, &request, AccessPath::FilterThenSort, false, "id");
    sql.push(" LIMIT ").bind(i64::try_from(most).unwrap_or(i64::MAX)).push(") matching");
    let row = sql.only_row(&database.scanner).await?;
    let text: String = row.try_get("", "ids").map_err(store_error)?;
    let id =
        |part: &str| part.parse().map_err(|_| StoreError::Broken(format!("an id that is no number, {part}")));
    text.split(',').filter(|part| !part.is_empty()).map(id).collect()
}

/// The rows among these that still match the table's own filter, in the order of the IDs. The search
/// and the order of the query were evaluated for the IDs, and are not evaluated again.
pub(crate) async fn rows_of<T: ListTable>(
    database: &Database,
    table: &T,
    ids: &[Id],
) -> Result<Vec<T::Row>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let (name, alias, joins) = (table.table(), T::ALIAS, T::JOINS);
    let query = ListQuery::default();
    let request = ListRequest::of(table, &query);
    let mut sql = Sql::new(format!(
        "SELECT {}, page.row_id FROM (SELECT {alias}.id AS row_id FROM {name} {alias}{}",
        table.columns(),
        table.condition_joins()
    ));
    table.push_conditions(&mut sql, &request, AccessPath::FilterThenSort);
    sql.push(&format!(
        ") page JOIN {name} {alias} ON {alias}.id = page.row_id{joins} WHERE page.row_id IN ("
    ));
    sql.bind_all(ids.iter().copied()).push(")");
    let found =
        database.reader.query_all_raw(sql.statement(database.backend())).await.map_err(store_error)?;
    let id = |row: &QueryResult| row.try_get::<Id>("", "row_id").map_err(store_error);
    let place: std::collections::HashMap<Id, usize> =
        ids.iter().enumerate().map(|(place, id)| (*id, place)).collect();
    let mut placed = found
        .iter()
        .map(|row| Ok((place.get(&id(row)?).copied().unwrap_or_default(), T::READ(row)?)))
        .collect::<Result<Vec<_>, StoreError>>()?;
    placed.sort_by_key(|(place, _)| *place);
    Ok(placed.into_iter().map(|(_, row)| row).collect())
}

/// Implements [`ports::ListRows`] for a store, with the list for a filter.
macro_rules! rows_of_list {
    ($store:ident, $database:tt, $filter:ty, $row:ty, |$self:ident, $of:ident| $table:expr) => {
        $crate::list::rows_of_list!($store, $database, $filter, $row, |$self, $of| $table, |rows| Ok(rows));
    };
    ($store:ident, $database:tt, $filter:ty, $row:ty, |$self:ident, $of:ident| $table:expr, |$rows:ident| $whole:expr) => {
        #[async_trait::async_trait]
        impl ports::ListRows<$filter, $row> for $store {
            async fn ids(
                &self,
                filter: &$filter,
                query: &domain_kernel::ListQuery,
                most: u64,
            ) -> Result<Vec<domain_kernel::Id>, ports::StoreError> {
                let ($self, $of) = (self, filter);
                $crate::list::matching_ids(&$self.$database, &$table, query, most).await
            }

            async fn rows(
                &self,
                filter: &$filter,
                ids: &[domain_kernel::Id],
            ) -> Result<Vec<$row>, ports::StoreError> {
                let ($self, $of) = (self, filter);
                let $rows = $crate::list::rows_of(&$self.$database, &$table, ids).await?;
                $whole
            }
        }
    };
}
pub(crate) use rows_of_list;
