//! Webhooks, with the failures of their receivers.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "webhooks")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) version: i64,
    pub(crate) name: String,
    pub(crate) name_key: String,
    pub(crate) url: String,
    pub(crate) search_text: String,
    pub(crate) secret: String,
    pub(crate) events: String,
    pub(crate) active: bool,
    pub(crate) created_date: DateTimeUtc,
    pub(crate) updated_date: DateTimeUtc,
    pub(crate) failures: i32,
    pub(crate) failing_since: Option<DateTimeUtc>,
    pub(crate) paused_date: Option<DateTimeUtc>,
    pub(crate) pause_fault: Option<String>,
    pub(crate) pause_status_code: Option<i32>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
