//! Calls of a key by day.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "integrator_key_days")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) key_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) day: Date,
    pub(crate) calls: i64,
    pub(crate) refused: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
