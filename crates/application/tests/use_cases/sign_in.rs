//! Coming in: what is hashed, what is looked up, and what is not.

use std::sync::Arc;

use application::{Error, SignInService};
use domain_kernel::{Actor, Code, RoleCode, Username, Violations};
use domain_users::{Account, UserStatus};
use mockall::Sequence;
use ports::{HashFault, MockPasswordHasher, MockUserRepository, SignIn, StoreError};
use serde_json::json;

use crate::support::{bytes, clock, now, refused};

fn account(status: UserStatus) -> Account {
    Account {
        username: Username::parse("Ana").unwrap(),
        full_name: "Ana".into(),
        role: RoleCode::Admin,
        status,
        password_hash: Some("hash of Ana".into()),
    }
}

fn service(users: MockUserRepository, passwords: MockPasswordHasher) -> SignInService {
    SignInService::new(Arc::new(users), Arc::new(passwords), clock())
}

fn credentials(username: &str, password: &str) -> Vec<u8> {
    bytes(&json!({"username": username, "password": password}))
}

/// A hasher that takes this password for the right one, where there is a hash.
fn knowing(right: &'static str) -> MockPasswordHasher {
    let mut passwords = MockPasswordHasher::new();
    passwords.expect_verify().returning(move |password, hash| Ok(password == right && hash.is_some()));
    passwords
}

#[tokio::test]
async fn the_right_password_is_looked_at_before_the_sign_in_is_counted() {
    let mut order = Sequence::new();
    let mut users = MockUserRepository::new();
    let mut passwords = MockPasswordHasher::new();
    users.expect_find().times(1).in_sequence(&mut order).returning(|_| Ok(Some(account(UserStatus::Active))));
    passwords
        .expect_verify()
        .withf(|password, hash| password == " blanks too " && *hash == Some("hash of Ana"))
        .times(1)
        .in_sequence(&mut order)
        .returning(|_, _| Ok(true));
    users
        .expect_count_sign_in()
        .withf(|sign_in| {
            let SignIn { username, full_name, at, address, device } = sign_in;
            (username.as_str(), full_name.as_str(), *at) == ("Ana", "Ana", now())
                && address == "1.2.3.4"
                && device.as_deref() == Some("Firefox")
        })
        .times(1)
        .in_sequence(&mut order)
        .returning(|_| Ok(()));
    let came_in = service(users, passwords)
        .sign_in(&credentials("aNA", " blanks too "), "1.2.3.4", Some("Firefox"))
        .await;
    assert_eq!(came_in.unwrap(), account(UserStatus::Active));
}

#[tokio::test]
async fn nobody_is_kept_out_because_their_sign_in_could_not_be_written_down() {
    let mut users = MockUserRepository::new();
    users.expect_find().returning(|_| Ok(Some(account(UserStatus::Active))));
    users.expect_count_sign_in().times(1).returning(|sign_in| {
        assert_eq!(
            sign_in.device.as_ref().map(|device| device.chars().count()),
            Some(300),
            "as much as is kept"
        );
        Err(StoreError::Unavailable("away".into()))
    });
    let device = "x".repeat(2000);
    let outcome =
        service(users, knowing("x")).sign_in(&credentials("ana", "x"), "1.2.3.4", Some(&device)).await;
    assert!(outcome.is_ok());
}

