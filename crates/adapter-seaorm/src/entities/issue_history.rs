//! Changes of reports.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "issue_history")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) report_id: i64,
    pub(crate) action: String,
    pub(crate) actor: String,
    pub(crate) actor_kind: String,
    pub(crate) status_from: Option<String>,
    pub(crate) status_to: Option<String>,
    pub(crate) priority_from: Option<String>,
    pub(crate) priority_to: Option<String>,
    pub(crate) assigned_from: Option<String>,
    pub(crate) assigned_to: Option<String>,
    pub(crate) note: Option<String>,
    pub(crate) entry_date: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
