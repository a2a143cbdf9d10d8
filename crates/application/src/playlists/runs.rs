//! Runs of a source: start, list, get.

use domain_kernel::{Action, Actor, FilterKind, Id, ListQuery, Page, Sort, Violations};
use domain_live::{address::masked, run::PlaylistRun};
use garde::Validate;
use ports::{AnotherRun, Inserted, LeftOut, NewRun, PlaylistPacker};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{PlaylistService, RUNS, playlist_permission};
use crate::{
    Error, ListShape, PlaylistRefusal, body::parse, idempotency::idempotency_key, listing::required_id,
    read_list_query,
};

/// Maximum characters of a stored file name.
const LONGEST_FILE_NAME: usize = 200;

/// Options of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PlaylistRunRequest")]
#[garde(context(()))]
pub struct RunRequest {
    /// Whether more than 30 % of the entries in use may be missing. Otherwise such a run stops and
    /// changes nothing.
    #[garde(skip)]
    #[serde(default)]
    pub accept_loss: bool,
}

/// A run, and whether the request was a repetition.
#[derive(Debug)]
pub struct RunBegun {
    pub run: PlaylistRun,
    /// Whether the same idempotency key was used before.
    pub replayed: bool,
}

/// IDs of a source and a run, and the other parameters.
type OfRun = (Id, Id, Vec<(String, String)>);

/// The parameters `source` and `run` of the file of a run's list, and the others.
pub(super) fn source_and_run(pairs: &[(String, String)]) -> Result<OfRun, Violations> {
    let (source, others) = required_id(pairs, "source")?;
    let (run, others) = required_id(&others, "run")?;
    Ok((source, run, others))
}

impl PlaylistService {
    /// List parameters of a source's runs.
    pub fn runs_shape() -> ListShape {
        ListShape { page_size: 10, sorts: vec!["id"], filters: &[] }
    }

    /// List parameters of a run's rejected lines.
    pub fn lines_shape() -> ListShape {
        const LEFT_OUT: &[&str] = &["DUPLICATE", "REFUSED"];
        ListShape { page_size: 25, sorts: vec!["id"], filters: &[("change", FilterKind::Code(LEFT_OUT))] }
    }

