//! Runs: fetched or uploaded playlists, and their results.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "playlist_runs")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) source_id: i64,
    pub(crate) state: String,
    pub(crate) scheduled: bool,
    pub(crate) file_name: Option<String>,
    pub(crate) accept_loss: bool,
    pub(crate) attempt: i64,
    pub(crate) created_by: Option<String>,
    pub(crate) created_date: DateTimeUtc,
    pub(crate) finished_date: Option<DateTimeUtc>,
    pub(crate) fault: Option<String>,
    pub(crate) status_code: Option<i32>,
    pub(crate) limit_value: Option<i64>,
    pub(crate) counts: String,
    pub(crate) guides: String,
    pub(crate) operations: String,
    pub(crate) waits_for_apply: bool,
    pub(crate) apply_fault: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
