//! The account of a link, and hosts with the time of their next probe and the number of probes of the day.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let hosts = Table::create()
            .table("link_hosts")
            .col(text("host").primary_key())
            .col(timestamp_with_time_zone("free_at"))
            .col(date("day"))
            .col(big_integer("probes"))
            .to_owned();
        manager.create_table(hosts).await?;
        for statement in [
            "CREATE INDEX link_hosts_by_date ON link_hosts (free_at)",
            // Null until the link is synchronised again, empty without credentials.
            "ALTER TABLE links ADD COLUMN account text",
            "CREATE INDEX links_claimed ON links (host) WHERE claimed_until IS NOT NULL",
        ] {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for statement in
            ["DROP INDEX links_claimed", "ALTER TABLE links DROP COLUMN account", "DROP TABLE link_hosts"]
        {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }
}
