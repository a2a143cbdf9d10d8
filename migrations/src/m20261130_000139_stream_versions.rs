//! Streams of channels as they were before each change, so that an earlier version can be restored. The audit log
//! has them as lines of text without credentials. They are kept as long as its entries, or until the channel is
//! removed from the trash: replaces the trigger of migration 85.

use sea_orm::DbBackend;
use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Removes rows of a channel that is removed from the trash without being restored.
fn removes(table: &str) -> String {
    format!(
        "DELETE FROM {table} WHERE channel_id = old.item_id \
         AND NOT EXISTS (SELECT 1 FROM tv_channels c WHERE c.id = old.item_id);"
    )
}

/// What is removed with a channel.
async fn removed_with_channel(manager: &SchemaManager<'_>, tables: &[&str]) -> Result<(), DbErr> {
    let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
    let remove: String = tables.iter().map(|table| removes(table)).collect();
    if manager.get_database_backend() == DbBackend::Sqlite {
        run("DROP TRIGGER trash_removes_streams").await?;
        return run(&format!(
            "CREATE TRIGGER trash_removes_streams AFTER DELETE ON trash WHEN old.kind = 'tv-channels' \
             BEGIN {remove} END"
        ))
        .await;
    }
    run(&format!(
        "CREATE OR REPLACE FUNCTION trash_remove_streams() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {remove} \
         RETURN NULL; END $$"
    ))
    .await
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let versions = Table::create()
            .table("channel_stream_versions")
            .col(big_integer("channel_id"))
            // The version of the channel that has other streams.
            .col(big_integer("replaced_by"))
            .col(integer("position"))
            .col(text("failover"))
            .col(text_null("label"))
            .col(text_null("quality"))
            // Without an address: the channel had nothing but its own.
            .col(text_null("url_type"))
            .col(text_null("url"))
            .col(text_null("headers"))
            .col(timestamp_with_time_zone("replaced_at"))
            .primary_key(Index::create().col("channel_id").col("replaced_by").col("position"))
            .to_owned();
        manager.create_table(versions).await?;
        let index = "CREATE INDEX channel_stream_versions_by_date ON channel_stream_versions (replaced_at)";
        manager.get_connection().execute_unprepared(index).await?;
        removed_with_channel(manager, &["channel_stream_lists", "channel_stream_versions"]).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        removed_with_channel(manager, &["channel_stream_lists"]).await?;
        manager.drop_table(Table::drop().table("channel_stream_versions").to_owned()).await
    }
}
