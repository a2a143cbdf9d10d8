//! Links of channels, stations and items, with their state.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "links")]
pub(crate) struct Model {
    #[sea_orm(primary_key)]
    pub(crate) id: i64,
    /// The path of the item's kind.
    pub(crate) owner: String,
    pub(crate) item_id: i64,
    pub(crate) title: String,
    pub(crate) title_key: String,
    pub(crate) address: String,
    pub(crate) host: String,
    pub(crate) active: bool,
    pub(crate) state: String,
    pub(crate) since: DateTimeUtc,
    pub(crate) failures: i32,
    pub(crate) turn: Option<DateTimeUtc>,
    pub(crate) next_probe: DateTimeUtc,
    pub(crate) claimed_until: Option<DateTimeUtc>,
    pub(crate) probed_at: Option<DateTimeUtc>,
    pub(crate) outcome: Option<String>,
    pub(crate) http_status: Option<i32>,
    pub(crate) milliseconds: i64,
    pub(crate) format: Option<String>,
    pub(crate) height: Option<i64>,
    pub(crate) codecs: Option<String>,
    pub(crate) bitrate: Option<i64>,
    pub(crate) variants: Option<i64>,
    pub(crate) sequence: Option<i64>,
    pub(crate) stream: i64,
    pub(crate) position: i32,
    pub(crate) label: Option<String>,
    pub(crate) account: Option<String>,
    pub(crate) requested_at: Option<DateTimeUtc>,
    pub(crate) link_key: String,
    pub(crate) switched_off: bool,
    pub(crate) address_since: Option<DateTimeUtc>,
    pub(crate) probe_requested: bool,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
