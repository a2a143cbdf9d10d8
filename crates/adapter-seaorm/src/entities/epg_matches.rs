//! Candidates and decisions for the guides of channels.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "epg_matches")]
pub(crate) struct Model {
    /// The ID of the channel.
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) id: i64,
    pub(crate) version: i64,
    pub(crate) level: String,
    pub(crate) score: i32,
    pub(crate) guide_id: Option<i64>,
    pub(crate) reasons: String,
    pub(crate) clear: bool,
    pub(crate) candidates: String,
    pub(crate) seen_version: i64,
    pub(crate) decision: Option<String>,
    pub(crate) decided_by: Option<String>,
    pub(crate) decided_date: Option<DateTimeUtc>,
    pub(crate) matched_date: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
