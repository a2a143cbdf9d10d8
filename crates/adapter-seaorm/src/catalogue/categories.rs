//! The table of categories.

use domain_catalogue::{Category, Kind};
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use super::{ContentTable, Referrer, ReferringColumn};

/// A row.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel, Serialize, Deserialize)]
#[sea_orm(table_name = "categories")]
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
    description: String,
    description_key: String,
    english_description: String,
    english_description_key: String,
    r#type: String,
    active: bool,
}

/// References are plain columns.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl ContentTable for Entity {
    type Content = Category;
    const COUNTED: &'static [&'static str] = &["type", "active"];
    const REFERENCED_BY: &'static [Referrer] = &[
        Referrer {
            kind: Kind::TvChannels,
            counted: "SELECT count(*) AS total FROM tv_channel_categories WHERE category_id = ",
            by: Some(ReferringColumn::Categories),
        },
        Referrer {
            kind: Kind::Documentaries,
            counted: "SELECT CAST(coalesce(sum(total), 0) AS bigint) AS total FROM documentaries_counts WHERE category_id = ",
            by: Some(ReferringColumn::Id("category_id")),
        },
        Referrer {
            kind: Kind::Movies,
            counted: "SELECT CAST(coalesce(sum(total), 0) AS bigint) AS total FROM movies_counts WHERE category_id = ",
            by: Some(ReferringColumn::Id("category_id")),
        },
        Referrer {
            kind: Kind::Concerts,
            counted: "SELECT CAST(coalesce(sum(total), 0) AS bigint) AS total FROM concerts_counts WHERE category_id = ",
            by: Some(ReferringColumn::Id("category_id")),
        },
        Referrer {
            kind: Kind::Sports,
            counted: "SELECT CAST(coalesce(sum(total), 0) AS bigint) AS total FROM sports_counts WHERE category_id = ",
            by: Some(ReferringColumn::Id("category_id")),
        },
        Referrer {
            kind: Kind::TvShows,
            counted: "SELECT CAST(coalesce(sum(total), 0) AS bigint) AS total FROM tv_shows_counts WHERE category_id = ",
            by: Some(ReferringColumn::Id("category_id")),
        },
    ];
}
