//! Order of checks: permission, rules, then the store.

use application::Error;
use domain_catalogue::{Category, CategoryType, Content, Kind, Movie, Stored};
use domain_kernel::{Code, RoleCode};
use mockall::Sequence;
use ports::{Inserted, MockContentRepository, MockReferences, Removed, StoreError, Written};
use serde_json::{Value, json};

use crate::support::{
    active, actor, all_of, bytes, category, manager, movie, movie_with, refused, service, stored,
};

/// Mocks without expectations panic when they are called, which is the assertion.
async fn every_call_is_denied<C: Content>(role: RoleCode) {
    let service = service::<C>(MockContentRepository::new(), MockReferences::new());
    let actor = actor(role);
    let body = bytes(&serde_json::to_value(C::sample()).unwrap());
    let outcomes = [
        ("list", service.list(&actor, &[]).await.err()),
        ("find", service.find(&actor, 7).await.err()),
        ("create", service.create(&actor, &body, None).await.err()),
        ("replace", service.replace(&actor, 7, &body, None).await.err()),
        ("merge", service.merge(&actor, 7, &body, None).await.err()),
        ("set_active", service.set_active(&actor, 7, &active(), None).await.err()),
        ("delete", service.delete(&actor, 7, None).await.err()),
    ];
    for (call, outcome) in outcomes {
        assert!(matches!(outcome, Some(Error::Denied(_))), "{call} as {role:?}: {outcome:?}");
    }
}

#[tokio::test]
async fn without_permission_nothing_reaches_the_store() {
    for role in [RoleCode::Agent, RoleCode::App] {
        every_call_is_denied::<Category>(role).await;
        every_call_is_denied::<Movie>(role).await;
    }
}

#[tokio::test]
async fn permission_comes_before_rules_and_even_before_reading_the_body() {
    let service = service::<Movie>(MockContentRepository::new(), MockReferences::new());
    let app = actor(RoleCode::App);
    for body in ["{", "{}", ""] {
        let outcome = service.create(&app, body.as_bytes(), None).await;
        assert!(matches!(outcome, Err(Error::Denied(_))), "{body}: {outcome:?}");
    }
    let outcome = service.list(&app, &[("_sort".into(), "nonsense".into())]).await;
    assert!(matches!(outcome, Err(Error::Denied(_))), "{outcome:?}");
}

#[tokio::test]
async fn an_invalid_draft_never_reaches_the_store() {
    let service = service::<Movie>(MockContentRepository::new(), MockReferences::new());
    for (field, value, code) in [
        ("title", json!("x"), "TOO_SHORT"),
        ("title", Value::Null, "REQUIRED"),
        ("year", json!(1899), "TOO_SMALL"),
        ("year", json!(2032), "TOO_LARGE"),
        ("links", json!([]), "TOO_FEW"),
        ("titel", json!("x"), "UNKNOWN_FIELD"),
        ("trailerUrl", json!("javascript:alert(1)"), "INVALID_SCHEME"),
    ] {
        let body = movie_with(field, value);
        let expected = vec![(field.to_owned(), code)];
        assert_eq!(refused(service.create(&manager(), &body, None).await), expected);
        assert_eq!(refused(service.replace(&manager(), 7, &body, None).await), expected);
    }
    for body in ["{", "", "\u{feff}{}"] {
        let outcome = service.create(&manager(), body.as_bytes(), None).await;
        assert!(matches!(outcome, Err(Error::Malformed(_))), "{body}: {outcome:?}");
    }
    for body in ["[]", "null", "\"x\"", "5"] {
        let expected = if body == "null" { "REQUIRED" } else { "WRONG_TYPE" };
        let broken = refused(service.create(&manager(), body.as_bytes(), None).await);
        assert_eq!(broken.first(), Some(&(String::new(), expected)), "{body}");
    }
}

#[tokio::test]
async fn a_list_with_unknown_parameters_never_reaches_the_store() {
    let service = service::<Movie>(MockContentRepository::new(), MockReferences::new());
    for (name, value) in [("_sort", "synopsis"), ("country", "Chile"), ("_size", "1001"), ("_page", "-1")] {
        let outcome = service.list(&manager(), &[(name.into(), value.into())]).await;
        assert_eq!(refused(outcome)[0].0, name);
    }
}

