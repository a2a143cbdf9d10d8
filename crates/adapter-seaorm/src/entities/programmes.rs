//! Programmes of the channels of TV guides.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "programmes")]
pub(crate) struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) channel_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub(crate) start_at: i64,
    pub(crate) stop_at: i64,
    pub(crate) title: String,
    pub(crate) search_text: String,
    pub(crate) other_titles: Option<String>,
    pub(crate) details: Option<String>,
    pub(crate) further_details: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
