//! Sources of playlists: storage, runs, comparison with known entries, application to channels
//! (docs/spec/live-tv.md).
//!
//! A run changes no channel. Its changes are stored with the entries until a user, or the source's
//! setting, applies them.

mod applying;
mod changes;
mod concurrency;
mod guide_ids;
mod items;
mod rows;
mod running;
mod runs;
mod streams;

use std::sync::Arc;

use domain_catalogue::{CategoryType, RadioGenre, Reference};
use domain_kernel::{
    Action, Actor, Code, DraftReader, Enumeration, Id, ListQuery, Page, Permission, Subject, Version,
    Violation, Violations,
};
use domain_live::{
    profile::PROFILE_SECRET,
    run::RunState,
    source::{GroupCategory, PlaylistSource, PlaylistSourceDraft},
};
use ports::{
    EntryStreamRepository, Inserted, LiveProfileRepository, MatchRepository, PlaylistEntryRepository,
    PlaylistFiles, PlaylistRunRepository, PlaylistSourceRepository, SheetRepository, StoreError, Written,
};
use serde_json::{Value, json};

use self::concurrency::ReadingLock;
pub use self::{
    applying::ApplyRequest,
    changes::{ChangedItem, EntryRow, GroupRow, IgnoreRequest, MergeEntriesRequest},
    runs::{RunBegun, RunRequest},
    streams::{AddStreamRequest, AddStreamsRequest, AddedStream},
};
use crate::{
    Calendar, ContentServices, Error, ListShape, OperationService, PlaylistRefusal,
    active_runs::ActiveRuns,
    body::{parse, to_json},
    idempotency::idempotency_key,
    keys::hashed,
    merge::merged,
    read_list_query,
    versions::{require_version, retry_if_outdated},
};

/// Topic of the texts.
const SOURCES: &str = "playlist-sources";
const RUNS: &str = "playlist-runs";
const PLAYLIST: Subject = Subject("PLAYLIST");

/// Permission for an action on sources.
pub const fn playlist_permission(action: Action) -> Permission {
    Permission::new(PLAYLIST, action)
}

#[derive(Clone)]
pub struct PlaylistStores {
    pub sources: Arc<dyn PlaylistSourceRepository>,
    pub runs: Arc<dyn PlaylistRunRepository>,
    pub entries: Arc<dyn PlaylistEntryRepository>,
    /// Entries that are further streams of channels.
    pub streams: Arc<dyn EntryStreamRepository>,
    /// Imported files: changes are applied like the rows of one.
    pub sheets: Arc<dyn SheetRepository>,
    /// Published playlists, which can't be sources.
    pub profiles: Arc<dyn LiveProfileRepository>,
    /// Decisions about the guides of channels.
    pub matches: Arc<dyn MatchRepository>,
}

/// Use cases of playlists.
pub struct PlaylistService {
    stores: PlaylistStores,
    files: Arc<dyn PlaylistFiles>,
    contents: ContentServices,
    operations: Arc<OperationService>,
    calendar: Calendar,
    drafts: DraftReader<PlaylistSourceDraft>,
    run_requests: DraftReader<RunRequest>,
    apply_requests: DraftReader<ApplyRequest>,
    ignore_requests: DraftReader<IgnoreRequest>,
    merge_requests: DraftReader<MergeEntriesRequest>,
    stream_requests: DraftReader<AddStreamRequest>,
    streams_requests: DraftReader<AddStreamsRequest>,
    active: ActiveRuns,
    reading: ReadingLock,
}

/// A source, and whether the request was a repetition.
#[derive(Debug)]
pub struct SourceCreated {
    pub source: PlaylistSource,
    /// Whether the same idempotency key was used before.
    pub replayed: bool,
}

fn missing(id: Id) -> Error {
    Error::NoSuch { what: SOURCES, id }
}

impl PlaylistService {
    pub fn list_shape() -> ListShape {
        ListShape { page_size: 10, sorts: vec!["id", "title"], filters: &[] }
    }

    pub fn new(
        stores: PlaylistStores,
        files: Arc<dyn PlaylistFiles>,
        contents: ContentServices,
        operations: Arc<OperationService>,
        calendar: Calendar,
    ) -> Self {
        Self {
            stores,
            files,
            contents,
            operations,
            calendar,
            drafts: DraftReader::new(),
            run_requests: DraftReader::new(),
            apply_requests: DraftReader::new(),
            ignore_requests: DraftReader::new(),
            merge_requests: DraftReader::new(),
            stream_requests: DraftReader::new(),
            streams_requests: DraftReader::new(),
            active: ActiveRuns::default(),
            reading: ReadingLock::default(),
        }
    }

