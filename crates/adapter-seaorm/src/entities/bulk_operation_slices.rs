//! Slices of bulk operations: the items that one transaction changes, as a JSON array of ids.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "bulk_operation_slices")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) operation_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) number: i64,
    pub(crate) items: String,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
