//! Decisions about the guides of channels, with their explanations.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "epg_decisions")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) channel_id: i64,
    pub(crate) channel_title: String,
    pub(crate) verdict: String,
    pub(crate) guide_id: Option<i64>,
    pub(crate) xml_id: Option<String>,
    pub(crate) name: String,
    pub(crate) explanation: String,
    pub(crate) before_guide_id: Option<i64>,
    pub(crate) before_epg_id: Option<String>,
    pub(crate) decided_by: Option<String>,
    pub(crate) decided_date: DateTimeUtc,
    pub(crate) operation_id: Option<i64>,
    pub(crate) sheet_id: Option<i64>,
    pub(crate) sheet_row: Option<i64>,
    /// Shift against the channel of the guide; `None` for that of the playlist.
    pub(crate) shift_minutes: Option<i32>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
