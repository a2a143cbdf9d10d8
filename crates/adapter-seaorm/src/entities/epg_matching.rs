//! Settings and state of the job that matches channels with guides, in one row.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "epg_matching")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) id: i64,
    pub(crate) version: i64,
    pub(crate) auto_score: i32,
    pub(crate) review_score: i32,
    pub(crate) lead_score: i32,
    pub(crate) automatic: bool,
    pub(crate) updated_by: Option<String>,
    pub(crate) state: String,
    pub(crate) attempt: i64,
    pub(crate) whole: bool,
    pub(crate) requested_by: Option<String>,
    pub(crate) guides_seen: String,
    pub(crate) finished_date: Option<DateTimeUtc>,
    pub(crate) counts: String,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
