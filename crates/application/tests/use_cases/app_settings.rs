//! App settings and their lists: permissions, checks before the store is called, and the mapping of
//! its outcomes.

use std::sync::Arc;

use application::{AppSettingsService, EntryService, Error};
use domain_kernel::{Code, Integrator, KeyScope, Page, Principal, RoleCode};
use domain_settings::{AlertMessage, AppSettings, BackgroundImage, Entry, StoredAppSettings, StoredEntry};
use ports::{Inserted, MockAppSettingsRepository, MockEntryRepository, Removed, Written};
use serde_json::{Value, json};

use crate::support::{actor, bytes, calendar, now, refused};

fn kept<E: Entry>(entry: E, version: i64) -> StoredEntry<E> {
    StoredEntry { id: 7, version, entry, created_date: now(), updated_date: now() }
}

fn stored(version: i64) -> StoredAppSettings {
    StoredAppSettings { settings: AppSettings::default(), version, updated_date: now() }
}

fn settings(repository: MockAppSettingsRepository) -> AppSettingsService {
    AppSettingsService::new(Arc::new(repository), calendar())
}

fn entries<E: Entry>(repository: MockEntryRepository<E>) -> EntryService<E> {
    EntryService::new(Arc::new(repository), calendar())
}

fn key(scopes: &[KeyScope]) -> Principal {
    Principal::Integrator(Integrator { key: 1, name: "TV".into(), scopes: scopes.to_vec() })
}

fn body() -> Vec<u8> {
    bytes(&serde_json::to_value(AppSettings::default()).unwrap())
}

fn image_with(field: &str, value: Value) -> Vec<u8> {
    let mut image = serde_json::to_value(BackgroundImage::sample()).unwrap();
    image[field] = value;
    bytes(&image)
}

#[tokio::test]
async fn without_the_permission_nothing_reaches_the_store() {
    // Mocks without expectations panic at the first call.
    let service = settings(MockAppSettingsRepository::new());
    let list = entries::<AlertMessage>(MockEntryRepository::new());
    for role in [RoleCode::ContentManager, RoleCode::Agent, RoleCode::App] {
        let user = actor(role);
        let reads = Principal::Staff(user.clone());
        for error in [
            service.find(&reads).await.unwrap_err(),
            service.replace(&user, b"{", None).await.unwrap_err(),
            list.list(&reads, &[("x".into(), "y".into())]).await.unwrap_err(),
            list.find(&reads, 7).await.unwrap_err(),
            list.create(&user, b"{", None).await.unwrap_err(),
            list.replace(&user, 7, b"{", None).await.unwrap_err(),
            list.merge(&user, 7, b"{", None).await.unwrap_err(),
            list.delete(&user, 7, None).await.unwrap_err(),
        ] {
            assert_eq!(error.code(), Code::Forbidden, "{role:?}: {error:?}");
        }
    }
}

#[tokio::test]
async fn a_key_reads_with_its_scope_and_not_without() {
    let mut repository = MockAppSettingsRepository::new();
    repository.expect_find().times(1).returning(|| Ok(stored(3)));
    let service = settings(repository);
    assert_eq!(service.find(&key(&[KeyScope::SettingsRead])).await.unwrap().version, 3);
    assert!(matches!(service.find(&key(&[KeyScope::CatalogueRead])).await, Err(Error::OutOfScope(_))));
    let mut list = MockEntryRepository::<BackgroundImage>::new();
    list.expect_list().times(1).returning(|query| Ok(Page::of(query, vec![], 0)));
    list.expect_find().times(1).returning(|_| Ok(Some(kept(BackgroundImage::sample(), 1))));
    let list = entries(list);
    assert!(list.list(&key(&[KeyScope::SettingsRead]), &[]).await.is_ok());
    assert!(list.find(&key(&[KeyScope::SettingsRead]), 7).await.is_ok());
    assert!(list.list(&key(&[]), &[]).await.is_err());
    assert!(list.find(&key(&[KeyScope::Export]), 7).await.is_err());
}

#[tokio::test]
async fn broken_settings_are_reported_at_once_and_not_stored() {
    let service = settings(MockAppSettingsRepository::new());
    let admin = actor(RoleCode::Admin);
    let broken = json!({
        "itemsPerPage": 0, "monthlyCreditsPrice": 1.999, "allowedPeriods": {"months": "yes", "years": false},
        "maxTransactionsPerAgent": 12, "colour": "red",
    });
    let mut reported = refused(service.replace(&admin, &bytes(&broken), None).await);
    reported.sort();
    let expected = [
        ("allowedPeriods.months", "WRONG_TYPE"),
        ("annualCreditsPrice", "REQUIRED"),
        ("colour", "UNKNOWN_FIELD"),
        ("itemsPerPage", "TOO_SMALL"),
        ("monthlyCreditsPrice", "TOO_PRECISE"),
    ];
    assert_eq!(reported, expected.map(|(field, code)| (field.to_owned(), code)));
    assert!(matches!(service.replace(&admin, b"{", None).await, Err(Error::Malformed(_))));
}

