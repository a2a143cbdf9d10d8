//! The key of duplicate playlist entries: the guide id, or name and number.

use sea_orm::{JsonValue, Statement};
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Entries per batch.
const AT_ONCE: i64 = 2_000;
/// Length of the key, in characters: index entries of PostgreSQL have some 2,700 bytes.
const LONGEST: usize = 500;

/// Value of an attribute, unless it is empty.
fn tag<'a>(entry: &'a JsonValue, name: &str) -> Option<&'a str> {
    let tags = entry.get("tags")?.as_array()?;
    let of_name = tags.iter().find(|tag| tag.get(0).and_then(JsonValue::as_str) == Some(name))?;
    of_name.get(1)?.as_str().filter(|value| !value.is_empty())
}

/// A number of 1 to 9 digits.
fn number(text: &str) -> Option<u32> {
    let is_number = text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let (db, backend) = (manager.get_connection(), manager.get_database_backend());
        for column in ["guide_id", "name_and_number"] {
            db.execute_unprepared(&format!("ALTER TABLE playlist_entries ADD COLUMN {column} text")).await?;
        }
        let mut after = 0_i64;
        loop {
            let find = format!(
                "SELECT id, content, search_text FROM playlist_entries WHERE id > {after} ORDER BY id LIMIT {AT_ONCE}"
            );
            let rows = db.query_all_raw(Statement::from_string(backend, find)).await?;
            if rows.is_empty() {
                break;
            }
            for row in rows {
                after = row.try_get("", "id")?;
                let (content, searched): (String, String) =
                    (row.try_get("", "content")?, row.try_get("", "search_text")?);
                let entry: JsonValue = content.parse().unwrap_or_default();
                let fits = |text: &String| text.chars().count() <= LONGEST;
                let guide_id = tag(&entry, "tvg-id").map(str::to_owned).filter(fits);
                // The folded name is the first line of the searchable text.
                let name = searched.lines().next().unwrap_or_default();
                let number = tag(&entry, "tvg-chno").and_then(number);
                let both = number.map(|number| format!("{number} {name}")).filter(fits);
                if guide_id.is_some() || both.is_some() {
                    let set = "UPDATE playlist_entries SET guide_id = $1, name_and_number = $2 WHERE id = $3";
                    let values = [guide_id.into(), both.into(), after.into()];
                    db.execute_raw(Statement::from_sql_and_values(backend, set, values)).await?;
                }
            }
        }
        for column in ["guide_id", "name_and_number"] {
            db.execute_unprepared(&format!(
                "CREATE INDEX playlist_entries_by_{column} ON playlist_entries (source_id, {column}, id) \
                 WHERE {column} IS NOT NULL"
            ))
            .await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in ["guide_id", "name_and_number"] {
            for sql in [
                format!("DROP INDEX playlist_entries_by_{column}"),
                format!("ALTER TABLE playlist_entries DROP COLUMN {column}"),
            ] {
                manager.get_connection().execute_unprepared(&sql).await?;
            }
        }
        Ok(())
    }
}
