//! Runs of playlist sources: begun, looked at, applied (docs/spec/live-tv.md#runs).

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json, Payload},
};
use application::{
    AddStreamRequest, ApplyRequest, EntryRow, IgnoreRequest, MergeEntriesRequest, PlaylistService, RunBegun,
    RunRequest, playlist_permission,
};
use chrono::{DateTime, Utc};
use domain_kernel::{Action, Enumeration, ErrorKind, Id, Page};
use domain_live::{
    diff::{EntryChange, EntryField, FieldChange, Sign},
    playlist::{EntryDuplicateReason, LineFault},
    run::{PlaylistRun, RunCounts, RunFault, RunState},
};
use futures_util::StreamExt;
use ports::{DuplicateOf, LeftOut};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{contents::REPLAYED, operations::OperationAnswer};
use crate::{
    body_limit::LARGEST_PLAYLIST,
    caller::AuthUser,
    extract::{Body, IdempotencyKey, ItemId, Pairs, PathId, body_fault},
    language::Language,
    openapi::Api,
    problem::Problem,
};

const TAG: &str = "playlist-sources";

/// A run of a source.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlaylistRun")]
pub(super) struct RunAnswer {
    /// The number it is known by.
    id: Id,
    /// The source.
    source_id: Id,
    /// How far it is.
    state: RunState,
    /// Whether it was begun by schedule.
    scheduled: bool,
    /// The file that was uploaded; null where the list is fetched.
    file_name: Option<String>,
    /// Who began it; null for the schedule.
    created_by: Option<String>,
    /// When it was requested.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    created_date: DateTime<Utc>,
    /// When it ended.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    finished_date: Option<DateTime<Utc>>,
    /// Why it changed nothing.
    fault: Option<RunFault>,
    /// The status with which the source answered, where it is the reason.
    status_code: Option<u16>,
    /// The limit that was exceeded: megabytes, or entries.
    limit: Option<i64>,
    /// What it found.
    counts: RunCounts,
    /// Addresses of guides that the list names.
    guides: Vec<String>,
    /// The operations that applied what it found.
    operations: Vec<Id>,
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
        }
    }
}

/// A field of an entry before and after.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlaylistFieldChange")]
struct FieldAnswer {
    /// The field.
    field: EntryField,
    /// What was applied to the channel last.
    before: String,
    /// What the list says now.
    after: String,
    /// A user has changed this field of the channel: the list's value is not applied.
    own: bool,
}

/// A missing entry that a new one may be.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PlaylistCandidate")]
struct CandidateAnswer {
    /// The number it is known by.
    id: Id,
    /// Its name.
    name: String,
}

/// An earlier entry that another one repeats, by another address.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlaylistDuplicate")]
struct DuplicateAnswer {
    /// The number it is known by.
    id: Id,
    /// Its name.
    name: String,
    /// In what both are equal.
    reason: EntryDuplicateReason,
    /// What was made from it: `tv-channels` or `radio-stations`; null where nothing was, or it is gone.
    item_type: Option<String>,
    /// The id of that.
    item_id: Option<Id>,
}

impl From<DuplicateOf> for DuplicateAnswer {
    fn from(DuplicateOf { id, name, item, reason }: DuplicateOf) -> Self {
        let item_type = item.map(|(kind, _)| kind.path().to_owned());
        Self { id, name, reason, item_type, item_id: item.map(|(_, id)| id) }
    }
}