    /// A page of sources. `pairs` are those of the query string.
    pub async fn list(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<PlaylistSource>>, Error> {
        let page = self.stores.sources.list(&Self::read_list(actor, pairs)?).await?;
        Ok(page.map(|sources| sources_seen_by(actor, sources)))
    }

    /// Reads the parameters of the list.
    pub(crate) fn read_list(actor: &Actor, pairs: &[(String, String)]) -> Result<ListQuery, Error> {
        actor.require(playlist_permission(Action::Read))?;
        Ok(read_list_query(&Self::list_shape(), pairs)?)
    }

    pub async fn find(&self, actor: &Actor, id: Id) -> Result<PlaylistSource, Error> {
        actor.require(playlist_permission(Action::Read))?;
        Ok(seen_by(actor, self.whole(id).await?))
    }

    /// A source with its credentials.
    async fn whole(&self, id: Id) -> Result<PlaylistSource, Error> {
        self.stores.sources.find(id).await?.ok_or_else(|| missing(id))
    }

    pub async fn create(
        &self,
        actor: &Actor,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<SourceCreated, Error> {
        actor.require(playlist_permission(Action::Create))?;
        let json = parse(body)?;
        let once = idempotency_key(actor, key, SOURCES, &json);
        let draft = self.checked(json, None).await?;
        let categories = categories_of(&draft);
        let outcome = self.stores.sources.add(draft, &self.calendar.edit_by(actor), once).await;
        let (source, replayed) = match self.unless_dangling(outcome, &categories).await? {
            Inserted::New(source) => (source, false),
            Inserted::Replayed(source) => (source, true),
            Inserted::KeyReused => return Err(Error::IdempotencyMismatch),
            Inserted::Conflict(never) => match never {},
        };
        tracing::info!(actor = actor.username.as_str(), source = source.id, "playlist source created");
        Ok(SourceCreated { source: seen_by(actor, source), replayed })
    }

    /// Replaces the fields of a source.
    pub async fn replace(
        &self,
        actor: &Actor,
        id: Id,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<PlaylistSource, Error> {
        actor.require(playlist_permission(Action::Update))?;
        let current = self.whole(id).await?;
        let draft = self.checked(parse(body)?, Some(&current.draft)).await?;
        let source = self.overwrite(actor, id, draft, expected).await?;
        tracing::info!(actor = actor.username.as_str(), source = id, "playlist source changed");
        Ok(source)
    }

    /// Merges changes into a source (RFC 7396); the complete result must be valid.
    pub async fn merge(
        &self,
        actor: &Actor,
        id: Id,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<PlaylistSource, Error> {
        actor.require(playlist_permission(Action::Update))?;
        let patch = parse(body)?;
        retry_if_outdated(expected, async || {
            let current = self.whole(id).await?;
            require_version(expected, current.version, || {
                Ok(Error::Outdated(Box::new(current_json(actor, current.clone())?)))
            })?;
            let form = merged(&current.draft, patch.clone())?;
            let draft = self.checked(form, Some(&current.draft)).await?;
            let source = self.overwrite(actor, id, draft, Some(current.version)).await?;
            tracing::info!(actor = actor.username.as_str(), source = id, "playlist source changed");
            Ok(source)
        })
        .await
    }

    /// Deletes a source with its runs and entries. Channels are kept.
    pub async fn delete(&self, actor: &Actor, id: Id, expected: Option<Version>) -> Result<(), Error> {
        actor.require(playlist_permission(Action::Delete))?;
        let removed = self.stores.sources.remove(id, expected, &self.calendar.edit_by(actor)).await?;
        written(actor, id, removed)?;
        tracing::info!(actor = actor.username.as_str(), source = id, "playlist source deleted");
        Ok(())
    }

    /// A valid draft with existing references. The previous URL is accepted, so that its source can
    /// be deactivated.
    async fn checked(
        &self,
        json: Value,
        previous: Option<&PlaylistSourceDraft>,
    ) -> Result<garde::Valid<PlaylistSourceDraft>, Error> {
        let draft = self.drafts.read(json, &())?;
        let mut violations = Vec::new();
        if let Some(url) = &draft.url
            && previous.and_then(|previous| previous.url.as_ref()) != Some(url)
            && self.is_own_playlist(&url.0).await?
        {
            violations.push(Violation::new("url", Code::OwnPlaylist));
        }
        violations.extend(self.category_faults(&categories_of(&draft)).await?);
        if draft.radio_genre.as_deref().is_some_and(|code| RadioGenre::from_code(code).is_none()) {
            let fault = Violation::new("radioGenre", Code::UnknownValue);
            violations.push(fault.with("allowed", RadioGenre::CODES.to_vec()));
        }
        if violations.is_empty() { Ok(draft) } else { Err(Violations(violations).shortened().into()) }
    }

    /// Violations of category references, by field.
    async fn category_faults(&self, categories: &[(String, Id)]) -> Result<Vec<Violation>, Error> {
        let mut violations = Vec::new();
        let mut seen: Vec<(Id, Option<Violation>)> = Vec::new();
        for (field, id) in categories {
            let known = seen.iter().find(|(known, _)| known == id).map(|(_, fault)| fault.clone());
            let fault = if let Some(fault) = known {
                fault
            } else {
                let reference = Reference::category("categoryId", *id, CategoryType::TvChannel);
                self.contents.tv_channels.fault_of(&reference).await?
            };
            seen.push((*id, fault.clone()));
            violations.extend(fault.map(|fault| Violation { field: field.clone(), ..fault }));
        }
        Ok(violations)
    }

    async fn overwrite(
        &self,
        actor: &Actor,
        id: Id,
        draft: garde::Valid<PlaylistSourceDraft>,
        expected: Option<Version>,
    ) -> Result<PlaylistSource, Error> {
        let categories = categories_of(&draft);
        let outcome = self.stores.sources.replace(id, draft, expected, &self.calendar.edit_by(actor)).await;
        written(actor, id, self.unless_dangling(outcome, &categories).await?)
    }

    /// After a foreign-key violation at the write, the repeated check has the better error.
    async fn unless_dangling<T>(
        &self,
        outcome: Result<T, StoreError>,
        categories: &[(String, Id)],
    ) -> Result<T, Error> {
        if let Err(StoreError::Dangling(_)) = outcome {
            let faults = self.category_faults(categories).await?;
            if !faults.is_empty() {
                return Err(Violations(faults).shortened().into());
            }
        }
        Ok(outcome?)
    }

    /// Rejects a source that has had the address of a live profile since before such addresses were refused.
    async fn require_other_playlist(&self, source: &PlaylistSource) -> Result<(), Error> {
        if let Some(url) = &source.draft.url
            && self.is_own_playlist(&url.0).await?
        {
            return Err(Error::Playlist(PlaylistRefusal::OwnPlaylist));
        }
        Ok(())
    }

    /// Whether a URL has the secret of a live profile in it, under any host name.
    async fn is_own_playlist(&self, url: &str) -> Result<bool, Error> {
        for part in url.split(['/', '?', '#']).filter(|part| PROFILE_SECRET.reads(part)) {
            if self.stores.profiles.find_by_hash(&hashed(part)).await?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Category references of a draft, by field.
fn categories_of(draft: &PlaylistSourceDraft) -> Vec<(String, Id)> {
    let by_default = draft.default_category_id.map(|id| ("defaultCategoryId".to_owned(), id));
    let of_group = |(index, one): (usize, &GroupCategory)| {
        Some((format!("categories[{index}].categoryId"), one.category_id?))
    };
    let groups = draft.categories.iter().enumerate().filter_map(of_group);
    by_default.into_iter().chain(groups).collect()
}

/// Sources as the actor sees them.
pub(crate) fn sources_seen_by(actor: &Actor, sources: Vec<PlaylistSource>) -> Vec<PlaylistSource> {
    sources.into_iter().map(|source| seen_by(actor, source)).collect()
}

/// A source as the actor sees it: with credentials only for users who may change it.
fn seen_by(actor: &Actor, source: PlaylistSource) -> PlaylistSource {
    if actor.may(playlist_permission(Action::Update)) {
        source
    } else {
        PlaylistSource { draft: source.draft.masked(), ..source }
    }
}

fn written(actor: &Actor, id: Id, written: Written<PlaylistSource>) -> Result<PlaylistSource, Error> {
    match written {
        Written::Done(source) => Ok(source),
        Written::Missing => Err(missing(id)),
        Written::Outdated(current) => Err(Error::Outdated(Box::new(current_json(actor, current)?))),
        Written::Conflict(never) => match never {},
    }
}

/// The source as in responses to the actor: its draft, and the server's fields. A masked URL would
/// count as a change of it.
fn current_json(actor: &Actor, source: PlaylistSource) -> Result<Value, Error> {
    let source = seen_by(actor, source);
    let mut json = to_json(&source.draft)?;
    json["id"] = json!(source.id);
    json["version"] = json!(source.version);
    Ok(json)
}

/// Rejects entries that a run is writing: they have not been shown yet.
fn not_running(source: &PlaylistSource) -> Result<(), Error> {
    let is_running = source.last_run.as_ref().is_some_and(|run| run.state == RunState::Running);
    if is_running { Err(Error::Playlist(PlaylistRefusal::AnotherRun)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use domain_kernel::{Origin, RoleCode, Username};

    use super::*;

    #[test]
    fn who_may_only_read_sources_sees_no_credentials_in_the_list_nor_in_its_file() {
        const READS: &[Permission] = &[playlist_permission(Action::Read)];
        const EDITS: &[Permission] =
            &[playlist_permission(Action::Read), playlist_permission(Action::Update)];
        let address = "http://ana:clave1@h.example/get.php?password=clave2";
        let seen = |permissions| {
            let username = Username::parse("ana").unwrap();
            let actor =
                Actor { username, role: RoleCode::ContentManager, permissions, origin: Origin::SERVER };
            let draft = json!({"title": "España", "url": address});
            let source = PlaylistSource {
                id: 1,
                version: 1,
                draft: serde_json::from_value(draft).unwrap(),
                updated_by: "ana".to_owned(),
                created_date: chrono::DateTime::UNIX_EPOCH,
                updated_date: chrono::DateTime::UNIX_EPOCH,
                next_refresh_date: None,
                last_run: None,
            };
            sources_seen_by(&actor, vec![source]).remove(0).draft.url.unwrap().0
        };
        assert_eq!(seen(EDITS), address);
        assert!(!seen(READS).contains("clave"), "{}", seen(READS));
    }
}
