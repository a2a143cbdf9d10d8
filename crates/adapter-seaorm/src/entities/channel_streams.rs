//! Streams in the lists of channels.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "channel_streams")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) channel_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) number: i64,
    /// 0 for the stream that had the channel's own URL when the list was written.
    pub(crate) position: i32,
    pub(crate) label: Option<String>,
    pub(crate) quality: Option<String>,
    pub(crate) url_type: String,
    pub(crate) url: String,
    /// Pairs of name and value, as JSON.
    pub(crate) headers: String,
    pub(crate) origin: String,
    pub(crate) entry_id: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
