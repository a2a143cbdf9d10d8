//! Films.

use sea_orm_migration::{prelude::*, schema::*};

use crate::content::{Content, key};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const MOVIES: Content = Content {
    table: "movies",
    sorts: &["title_key", "year", "views", "active"],
    facets: &[("category_id", "bigint"), ("active", "boolean")],
};

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let mut table = MOVIES.columns(backend);
        table
            .col(text("title"))
            .col(key("title_key", backend))
            .col(text_null("imdb_id"))
            .col(integer("year"))
            .col(date_null("release_date"))
            .col(integer("duration_minutes"))
            .col(double_null("rating"))
            .col(text_null("actors"))
            .col(text("classification"))
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
            // Wide columns last, so that reading the narrow ones skips their pages.
            .col(text_null("spanish_synopsis"))
            .col(text_null("english_synopsis"))
            .col(json_binary("links"))
            .foreign_key(
                ForeignKey::create()
                    .name("movies_category")
                    .from("movies", "category_id")
                    .to("categories", "id")
                    .on_delete(ForeignKeyAction::Restrict),
            );
        manager.create_table(table).await?;
        MOVIES.create_indexes(manager).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        MOVIES.drop(manager).await
    }
}
