//! The trash (docs/spec/content.md#trash). Items are restored at their own paths.

use actix_web::{
    http::Method,
    web::{Data, Json},
};
use application::TrashService;
use chrono::{DateTime, TimeDelta, Utc};
use domain_catalogue::{TRASH_DAYS, TrashEntry};
use domain_kernel::{
    ErrorKind, FilterKind, Id, Page,
    RoleCode::{Admin, ContentManager, Superadmin},
};
use schemars::JsonSchema;
use serde::Serialize;

use super::list_parameters::{filter_schema, range_words};
use crate::{caller::AuthUser, extract::Pairs, openapi::Api, problem::Problem};

/// A deleted item.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TrashEntry")]
struct TrashEntryAnswer {
    /// Kind of content: `movies`, `tv-channels`, …
    kind: String,
    /// ID of the item, which it keeps when it is restored.
    item_id: Id,
    /// Title of the item.
    title: String,
    /// Time of deletion.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    deleted_date: DateTime<Utc>,
    /// Username of who deleted the item.
    deleted_by: Option<String>,
    /// Time at which the item is removed from the trash.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    kept_until: DateTime<Utc>,
    /// Number of seasons and episodes deleted with the item.
    parts: u64,
}

impl From<TrashEntry> for TrashEntryAnswer {
    fn from(entry: TrashEntry) -> Self {
        Self {
            kind: entry.kind.path().to_owned(),
            item_id: entry.item,
            title: entry.title,
            deleted_date: entry.deleted_date,
            deleted_by: entry.deleted_by,
            kept_until: entry.deleted_date + TimeDelta::days(TRASH_DAYS),
            parts: entry.parts,
        }
    }
}

pub(crate) fn register(api: &mut Api) {
    let entry = api.schemas.response::<TrashEntryAnswer>();
    let page = api.schemas.page_of("TrashPage", "A page of the trash.", &entry);
    drop(
        api.route(Method::GET, "/trash", "listTrash", list)
            .about("trash", "List deleted items, newest first")
            .explained(
                "Items of the kinds that the caller may delete, for 30 days. `search` applies to titles. Seasons and episodes \
                 that were deleted with their show are part of its entry.",
            )
            .requires_role(&[Superadmin, Admin, ContentManager])
            .lists(&TrashService::list_shape())
            .filter("kind", filter_schema(TrashService::list_shape().filters[0].1), "Only items of this kind.")
            .filter("deletedDateFrom", filter_schema(FilterKind::Moment), &range_words("deletedDateFrom"))
            .filter("deletedDateTo", filter_schema(FilterKind::Moment), &range_words("deletedDateTo"))
            .answers(200, "A page of items.", page)
            .fails(&[ErrorKind::Invalid]),
    );
}

async fn list(
    caller: AuthUser,
    service: Data<TrashService>,
    pairs: Pairs,
) -> Result<Json<Page<Vec<TrashEntryAnswer>>>, Problem> {
    let page = service.list(&caller, &pairs.0).await?;
    Ok(Json(page.map(|entries| entries.into_iter().map(TrashEntryAnswer::from).collect())))
}
