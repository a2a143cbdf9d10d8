//! Sources of playlists (docs/spec/live-tv.md#sources). Their runs are in `playlist_runs`.

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::Method,
    web::{Data, Json},
};
use application::{GroupRow, PlaylistService, playlist_permission};
use chrono::{DateTime, Utc};
use domain_kernel::{Action, ErrorKind, Id, Page, Version};
use domain_live::source::{PlaylistSource, PlaylistSourceDraft};
use ports::EntryGroup;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    answer_headers::{created_at, tagged},
    contents::{ETAG_ABOUT, if_match},
    playlist_runs::RunAnswer,
};
use crate::{
    caller::AuthUser,
    extract::{Body, IdempotencyKey, IfMatch, ItemId, Pairs},
    openapi::Api,
    problem::Problem,
};

const TAG: &str = "playlist-sources";

/// Stored source of playlists.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlaylistSource")]
pub(crate) struct StoredSource {
    /// ID of the source.
    id: Id,
    /// Version of the source, from 1, for the `ETag`.
    version: Version,
    #[serde(flatten)]
    draft: PlaylistSourceDraft,
    /// User who made the last change; scheduled refreshes are applied as this user.
    updated_by: String,
    /// Time of creation.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    created_date: DateTime<Utc>,
    /// Time of the last change.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    updated_date: DateTime<Utc>,
    /// Time of the next refresh.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    next_refresh_date: Option<DateTime<Utc>>,
    /// Newest run.
    last_run: Option<RunAnswer>,
}

impl From<PlaylistSource> for StoredSource {
    fn from(source: PlaylistSource) -> Self {
        Self {
            id: source.id,
            version: source.version,
            draft: source.draft,
            updated_by: source.updated_by,
            created_date: source.created_date,
            updated_date: source.updated_date,
            next_refresh_date: source.next_refresh_date,
            last_run: source.last_run.map(RunAnswer::from),
        }
    }
}

/// Group of a source's entries.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlaylistGroup")]
struct GroupAnswer {
    /// Name of the group in the list; empty for entries without one.
    group: String,
    /// Number of entries with this group.
    entries: i64,
    /// Number of new entries among them.
    new: i64,
    /// ID of the group's category.
    category_id: Option<Id>,
    /// ID of a category with the same name in either language.
    suggestion: Option<Id>,
    /// Whether the group was decided to be for adults only; null if its name decides.
    adult: Option<bool>,
    /// Whether the name of the group says that it is for adults only.
    adult_suggestion: bool,
}

impl From<GroupRow> for GroupAnswer {
    fn from(GroupRow { group, category_id, suggestion, adult, adult_suggestion }: GroupRow) -> Self {
        let EntryGroup { group, entries, new } = group;
        Self { group, entries, new, category_id, suggestion, adult, adult_suggestion }
    }
}

pub(crate) fn register(api: &mut Api) {
    let source = api.schemas.response::<StoredSource>();
    register_reading(api, &source);
    register_changes(api, &source);
}

fn register_reading(api: &mut Api, source: &Value) {
    let page = api.schemas.page_of("PlaylistSourcePage", "Page of sources.", source);
    let group = api.schemas.response::<GroupAnswer>();
    drop(
        api.route(Method::GET, "/playlist-sources", "listPlaylistSource", list)
            .about(TAG, "List playlist sources")
            .explained("`search` applies to titles and to URLs without credentials.")
            .requires(playlist_permission(Action::Read))
            .lists(&PlaylistService::list_shape())
            .answers(200, "A page of rows.", page)
            .fails(&[ErrorKind::Invalid]),
    );
    drop(
        api.route(Method::GET, "/playlist-sources/{id}", "getPlaylistSource", find)
            .about(TAG, "Get a playlist source")
            .explained("Credentials in the URL are masked for users who may not change the source.")
            .requires(playlist_permission(Action::Read))
            .answers(200, "Stored source.", source.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::GET, "/playlist-sources/{id}/groups", "listPlaylistGroups", groups)
            .about(TAG, "List the groups of a playlist source")
            .explained("Up to 5,000 groups, by name. Their categories are set in the source's `categories`.")
            .requires(playlist_permission(Action::Read))
            .answers(200, "Groups of the source.", json!({"type": "array", "items": group}))
            .fails(&[ErrorKind::Missing]),
    );
}