/// An entry of a source, and what it is to what is in use.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlaylistEntry")]
struct EntryAnswer {
    /// The number it is known by.
    id: Id,
    /// New, changed, unchanged or missing.
    change: EntryChange,
    /// Its name.
    name: String,
    /// Its address.
    url: String,
    /// Its groups.
    groups: Vec<String>,
    /// Its number, where the list has one.
    number: Option<u32>,
    /// Its id in guides.
    guide_id: Option<String>,
    /// Its logo.
    logo: Option<String>,
    /// Whether it is a radio station.
    radio: bool,
    /// A user does not want it.
    ignored: bool,
    /// By what it was recognised, where something about it has changed.
    recognised_by: Option<Sign>,
    /// Since when the list lacks it.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    missing_since: Option<DateTime<Utc>>,
    /// What was made from it: `tv-channels` or `radio-stations`; null where nothing was, or it is gone.
    item_type: Option<String>,
    /// The id of that.
    item_id: Option<Id>,
    /// The channel that it is a further stream of; null where it is none.
    stream_of: Option<Id>,
    /// The fields that differ from what was applied.
    fields: Vec<FieldAnswer>,
    /// Missing entries that it may be.
    candidates: Vec<CandidateAnswer>,
    /// The first entry of the list that it repeats; null where it repeats none.
    duplicate_of: Option<DuplicateAnswer>,
}

impl From<EntryRow> for EntryAnswer {
    fn from(EntryRow { stored, fields }: EntryRow) -> Self {
        let field = |FieldChange { field, before, after, own }| FieldAnswer { field, before, after, own };
        let entry = stored.entry;
        Self {
            id: stored.id,
            change: stored.change,
            number: entry.number(),
            guide_id: entry.guide_id().map(str::to_owned),
            logo: entry.tag("tvg-logo").map(str::to_owned),
            radio: entry.is_radio(),
            name: entry.name,
            url: entry.url,
            groups: entry.groups,
            ignored: stored.ignored,
            recognised_by: stored.sign,
            missing_since: stored.missing_since,
            item_type: stored.item.map(|(kind, _)| kind.path().to_owned()),
            item_id: stored.item.map(|(_, id)| id),
            stream_of: stored.stream_of,
            fields: fields.into_iter().map(field).collect(),
            candidates: stored
                .candidates
                .into_iter()
                .map(|(id, name)| CandidateAnswer { id, name })
                .collect(),
            duplicate_of: stored.duplicate_of.map(DuplicateAnswer::from),
        }
    }
}

/// A line that was left out.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlaylistLine")]
struct LineAnswer {
    /// The line, from 1.
    line: u32,
    /// `DUPLICATE` or `REFUSED`.
    change: EntryChange,
    /// The stable name of the reason.
    reason: String,
    /// The same in words, in the language of the request.
    message: String,
    /// The name of the entry, where the line is one.
    name: String,
    /// The line of the entry that it repeats.
    of_line: Option<u32>,
}

fn line(left: LeftOut, language: Language) -> LineAnswer {
    let refused = LineFault::from_code(&left.reason).map(Enumeration::labels);
    let labels = refused.or_else(|| EntryDuplicateReason::from_code(&left.reason).map(Enumeration::labels));
    LineAnswer {
        line: left.line,
        change: left.change,
        message: labels.map(|labels| labels.in_language(language.0).to_owned()).unwrap_or_default(),
        reason: left.reason,
        name: left.name,
        of_line: left.of_line,
    }
}

/// How many entries are different now.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PlaylistEntriesChanged")]
struct ChangedAnswer {
    /// Entries.
    changed: u64,
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
                "A job does it within seconds. No channel is changed: what differs can be looked at and applied. A source that \
                 fails, or lacks more than 30 % of the entries in use, changes nothing.",
            )
            .requires(playlist_permission(Action::Update))
            .takes_effect_once()
            .takes(request)
            .answers(202, "It is going to be carried out.", run.clone())
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    drop(
        api.route(Method::POST, "/playlist-sources/{id}/upload", "uploadPlaylist", upload)
            .about(TAG, "Upload a list for a source and compare it")
            .explained(
                "The body is the list, packed by gzip or not; at most 50 MB and 200,000 entries unless the operator says \
                 otherwise. A job reads it within seconds.",
            )
            .requires(playlist_permission(Action::Update))
            .takes_effect_once()
            .query("fileName", json!({"type": "string", "maxLength": 200}), "What the file is called.")
            .query(
                "acceptLoss",
                json!({"type": "boolean", "default": false}),
                "Whether more than 30 % of the entries in use may be missing.",
            )
            .takes_file()
            .answers(202, "It is going to be read.", run.clone())
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
}

