//! Current jobs and counts of links, reviews and reports.

use async_trait::async_trait;
use domain_operations::Activity;

use crate::StoreError;

/// Reads the current activity.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ActivityRepository: Send + Sync {
    async fn read(&self) -> Result<Activity, StoreError>;
}
