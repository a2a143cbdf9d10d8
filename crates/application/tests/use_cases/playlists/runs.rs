//! Runs of playlists: what is fetched, read and written, and how they end.

use std::sync::{Arc, Mutex};

use application::{Error, Job};
use async_trait::async_trait;
use domain_kernel::Page;
use domain_live::{
    diff::EntryChange,
    fetch::FetchFault,
    playlist::{Limits, PlaylistFault},
    run::{PlaylistRun, RunCounts, RunFault, RunState},
};
use ports::{
    ClaimedRun, EntryWrite, FetchedPlaylist, KnownEntry, LeftOut, MockPlaylistEntryRepository,
    MockPlaylistRunRepository, OpenPlaylist, PlaylistFetchFault, PlaylistFiles, PlaylistPacker, StoreError,
    UnfinishedRun,
};
use serde_json::json;
use tokio::sync::Notify;

use super::{Files, RUN, claim, claiming, end_of, entry, nothing_to_apply, run, service};

fn known(number: u32) -> KnownEntry {
    KnownEntry { id: number.into(), entry: entry(number), missing: false, in_use: true }
}

/// Runs of a source with this claim and these known entries.
fn runs(claim: ClaimedRun, entries: Vec<KnownEntry>) -> MockPlaylistRunRepository {
    let mut runs = nothing_to_apply();
    claiming(&mut runs, claim);
    runs.expect_known()
        .returning(move |_, after, _| Ok(entries.iter().filter(|entry| entry.id > after).cloned().collect()));
    runs
}

type Written = Arc<Mutex<Vec<Vec<EntryWrite>>>>;

/// Captures every written slice.
fn writing(runs: &mut MockPlaylistRunRepository) -> Written {
    let written = Written::default();
    let kept = written.clone();
    // Captured before the write.
    runs.expect_keep_list().times(0..=1).returning(|_, _| Ok(true));
    runs.expect_write().returning(move |_, slice, _| {
        kept.lock().unwrap().push(slice);
        Ok(true)
    });
    written
}

#[tokio::test]
async fn without_a_run_nothing_is_fetched() {
    let mut runs = nothing_to_apply();
    runs.expect_unfinished().return_once(|| Ok(Vec::new()));
    let files = Files::of(1..2);
    assert!(!service(runs, MockPlaylistEntryRepository::new(), files).run_next().await.unwrap());
}

/// Sources that fail, the one of a slow host once it is notified.
struct SlowHost(Arc<Notify>);

#[async_trait]
impl PlaylistFiles for SlowHost {
    fn limits(&self) -> Limits {
        Limits::default()
    }

    async fn fetch(&self, url: &str, _: Option<&str>) -> Result<FetchedPlaylist, PlaylistFetchFault> {
        if url.contains("slow") {
            self.0.notified().await;
        }
        Err(PlaylistFetchFault::Status(503))
    }

    fn packer(&self) -> Box<dyn PlaylistPacker> {
        unreachable!("nothing is uploaded")
    }

    fn open<'a>(&self, _: &'a [u8]) -> Box<dyn OpenPlaylist + 'a> {
        unreachable!("nothing is fetched")
    }
}

#[tokio::test]
async fn a_source_does_not_wait_for_the_slow_host_of_another() {
    let url =
        |source: i64| if source == 1 { "https://slow.example/l.m3u" } else { "https://h.example/l.m3u" };
    let unfinished = move |source| UnfinishedRun { run: source, source, url: Some(url(source).to_owned()) };
    let mut runs = nothing_to_apply();
    runs.expect_unfinished().returning(move || Ok(vec![unfinished(1), unfinished(2)]));
    runs.expect_claim().returning(move |run| {
        let mut claim = claim();
        (claim.run.id, claim.source.id) = (run, run);
        claim.source.draft = serde_json::from_value(json!({"title": "España", "url": url(run)})).unwrap();
        Ok(Some(claim))
    });
    let ended = Arc::new(Mutex::new(Vec::new()));
    let kept = ended.clone();
    runs.expect_end().returning(move |claim, _, _| {
        kept.lock().unwrap().push(claim.run.id);
        Ok(true)
    });
    let answers = Arc::new(Notify::new());
    let service = service(runs, MockPlaylistEntryRepository::new(), SlowHost(answers.clone()));
    let other = async {
        assert!(service.run_next().await.unwrap());
        answers.notify_one();
    };
    let (slow, ()) = tokio::join!(service.run_next(), other);
    assert!(slow.unwrap());
    assert_eq!(*ended.lock().unwrap(), [2, 1]);
}

