//! Results of bulk operations by item. `before`, `after` and `problems` are JSON.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "bulk_operation_rows")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) operation_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) position: i64,
    pub(crate) item: String,
    pub(crate) title: String,
    pub(crate) verdict: String,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
    pub(crate) problems: Option<String>,
    pub(crate) sheet_row: Option<i64>,
    pub(crate) sheet_key: Option<String>,
    pub(crate) sheet_imdb_id: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