#[tokio::test]
async fn a_status_body_has_active_and_no_other_field() {
    let service = service::<Movie>(MockContentRepository::new(), MockReferences::new());
    for (body, field, code) in [
        (json!({}), "active", "REQUIRED"),
        (json!({"active": null}), "active", "REQUIRED"),
        (json!({"active": "true"}), "active", "WRONG_TYPE"),
        (json!({"active": 1}), "active", "WRONG_TYPE"),
        (json!({"active": true, "title": "x"}), "title", "UNKNOWN_FIELD"),
        (json!([true]), "", "WRONG_TYPE"),
    ] {
        let outcome = service.set_active(&manager(), 7, &bytes(&body), None).await;
        assert_eq!(refused(outcome), vec![(field.to_owned(), code)], "{body}");
    }
}

#[tokio::test]
async fn the_idempotency_key_of_a_create_has_the_user_and_a_fingerprint_of_the_body() {
    let mut prints = Vec::new();
    let reordered =
        br#"{ "type":"MOVIE","englishDescription":"Action",  "description":"Acci\u00f3n", "active":true }"#;
    let other =
        json!({"description": "Otra", "englishDescription": "Action", "type": "MOVIE", "active": true});
    for body in [bytes(&category()), reordered.to_vec(), bytes(&other)] {
        let mut repository = MockContentRepository::<Category>::new();
        let (report, hear) = std::sync::mpsc::channel();
        repository.expect_insert().times(1).returning(move |content, _, once| {
            report.send(once.unwrap()).unwrap();
            Ok(Inserted::New(stored(content.into_inner(), 1)))
        });
        let service = service(repository, MockReferences::new());
        assert!(!service.create(&manager(), &body, Some("key-1")).await.unwrap().replayed);
        let once = hear.recv().unwrap();
        assert_eq!((once.username.as_str(), once.key.as_str()), ("someone", "key-1"));
        prints.push(once.fingerprint);
    }
    assert_eq!(prints[0], prints[1], "the same body in another spelling");
    assert_ne!(prints[0], prints[2]);
}

#[tokio::test]
async fn outcomes_of_the_store_for_a_create_are_reported() {
    let answer = |inserted: fn() -> Inserted<Stored<Category>, Stored<Category>>| {
        let mut repository = MockContentRepository::<Category>::new();
        repository.expect_insert().returning(move |_, _, _| Ok(inserted()));
        service(repository, MockReferences::new())
    };
    let body = bytes(&category());
    let again = answer(|| Inserted::Replayed(stored(Category::sample(), 1)));
    assert!(again.create(&manager(), &body, Some("k")).await.unwrap().replayed);
    let mismatch = answer(|| Inserted::KeyReused).create(&manager(), &body, Some("k")).await;
    assert!(matches!(mismatch, Err(Error::IdempotencyMismatch)));
}

