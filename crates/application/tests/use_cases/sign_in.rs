//! Sign-in: hashes, lookups, and what is neither hashed nor looked up.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use application::{Error, Origin, SignInService, SignedIn};
use chrono::TimeDelta;
use domain_kernel::{Code, RoleCode, Username};
use domain_users::{UserCredentials, UserStatus};
use mockall::Sequence;
use ports::{
    Clock, HashFault, HashPriority, MockAuditRepository, MockPasswordHasher, MockSecretSource,
    MockSessionRepository, MockUserRepository, StoreError,
};
use serde_json::json;

use crate::support::{bytes, clock, now, refused};

pub(crate) fn user(status: UserStatus) -> UserCredentials {
    UserCredentials {
        username: Username::parse("Ana").unwrap(),
        full_name: "Ana".into(),
        role: RoleCode::Admin,
        status,
        password_hash: Some("hash of Ana".into()),
    }
}

pub(crate) fn secrets() -> MockSecretSource {
    let mut secrets = MockSecretSource::new();
    secrets.expect_draw().returning(|| "a key".into());
    secrets
}

/// A hasher that admits every attempt at once.
pub(crate) fn hasher() -> MockPasswordHasher {
    let mut passwords = MockPasswordHasher::new();
    passwords.expect_admit().returning(|_| Ok(Box::new(())));
    passwords.expect_is_weak().returning(|_| false);
    passwords
}

pub(crate) fn over(
    users: MockUserRepository,
    sessions: MockSessionRepository,
    passwords: MockPasswordHasher,
    clock: Arc<dyn Clock>,
) -> SignInService {
    let audit = Arc::new(recording());
    let (users, sessions, passwords) = (Arc::new(users), Arc::new(sessions), Arc::new(passwords));
    SignInService::new(users, sessions, passwords, Arc::new(secrets()), clock, audit)
}

/// An audit log that accepts every entry.
pub(crate) fn recording() -> MockAuditRepository {
    let mut audit = MockAuditRepository::new();
    audit.expect_add().returning(|_, _| Ok(()));
    audit
}

/// Sessions that can be opened.
pub(crate) fn opening() -> MockSessionRepository {
    let mut sessions = MockSessionRepository::new();
    sessions.expect_open().returning(|_, _| Ok(true));
    sessions
}

pub(crate) fn service(users: MockUserRepository, passwords: MockPasswordHasher) -> SignInService {
    over(users, opening(), passwords, clock())
}

pub(crate) fn credentials(username: &str, password: &str) -> Vec<u8> {
    bytes(&json!({"username": username, "password": password}))
}

pub(crate) fn from(address: &str) -> Origin<'_> {
    Origin { address, device: None, known_users: &[] }
}

/// A hasher for which this password is correct if there is a hash.
pub(crate) fn accepting(right: &'static str) -> MockPasswordHasher {
    let mut passwords = hasher();
    passwords.expect_verify().returning(move |password, hash, _| Ok(password == right && hash.is_some()));
    passwords
}

fn with_strong_hash() -> UserCredentials {
    UserCredentials { password_hash: Some("strong hash of Ana".into()), ..user(UserStatus::Active) }
}

#[tokio::test]
async fn the_right_password_is_checked_before_a_session_is_opened_for_what_was_checked() {
    let mut order = Sequence::new();
    let mut users = MockUserRepository::new();
    let mut passwords = MockPasswordHasher::new();
    let mut sessions = MockSessionRepository::new();
    passwords
        .expect_admit()
        .withf(|keys| *keys == ["network 1.2.3.4", "name ana"])
        .times(1)
        .in_sequence(&mut order)
        .returning(|_| Ok(Box::new(())));
    users
        .expect_find_credentials()
        .times(1)
        .in_sequence(&mut order)
        .returning(|_| Ok(Some(user(UserStatus::Active))));
    passwords
        .expect_verify()
        .withf(|password, hash, priority| {
            password == " blanks too " && *hash == Some("hash of Ana") && *priority == HashPriority::Staff
        })
        .times(1)
        .in_sequence(&mut order)
        .returning(|_, _, _| Ok(true));
    passwords.expect_is_weak().withf(|hash| hash == "hash of Ana").return_const(true);
    passwords
        .expect_hash()
        .withf(|password| password == " blanks too ")
        .times(1)
        .in_sequence(&mut order)
        .returning(|_| Ok("strong hash of Ana".into()));
    users
        .expect_rehash()
        .withf(|user, from, to| user.as_str() == "Ana" && (from, to) == ("hash of Ana", "strong hash of Ana"))
        .times(1)
        .in_sequence(&mut order)
        .returning(|_, _, _| Ok(true));
    sessions
        .expect_open()
        .withf(|checked, session| {
            *checked == with_strong_hash()
                && session.key_hash != "a key"
                && session.created_date == now()
                && session.ends_date == now() + TimeDelta::hours(24)
                && session.address == "1.2.3.4"
                && session.device.as_ref().map(|device| device.chars().count()) == Some(300)
        })
        .times(1)
        .in_sequence(&mut order)
        .returning(|_, _| Ok(true));
    let device = "x".repeat(2000);
    let origin = Origin { device: Some(&device), ..from("1.2.3.4") };
    let signed_in =
        over(users, sessions, passwords, clock()).sign_in(&credentials("aNA", " blanks too "), origin).await;
    let ends_date = now() + TimeDelta::hours(24);
    let expected = SignedIn { user: with_strong_hash(), session_key: "a key".into(), ends_date };
    assert_eq!(signed_in.unwrap(), expected);
}

