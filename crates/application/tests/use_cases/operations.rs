//! Permissions to start operations, and the job that runs them.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use application::{ContentServices, Error, Job};
use domain_catalogue::{Category, CategoryType, Content, Kind, Movie, Stored, TvChannel};
use domain_issues::{Report, ReportStatus};
use domain_kernel::{Action, Actor, Code, Id, Permission};
use domain_operations::{
    BulkChange, BulkOperation, Counts, FailureCode, ItemKey, OperationState, Resource, Verdict,
};
use domain_users::UserStatus;
use mockall::Sequence;
use ports::{
    Inserted, MockContentRepository, MockIssueRepository, MockOperationRepository, MockReferences,
    MockUserRepository, Moves, SliceWritten, StoreError,
};
use serde_json::json;

use crate::{
    issues::report,
    sign_in::user,
    support::{
        content_services, manager, now, operations_calling, operations_of, operations_on, refused, service,
        stored, types,
    },
};

fn operation() -> BulkOperation {
    BulkOperation {
        id: 3,
        resource: Resource::Users,
        change: None,
        undo_of: Some(2),
        import: None,
        undone_by: None,
        dry_run: false,
        state: OperationState::Running,
        failure: None,
        created_by: "someone".to_owned(),
        created_date: now(),
        finished_date: None,
        total: 1,
        slices_done: 0,
        counts: Counts::default(),
    }
}

/// A failing operation would be retried forever, and would block those behind it.
#[tokio::test]
async fn an_operation_whose_slice_fails_or_panics_ends_and_one_with_an_unavailable_store_waits() {
    type Fault = fn() -> StoreError;
    let cases: [(Fault, Option<FailureCode>); 3] = [
        (|| StoreError::Broken("odd".to_owned()), Some(FailureCode::Internal)),
        (|| panic!("a rule that panics"), Some(FailureCode::Internal)),
        (|| StoreError::Unavailable("busy".to_owned()), None),
    ];
    for (fault, expected) in cases {
        let mut users = MockUserRepository::new();
        users.expect_find_credentials().returning(move |_| Err(fault()));
        let mut store = MockOperationRepository::new();
        store.expect_next().returning(|| Ok(Some(operation())));
        let ended = Arc::new(Mutex::new(None));
        let kept = ended.clone();
        store.expect_end().returning(move |id, state, failure, _| {
            *kept.lock().unwrap() = Some((id, state, failure));
            Ok(true)
        });
        let outcome = operations_of(store, users).run_next().await;
        assert_eq!(outcome.is_ok(), expected.is_some(), "{outcome:?}");
        let ended = ended.lock().unwrap().take();
        assert_eq!(ended, expected.map(|failure| (3, OperationState::Failed, Some(failure))));
    }
}

/// Otherwise a preview waits for the next poll of the job.
#[tokio::test]
async fn the_job_is_called_for_a_new_operation_and_not_for_a_repeated_request() {
    for (outcome, expected) in [(Inserted::New(operation()), 1), (Inserted::Replayed(operation()), 0)] {
        let mut store = MockOperationRepository::new();
        store.expect_insert().return_once(move |_, _| Ok(outcome));
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        let service = operations_calling(
            store,
            MockUserRepository::new(),
            content_services(),
            MockIssueRepository::new(),
            Arc::new(move || {
                counted.fetch_add(1, Ordering::Relaxed);
            }),
        );
        let change = json!({"type": "SET", "set": {"active": false}});
        let body = json!({"resource": "movies", "ids": [1], "action": change, "dryRun": true});
        service.begin(&manager(), body.to_string().as_bytes(), None).await.unwrap();
        assert_eq!(calls.load(Ordering::Relaxed), expected);
    }
}

/// A dry run of `change` for the items 1 to 100, which is one slice; its author is active.
fn preview(resource: Resource, change: serde_json::Value) -> (MockOperationRepository, MockUserRepository) {
    let preview = BulkOperation {
        resource,
        change: Some(serde_json::from_value(change).unwrap()),
        undo_of: None,
        dry_run: true,
        total: 100,
        ..operation()
    };
    let mut users = MockUserRepository::new();
    users.expect_find_credentials().returning(|_| Ok(Some(user(UserStatus::Active))));
    let mut store = MockOperationRepository::new();
    store.expect_next().return_once(move || Ok(Some(preview)));
    store.expect_slice().returning(|_, _| Ok(Some((1..=100).map(ItemKey::Number).collect())));
    (store, users)
}