#[tokio::test]
async fn an_unknown_user_costs_as_much_as_a_known_one() {
    // A name that nobody could have is not looked up, but verified against nothing all the same.
    for (name, lookups) in [("nobody", 1), ("no such name!", 0), ("ñ", 0)] {
        let mut users = MockUserRepository::new();
        users.expect_find().times(lookups).returning(|_| Ok(None));
        let mut passwords = MockPasswordHasher::new();
        passwords.expect_verify().withf(|_, hash| hash.is_none()).times(1).returning(|_, _| Ok(false));
        let outcome = service(users, passwords).sign_in(&credentials(name, "x"), "1.2.3.4", None).await;
        assert!(matches!(outcome, Err(Error::InvalidCredentials)), "{name}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_user_without_a_password_cannot_come_in() {
    let mut users = MockUserRepository::new();
    users
        .expect_find()
        .returning(|_| Ok(Some(Account { password_hash: None, ..account(UserStatus::Active) })));
    let mut passwords = MockPasswordHasher::new();
    passwords.expect_verify().withf(|_, hash| hash.is_none()).times(1).returning(|_, _| Ok(false));
    let outcome = service(users, passwords).sign_in(&credentials("ana", "x"), "1.2.3.4", None).await;
    assert!(matches!(outcome, Err(Error::InvalidCredentials)), "{outcome:?}");
}

#[tokio::test]
async fn who_is_inactive_or_suspended_learns_it_only_with_the_right_password() {
    for (status, code) in
        [(UserStatus::Inactive, Code::AccountInactive), (UserStatus::Suspended, Code::AccountSuspended)]
    {
        let mut users = MockUserRepository::new();
        users.expect_find().returning(move |_| Ok(Some(account(status))));
        // No sign-in is counted: the mock would panic.
        let service = service(users, knowing("right"));
        let wrong = service.sign_in(&credentials("ana", "wrong"), "1.2.3.4", None).await.unwrap_err();
        assert_eq!(wrong.code(), Code::InvalidCredentials);
        let right = service.sign_in(&credentials("ana", "right"), "1.2.3.4", None).await.unwrap_err();
        assert_eq!(right.code(), code);
    }
}

#[tokio::test]
async fn a_password_of_more_than_128_characters_is_never_hashed() {
    let service = service(MockUserRepository::new(), MockPasswordHasher::new());
    let outcome = service.sign_in(&credentials("ana", &"ñ".repeat(129)), "1.2.3.4", None).await;
    assert!(matches!(outcome, Err(Error::InvalidCredentials)), "{outcome:?}");
    let mut users = MockUserRepository::new();
    users.expect_find().times(1).returning(|_| Ok(None));
    let outcome = self::service(users, knowing("x"))
        .sign_in(&credentials("ana", &"ñ".repeat(128)), "1.2.3.4", None)
        .await;
    assert!(matches!(outcome, Err(Error::InvalidCredentials)), "{outcome:?}");
}

#[tokio::test]
async fn credentials_that_are_not_there_are_asked_for() {
    let service = service(MockUserRepository::new(), MockPasswordHasher::new());
    let both = vec![("password".to_owned(), "REQUIRED"), ("username".to_owned(), "REQUIRED")];
    for body in
        [json!({}), json!({"username": "", "password": ""}), json!({"username": null, "password": null})]
    {
        let mut broken = refused(service.sign_in(&bytes(&body), "1.2.3.4", None).await);
        broken.sort_unstable();
        assert_eq!(broken, both, "{body}");
    }
    let outcome = service.sign_in(b"{", "1.2.3.4", None).await;
    assert!(matches!(outcome, Err(Error::Malformed(_))), "{outcome:?}");
}

#[tokio::test]
async fn who_failed_too_often_is_neither_looked_up_nor_hashed() {
    let mut users = MockUserRepository::new();
    users.expect_find().times(10).returning(|_| Ok(Some(account(UserStatus::Active))));
    let mut passwords = MockPasswordHasher::new();
    passwords.expect_verify().times(10).returning(|_, _| Ok(false));
    let service = service(users, passwords);
    for attempt in 0..10 {
        let outcome = service.sign_in(&credentials("ana", "wrong"), &format!("10.0.0.{attempt}"), None).await;
        assert!(matches!(outcome, Err(Error::InvalidCredentials)), "{attempt}: {outcome:?}");
    }
    // In any spelling, from anywhere.
    for name in ["ana", "ANA"] {
        let outcome = service.sign_in(&credentials(name, "right"), "10.0.0.99", None).await;
        assert!(matches!(outcome, Err(Error::Throttled(30))), "{outcome:?}");
    }
}

#[tokio::test]
async fn an_address_that_failed_too_often_waits_whatever_name_it_tries() {
    let mut users = MockUserRepository::new();
    users.expect_find().times(30).returning(|_| Ok(None));
    let service = service(users, knowing("right"));
    for attempt in 0..30 {
        let outcome = service.sign_in(&credentials(&format!("user_{attempt}"), "x"), "10.0.0.1", None).await;
        assert!(matches!(outcome, Err(Error::InvalidCredentials)), "{outcome:?}");
    }
    let outcome = service.sign_in(&credentials("user_99", "x"), "10.0.0.1", None).await;
    assert!(matches!(outcome, Err(Error::Throttled(_))), "{outcome:?}");
}

#[tokio::test]
async fn successes_are_never_slowed_down_and_wipe_the_failures_of_the_name() {
    let mut users = MockUserRepository::new();
    users.expect_find().returning(|_| Ok(Some(account(UserStatus::Active))));
    users.expect_count_sign_in().times(50).returning(|_| Ok(()));
    let service = service(users, knowing("right"));
    for round in 0..50 {
        for failure in 0..if round < 3 { 9 } else { 0 } {
            let outcome =
                service.sign_in(&credentials("ana", "wrong"), &format!("10.0.{round}.{failure}"), None).await;
            assert!(matches!(outcome, Err(Error::InvalidCredentials)), "{outcome:?}");
        }
        assert!(service.sign_in(&credentials("ana", "right"), "10.9.9.9", None).await.is_ok());
    }
}

#[tokio::test]
async fn when_too_many_hash_at_once_the_caller_may_try_again() {
    let mut users = MockUserRepository::new();
    users.expect_find().returning(|_| Ok(None));
    let mut passwords = MockPasswordHasher::new();
    passwords.expect_verify().returning(|_, _| Err(HashFault::Busy));
    let outcome =
        service(users, passwords).sign_in(&credentials("ana", "x"), "1.2.3.4", None).await.unwrap_err();
    assert_eq!(outcome.code(), Code::Unavailable);
    assert!(outcome.retry_after().is_some());
}

#[tokio::test]
async fn a_new_password_is_stored_as_its_hash_and_ends_every_session() {
    for known in [true, false] {
        let mut passwords = MockPasswordHasher::new();
        passwords.expect_hash().times(1).returning(|_| Ok("new hash".into()));
        let mut users = MockUserRepository::new();
        users
            .expect_set_password()
            .withf(|_, hash, keep, at| hash == "new hash" && keep.is_none() && *at == now())
            .times(1)
            .returning(move |_, _, _, _| Ok(known));
        let username = Username::parse("ana").unwrap();
        assert_eq!(service(users, passwords).reset_password(&username, "Another 1").await.unwrap(), known);
    }
}

fn actor(role: RoleCode) -> Actor {
    Actor { username: Username::parse("Ana").unwrap(), role, permissions: &[] }
}

fn change(current: &str, new: &str) -> Vec<u8> {
    bytes(&json!({"currentPassword": current, "newPassword": new}))
}

#[tokio::test]
async fn ones_own_password_is_changed_after_the_current_one_was_right_and_ones_own_session_stays() {
    let mut order = Sequence::new();
    let mut users = MockUserRepository::new();
    users.expect_find().times(1).in_sequence(&mut order).returning(|_| Ok(Some(account(UserStatus::Active))));
    let mut passwords = MockPasswordHasher::new();
    passwords
        .expect_verify()
        .withf(|password, hash| password == "Anterior 1" && hash.as_deref() == Some("hash of Ana"))
        .times(1)
        .in_sequence(&mut order)
        .returning(|_, _| Ok(true));
    passwords.expect_hash().times(1).in_sequence(&mut order).returning(|_| Ok("new hash".into()));
    users
        .expect_set_password()
        .withf(|_, hash, keep, _| hash == "new hash" && *keep == Some("own"))
        .times(1)
        .in_sequence(&mut order)
        .returning(|_, _, _, _| Ok(true));
    let service = service(users, passwords);
    service
        .change_password(&actor(RoleCode::Agent), &change("Anterior 1", "Siguiente 2"), Some("own"))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_wrong_current_password_is_a_broken_rule_and_too_many_wait() {
    let mut users = MockUserRepository::new();
    users.expect_find().returning(|_| Ok(Some(account(UserStatus::Active))));
    users.expect_set_password().never();
    let mut passwords = MockPasswordHasher::new();
    passwords.expect_verify().returning(|_, _| Ok(false));
    passwords.expect_hash().never();
    let service = service(users, passwords);
    let body = change("Otra cosa 1", "Siguiente 2");
    for _ in 0..10 {
        let error = service.change_password(&actor(RoleCode::Admin), &body, None).await.unwrap_err();
        let Error::Invalid(Violations(broken)) = error else { panic!("{error}") };
        assert_eq!((broken[0].field.as_str(), broken[0].code), ("currentPassword", Code::WrongPassword));
    }
    let error = service.change_password(&actor(RoleCode::Admin), &body, None).await.unwrap_err();
    assert_eq!(error.code(), Code::TooManyRequests);
}

#[tokio::test]
async fn subscribers_and_broken_rules_reach_no_store() {
    let service = service(MockUserRepository::new(), MockPasswordHasher::new());
    let refused =
        service.change_password(&actor(RoleCode::App), &change("a", "Siguiente 2"), None).await.unwrap_err();
    assert_eq!(refused.code(), Code::Forbidden);
    let broken =
        service.change_password(&actor(RoleCode::Agent), &change("a", "corta"), None).await.unwrap_err();
    assert_eq!(broken.code(), Code::ValidationFailed);
}

#[tokio::test]
async fn the_first_account_is_an_active_superadmin_with_a_hash() {
    let mut passwords = MockPasswordHasher::new();
    passwords.expect_hash().withf(|password| password == "Secret 1").returning(|_| Ok("hashed".into()));
    let mut users = MockUserRepository::new();
    users.expect_has_superadmin().returning(|| Ok(false));
    users
        .expect_insert_first()
        .withf(|account, _| {
            account.role == RoleCode::Superadmin
                && account.status == UserStatus::Active
                && account.password_hash.as_deref() == Some("hashed")
        })
        .times(1)
        .returning(|_, _| Ok(true));
    assert!(
        service(users, passwords).create_first(Username::parse("admin").unwrap(), "Secret 1").await.unwrap()
    );
}

#[tokio::test]
async fn where_there_are_users_nothing_is_hashed_at_the_start() {
    let mut users = MockUserRepository::new();
    users.expect_has_superadmin().times(1).returning(|| Ok(true));
    users.expect_insert_first().never();
    let mut passwords = MockPasswordHasher::new();
    passwords.expect_hash().never();
    assert!(
        !service(users, passwords).create_first(Username::parse("admin").unwrap(), "Secret 1").await.unwrap()
    );
}
