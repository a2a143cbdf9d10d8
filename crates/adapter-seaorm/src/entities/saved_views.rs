//! Saved views of lists.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "saved_views")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) owner_id: i64,
    pub(crate) list: String,
    pub(crate) name: String,
    pub(crate) name_key: String,
    pub(crate) query: String,
    pub(crate) hidden_columns: Option<Json>,
    pub(crate) shared_with: Option<String>,
    pub(crate) created_date: DateTimeUtc,
    pub(crate) updated_date: DateTimeUtc,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {
    #[sea_orm(belongs_to = "super::users::Entity", from = "Column::OwnerId", to = "super::users::Column::Id")]
    Owner,
}

impl Related<super::users::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Owner.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}
