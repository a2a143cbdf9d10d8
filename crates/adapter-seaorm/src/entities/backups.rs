//! The log of backups.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "backups")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) origin: String,
    pub(crate) requested_by: Option<String>,
    pub(crate) state: String,
    pub(crate) file_name: Option<String>,
    pub(crate) created_date: DateTimeUtc,
    pub(crate) finished_date: Option<DateTimeUtc>,
    pub(crate) duration_ms: Option<i64>,
    pub(crate) size: Option<i64>,
    pub(crate) detail: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