fn register_reading(api: &mut Api, run: &Value) {
    let runs = api.schemas.page_of("PlaylistRunPage", "A page of a source's runs.", run);
    let entry = api.schemas.response::<EntryAnswer>();
    let entries = api.schemas.page_of("PlaylistEntryPage", "A page of what a run found.", &entry);
    let line = api.schemas.response::<LineAnswer>();
    let lines = api.schemas.page_of("PlaylistLinePage", "A page of the lines that a run left out.", &line);
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
            .answers(200, "The run.", run.clone())
            .fails(&[ErrorKind::Missing]),
    );
    let codes = json!({"type": "array", "items": {"type": "string", "enum": ["NEW", "CHANGED", "UNCHANGED", "MISSING"]}});
    drop(
        api.route(Method::GET, "/playlist-sources/{id}/runs/{run}/changes", "listPlaylistChanges", changes)
            .about(TAG, "List what a run found")
            .explained(
                "Of the newest finished run: what it found stands at the entries until it is applied, and later runs bring it up \
                 to date. `search` looks in names, guide ids and groups. Credentials are masked for those who may not change the \
                 source.",
            )
            .requires(playlist_permission(Action::Read))
            .lists(&PlaylistService::changes_shape())
            .query("change", codes, "What entries are to what is in use.")
            .query("group", json!({"type": "string"}), "The first group, as the list writes it.")
            .query("ignored", json!({"type": "boolean"}), "Only those that are ignored, or are not.")
            .query("radio", json!({"type": "boolean"}), "Only radio stations, or only channels.")
            .answers(200, "A page of rows.", entries)
            .fails(&[ErrorKind::Invalid, ErrorKind::Missing, ErrorKind::Conflict]),
    );
    let left_out = json!({"type": "string", "enum": ["DUPLICATE", "REFUSED"]});
    drop(
        api.route(Method::GET, "/playlist-sources/{id}/runs/{run}/lines", "listPlaylistLines", lines_of)
            .about(TAG, "List the lines that a run left out")
            .explained("The first 10,000, in the order of the list; the run counts all.")
            .requires(playlist_permission(Action::Read))
            .pages(&PlaylistService::lines_shape())
            .query("change", left_out, "Entries that repeat another one, or lines that can't be read.")
            .answers(200, "A page of rows.", lines)
            .fails(&[ErrorKind::Invalid, ErrorKind::Missing]),
    );
}

