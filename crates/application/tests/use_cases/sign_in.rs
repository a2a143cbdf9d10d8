//! Sign-in: hashes, lookups, and what is neither hashed nor looked up.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use application::{Error, Origin, SignInService, SignedIn};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Code, RoleCode, Username};
use domain_users::{UserCredentials, UserStatus};
use futures_util::{FutureExt, future::join_all};
use mockall::Sequence;
use ports::{
    AttemptPermit, Clock, HashFault, HashPriority, MockAuditRepository, MockPasswordHasher, MockSecretSource,
    MockSessionRepository, MockUserRepository, PasswordHasher, StoreError,
};
use serde_json::json;
use tokio::sync::Notify;

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

fn secrets() -> MockSecretSource {
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

fn over(
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
fn recording() -> MockAuditRepository {
    let mut audit = MockAuditRepository::new();
    audit.expect_add().returning(|_, _| Ok(()));
    audit
}

/// Sessions that can be opened.
fn opening() -> MockSessionRepository {
    let mut sessions = MockSessionRepository::new();
    sessions.expect_open().returning(|_, _| Ok(true));
    sessions
}

pub(crate) fn service(users: MockUserRepository, passwords: MockPasswordHasher) -> SignInService {
    over(users, opening(), passwords, clock())
}

fn credentials(username: &str, password: &str) -> Vec<u8> {
    bytes(&json!({"username": username, "password": password}))
}

fn from(address: &str) -> Origin<'_> {
    Origin { address, device: None, known_users: &[] }
}

/// A hasher for which this password is correct if there is a hash.
fn accepting(right: &'static str) -> MockPasswordHasher {
    let mut passwords = hasher();
    passwords.expect_verify().returning(move |password, hash, _| Ok(password == right && hash.is_some()));
    passwords
}

/// A clock set by the test.
struct HandClock(Mutex<DateTime<Utc>>);

impl Clock for HandClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap()
    }
}

impl HandClock {
    fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(now())))
    }

    fn forward(&self, seconds: i64) {
        *self.0.lock().unwrap() += TimeDelta::seconds(seconds);
    }
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
async fn after_too_many_failures_a_user_is_neither_looked_up_nor_hashed_from_that_network() {
    let mut users = MockUserRepository::new();
    users.expect_find_credentials().times(11).returning(|_| Ok(Some(user(UserStatus::Active))));
    let mut passwords = hasher();
    passwords.expect_verify().times(11).returning(|password, _, _| Ok(password == "right"));
    let service = service(users, passwords);
    for attempt in 0..10 {
        let address = format!("2001:db8:1:2::{attempt}");
        let outcome = service.sign_in(&credentials("ana", "wrong"), from(&address)).await;
        assert!(matches!(outcome, Err(Error::InvalidCredentials)), "{attempt}: {outcome:?}");
    }
    // In any spelling, from any address of the network.
    for name in ["ana", "ANA"] {
        let outcome = service.sign_in(&credentials(name, "right"), from("2001:db8:1:2:ffff::1")).await;
        assert!(matches!(outcome, Err(Error::Throttled(30))), "{outcome:?}");
    }
    // Attempts from elsewhere are not blocked.
    assert!(service.sign_in(&credentials("ana", "right"), from("2001:db8:1:3::1")).await.is_ok());
}

/// A hasher without a queue whose hashes do not end before they are released.
#[derive(Default)]
struct Slow {
    checked: AtomicUsize,
    released: Notify,
}

#[async_trait]
impl PasswordHasher for Slow {
    fn is_weak(&self, _: &str) -> bool {
        false
    }

    async fn hash(&self, _: &str) -> Result<String, HashFault> {
        unreachable!("nothing is hashed here")
    }

    async fn admit(&self, _: &[String]) -> Result<AttemptPermit, HashFault> {
        Ok(Box::new(()))
    }

    async fn verify<'a>(&self, _: &str, _: Option<&'a str>, _: HashPriority) -> Result<bool, HashFault> {
        self.checked.fetch_add(1, Ordering::Relaxed);
        self.released.notified().await;
        Ok(false)
    }
}

