//! Changes of the states of links.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "link_changes")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) link_id: i64,
    pub(crate) occurred_at: DateTimeUtc,
    pub(crate) from_state: String,
    pub(crate) state: String,
    pub(crate) outcome: String,
    pub(crate) http_status: Option<i32>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
