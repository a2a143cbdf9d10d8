//! Sources of playlists.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "playlist_sources")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) version: i64,
    pub(crate) title: String,
    pub(crate) title_key: String,
    pub(crate) search_text: String,
    pub(crate) url: Option<String>,
    pub(crate) refresh_hours: Option<i32>,
    pub(crate) automatic: String,
    pub(crate) default_category_id: Option<i64>,
    pub(crate) categories: String,
    pub(crate) first_number: i32,
    pub(crate) radio_country: Option<String>,
    pub(crate) radio_genre: Option<String>,
    pub(crate) active: bool,
    pub(crate) updated_by: String,
    pub(crate) created_date: DateTimeUtc,
    pub(crate) updated_date: DateTimeUtc,
    pub(crate) next_refresh_date: Option<DateTimeUtc>,
    pub(crate) etag: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
