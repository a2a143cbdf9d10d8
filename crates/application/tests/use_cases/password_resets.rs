//! Setting the password of another user: permissions, rules, and writes.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use application::{Error, UserService};
use domain_kernel::{Code, RoleCode};
use domain_users::{UserStatus, password_fault};
use ports::{MockPasswordHasher, MockSecretSource, MockUserRepository, Written};

use crate::{
    support::{actor, calendar},
    versions::user,
};

/// A hasher whose hashes contain the passwords.
fn hasher() -> MockPasswordHasher {
    let mut hasher = MockPasswordHasher::new();
    hasher.expect_hash().returning(|password| Ok(format!("hash of {password}")));
    hasher
}

fn over(users: MockUserRepository, hasher: MockPasswordHasher) -> UserService {
    let mut secrets = MockSecretSource::new();
    secrets.expect_draw().returning(|| "a key".into());
    UserService::new(Arc::new(users), Arc::new(hasher), Arc::new(secrets), calendar(), None)
}

/// A store with one user.
fn storing(role: RoleCode, status: UserStatus) -> MockUserRepository {
    let mut users = MockUserRepository::new();
    users.expect_find().returning(move |_, _| {
        let mut user = user(role, 4);
        user.status = status;
        Ok(Some(user))
    });
    users
}

fn code<T: std::fmt::Debug>(outcome: Result<T, Error>) -> Code {
    outcome.unwrap_err().code()
}

#[tokio::test]
async fn the_hash_is_written_to_the_version_that_was_checked_and_a_sent_password_is_not_answered() {
    let mut users = storing(RoleCode::App, UserStatus::Active);
    users
        .expect_reset_password()
        .withf(|_, username, hash, version, edit| {
            let performer = edit.by.as_ref().map(domain_kernel::Username::as_str);
            (username.as_str(), hash, *version, performer) == ("target", "hash of 2580", 4, Some("Someone"))
        })
        .times(1)
        .returning(|_, _, _, _, _| Ok(Written::Done(user(RoleCode::App, 5))));
    let outcome = over(users, hasher())
        .reset_password(&actor(RoleCode::Agent), "target", br#"{"password": "2580"}"#)
        .await;
    assert_eq!(outcome.unwrap(), None);
}

#[tokio::test]
async fn without_a_password_one_is_generated_by_the_rules_of_the_role_and_answered() {
    for role in [RoleCode::App, RoleCode::Agent, RoleCode::ContentManager, RoleCode::Admin] {
        let written = Arc::new(std::sync::Mutex::new(String::new()));
        let kept = written.clone();
        let mut users = storing(role, UserStatus::Active);
        users.expect_reset_password().returning(move |_, _, hash, _, _| {
            *kept.lock().unwrap() = hash.to_owned();
            Ok(Written::Done(user(role, 5)))
        });
        let password = over(users, hasher()).reset_password(&actor(RoleCode::Admin), "target", b"{}").await;
        let password = password.unwrap().unwrap();
        assert_eq!(password_fault(&password, role), None);
        assert_eq!(*written.lock().unwrap(), format!("hash of {password}"));
    }
}

#[tokio::test]
async fn a_refused_password_is_neither_hashed_nor_written() {
    // A mock panics at an unexpected call: only `find` is called.
    let reset = async |by, role, status, body: &[u8]| {
        code(
            over(storing(role, status), MockPasswordHasher::new())
                .reset_password(&actor(by), "target", body)
                .await,
        )
    };
    use RoleCode::{Admin, Agent, App, ContentManager, Superadmin};
    let (active, typed) = (UserStatus::Active, br#"{"password": "Abcdefg1"}"#);
    for (by, role) in [
        (Agent, Agent),
        (Agent, ContentManager),
        (Agent, Admin),
        (Admin, Superadmin),
        (ContentManager, App),
        (App, App),
    ] {
        assert_eq!(reset(by, role, active, typed).await, Code::Forbidden, "{by:?} {role:?}");
    }
    assert_eq!(reset(Agent, App, UserStatus::Suspended, typed).await, Code::UserSuspended);
    assert_eq!(reset(Admin, Agent, active, br#"{"password": "1234"}"#).await, Code::ValidationFailed);
    assert_eq!(reset(Admin, App, active, br#"{"pasword": "1234"}"#).await, Code::ValidationFailed);
    assert_eq!(reset(Admin, App, active, b"{").await, Code::Malformed);
    let mut no_user = MockUserRepository::new();
    no_user.expect_find().returning(|_, _| Ok(None));
    let outcome =
        over(no_user, MockPasswordHasher::new()).reset_password(&actor(Admin), "target", typed).await;
    assert_eq!(code(outcome), Code::NotFound);
}

#[tokio::test]
async fn admins_reset_the_passwords_of_suspended_users() {
    let mut users = storing(RoleCode::App, UserStatus::Suspended);
    users.expect_reset_password().returning(|_, _, _, _, _| Ok(Written::Done(user(RoleCode::App, 5))));
    let outcome = over(users, hasher())
        .reset_password(&actor(RoleCode::Admin), "target", br#"{"password": "2580"}"#)
        .await;
    assert_eq!(outcome.unwrap(), None);
}

#[tokio::test]
async fn a_concurrently_promoted_user_is_checked_again() {
    let reads = AtomicI64::new(0);
    let mut users = MockUserRepository::new();
    users.expect_find().returning(move |_, _| {
        let role = if reads.fetch_add(1, Ordering::Relaxed) == 0 { RoleCode::App } else { RoleCode::Agent };
        Ok(Some(user(role, 4)))
    });
    users
        .expect_reset_password()
        .times(1)
        .returning(|_, _, _, _, _| Ok(Written::Outdated(user(RoleCode::Agent, 5))));
    let outcome = over(users, hasher())
        .reset_password(&actor(RoleCode::Agent), "target", br#"{"password": "2580"}"#)
        .await;
    assert_eq!(code(outcome), Code::Forbidden);
}
