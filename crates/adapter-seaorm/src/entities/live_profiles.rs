//! Profiles of published playlists.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "live_profiles")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) version: i64,
    pub(crate) name: String,
    pub(crate) name_key: String,
    pub(crate) user_id: Option<i64>,
    pub(crate) key_id: Option<i64>,
    pub(crate) categories: String,
    pub(crate) adult_content: bool,
    pub(crate) only_playing: bool,
    pub(crate) channel_order: String,
    pub(crate) numbering: String,
    pub(crate) guide_days: i32,
    pub(crate) calls_per_minute: i64,
    pub(crate) secret_hash: Option<String>,
    pub(crate) hint: String,
    pub(crate) updated_by: String,
    pub(crate) created_date: DateTimeUtc,
    pub(crate) updated_date: DateTimeUtc,
    pub(crate) revoked_date: Option<DateTimeUtc>,
    pub(crate) last_used_date: Option<DateTimeUtc>,
    pub(crate) calls: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
