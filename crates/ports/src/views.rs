//! The store of views.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_audience::{Played, View};
use serde::{Deserialize, Serialize};

use crate::{IdempotencyKey, Inserted, StoreError};

/// What became of a batch of views.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewCounts {
    /// Views that were added up.
    pub counted: i64,
    /// Items that are not there (any more): their views count for nobody.
    pub unknown: Vec<Played>,
}

/// Adds views up.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ViewRepository: Send + Sync {
    /// Adds views to their items, those of episodes to their shows as well: all of them and once, or none. Neither
    /// the version nor the date of an item changes.
    async fn count(
        &self,
        views: &[View],
        once: &IdempotencyKey,
        now: DateTime<Utc>,
    ) -> Result<Inserted<ViewCounts>, StoreError>;
}
