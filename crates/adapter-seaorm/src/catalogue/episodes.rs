//! The table of episodes.

use domain_catalogue::Episode;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    ContentTable,
    filters::{Condition, OF_COMPARED, OF_LINKS, OF_TITLED},
};

/// A row.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel, Serialize, Deserialize)]
#[sea_orm(table_name = "episodes")]
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
    tv_show_id: i64,
    imdb_id: Option<String>,
    season_number: i32,
    episode_number: i32,
    title: String,
    title_key: String,
    air_date: Option<Date>,
    duration_minutes: i32,
    #[sea_orm(column_type = "Double")]
    rating: Option<f64>,
    cover_image_url: Option<String>,
    active: bool,
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
    type Content = Episode;
    const CONDITIONS: &'static [(&'static str, Condition)] =
        &[OF_LINKS[0], OF_TITLED[0], OF_TITLED[1], OF_COMPARED, ("titleOrNumber", Condition::TitleOrNumber)];
    const COUNTED: &'static [&'static str] = &["tvShowId", "active"];
}
