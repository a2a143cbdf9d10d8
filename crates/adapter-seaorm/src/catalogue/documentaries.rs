//! The table of documentaries.

use domain_catalogue::Documentary;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Condition, ContentTable, filters::OF_PLAYABLE};

/// A row.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel, Serialize, Deserialize)]
#[sea_orm(table_name = "documentaries")]
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
    year: i32,
    release_date: Option<Date>,
    duration_minutes: i32,
    classification: String,
    #[sea_orm(column_type = "JsonBinary")]
    genres: Json,
    category_id: i64,
    cover_image_url: Option<String>,
    background_image_url: Option<String>,
    trailer_url: Option<String>,
    reference: Option<String>,
    active: bool,
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
    type Content = Documentary;
    const CONDITIONS: &'static [(&'static str, Condition)] = OF_PLAYABLE;
    const COUNTED: &'static [&'static str] = &["categoryId", "active"];
}
