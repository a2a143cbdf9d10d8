//! Notes on users.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "user_notes")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) user_id: i64,
    pub(crate) kind: String,
    pub(crate) note: Option<String>,
    pub(crate) contacted_on: Option<Date>,
    pub(crate) author: String,
    pub(crate) created_date: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
