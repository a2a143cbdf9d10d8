//! The store of sessions. It knows keys by their hashes only.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::Username;
use domain_users::Account;

use crate::StoreError;

/// What the session middleware keeps.
pub type SessionState = HashMap<String, String>;

/// A session that has not ended, with its user as the store has them now.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenSession {
    /// What the middleware kept.
    pub state: SessionState,
    /// The user, read in the same statement: role and status are never trusted from the session.
    pub account: Account,
}

/// Keeps sessions.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SessionRepository: Send + Sync {
    /// The session with this key hash, unless it has ended.
    async fn find(&self, key_hash: &str, now: DateTime<Utc>) -> Result<Option<OpenSession>, StoreError>;

    /// Opens a session for a user.
    async fn open(
        &self,
        key_hash: &str,
        username: &Username,
        state: &SessionState,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Writes what changed and when it ends. `false` where it was ended meanwhile: it must not rise again.
    async fn update(
        &self,
        key_hash: &str,
        state: &SessionState,
        until: DateTime<Utc>,
    ) -> Result<bool, StoreError>;

    /// Ends one session.
    async fn end(&self, key_hash: &str) -> Result<(), StoreError>;

    /// Forgets sessions that have ended and idempotency keys older than a day.
    async fn sweep(&self, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// The secret that signs cookies: the candidate, if the store has none yet; else the one it has. All nodes get
    /// the same.
    async fn cookie_secret(&self, candidate: &str) -> Result<String, StoreError>;
}
