//! The list of the trash.

use async_trait::async_trait;
use domain_catalogue::TrashEntry;
use domain_kernel::{Kind, ListQuery, Page};
use ports::{StoreError, TrashFilter, TrashRepository};
use sea_orm::QueryResult;

use crate::{
    Database,
    catalogue::rows::broken,
    db::{error::store_error, sql::Sql},
    list::{AccessPath, ListRequest, ListTable, page, push_range, rows_of_list},
};

/// Lists the trash.
#[derive(Debug, Clone)]
pub struct SeaOrmTrash(pub Database);

/// The individually deleted items of some kinds, newest first by default.
pub(super) struct TrashList<'a>(pub(super) &'a TrashFilter);

/// The columns of an entry; its parts are counted by their index.
const ENTRY: &str = "t.kind, t.item_id, t.title, t.deleted_date, t.deleted_by, \
     (SELECT count(*) FROM trash part WHERE part.part_of = t.id) AS parts";

impl ListTable for TrashList<'_> {
    type Row = TrashEntry;

    const TABLE: &'static str = "trash";
    const ALIAS: &'static str = "t";
    const COLUMNS: &'static str = ENTRY;
    const SORTS: &'static [(&'static str, &'static str)] =
        &[("id", "item_id"), ("title", "title_key"), ("deletedDate", "deleted_date")];
    const DEFAULT_ORDER: (&'static str, bool) = ("t.deleted_date", true);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = entry;

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, _path: AccessPath) {
        sql.push(" WHERE t.part_of IS NULL AND ");
        if self.0.kinds.is_empty() {
            sql.push("FALSE");
        } else {
            sql.push("t.kind IN (").bind_all(self.0.kinds.iter().map(|kind| kind.path())).push(")");
        }
        push_range(sql, request.query, "t.deleted_date");
        if let Some(text) = request.search.text() {
            sql.push(" AND ").push_like("t.search_text", text);
        }
    }
}

fn entry(row: &QueryResult) -> Result<TrashEntry, StoreError> {
    let kind: String = row.try_get("", "kind").map_err(store_error)?;
    let parts: i64 = row.try_get("", "parts").map_err(store_error)?;
    Ok(TrashEntry {
        kind: Kind::from_path(&kind).ok_or_else(|| broken(&kind))?,
        item: row.try_get("", "item_id").map_err(store_error)?,
        title: row.try_get("", "title").map_err(store_error)?,
        deleted_date: row.try_get("", "deleted_date").map_err(store_error)?,
        deleted_by: row.try_get("", "deleted_by").map_err(store_error)?,
        parts: parts.try_into().unwrap_or_default(),
    })
}

rows_of_list!(SeaOrmTrash, 0, TrashFilter, TrashEntry, |store, filter| TrashList(filter));

#[async_trait]
impl TrashRepository for SeaOrmTrash {
    async fn list(
        &self,
        filter: &TrashFilter,
        query: &ListQuery,
    ) -> Result<Page<Vec<TrashEntry>>, StoreError> {
        page(&self.0, &TrashList(filter), query).await
    }
}
