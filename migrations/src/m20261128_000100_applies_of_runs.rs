//! The automatic apply of a scheduled run: whether it is pending, and why it failed. Entries used as streams
//! are restored with their stream only, not with a channel that no longer has it.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const KIND: &str = "channel-streams";
const BACK: &str = "UPDATE playlist_entries SET in_use = TRUE, change = CASE WHEN change = 'MISSING' THEN 'MISSING' \
     WHEN content = applied THEN 'UNCHANGED' ELSE 'CHANGED' END WHERE item_kind = 'channel-streams' AND item_id = new.id";
/// The streams of a channel are kept while it is in the trash.
const WITH_STREAM: &str = "EXISTS (SELECT 1 FROM channel_streams s WHERE s.channel_id = new.id AND s.entry_id = playlist_entries.id)";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        run("ALTER TABLE playlist_runs ADD COLUMN waits_for_apply boolean NOT NULL DEFAULT FALSE").await?;
        run("ALTER TABLE playlist_runs ADD COLUMN apply_fault text").await?;
        run("CREATE INDEX playlist_runs_waiting_for_apply ON playlist_runs (id) WHERE waits_for_apply")
            .await?;
        let back = format!("{BACK} AND {WITH_STREAM}");
        if manager.get_database_backend() == DbBackend::Sqlite {
            run("DROP TRIGGER tv_channels_stream_entries_insert").await?;
            return run(&format!(
                "CREATE TRIGGER tv_channels_stream_entries_insert AFTER INSERT ON tv_channels BEGIN {back}; END"
            ))
            .await;
        }
        run("DROP TRIGGER tv_channels_stream_entries ON tv_channels").await?;
        run(&format!(
            "CREATE TRIGGER tv_channels_stream_entries AFTER DELETE ON tv_channels \
             FOR EACH ROW EXECUTE FUNCTION playlist_entries_follow('{KIND}')"
        ))
        .await?;
        run(&format!(
            "CREATE FUNCTION stream_entries_return() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {back}; RETURN NULL; END $$"
        ))
        .await?;
        run("CREATE TRIGGER tv_channels_stream_entries_return AFTER INSERT ON tv_channels \
             FOR EACH ROW EXECUTE FUNCTION stream_entries_return()")
        .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        if manager.get_database_backend() == DbBackend::Sqlite {
            run("DROP TRIGGER tv_channels_stream_entries_insert").await?;
            run(&format!(
                "CREATE TRIGGER tv_channels_stream_entries_insert AFTER INSERT ON tv_channels BEGIN {BACK}; END"
            ))
            .await?;
        } else {
            run("DROP TRIGGER tv_channels_stream_entries_return ON tv_channels").await?;
            run("DROP FUNCTION stream_entries_return()").await?;
            run("DROP TRIGGER tv_channels_stream_entries ON tv_channels").await?;
            run(&format!(
                "CREATE TRIGGER tv_channels_stream_entries AFTER INSERT OR DELETE ON tv_channels \
                 FOR EACH ROW EXECUTE FUNCTION playlist_entries_follow('{KIND}')"
            ))
            .await?;
        }
        run("DROP INDEX playlist_runs_waiting_for_apply").await?;
        run("ALTER TABLE playlist_runs DROP COLUMN apply_fault").await?;
        run("ALTER TABLE playlist_runs DROP COLUMN waits_for_apply").await
    }
}
