//! The store of views.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_audience::{Played, View};
use serde::{Deserialize, Serialize};

use crate::{IdempotencyKey, Inserted, StoreError};

/// Outcome of a batch of views.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewCounts {
    /// Number of counted views.
    pub counted: i64,
    /// Items that don't exist; their views are not counted.
    pub unknown: Vec<Played>,
}

/// Counts views.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ViewRepository: Send + Sync {
    /// Adds views to their items, and those of episodes to their shows, in one transaction and idempotently.
    /// Version and date of an item are kept.
    async fn count(
        &self,
        views: &[View],
        once: &IdempotencyKey,
        now: DateTime<Utc>,
    ) -> Result<Inserted<ViewCounts>, StoreError>;
}
