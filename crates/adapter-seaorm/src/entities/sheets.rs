//! Imported files. `headings` is a JSON array.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sheets")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) kind: String,
    pub(crate) file_name: String,
    pub(crate) language: String,
    pub(crate) headings: String,
    pub(crate) total: i64,
    pub(crate) complete: bool,
    pub(crate) created_by: String,
    pub(crate) created_date: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