/// Mocks panic at unexpected calls: no item is read individually.
#[tokio::test]
async fn a_preview_of_a_deletion_reads_25_items_of_a_slice_at_once() {
    let (store, users) = preview(Resource::Content(Kind::Movies), json!({"type": "DELETE"}));
    let mut movies = MockContentRepository::<Movie>::new();
    let found = |id: &Id| Stored { id: *id, ..stored(Movie::sample(), 1) };
    let some = |ids: &[Id]| ids.len() == 25;
    movies.expect_find_all().withf(some).times(4).returning(move |ids| Ok(ids.iter().map(found).collect()));
    movies.expect_usage_of_all().times(1).returning(|_| Ok(vec![(3, vec![(Kind::Episodes.path(), 2)])]));
    let refused = Arc::new(Mutex::new(Vec::new()));
    let kept = refused.clone();
    movies.expect_write_slice().times(1).returning(move |_, items, _| {
        let of_refused = items.iter().filter(|item| item.row.verdict == Verdict::Refused);
        kept.lock().unwrap().extend(of_refused.filter_map(|item| item.row.item.number()));
        Ok(SliceWritten::Done(Counts::default()))
    });
    let movies = Arc::new(service(movies, MockReferences::new()));
    let contents = ContentServices { movies, ..content_services() };
    let issues = MockIssueRepository::new();
    assert!(operations_on(store, users, contents, issues).run_next().await.unwrap());
    assert_eq!(*refused.lock().unwrap(), [3]);
}

/// A dry run rejects what the store would reject: a natural key of another item, or of one restored
/// before.
#[tokio::test]
async fn a_preview_of_a_restoration_refuses_natural_keys_that_are_in_use() {
    let (store, users) = preview(Resource::Content(Kind::Movies), json!({"type": "RESTORE"}));
    let titled = |id: Id, number: Id| {
        let content = Movie { title: format!("Film {number}"), ..Movie::sample() };
        Stored { id, ..stored(content, 1) }
    };
    let mut movies = MockContentRepository::<Movie>::new();
    let some = |ids: &[Id]| ids.len() == 25;
    // The last has the title of the first.
    let deleted = move |id: &Id| titled(*id, if *id == 100 { 1 } else { *id });
    let trashed = movies.expect_trashed_all().withf(some).times(4);
    trashed.returning(move |ids| Ok(ids.iter().map(deleted).collect()));
    movies.expect_find_by_keys().times(1).returning(move |_, _| Ok(vec![titled(900, 3)]));
    let refused = Arc::new(Mutex::new(Vec::new()));
    let kept = refused.clone();
    movies.expect_write_slice().times(1).returning(move |_, items, _| {
        assert!(items.iter().all(|item| item.change.is_none()), "nothing is restored");
        let of_refused = items.iter().filter(|item| item.row.verdict == Verdict::Refused);
        kept.lock()
            .unwrap()
            .extend(of_refused.map(|item| (item.row.item.number(), item.row.problems.clone())));
        Ok(SliceWritten::Done(Counts::default()))
    });
    let mut references = MockReferences::new();
    references.expect_category_types().returning(|ids| Ok(types(ids, CategoryType::Movie)));
    let movies = Arc::new(service(movies, references));
    let contents = ContentServices { movies, ..content_services() };
    assert!(operations_on(store, users, contents, MockIssueRepository::new()).run_next().await.unwrap());
    let refused = refused.lock().unwrap();
    let found: Vec<_> = refused
        .iter()
        .map(|(id, problems)| (*id, problems[0].code, problems[0].arguments["id"].as_i64()))
        .collect();
    assert_eq!(found, [(Some(3), Code::Duplicate, Some(900)), (Some(100), Code::Duplicate, Some(1))]);
}

#[tokio::test]
async fn users_who_may_not_restore_one_item_can_not_restore_several() {
    const UPDATE: Permission = Kind::Movies.permission(Action::Update);
    const EDITOR: &[Permission] = &[UPDATE];
    const MANAGER: &[Permission] = &[UPDATE, Kind::Movies.permission(Action::Delete)];
    let body = json!({"resource": "movies", "ids": [1], "action": {"type": "RESTORE"}}).to_string();
    for (permissions, may) in [(EDITOR, false), (MANAGER, true)] {
        let mut store = MockOperationRepository::new();
        store.expect_insert().returning(|_, _| Ok(Inserted::New(operation())));
        let service = operations_of(store, MockUserRepository::new());
        let begun = service.begin(&Actor { permissions, ..manager() }, body.as_bytes(), None).await;
        assert_eq!(begun.is_ok(), may, "{begun:?}");
        assert!(may || matches!(begun, Err(Error::Denied(_))), "{begun:?}");
    }
}

#[tokio::test]
async fn a_change_of_reports_reads_those_of_a_slice_together() {
    let change = json!({"type": "SET", "set": {"priority": "HIGH"}});
    let (store, users) = preview(Resource::Reports, change);
    let mut issues = MockIssueRepository::new();
    // One of them was deleted.
    let found = |id: &Id| Report { id: *id, ..report(ReportStatus::Reported) };
    issues.expect_find_all().times(1).returning(move |ids| Ok(ids[1..].iter().map(found).collect()));
    let verdicts = Arc::new(Mutex::new(Vec::new()));
    let kept = verdicts.clone();
    issues.expect_write_slice().times(1).returning(move |slice, _, _| {
        kept.lock().unwrap().extend(slice.items.iter().map(|item| item.row.verdict));
        Ok(SliceWritten::Done(Counts::default()))
    });
    assert!(operations_on(store, users, content_services(), issues).run_next().await.unwrap());
    let verdicts = verdicts.lock().unwrap();
    assert_eq!((verdicts.len(), verdicts[0], verdicts[1]), (100, Verdict::Missing, Verdict::Changed));
}