#[tokio::test]
async fn a_merge_restarts_after_a_concurrent_change_and_loses_no_change() {
    let mut repository = MockContentRepository::<Movie>::new();
    let mut order = Sequence::new();
    let theirs = Movie { duration_minutes: 99, ..Movie::sample() };
    let (first, second) = (stored(Movie::sample(), 1), stored(theirs.clone(), 2));
    repository.expect_find().times(1).in_sequence(&mut order).return_once(move |_| Ok(Some(first)));
    let current = second.clone();
    repository
        .expect_replace()
        .withf(|_, content, expected, _| content.duration_minutes == 136 && *expected == Some(1))
        .times(1)
        .in_sequence(&mut order)
        .return_once(move |_, _, _, _| Ok(Written::Outdated(current)));
    repository.expect_find().times(1).in_sequence(&mut order).return_once(move |_| Ok(Some(second)));
    repository
        .expect_replace()
        .withf(|_, content, expected, _| {
            content.duration_minutes == 99 && content.title == "Matrix" && *expected == Some(2)
        })
        .times(1)
        .in_sequence(&mut order)
        .returning(|_, content, _, _| Ok(Written::Done(stored(content.into_inner(), 3))));
    let service = service(repository, all_of(Some(CategoryType::Movie)));
    let merged = service.merge(&manager(), 7, br#"{"title": "Matrix"}"#, None).await.unwrap();
    assert_eq!((merged.version, merged.content.title.as_str()), (3, "Matrix"));
    assert_eq!(merged.content.duration_minutes, 99);
}

#[tokio::test]
async fn a_merge_with_an_expected_version_does_not_restart() {
    let mut repository = MockContentRepository::<Movie>::new();
    repository.expect_find().times(1).returning(|_| Ok(Some(stored(Movie::sample(), 5))));
    repository
        .expect_replace()
        .withf(|_, _, expected, _| *expected == Some(5))
        .times(1)
        .returning(|_, _, _, _| Ok(Written::Outdated(stored(Movie::sample(), 6))));
    let service = service(repository, all_of(Some(CategoryType::Movie)));
    let outcome = service.merge(&manager(), 7, br#"{"title": "Matrix"}"#, Some(5)).await;
    let Err(Error::Outdated(current)) = outcome else { panic!("{outcome:?}") };
    assert_eq!(current["version"], 6);
}

#[tokio::test]
async fn a_merge_gives_up_after_a_few_tries() {
    let mut repository = MockContentRepository::<Movie>::new();
    repository.expect_find().times(20).returning(|_| Ok(Some(stored(Movie::sample(), 5))));
    repository
        .expect_replace()
        .times(20)
        .returning(|_, _, _, _| Ok(Written::Outdated(stored(Movie::sample(), 6))));
    let service = service(repository, all_of(Some(CategoryType::Movie)));
    let outcome = service.merge(&manager(), 7, br#"{"title": "Matrix"}"#, None).await;
    assert_eq!(outcome.unwrap_err().code(), Code::Unavailable);
}

#[tokio::test]
async fn the_whole_result_of_a_merge_must_keep_the_rules() {
    for (patch, field, code) in [
        (json!({"title": null}), "title", "REQUIRED"),
        (json!({"year": 1899}), "year", "TOO_SMALL"),
        (json!({"links": []}), "links", "TOO_FEW"),
        (json!({"titel": "x"}), "titel", "UNKNOWN_FIELD"),
    ] {
        let mut repository = MockContentRepository::<Movie>::new();
        repository.expect_find().returning(|_| Ok(Some(stored(Movie::sample(), 5))));
        let service = service(repository, MockReferences::new());
        let outcome = service.merge(&manager(), 7, &bytes(&patch), None).await;
        assert_eq!(refused(outcome), vec![(field.to_owned(), code)]);
    }
    let service = service::<Movie>(MockContentRepository::new(), MockReferences::new());
    for patch in [json!([]), json!("x"), Value::Null] {
        let outcome = service.merge(&manager(), 7, &bytes(&patch), None).await;
        assert_eq!(refused(outcome), vec![(String::new(), "WRONG_TYPE")]);
    }
}

#[tokio::test]
async fn missing_items_are_reported_as_not_found() {
    let mut repository = MockContentRepository::<Movie>::new();
    repository.expect_find().returning(|_| Ok(None));
    repository.expect_replace().returning(|_, _, _, _| Ok(Written::Missing));
    repository.expect_set_active().returning(|_, _, _, _| Ok(Written::Missing));
    repository.expect_delete().returning(|_, _, _| Ok(Removed::Missing));
    let service = service(repository, all_of(Some(CategoryType::Movie)));
    let body = bytes(&movie());
    for outcome in [
        service.find(&manager(), 9).await.map(drop),
        service.replace(&manager(), 9, &body, None).await.map(drop),
        service.merge(&manager(), 9, b"{}", None).await.map(drop),
        service.set_active(&manager(), 9, &active(), None).await.map(drop),
        service.delete(&manager(), 9, None).await,
    ] {
        assert!(matches!(outcome, Err(Error::Missing { kind: Kind::Movies, id: 9 })), "{outcome:?}");
    }
}

#[tokio::test]
async fn a_refused_removal_names_what_refers_to_it() {
    let mut repository = MockContentRepository::<Category>::new();
    repository.expect_delete().returning(|_, _, _| Ok(Removed::Conflict(vec![(Kind::Movies.path(), 3)])));
    let outcome = service(repository, MockReferences::new()).delete(&manager(), 7, None).await.unwrap_err();
    assert_eq!((outcome.code(), outcome.arguments()["movies"].clone()), (Code::InUse, json!(3)));
    let mut repository = MockContentRepository::<Category>::new();
    repository.expect_delete().returning(|_, _, _| Ok(Removed::Outdated(stored(Category::sample(), 2))));
    let outcome =
        service(repository, MockReferences::new()).delete(&manager(), 7, Some(1)).await.unwrap_err();
    assert_eq!(outcome.code(), Code::VersionConflict);
}

#[tokio::test]
async fn an_unavailable_store_is_not_an_internal_error() {
    for (fault, code) in [
        (StoreError::Unavailable("locked".into()), Code::Unavailable),
        (StoreError::Broken("no such table".into()), Code::Internal),
    ] {
        let mut repository = MockContentRepository::<Movie>::new();
        repository.expect_find().return_once(move |_| Err(fault));
        let outcome = service(repository, MockReferences::new()).find(&manager(), 7).await.unwrap_err();
        assert_eq!(outcome.code(), code);
    }
}
