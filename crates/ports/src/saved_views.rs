//! Saved views of lists.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{Actor, Id};
use domain_settings::{SavedView, StoredSavedView};

use crate::{StoreError, Written};

/// Conflict of a saved view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SavedViewConflict {
    /// The owner has another view of that name for the list.
    NameTaken,
    /// The owner has the maximum number of views.
    TooMany,
}

/// Stores saved views.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SavedViewRepository: Send + Sync {
    /// Views visible to the actor, their own and those shared with their role, by list and name.
    async fn list(&self, actor: &Actor) -> Result<Vec<StoredSavedView>, StoreError>;

    /// A view visible to the actor.
    async fn find(&self, actor: &Actor, id: Id) -> Result<Option<StoredSavedView>, StoreError>;

    /// Saves a view of the actor: a new one, or with an id the existing one. `Missing` where the actor has
    /// none with that id, or is no user any more.
    async fn save(
        &self,
        actor: &Actor,
        id: Option<Id>,
        view: &SavedView,
        now: DateTime<Utc>,
    ) -> Result<Written<StoredSavedView, SavedViewConflict>, StoreError>;

    /// Deletes a view; it is no user's default afterwards.
    async fn delete(
        &self,
        actor: &Actor,
        view: &StoredSavedView,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Sets or clears a view as the actor's default of its list. `false` where it is to be set and the view
    /// or the user no longer exists.
    async fn set_default(
        &self,
        actor: &Actor,
        view: &StoredSavedView,
        is_default: bool,
    ) -> Result<bool, StoreError>;
}
