//! Entries of the credit ledger: two for each operation. Those of the issuer have no user.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "entries")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) operation_id: i64,
    pub(crate) leg: i16,
    pub(crate) account: String,
    pub(crate) user_id: Option<i64>,
    pub(crate) seq: Option<i64>,
    pub(crate) delta: i64,
    pub(crate) balance_before: Option<i64>,
    pub(crate) balance_after: Option<i64>,
    pub(crate) expiration_before: Option<DateTimeUtc>,
    pub(crate) expiration_after: Option<DateTimeUtc>,
    pub(crate) performer_id: i64,
    pub(crate) operation_date: DateTimeUtc,
    pub(crate) imported: bool,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {
    #[sea_orm(
        belongs_to = "super::operations::Entity",
        from = "Column::OperationId",
        to = "super::operations::Column::Id"
    )]
    Operation,
}

impl Related<super::operations::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Operation.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
