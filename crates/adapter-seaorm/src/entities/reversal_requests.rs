//! Requests for reversals of sales.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "reversal_requests")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) operation_id: i64,
    pub(crate) requester_id: i64,
    pub(crate) reason: Option<String>,
    pub(crate) status: String,
    pub(crate) requested_date: DateTimeUtc,
    pub(crate) decided_by_id: Option<i64>,
    pub(crate) note: Option<String>,
    pub(crate) decided_date: Option<DateTimeUtc>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
