//! Channels and stations that the service has switched off because no link of theirs plays.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let switches = Table::create()
            .table("link_switches")
            // The path of the kind of content, and the item. No foreign key: kinds have tables of their own.
            .col(text("owner"))
            .col(big_integer("item_id"))
            // The version that it has since: with another one, somebody has changed it.
            .col(big_integer("version"))
            .primary_key(Index::create().col("owner").col("item_id"))
            .to_owned();
        manager.create_table(switches).await?;
        let added = "ALTER TABLE links ADD COLUMN switched_off boolean NOT NULL DEFAULT FALSE";
        manager.get_connection().execute_unprepared(added).await.map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared("ALTER TABLE links DROP COLUMN switched_off").await?;
        manager.drop_table(Table::drop().table("link_switches").to_owned()).await
    }
}
