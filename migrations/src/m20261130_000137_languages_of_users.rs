//! The language in which a user is written to: `es`, `en`, or unknown.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let add_column = "ALTER TABLE users ADD COLUMN language text";
        manager.get_connection().execute_unprepared(add_column).await.map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let drop_column = "ALTER TABLE users DROP COLUMN language";
        manager.get_connection().execute_unprepared(drop_column).await.map(drop)
    }
}
