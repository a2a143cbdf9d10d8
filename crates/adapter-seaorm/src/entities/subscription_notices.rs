//! Recorded ends of subscriptions. A trigger adds each to the outbox.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "subscription_notices")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) user_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) expiration_date: DateTimeUtc,
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) stage: String,
    pub(crate) noticed_date: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