fn register_changes(api: &mut Api, source: &Value) {
    let draft = api.schemas.request::<PlaylistSourceDraft>();
    drop(
        api.route(Method::POST, "/playlist-sources", "createPlaylistSource", create)
            .about(TAG, "Create a playlist source")
            .requires(playlist_permission(Action::Create))
            .takes_effect_once()
            .takes(draft.clone())
            .answers(201, "Created.", source.clone())
            .answers_header(201, "Location", "The address of the entity.")
            .answers_header(201, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Conflict]),
    );
    drop(
        if_match(api.route(Method::PUT, "/playlist-sources/{id}", "replacePlaylistSource", replace))
            .about(TAG, "Replace a playlist source")
            .requires(playlist_permission(Action::Update))
            .takes(draft)
            .answers(200, "The current state.", source.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing, ErrorKind::Outdated]),
    );
    let patch = api.schemas.patch_of("PlaylistSourceDraft");
    drop(
        if_match(api.route(Method::PATCH, "/playlist-sources/{id}", "updatePlaylistSource", merge))
            .about(TAG, "Update some fields of a playlist source")
            .requires(playlist_permission(Action::Update))
            .merges(patch)
            .answers(200, "The current state.", source.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing, ErrorKind::Outdated]),
    );
    drop(
        if_match(api.route(Method::DELETE, "/playlist-sources/{id}", "deletePlaylistSource", delete))
            .about(TAG, "Delete a playlist source with its runs and entries")
            .explained("Channels and radio stations created from its entries are kept.")
            .requires(playlist_permission(Action::Delete))
            .answers_nothing(204, "Deleted.")
            .fails(&[ErrorKind::Missing, ErrorKind::Outdated]),
    );
}

type Playlists = Data<PlaylistService>;

fn answered(answer: HttpResponseBuilder, source: PlaylistSource) -> HttpResponse {
    tagged(answer, source.version, &StoredSource::from(source))
}

async fn list(
    caller: AuthUser,
    service: Playlists,
    pairs: Pairs,
) -> Result<Json<Page<Vec<StoredSource>>>, Problem> {
    let page = service.list(&caller, &pairs.0).await?;
    Ok(Json(page.map(|rows| rows.into_iter().map(StoredSource::from).collect())))
}

async fn find(caller: AuthUser, service: Playlists, id: ItemId) -> Result<HttpResponse, Problem> {
    Ok(answered(HttpResponse::Ok(), service.find(&caller, id.0).await?))
}

async fn groups(caller: AuthUser, service: Playlists, id: ItemId) -> Result<Json<Vec<GroupAnswer>>, Problem> {
    let groups = service.groups(&caller, id.0).await?;
    Ok(Json(groups.into_iter().map(GroupAnswer::from).collect()))
}

async fn create(
    caller: AuthUser,
    service: Playlists,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let made = service.create(&caller, &body.0, key.0.as_deref()).await?;
    let answer = created_at(format_args!("playlist-sources/{}", made.source.id), made.replayed);
    Ok(answered(answer, made.source))
}

async fn replace(
    caller: AuthUser,
    service: Playlists,
    id: ItemId,
    expected: IfMatch,
    body: Body,
) -> Result<HttpResponse, Problem> {
    Ok(answered(HttpResponse::Ok(), service.replace(&caller, id.0, &body.0, expected.0).await?))
}

async fn merge(
    caller: AuthUser,
    service: Playlists,
    id: ItemId,
    expected: IfMatch,
    body: Body,
) -> Result<HttpResponse, Problem> {
    Ok(answered(HttpResponse::Ok(), service.merge(&caller, id.0, &body.0, expected.0).await?))
}

async fn delete(
    caller: AuthUser,
    service: Playlists,
    id: ItemId,
    expected: IfMatch,
) -> Result<HttpResponse, Problem> {
    service.delete(&caller, id.0, expected.0).await?;
    Ok(HttpResponse::NoContent().finish())
}
