//! The seen states of users' notices.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "notice_views")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) user_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) kind: String,
    pub(crate) seen_count: i64,
    pub(crate) seen_newest: Option<DateTimeUtc>,
    pub(crate) seen_date: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
