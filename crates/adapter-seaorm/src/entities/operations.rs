//! Operations of the credit ledger.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "operations")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) uuid: String,
    pub(crate) performer_id: i64,
    pub(crate) idempotency_key: Option<String>,
    pub(crate) fingerprint: Option<String>,
    pub(crate) operation_type: String,
    pub(crate) amount: i64,
    pub(crate) reason: Option<String>,
    pub(crate) sold: i64,
    pub(crate) seller_id: Option<i64>,
    pub(crate) reverses_id: Option<i64>,
    pub(crate) imported: bool,
    pub(crate) started_subscription: bool,
    pub(crate) operation_date: DateTimeUtc,
    /// The server's time, if it differs from the date.
    pub(crate) clock_date: Option<DateTimeUtc>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
