//! The list of bulk operations is sorted by when they ended and by their number of items.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // As SQLite orders them (migration 109).
        let nulls = if manager.get_database_backend() == DbBackend::Sqlite { "" } else { " NULLS FIRST" };
        let end = format!("finished_date{nulls}, id");
        for (name, columns) in
            [("bulk_operations_by_end", end.as_str()), ("bulk_operations_by_total", "total, id")]
        {
            let index = format!("CREATE INDEX {name} ON bulk_operations ({columns}) WHERE NOT dry_run");
            manager.get_connection().execute_unprepared(&index).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for name in ["bulk_operations_by_end", "bulk_operations_by_total"] {
            manager.get_connection().execute_unprepared(&format!("DROP INDEX {name}")).await?;
        }
        Ok(())
    }
}
