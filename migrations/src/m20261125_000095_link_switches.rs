//! Channels and stations switched off by the service while none of their links plays.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let switches = Table::create()
            .table("link_switches")
            // Path of the kind, and item id. No foreign key, because each kind has its own table.
            .col(text("owner"))
            .col(big_integer("item_id"))
            // Version after the switch; another one means a change by a user.
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
