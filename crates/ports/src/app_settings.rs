//! Stores of the settings, background images and alert messages of the streaming app.

use async_trait::async_trait;
use domain_kernel::{Id, ListQuery, Page, Version};
use domain_settings::{AppSettings, Entry, StoredAppSettings, StoredEntry};
use garde::Valid;

use crate::{Edit, IdempotencyKey, Inserted, Removed, StoreError, Written};

/// Stores the settings of the streaming app, a single set.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait AppSettingsRepository: Send + Sync {
    async fn find(&self) -> Result<StoredAppSettings, StoreError>;

    /// Replaces the settings, if they still have the expected version.
    async fn replace(
        &self,
        settings: Valid<AppSettings>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<StoredAppSettings>, StoreError>;
}

/// Stores one of the lists of the settings page.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait EntryRepository<E: Entry>: Send + Sync {
    /// A page of the list. Sorts and filters are those of the entry.
    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<StoredEntry<E>>>, StoreError>;

    /// One entry.
    async fn find(&self, id: Id) -> Result<Option<StoredEntry<E>>, StoreError>;

    /// Adds an entry, idempotently where a key is given.
    async fn insert(
        &self,
        entry: Valid<E>,
        edit: &Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<StoredEntry<E>>, StoreError>;

    /// Replaces an entry, if it still has the expected version.
    async fn replace(
        &self,
        id: Id,
        entry: Valid<E>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<StoredEntry<E>>, StoreError>;

    /// Removes an entry, if it still has the expected version.
    async fn delete(
        &self,
        id: Id,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Removed<StoredEntry<E>>, StoreError>;
}
