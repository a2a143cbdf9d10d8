//! The store of users, as far as signing in needs it.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::Username;
use domain_users::Account;

use crate::StoreError;

/// A sign-in that succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignIn {
    /// Who.
    pub username: Username,
    /// Their name.
    pub full_name: String,
    /// When.
    pub at: DateTime<Utc>,
    /// From which address.
    pub address: String,
    /// With which browser.
    pub device: Option<String>,
}

/// Keeps users.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait UserRepository: Send + Sync {
    /// The user with this name, in any spelling of its case.
    async fn find(&self, username: &Username) -> Result<Option<Account>, StoreError>;

    /// Whether there is an active superadmin with a password.
    async fn has_superadmin(&self) -> Result<bool, StoreError>;

    /// Adds the first superadmin, whose password is the default one until it is changed. `false` where an active
    /// superadmin with a password exists, or the name is in use; two nodes that start together add one.
    async fn insert_first(&self, account: &Account, now: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Gives a user a new password, takes the mark of the default one away and ends their sessions but the one with
    /// this key hash, all together. `false` where there is no such user.
    async fn set_password<'a>(
        &self,
        username: &Username,
        hash: &str,
        keep_session: Option<&'a str>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Counts a sign-in and adds it to the history of visits, both or neither.
    async fn count_sign_in(&self, sign_in: &SignIn) -> Result<(), StoreError>;

    /// Whether some account still has the password it was created with on first start.
    async fn default_password_stands(&self) -> Result<bool, StoreError>;
}
