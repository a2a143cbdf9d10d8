//! Entries and lines found by the runs of a playlist source, and decisions about them
//! (docs/spec/live-tv.md#runs).

use actix_web::{HttpResponse, http::Method, web::Json};
use application::{
    AddStreamRequest, AddStreamsRequest, ChangedItem, EntryRow, IgnoreRequest, MergeEntriesRequest,
    PlaylistService, playlist_permission,
};
use chrono::{DateTime, Utc};
use domain_kernel::{Action, ErrorKind, Id, Page};
use domain_live::{
    diff::{EntryChange, EntryField, FieldChange, Sign},
    playlist::{EntryDuplicateReason, reason_labels},
};
use ports::{DuplicateOf, EntryCandidate, EntryCounts, LeftOut};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::playlist_runs::{AppliedAnswer, Playlists, TAG, ids};
use crate::{
    caller::AuthUser,
    extract::{Body, ItemId, Pairs, PathId},
    language::Language,
    openapi::Api,
    problem::Problem,
};

/// Values of a field before and after.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlaylistFieldChange")]
struct FieldAnswer {
    /// Name of the field.
    field: EntryField,
    /// Value applied to the channel last.
    before: String,
    /// Value in the list.
    after: String,
    /// Whether the list's value is not applied: a user has changed this field of the channel, or
    /// the channel keeps its EPG ID.
    own: bool,
}

/// Missing entry that may be the same as a new one.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlaylistCandidate")]
struct CandidateAnswer {
    /// ID of the entry.
    id: Id,
    /// Name of the entry.
    name: String,
    /// URL of the stream, masked as those of entries are.
    url: String,
    /// Groups of the entry.
    groups: Vec<String>,
    /// Channel number of the list.
    number: Option<u32>,
    /// EPG ID of the list.
    guide_id: Option<String>,
    /// Time since which the list lacks the entry.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    missing_since: Option<DateTime<Utc>>,
    /// Kind of the item created from the entry: `tv-channels` or `radio-stations`; null without
    /// one, or if it is deleted.
    item_type: Option<String>,
    /// ID of that item.
    item_id: Option<Id>,
}

impl From<EntryCandidate> for CandidateAnswer {
    fn from(EntryCandidate { id, entry, item, missing_since }: EntryCandidate) -> Self {
        Self {
            id,
            number: entry.number(),
            guide_id: entry.guide_id().map(str::to_owned),
            name: entry.name,
            url: entry.url,
            groups: entry.groups,
            missing_since: Some(missing_since),
            item_type: item.map(|(kind, _)| kind.path().to_owned()),
            item_id: item.map(|(_, id)| id),
        }
    }
}

/// Earlier entry that another one repeats with a different URL.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlaylistDuplicate")]
struct DuplicateAnswer {
    /// ID of the entry.
    id: Id,
    /// Name of the entry.
    name: String,
    /// Property in which both are equal.
    reason: EntryDuplicateReason,
    /// Kind of the item created from the entry: `tv-channels` or `radio-stations`; null without
    /// one, or if it is deleted.
    item_type: Option<String>,
    /// ID of that item.
    item_id: Option<Id>,
}

impl From<DuplicateOf> for DuplicateAnswer {
    fn from(DuplicateOf { id, name, item, reason }: DuplicateOf) -> Self {
        let item_type = item.map(|(kind, _)| kind.path().to_owned());
        Self { id, name, reason, item_type, item_id: item.map(|(_, id)| id) }
    }
}

/// Existing channel or radio station for a new entry.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlaylistChangedItem")]
struct ChangedItemAnswer {
    /// Kind of the item: `tv-channels` or `radio-stations`.
    item_type: String,
    /// ID of the item.
    item_id: Id,
    /// Title of the item.
    name: String,
}

impl From<ChangedItem> for ChangedItemAnswer {
    fn from(ChangedItem { kind, id, name }: ChangedItem) -> Self {
        Self { item_type: kind.path().to_owned(), item_id: id, name }
    }
}

