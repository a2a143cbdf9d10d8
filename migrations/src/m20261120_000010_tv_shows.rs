//! TV shows.

use sea_orm_migration::{prelude::*, schema::*};

use crate::content::{Content, key};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const TV_SHOWS: Content = Content {
    table: "tv_shows",
    sorts: &["title_key", "year", "total_episodes", "views", "active"],
    facets: &[("category_id", "bigint"), ("active", "boolean")],
};

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let mut table = TV_SHOWS.columns(backend);
        table
            .col(text("title"))
            .col(key("title_key", backend))
            .col(text_null("imdb_id"))
            .col(integer("year"))
            .col(date_null("first_air_date"))
            .col(date_null("last_air_date"))
            .col(integer_null("total_seasons"))
            .col(integer_null("total_episodes"))
            .col(double_null("rating"))
            .col(text_null("actors"))
            .col(text_null("creators"))
            .col(text_null("status"))
            .col(text_null("classification"))
            .col(json_binary("genres"))
            .col(big_integer("category_id"))
            .col(text_null("cover_image_url"))
            .col(text_null("background_image_url"))
            .col(text_null("trailer_url"))
            .col(text_null("reference"))
            .col(boolean("active"))
            .col(boolean("adult_content"))
            .col(boolean("mono_audio"))
            .col(boolean("english_only"))
            .col(boolean("kids_content"))
            .col(text_null("spanish_synopsis"))
            .col(text_null("english_synopsis"))
            .foreign_key(
                ForeignKey::create()
                    .name("tv_shows_category")
                    .from("tv_shows", "category_id")
                    .to("categories", "id")
                    .on_delete(ForeignKeyAction::Restrict),
            );
        manager.create_table(table).await?;
        TV_SHOWS.create_indexes(manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        TV_SHOWS.drop(manager).await
    }
}
