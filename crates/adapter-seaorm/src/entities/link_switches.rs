//! Channels and stations that the service deactivated, and their version since.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "link_switches")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) owner: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) item_id: i64,
    pub(crate) version: i64,
    pub(crate) since: Option<DateTimeUtc>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
