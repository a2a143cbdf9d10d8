//! Default values of imported items for missing cells.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let add = "ALTER TABLE bulk_operations ADD COLUMN sheet_defaults text NULL";
        manager.get_connection().execute_unprepared(add).await.map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let drop_column = "ALTER TABLE bulk_operations DROP COLUMN sheet_defaults";
        manager.get_connection().execute_unprepared(drop_column).await.map(drop)
    }
}
