//! The log of backups.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table("backups")
                    .col(big_integer("id").auto_increment().primary_key())
                    .col(text("origin"))
                    .col(text_null("requested_by"))
                    .col(text("state"))
                    .col(text_null("file_name"))
                    .col(timestamp_with_time_zone("created_date"))
                    .col(timestamp_with_time_zone_null("finished_date"))
                    .col(big_integer_null("duration_ms"))
                    .col(big_integer_null("size"))
                    .col(text_null("detail"))
                    .to_owned(),
            )
            .await?;
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        run("CREATE INDEX backups_by_state ON backups (state, created_date)").await?;
        run("CREATE INDEX backups_by_date ON backups (created_date)").await?;
        // At most one backup is unfinished.
        run("CREATE UNIQUE INDEX backups_unfinished ON backups ((finished_date IS NULL)) WHERE finished_date IS NULL")
            .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table("backups").to_owned()).await
    }
}
