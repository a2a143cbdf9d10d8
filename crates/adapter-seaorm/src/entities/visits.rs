//! Visits: sign-ins and views of content.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "visits")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) occurred_at: DateTimeUtc,
    pub(crate) kind: String,
    pub(crate) username: String,
    pub(crate) username_key: String,
    pub(crate) full_name: Option<String>,
    pub(crate) address: Option<String>,
    pub(crate) device: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) content_id: Option<i64>,
    pub(crate) content_title: Option<String>,
    pub(crate) source: Option<String>,
    pub(crate) search_text: String,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
