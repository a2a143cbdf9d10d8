//! Runs of playlist sources: start, list, apply (docs/spec/live-tv.md#runs). Their results are in
//! `playlist_entries`.

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json, Payload},
};
use application::{ApplyRequest, PlaylistService, RunBegun, RunRequest, playlist_permission};
use chrono::{DateTime, Utc};
use domain_kernel::{Action, ErrorKind, Id, Page};
use domain_live::run::{ApplyFault, PlaylistRun, RunCounts, RunFault, RunState};
use domain_operations::BulkOperation;
use futures_util::StreamExt;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{answer_headers::with_replay, operations::OperationAnswer};
use crate::{
    body_limit::LARGEST_PLAYLIST,
    caller::AuthUser,
    extract::{Body, IdempotencyKey, ItemId, Pairs, PathId, body_fault},
    openapi::Api,
    problem::Problem,
};

pub(super) const TAG: &str = "playlist-sources";

/// Run of a source.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlaylistRun")]
pub(super) struct RunAnswer {
    /// ID of the run.
    id: Id,
    /// ID of the source.
    source_id: Id,
    /// State of the run.
    state: RunState,
    /// Whether the schedule started the run.
    scheduled: bool,
    /// Name of the uploaded file; null for a fetched list.
    file_name: Option<String>,
    /// User who started the run; null for a scheduled one.
    created_by: Option<String>,
    /// Time of the request.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    created_date: DateTime<Utc>,
    /// End of the run.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    finished_date: Option<DateTime<Utc>>,
    /// Reason why the run changed nothing.
    fault: Option<RunFault>,
    /// HTTP status of the source, if it is the reason.
    status_code: Option<u16>,
    /// The exceeded limit: megabytes or entries.
    limit: Option<i64>,
    /// Counts of the run.
    counts: RunCounts,
    /// URLs of guides in the list.
    guides: Vec<String>,
    /// IDs of operations that applied the changes.
    operations: Vec<Id>,
    /// Reason why the changes were not applied automatically; null if they were, or were not to be.
    apply_fault: Option<ApplyFault>,
}

impl From<PlaylistRun> for RunAnswer {
    fn from(run: PlaylistRun) -> Self {
        Self {
            id: run.id,
            source_id: run.source,
            state: run.state,
            scheduled: run.scheduled,
            file_name: run.file_name,
            created_by: run.created_by,
            created_date: run.created_date,
            finished_date: run.finished_date,
            fault: run.fault,
            status_code: run.status_code,
            limit: run.limit,
            counts: run.counts,
            guides: run.guides,
            operations: run.operations,
            apply_fault: run.apply_fault,
        }
    }
}

/// Operations started by applying entries.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AppliedPlaylistEntries")]
pub(super) struct AppliedAnswer {
    /// One operation for channels with their streams, and one for radio stations, if there are any.
    /// They run in the background.
    operations: Vec<OperationAnswer>,
}

impl From<Vec<BulkOperation>> for AppliedAnswer {
    fn from(operations: Vec<BulkOperation>) -> Self {
        Self { operations: operations.into_iter().map(OperationAnswer::from).collect() }
    }
}

pub(crate) fn register(api: &mut Api) {
    let run = api.schemas.response::<RunAnswer>();
    register_begin(api, &run);
    register_reading(api, &run);
    register_applying(api);
}

