//! The store of API keys. It holds their hashes only.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain_integrations::{Key, NewKey};
use domain_kernel::{Id, ListQuery, Page};

use crate::{Edit, StoreError};

/// An API key to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyToKeep {
    /// The valid request.
    pub requested: NewKey,
    /// SHA-256 of the key, hexadecimal.
    pub hash: String,
    /// First characters of the key.
    pub hint: String,
}

/// Calls with a key that are not stored yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyUse {
    pub key: Id,
    /// UTC day.
    pub day: NaiveDate,
    /// Number of calls.
    pub calls: i64,
    /// Number of calls refused for exceeding the rate limit.
    pub refused: i64,
    /// Time of the last call.
    pub last: DateTime<Utc>,
}

/// Use of a key on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyDay {
    /// UTC day.
    pub day: NaiveDate,
    /// Number of calls.
    pub calls: i64,
    /// Number of refused calls.
    pub refused: i64,
}

/// Stores API keys.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait KeyRepository: Send + Sync {
    /// A page of the keys, newest first by default.
    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<Key>>, StoreError>;

    /// One key.
    async fn find(&self, id: Id) -> Result<Option<Key>, StoreError>;

    /// The key with this hash, revoked or not.
    async fn find_by_hash(&self, hash: &str) -> Result<Option<Key>, StoreError>;

    /// Inserts a key.
    async fn insert(&self, key: &KeyToKeep, edit: &Edit) -> Result<Key, StoreError>;

    /// Revokes a key irreversibly. A revoked key is not changed; `None` where the key does not exist.
    async fn revoke(&self, id: Id, edit: &Edit) -> Result<Option<Key>, StoreError>;

    /// Records the user who decided to keep a key. A revoked key is not changed; `None` where the key does
    /// not exist.
    async fn keep(&self, id: Id, edit: &Edit) -> Result<Option<Key>, StoreError>;

    /// Adds calls to the counts by day and in total, and updates the time of the last call, in one
    /// transaction.
    async fn note(&self, uses: &[KeyUse]) -> Result<(), StoreError>;

    /// Days on which a key was used since a day, ascending.
    async fn days(&self, id: Id, from: NaiveDate) -> Result<Vec<KeyDay>, StoreError>;
}
