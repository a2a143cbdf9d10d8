//! Ends of playlist runs, their writes, and automatic applies.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use application::{
    ContentServices, Error, Job, OperationService, PlaylistRefusal, PlaylistService, PlaylistStores,
};
use async_trait::async_trait;
use domain_catalogue::CategoryType;
use domain_kernel::{Action, Actor, Cell, Id, Page, Permission, RoleCode, Subject};
use domain_live::{
    diff::EntryChange,
    entry::Entry,
    fetch::FetchFault,
    playlist::{Limits, PlaylistFault, Summary},
    run::{ApplyFault, PlaylistRun, RunCounts, RunFault, RunState},
    source::{AutomaticApply, PlaylistSource, PlaylistSourceDraft},
};
use domain_users::UserStatus;
use mockall::Sequence;
use ports::{
    ChangedStream, ClaimedRun, EntryCandidate, EntryWrite, FetchedPlaylist, KnownEntry, LeftOut,
    MockContentRepository, MockEntryStreamRepository, MockLiveProfileRepository, MockMatchRepository,
    MockOperationRepository, MockPlaylistEntryRepository, MockPlaylistRunRepository,
    MockPlaylistSourceRepository, MockReferences, MockSheetRepository, MockUserRepository, OpenPlaylist,
    PlaylistFetchFault, PlaylistFiles, PlaylistPacker, RunEnd, StoreError, StoredEntry, UnfinishedRun,
};
use serde_json::json;
use tokio::sync::Notify;

use crate::{
    sign_in::user,
    support::{
        actor, bytes, calendar, content_services, now, operations, operations_of, refused,
        service as content_service, types,
    },
};

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

fn known(number: u32) -> KnownEntry {
    KnownEntry { id: number.into(), entry: entry(number), missing: false, in_use: true }
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
    let stores = PlaylistStores {
        sources: Arc::new(MockPlaylistSourceRepository::new()),
        runs: Arc::new(runs),
        entries: Arc::new(entries),
        streams: Arc::new(MockEntryStreamRepository::new()),
        sheets: Arc::new(MockSheetRepository::new()),
        profiles: Arc::new(profiles),
        matches: Arc::new(MockMatchRepository::new()),
    };
    PlaylistService::new(stores, Arc::new(files), content_services(), Arc::new(operations), calendar())
}

