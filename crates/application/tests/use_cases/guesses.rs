//! Sign-in: limits of guesses, per name, network and device.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use application::{Error, Origin, SignInService, SignedIn};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Code, Username};
use domain_users::UserStatus;
use futures_util::{FutureExt, future::join_all};
use ports::{AttemptPermit, Clock, HashFault, HashPriority, MockUserRepository, PasswordHasher};
use tokio::sync::Notify;

use crate::{
    sign_in::{accepting, credentials, from, hasher, opening, over, recording, secrets, service, user},
    support::{clock, now},
};

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
