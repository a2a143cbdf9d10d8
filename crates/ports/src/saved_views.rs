//! Saved views of lists.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{Actor, Id};
use domain_settings::{SavedView, StoredSavedView};

use crate::{StoreError, Written};

/// Why a view is not saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SavedViewConflict {
    /// Its owner has another one of that name in the list.
    NameTaken,
    /// Its owner has as many as one may have.
    TooMany,
}

/// Keeps saved views.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SavedViewRepository: Send + Sync {
    /// The views that the actor sees, their own and those shared with their role, by list and name.
    async fn list(&self, actor: &Actor) -> Result<Vec<StoredSavedView>, StoreError>;

    /// A view that the actor sees.
    async fn find(&self, actor: &Actor, id: Id) -> Result<Option<StoredSavedView>, StoreError>;

    /// Saves a view of the actor: a new one, or with an id theirs of that id. `Missing` where they have none of that id.
    async fn save(
        &self,
        actor: &Actor,
        id: Option<Id>,
        view: &SavedView,
        now: DateTime<Utc>,
    ) -> Result<Written<StoredSavedView, SavedViewConflict>, StoreError>;

    /// Deletes a view; nobody has it as default afterwards.
    async fn delete(
        &self,
        actor: &Actor,
        view: &StoredSavedView,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Makes a view the actor's default of its list, instead of the former one, or no longer their default.
    async fn set_default(
        &self,
        actor: &Actor,
        view: &StoredSavedView,
        is_default: bool,
    ) -> Result<(), StoreError>;
}
