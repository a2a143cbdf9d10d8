//! Groups of entries: the first one is a column with an index, further ones are a JSON array, since
//! few entries have them.

use domain_kernel::Id;
use ports::{EntryGroup, StoreError};
use sea_orm::{ConnectionTrait, DbBackend, QueryResult};

use crate::{
    Database,
    db::{error::store_error, sql::Sql},
};

/// Maximum groups listed of a source.
const MOST_GROUPS: i64 = 5_000;
/// Numbers of entries `o`, and the beginning of where they are read from.
const COUNTS: &str =
    ", count(*) AS entries, sum(CASE WHEN o.change = 'NEW' THEN 1 ELSE 0 END) AS fresh FROM ";

/// Entries `o` with a row `j` for each of their further groups.
fn with_further_groups(backend: DbBackend) -> &'static str {
    match backend {
        DbBackend::Sqlite => "playlist_entries o, json_each(o.further_groups) j",
        _ => "playlist_entries o, jsonb_array_elements_text(o.further_groups::jsonb) AS j(value)",
    }
}

/// The condition that an entry `e` of a source has this group, as the first or as a further one:
/// each part has an index of its own.
pub(super) fn push_group(sql: &mut Sql, backend: DbBackend, source: Id, group: &str) {
    sql.push(" AND e.id IN (SELECT o.id FROM playlist_entries o WHERE o.source_id = ").bind(source);
    sql.push(" AND o.group_name = ").bind(group).push(" UNION ALL SELECT o.id FROM ");
    sql.push(with_further_groups(backend)).push(" WHERE o.source_id = ").bind(source);
    sql.push(" AND o.further_groups IS NOT NULL AND j.value = ").bind(group).push(")");
}

/// Each group of a source with its entries, by name.
pub(super) async fn groups_of(database: &Database, source: Id) -> Result<Vec<EntryGroup>, StoreError> {
    let mut sql = Sql::new(
        "SELECT g.name, CAST(sum(g.entries) AS bigint) AS entries, CAST(sum(g.fresh) AS bigint) AS fresh FROM (",
    );
    sql.push("SELECT o.group_name AS name").push(COUNTS).push("playlist_entries o WHERE o.source_id = ");
    sql.bind(source).push(" GROUP BY o.group_name UNION ALL SELECT j.value AS name").push(COUNTS);
    sql.push(with_further_groups(database.backend())).push(" WHERE o.source_id = ").bind(source);
    sql.push(" AND o.further_groups IS NOT NULL GROUP BY j.value) g GROUP BY g.name ORDER BY g.name LIMIT ");
    sql.bind(MOST_GROUPS);
    let rows = database.reader.query_all_raw(sql.statement(database.backend())).await.map_err(store_error)?;
    let group = |row: &QueryResult| {
        Ok(EntryGroup {
            group: row.try_get("", "name").map_err(store_error)?,
            entries: row.try_get("", "entries").map_err(store_error)?,
            new: row.try_get("", "fresh").map_err(store_error)?,
        })
    };
    rows.iter().map(group).collect()
}
