//! Who wrote an item last, and the indexes of the catalogue's filters: genre, classification, what is missing, names that
//! others know an item by.
//!
//! The conditions of the partial indexes are those of `adapter-seaorm/src/contents/filters.rs`, without the alias. The
//! facets come along, so that filters together are counted in the index.

use sea_orm::DbBackend;
use sea_orm_migration::{prelude::*, schema::*};

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

/// The name of an index without its table's, what it is on, and its condition.
type Part = (&'static str, &'static str, &'static str);

const MISSING: [Part; 3] = [
    ("without_cover", "(id, category_id, active)", "WHERE cover_image_url IS NULL"),
    ("without_spanish_synopsis", "(id, category_id, active)", "WHERE spanish_synopsis IS NULL"),
    ("without_english_synopsis", "(id, category_id, active)", "WHERE english_synopsis IS NULL"),
];

fn indexes(backend: DbBackend) -> Vec<(&'static str, Part)> {
    let is_sqlite = backend == DbBackend::Sqlite;
    let genres: Part = if is_sqlite {
        ("by_genres", "(genres)", "")
    } else {
        ("by_genres", "USING gin (genres jsonb_path_ops)", "")
    };
    let without_links: Part = (
        "without_links",
        "(id, category_id, active)",
        if is_sqlite {
            r#"WHERE instr(links, '"active":true') = 0"#
        } else {
            r#"WHERE NOT links @> CAST('[{"active": true}]' AS jsonb)"#
        },
    );
    let mut all = Vec::new();
    for table in MEDIA {
        all.extend(MISSING.map(|part| (table, part)));
        all.push((table, genres));
        if table != "tv_shows" {
            all.push((table, without_links));
        }
        if table != "concerts" {
            all.push((table, ("by_classification", "(classification, id, category_id, active)", "")));
        }
    }
    for table in ["movies", "tv_shows"] {
        all.push((table, ("by_imdb_id", "(imdb_id)", "WHERE imdb_id IS NOT NULL")));
    }
    all.push(("radio_stations", genres));
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
