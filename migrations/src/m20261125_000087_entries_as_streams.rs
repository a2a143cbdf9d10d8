//! Entries of playlists as additional streams of channels: their kind is `channel-streams`, their item the
//! channel. They are in use while the channel exists and has the stream. Also an index for finding decisions
//! of an operation by row.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const KIND: &str = "channel-streams";
const GONE: &str = "UPDATE playlist_entries SET in_use = FALSE, \
     change = CASE change WHEN 'MISSING' THEN 'MISSING' ELSE 'NEW' END";
const BACK: &str = "UPDATE playlist_entries SET in_use = TRUE, change = CASE WHEN change = 'MISSING' THEN 'MISSING' \
     WHEN content = applied THEN 'UNCHANGED' ELSE 'CHANGED' END";

/// State of an entry after its stream is removed or stored, also with a channel that was merged with its own.
fn with_stream() -> (String, String) {
    (
        format!("{GONE} WHERE item_kind = '{KIND}' AND item_id = old.channel_id AND id = old.entry_id"),
        format!("{BACK}, item_id = new.channel_id WHERE item_kind = '{KIND}' AND id = new.entry_id"),
    )
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        run("DROP INDEX epg_decisions_by_sheet").await?;
        run("CREATE INDEX epg_decisions_by_sheet ON epg_decisions (sheet_id, sheet_row) WHERE sheet_id IS NOT NULL")
            .await?;
        let (gone, back) = with_stream();
        if manager.get_database_backend() == DbBackend::Sqlite {
            for (table, event, what) in [
                ("tv_channels", "DELETE", format!("{GONE} WHERE item_kind = '{KIND}' AND item_id = old.id")),
                ("tv_channels", "INSERT", format!("{BACK} WHERE item_kind = '{KIND}' AND item_id = new.id")),
                ("channel_streams", "DELETE", gone),
                ("channel_streams", "INSERT", back),
            ] {
                run(&format!(
                    "CREATE TRIGGER {table}_stream_entries_{} AFTER {event} ON {table} BEGIN {what}; END",
                    event.to_lowercase()
                ))
                .await?;
            }
            return Ok(());
        }
        run(&format!(
            "CREATE FUNCTION stream_entries_follow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF TG_OP = 'DELETE' THEN {gone}; ELSE {back}; END IF; RETURN NULL; END $$"
        ))
        .await?;
        run(&format!(
            "CREATE TRIGGER tv_channels_stream_entries AFTER INSERT OR DELETE ON tv_channels \
             FOR EACH ROW EXECUTE FUNCTION playlist_entries_follow('{KIND}')"
        ))
        .await?;
        run("CREATE TRIGGER channel_streams_entries AFTER INSERT OR DELETE ON channel_streams \
             FOR EACH ROW EXECUTE FUNCTION stream_entries_follow()")
        .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        if manager.get_database_backend() == DbBackend::Sqlite {
            for table in ["tv_channels", "channel_streams"] {
                for event in ["delete", "insert"] {
                    run(&format!("DROP TRIGGER {table}_stream_entries_{event}")).await?;
                }
            }
        } else {
            run("DROP TRIGGER tv_channels_stream_entries ON tv_channels").await?;
            run("DROP TRIGGER channel_streams_entries ON channel_streams").await?;
            run("DROP FUNCTION stream_entries_follow()").await?;
        }
        // The former release has no such entries: they become new.
        run(&format!("{GONE}, item_kind = NULL, item_id = NULL WHERE item_kind = '{KIND}'")).await?;
        run("DROP INDEX epg_decisions_by_sheet").await?;
        run("CREATE INDEX epg_decisions_by_sheet ON epg_decisions (sheet_id) WHERE sheet_id IS NOT NULL")
            .await
    }
}
