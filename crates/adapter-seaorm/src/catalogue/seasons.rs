//! The table of seasons.

use domain_catalogue::{Kind, Season};
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    ContentTable, Referrer,
    filters::{Condition, OF_TITLED},
};

/// A row.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel, Serialize, Deserialize)]
#[sea_orm(table_name = "seasons")]
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
    season_number: i32,
    title: Option<String>,
    title_key: String,
    cover_image_url: Option<String>,
    air_date: Option<Date>,
    episode_count: i64,
    active: bool,
    spanish_synopsis: Option<String>,
    english_synopsis: Option<String>,
}

/// References are plain columns.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl ContentTable for Entity {
    type Content = Season;
    const CONDITIONS: &'static [(&'static str, Condition)] = OF_TITLED;
    const COUNTED: &'static [&'static str] = &["tvShowId", "active"];
    const DATABASE_MANAGED: &'static [&'static str] = &["episode_count"];
    fn referrers() -> Vec<Referrer> {
        vec![Referrer {
            kind: Kind::Episodes,
            counted: "SELECT episode_count AS total FROM seasons WHERE id = ",
        }]
    }
}
