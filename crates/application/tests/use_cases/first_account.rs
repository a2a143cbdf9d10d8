//! The first account of a new installation.

use domain_kernel::{Code, RoleCode, Username};
use domain_users::UserStatus;
use ports::MockUserRepository;

use crate::sign_in::{hasher, service};

#[tokio::test]
async fn the_first_account_is_an_active_superadmin_with_a_hash() {
    let mut passwords = hasher();
    passwords.expect_hash().withf(|password| password == "Secret 1").returning(|_| Ok("hashed".into()));
    let mut users = MockUserRepository::new();
    users.expect_has_superadmin().returning(|| Ok(false));
    users
        .expect_insert_first()
        .withf(|credentials, _| {
            credentials.role == RoleCode::Superadmin
                && credentials.status == UserStatus::Active
                && credentials.password_hash.as_deref() == Some("hashed")
        })
        .times(1)
        .returning(|_, _| Ok(true));
    assert!(
        service(users, passwords).create_first(Username::parse("admin").unwrap(), "Secret 1").await.unwrap()
    );
}

#[tokio::test]
async fn with_existing_users_nothing_is_hashed_at_the_start() {
    let mut users = MockUserRepository::new();
    users.expect_has_superadmin().times(1).returning(|| Ok(true));
    users.expect_insert_first().never();
    let mut passwords = hasher();
    passwords.expect_hash().never();
    assert!(
        !service(users, passwords).create_first(Username::parse("admin").unwrap(), "Secret 1").await.unwrap()
    );
}

#[tokio::test]
async fn a_first_superadmin_with_the_name_of_another_user_is_refused_with_a_message() {
    let mut users = MockUserRepository::new();
    users.expect_has_superadmin().times(2).returning(|| Ok(false));
    users.expect_insert_first().times(1).returning(|_, _| Ok(false));
    let mut passwords = hasher();
    passwords.expect_hash().returning(|_| Ok("hashed".into()));
    let refused = service(users, passwords).create_first(Username::parse("admin").unwrap(), "Secret 1").await;
    assert_eq!(refused.unwrap_err().code(), Code::Conflict);
}
