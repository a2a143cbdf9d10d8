//! Applies of playlists: automatic ones after a run, and those of users.

use std::sync::{Arc, Mutex};

use application::{Error, Job, PlaylistRefusal, PlaylistService, PlaylistStores};
use domain_kernel::{Cell, Id, RoleCode};
use domain_live::{
    diff::EntryChange,
    entry::Entry,
    run::{ApplyFault, PlaylistRun, RunFault, RunState},
    source::{AutomaticApply, PlaylistSource},
};
use domain_users::UserStatus;
use mockall::Sequence;
use ports::{
    ChangedStream, MockEntryStreamRepository, MockOperationRepository, MockPlaylistEntryRepository,
    MockPlaylistRunRepository, MockPlaylistSourceRepository, MockSheetRepository, MockUserRepository,
    StoreError, StoredEntry,
};
use serde_json::json;

use super::{Files, RUN, SOURCE, claim, claiming, end_of, entry, run, service, service_with, stores};
use crate::{
    sign_in::user,
    support::{actor, bytes, calendar, content_services, operations, operations_of},
};

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
async fn an_automatic_apply_waits_for_an_apply_of_a_user_and_ends_after_other_conflicts() {
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
        ..stores()
    };
    let files = Arc::new(Files::of(0..0));
    let service = PlaylistService::new(stores, files, content_services(), Arc::new(operations()), calendar());
    let body = bytes(&json!({"ids": [9, 10]}));
    let applied = service.apply(&actor(RoleCode::Admin), SOURCE, RUN, &body).await;
    assert!(matches!(applied, Err(Error::Playlist(PlaylistRefusal::Applying))), "{applied:?}");
}
