//! Text keys for the items of bulk operations: users are identified by their user names.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        run("ALTER TABLE bulk_operation_rows ADD COLUMN item text NOT NULL DEFAULT ''").await?;
        run("UPDATE bulk_operation_rows SET item = CAST(item_id AS text)").await?;
        run("DROP INDEX bulk_operation_rows_by_item").await?;
        run("ALTER TABLE bulk_operation_rows DROP COLUMN item_id").await?;
        run("CREATE INDEX bulk_operation_rows_by_item ON bulk_operation_rows (operation_id, item)").await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        Err(DbErr::Migration(format!(
            "user names are no numbers: restore a backup ({:?})",
            manager.get_database_backend()
        )))
    }
}
