//! The store of integrators' keys. It knows them by their hashes only.

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use domain_integrations::{Key, NewKey};
use domain_kernel::{Id, ListQuery, Page};

use crate::{Edit, StoreError};

/// A key to be stored: the request, and what is known of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyToKeep {
    /// The valid request.
    pub requested: NewKey,
    /// SHA-256 of the key, in hexadecimal.
    pub hash: String,
    /// Its first characters.
    pub hint: String,
}

/// Calls of a key that were not written down yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyUse {
    /// Which key.
    pub key: Id,
    /// On which day, of UTC.
    pub day: NaiveDate,
    /// How often it called.
    pub calls: i64,
    /// How often it was sent away because it called too often.
    pub refused: i64,
    /// The last of these calls.
    pub last: DateTime<Utc>,
}

/// A day of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyDay {
    /// Of UTC.
    pub day: NaiveDate,
    /// How often it called.
    pub calls: i64,
    /// How often it was sent away.
    pub refused: i64,
}

/// Keeps keys.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait KeyRepository: Send + Sync {
    /// A page of the keys, the newest first unless ordered otherwise.
    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<Key>>, StoreError>;

    /// One key.
    async fn find(&self, id: Id) -> Result<Option<Key>, StoreError>;

    /// The key with this hash, revoked or not.
    async fn find_by_hash(&self, hash: &str) -> Result<Option<Key>, StoreError>;

    /// Keeps a new key.
    async fn insert(&self, key: &KeyToKeep, edit: &Edit) -> Result<Key, StoreError>;

    /// Revokes a key for good. One that is revoked stays as it is; `None` where there is none.
    async fn revoke(&self, id: Id, edit: &Edit) -> Result<Option<Key>, StoreError>;

    /// Writes down who decided to keep a key. One that is revoked stays as it is; `None` where there is none.
    async fn keep(&self, id: Id, edit: &Edit) -> Result<Option<Key>, StoreError>;

    /// Adds calls up: by day, in all, and when the last was. All or nothing.
    async fn note(&self, uses: &[KeyUse]) -> Result<(), StoreError>;

    /// The days on which a key called, from one on, in order.
    async fn days(&self, id: Id, from: NaiveDate) -> Result<Vec<KeyDay>, StoreError>;
}