fn register_applying(api: &mut Api) {
    let request = api.schemas.request::<ApplyRequest>();
    let operation = api.schemas.response::<OperationAnswer>();
    drop(
        api.route(Method::POST, "/playlist-sources/{id}/runs/{run}/apply", "applyPlaylistEntries", apply)
            .about(TAG, "Apply what a run found")
            .explained(
                "New entries become channels, or radio stations where the list says so; changed ones change theirs, but for fields \
                 that a user has changed. Each kind is one operation, which can be watched, cancelled and undone. Needs the \
                 permissions to create and to update channels or radio stations. Entries that are streams of channels give those what \
                 has changed at once; where there are only such entries, the answer is empty. Entries that were applied are left out, so the \
                 same request again applies nothing twice.",
            )
            .requires(playlist_permission(Action::Update))
            .takes(request)
            .answers(202, "They are going to be carried out.", json!({"type": "array", "items": operation}))
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    let request = api.schemas.request::<IgnoreRequest>();
    let changed = api.schemas.response::<ChangedAnswer>();
    drop(
        api.route(Method::POST, "/playlist-sources/{id}/ignored", "ignorePlaylistEntries", ignore)
            .about(TAG, "Ignore entries of a source, or do so no more")
            .explained("An entry that is ignored stays so through every refresh and is never applied.")
            .requires(playlist_permission(Action::Update))
            .takes(request)
            .answers(200, "How many are different now.", changed)
            .fails(&[ErrorKind::Missing]),
    );
    let request = api.schemas.request::<MergeEntriesRequest>();
    let path = "/playlist-sources/{id}/entries/{entry}/merge";
    drop(
        api.route(Method::POST, path, "mergePlaylistEntries", merge)
            .about(TAG, "Say which missing entry a new one is")
            .explained(
                "The missing entry, with its channel, gets what the new one has; the new one is gone. What differs from the \
                 channel is shown as a change.",
            )
            .requires(playlist_permission(Action::Update))
            .takes(request)
            .answers_nothing(204, "They are one entry.")
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    let request = api.schemas.request::<AddStreamRequest>();
    let path = "/playlist-sources/{id}/entries/{entry}/stream";
    drop(
        api.route(Method::POST, path, "addPlaylistEntryToStreams", add_stream)
            .about(TAG, "Make an entry a further stream of a channel")
            .explained(
                "A new entry becomes the last stream of a channel that exists, and follows the list: what changes in it later is \
                 applied to that stream. A stream that has the address already becomes the entry's. Needs the permission to \
                 update channels.",
            )
            .requires(playlist_permission(Action::Update))
            .takes(request)
            .answers_nothing(204, "It is a stream of the channel.")
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
}

type Playlists = Data<PlaylistService>;

fn accepted(begun: RunBegun) -> HttpResponse {
    let mut answer = HttpResponse::Accepted();
    if begun.replayed {
        answer.insert_header(REPLAYED);
    }
    answer.json(RunAnswer::from(begun.run))
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

async fn changes(
    caller: AuthUser,
    service: Playlists,
    path: PathId,
    pairs: Pairs,
) -> Result<Json<Page<Vec<EntryAnswer>>>, Problem> {
    let (source, run) = ids(&path)?;
    let page = service.changes(&caller, source, run, &pairs.0).await?;
    Ok(Json(page.map(|rows| rows.into_iter().map(EntryAnswer::from).collect())))
}

async fn lines_of(
    caller: AuthUser,
    service: Playlists,
    path: PathId,
    pairs: Pairs,
    language: Language,
) -> Result<Json<Page<Vec<LineAnswer>>>, Problem> {
    let (source, run) = ids(&path)?;
    let page = service.left_out(&caller, source, run, &pairs.0).await?;
    Ok(Json(page.map(|rows| rows.into_iter().map(|left| line(left, language)).collect())))
}

async fn apply(
    caller: AuthUser,
    service: Playlists,
    path: PathId,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let (source, run) = ids(&path)?;
    let operations = service.apply(&caller, source, run, &body.0).await?;
    let operations: Vec<OperationAnswer> = operations.into_iter().map(OperationAnswer::from).collect();
    Ok(HttpResponse::Accepted().json(operations))
}

async fn ignore(
    caller: AuthUser,
    service: Playlists,
    id: ItemId,
    body: Body,
) -> Result<Json<ChangedAnswer>, Problem> {
    Ok(Json(ChangedAnswer { changed: service.ignore(&caller, id.0, &body.0).await? }))
}

async fn add_stream(
    caller: AuthUser,
    service: Playlists,
    path: PathId,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let (source, entry) = entry_ids(&path)?;
    service.add_stream(&caller, source, entry, &body.0).await?;
    Ok(HttpResponse::NoContent().finish())
}

async fn merge(
    caller: AuthUser,
    service: Playlists,
    path: PathId,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let (source, entry) = entry_ids(&path)?;
    service.merge_entries(&caller, source, entry, &body.0).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// The ids of a source and of one of its entries.
fn entry_ids(path: &PathId) -> Result<(Id, Id), Problem> {
    path.named("id").zip(path.named("entry")).ok_or_else(Problem::no_such_path)
}

/// The ids of a source and of its run.
fn ids(path: &PathId) -> Result<(Id, Id), Problem> {
    path.named("id").zip(path.named("run")).ok_or_else(Problem::no_such_path)
}
