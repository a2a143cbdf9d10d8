//! The newest fetch of each TV guide, and its settings.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "guide_fetches")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) guide_id: i64,
    pub(crate) version: i64,
    pub(crate) refresh_hours: i32,
    pub(crate) zone: String,
    pub(crate) shift_minutes: i32,
    pub(crate) priority: i32,
    pub(crate) state: String,
    pub(crate) attempt: i64,
    pub(crate) upload: Option<i64>,
    pub(crate) file_name: Option<String>,
    pub(crate) requested_by: Option<String>,
    pub(crate) fault: Option<String>,
    pub(crate) status_code: Option<i32>,
    pub(crate) url: Option<String>,
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
    pub(crate) finished_date: Option<DateTimeUtc>,
    pub(crate) last_good_date: Option<DateTimeUtc>,
    pub(crate) next_fetch_date: Option<DateTimeUtc>,
    pub(crate) stale_since: Option<DateTimeUtc>,
    pub(crate) newest_at: Option<i64>,
    pub(crate) counts: String,
    pub(crate) examples: String,
    pub(crate) channels_version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