fn register_begin(api: &mut Api, run: &Value) {
    let request = api.schemas.request::<RunRequest>();
    drop(
        api.route(Method::POST, "/playlist-sources/{id}/runs", "runPlaylistSource", begin)
            .about(TAG, "Fetch the list of a source and compare it")
            .explained(
                "Runs in the background within seconds. No channel is changed: the differences can be \
                 listed and applied. A failing source, or one that lacks more than 30 % of the entries in \
                 use, changes nothing.",
            )
            .requires(playlist_permission(Action::Update))
            .takes_effect_once()
            .takes(request)
            .answers(202, "The run is queued.", run.clone())
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    drop(
        api.route(Method::POST, "/playlist-sources/{id}/upload", "uploadPlaylist", upload)
            .about(TAG, "Upload a list for a source and compare it")
            .explained(
                "The body is the list, optionally compressed by gzip, of up to 50 MB and 200,000 entries \
                 by default. It is read in the background within seconds.",
            )
            .requires(playlist_permission(Action::Update))
            .takes_effect_once()
            .query("fileName", json!({"type": "string", "maxLength": 200}), "Name of the file.")
            .query(
                "acceptLoss",
                json!({"type": "boolean", "default": false}),
                "Whether more than 30 % of the entries in use may be missing.",
            )
            .takes_file()
            .answers(202, "Reading the file is queued.", run.clone())
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
}

fn register_reading(api: &mut Api, run: &Value) {
    let runs = api.schemas.page_of("PlaylistRunPage", "Page of a source's runs.", run);
    drop(
        api.route(Method::GET, "/playlist-sources/{id}/runs", "listPlaylistRun", list)
            .about(TAG, "List the runs of a source")
            .explained("Newest first; the newest 50 are kept.")
            .requires(playlist_permission(Action::Read))
            .pages(&PlaylistService::runs_shape())
            .answers(200, "A page of rows.", runs)
            .fails(&[ErrorKind::Invalid, ErrorKind::Missing]),
    );
    drop(
        api.route(Method::GET, "/playlist-sources/{id}/runs/{run}", "getPlaylistRun", find)
            .about(TAG, "Get a run")
            .requires(playlist_permission(Action::Read))
            .answers(200, "Run of the source.", run.clone())
            .fails(&[ErrorKind::Missing]),
    );
}

fn register_applying(api: &mut Api) {
    let request = api.schemas.request::<ApplyRequest>();
    let applied = api.schemas.response::<AppliedAnswer>();
    drop(
        api.route(Method::POST, "/playlist-sources/{id}/runs/{run}/apply", "applyPlaylistEntries", apply)
            .about(TAG, "Apply the changes found by a run")
            .explained(
                "New entries become channels or radio stations; changed ones update theirs, except for \
                 fields changed by a user. Each kind is one operation, which can be watched, cancelled \
                 and undone. Needs the permissions to create and to update channels or radio stations. \
                 Entries that are streams of a channel are applied by its row. Applied entries are \
                 skipped, so that a repeated request applies nothing twice.",
            )
            .requires(playlist_permission(Action::Update))
            .takes(request)
            .answers(202, "Started operations.", applied)
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
}

pub(super) type Playlists = Data<PlaylistService>;

fn accepted(begun: RunBegun) -> HttpResponse {
    with_replay(HttpResponse::Accepted(), begun.replayed).json(RunAnswer::from(begun.run))
}

async fn begin(
    caller: AuthUser,
    service: Playlists,
    id: ItemId,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    Ok(accepted(service.begin_run(&caller, id.0, &body.0, key.0.as_deref()).await?))
}

async fn upload(
    caller: AuthUser,
    service: Playlists,
    id: ItemId,
    key: IdempotencyKey,
    pairs: Pairs,
    mut payload: Payload,
) -> Result<HttpResponse, Problem> {
    let mut packer = service.begin_upload(&caller, id.0).await?;
    let largest = usize::try_from(service.largest_upload()).unwrap_or(LARGEST_PLAYLIST);
    while let Some(part) = payload.next().await {
        let part = part.map_err(|error| body_fault(&error, largest))?;
        packer.feed(&part).map_err(|_| Problem::too_large(largest))?;
    }
    let file_name = pairs.get("fileName").unwrap_or_default();
    let accept_loss = pairs.get("acceptLoss") == Some("true");
    let list = packer.finish();
    let begun =
        service.begin_uploaded_run(&caller, id.0, file_name, accept_loss, list, key.0.as_deref()).await?;
    Ok(accepted(begun))
}

async fn list(
    caller: AuthUser,
    service: Playlists,
    id: ItemId,
    pairs: Pairs,
) -> Result<Json<Page<Vec<RunAnswer>>>, Problem> {
    let page = service.runs(&caller, id.0, &pairs.0).await?;
    Ok(Json(page.map(|rows| rows.into_iter().map(RunAnswer::from).collect())))
}

async fn find(caller: AuthUser, service: Playlists, path: PathId) -> Result<Json<RunAnswer>, Problem> {
    let (source, run) = ids(&path)?;
    Ok(Json(service.run(&caller, source, run).await?.into()))
}

async fn apply(
    caller: AuthUser,
    service: Playlists,
    path: PathId,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let (source, run) = ids(&path)?;
    let applied = service.apply(&caller, source, run, &body.0).await?;
    Ok(HttpResponse::Accepted().json(AppliedAnswer::from(applied)))
}

/// IDs of a source and of its run.
pub(super) fn ids(path: &PathId) -> Result<(Id, Id), Problem> {
    path.named("id").zip(path.named("run")).ok_or_else(Problem::no_such_path)
}
