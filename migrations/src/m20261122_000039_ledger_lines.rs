//! An index of the ledger by operations for lists by date, counts and totals.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let sql = "CREATE INDEX entries_by_leg ON entries (leg, operation_date, id, account, delta, performer_id) \
                   WHERE user_id IS NOT NULL";
        manager.get_connection().execute_unprepared(sql).await.map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared("DROP INDEX entries_by_leg").await.map(drop)
    }
}
