//! The table of live TV channels.

use domain_catalogue::TvChannel;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Condition, ContentTable};

/// A row.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel, Serialize, Deserialize)]
#[sea_orm(table_name = "tv_channels")]
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
    channel_number: i32,
    title: String,
    title_key: String,
    tv_guide_id: Option<i64>,
    #[sea_orm(column_type = "JsonBinary")]
    categories: Json,
    epg_id: Option<String>,
    image_url: Option<String>,
    active: bool,
    adult_content: bool,
    kids_content: bool,
    url_type: String,
    url: String,
}

/// References are plain columns.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl ContentTable for Entity {
    type Content = TvChannel;
    const CONDITIONS: &'static [(&'static str, Condition)] = &[
        (
            "duplicated",
            Condition::Flag(
                "EXISTS (SELECT 1 FROM tv_channels o WHERE o.channel_number = m.channel_number AND o.id <> m.id)",
            ),
        ),
        (
            "categoryId",
            Condition::Compared(
                "m.id IN (SELECT c.channel_id FROM tv_channel_categories c WHERE c.category_id",
            ),
        ),
        ("sameAddress", Condition::Duplicated),
        ("startsWith", Condition::Prefix("title_key")),
        ("url", Condition::Address(&[("m.url", "m.url")])),
        (
            "missing",
            Condition::Codes(&[
                ("LOGO", "m.image_url IS NULL", "m.image_url IS NULL"),
                ("GUIDE", "m.tv_guide_id IS NULL", "m.tv_guide_id IS NULL"),
            ]),
        ),
    ];
}
