//! Streams of channels as they were before each change, so that an earlier version can be restored. The audit log
//! has them as lines of text without credentials. They are kept as long as its entries.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

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
        manager.get_connection().execute_unprepared(index).await.map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table("channel_stream_versions").to_owned()).await
    }
}