/// Runs of a source with this claim and these known entries.
fn runs(claim: ClaimedRun, entries: Vec<KnownEntry>) -> MockPlaylistRunRepository {
    let mut runs = nothing_to_apply();
    claiming(&mut runs, claim);
    runs.expect_known()
        .returning(move |_, after, _| Ok(entries.iter().filter(|entry| entry.id > after).cloned().collect()));
    runs
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

#[tokio::test]
async fn changes_of_a_scheduled_run_are_applied_as_the_source_allows() {
    for (automatic, newest, changes) in [
        (AutomaticApply::Nothing, RUN, None),
        (AutomaticApply::Changes, RUN, Some("CHANGED")),
        (AutomaticApply::All, RUN, Some("CHANGED,NEW")),
        // Results of a later run are stored with the entries.
        (AutomaticApply::All, RUN + 1, None),
    ] {
        let mut source = claim().source;
        source.draft.automatic = automatic;
        let mut runs = MockPlaylistRunRepository::new();
        runs.expect_waiting_for_apply().return_once(move || Ok(Some((run(true), source))));
        runs.expect_newest_finished().return_once(move |_| Ok(Some(PlaylistRun { id: newest, ..run(true) })));
        runs.expect_end_apply()
            .times(1)
            .withf(|run, fault| (*run, *fault) == (RUN, None))
            .returning(|_, _| Ok(()));
        let mut entries = MockPlaylistEntryRepository::new();
        let looked_for = Arc::new(Mutex::new(Vec::new()));
        let kept = looked_for.clone();
        entries.expect_matching().returning(move |_, query, _| {
            kept.lock().unwrap().push(format!("{:?}", query.filters));
            Ok(Vec::new())
        });
        assert!(service(runs, entries, Files::of(1..=1)).run_next().await.unwrap());
        let found = looked_for.lock().unwrap();
        assert_eq!(found.len(), usize::from(changes.is_some()), "{automatic:?} {newest}");
        for code in changes.into_iter().flat_map(|codes| codes.split(',')) {
            assert!(found[0].contains(&format!("\"{code}\"")), "{found:?}");
        }
    }
}

/// With a backlog, some list is always read.
#[tokio::test]
async fn runs_that_ended_meanwhile_are_applied_before_the_next_list_is_read() {
    const ENDED: Id = RUN - 1;
    let mut order = Sequence::new();
    let mut runs = MockPlaylistRunRepository::new();
    claiming(&mut runs, claim());
    runs.expect_waiting_for_apply().times(1).in_sequence(&mut order).returning(|| Ok(None));
    // It ends while the list is fetched.
    let mut source = PlaylistSource { id: SOURCE - 1, ..claim().source };
    source.draft.automatic = AutomaticApply::Nothing;
    let ended = PlaylistRun { id: ENDED, source: source.id, ..run(true) };
    let newest = ended.clone();
    runs.expect_waiting_for_apply()
        .times(1)
        .in_sequence(&mut order)
        .return_once(move || Ok(Some((ended, source))));
    runs.expect_newest_finished().return_once(move |_| Ok(Some(newest)));
    runs.expect_end_apply()
        .times(1)
        .in_sequence(&mut order)
        .withf(|run, fault| (*run, *fault) == (ENDED, None))
        .returning(|_, _| Ok(()));
    runs.expect_waiting_for_apply().times(1).in_sequence(&mut order).returning(|| Ok(None));
    runs.expect_known().times(1).in_sequence(&mut order).returning(|_, _, _| Ok(Vec::new()));
    let end = end_of(runs, Files::of(0..0)).await;
    assert_eq!((end.state, end.fault), (RunState::Failed, Some(RunFault::Empty)));
}

#[tokio::test]
async fn an_unavailable_store_delays_applying_a_run() {
    let mut runs = MockPlaylistRunRepository::new();
    runs.expect_waiting_for_apply().return_once(|| Ok(Some((run(true), claim().source))));
    runs.expect_newest_finished().return_once(|_| Ok(Some(run(true))));
    let mut entries = MockPlaylistEntryRepository::new();
    entries.expect_matching().return_once(|_, _, _| Err(StoreError::Unavailable("busy".to_owned())));
    let applied = service(runs, entries, Files::of(1..=1)).run_next().await;
    assert!(matches!(applied, Err(Error::Store(StoreError::Unavailable(_)))), "it is still pending");
}

/// The next run of its source waits for it.
#[tokio::test]
async fn an_automatic_apply_waits_for_one_of_a_user_and_ends_if_conflicts_have_no_such_reason() {
    for is_other_unfinished in [true, false] {
        let mut source = claim().source;
        source.draft.automatic = AutomaticApply::All;
        let mut runs = MockPlaylistRunRepository::new();
        runs.expect_waiting_for_apply().return_once(move || Ok(Some((run(true), source))));
        runs.expect_newest_finished().return_once(|_| Ok(Some(run(true))));
        runs.expect_unfinished().returning(|| Ok(Vec::new()));
        let attempts: usize = if is_other_unfinished { 1 } else { 3 };
        runs.expect_end_apply()
            .times(usize::from(!is_other_unfinished))
            .withf(|run, fault| (*run, *fault) == (RUN, Some(ApplyFault::Internal)))
            .returning(|_, _| Ok(()));
        let mut entries = MockPlaylistEntryRepository::new();
        entries.expect_matching().times(attempts).returning(|_, _, _| Ok(vec![9]));
        // Each attempt is refused; afterwards the other apply may have ended.
        let mut is_refused = false;
        entries.expect_is_applying().times(2 * attempts).returning(move |_| {
            is_refused = !is_refused;
            Ok(is_refused || is_other_unfinished)
        });
        let mut users = MockUserRepository::new();
        users.expect_find_credentials().returning(|_| Ok(Some(user(UserStatus::Active))));
        let operations = operations_of(MockOperationRepository::new(), users);
        let service = service_with(runs, entries, Files::of(0..0), operations);
        assert_eq!(service.run_next().await.unwrap(), !is_other_unfinished);
    }
}

#[tokio::test]
async fn guide_urls_of_a_run_show_credentials_only_to_users_who_may_change_the_source() {
    const PLAYLIST: Subject = Subject("PLAYLIST");
    const READS: &[Permission] = &[Permission::new(PLAYLIST, Action::Read)];
    const CHANGES: &[Permission] =
        &[Permission::new(PLAYLIST, Action::Read), Permission::new(PLAYLIST, Action::Update)];
    const GUIDE: &str = "http://h.example/xmltv.php?username=ana&password=clave";
    let shown = async |permissions| {
        let mut runs = MockPlaylistRunRepository::new();
        let found = PlaylistRun { guides: vec![GUIDE.to_owned()], ..run(false) };
        runs.expect_find().return_once(move |_, _| Ok(Some(found)));
        let service = service(runs, MockPlaylistEntryRepository::new(), Files::of(0..0));
        let actor = Actor { permissions, ..actor(RoleCode::Agent) };
        service.run(&actor, SOURCE, RUN).await.unwrap().guides
    };
    assert_eq!(shown(CHANGES).await, [GUIDE]);
    assert_eq!(shown(READS).await, ["http://h.example/xmltv.php?username=***&password=***"]);
}

#[tokio::test]
async fn urls_of_candidates_show_credentials_only_to_users_who_may_change_the_source() {
    const PLAYLIST: Subject = Subject("PLAYLIST");
    const READS: &[Permission] = &[Permission::new(PLAYLIST, Action::Read)];
    const CHANGES: &[Permission] =
        &[Permission::new(PLAYLIST, Action::Read), Permission::new(PLAYLIST, Action::Update)];
    const URL: &str = "http://h.example/get.php?username=ana&password=clave";
    let shown = async |permissions| {
        let mut runs = MockPlaylistRunRepository::new();
        runs.expect_find().return_once(|_, _| Ok(Some(run(false))));
        runs.expect_newest_finished().return_once(|_| Ok(Some(run(false))));
        let missing = EntryCandidate {
            id: 1,
            entry: Entry { url: URL.to_owned(), ..entry(1) },
            item: None,
            missing_since: now(),
        };
        let new = StoredEntry {
            id: 2,
            change: EntryChange::New,
            entry: entry(2),
            applied: None,
            item: None,
            stream_of: None,
            sign: None,
            ignored: false,
            missing_since: None,
            candidates: vec![missing],
            duplicate_of: None,
        };
        let mut entries = MockPlaylistEntryRepository::new();
        entries.expect_list().return_once(move |_, query| Ok(Page::of(query, vec![new], 1)));
        let service = service(runs, entries, Files::of(0..0));
        let actor = Actor { permissions, ..actor(RoleCode::Agent) };
        let page = service.changes(&actor, SOURCE, RUN, &[]).await.unwrap();
        page.content[0].stored.candidates[0].entry.url.clone()
    };
    assert_eq!(shown(CHANGES).await, URL);
    assert_eq!(shown(READS).await, "http://h.example/get.php?username=***&password=***");
}

#[tokio::test]
async fn streams_of_a_channel_are_one_row_with_its_version_and_nothing_changes_where_another_apply_has_one() {
    let changed_entry = |id: Id, number: u32| StoredEntry {
        id,
        change: EntryChange::Changed,
        entry: entry(number),
        applied: Some(Entry { name: "Antes".to_owned(), ..entry(number) }),
        item: None,
        stream_of: Some(70),
        sign: None,
        ignored: false,
        missing_since: None,
        candidates: Vec::new(),
        duplicate_of: None,
    };
    let mut sources = MockPlaylistSourceRepository::new();
    sources.expect_find().returning(|_| Ok(Some(claim().source)));
    let mut runs = MockPlaylistRunRepository::new();
    runs.expect_find().returning(|_, _| Ok(Some(run(false))));
    runs.expect_newest_finished().returning(|_| Ok(Some(run(false))));
    let mut streams = MockEntryStreamRepository::new();
    let stream = |entry| ChangedStream { entry, channel: 70, version: 4 };
    streams.expect_changed().returning(move |_, _| Ok(vec![stream(9), stream(10)]));
    let mut entries = MockPlaylistEntryRepository::new();
    entries.expect_is_applying().returning(|_| Ok(false));
    entries.expect_highest_number().returning(|_| Ok(None));
    entries.expect_find_all().returning(move |_, ids| {
        Ok(ids.iter().map(|id| changed_entry(*id, u32::try_from(*id).unwrap())).collect())
    });
    let expected = [(9, 1, entry(9)), (10, 1, entry(10))].to_vec();
    entries.expect_expect_rows().times(1).returning(move |_, _, rows| {
        assert_eq!(rows, expected);
        // Another apply has one of them.
        Ok(false)
    });
    let mut sheets = MockSheetRepository::new();
    sheets.expect_begin().times(1).returning(|_| Ok(5));
    sheets.expect_add_slices().times(1).returning(|_, _, slices| {
        let [row] = &slices[0][..] else { panic!("{slices:?}") };
        let filled: Vec<&Cell> = row.cells.iter().filter(|cell| !cell.is_blank()).collect();
        assert_eq!(filled, [&Cell::Integer(70), &Cell::Integer(4), &Cell::Text("9, 10".to_owned())]);
        Ok(())
    });
    let stores = PlaylistStores {
        sources: Arc::new(sources),
        runs: Arc::new(runs),
        entries: Arc::new(entries),
        streams: Arc::new(streams),
        sheets: Arc::new(sheets),
        profiles: Arc::new(MockLiveProfileRepository::new()),
        matches: Arc::new(MockMatchRepository::new()),
    };
    let files = Arc::new(Files::of(0..0));
    let service = PlaylistService::new(stores, files, content_services(), Arc::new(operations()), calendar());
    let body = bytes(&json!({"ids": [9, 10]}));
    let applied = service.apply(&actor(RoleCode::Admin), SOURCE, RUN, &body).await;
    assert!(matches!(applied, Err(Error::Playlist(PlaylistRefusal::Applying))), "{applied:?}");
}

#[tokio::test]
async fn a_category_that_goes_between_the_look_and_the_write_of_a_source_is_an_unknown_one() {
    let gone_meanwhile = || {
        let mut categories = MockReferences::new();
        let mut order = Sequence::new();
        let found = |ids: &[Id]| Ok(types(ids, CategoryType::TvChannel));
        categories.expect_category_types().times(1).in_sequence(&mut order).returning(found);
        let none = |_: &[Id]| Ok(HashMap::new());
        categories.expect_category_types().times(1).in_sequence(&mut order).returning(none);
        let dangling = || StoreError::Dangling("category 5 is of another type".into());
        let mut sources = MockPlaylistSourceRepository::new();
        sources.expect_find().returning(|_| Ok(Some(claim().source)));
        sources.expect_add().returning(move |_, _, _| Err(dangling()));
        sources.expect_replace().returning(move |_, _, _, _| Err(dangling()));
        let stores = PlaylistStores {
            sources: Arc::new(sources),
            runs: Arc::new(MockPlaylistRunRepository::new()),
            entries: Arc::new(MockPlaylistEntryRepository::new()),
            streams: Arc::new(MockEntryStreamRepository::new()),
            sheets: Arc::new(MockSheetRepository::new()),
            profiles: Arc::new(MockLiveProfileRepository::new()),
            matches: Arc::new(MockMatchRepository::new()),
        };
        let tv_channels = Arc::new(content_service(MockContentRepository::new(), categories));
        let contents = ContentServices { tv_channels, ..content_services() };
        let files = Arc::new(Files::of(0..0));
        PlaylistService::new(stores, files, contents, Arc::new(operations()), calendar())
    };
    let expected = ["defaultCategoryId", "categories[0].categoryId"]
        .map(|field| (field.to_owned(), "UNKNOWN_REFERENCE"));
    let groups = json!([{"group": "Cine", "categoryId": 5}]);
    let form = bytes(&json!({"title": "España", "defaultCategoryId": 5, "categories": groups}));
    let admin = actor(RoleCode::Admin);
    assert_eq!(refused(gone_meanwhile().create(&admin, &form, None).await), expected);
    assert_eq!(refused(gone_meanwhile().replace(&admin, SOURCE, &form, None).await), expected);
    assert_eq!(refused(gone_meanwhile().merge(&admin, SOURCE, &form, None).await), expected);
}
