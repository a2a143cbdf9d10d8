//! The table of TV shows.

use domain_catalogue::TvShow;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    Condition, ContentTable,
    filters::{OF_MEDIA, OF_TITLES},
};

/// A row.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel, Serialize, Deserialize)]
#[sea_orm(table_name = "tv_shows")]
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
    first_air_date: Option<Date>,
    last_air_date: Option<Date>,
    total_seasons: Option<i32>,
    total_episodes: Option<i32>,
    #[sea_orm(column_type = "Double")]
    rating: Option<f64>,
    actors: Option<String>,
    creators: Option<String>,
    status: Option<String>,
    classification: Option<String>,
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
}

/// References are plain columns.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl ContentTable for Entity {
    type Content = TvShow;
    const CONDITIONS: &'static [(&'static str, Condition)] =
        &[OF_MEDIA[0], OF_MEDIA[1], OF_MEDIA[2], OF_MEDIA[3], OF_TITLES];
    const COUNTED: &'static [&'static str] = &["categoryId", "active"];
}
