//! A write applies to the version that was checked: `If-Match` with a future version calls no
//! store, and a write without `If-Match` restarts after a concurrent change.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use application::{
    AuditService, EarlierVersion, EntryService, Error, LinkChange, UserService, WebhookService,
};
use domain_audit::{AuditAction, AuditEntry};
use domain_catalogue::{Category, CategoryType, Content, Episode, Sport};
use domain_integrations::{Webhook, WebhookDraft};
use domain_kernel::{Code, FieldDiff, Origin, RoleCode, Username};
use domain_settings::{BackgroundImage, Entry, StoredEntry};
use domain_users::{User, UserStatus};
use ports::{
    MockAuditRepository, MockContentRepository, MockEntryRepository, MockPasswordHasher, MockReferences,
    MockSecretSource, MockUserRepository, MockWebhookRepository, MockWebhookSender, Removed, Written,
};
use serde_json::{Map, Value, json};

use crate::support::{actor, all_of, bytes, calendar, manager, now, service, stored};

pub fn user(role: RoleCode, version: i64) -> User {
    User {
        username: Username::parse("target").unwrap(),
        full_name: "Ana Núñez".into(),
        email: "ana@example.com".into(),
        phone_number: "+34 600 000 000".into(),
        language: None,
        address: None,
        comment: None,
        role,
        status: UserStatus::Active,
        credits: 3,
        sale_credits: 0,
        expiration_date: None,
        subscription_started: true,
        sign_ins: 0,
        registered_by: None,
        created_date: now(),
        updated_date: now(),
        password_changed_date: None,
        password_changed_by: None,
        version,
    }
}

fn users(repository: MockUserRepository) -> UserService {
    let (passwords, secrets) = (MockPasswordHasher::new(), MockSecretSource::new());
    UserService::new(Arc::new(repository), Arc::new(passwords), Arc::new(secrets), calendar(), None)
}

/// Fails for other errors than 412.
fn assert_outdated<T: std::fmt::Debug>(outcome: Result<T, Error>) {
    assert_eq!(outcome.as_ref().err().map(Error::code), Some(Code::VersionConflict), "{outcome:?}");
}

#[tokio::test]
async fn a_user_is_never_written_under_a_version_that_was_not_read() {
    // A mock panics at an unexpected call: only `find` is called.
    let mut repository = MockUserRepository::new();
    repository.expect_find().returning(|_, _| Ok(Some(user(RoleCode::App, 1))));
    let service = users(repository);
    let admin = actor(RoleCode::Admin);
    for version in [Some(0), Some(2)] {
        assert_outdated(service.merge(&admin, "target", b"{\"status\": \"SUSPENDED\"}", version).await);
        let form = bytes(&serde_json::to_value(user(RoleCode::App, 1).as_edit()).unwrap());
        assert_outdated(service.replace(&admin, "target", &form, version).await);
        assert_outdated(service.delete(&admin, "target", version).await);
    }
}

