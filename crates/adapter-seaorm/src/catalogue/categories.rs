//! The table of categories.

use domain_catalogue::{Category, Content, Kind};
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Condition, ContentTable, Referrer};

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
    const CONDITIONS: &'static [(&'static str, Condition)] =
        &[("startsWith", Condition::Prefix("description_key"))];
    const COUNTED: &'static [&'static str] = &["type", "active"];
    fn referrers() -> Vec<Referrer> {
        // A channel has several categories; other content has one, and its rows are counted by
        // category.
        let mut referrers = vec![Referrer {
            kind: Kind::TvChannels,
            counted: "SELECT count(*) AS total FROM tv_channel_categories WHERE category_id = ",
        }];
        macro_rules! with_one_category {
            ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
                $(if domain_catalogue::$type::FOREIGN_KEYS.contains(&("categoryId", Kind::Categories)) {
                    referrers.push(Referrer {
                        kind: Kind::$kind,
                        counted: concat!(
                            "SELECT CAST(coalesce(sum(total), 0) AS bigint) AS total FROM ",
                            stringify!($field),
                            "_counts WHERE category_id = "
                        ),
                    });
                })+
            };
        }
        domain_catalogue::for_each_kind!(with_one_category);
        referrers
    }
}