#[tokio::test]
async fn of_150_parallel_guesses_ten_are_checked() {
    let mut users = MockUserRepository::new();
    users.expect_find_credentials().returning(|_| Ok(Some(user(UserStatus::Active))));
    let passwords = Arc::new(Slow::default());
    let service = SignInService::new(
        Arc::new(users),
        Arc::new(opening()),
        passwords.clone(),
        Arc::new(secrets()),
        clock(),
        Arc::new(recording()),
    );
    let body = credentials("ana", "wrong");
    let mut guesses = Box::pin(join_all((0..150).map(|_| service.sign_in(&body, from("10.0.0.1")))));
    assert!((&mut guesses).now_or_never().is_none(), "some are being hashed");
    assert_eq!(passwords.checked.load(Ordering::Relaxed), 10);
    passwords.released.notify_waiters();
    let outcomes = guesses.await;
    let checked = outcomes.iter().filter(|one| matches!(one, Err(Error::InvalidCredentials))).count();
    let refused = outcomes.iter().filter(|one| matches!(one, Err(Error::Throttled(_)))).count();
    assert_eq!((checked, refused), (10, 140));
}

#[tokio::test]
async fn guesses_from_many_networks_have_a_limit_per_name_and_a_known_device_has_its_own() {
    let ana = [Username::parse("ANA").unwrap()];
    let mut users = MockUserRepository::new();
    users.expect_find_credentials().returning(|_| Ok(Some(user(UserStatus::Active))));
    let clock = HandClock::new();
    let service = over(users, opening(), accepting("right"), clock.clone());
    for number in 0..100 {
        let address = format!("10.0.0.{number}");
        let outcome = service.sign_in(&credentials("ana", "wrong"), from(&address)).await;
        assert!(matches!(outcome, Err(Error::InvalidCredentials)), "{number}: {outcome:?}");
    }
    let elsewhere = service.sign_in(&credentials("ana", "right"), from("10.0.1.1")).await;
    assert!(matches!(elsewhere, Err(Error::Throttled(30))), "{elsewhere:?}");
    let known = Origin { known_users: &ana, ..from("10.0.1.1") };
    assert!(service.sign_in(&credentials("ana", "right"), known).await.is_ok(), "a known device is admitted");
    // A device is known for its own users only.
    let eva = [Username::parse("eva").unwrap()];
    let stranger = service.sign_in(&credentials("ana", "right"), Origin { known_users: &eva, ..known }).await;
    assert!(matches!(stranger, Err(Error::Throttled(_))), "{stranger:?}");
    // Attempts from the device have a limit, too.
    for _ in 0..10 {
        service.sign_in(&credentials("ana", "wrong"), known).await.unwrap_err();
    }
    let outcome = service.sign_in(&credentials("ana", "right"), known).await;
    assert!(matches!(outcome, Err(Error::Throttled(30))), "{outcome:?}");
    clock.forward(30);
    assert!(service.sign_in(&credentials("ana", "right"), known).await.is_ok());
    assert!(service.sign_in(&credentials("ana", "right"), from("10.0.1.1")).await.is_ok());
}

#[tokio::test]
async fn a_network_with_too_many_failures_waits_for_every_name() {
    let mut users = MockUserRepository::new();
    users.expect_find_credentials().times(30).returning(|_| Ok(None));
    let service = service(users, accepting("right"));
    for attempt in 0..30 {
        let body = credentials(&format!("user_{attempt}"), "x");
        let outcome = service.sign_in(&body, from("10.0.0.1")).await;
        assert!(matches!(outcome, Err(Error::InvalidCredentials)), "{outcome:?}");
    }
    let outcome = service.sign_in(&credentials("user_99", "x"), from("10.0.0.1")).await;
    assert!(matches!(outcome, Err(Error::Throttled(_))), "{outcome:?}");
}

