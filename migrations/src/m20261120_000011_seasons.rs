//! Seasons.

use sea_orm_migration::{prelude::*, schema::*};

use crate::content::{Content, key};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const SEASONS: Content = Content {
    table: "seasons",
    sorts: &["season_number", "title_key", "active"],
    facets: &[("tv_show_id", "bigint"), ("active", "boolean")],
};

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let mut table = SEASONS.columns(backend);
        table
            .col(big_integer("tv_show_id"))
            .col(integer("season_number"))
            .col(text_null("title"))
            .col(key("title_key", backend))
            .col(text_null("cover_image_url"))
            .col(date_null("air_date"))
            .col(big_integer("episode_count"))
            .col(boolean("active"))
            .col(text_null("spanish_synopsis"))
            .col(text_null("english_synopsis"))
            .foreign_key(
                ForeignKey::create()
                    .name("seasons_show")
                    .from("seasons", "tv_show_id")
                    .to("tv_shows", "id")
                    .on_delete(ForeignKeyAction::Cascade),
            );
        manager.create_table(table).await?;
        let once = "CREATE UNIQUE INDEX seasons_once ON seasons (tv_show_id, season_number)";
        manager.get_connection().execute_unprepared(once).await?;
        SEASONS.create_indexes(manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        SEASONS.drop(manager).await
    }
}
