//! An undo that changed nothing does not count: its operation can be undone again.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        run("DROP INDEX bulk_operations_undone").await?;
        // While an undo runs, and once it changed something, no other one begins.
        run("CREATE UNIQUE INDEX bulk_operations_undone ON bulk_operations (undo_of) \
             WHERE undo_of IS NOT NULL AND NOT dry_run AND state NOT IN ('CANCELLED', 'FAILED') \
             AND (state <> 'FINISHED' OR changed > 0 OR created > 0)")
        .await
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        // The former index would refuse operations that were undone again.
        Ok(())
    }
}
