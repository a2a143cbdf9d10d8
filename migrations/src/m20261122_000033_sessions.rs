//! Sessions listed for their users: address, device and last use.

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
        run("ALTER TABLE sessions DROP COLUMN state").await?;
        run("ALTER TABLE sessions ADD COLUMN address text").await?;
        run("ALTER TABLE sessions ADD COLUMN device text").await?;
        // Null for older sessions, whose last use is their start.
        run(&format!("ALTER TABLE sessions ADD COLUMN last_used_date {date}")).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let run = async |sql: &str| manager.get_connection().execute_unprepared(sql).await.map(drop);
        run("ALTER TABLE sessions ADD COLUMN state text NOT NULL DEFAULT '{}'").await?;
        for column in ["address", "device", "last_used_date"] {
            run(&format!("ALTER TABLE sessions DROP COLUMN {column}")).await?;
        }
        Ok(())
    }
}
