//! All rows of a list, for a file of them.

use async_trait::async_trait;
use domain_kernel::{Id, Kind, ListQuery};
use domain_users::{ExpiryFilter, Scope};

use crate::{LedgerFilter, StoreError};

/// Reads a whole list: `F` is what its filter is, `R` a row.
#[async_trait]
pub trait ListRows<F: Sync, R: Send>: Send + Sync {
    /// The ids of the rows that the filter and the search keep, in the order of the query, at most so many.
    async fn ids(&self, filter: &F, query: &ListQuery, most: u64) -> Result<Vec<Id>, StoreError>;

    /// Those of these rows that the filter still keeps, in the order of the ids.
    async fn rows(&self, filter: &F, ids: &[Id]) -> Result<Vec<R>, StoreError>;
}

/// Which users are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserFilter {
    /// Whom the actor sees.
    pub scope: Scope,
    /// Those whose subscription ends then; all where it is `None`.
    pub deadline: Option<ExpiryFilter>,
}

/// Which customers are listed by their ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenewalFilter {
    /// Whom the actor sees.
    pub scope: Scope,
    /// Those whose subscription ends then.
    pub window: ExpiryFilter,
    /// Those who are snoozed, or the others.
    pub snoozed: bool,
}

/// What of the trash is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrashFilter {
    /// Of these kinds.
    pub kinds: Vec<Kind>,
}

/// Which bulk operations are listed; dry runs never are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationFilter {
    /// Those that this user began; everybody's where it is `None`.
    pub created_by: Option<String>,
}

/// Which deliveries of webhooks are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// To this webhook.
    pub webhook: Id,
}

/// Which operations of the ledger are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerRows {
    /// Whom the actor sees.
    pub scope: Scope,
    /// The filter of the list.
    pub filter: LedgerFilter,
}