/// Entry of a source, compared with the channels in use.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlaylistEntry")]
struct EntryAnswer {
    /// ID of the entry.
    id: Id,
    /// Change of the entry: new, changed, unchanged or missing.
    change: EntryChange,
    /// Name of the entry.
    name: String,
    /// URL of the stream.
    url: String,
    /// Groups of the entry.
    groups: Vec<String>,
    /// Channel number of the list.
    number: Option<u32>,
    /// EPG ID of the list.
    guide_id: Option<String>,
    /// URL of the logo.
    logo: Option<String>,
    /// Whether the entry is a radio station.
    radio: bool,
    /// Whether a user has ignored the entry.
    ignored: bool,
    /// Property that identified a changed entry.
    recognised_by: Option<Sign>,
    /// Time since which the list lacks the entry.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    missing_since: Option<DateTime<Utc>>,
    /// Kind of the item created from the entry: `tv-channels` or `radio-stations`; null without
    /// one, or if it is deleted.
    item_type: Option<String>,
    /// ID of that item.
    item_id: Option<Id>,
    /// ID of the channel of which the entry is a further stream; null for no channel.
    stream_of: Option<Id>,
    /// Fields that differ from the applied values.
    fields: Vec<FieldAnswer>,
    /// Missing entries that may be the same.
    candidates: Vec<CandidateAnswer>,
    /// First entry of the list that this one repeats; null for no repetition.
    duplicate_of: Option<DuplicateAnswer>,
    /// Existing item for a new entry: the channel with its number and name, or the station with its
    /// code, to which applying gives the URL and values for empty fields; null for none.
    changes_item: Option<ChangedItemAnswer>,
}

impl From<EntryRow> for EntryAnswer {
    fn from(EntryRow { stored, fields, changes }: EntryRow) -> Self {
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
            candidates: stored.candidates.into_iter().map(CandidateAnswer::from).collect(),
            duplicate_of: stored.duplicate_of.map(DuplicateAnswer::from),
            changes_item: changes.map(ChangedItemAnswer::from),
        }
    }
}

/// Line that was rejected or is a repetition.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlaylistLine")]
struct LineAnswer {
    /// Line number, from 1.
    line: u32,
    /// `DUPLICATE` or `REFUSED`.
    change: EntryChange,
    /// Code of the reason.
    reason: String,
    /// Text of the reason, in the language of the request.
    message: String,
    /// Name of the entry, if the line is one.
    name: String,
    /// Line number of the repeated entry.
    of_line: Option<u32>,
}

fn line(left: LeftOut, language: Language) -> LineAnswer {
    let labels = reason_labels(&left.reason);
    LineAnswer {
        line: left.line,
        change: left.change,
        message: labels.map(|labels| labels.in_language(language.0).to_owned()).unwrap_or_default(),
        reason: left.reason,
        name: left.name,
        of_line: left.of_line,
    }
}

/// Numbers of a source's entries, compared with the channels in use; without ignored ones.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PlaylistChangeCounts")]
struct CountsAnswer {
    /// Number of new entries.
    new: i64,
    /// Number of changed entries.
    changed: i64,
    /// Number of unchanged entries.
    unchanged: i64,
    /// Number of missing entries.
    missing: i64,
    /// Number of ignored entries.
    ignored: i64,
}

impl From<EntryCounts> for CountsAnswer {
    fn from(EntryCounts { new, changed, unchanged, missing, ignored }: EntryCounts) -> Self {
        Self { new, changed, unchanged, missing, ignored }
    }
}

/// Number of changed entries.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PlaylistEntriesChanged")]
struct ChangedAnswer {
    /// Number of entries.
    changed: u64,
}

pub(crate) fn register(api: &mut Api) {
    register_reading(api);
    register_deciding(api);
}

