//! The IMDb ids that rows of an imported file assign: a preview, which adds nothing, identifies later rows by
//! them.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for sql in [
            "ALTER TABLE bulk_operation_rows ADD COLUMN sheet_imdb_id text NULL",
            "CREATE INDEX bulk_operation_rows_by_imdb_id ON bulk_operation_rows (operation_id, sheet_imdb_id) \
             WHERE sheet_imdb_id IS NOT NULL",
        ] {
            manager.get_connection().execute_unprepared(sql).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for sql in [
            "DROP INDEX bulk_operation_rows_by_imdb_id",
            "ALTER TABLE bulk_operation_rows DROP COLUMN sheet_imdb_id",
        ] {
            manager.get_connection().execute_unprepared(sql).await?;
        }
        Ok(())
    }
}