    /// Requests a fetch of a source's list, which a job runs.
    pub async fn begin_run(
        &self,
        actor: &Actor,
        source: Id,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<RunBegun, Error> {
        actor.require(playlist_permission(Action::Update))?;
        let json = parse(body)?;
        let once = idempotency_key(actor, key, &format!("{RUNS} of {source}"), &json);
        let request = self.run_requests.read(json, &())?.into_inner();
        let stored = self.whole(source).await?;
        if stored.draft.url.is_none() {
            return Err(Error::Playlist(PlaylistRefusal::NoAddress));
        }
        self.require_other_playlist(&stored).await?;
        let run = NewRun {
            source,
            file: None,
            accept_loss: request.accept_loss,
            created_by: actor.username.to_string(),
            created_date: self.calendar.now(),
        };
        self.begun(actor, run, once).await
    }

    /// Begins an upload of a list, compressed, after a check of the permission.
    pub async fn begin_upload(&self, actor: &Actor, source: Id) -> Result<Box<dyn PlaylistPacker>, Error> {
        actor.require(playlist_permission(Action::Update))?;
        self.whole(source).await?;
        Ok(self.files.packer())
    }

    /// Maximum bytes of an uploaded list.
    pub fn largest_upload(&self) -> u64 {
        self.files.limits().bytes
    }

    /// Requests reading an uploaded list.
    pub async fn begin_uploaded_run(
        &self,
        actor: &Actor,
        source: Id,
        file_name: &str,
        accept_loss: bool,
        list: Vec<u8>,
        key: Option<&str>,
    ) -> Result<RunBegun, Error> {
        actor.require(playlist_permission(Action::Update))?;
        let list_hash = format!("{:x}", Sha256::digest(&list));
        let meaning = json!({"fileName": file_name, "acceptLoss": accept_loss, "list": list_hash});
        let once = idempotency_key(actor, key, &format!("{RUNS} of {source}"), &meaning);
        let name: String = file_name.chars().filter(|c| !c.is_control()).take(LONGEST_FILE_NAME).collect();
        let run = NewRun {
            source,
            file: Some((name, list)),
            accept_loss,
            created_by: actor.username.to_string(),
            created_date: self.calendar.now(),
        };
        self.begun(actor, run, once).await
    }

    async fn begun(
        &self,
        actor: &Actor,
        run: NewRun,
        once: Option<ports::IdempotencyKey>,
    ) -> Result<RunBegun, Error> {
        let source = run.source;
        match self.stores.runs.begin(run, once).await? {
            Inserted::New(run) => {
                tracing::info!(actor = actor.username.as_str(), source, run = run.id, "playlist run begun");
                Ok(RunBegun { run, replayed: false })
            }
            Inserted::Replayed(run) => Ok(RunBegun { run, replayed: true }),
            Inserted::KeyReused => Err(Error::IdempotencyMismatch),
            Inserted::Conflict(AnotherRun) => Err(Error::Playlist(PlaylistRefusal::AnotherRun)),
        }
    }

    /// A page of a source's runs, newest first by default.
    pub async fn runs(
        &self,
        actor: &Actor,
        source: Id,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<PlaylistRun>>, Error> {
        actor.require(playlist_permission(Action::Read))?;
        self.whole(source).await?;
        let mut query = read_list_query(&Self::runs_shape(), pairs)?;
        if query.sort.is_empty() {
            query.sort.push(Sort { field: "id".to_owned(), descending: true });
        }
        let page = self.stores.runs.list(source, &query).await?;
        Ok(page.map(|runs| runs.into_iter().map(|run| seen_by(actor, run)).collect()))
    }

    pub async fn run(&self, actor: &Actor, source: Id, id: Id) -> Result<PlaylistRun, Error> {
        actor.require(playlist_permission(Action::Read))?;
        let found = self.stores.runs.find(source, id).await?;
        found.map(|run| seen_by(actor, run)).ok_or(Error::NoSuch { what: RUNS, id })
    }

    /// A page of the rejected lines of a run, and of repeated entries.
    pub async fn left_out(
        &self,
        actor: &Actor,
        source: Id,
        run: Id,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<LeftOut>>, Error> {
        let (run, query) = self.read_lines(actor, source, run, pairs).await?;
        Ok(self.stores.runs.left_out(run, &query).await?)
    }

    async fn read_lines(
        &self,
        actor: &Actor,
        source: Id,
        run: Id,
        pairs: &[(String, String)],
    ) -> Result<(Id, ListQuery), Error> {
        let run = self.run(actor, source, run).await?;
        Ok((run.id, read_list_query(&Self::lines_shape(), pairs)?))
    }

    /// Reads the parameters of the file of a run's lines: `source`, `run` and those of the list. Returns the
    /// run and the query.
    pub(crate) async fn read_lines_of(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<(Id, ListQuery), Error> {
        actor.require(playlist_permission(Action::Read))?;
        let (source, run, others) = source_and_run(pairs)?;
        self.read_lines(actor, source, run, &others).await
    }

    /// The run whose changes are stored with the entries; `Err` after a later finished run.
    pub(super) async fn current_run(&self, source: Id, id: Id) -> Result<PlaylistRun, Error> {
        let run = self.stores.runs.find(source, id).await?.ok_or(Error::NoSuch { what: RUNS, id })?;
        let newest = self.stores.runs.newest_finished(source).await?;
        if newest.is_some_and(|newest| newest.id == run.id) {
            Ok(run)
        } else {
            Err(Error::Playlist(PlaylistRefusal::Superseded))
        }
    }
}

/// A run as the actor sees it: with credentials only for users who may change the source.
fn seen_by(actor: &Actor, run: PlaylistRun) -> PlaylistRun {
    if actor.may(playlist_permission(Action::Update)) {
        return run;
    }
    PlaylistRun { guides: run.guides.iter().map(|url| masked(url)).collect(), ..run }
}
