//! All rows of a list, for an export.

use async_trait::async_trait;
use domain_credits::ReversalStatus;
use domain_kernel::{Id, Kind, ListQuery};
use domain_users::{ExpiryFilter, Scope};

use crate::{LedgerFilter, StoreError};

/// Reads a whole list: `F` is the filter, `R` the row.
#[async_trait]
pub trait ListRows<F: Sync, R: Send>: Send + Sync {
    /// Ids of the matching rows, in the order of the query, limited.
    async fn ids(&self, filter: &F, query: &ListQuery, most: u64) -> Result<Vec<Id>, StoreError>;

    /// The rows among these that still match the filter, in the order of the ids.
    async fn rows(&self, filter: &F, ids: &[Id]) -> Result<Vec<R>, StoreError>;
}

/// Filter of users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserFilter {
    /// Users visible to the actor.
    pub scope: Scope,
    /// Users whose subscription ends in this range; all if `None`.
    pub deadline: Option<ExpiryFilter>,
}

/// Filter of customers by expiration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenewalFilter {
    /// Users visible to the actor.
    pub scope: Scope,
    /// Customers whose subscription ends in this range.
    pub window: ExpiryFilter,
    /// Whether only snoozed customers are listed, or only the others.
    pub snoozed: bool,
}

/// Filter of the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrashFilter {
    pub kinds: Vec<Kind>,
}

/// Filter of bulk operations, without dry runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationFilter {
    /// Operations of this user; of all users if `None`.
    pub created_by: Option<String>,
}

/// Filter of webhook deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryFilter {
    pub webhook: Id,
}

/// Filter of requests for reversals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReversalFilter {
    /// Users visible to the actor.
    pub scope: Scope,
    /// Requests with this status; all if `None`.
    pub status: Option<ReversalStatus>,
}

/// Filter of ledger operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerRows {
    /// Users visible to the actor.
    pub scope: Scope,
    pub filter: LedgerFilter,
}