#[tokio::test]
async fn right_passwords_are_never_slowed_down_and_clear_the_failures_of_their_name_and_network() {
    let mut users = MockUserRepository::new();
    users.expect_find_credentials().returning(|_| Ok(Some(user(UserStatus::Active))));
    let service = service(users, accepting("right"));
    for _ in 0..3 {
        for _ in 0..9 {
            let outcome = service.sign_in(&credentials("ana", "wrong"), from("10.9.9.9")).await;
            assert!(matches!(outcome, Err(Error::InvalidCredentials)), "{outcome:?}");
        }
        assert!(service.sign_in(&credentials("ana", "right"), from("10.9.9.9")).await.is_ok());
    }
    for _ in 0..200 {
        assert!(service.sign_in(&credentials("ana", "right"), from("10.9.9.8")).await.is_ok());
    }
}

/// The password of all users is "right".
fn with_correct_passwords() -> (SignInService, Arc<HandClock>) {
    let mut users = MockUserRepository::new();
    users.expect_find_credentials().returning(|_| Ok(Some(user(UserStatus::Active))));
    let clock = HandClock::new();
    (over(users, opening(), accepting("right"), clock.clone()), clock)
}

/// Signs in from the address of an office.
async fn from_office(service: &SignInService, name: &str, password: &str) -> Result<SignedIn, Error> {
    service.sign_in(&credentials(name, password), from("10.0.0.1")).await
}

#[tokio::test]
async fn a_right_password_does_not_prolong_the_wait_of_others_in_its_network() {
    let (service, clock) = with_correct_passwords();
    for number in 0..30 {
        let outcome = from_office(&service, &format!("user_{number}"), "wrong").await;
        assert!(matches!(outcome, Err(Error::InvalidCredentials)), "{number}: {outcome:?}");
    }
    let outcome = from_office(&service, "ana", "right").await;
    assert!(matches!(outcome, Err(Error::Throttled(30))), "{outcome:?}");
    clock.forward(31);
    for name in ["ana", "eva", "luis"] {
        let outcome = from_office(&service, name, "right").await;
        assert!(outcome.is_ok(), "{name}: {outcome:?}");
    }
}

#[tokio::test]
async fn failures_are_forgotten_ten_minutes_after_the_last_one_also_where_others_sign_in() {
    let (service, clock) = with_correct_passwords();
    for number in 0..29 {
        from_office(&service, &format!("user_{number}"), "wrong").await.unwrap_err();
    }
    for _ in 0..2 {
        clock.forward(5 * 60);
        assert!(from_office(&service, "ana", "right").await.is_ok());
    }
    for number in 0..29 {
        let outcome = from_office(&service, &format!("user_{number}"), "wrong").await;
        assert!(matches!(outcome, Err(Error::InvalidCredentials)), "{number}: {outcome:?}");
    }
    assert!(from_office(&service, "ana", "right").await.is_ok());
}

#[tokio::test]
async fn a_right_password_between_guesses_allows_no_additional_ones() {
    let (service, clock) = with_correct_passwords();
    let mut wait = 30;
    for number in 0..33 {
        let outcome = from_office(&service, &format!("user_{number}"), "wrong").await;
        assert!(matches!(outcome, Err(Error::InvalidCredentials)), "{number}: {outcome:?}");
        if number < 29 {
            assert!(from_office(&service, "ana", "right").await.is_ok());
            continue;
        }
        for (forward, left) in [(0, wait), (wait - 1, 1)] {
            clock.forward(i64::from(forward));
            for (name, password) in [("ana", "right"), ("user_99", "wrong")] {
                let outcome = from_office(&service, name, password).await;
                let seconds = outcome.as_ref().err().and_then(Error::retry_after);
                assert_eq!(seconds, Some(left), "{number}: {outcome:?}");
            }
        }
        clock.forward(1);
        assert!(from_office(&service, "ana", "right").await.is_ok());
        wait *= 2;
    }
}

#[tokio::test]
async fn unchecked_attempts_do_not_count() {
    let mut users = MockUserRepository::new();
    users.expect_find_credentials().returning(|_| Ok(None));
    let mut passwords = hasher();
    passwords.expect_verify().returning(|_, _, _| Err(HashFault::Busy));
    let service = service(users, passwords);
    for _ in 0..50 {
        let error = service.sign_in(&credentials("ana", "x"), from("1.2.3.4")).await.unwrap_err();
        assert_eq!(error.code(), Code::Unavailable);
    }
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
