//! Lists of streams of channels. A channel without a list has nothing but its own URL.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "channel_stream_lists")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) channel_id: i64,
    pub(crate) failover: String,
    /// Numbers are not reused, because links identify their stream by them.
    pub(crate) next_number: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {
    /// All streams of the list. `has_many` would need a relation back, and the two modules would need each other.
    #[sea_orm(
        belongs_to = "super::channel_streams::Entity",
        from = "Column::ChannelId",
        to = "super::channel_streams::Column::ChannelId"
    )]
    Streams,
}

impl Related<super::channel_streams::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Streams.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
