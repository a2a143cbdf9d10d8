//! Idempotency keys with their responses.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "idempotency_keys")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) username_key: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) idempotency_key: String,
    pub(crate) fingerprint: String,
    pub(crate) answer: String,
    /// The password hash of a user that was inserted with the key.
    pub(crate) password_hash: Option<String>,
    pub(crate) created_date: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
