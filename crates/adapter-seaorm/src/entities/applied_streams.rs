//! Streams of channels that a bulk operation has set from entries of a playlist.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "applied_streams")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) operation_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) entry_id: i64,
    pub(crate) channel_id: i64,
    pub(crate) number: i64,
    pub(crate) position: i32,
    pub(crate) followed: bool,
    pub(crate) applied: Option<String>,
    pub(crate) ignored: bool,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
