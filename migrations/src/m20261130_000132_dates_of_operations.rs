//! The list of bulk operations is filtered by when they were started.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let index =
            "CREATE INDEX bulk_operations_by_date ON bulk_operations (created_date, id) WHERE NOT dry_run";
        manager.get_connection().execute_unprepared(index).await.map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared("DROP INDEX bulk_operations_by_date").await.map(drop)
    }
}
