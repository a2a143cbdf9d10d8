//! Expirations set by users, ordered among the movements of credits.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "expiration_edits")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) user_id: i64,
    pub(crate) app_seq: i64,
    pub(crate) expiration_before: Option<DateTimeUtc>,
    pub(crate) expiration_after: Option<DateTimeUtc>,
    pub(crate) performer_id: Option<i64>,
    pub(crate) edit_date: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
