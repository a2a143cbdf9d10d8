//! The store of sessions. It knows keys by their hashes only.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::Username;
use domain_users::UserCredentials;

use crate::{Edit, StoreError};

/// A session to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// The hash of its key.
    pub key_hash: String,
    /// When it begins.
    pub created_date: DateTime<Utc>,
    /// When it ends unless it is refreshed.
    pub ends_date: DateTime<Utc>,
    /// From which address its user signed in.
    pub address: String,
    /// With which browser.
    pub device: Option<String>,
}

/// A session that has not ended, with its user as the store has them now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenSession {
    /// The hash of its key.
    pub key_hash: String,
    /// When it began.
    pub created_date: DateTime<Utc>,
    /// When it was last used, to a minute.
    pub last_used_date: DateTime<Utc>,
    /// When it ends unless it is refreshed.
    pub ends_date: DateTime<Utc>,
    /// The user, read in the same statement: role and status are never trusted from the session.
    pub user: UserCredentials,
}

/// A session as its user, or whoever manages them, sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionDetails {
    /// Its public id, which opens nothing.
    pub id: String,
    /// From which address its user signed in.
    pub address: Option<String>,
    /// With which browser.
    pub device: Option<String>,
    /// When it began.
    pub created_date: DateTime<Utc>,
    /// When it was last used, to a minute.
    pub last_used_date: DateTime<Utc>,
    /// When it ends unless it is refreshed.
    pub ends_date: DateTime<Utc>,
}

/// Characters of a key's hash that are the session's public id.
pub const SESSION_ID_LENGTH: usize = 16;

/// The public id of a session: the beginning of its key's hash.
pub fn session_id(key_hash: &str) -> &str {
    key_hash.get(..SESSION_ID_LENGTH).unwrap_or(key_hash)
}

/// Keeps sessions.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SessionRepository: Send + Sync {
    /// The session with this key hash, unless it has ended.
    async fn find(&self, key_hash: &str, now: DateTime<Utc>) -> Result<Option<OpenSession>, StoreError>;

    /// Opens a session, counts the sign-in and adds it to the history of visits, all together, if the user's password,
    /// role and status are still those of `checked`. `false` where they are not; nothing is written then.
    async fn open(&self, checked: &UserCredentials, session: &NewSession) -> Result<bool, StoreError>;

    /// Moves the end of a session. `false` where it was ended meanwhile: it must not rise again.
    async fn extend(&self, key_hash: &str, ends_date: DateTime<Utc>) -> Result<bool, StoreError>;

    /// Writes down when a session was used, if what is written there is older than `before`.
    async fn touch(
        &self,
        key_hash: &str,
        now: DateTime<Utc>,
        before: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Ends one session.
    async fn end(&self, key_hash: &str) -> Result<(), StoreError>;

    /// The sessions of a user that have not ended, the last used first, at most so many.
    async fn list(
        &self,
        username: &Username,
        now: DateTime<Utc>,
        most: u32,
    ) -> Result<Vec<SessionDetails>, StoreError>;

    /// Ends the session of a user with this public id. `false` where there is none.
    async fn end_one(&self, username: &Username, id: &str, edit: &Edit) -> Result<bool, StoreError>;

    /// Ends all sessions of a user but the one with this key hash; answers how many.
    async fn end_all<'a>(
        &self,
        username: &Username,
        keep: Option<&'a str>,
        edit: &Edit,
    ) -> Result<u64, StoreError>;

    /// The secret that signs cookies: the candidate, if the store has none yet; else the one it has. All nodes get
    /// the same.
    async fn cookie_secret(&self, candidate: &str) -> Result<String, StoreError>;
}