fn register_reading(api: &mut Api) {
    let entry = api.schemas.response::<EntryAnswer>();
    let entries = api.schemas.page_of("PlaylistEntryPage", "Page of entries.", &entry);
    let line = api.schemas.response::<LineAnswer>();
    let lines = api.schemas.page_of("PlaylistLinePage", "Page of rejected and repeated lines.", &line);
    let codes = json!({"type": "array", "items": {"type": "string", "enum": ["NEW", "CHANGED", "UNCHANGED", "MISSING"]}});
    drop(
        api.route(Method::GET, "/playlist-sources/{id}/runs/{run}/changes", "listPlaylistChanges", changes)
            .about(TAG, "List the changes found by a run")
            .explained(
                "Only for the newest finished run: its changes are stored with the entries until they are \
                 applied, and later runs update them. `search` applies to names, EPG IDs and groups. \
                 Credentials are masked for users who may not change the source.",
            )
            .requires(playlist_permission(Action::Read))
            .lists(&PlaylistService::changes_shape())
            .filter("change", codes, "Change of the entry.")
            .filter("group", json!({"type": "string"}), "A group of the entry, as in the list.")
            .filter("grouped", json!({"type": "boolean"}), "Whether the entry has a group.")
            .filter("ignored", json!({"type": "boolean"}), "Whether the entry is ignored.")
            .filter("radio", json!({"type": "boolean"}), "Whether the entry is a radio station.")
            .filter("duplicate", json!({"type": "boolean"}), "Whether the entry repeats an earlier one.")
            .answers(200, "A page of rows.", entries)
            .fails(&[ErrorKind::Invalid, ErrorKind::Missing, ErrorKind::Conflict]),
    );
    let counts = api.schemas.response::<CountsAnswer>();
    drop(
        api.route(Method::GET, "/playlist-sources/{id}/runs/{run}/counts", "countPlaylistChanges", counts_of)
            .about(TAG, "Count the changes found by a run")
            .explained(
                "Only for the newest finished run. The numbers are those of the list of changes: entries \
                 that have not been applied are new, however often they were read.",
            )
            .requires(playlist_permission(Action::Read))
            .answers(200, "Numbers of entries.", counts)
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    let left_out = json!({"type": "string", "enum": ["DUPLICATE", "REFUSED"]});
    drop(
        api.route(Method::GET, "/playlist-sources/{id}/runs/{run}/lines", "listPlaylistLines", lines_of)
            .about(TAG, "List the rejected and repeated lines of a run")
            .explained(
                "The first 10,000 of each, in the order of the list; the counts of the run include \
                 all.",
            )
            .requires(playlist_permission(Action::Read))
            .pages(&PlaylistService::lines_shape())
            .filter("change", left_out, "Repeated entries, or rejected lines.")
            .answers(200, "A page of rows.", lines)
            .fails(&[ErrorKind::Invalid, ErrorKind::Missing]),
    );
}

fn register_deciding(api: &mut Api) {
    let request = api.schemas.request::<IgnoreRequest>();
    let changed = api.schemas.response::<ChangedAnswer>();
    drop(
        api.route(Method::POST, "/playlist-sources/{id}/ignored", "ignorePlaylistEntries", ignore)
            .about(TAG, "Ignore entries of a source, or restore them")
            .explained("An ignored entry stays ignored after refreshes and is never applied.")
            .requires(playlist_permission(Action::Update))
            .takes(request)
            .answers(200, "Number of changed entries.", changed)
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    let request = api.schemas.request::<MergeEntriesRequest>();
    let path = "/playlist-sources/{id}/entries/{entry}/merge";
    drop(
        api.route(Method::POST, path, "mergePlaylistEntries", merge)
            .about(TAG, "Merge a new entry into a missing one")
            .explained(
                "The missing entry, with its channel, gets the values of the new one, which is deleted. \
                 Differences from the channel are shown as changes.",
            )
            .requires(playlist_permission(Action::Update))
            .takes(request)
            .answers_nothing(204, "Merged.")
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    let request = api.schemas.request::<AddStreamRequest>();
    let applied = api.schemas.response::<AppliedAnswer>();
    let path = "/playlist-sources/{id}/entries/{entry}/stream";
    drop(
        api.route(Method::POST, path, "addPlaylistEntryToStreams", add_stream)
            .about(TAG, "Make an entry a further stream of a channel")
            .explained(
                "A new entry becomes the last stream of an existing channel, by an operation, which can be \
                 watched and undone. Its later changes are applied to that stream. A stream with the \
                 same URL becomes the entry's. Needs the permissions to create and to update channels.",
            )
            .requires(playlist_permission(Action::Update))
            .takes(request)
            .answers(202, "Started operation.", applied.clone())
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    let request = api.schemas.request::<AddStreamsRequest>();
    drop(
        api.route(Method::POST, "/playlist-sources/{id}/streams", "addPlaylistEntriesToStreams", add_streams)
            .about(TAG, "Make entries further streams of channels")
            .explained(
                "Like adding one entry, by one operation with a row for each channel. If any entry cannot \
                 become a stream of its channel, nothing is begun, and `errors` has the place of each. \
                 Needs the permissions to create and to update channels.",
            )
            .requires(playlist_permission(Action::Update))
            .takes(request)
            .answers(202, "Started operation.", applied)
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
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

async fn counts_of(
    caller: AuthUser,
    service: Playlists,
    path: PathId,
) -> Result<Json<CountsAnswer>, Problem> {
    let (source, run) = ids(&path)?;
    Ok(Json(CountsAnswer::from(service.change_counts(&caller, source, run).await?)))
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
    let operations = service.add_stream(&caller, source, entry, &body.0).await?;
    Ok(HttpResponse::Accepted().json(AppliedAnswer::from(operations)))
}

async fn add_streams(
    caller: AuthUser,
    service: Playlists,
    id: ItemId,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let operations = service.add_streams(&caller, id.0, &body.0).await?;
    Ok(HttpResponse::Accepted().json(AppliedAnswer::from(operations)))
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

/// IDs of a source and of one of its entries.
fn entry_ids(path: &PathId) -> Result<(Id, Id), Problem> {
    path.named("id").zip(path.named("entry")).ok_or_else(Problem::no_such_path)
}
