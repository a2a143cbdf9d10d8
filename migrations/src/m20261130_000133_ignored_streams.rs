//! Whether a playlist entry was ignored before an operation made it a stream of a channel, so that the undo ignores it again.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let add = "ALTER TABLE applied_streams ADD COLUMN ignored boolean NOT NULL DEFAULT FALSE";
        manager.get_connection().execute_unprepared(add).await.map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let remove = "ALTER TABLE applied_streams DROP COLUMN ignored";
        manager.get_connection().execute_unprepared(remove).await.map(drop)
    }
}
