//! Links that are probed before overdue ones of their host: requested ones, and those waiting for the
//! deciding probe.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for statement in [
            "ALTER TABLE links ADD COLUMN probe_requested boolean NOT NULL DEFAULT FALSE",
            "CREATE INDEX links_requested ON links (host, next_probe) WHERE probe_requested",
            "CREATE INDEX links_in_doubt ON links (host, next_probe) WHERE state IN ('SUSPECT', 'RECOVERING')",
        ] {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for statement in [
            "DROP INDEX links_in_doubt",
            "DROP INDEX links_requested",
            "ALTER TABLE links DROP COLUMN probe_requested",
        ] {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }
}