#[tokio::test]
async fn outdated_settings_are_answered_with_the_current_ones() {
    let mut repository = MockAppSettingsRepository::new();
    repository
        .expect_replace()
        .withf(|_, expected, at| *expected == Some(2) && at.at == now())
        .returning(|_, _, _| Ok(Written::Outdated(stored(3))));
    let outcome = settings(repository).replace(&actor(RoleCode::Admin), &body(), Some(2)).await;
    let Err(Error::Outdated(current)) = outcome else { panic!("{outcome:?}") };
    assert_eq!((&current["version"], &current["itemsPerPage"]), (&json!(3), &json!(50)));
}

#[tokio::test]
async fn a_create_is_checked_then_stored_once() {
    let mut repository = MockEntryRepository::<BackgroundImage>::new();
    repository
        .expect_insert()
        .withf(|_, at, once| {
            at.at == now() && once.as_ref().is_some_and(|once| once.username == "someone" && once.key == "k")
        })
        .times(1)
        .returning(|entry, _, _| Ok(Inserted::Replayed(kept(entry.into_inner(), 1))));
    let service = entries(repository);
    let admin = actor(RoleCode::Admin);
    let created = service.create(&admin, &image_with("title", json!(" Dune ")), Some("k")).await.unwrap();
    assert_eq!((created.kept.entry.title.as_str(), created.replayed), ("Dune", true));
    // The clock is in 2026.
    let reported = refused(service.create(&admin, &image_with("year", json!(2032)), None).await);
    assert_eq!(reported, [("year".to_owned(), "TOO_LARGE")]);
}

#[tokio::test]
async fn another_body_under_the_same_key_is_a_mismatch() {
    let mut repository = MockEntryRepository::<AlertMessage>::new();
    repository.expect_insert().returning(|_, _, _| Ok(Inserted::KeyReused));
    let body = bytes(&json!({"message": "Hola"}));
    let outcome = entries(repository).create(&actor(RoleCode::Admin), &body, Some("k")).await;
    assert!(matches!(outcome, Err(Error::IdempotencyMismatch)));
}

#[tokio::test]
async fn a_missing_entry_is_reported_before_violations_of_the_body() {
    let mut repository = MockEntryRepository::<AlertMessage>::new();
    repository.expect_find().returning(|_| Ok(None));
    repository.expect_delete().returning(|_, _, _| Ok(Removed::Missing));
    let service = entries(repository);
    let admin = actor(RoleCode::Admin);
    for error in [
        service.find(&Principal::Staff(admin.clone()), 7).await.unwrap_err(),
        service.replace(&admin, 7, b"{}", None).await.unwrap_err(),
        service.merge(&admin, 7, b"{}", None).await.unwrap_err(),
        service.delete(&admin, 7, None).await.unwrap_err(),
    ] {
        assert!(matches!(error, Error::NoSuch { what: "alert-messages", id: 7 }), "{error:?}");
    }
}

#[tokio::test]
async fn a_merge_restarts_after_a_concurrent_change_unless_a_version_is_expected() {
    let mut repository = MockEntryRepository::<BackgroundImage>::new();
    repository.expect_find().returning(|_| Ok(Some(kept(BackgroundImage::sample(), 4))));
    let mut tries = 0;
    repository.expect_replace().times(3).returning(move |_, entry, expected, _| {
        tries += 1;
        let entry = entry.into_inner();
        assert_eq!(
            (expected.is_some(), entry.year, entry.genre.clone()),
            (true, 1999, None),
            "merged, a null removes"
        );
        Ok(if tries == 2 { Written::Done(kept(entry, 5)) } else { Written::Outdated(kept(entry, 5)) })
    });
    let service = entries(repository);
    let patch = bytes(&json!({"year": 1999, "genre": null}));
    let admin = actor(RoleCode::Admin);
    assert_eq!(service.merge(&admin, 7, &patch, None).await.unwrap().version, 5);
    assert!(matches!(service.merge(&admin, 7, &patch, Some(4)).await, Err(Error::Outdated(_))));
    assert_eq!(refused(service.merge(&admin, 7, b"[]", None).await), [(String::new(), "WRONG_TYPE")]);
}
