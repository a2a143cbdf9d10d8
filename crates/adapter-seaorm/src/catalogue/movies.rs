//! The table of films.

use domain_catalogue::Movie;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    Condition, ContentTable,
    filters::{OF_PLAYABLE, OF_TITLES},
};

/// A row.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel, Serialize, Deserialize)]
#[sea_orm(table_name = "movies")]
#[serde(rename_all = "camelCase")]
pub struct Model {
    #[sea_orm(primary_key)]
    id: i64,
    version: i64,
    views: i64,
    created_date: DateTimeUtc,
    updated_date: DateTimeUtc,
    updated_by: Option<String>,
    natural_key: String,
    search_text: String,
    title: String,
    title_key: String,
    imdb_id: Option<String>,
    year: i32,
    release_date: Option<Date>,
    duration_minutes: i32,
    #[sea_orm(column_type = "Double")]
    rating: Option<f64>,
    actors: Option<String>,
    classification: String,
    #[sea_orm(column_type = "JsonBinary")]
    genres: Json,
    category_id: i64,
    cover_image_url: Option<String>,
    background_image_url: Option<String>,
    trailer_url: Option<String>,
    reference: Option<String>,
    active: bool,
    adult_content: bool,
    mono_audio: bool,
    english_only: bool,
    kids_content: bool,
    spanish_synopsis: Option<String>,
    english_synopsis: Option<String>,
    #[sea_orm(column_type = "JsonBinary")]
    links: Json,
}

/// References are plain columns.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl ContentTable for Entity {
    type Content = Movie;
    const CONDITIONS: &'static [(&'static str, Condition)] =
        &[OF_PLAYABLE[0], OF_PLAYABLE[1], OF_PLAYABLE[2], OF_PLAYABLE[3], OF_PLAYABLE[4], OF_TITLES];
    const COUNTED: &'static [&'static str] = &["categoryId", "active"];
}
