//! Users, as far as signing in reads them.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "users")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) username: String,
    pub(crate) username_key: String,
    pub(crate) full_name: String,
    pub(crate) role: String,
    pub(crate) status: String,
    pub(crate) password_hash: Option<String>,
    pub(crate) default_password: bool,
    pub(crate) sign_ins: i64,
    pub(crate) created_date: DateTimeUtc,
    pub(crate) updated_date: DateTimeUtc,
    pub(crate) version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
