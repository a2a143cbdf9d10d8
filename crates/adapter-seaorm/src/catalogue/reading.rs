//! Lists and single items.
//!
//! A page near the start of its list needs one statement, which returns rows and totals of one
//! state. If the totals decide on the scan (the end, the index), it needs two: the totals, then the
//! rows.

use domain_catalogue::{Content, Kind, Stored};
use domain_kernel::{Id, ListQuery, Page};
use ports::{Rows, StoreError};
use sea_orm::{ConnectionTrait, QueryResult, Statement};
use serde_json::value::RawValue;

use super::{SeaOrmContents, plan::ContentRequest, projection::Projection, table::ContentTable};
use crate::{
    Database,
    db::{
        error::store_error,
        sql::{Sql, read_item},
    },
    list::Totals,
};

impl<T: ContentTable> SeaOrmContents<T> {
    pub(super) async fn read(
        &self,
        connection: &impl ConnectionTrait,
        id: Id,
    ) -> Result<Option<Stored<T::Content>>, StoreError> {
        let mut sql = self.whole_items();
        sql.push("m.id = ").bind(id);
        Ok(self.items(connection, sql).await?.pop())
    }

    /// The items with these IDs, unordered.
    pub(super) async fn all_of(&self, ids: &[Id]) -> Result<Vec<Stored<T::Content>>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut sql = self.whole_items();
        sql.push("m.id IN (").bind_all(ids.iter().copied()).push(")");
        self.items(&self.database.reader, sql).await
    }

    /// Active items after an ID; items of a show only if the show is active, too.
    pub(super) async fn active_behind(
        &self,
        after: Id,
        count: u32,
    ) -> Result<Vec<Stored<T::Content>>, StoreError> {
        let mut sql = self.whole_items();
        sql.push("m.active");
        if matches!(T::Content::KIND, Kind::Seasons | Kind::Episodes) {
            sql.push(" AND EXISTS (SELECT 1 FROM tv_shows s WHERE s.id = m.tv_show_id AND s.active)");
        }
        sql.push(" AND m.id > ").bind(after).push(" ORDER BY m.id LIMIT ").bind(i64::from(count));
        self.items(&self.database.scanner, sql).await
    }

    /// The start of a query of whole items for [`Self::items`]. The condition follows.
    fn whole_items(&self) -> Sql {
        let Projection { whole, table, .. } = &self.projection;
        Sql::new(format!("SELECT CAST({whole} AS text) AS item FROM {table} m WHERE "))
    }

    /// The items of a query that starts with [`Self::whole_items`]. One text per row, because
    /// transferring columns takes longer than parsing JSON.
    async fn items(
        &self,
        connection: &impl ConnectionTrait,
        sql: Sql,
    ) -> Result<Vec<Stored<T::Content>>, StoreError> {
        let rows = connection.query_all_raw(sql.statement(self.database.backend())).await;
        rows.map_err(store_error)?.iter().map(read_item).collect()
    }

    pub(super) async fn page(&self, query: &ListQuery) -> Result<Page<Rows>, StoreError> {
        let request = ContentRequest::of::<T>(query);
        let near = request.near();
        let row = self.query(&request, self.projection.page_and_totals(&request, near)).await?;
        let count =
            |column: &str| row.try_get("", column).map(|total: i64| u64::try_from(total).unwrap_or_default());
        let totals = Totals {
            matching: count("matching").map_err(store_error)?,
            all: count("in_all").map_err(store_error)?,
        };
        let far = if near.is_none() { request.scan(totals) } else { None };
        let row = match far {
            Some(scan) => self.query(&request, self.projection.rows(&request, scan)).await?,
            None => row,
        };
        let rows: String = row.try_get("", "rows").map_err(store_error)?;
        let rows = RawValue::from_string(rows).map_err(|error| StoreError::Broken(error.to_string()))?;
        Ok(Page::of(query, Rows(rows), totals.matching))
    }

    /// The only row of a statement about a list.
    async fn query(&self, request: &ContentRequest<'_>, sql: Sql) -> Result<QueryResult, StoreError> {
        let Database { scanner, reader, .. } = &self.database;
        let connection = if request.reads_whole_index() { scanner } else { reader };
        sql.only_row(connection).await
    }

    /// The statements that answer a list of which `total` rows match, for tests of their plans.
    #[doc(hidden)]
    pub fn statements(&self, query: &ListQuery, total: u64) -> Vec<Statement> {
        let request = ContentRequest::of::<T>(query);
        let totals = Totals { matching: total, all: total.max(1_000_000) };
        let near = request.near();
        let far = if near.is_none() { request.scan(totals) } else { None };
        let first = self.projection.page_and_totals(&request, near);
        let second = far.map(|scan| self.projection.rows(&request, scan));
        [Some(first), second]
            .into_iter()
            .flatten()
            .map(|sql| sql.statement(self.database.backend()))
            .collect()
    }
}
