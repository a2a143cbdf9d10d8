//! The table of radio stations.

use domain_catalogue::RadioStation;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Condition, ContentTable, filters::OF_COMPARED};

/// A row.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel, Serialize, Deserialize)]
#[sea_orm(table_name = "radio_stations")]
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
    code: String,
    code_key: String,
    station_name: String,
    station_name_key: String,
    station_logo: Option<String>,
    country: String,
    country_key: String,
    #[sea_orm(column_type = "JsonBinary")]
    genres: Json,
    stream_url: String,
    active: bool,
}

/// References are plain columns.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl ContentTable for Entity {
    type Content = RadioStation;
    const CONDITIONS: &'static [(&'static str, Condition)] = &[
        ("startsWith", Condition::Prefix("station_name_key")),
        ("genre", Condition::Contains("genres")),
        ("streamUrl", Condition::Address(&[("m.stream_url", "m.stream_url")])),
        ("country", Condition::Folded("country_key")),
        ("code", Condition::Lower("natural_key")),
        ("missing", Condition::Codes(&[("LOGO", "m.station_logo IS NULL", "m.station_logo IS NULL")])),
        OF_COMPARED,
    ];
}
