//! The outbox of webhooks, which is also their log.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook_deliveries")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) webhook_id: i64,
    pub(crate) event_type: String,
    pub(crate) entity: String,
    pub(crate) data: String,
    pub(crate) occurred_at: DateTimeUtc,
    pub(crate) resend_of: Option<i64>,
    pub(crate) status: String,
    pub(crate) attempts: i32,
    pub(crate) next_attempt_at: DateTimeUtc,
    pub(crate) last_attempt_at: Option<DateTimeUtc>,
    pub(crate) status_code: Option<i32>,
    pub(crate) fault: Option<String>,
    pub(crate) duration_ms: Option<i64>,
    pub(crate) ended_at: Option<DateTimeUtc>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