/// One operation for each kind of content, begun together with what changes at once.
#[tokio::test]
async fn all_that_refers_to_a_category_is_moved_by_an_operation() {
    type Case = (&'static str, CategoryType, serde_json::Value);
    let cases: [Case; 2] = [
        ("movies", CategoryType::Movie, json!({"type": "SET", "set": {"categoryId": 2}})),
        (
            "tv-channels",
            CategoryType::TvChannel,
            json!({"type": "REMOVE", "list": "categories", "values": [1], "replaceWith": 2}),
        ),
    ];
    for (path, category_type, action) in cases {
        let mut store = MockOperationRepository::new();
        let begun = Arc::new(Mutex::new(None));
        let kept = begun.clone();
        store.expect_answered_moves().times(1).returning(|_| Ok(None));
        store.expect_insert_moves().times(1).returning(move |new, once| {
            *kept.lock().unwrap() = Some((new.category, new.operations, once.is_some()));
            Ok(Inserted::New(Moves { operations: vec![operation()], sources: 1, profiles: 2 }))
        });
        let mut movies = MockContentRepository::<Movie>::new();
        movies.expect_matching_ids().returning(|_, _| Ok(vec![7, 8]));
        let mut channels = MockContentRepository::<TvChannel>::new();
        channels.expect_matching_ids().returning(|_, _| Ok(vec![7, 8]));
        let contents = ContentServices {
            movies: Arc::new(service(movies, MockReferences::new())),
            tv_channels: Arc::new(service(channels, MockReferences::new())),
            ..content_services()
        };
        let mut categories = MockContentRepository::<Category>::new();
        categories.expect_usage().returning(move |_| Ok(Some(vec![(path, 2), ("playlist-sources", 1)])));
        let mut references = MockReferences::new();
        references.expect_exists().returning(|_, _| Ok(true));
        references.expect_category_type().returning(move |_| Ok(Some(category_type)));
        let categories = service(categories, references);
        let operations =
            operations_on(store, MockUserRepository::new(), contents, MockIssueRepository::new());
        let moves = operations.begin_moves(&manager(), &categories, 1, br#"{"to": 2}"#, Some("k")).await;
        let moves = moves.unwrap();
        assert_eq!((moves.operations.len(), moves.sources, moves.profiles), (1, 1, 2));
        assert!(!moves.replayed);
        let expected =
            (Resource::from_path(path).unwrap(), Some(serde_json::from_value::<BulkChange>(action).unwrap()));
        let (category, mut new, has_key) = begun.lock().unwrap().take().unwrap();
        assert_eq!((category, new.len(), has_key), (Some((1, 2)), 1, true));
        let new = new.remove(0);
        assert_eq!((new.resource, new.change), expected);
        assert_eq!(new.items, [ItemKey::Number(7), ItemKey::Number(8)]);
    }
}

/// Mocks panic at unexpected calls: the category may be gone since, and nothing begins again.
#[tokio::test]
async fn a_repeated_move_gets_the_first_response() {
    for (first, expected) in [
        (Inserted::Replayed(Moves { operations: vec![operation()], sources: 1, profiles: 0 }), Some(1)),
        (Inserted::KeyReused, None),
    ] {
        let mut store = MockOperationRepository::new();
        store.expect_answered_moves().times(1).return_once(move |_| Ok(Some(first)));
        let categories = service(MockContentRepository::<Category>::new(), MockReferences::new());
        let operations = operations_of(store, MockUserRepository::new());
        let moved = operations.begin_moves(&manager(), &categories, 1, br#"{"to": 2}"#, Some("k")).await;
        match (moved, expected) {
            (Ok(moves), Some(count)) => assert_eq!((moves.operations.len(), moves.replayed), (count, true)),
            (Err(Error::IdempotencyMismatch), None) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_category_deleted_while_content_is_moved_to_it_is_unknown() {
    let mut references = MockReferences::new();
    let mut order = Sequence::new();
    for exists in [true, false] {
        references.expect_exists().times(1).in_sequence(&mut order).returning(move |_, _| Ok(exists));
    }
    references.expect_category_type().returning(|_| Ok(Some(CategoryType::TvChannel)));
    let mut categories = MockContentRepository::<Category>::new();
    categories.expect_usage().returning(|_| Ok(Some(Vec::new())));
    let mut store = MockOperationRepository::new();
    let dangling = || StoreError::Dangling("playlist_sources".into());
    store.expect_insert_moves().returning(move |_, _| Err(dangling()));
    let categories = service(categories, references);
    let operations = operations_of(store, MockUserRepository::new());
    let moved = operations.begin_moves(&manager(), &categories, 1, br#"{"to": 2}"#, None).await;
    assert_eq!(refused(moved), [("to".to_owned(), "UNKNOWN_REFERENCE")]);
}
