//! The digest of an item's first URL as a column on `PostgreSQL`, for the search for duplicates: there is no
//! index-only scan of an expression there, so the rows of a million items would be read. SQLite uses the
//! index of the expression (migration 43).

use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Kinds that are compared by their first URL.
const COMPARED: [&str; 4] = ["movies", "documentaries", "concerts", "sports"];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        if manager.get_database_backend() == DbBackend::Sqlite {
            return Ok(());
        }
        let db = manager.get_connection();
        for table in COMPARED {
            let column = "first_link text GENERATED ALWAYS AS (md5(links->0->>'url')) STORED";
            db.execute_unprepared(&format!("ALTER TABLE {table} ADD COLUMN {column}")).await?;
            let on = format!("{table} (first_link, id) WHERE first_link IS NOT NULL");
            db.execute_unprepared(&format!("CREATE INDEX {table}_by_first_address ON {on}")).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        if manager.get_database_backend() == DbBackend::Sqlite {
            return Ok(());
        }
        for table in COMPARED {
            let sql = format!("ALTER TABLE {table} DROP COLUMN first_link");
            manager.get_connection().execute_unprepared(&sql).await?;
        }
        Ok(())
    }
}
