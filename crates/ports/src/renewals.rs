//! The store of renewals: customers by expiration of their subscription.

use async_trait::async_trait;
use domain_kernel::{ListQuery, Page};
use domain_users::{ExpiryFilter, Renewal, Scope};

use crate::StoreError;

/// Lists customers by expiration of their subscription.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait RenewalRepository: Send + Sync {
    /// A page of the customers of the scope whose subscription ends within the range: the snoozed ones, or
    /// the others. Sort: `expirationDate`.
    async fn list(
        &self,
        scope: &Scope,
        window: ExpiryFilter,
        snoozed: bool,
        query: &ListQuery,
    ) -> Result<Page<Vec<Renewal>>, StoreError>;

    /// Number of these customers by range, among those that the search of the query matches.
    async fn count(
        &self,
        scope: &Scope,
        windows: &[ExpiryFilter],
        snoozed: bool,
        query: &ListQuery,
    ) -> Result<Vec<u64>, StoreError>;
}
