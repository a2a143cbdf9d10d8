//! Agents' requests for the reversal of a sale.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_credits::{Refusal, RequestedReversal};
use domain_kernel::{Id, ListQuery, Origin, Page, Username};

use crate::{Edit, IdempotencyKey, ReversalFilter, StoreError, Written};

/// A request to insert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReversalRequest {
    pub requester: Username,
    /// A movement of the sale.
    pub movement: Id,
    pub reason: Option<String>,
    pub origin: Origin,
    /// Idempotency key.
    pub once: Option<IdempotencyKey>,
}

/// Outcome of inserting a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReversalRequested {
    /// Inserted.
    Done(Box<RequestedReversal>),
    /// Inserted before under the same key: the stored request.
    Replayed(Box<RequestedReversal>),
    /// The key was used before for another request.
    KeyReused,
    /// The movement does not exist or is not visible to the requester.
    Hidden,
    /// Rejected by a rule.
    Refused(Refusal),
}

/// The request was decided before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlreadyDecided;

/// Stores requests. Reversing an operation approves the pending request for it, in the same transaction
/// ([`crate::Ledger::reverse`]).
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ReversalRequests: Send + Sync {
    /// Inserts a request, if the rules allow it.
    async fn request(
        &self,
        request: &NewReversalRequest,
        now: DateTime<Utc>,
    ) -> Result<ReversalRequested, StoreError>;

    /// A page of the requests of the users in the scope and of the actor, newest first.
    async fn list(
        &self,
        filter: &ReversalFilter,
        query: &ListQuery,
    ) -> Result<Page<Vec<RequestedReversal>>, StoreError>;

    /// A request of any user.
    async fn find_request(&self, id: Id) -> Result<Option<RequestedReversal>, StoreError>;

    /// Declines a pending request.
    async fn decline<'a>(
        &self,
        id: Id,
        note: Option<&'a str>,
        edit: &Edit,
    ) -> Result<Written<RequestedReversal, AlreadyDecided>, StoreError>;
}
