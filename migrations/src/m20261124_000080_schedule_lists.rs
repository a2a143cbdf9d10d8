//! Indexes for the lists of guide health, and the shift of a channel's programmes (`tvg-shift`).

use sea_orm::ConnectionTrait;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const UP: [&str; 4] = [
    // Of the row being imported for an entry, and of the entry as last applied. In seconds.
    "ALTER TABLE playlist_entries ADD COLUMN row_shift bigint",
    "ALTER TABLE playlist_entries ADD COLUMN applied_shift bigint NOT NULL DEFAULT 0",
    // The prefix of a title: titles have up to 64 kB, more than an index entry.
    "CREATE INDEX programmes_by_title ON programmes (substr(search_text, 1, 60), start_at)",
    "CREATE INDEX tv_channels_by_guide_id ON tv_channels (tv_guide_id, epg_id) WHERE epg_id IS NOT NULL",
];
const DOWN: [&str; 4] = [
    "DROP INDEX tv_channels_by_guide_id",
    "DROP INDEX programmes_by_title",
    "ALTER TABLE playlist_entries DROP COLUMN applied_shift",
    "ALTER TABLE playlist_entries DROP COLUMN row_shift",
];

/// Prefix of the tag in a stored entry.
const TAG: &str = "[\"tvg-shift\",\"";

/// The hours of the tag, in seconds.
fn shift_of(applied: &str) -> Option<i64> {
    let (_, rest) = applied.split_once(TAG)?;
    let (text, _) = rest.split_once('"')?;
    let hours: f64 = text.trim().replace(',', ".").parse().ok()?;
    #[expect(clippy::cast_possible_truncation, reason = "at most 1,440")]
    (hours.abs() <= 24.0).then(|| (hours * 60.0).round() as i64 * 60)
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let db = manager.get_connection();
        for sql in UP {
            db.execute_unprepared(sql).await?;
        }
        let of = |sql: String| sea_orm::Statement::from_string(manager.get_database_backend(), sql);
        let find = format!("SELECT e.id, e.applied FROM playlist_entries e WHERE e.applied LIKE '%{TAG}%'");
        for row in db.query_all_raw(of(find)).await? {
            let (id, applied): (i64, String) = (row.try_get("", "id")?, row.try_get("", "applied")?);
            if let Some(shift) = shift_of(&applied).filter(|shift| *shift != 0) {
                let set = format!("UPDATE playlist_entries SET applied_shift = {shift} WHERE id = {id}");
                db.execute_raw(of(set)).await?;
            }
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for sql in DOWN {
            manager.get_connection().execute_unprepared(sql).await?;
        }
        Ok(())
    }
}
