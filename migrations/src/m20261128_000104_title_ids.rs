//! Normalizes ids of the film database to at least seven digits: ids typed without leading zeros were
//! different ones for the search for duplicates and for imports.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let digits = "ltrim(substr(imdb_id, 3), '0')";
        let normal = format!("'tt' || substr('0000000', length({digits}) + 1) || {digits}");
        for table in ["movies", "tv_shows", "episodes"] {
            let update = format!(
                "UPDATE {table} SET imdb_id = {normal} WHERE imdb_id LIKE 'tt%' AND imdb_id <> {normal}"
            );
            manager.get_connection().execute_unprepared(&update).await?;
        }
        Ok(())
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Ok(())
    }
}
