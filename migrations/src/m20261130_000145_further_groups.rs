//! Groups of playlist entries beyond the first one, for lists and filters: a JSON array, NULL
//! without any.

use sea_orm::{JsonValue, Statement};
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Entries per batch.
const AT_ONCE: i64 = 2_000;

/// The groups after the first one, unless there are none.
fn further(content: &str) -> Option<String> {
    let entry: JsonValue = content.parse().ok()?;
    let further = entry.get("groups")?.as_array()?.get(1..)?;
    (!further.is_empty()).then(|| JsonValue::from(further.to_vec()).to_string())
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let (db, backend) = (manager.get_connection(), manager.get_database_backend());
        db.execute_unprepared("ALTER TABLE playlist_entries ADD COLUMN further_groups text").await?;
        let mut after = 0_i64;
        loop {
            let find = format!(
                "SELECT id, content FROM playlist_entries WHERE id > {after} ORDER BY id LIMIT {AT_ONCE}"
            );
            let rows = db.query_all_raw(Statement::from_string(backend, find)).await?;
            if rows.is_empty() {
                break;
            }
            for row in rows {
                after = row.try_get("", "id")?;
                let content: String = row.try_get("", "content")?;
                if let Some(groups) = further(&content) {
                    let set = "UPDATE playlist_entries SET further_groups = $1 WHERE id = $2";
                    let values = [groups.into(), after.into()];
                    db.execute_raw(Statement::from_sql_and_values(backend, set, values)).await?;
                }
            }
        }
        db.execute_unprepared(
            "CREATE INDEX playlist_entries_with_groups ON playlist_entries (source_id, id) WHERE further_groups IS NOT NULL",
        )
        .await
        .map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for sql in [
            "DROP INDEX playlist_entries_with_groups",
            "ALTER TABLE playlist_entries DROP COLUMN further_groups",
        ] {
            manager.get_connection().execute_unprepared(sql).await?;
        }
        Ok(())
    }
}
