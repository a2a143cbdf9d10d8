//! Single items.

use domain_catalogue::{Content, Kind, Stored};
use domain_kernel::{Id, ListQuery};
use ports::StoreError;
use sea_orm::{ConnectionTrait, Statement};

use super::{SeaOrmContents, listing::ContentList, table::ContentTable};
use crate::{
    db::{
        error::store_error,
        sql::{Sql, read_item},
    },
    list::json_statements,
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
        let ContentList { projection, table, .. } = &self.list;
        Sql::new(format!("SELECT CAST({} AS text) AS item FROM {table} m WHERE ", projection.whole))
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

    /// The statements that answer a list of which `total` rows match, for tests of their plans.
    #[doc(hidden)]
    pub fn statements(&self, query: &ListQuery, total: u64) -> Vec<Statement> {
        json_statements(self.database.backend(), &self.list, query, total)
    }
}
