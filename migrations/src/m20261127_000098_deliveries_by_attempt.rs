//! An index of deliveries by their last attempt: an old delivery may be attempted after a newer one.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        replace(manager, "(webhook_id, last_attempt_at, id) WHERE last_attempt_at IS NOT NULL").await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        replace(manager, "(webhook_id, id) WHERE attempts > 0").await
    }
}

async fn replace(manager: &SchemaManager<'_>, columns: &str) -> Result<(), DbErr> {
    let connection = manager.get_connection();
    connection.execute_unprepared("DROP INDEX IF EXISTS webhook_deliveries_tried").await?;
    let create = format!("CREATE INDEX webhook_deliveries_tried ON webhook_deliveries {columns}");
    connection.execute_unprepared(&create).await.map(drop)
}
