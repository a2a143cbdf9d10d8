//! Password changes: hashes, lookups, and ended sessions.

use application::Error;
use domain_kernel::{Actor, Code, Origin, RoleCode, Username, Violations};
use domain_users::{UserCredentials, UserStatus, password_fault};
use mockall::Sequence;
use ports::{MockPasswordHasher, MockUserRepository, NewPassword};
use serde_json::json;

use crate::{
    sign_in::{hasher, service, user},
    support::{bytes, now},
};

/// Users of one role, whose new password is stored once.
fn storing(role: RoleCode) -> MockUserRepository {
    let mut users = MockUserRepository::new();
    let found = UserCredentials { role, ..user(UserStatus::Active) };
    users.expect_find_credentials().returning(move |_| Ok(Some(found.clone())));
    users
        .expect_change_password()
        .withf(|_, password, edit| {
            let NewPassword { hash, checked, keep_session } = password;
            hash == "new hash" && checked.is_none() && keep_session.is_none() && edit.at == now()
        })
        .times(1)
        .returning(|_, _, _| Ok(true));
    users
}

#[tokio::test]
async fn a_new_password_keeps_the_rules_of_the_role_is_stored_as_its_hash_and_ends_every_session() {
    let username = Username::parse("ana").unwrap();
    for (role, sent) in [(RoleCode::App, "4821"), (RoleCode::Agent, "Another 1")] {
        let mut passwords = hasher();
        passwords.expect_hash().times(1).returning(|_| Ok("new hash".into()));
        let answered = service(storing(role), passwords).reset_password(&username, Some(sent)).await;
        assert_eq!(answered.unwrap(), None, "{role:?}");
    }
    let mut users = MockUserRepository::new();
    users.expect_find_credentials().returning(|_| Ok(Some(user(UserStatus::Active))));
    let refused = service(users, hasher()).reset_password(&username, Some("4821")).await.unwrap_err();
    assert!(
        matches!(&refused, Error::Invalid(Violations(broken)) if broken[0].code == Code::TooShort),
        "{refused:?}"
    );
    let mut no_user = MockUserRepository::new();
    no_user.expect_find_credentials().returning(|_| Ok(None));
    let missing = service(no_user, hasher()).reset_password(&username, None).await;
    assert!(matches!(missing, Err(Error::NoSuchUser(_))));
}

#[tokio::test]
async fn without_a_password_one_is_generated_for_the_role_and_returned() {
    let username = Username::parse("ana").unwrap();
    for role in [RoleCode::App, RoleCode::Agent, RoleCode::Superadmin] {
        let mut passwords = hasher();
        passwords.expect_hash().times(1).returning(|_| Ok("new hash".into()));
        let generated = service(storing(role), passwords).reset_password(&username, None).await;
        let generated = generated.unwrap().unwrap();
        assert_eq!(password_fault(&generated, role), None);
        let is_of_digits = generated.len() == 8 && generated.bytes().all(|byte| byte.is_ascii_digit());
        assert_eq!(is_of_digits, role == RoleCode::App, "{generated}");
    }
}

fn actor(role: RoleCode) -> Actor {
    Actor { username: Username::parse("Ana").unwrap(), role, permissions: &[], origin: Origin::SERVER }
}

fn change(current: &str, new: &str) -> Vec<u8> {
    bytes(&json!({"currentPassword": current, "newPassword": new}))
}

#[tokio::test]
async fn the_own_password_is_changed_after_a_correct_current_one_and_the_current_session_stays() {
    let mut order = Sequence::new();
    let mut users = MockUserRepository::new();
    users
        .expect_find_credentials()
        .times(1)
        .in_sequence(&mut order)
        .returning(|_| Ok(Some(user(UserStatus::Active))));
    let mut passwords = hasher();
    passwords
        .expect_verify()
        .withf(|password, hash, _| password == "Anterior 1" && *hash == Some("hash of Ana"))
        .times(1)
        .in_sequence(&mut order)
        .returning(|_, _, _| Ok(true));
    passwords.expect_hash().times(1).in_sequence(&mut order).returning(|_| Ok("new hash".into()));
    users
        .expect_change_password()
        .withf(|_, password, _| {
            let NewPassword { hash, checked, keep_session } = password;
            let keep = keep_session.as_ref().unwrap();
            hash == "new hash"
                && checked.as_deref() == Some("hash of Ana")
                && keep.from == "own"
                && !["own", "a key"].contains(&keep.to.as_str())
        })
        .times(1)
        .in_sequence(&mut order)
        .returning(|_, _, _| Ok(true));
    let service = service(users, passwords);
    let key = service
        .change_password(&actor(RoleCode::Agent), &change("Anterior 1", "Siguiente 2"), "own")
        .await
        .unwrap();
    assert_eq!(key, "a key", "the session goes on under another key");
}

#[tokio::test]
async fn a_wrong_current_password_is_a_violation_and_too_many_are_throttled() {
    let mut users = MockUserRepository::new();
    users.expect_find_credentials().returning(|_| Ok(Some(user(UserStatus::Active))));
    users.expect_change_password().never();
    let mut passwords = hasher();
    passwords.expect_verify().returning(|_, _, _| Ok(false));
    passwords.expect_hash().never();
    let service = service(users, passwords);
    let body = change("Otra cosa 1", "Siguiente 2");
    for _ in 0..10 {
        let error = service.change_password(&actor(RoleCode::Admin), &body, "own").await.unwrap_err();
        let Error::Invalid(Violations(broken)) = error else { panic!("{error}") };
        assert_eq!((broken[0].field.as_str(), broken[0].code), ("currentPassword", Code::WrongPassword));
    }
    let error = service.change_password(&actor(RoleCode::Admin), &body, "own").await.unwrap_err();
    assert_eq!(error.code(), Code::TooManyRequests);
}

#[tokio::test]
async fn for_subscribers_and_invalid_requests_no_store_is_called() {
    let service = service(MockUserRepository::new(), MockPasswordHasher::new());
    let refused =
        service.change_password(&actor(RoleCode::App), &change("a", "Siguiente 2"), "own").await.unwrap_err();
    assert_eq!(refused.code(), Code::Forbidden);
    let broken =
        service.change_password(&actor(RoleCode::Agent), &change("a", "corta"), "own").await.unwrap_err();
    assert_eq!(broken.code(), Code::ValidationFailed);
}
