//! The list of bulk operations has pages and filters: the operations that are no dry runs, newest first.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const INDEXES: [(&str, &str); 4] = [
    ("bulk_operations_listed", "id"),
    ("bulk_operations_by_user", "lower(created_by), id"),
    ("bulk_operations_by_kind", "kind, id"),
    ("bulk_operations_by_state", "state, id"),
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let db = manager.get_connection();
        // Its operations are those of a user as they wrote their name, and dry runs too.
        db.execute_unprepared("DROP INDEX bulk_operations_by_user").await?;
        for (name, columns) in INDEXES {
            let index = format!("CREATE INDEX {name} ON bulk_operations ({columns}) WHERE NOT dry_run");
            db.execute_unprepared(&index).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let db = manager.get_connection();
        for (name, _) in INDEXES {
            db.execute_unprepared(&format!("DROP INDEX {name}")).await?;
        }
        let index = "CREATE INDEX bulk_operations_by_user ON bulk_operations (created_by, id)";
        db.execute_unprepared(index).await.map(drop)
    }
}
