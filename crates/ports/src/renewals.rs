//! The store of renewals: customers by when their subscription ends.

use async_trait::async_trait;
use domain_kernel::{ListQuery, Page};
use domain_users::{ExpiryFilter, Renewal, Scope};

use crate::StoreError;

/// Lists customers by when their subscription ends.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait RenewalRepository: Send + Sync {
    /// A page of the customers of the scope whose subscription ends within the window: those who are snoozed, or the
    /// others. Sort: `expirationDate`.
    async fn list(
        &self,
        scope: &Scope,
        window: ExpiryFilter,
        snoozed: bool,
        query: &ListQuery,
    ) -> Result<Page<Vec<Renewal>>, StoreError>;

    /// How many of these customers of the scope end within each window, of those whom the search finds.
    async fn count<'a>(
        &self,
        scope: &Scope,
        windows: &[ExpiryFilter],
        snoozed: bool,
        search: Option<&'a str>,
    ) -> Result<Vec<u64>, StoreError>;
}
