//! What the runs of a playlist source found: entries and lines, and what is decided of them (docs/spec/live-tv.md#runs).

use actix_web::{HttpResponse, http::Method, web::Json};
use application::{
    AddStreamRequest, ChangedItem, EntryRow, IgnoreRequest, MergeEntriesRequest, PlaylistService,
    playlist_permission,
};
use chrono::{DateTime, Utc};
use domain_kernel::{Action, Enumeration, ErrorKind, Id, Page};
use domain_live::{
    diff::{EntryChange, EntryField, FieldChange, Sign},
    playlist::{EntryDuplicateReason, LineFault},
};
use ports::{DuplicateOf, LeftOut};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::playlist_runs::{Playlists, TAG, ids};
use crate::{
    caller::AuthUser,
    extract::{Body, ItemId, Pairs, PathId},
    language::Language,
    openapi::Api,
    problem::Problem,
};

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
    /// The list's value is not applied: a user has changed this field of the channel, or the channel keeps its id in its guide.
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

/// The channel or radio station that a new entry is already.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlaylistChangedItem")]
struct ChangedItemAnswer {
    /// `tv-channels` or `radio-stations`.
    item_type: String,
    /// Its id.
    item_id: Id,
    /// What it is called.
    name: String,
}

impl From<ChangedItem> for ChangedItemAnswer {
    fn from(ChangedItem { kind, id, name }: ChangedItem) -> Self {
        Self { item_type: kind.path().to_owned(), item_id: id, name }
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
    /// Of a new entry: the channel with its number and name, or the station with its code, to which applying gives the address and
    /// what it lacks; null where there is none.
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
            candidates: stored
                .candidates
                .into_iter()
                .map(|(id, name)| CandidateAnswer { id, name })
                .collect(),
            duplicate_of: stored.duplicate_of.map(DuplicateAnswer::from),
            changes_item: changes.map(ChangedItemAnswer::from),
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
    register_reading(api);
    register_deciding(api);
}

fn register_reading(api: &mut Api) {
    let entry = api.schemas.response::<EntryAnswer>();
    let entries = api.schemas.page_of("PlaylistEntryPage", "A page of what a run found.", &entry);
    let line = api.schemas.response::<LineAnswer>();
    let lines = api.schemas.page_of("PlaylistLinePage", "A page of the lines that a run left out.", &line);
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
            .filter("change", codes, "What entries are to what is in use.")
            .filter("group", json!({"type": "string"}), "The first group, as the list writes it.")
            .filter("ignored", json!({"type": "boolean"}), "Only those that are ignored, or are not.")
            .filter("radio", json!({"type": "boolean"}), "Only radio stations, or only channels.")
            .filter("duplicate", json!({"type": "boolean"}), "Only those that repeat an earlier entry, or do not.")
            .answers(200, "A page of rows.", entries)
            .fails(&[ErrorKind::Invalid, ErrorKind::Missing, ErrorKind::Conflict]),
    );
    let left_out = json!({"type": "string", "enum": ["DUPLICATE", "REFUSED"]});
    drop(
        api.route(Method::GET, "/playlist-sources/{id}/runs/{run}/lines", "listPlaylistLines", lines_of)
            .about(TAG, "List the lines that a run left out")
            .explained("The first 10,000 of each, in the order of the list; the run counts all.")
            .requires(playlist_permission(Action::Read))
            .pages(&PlaylistService::lines_shape())
            .filter("change", left_out, "Entries that repeat another one, or lines that can't be read.")
            .answers(200, "A page of rows.", lines)
            .fails(&[ErrorKind::Invalid, ErrorKind::Missing]),
    );
}

fn register_deciding(api: &mut Api) {
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
