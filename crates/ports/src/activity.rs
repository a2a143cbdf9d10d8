//! What is under way.

use async_trait::async_trait;
use domain_operations::Activity;

use crate::StoreError;

/// Reads what is under way.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ActivityRepository: Send + Sync {
    /// What is under way now, all parts of it.
    async fn read(&self) -> Result<Activity, StoreError>;
}
