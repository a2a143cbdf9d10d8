//! Links that wait for the probe that decides: found before those of their host that are overdue.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let create = "CREATE INDEX links_in_doubt ON links (host, next_probe) WHERE state IN ('SUSPECT', 'RECOVERING')";
        manager.get_connection().execute_unprepared(create).await.map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared("DROP INDEX links_in_doubt").await.map(drop)
    }
}
