//! Previous lineages of users who were moved to another registering user.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "lineage_changes")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) user_id: i64,
    pub(crate) app_seq: i64,
    pub(crate) sale_seq: i64,
    pub(crate) lineage_before: String,
    pub(crate) change_date: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
