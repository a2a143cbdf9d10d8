//! Viewers' reports. The generated columns `urgency` and `assigned_to_key` are only for indexes.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "issue_reports")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) version: i64,
    pub(crate) status: String,
    pub(crate) content_type: String,
    pub(crate) content_id: Option<i64>,
    pub(crate) item_id: Option<i64>,
    pub(crate) report_type: String,
    pub(crate) priority: String,
    pub(crate) assigned_to: Option<String>,
    pub(crate) title: String,
    pub(crate) title_key: String,
    pub(crate) content: Option<String>,
    pub(crate) reporter: Option<String>,
    pub(crate) natural_key: Option<String>,
    pub(crate) created_date: DateTimeUtc,
    pub(crate) updated_date: DateTimeUtc,
    pub(crate) description: Option<String>,
    pub(crate) notes: Option<String>,
    pub(crate) search_text: String,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
