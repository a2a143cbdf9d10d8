//! A link for each stream of a channel, and profiles that omit channels whose streams are down.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for statement in [
            "ALTER TABLE live_profiles ADD COLUMN only_playing boolean NOT NULL DEFAULT FALSE",
            // Number of the stream; 0 for the only one.
            "ALTER TABLE links ADD COLUMN stream bigint NOT NULL DEFAULT 0",
            "ALTER TABLE links ADD COLUMN position integer NOT NULL DEFAULT 0",
            "ALTER TABLE links ADD COLUMN label text",
            "DROP INDEX links_by_item",
            "CREATE UNIQUE INDEX links_by_item ON links (owner, item_id, stream)",
        ] {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for statement in [
            "DELETE FROM links WHERE position > 0",
            "DROP INDEX links_by_item",
            "ALTER TABLE links DROP COLUMN label",
            "ALTER TABLE links DROP COLUMN position",
            "ALTER TABLE links DROP COLUMN stream",
            "CREATE UNIQUE INDEX links_by_item ON links (owner, item_id)",
            "ALTER TABLE live_profiles DROP COLUMN only_playing",
        ] {
            manager.get_connection().execute_unprepared(statement).await?;
        }
        Ok(())
    }
}
