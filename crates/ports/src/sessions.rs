//! The store of sessions, with hashes of their keys only.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::Username;
use domain_users::UserCredentials;

use crate::{Edit, StoreError};

/// A session to insert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// Hash of the key.
    pub key_hash: String,
    pub created_date: DateTime<Utc>,
    /// End unless the session is refreshed.
    pub ends_date: DateTime<Utc>,
    /// IP address at sign-in.
    pub address: String,
    /// Browser.
    pub device: Option<String>,
}

/// A session that has not ended, with the current state of its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenSession {
    /// Hash of the key.
    pub key_hash: String,
    pub created_date: DateTime<Utc>,
    /// Last use, with a precision of a minute.
    pub last_used_date: DateTime<Utc>,
    /// End unless the session is refreshed.
    pub ends_date: DateTime<Utc>,
    /// User, read in the same statement: role and status are never read from the session.
    pub user: UserCredentials,
}

/// A session for its user or an admin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionDetails {
    /// Public id, not usable as a key.
    pub id: String,
    /// IP address at sign-in.
    pub address: Option<String>,
    /// Browser.
    pub device: Option<String>,
    pub created_date: DateTime<Utc>,
    /// Last use, with a precision of a minute.
    pub last_used_date: DateTime<Utc>,
    /// End unless the session is refreshed.
    pub ends_date: DateTime<Utc>,
}

/// Length of the public id, a prefix of the key's hash, in characters.
pub const SESSION_ID_LENGTH: usize = 16;

/// Public id of a session: a prefix of its key's hash.
pub fn session_id(key_hash: &str) -> &str {
    key_hash.get(..SESSION_ID_LENGTH).unwrap_or(key_hash)
}

/// Stores sessions.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SessionRepository: Send + Sync {
    /// The session with this key hash, unless it has ended.
    async fn find(&self, key_hash: &str, now: DateTime<Utc>) -> Result<Option<OpenSession>, StoreError>;

    /// Inserts a session, counts the sign-in and adds it to the visits, in one transaction, if the user's
    /// password, role and status still equal those of `checked`. Otherwise `false`, without a change.
    async fn open(&self, checked: &UserCredentials, session: &NewSession) -> Result<bool, StoreError>;

    /// Extends a session. `false` where it was ended meanwhile.
    async fn extend(&self, key_hash: &str, ends_date: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Records the use of a session, if the recorded one is older than `before`.
    async fn touch(
        &self,
        key_hash: &str,
        now: DateTime<Utc>,
        before: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Ends one session.
    async fn end(&self, key_hash: &str) -> Result<(), StoreError>;

    /// Sessions of a user that have not ended, by last use descending, limited.
    async fn list(
        &self,
        username: &Username,
        now: DateTime<Utc>,
        most: u32,
    ) -> Result<Vec<SessionDetails>, StoreError>;

    /// Ends the session of a user with this public id. `false` where it does not exist.
    async fn end_one(&self, username: &Username, id: &str, edit: &Edit) -> Result<bool, StoreError>;

    /// Ends all sessions of a user but the one with this key hash; returns their number.
    async fn end_all<'a>(
        &self,
        username: &Username,
        keep: Option<&'a str>,
        edit: &Edit,
    ) -> Result<u64, StoreError>;

    /// Secret for signing cookies: the stored one, or the candidate if there is none. The same on all nodes.
    async fn cookie_secret(&self, candidate: &str) -> Result<String, StoreError>;
}
