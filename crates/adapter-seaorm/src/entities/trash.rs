//! Deleted content. `document` is the item as JSON.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "trash")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) kind: String,
    pub(crate) item_id: i64,
    pub(crate) title: String,
    pub(crate) title_key: String,
    pub(crate) search_text: String,
    pub(crate) document: String,
    pub(crate) deleted_date: DateTimeUtc,
    pub(crate) deleted_by: Option<String>,
    pub(crate) part_of: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