#[tokio::test]
async fn a_failed_write_of_the_session_fails_the_sign_in() {
    let mut users = MockUserRepository::new();
    users.expect_find_credentials().returning(|_| Ok(Some(user(UserStatus::Active))));
    let mut sessions = MockSessionRepository::new();
    sessions.expect_open().times(1).returning(|_, _| Err(StoreError::Unavailable("away".into())));
    let service = over(users, sessions, accepting("x"), clock());
    let error = service.sign_in(&credentials("ana", "x"), from("1.2.3.4")).await.unwrap_err();
    assert_eq!(error.code(), Code::Unavailable);
}

#[tokio::test]
async fn a_password_that_changed_while_it_was_hashed_opens_no_session() {
    let mut users = MockUserRepository::new();
    let looked = AtomicUsize::new(0);
    users.expect_find_credentials().times(2).returning(move |_| {
        let hash = if looked.fetch_add(1, Ordering::Relaxed) == 0 { "hash of Ana" } else { "another" };
        Ok(Some(UserCredentials { password_hash: Some(hash.into()), ..user(UserStatus::Active) }))
    });
    let mut sessions = MockSessionRepository::new();
    sessions.expect_open().times(1).returning(|_, _| Ok(false));
    let service = over(users, sessions, accepting("x"), clock());
    let outcome = service.sign_in(&credentials("ana", "x"), from("1.2.3.4")).await;
    assert!(matches!(outcome, Err(Error::InvalidCredentials)), "{outcome:?}");
}

#[tokio::test]
async fn a_role_or_status_changed_while_the_password_was_hashed_applies() {
    for (status, code) in [(UserStatus::Suspended, Some(Code::AccountSuspended)), (UserStatus::Active, None)]
    {
        let mut users = MockUserRepository::new();
        let looked = AtomicUsize::new(0);
        users.expect_find_credentials().times(2).returning(move |_| {
            let first = looked.fetch_add(1, Ordering::Relaxed) == 0;
            let agent = UserCredentials { role: RoleCode::Agent, ..user(status) };
            Ok(Some(if first { user(UserStatus::Active) } else { agent }))
        });
        let mut sessions = MockSessionRepository::new();
        sessions.expect_open().returning(|checked, _| Ok(checked.role == RoleCode::Agent));
        let service = over(users, sessions, accepting("x"), clock());
        let outcome = service.sign_in(&credentials("ana", "x"), from("1.2.3.4")).await;
        assert_eq!(outcome.as_ref().err().map(Error::code), code);
        assert!(outcome.is_err() || outcome.unwrap().user.role == RoleCode::Agent);
    }
}

