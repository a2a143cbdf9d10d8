//! Bulk operations.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "bulk_operations")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) kind: String,
    pub(crate) change: Option<String>,
    pub(crate) undo_of: Option<i64>,
    pub(crate) dry_run: bool,
    pub(crate) state: String,
    pub(crate) failure: Option<String>,
    pub(crate) created_by: String,
    pub(crate) created_date: DateTimeUtc,
    pub(crate) finished_date: Option<DateTimeUtc>,
    pub(crate) total: i64,
    pub(crate) slices_done: i64,
    pub(crate) changed: i64,
    pub(crate) unchanged: i64,
    pub(crate) refused: i64,
    pub(crate) conflicts: i64,
    pub(crate) missing: i64,
    pub(crate) created: i64,
    pub(crate) sheet_id: Option<i64>,
    pub(crate) sheet_columns: Option<String>,
    pub(crate) sheet_defaults: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
