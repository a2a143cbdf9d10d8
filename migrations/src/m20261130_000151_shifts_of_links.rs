//! The shift that a user gave a channel against its channel of the guide, in minutes.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let add = "ALTER TABLE epg_decisions ADD COLUMN shift_minutes integer";
        manager.get_connection().execute_unprepared(add).await.map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let drop_column = "ALTER TABLE epg_decisions DROP COLUMN shift_minutes";
        manager.get_connection().execute_unprepared(drop_column).await.map(drop)
    }
}