#[tokio::test]
async fn an_unknown_user_costs_as_much_as_a_known_one() {
    // An invalid user name is not looked up, but verified against the placeholder hash.
    for (name, lookups) in [("nobody", 1), ("no such name!", 0), ("ñ", 0)] {
        let mut users = MockUserRepository::new();
        users.expect_find_credentials().times(lookups).returning(|_| Ok(None));
        let mut passwords = hasher();
        passwords.expect_verify().withf(|_, hash, _| hash.is_none()).times(1).returning(|_, _, _| Ok(false));
        let outcome = service(users, passwords).sign_in(&credentials(name, "x"), from("1.2.3.4")).await;
        assert!(matches!(outcome, Err(Error::InvalidCredentials)), "{name}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_user_without_a_password_cannot_sign_in() {
    let mut users = MockUserRepository::new();
    users
        .expect_find_credentials()
        .returning(|_| Ok(Some(UserCredentials { password_hash: None, ..user(UserStatus::Active) })));
    let mut passwords = hasher();
    passwords.expect_verify().withf(|_, hash, _| hash.is_none()).times(1).returning(|_, _, _| Ok(false));
    let outcome = service(users, passwords).sign_in(&credentials("ana", "x"), from("1.2.3.4")).await;
    assert!(matches!(outcome, Err(Error::InvalidCredentials)), "{outcome:?}");
}

#[tokio::test]
async fn an_inactive_or_suspended_status_is_only_reported_with_the_right_password() {
    for (status, code) in
        [(UserStatus::Inactive, Code::AccountInactive), (UserStatus::Suspended, Code::AccountSuspended)]
    {
        let mut users = MockUserRepository::new();
        users.expect_find_credentials().returning(move |_| Ok(Some(user(status))));
        // No sign-in is counted: the mock would panic.
        let service = service(users, accepting("right"));
        let wrong = service.sign_in(&credentials("ana", "wrong"), from("1.2.3.4")).await.unwrap_err();
        assert_eq!(wrong.code(), Code::InvalidCredentials);
        let right = service.sign_in(&credentials("ana", "right"), from("1.2.3.4")).await.unwrap_err();
        assert_eq!(right.code(), code);
    }
}

#[tokio::test]
async fn a_password_of_more_than_128_characters_is_never_hashed() {
    let service = service(MockUserRepository::new(), hasher());
    let outcome = service.sign_in(&credentials("ana", &"ñ".repeat(129)), from("1.2.3.4")).await;
    assert!(matches!(outcome, Err(Error::InvalidCredentials)), "{outcome:?}");
    let mut users = MockUserRepository::new();
    users.expect_find_credentials().times(1).returning(|_| Ok(None));
    let outcome = self::service(users, accepting("x"))
        .sign_in(&credentials("ana", &"ñ".repeat(128)), from("1.2.3.4"))
        .await;
    assert!(matches!(outcome, Err(Error::InvalidCredentials)), "{outcome:?}");
}

#[tokio::test]
async fn missing_credentials_are_violations() {
    let service = service(MockUserRepository::new(), MockPasswordHasher::new());
    let both = vec![("password".to_owned(), "REQUIRED"), ("username".to_owned(), "REQUIRED")];
    for body in
        [json!({}), json!({"username": "", "password": ""}), json!({"username": null, "password": null})]
    {
        let mut broken = refused(service.sign_in(&bytes(&body), from("1.2.3.4")).await);
        broken.sort_unstable();
        assert_eq!(broken, both, "{body}");
    }
    let outcome = service.sign_in(b"{", from("1.2.3.4")).await;
    assert!(matches!(outcome, Err(Error::Malformed(_))), "{outcome:?}");
}

#[tokio::test]
async fn only_staff_use_the_slots_reserved_for_staff() {
    let subscriber = UserCredentials { role: RoleCode::App, ..user(UserStatus::Active) };
    for (found, priority) in [
        (None, HashPriority::Other),
        (Some(subscriber), HashPriority::Other),
        (Some(user(UserStatus::Active)), HashPriority::Staff),
    ] {
        let mut users = MockUserRepository::new();
        users.expect_find_credentials().returning(move |_| Ok(found.clone()));
        let mut passwords = hasher();
        passwords
            .expect_verify()
            .withf(move |_, _, requested| *requested == priority)
            .times(1)
            .returning(|_, _, _| Ok(false));
        service(users, passwords).sign_in(&credentials("ana", "x"), from("1.2.3.4")).await.unwrap_err();
    }
}

#[tokio::test]
async fn with_too_many_concurrent_hashes_the_client_may_retry() {
    let mut users = MockUserRepository::new();
    users.expect_find_credentials().returning(|_| Ok(None));
    let mut passwords = hasher();
    passwords.expect_verify().returning(|_, _, _| Err(HashFault::Busy));
    let outcome =
        service(users, passwords).sign_in(&credentials("ana", "x"), from("1.2.3.4")).await.unwrap_err();
    assert_eq!(outcome.code(), Code::Unavailable);
    assert!(outcome.retry_after().is_some());
}
