//! Pause of a webhook whose receiver fails for a day: time and number of the failures, and the last reason.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        let date = match manager.get_database_backend() {
            sea_orm::DbBackend::Sqlite => "timestamp_with_timezone_text",
            _ => "timestamp with time zone",
        };
        run("ALTER TABLE webhooks ADD COLUMN failures integer NOT NULL DEFAULT 0").await?;
        run(&format!("ALTER TABLE webhooks ADD COLUMN failing_since {date}")).await?;
        run(&format!("ALTER TABLE webhooks ADD COLUMN paused_date {date}")).await?;
        run("ALTER TABLE webhooks ADD COLUMN pause_fault text").await?;
        run("ALTER TABLE webhooks ADD COLUMN pause_status_code integer").await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        for column in ["failures", "failing_since", "paused_date", "pause_fault", "pause_status_code"] {
            run(&format!("ALTER TABLE webhooks DROP COLUMN {column}")).await?;
        }
        Ok(())
    }
}
