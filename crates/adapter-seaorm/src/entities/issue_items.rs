//! Items of reports. Triggers maintain `open`, `waiting` and `last_date`.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "issue_items")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) content_type: String,
    pub(crate) content_id: Option<i64>,
    pub(crate) title: String,
    pub(crate) item_key: String,
    pub(crate) search_text: String,
    pub(crate) open: i64,
    pub(crate) waiting: bool,
    pub(crate) last_date: Option<DateTimeUtc>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
