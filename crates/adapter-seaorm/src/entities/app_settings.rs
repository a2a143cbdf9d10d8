//! The settings of the streaming app: one row.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "app_settings")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) id: i64,
    pub(crate) version: i64,
    pub(crate) updated_date: DateTimeUtc,
    pub(crate) items_per_page: i32,
    pub(crate) monthly_credits_price: i64,
    pub(crate) annual_credits_price: i64,
    pub(crate) allowed_months: bool,
    pub(crate) allowed_years: bool,
    pub(crate) max_transactions_per_agent: i32,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
