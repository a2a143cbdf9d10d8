//! The audit log. `before` and `after` are JSON.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_entries")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) occurred_at: DateTimeUtc,
    pub(crate) actor: Option<String>,
    pub(crate) actor_key: Option<String>,
    pub(crate) source: String,
    pub(crate) address: Option<String>,
    pub(crate) operation_id: Option<i64>,
    pub(crate) action: String,
    pub(crate) resource: String,
    pub(crate) item: String,
    pub(crate) title: String,
    pub(crate) version: Option<i64>,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
