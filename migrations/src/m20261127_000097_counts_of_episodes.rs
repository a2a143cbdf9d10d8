//! Corrects the number of episodes of seasons: the restoration of a show, and a season created or imported
//! with a count, counted them twice.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Uses the unique index of a show's episodes.
const COUNT: &str = "(SELECT count(*) FROM episodes WHERE episodes.tv_show_id = seasons.tv_show_id \
     AND episodes.season_number = seasons.season_number)";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let update = format!("UPDATE seasons SET episode_count = {COUNT} WHERE episode_count <> {COUNT}");
        manager.get_connection().execute_unprepared(&update).await.map(drop)
    }

    async fn down(&self, _: &SchemaManager) -> Result<(), DbErr> {
        Ok(())
    }
}
