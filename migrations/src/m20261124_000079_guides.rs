//! TV guides: their fetches, channels and programmes (docs/adr/0032-programme-store.md). No foreign key
//! refers to the guide: moving a guide to the trash would remove a million programmes in one statement. The
//! rows of deleted guides are removed in slices.

use sea_orm::DbBackend;
use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// A channel's programmes are stored together, ordered by their start, which is the only access path.
const PROGRAMMES: &str = "CREATE TABLE programmes (channel_id bigint NOT NULL, start_at bigint NOT NULL, \
     stop_at bigint NOT NULL, title text NOT NULL, search_text text NOT NULL, details text, \
     PRIMARY KEY (channel_id, start_at))";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let fetches = Table::create()
            .table("guide_fetches")
            .col(big_integer("guide_id").primary_key())
            .col(big_integer("version"))
            .col(integer("refresh_hours"))
            .col(text("zone"))
            .col(integer("shift_minutes"))
            .col(text("state"))
            .col(big_integer("attempt"))
            // Upload waiting to be read.
            .col(big_integer_null("upload"))
            .col(text_null("file_name"))
            .col(text_null("requested_by"))
            .col(text_null("fault"))
            .col(integer_null("status_code"))
            // URL to which the two belong.
            .col(text_null("url"))
            .col(text_null("etag"))
            .col(text_null("last_modified"))
            .col(timestamp_with_time_zone_null("finished_date"))
            .col(timestamp_with_time_zone_null("last_good_date"))
            .col(timestamp_with_time_zone_null("next_fetch_date"))
            .col(big_integer_null("newest_at"))
            .col(text("counts"))
            .col(text("examples"))
            .to_owned();
        manager.create_table(fetches).await?;
        let files = Table::create()
            .table("guide_files")
            .col(big_integer("upload"))
            .col(big_integer("number"))
            .col(big_integer("guide_id"))
            .col(timestamp_with_time_zone("created_date"))
            .col(blob("content"))
            .primary_key(Index::create().col("upload").col("number"))
            .to_owned();
        manager.create_table(files).await?;
        let staged = Table::create()
            .table("guide_staged")
            .col(big_integer("guide_id"))
            .col(text("xml_id"))
            .col(big_integer("number"))
            .col(blob("content"))
            .primary_key(Index::create().col("guide_id").col("xml_id").col("number"))
            .to_owned();
        manager.create_table(staged).await?;
        let channels = Table::create()
            .table("guide_channels")
            .col(big_integer("id").auto_increment().primary_key())
            .col(big_integer("guide_id"))
            .col(text("xml_id"))
            // First name, or the id.
            .col(text("title"))
            .col(text("search_text"))
            // Names, icons and addresses.
            .col(text("content"))
            .to_owned();
        manager.create_table(channels).await?;
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        run("CREATE UNIQUE INDEX guide_channels_by_id ON guide_channels (guide_id, xml_id)").await?;
        let clustered = manager.get_database_backend() == DbBackend::Sqlite;
        run(&format!("{PROGRAMMES}{}", if clustered { " WITHOUT ROWID" } else { "" })).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in ["programmes", "guide_channels", "guide_staged", "guide_files", "guide_fetches"] {
            manager.drop_table(Table::drop().table(table).to_owned()).await?;
        }
        Ok(())
    }
}
