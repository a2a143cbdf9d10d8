//! Replaced lists of streams of channels.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "channel_stream_versions")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) channel_id: i64,
    /// The version of the channel that has other streams.
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) replaced_by: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) position: i32,
    pub(crate) failover: String,
    pub(crate) label: Option<String>,
    pub(crate) quality: Option<String>,
    pub(crate) url_type: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) headers: Option<String>,
    pub(crate) replaced_at: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
