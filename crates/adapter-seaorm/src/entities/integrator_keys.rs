//! API keys of integrators.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "integrator_keys")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) name_key: String,
    pub(crate) key_hash: String,
    pub(crate) hint: String,
    pub(crate) scopes: String,
    pub(crate) expires_date: Option<Date>,
    pub(crate) calls_per_minute: i64,
    pub(crate) created_by: String,
    pub(crate) created_date: DateTimeUtc,
    pub(crate) revoked_date: Option<DateTimeUtc>,
    pub(crate) last_used_date: Option<DateTimeUtc>,
    pub(crate) calls: i64,
    pub(crate) refused_calls: i64,
    pub(crate) kept_by: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
