//! The time at which the service switched a channel or a station off.

use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // Unknown for existing rows.
        let column = timestamp_with_time_zone_null("since");
        manager.alter_table(Table::alter().table("link_switches").add_column(column).to_owned()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.alter_table(Table::alter().table("link_switches").drop_column("since").to_owned()).await
    }
}
