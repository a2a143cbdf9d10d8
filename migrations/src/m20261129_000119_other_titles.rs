//! A search of the schedule looks in all titles of a programme. `search_text` stays what showings of one title are found by.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Titles are folded by the program. A blank behind the details of programmes with further titles, where JSON allows it, makes the next
/// fetch write them once; `t` has them, written by the program or by PostgreSQL.
const WRITTEN_ANEW: &str = "UPDATE programmes SET details = details || ' ' \
     WHERE details LIKE '%\"t\":[%' OR details LIKE '%\"t\": [%'";
/// A guide that did not change since is read once more.
const READ_ANEW: &str = "UPDATE guide_fetches SET etag = NULL, last_modified = NULL";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        connection.execute_unprepared("ALTER TABLE programmes ADD COLUMN other_titles text").await?;
        connection.execute_unprepared(WRITTEN_ANEW).await?;
        connection.execute_unprepared(READ_ANEW).await.map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let drop_column = "ALTER TABLE programmes DROP COLUMN other_titles";
        manager.get_connection().execute_unprepared(drop_column).await.map(drop)
    }
}
