//! Results of probes by day, for each link and each host.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let of_links = Table::create()
            .table("link_days")
            .col(big_integer("link_id"))
            .col(date("day"))
            .col(integer("good"))
            .col(integer("failed"))
            .primary_key(Index::create().col("link_id").col("day"))
            .foreign_key(
                ForeignKey::create()
                    .name("link_days_link_id")
                    .from("link_days", "link_id")
                    .to("links", "id")
                    .on_delete(ForeignKeyAction::Cascade),
            )
            .to_owned();
        manager.create_table(of_links).await?;
        // Summed up, because a host has thousands of links.
        let of_hosts = Table::create()
            .table("link_host_days")
            .col(text("host"))
            .col(date("day"))
            .col(integer("good"))
            .col(integer("failed"))
            .primary_key(Index::create().col("host").col("day"))
            .to_owned();
        manager.create_table(of_hosts).await?;
        for index in [
            "CREATE INDEX link_days_by_date ON link_days (day)",
            "CREATE INDEX link_host_days_by_date ON link_host_days (day)",
        ] {
            manager.get_connection().execute_unprepared(index).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in ["link_host_days", "link_days"] {
            manager.drop_table(Table::drop().table(table).to_owned()).await?;
        }
        Ok(())
    }
}