#[tokio::test]
async fn a_list_that_cannot_be_fetched_or_read_changes_nothing_and_the_run_has_the_reason() {
    for (files, fault, status, limit) in [
        (Files::failing(PlaylistFetchFault::Status(503)), RunFault::Status, Some(503), None),
        (Files::failing(PlaylistFetchFault::Fault(FetchFault::TimedOut)), RunFault::TimedOut, None, None),
        (
            Files::failing(PlaylistFetchFault::Refused(PlaylistFault::TooLarge)),
            RunFault::TooLarge,
            None,
            Some(50),
        ),
        (Files::with(Err(PlaylistFault::Html)), RunFault::Html, None, None),
        (Files::with(Err(PlaylistFault::TooManyEntries)), RunFault::TooManyEntries, None, Some(200_000)),
        (Files::with(Ok(Vec::new())), RunFault::Empty, None, None),
    ] {
        let end = end_of(runs(claim(), vec![known(1)]), files).await;
        let expected = (RunState::Failed, Some(fault), status, limit);
        assert_eq!((end.state, end.fault, end.status_code, end.limit), expected);
    }
}

#[tokio::test]
async fn an_unchanged_source_keeps_the_result_of_its_last_run() {
    let mut runs = runs(claim(), Vec::new());
    let counts = RunCounts { entries: 9, new: 8, changed: 1, duplicates: 2, ..RunCounts::default() };
    runs.expect_newest_finished()
        .return_once(move |_| Ok(Some(PlaylistRun { counts, guides: vec!["g".to_owned()], ..run(true) })));
    let left_out = LeftOut {
        line: 4,
        change: EntryChange::Duplicate,
        reason: "SAME_ADDRESS".to_owned(),
        name: "Siete".to_owned(),
        of_line: Some(2),
    };
    let lines = vec![left_out.clone()];
    runs.expect_left_out()
        .withf(|run, _| *run == RUN)
        .return_once(move |_, query| Ok(Page::of(query, lines, 1)));
    let files = Files { answer: Ok(FetchedPlaylist::NotModified), list: Ok(Vec::new()) };
    let end = end_of(runs, files).await;
    assert_eq!(end.left_out, [left_out]);
    let found = RunCounts { entries: 9, unchanged: 7, duplicates: 2, ..RunCounts::default() };
    assert_eq!((end.state, end.counts, end.guides), (RunState::Finished, found, vec!["g".to_owned()]));
    assert_eq!(end.etag.as_deref(), Some("\"1\""), "the entity tag is kept");
}

#[tokio::test]
async fn a_run_stops_if_more_than_thirty_percent_in_use_are_missing_unless_accepted() {
    let ten = || (1..=10).map(known).collect::<Vec<_>>();
    let end = end_of(runs(claim(), ten()), Files::of(1..=6)).await;
    assert_eq!((end.state, end.fault), (RunState::Stopped, Some(RunFault::TooManyMissing)));
    assert_eq!((end.counts.in_use, end.counts.lost), (10, 4));

    let mut accepted = claim();
    accepted.run.accept_loss = true;
    for (claim, left) in [(claim(), 7), (accepted, 6)] {
        let mut runs = runs(claim, ten());
        let written = writing(&mut runs);
        let end = end_of(runs, Files::of(1..=left)).await;
        assert_eq!((end.state, end.counts.unchanged), (RunState::Finished, left.into()));
        let missing: Vec<EntryWrite> =
            (left + 1..=10).map(|number| EntryWrite::Miss(number.into())).collect();
        assert_eq!(*written.lock().unwrap(), [missing], "unchanged entries are not written");
    }
}

#[tokio::test]
async fn new_entries_are_written_in_slices_between_which_other_writers_can_write() {
    let mut runs = runs(claim(), Vec::new());
    let written = writing(&mut runs);
    let end = end_of(runs, Files::of(1..=1_200)).await;
    assert_eq!((end.counts.new, end.etag.as_deref()), (1_200, Some("\"2\"")));
    assert_eq!(written.lock().unwrap().iter().map(Vec::len).collect::<Vec<_>>(), [500, 500, 200]);
}

#[tokio::test]
async fn a_run_that_another_process_has_claimed_is_neither_written_further_nor_ended() {
    let mut runs = runs(claim(), Vec::new());
    runs.expect_keep_list().times(1).returning(|_, _| Ok(true));
    runs.expect_write().times(1).returning(|_, _, _| Ok(false));
    let service = service(runs, MockPlaylistEntryRepository::new(), Files::of(1..=1_200));
    assert!(service.run_next().await.unwrap());
}

#[tokio::test]
async fn an_unavailable_store_restarts_a_run_and_another_error_or_a_panic_ends_it() {
    let failing = |known: fn() -> StoreError| {
        let mut runs = nothing_to_apply();
        claiming(&mut runs, claim());
        runs.expect_known().return_once(move |_, _, _| Err(known()));
        runs
    };
    let away = failing(|| StoreError::Unavailable("busy".to_owned()));
    let service = service(away, MockPlaylistEntryRepository::new(), Files::of(1..=2));
    assert!(matches!(service.run_next().await, Err(Error::Store(StoreError::Unavailable(_)))));
    let faults: [fn() -> StoreError; 2] =
        [|| StoreError::Broken("odd".to_owned()), || panic!("a comparison that panics")];
    for fault in faults {
        let end = end_of(failing(fault), Files::of(1..=2)).await;
        assert_eq!((end.state, end.fault), (RunState::Failed, Some(RunFault::Internal)));
    }
}
