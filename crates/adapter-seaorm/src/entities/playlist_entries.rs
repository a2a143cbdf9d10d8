//! Known entries of sources.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "playlist_entries")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    pub(crate) source_id: i64,
    pub(crate) change: String,
    pub(crate) ignored: bool,
    pub(crate) in_use: bool,
    pub(crate) item_kind: Option<String>,
    pub(crate) item_id: Option<i64>,
    pub(crate) radio: bool,
    pub(crate) group_name: String,
    pub(crate) further_groups: Option<String>,
    pub(crate) search_text: String,
    pub(crate) content: String,
    pub(crate) applied: Option<String>,
    pub(crate) sign: Option<String>,
    pub(crate) missing_since: Option<DateTimeUtc>,
    pub(crate) candidates: Option<String>,
    pub(crate) sheet_id: Option<i64>,
    pub(crate) sheet_row: Option<i64>,
    pub(crate) row_content: Option<String>,
    pub(crate) guide_id: Option<String>,
    pub(crate) name_and_number: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
