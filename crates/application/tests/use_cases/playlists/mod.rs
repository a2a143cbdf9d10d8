//! Playlists: their sources, their runs, and applies. This file has what their tests share: a source
//! with a run that is claimed, its files, and the service over mocked stores.

mod applies;
mod runs;
mod sources;

use std::sync::{Arc, Mutex};

use application::{Job, OperationService, PlaylistService, PlaylistStores};
use async_trait::async_trait;
use domain_kernel::Id;
use domain_live::{
    entry::Entry,
    playlist::{Limits, PlaylistFault, Summary},
    run::{PlaylistRun, RunCounts, RunState},
    source::{PlaylistSource, PlaylistSourceDraft},
};
use ports::{
    ClaimedRun, FetchedPlaylist, MockEntryStreamRepository, MockLiveProfileRepository, MockMatchRepository,
    MockPlaylistEntryRepository, MockPlaylistRunRepository, MockPlaylistSourceRepository,
    MockSheetRepository, OpenPlaylist, PlaylistFetchFault, PlaylistFiles, PlaylistPacker, RunEnd,
    UnfinishedRun,
};
use serde_json::json;

use crate::support::{calendar, content_services, now, operations};

const SOURCE: Id = 3;
const RUN: Id = 7;

fn run(scheduled: bool) -> PlaylistRun {
    PlaylistRun {
        id: RUN,
        source: SOURCE,
        state: RunState::Running,
        scheduled,
        file_name: None,
        accept_loss: false,
        created_by: None,
        created_date: now(),
        finished_date: None,
        fault: None,
        status_code: None,
        limit: None,
        counts: RunCounts::default(),
        guides: Vec::new(),
        operations: Vec::new(),
        apply_fault: None,
    }
}

fn claim() -> ClaimedRun {
    let draft: PlaylistSourceDraft =
        serde_json::from_value(json!({"title": "España", "url": "https://h.example/l.m3u"})).unwrap();
    let source = PlaylistSource {
        id: SOURCE,
        version: 1,
        draft,
        updated_by: "ana_1".to_owned(),
        created_date: now(),
        updated_date: now(),
        next_refresh_date: None,
        last_run: None,
    };
    ClaimedRun { run: run(false), source, attempt: 1, file: None, etag: Some("\"1\"".to_owned()) }
}

fn entry(number: u32) -> Entry {
    Entry {
        line: number,
        name: format!("Canal {number}"),
        url: format!("http://p.example/{number}.ts"),
        ..Entry::default()
    }
}

/// A source with this response, and a list of these entries.
struct Files {
    answer: Result<FetchedPlaylist, PlaylistFetchFault>,
    list: Result<Vec<Entry>, PlaylistFault>,
}

impl Files {
    fn failing(fault: PlaylistFetchFault) -> Self {
        Self { answer: Err(fault), list: Ok(Vec::new()) }
    }

    fn with(list: Result<Vec<Entry>, PlaylistFault>) -> Self {
        let etag = Some("\"2\"".to_owned());
        Self { answer: Ok(FetchedPlaylist::Whole { list: Vec::new(), etag }), list }
    }

    fn of(numbers: impl Iterator<Item = u32>) -> Self {
        Self::with(Ok(numbers.map(entry).collect()))
    }
}

struct Open(Option<Result<Vec<Entry>, PlaylistFault>>);

impl OpenPlaylist for Open {
    fn next(&mut self) -> Result<Option<Vec<Entry>>, PlaylistFault> {
        self.0.take().transpose().map(|entries| entries.filter(|entries| !entries.is_empty()))
    }

    fn summary(&mut self) -> Summary {
        Summary::default()
    }
}

#[async_trait]
impl PlaylistFiles for Files {
    fn limits(&self) -> Limits {
        Limits::default()
    }

    async fn fetch(&self, url: &str, etag: Option<&str>) -> Result<FetchedPlaylist, PlaylistFetchFault> {
        assert_eq!((url, etag), ("https://h.example/l.m3u", Some("\"1\"")));
        self.answer.clone()
    }

    fn packer(&self) -> Box<dyn PlaylistPacker> {
        unreachable!("nothing is uploaded")
    }

    fn open<'a>(&self, _: &'a [u8]) -> Box<dyn OpenPlaylist + 'a> {
        Box::new(Open(Some(self.list.clone())))
    }
}

/// Stores without expected calls.
fn stores() -> PlaylistStores {
    PlaylistStores {
        sources: Arc::new(MockPlaylistSourceRepository::new()),
        runs: Arc::new(MockPlaylistRunRepository::new()),
        entries: Arc::new(MockPlaylistEntryRepository::new()),
        streams: Arc::new(MockEntryStreamRepository::new()),
        sheets: Arc::new(MockSheetRepository::new()),
        profiles: Arc::new(MockLiveProfileRepository::new()),
        matches: Arc::new(MockMatchRepository::new()),
    }
}

fn service(
    runs: MockPlaylistRunRepository,
    entries: MockPlaylistEntryRepository,
    files: impl PlaylistFiles + 'static,
) -> PlaylistService {
    service_with(runs, entries, files, operations())
}

fn service_with(
    runs: MockPlaylistRunRepository,
    entries: MockPlaylistEntryRepository,
    files: impl PlaylistFiles + 'static,
    operations: OperationService,
) -> PlaylistService {
    let mut profiles = MockLiveProfileRepository::new();
    profiles.expect_ids_in_several_guides().returning(|| Ok(Vec::new()));
    let (runs, entries, profiles) = (Arc::new(runs), Arc::new(entries), Arc::new(profiles));
    let stores = PlaylistStores { runs, entries, profiles, ..stores() };
    PlaylistService::new(stores, Arc::new(files), content_services(), Arc::new(operations), calendar())
}

/// One unfinished run, which is claimed.
fn claiming(runs: &mut MockPlaylistRunRepository, claim: ClaimedRun) {
    let unfinished = UnfinishedRun { run: claim.run.id, source: claim.source.id, url: None };
    runs.expect_unfinished().return_once(move || Ok(vec![unfinished]));
    runs.expect_claim().return_once(move |_| Ok(Some(claim)));
}

/// Runs without a pending apply.
fn nothing_to_apply() -> MockPlaylistRunRepository {
    let mut runs = MockPlaylistRunRepository::new();
    runs.expect_waiting_for_apply().returning(|| Ok(None));
    runs
}

/// The end of a run. Unexpected calls fail.
async fn end_of(mut runs: MockPlaylistRunRepository, files: Files) -> RunEnd {
    let ended = Arc::new(Mutex::new(None));
    let kept = ended.clone();
    runs.expect_end().times(1).returning(move |_, end, _| {
        *kept.lock().unwrap() = Some(end);
        Ok(true)
    });
    assert!(service(runs, MockPlaylistEntryRepository::new(), files).run_next().await.unwrap());
    ended.lock().unwrap().take().unwrap()
}
