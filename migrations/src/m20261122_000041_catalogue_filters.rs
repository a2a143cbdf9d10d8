//! The last author of items, and the indexes of the catalogue's filters: genre, classification, missing
//! fields, alternative names.

use sea_orm::DbBackend;
use sea_orm_migration::{prelude::*, schema::*};

use crate::content::{IndexParts, Media, genre_index, media_indexes};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

const TABLES: [&str; 11] = [
    "categories",
    "tv_guides",
    "tv_channels",
    "radio_stations",
    "documentaries",
    "movies",
    "concerts",
    "sports",
    "tv_shows",
    "seasons",
    "episodes",
];

const MEDIA: [&str; 5] = ["movies", "documentaries", "concerts", "sports", "tv_shows"];

fn indexes(backend: DbBackend) -> Vec<(&'static str, IndexParts)> {
    let mut all = Vec::new();
    for table in MEDIA {
        let media = Media { links: table != "tv_shows", classification: table != "concerts" };
        all.extend(media_indexes(backend, media).into_iter().map(|parts| (table, parts)));
    }
    for table in ["movies", "tv_shows"] {
        all.push((table, ("by_imdb_id", "(imdb_id)", "WHERE imdb_id IS NOT NULL")));
    }
    all.push(("radio_stations", genre_index(backend)));
    all.push(("tv_channels", ("by_url", "(url)", "")));
    all.push(("tv_channels", ("without_logo", "(id, active)", "WHERE image_url IS NULL")));
    all.push(("tv_channels", ("without_guide", "(id, active)", "WHERE tv_guide_id IS NULL")));
    all
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in TABLES {
            let column = Table::alter().table(table).add_column(text_null("updated_by")).to_owned();
            manager.alter_table(column).await?;
        }
        for (table, (name, on, condition)) in indexes(manager.get_database_backend()) {
            let sql = format!("CREATE INDEX {table}_{name} ON {table} {on} {condition}");
            manager.get_connection().execute_unprepared(&sql).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (table, (name, ..)) in indexes(manager.get_database_backend()) {
            manager.get_connection().execute_unprepared(&format!("DROP INDEX {table}_{name}")).await?;
        }
        for table in TABLES {
            let column = Table::alter().table(table).drop_column("updated_by").to_owned();
            manager.alter_table(column).await?;
        }
        Ok(())
    }
}
