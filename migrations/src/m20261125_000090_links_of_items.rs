//! Links of on-demand items, stored once they are requested or reported.

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let is_sqlite = manager.get_database_backend() == DbBackend::Sqlite;
        let date = if is_sqlite { "timestamp_with_timezone_text" } else { "timestamp with time zone" };
        for statement in [
            // Null for channels and stations, whose links are all probed.
            &format!("ALTER TABLE links ADD COLUMN requested_at {date}"),
            // Id of the link within its item; empty for channels and stations, whose streams have numbers.
            "ALTER TABLE links ADD COLUMN link_key text NOT NULL DEFAULT ''",
            "DROP INDEX links_by_item",
            "CREATE UNIQUE INDEX links_by_item ON links (owner, item_id, stream, link_key)",
            "CREATE INDEX links_by_request ON links (requested_at) WHERE requested_at IS NOT NULL",
        ] {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for statement in [
            "DELETE FROM links WHERE requested_at IS NOT NULL",
            "DROP INDEX links_by_request",
            "DROP INDEX links_by_item",
            "ALTER TABLE links DROP COLUMN link_key",
            "ALTER TABLE links DROP COLUMN requested_at",
            "CREATE UNIQUE INDEX links_by_item ON links (owner, item_id, stream)",
        ] {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }
}
