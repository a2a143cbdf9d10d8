//! Requests of agents that admins reverse a sale of theirs.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_credits::{Refusal, RequestedReversal, ReversalStatus};
use domain_kernel::{Id, ListQuery, Origin, Page, Username};
use domain_users::Scope;

use crate::{Edit, IdempotencyKey, StoreError, Written};

/// A request to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReversalRequest {
    /// Who asks.
    pub requester: Username,
    /// A movement of the sale.
    pub movement: Id,
    /// Why.
    pub reason: Option<String>,
    /// From where.
    pub origin: Origin,
    /// Its idempotency key.
    pub once: Option<IdempotencyKey>,
}

/// What became of a request that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReversalRequested {
    /// It is stored.
    Done(Box<RequestedReversal>),
    /// The same key came with the same request before: what was stored then.
    Replayed(Box<RequestedReversal>),
    /// The key came with another request before.
    KeyReused,
    /// There is no such movement, or none that the requester may see.
    Hidden,
    /// A rule is against it.
    Refused(Refusal),
}

/// The request was decided before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlreadyDecided;

/// Keeps requests. Reversing an operation approves the pending request for it, in the same transaction
/// ([`crate::Ledger::reverse`]).
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ReversalRequests: Send + Sync {
    /// Stores a request, if the rules allow it.
    async fn request(
        &self,
        request: &NewReversalRequest,
        now: DateTime<Utc>,
    ) -> Result<ReversalRequested, StoreError>;

    /// A page of the requests of whom the scope has and of the actor themselves, newest first.
    async fn list(
        &self,
        scope: &Scope,
        status: Option<ReversalStatus>,
        query: &ListQuery,
    ) -> Result<Page<Vec<RequestedReversal>>, StoreError>;

    /// A request, whosever it is.
    async fn find_request(&self, id: Id) -> Result<Option<RequestedReversal>, StoreError>;

    /// Declines a pending request.
    async fn decline<'a>(
        &self,
        id: Id,
        note: Option<&'a str>,
        edit: &Edit,
    ) -> Result<Written<RequestedReversal, AlreadyDecided>, StoreError>;
}
