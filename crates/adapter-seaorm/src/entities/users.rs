//! Users: staff and subscribers, with their balances and credentials.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "users")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) username: String,
    pub(crate) username_key: String,
    pub(crate) full_name: String,
    pub(crate) full_name_key: String,
    pub(crate) search_text: String,
    pub(crate) email: String,
    pub(crate) phone_number: String,
    pub(crate) language: Option<String>,
    pub(crate) address: Option<String>,
    pub(crate) comment: Option<String>,
    pub(crate) role: String,
    pub(crate) status: String,
    pub(crate) password_hash: Option<String>,
    pub(crate) default_password: bool,
    pub(crate) password_changed_date: Option<DateTimeUtc>,
    pub(crate) password_changed_by: Option<String>,
    pub(crate) credits: i64,
    pub(crate) sale_credits: i64,
    pub(crate) app_seq: i64,
    pub(crate) sale_seq: i64,
    pub(crate) total_sales: i64,
    pub(crate) expiration_date: Option<DateTimeUtc>,
    pub(crate) subscription_started: bool,
    pub(crate) sign_ins: i64,
    pub(crate) registered_by_id: Option<i64>,
    pub(crate) lineage: String,
    pub(crate) created_date: DateTimeUtc,
    pub(crate) updated_date: DateTimeUtc,
    pub(crate) version: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {
    #[sea_orm(belongs_to = "Entity", from = "Column::RegisteredById", to = "Column::Id")]
    Registrar,
}

impl ActiveModelBehavior for ActiveModel {}
