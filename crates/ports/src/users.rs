//! The store of users, as far as signing in needs it.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::Username;
use domain_users::Account;

use crate::StoreError;

/// The new key of a session that outlives a new password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionKeyChange {
    /// The hash of its key so far.
    pub from: String,
    /// The hash of its key from now on.
    pub to: String,
}

/// A new password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPassword {
    /// Its PHC text.
    pub hash: String,
    /// The PHC text that was checked before: another one now refuses the change. `None` sets it in any case.
    pub checked: Option<String>,
    /// The session that stays, under another key; all others end.
    pub keep_session: Option<SessionKeyChange>,
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

    /// Gives a user a new password, takes the mark of the default one away and ends their sessions but the one that
    /// stays, all together. `false`, and nothing is written, where there is no such user, their password is not the one
    /// that was checked any more, or the session that was to stay has ended.
    async fn set_password(
        &self,
        username: &Username,
        password: &NewPassword,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Whether some account still has the password it was created with on first start.
    async fn default_password_stands(&self) -> Result<bool, StoreError>;
}