#[tokio::test]
async fn a_concurrently_promoted_user_is_checked_again() {
    let reads = Arc::new(AtomicI64::new(0));
    let mut repository = MockUserRepository::new();
    let counted = reads.clone();
    repository.expect_find().returning(move |_, _| {
        let role =
            if counted.fetch_add(1, Ordering::Relaxed) == 0 { RoleCode::App } else { RoleCode::Superadmin };
        Ok(Some(user(role, 1 + counted.load(Ordering::Relaxed))))
    });
    let lost = |role| Written::Outdated(user(role, 3));
    repository
        .expect_update()
        .withf(|_, _, _, version, _| *version == 2)
        .times(1)
        .returning(move |_, _, _, _, _| Ok(lost(RoleCode::Superadmin)));
    let outcome = users(repository).toggle(&actor(RoleCode::Admin), "target", None).await;
    assert!(matches!(outcome, Err(Error::Forbidden)), "{outcome:?}");
    assert_eq!(reads.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn without_if_match_lost_races_are_retried_up_to_a_limit() {
    for (lost, expected) in [(15, None), (i64::MAX, Some(Code::Unavailable))] {
        let mut repository = MockUserRepository::new();
        repository.expect_find().returning(|_, _| Ok(Some(user(RoleCode::App, 1))));
        let tries = AtomicI64::new(0);
        repository.expect_update().returning(move |_, _, _, _, _| {
            let won = tries.fetch_add(1, Ordering::Relaxed) >= lost;
            let now = user(RoleCode::App, 1);
            Ok(if won { Written::Done(now) } else { Written::Outdated(now) })
        });
        let tries = AtomicI64::new(0);
        repository.expect_remove().returning(move |_, _, _, _| {
            let won = tries.fetch_add(1, Ordering::Relaxed) >= lost;
            Ok(if won { Removed::Done } else { Removed::Outdated(user(RoleCode::App, 1)) })
        });
        let (service, admin) = (users(repository), actor(RoleCode::Admin));
        let toggled = service.toggle(&admin, "target", None).await;
        assert_eq!(toggled.as_ref().err().map(Error::code), expected, "{toggled:?}");
        let removed = service.delete(&admin, "target", None).await;
        assert_eq!(removed.as_ref().err().map(Error::code), expected, "{removed:?}");
    }
}

#[tokio::test]
async fn content_is_never_merged_into_a_version_that_was_not_read() {
    let mut repository = MockContentRepository::<Category>::new();
    repository.expect_find().returning(|_| Ok(Some(stored(Category::sample(), 1))));
    let service = service(repository, MockReferences::new());
    assert_outdated(service.merge(&manager(), 7, b"{\"description\": \"Otra\"}", Some(2)).await);
}

#[tokio::test]
async fn a_concurrently_moved_episode_is_read_again() {
    let mut repository = MockContentRepository::<Episode>::new();
    let reads = AtomicI64::new(0);
    repository.expect_find().returning(move |_| {
        let moved = reads.fetch_add(1, Ordering::Relaxed) > 0;
        let mut episode = Episode::sample();
        episode.tv_show_id = if moved { 99 } else { 5 };
        Ok(Some(stored(episode, if moved { 2 } else { 1 })))
    });
    repository
        .expect_replace()
        .withf(|_, _, version, _| *version == Some(1))
        .times(1)
        .returning(|_, _, _, _| Ok(Written::Outdated(stored(Episode::sample(), 2))));
    let mut references = MockReferences::new();
    references.expect_exists().returning(|_, _| Ok(true));
    let mut body = serde_json::to_value(Episode::sample()).unwrap();
    body["tvShowId"] = json!(5);
    let service = service(repository, references);
    let outcome = service.replace_in_show(&manager(), 5, 7, &bytes(&body), None).await;
    assert!(matches!(outcome, Err(Error::Missing { .. })), "{outcome:?}");
}

#[tokio::test]
async fn two_concurrent_changes_of_an_events_links_are_both_kept() {
    let mut repository = MockContentRepository::<Sport>::new();
    let reads = AtomicI64::new(0);
    repository
        .expect_find()
        .returning(move |_| Ok(Some(stored(Sport::sample(), 1 + reads.fetch_add(1, Ordering::Relaxed)))));
    repository.expect_replace().times(2).returning(|_, content, version, _| {
        let content = stored(content.into_inner(), version.unwrap());
        Ok(if version == Some(1) { Written::Outdated(content) } else { Written::Done(content) })
    });
    let service = service(repository, all_of(Some(CategoryType::Sports)));
    let added = serde_json::to_value(&Sport::sample().links[0]).unwrap();
    let mut added = added.as_object().unwrap().clone();
    added.remove("id");
    let body = bytes(&json!(added));
    let outcome = service.change_link(&manager(), 7, LinkChange::Add, &body, None).await.unwrap();
    assert_eq!((outcome.version, outcome.content.links.len()), (2, Sport::sample().links.len() + 1));
}

fn webhook(version: i64) -> Webhook {
    Webhook {
        id: 7,
        version,
        draft: serde_json::from_value::<WebhookDraft>(json!({
            "name": "Sistema", "url": "https://example.com/hook", "events": ["ITEM_CREATED"], "active": true,
        }))
        .unwrap(),
        created_date: now(),
        updated_date: now(),
        last_delivery: None,
        pause: None,
        pending: 0,
    }
}

#[tokio::test]
async fn webhooks_and_settings_entries_are_merged_into_the_version_that_was_read() {
    let mut repository = MockWebhookRepository::new();
    repository.expect_find().returning(|_| Ok(Some(webhook(1))));
    repository
        .expect_replace()
        .withf(|_, _, version, _| *version == Some(1))
        .returning(|_, _, _, _| Ok(Written::Done(webhook(2))));
    let service = WebhookService::new(Arc::new(repository), Arc::new(MockWebhookSender::new()), calendar());
    let admin = actor(RoleCode::Admin);
    assert_outdated(service.merge(&admin, 7, b"{\"active\": false}", Some(2)).await);
    assert_eq!(service.merge(&admin, 7, b"{\"active\": false}", Some(1)).await.unwrap().version, 2);

    let kept = |version| StoredEntry {
        id: 7,
        version,
        entry: BackgroundImage::sample(),
        created_date: now(),
        updated_date: now(),
    };
    let mut repository = MockEntryRepository::<BackgroundImage>::new();
    repository.expect_find().returning(move |_| Ok(Some(kept(1))));
    repository
        .expect_replace()
        .withf(|_, _, version, _| *version == Some(1))
        .returning(move |_, _, _, _| Ok(Written::Done(kept(2))));
    let service = EntryService::new(Arc::new(repository), calendar());
    assert_outdated(service.merge(&admin, 7, b"{}", Some(2)).await);
    assert_eq!(service.merge(&admin, 7, b"{}", Some(1)).await.unwrap().version, 2);
}

#[tokio::test]
async fn an_earlier_version_is_found_despite_a_concurrent_write() {
    let mut repository = MockContentRepository::<Category>::new();
    repository.expect_find().returning(|_| Ok(Some(stored(Category::sample(), 3))));
    let mut entries = MockAuditRepository::new();
    entries.expect_changes_after().returning(|_, _, _, _| {
        let change = |version: i64| AuditEntry {
            id: version,
            occurred_at: now(),
            actor: None,
            origin: Origin::SERVER,
            action: AuditAction::Updated,
            resource: "categories".to_owned(),
            item: "7".to_owned(),
            title: String::new(),
            version: Some(version),
            diff: FieldDiff {
                before: Map::from_iter([("description".to_owned(), json!(format!("before {version}")))]),
                ..FieldDiff::default()
            },
        };
        // The category had version 3 when it was read.
        Ok(vec![change(4), change(3)])
    });
    let service = service(repository, all_of(None));
    let audit = AuditService::new(Arc::new(entries), calendar());
    let earlier = audit.version_of(&service, &manager(), 7, 2).await.unwrap();
    assert_eq!((earlier.version, &earlier.content["description"]), (2, &json!("before 3")));
}

fn of_user(version: Option<i64>, action: AuditAction, before: Value, after: Value) -> AuditEntry {
    let object = |value: Value| value.as_object().cloned().unwrap();
    AuditEntry {
        id: 1,
        occurred_at: now(),
        actor: None,
        origin: Origin::SERVER,
        action,
        resource: "users".to_owned(),
        item: "target".to_owned(),
        title: "target".to_owned(),
        version,
        diff: FieldDiff { before: object(before), after: object(after) },
    }
}

/// The user «target», at version 6, in an earlier version, with these recorded changes, newest
/// first.
async fn user_in_version(version: i64, entries: Vec<AuditEntry>) -> Result<EarlierVersion, Error> {
    let mut repository = MockUserRepository::new();
    repository.expect_find().returning(|_, _| Ok(Some(user(RoleCode::App, 6))));
    let mut audit = MockAuditRepository::new();
    audit.expect_changes_after().returning(move |resource, item, after, _| {
        assert_eq!((resource, item), ("users", "target"));
        let newer = entries.iter().filter(|entry| entry.version.is_some_and(|version| version > after));
        Ok(newer.cloned().collect())
    });
    let audit = AuditService::new(Arc::new(audit), calendar());
    audit.version_of_user(&users(repository), &actor(RoleCode::Agent), "target", version).await
}

/// A registration, a name, a movement of credits (version 3), an e-mail address with a role, a
/// password (version 5) and a name again; and an entry of an earlier user with the same name.
fn since_registration() -> Vec<AuditEntry> {
    use AuditAction::{Created, Deleted, PasswordChanged, RoleChanged, Updated};
    let (none, first) =
        (|| json!({}), json!({"fullName": "Ana", "email": "a@example.com", "roleCode": "agent"}));
    vec![
        of_user(Some(7), Updated, json!({"fullName": "Ana Núñez"}), json!({"fullName": "Later"})),
        of_user(Some(6), Updated, json!({"fullName": "Ana N."}), json!({"fullName": "Ana Núñez"})),
        of_user(Some(5), PasswordChanged, none(), none()),
        of_user(
            Some(4),
            RoleChanged,
            json!({"email": "a@example.com", "roleCode": "agent", "expirationDate": "2027-01-01T00:00:00Z"}),
            json!({"email": "ana@example.com", "roleCode": "app", "expirationDate": null}),
        ),
        of_user(Some(2), Updated, json!({"fullName": "Ana"}), json!({"fullName": "Ana N."})),
        of_user(Some(1), Created, none(), first),
        of_user(Some(9), Deleted, none(), none()),
        of_user(Some(3), Updated, json!({"email": "b@example.com"}), json!({"email": "ana@example.com"})),
    ]
}

#[tokio::test]
async fn an_earlier_version_of_a_user_has_the_restorable_fields_only() {
    for (version, full_name, email, role) in [
        (6, "Ana Núñez", "ana@example.com", "app"),
        (5, "Ana N.", "ana@example.com", "app"),
        (4, "Ana N.", "ana@example.com", "app"),
        // The movement of credits has no entry: the state after it is used.
        (3, "Ana N.", "a@example.com", "agent"),
        (2, "Ana N.", "a@example.com", "agent"),
        (1, "Ana", "a@example.com", "agent"),
    ] {
        let earlier = user_in_version(version, since_registration()).await.unwrap();
        let expected = json!({
            "fullName": full_name, "email": email, "phoneNumber": "+34 600 000 000", "language": null,
            "address": null, "comment": null, "roleCode": role, "status": "ACTIVE", "registeredBy": null,
        });
        assert_eq!((earlier.version, Value::Object(earlier.content)), (version, expected));
    }
}

#[tokio::test]
async fn an_unrecorded_version_of_a_user_does_not_exist() {
    let missing = |outcome: Result<EarlierVersion, Error>| matches!(outcome, Err(Error::NoSuch { .. }));
    for version in [-1, 0, 7] {
        assert!(missing(user_in_version(version, since_registration()).await), "{version}");
    }
    // Older entries have expired: the history begins before version 4.
    let recent: Vec<_> = since_registration().into_iter().take(4).collect();
    assert!(user_in_version(3, recent.clone()).await.is_ok());
    for version in [1, 2] {
        assert!(missing(user_in_version(version, recent.clone()).await), "{version}");
    }
    // Nothing is recorded.
    assert!(user_in_version(6, Vec::new()).await.is_ok());
    assert!(missing(user_in_version(5, Vec::new()).await));
    // A change that is not recorded, requested as the version before it.
    for unrecorded in [1, 3, 4] {
        let mut entries = since_registration();
        entries.remove(unrecorded);
        assert!(missing(user_in_version(1, entries).await), "{unrecorded}");
    }
}

#[tokio::test]
async fn a_version_of_a_user_requires_seeing_the_user() {
    let unread = AuditService::new(Arc::new(MockAuditRepository::new()), calendar());
    let unused = users(MockUserRepository::new());
    let denied = unread.version_of_user(&unused, &manager(), "target", 1).await;
    assert!(matches!(denied, Err(Error::Denied(_))), "{denied:?}");
    let mut repository = MockUserRepository::new();
    repository.expect_find().returning(|_, _| Ok(None));
    let hidden = unread.version_of_user(&users(repository), &actor(RoleCode::Agent), "target", 1).await;
    assert!(matches!(hidden, Err(Error::NoSuchUser(_))), "{hidden:?}");
}
