//! The table of TV guides.

use domain_catalogue::{Kind, TvGuide};
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Condition, ContentTable, Referrer};

/// A row.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel, Serialize, Deserialize)]
#[sea_orm(table_name = "tv_guides")]
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
    url: String,
    active: bool,
    gzip: bool,
}

/// References are plain columns.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl ContentTable for Entity {
    type Content = TvGuide;
    const CONDITIONS: &'static [(&'static str, Condition)] =
        &[("startsWith", Condition::Prefix("title_key"))];
    fn referrers() -> Vec<Referrer> {
        vec![Referrer {
            kind: Kind::TvChannels,
            counted: "SELECT count(*) AS total FROM tv_channels WHERE tv_guide_id = ",
        }]
    }
}
