//! Streams of channels. A channel's own URL stays in its column; the values stored beside it are valid while
//! the URL is the same. No foreign key refers to the channel: its streams are kept while it is in the trash,
//! and removed with its row there.

use sea_orm::DbBackend;
use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Removes the streams of a channel that is removed from the trash without being restored.
const REMOVE: &str = "DELETE FROM channel_stream_lists WHERE channel_id = old.item_id \
     AND NOT EXISTS (SELECT 1 FROM tv_channels c WHERE c.id = old.item_id);";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let lists = Table::create()
            .table("channel_stream_lists")
            .col(big_integer("channel_id").primary_key())
            .col(text("failover"))
            // Numbers are not reused, because links identify their stream by them.
            .col(big_integer("next_number"))
            .to_owned();
        manager.create_table(lists).await?;
        let streams = Table::create()
            .table("channel_streams")
            .col(big_integer("channel_id"))
            .col(big_integer("number"))
            // Position 0 is the channel's own URL.
            .col(integer("position"))
            .col(text_null("label"))
            .col(text_null("quality"))
            .col(text("url_type"))
            .col(text("url"))
            // Pairs of name and value, as JSON.
            .col(text("headers"))
            .col(text("origin"))
            .col(big_integer_null("entry_id"))
            .primary_key(Index::create().col("channel_id").col("number"))
            .foreign_key(
                ForeignKey::create()
                    .name("channel_streams_channel_id")
                    .from("channel_streams", "channel_id")
                    .to("channel_stream_lists", "channel_id")
                    .on_delete(ForeignKeyAction::Cascade),
            )
            .to_owned();
        manager.create_table(streams).await?;
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        run("CREATE UNIQUE INDEX channel_streams_by_position ON channel_streams (channel_id, position)")
            .await?;
        run("CREATE INDEX channel_streams_by_entry ON channel_streams (entry_id) WHERE entry_id IS NOT NULL")
            .await?;
        if manager.get_database_backend() == DbBackend::Sqlite {
            return run(&format!(
                "CREATE TRIGGER trash_removes_streams AFTER DELETE ON trash WHEN old.kind = 'tv-channels' \
                 BEGIN {REMOVE} END"
            ))
            .await;
        }
        run(&format!(
            "CREATE FUNCTION trash_remove_streams() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {REMOVE} \
             RETURN NULL; END $$"
        ))
        .await?;
        run("CREATE TRIGGER trash_removes_streams AFTER DELETE ON trash FOR EACH ROW \
             WHEN (old.kind = 'tv-channels') EXECUTE FUNCTION trash_remove_streams()")
        .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        if manager.get_database_backend() == DbBackend::Sqlite {
            run("DROP TRIGGER trash_removes_streams").await?;
        } else {
            run("DROP TRIGGER trash_removes_streams ON trash").await?;
            run("DROP FUNCTION trash_remove_streams()").await?;
        }
        manager.drop_table(Table::drop().table("channel_streams").to_owned()).await?;
        manager.drop_table(Table::drop().table("channel_stream_lists").to_owned()).await
    }
}
