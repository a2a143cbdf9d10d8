//! Reversals that agents ask admins for (docs/spec/credits.md#mistaken-sales).

use std::sync::Arc;

use domain_credits::{Refusal, RequestedReversal, ReversalRequest, ReversalStatus};
use domain_kernel::{
    Action, Actor, DraftReader, Enumeration, FilterKind, FilterValue, Id, ListQuery, Page, Permission,
    RoleCode, Subject,
};
use domain_users::Scope;
use ports::{NewReversalRequest, ReversalFilter, ReversalRequested, ReversalRequests, Written};
use serde_json::{Value, json};

use crate::{
    Calendar, CreditService, Error, ListShape, PostedOnce, body::parse, idempotency::idempotency_key,
    read_list_query,
};

const MOVE: Permission = Permission::new(Subject("USER"), Action::Update);
const READ: Permission = Permission::new(Subject("CREDIT_HISTORY"), Action::Read);

/// The use cases of requests.
pub struct ReversalRequestService {
    requests: Arc<dyn ReversalRequests>,
    credits: Arc<CreditService>,
    calendar: Calendar,
    reader: DraftReader<ReversalRequest>,
}

/// A request, and whether it was stored before by the same one.
#[derive(Debug)]
pub struct ReversalRequestedOnce {
    /// The request.
    pub request: RequestedReversal,
    /// The same request came before, under the same idempotency key.
    pub replayed: bool,
}

fn missing(id: Id) -> Error {
    Error::NoSuch { what: "reversal-requests", id }
}

fn read(body: &[u8]) -> Result<Value, Error> {
    if body.trim_ascii().is_empty() { Ok(json!({})) } else { parse(body) }
}

impl ReversalRequestService {
    /// The parameters of the list.
    pub fn list_shape() -> ListShape {
        ListShape {
            page_size: 10,
            sorts: vec!["id", "requestedDate"],
            filters: &[("status", FilterKind::Code(ReversalStatus::CODES))],
        }
    }

    /// The use cases over a store and the ledger.
    pub fn new(requests: Arc<dyn ReversalRequests>, credits: Arc<CreditService>, calendar: Calendar) -> Self {
        Self { requests, credits, calendar, reader: DraftReader::new() }
    }

    /// An agent asks that its sale is reversed.
    pub async fn request(
        &self,
        actor: &Actor,
        movement: Id,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<ReversalRequestedOnce, Error> {
        actor.require(MOVE)?;
        if actor.role != RoleCode::Agent {
            return Err(Error::Forbidden);
        }
        let json = read(body)?;
        let once = idempotency_key(actor, key, &format!("request reversal of {movement}"), &json);
        let request = self.reader.read(json, &())?.into_inner();
        let request = NewReversalRequest {
            requester: actor.username.clone(),
            movement,
            reason: request.reason,
            origin: actor.origin,
            once,
        };
        match self.requests.request(&request, self.calendar.now()).await? {
            ReversalRequested::Done(request) => {
                Ok(ReversalRequestedOnce { request: *request, replayed: false })
            }
            ReversalRequested::Replayed(request) => {
                Ok(ReversalRequestedOnce { request: *request, replayed: true })
            }
            ReversalRequested::KeyReused => Err(Error::IdempotencyMismatch),
            ReversalRequested::Hidden => Err(Error::NoSuchMovement(movement)),
            ReversalRequested::Refused(refusal) => Err(refusal.into()),
        }
    }

    /// A page of requests, newest first: an agent's own and those of its subtree, everybody's for admins.
    pub async fn list(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<RequestedReversal>>, Error> {
        let (filter, query) = Self::read_list(actor, pairs)?;
        Ok(self.requests.list(&filter, &query).await?)
    }

    /// What the parameters of the list mean, of those whom the actor sees.
    pub(crate) fn read_list(
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<(ReversalFilter, ListQuery), Error> {
        actor.require(READ)?;
        let query = read_list_query(&Self::list_shape(), pairs)?;
        let status = query.filters.iter().find_map(|one| match one.value {
            FilterValue::Code(code) => ReversalStatus::from_code(code),
            _ => None,
        });
        Ok((ReversalFilter { scope: Scope::of(actor), status }, query))
    }

    /// Reverses the sale, which approves the request.
    pub async fn approve(
        &self,
        actor: &Actor,
        id: Id,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<PostedOnce, Error> {
        let request = self.decidable(actor, id).await?;
        let posted = self.credits.reverse_requested(actor, request.movement_id, Some(id), body, key).await;
        match posted {
            // Only the key of the approval itself goes through.
            Err(Error::Credits(_)) if request.status != ReversalStatus::Pending => {
                Err(Refusal::AlreadyDecided.into())
            }
            outcome => outcome,
        }
    }

    /// Leaves the sale as it is, and says why.
    pub async fn decline(&self, actor: &Actor, id: Id, body: &[u8]) -> Result<RequestedReversal, Error> {
        let request = self.decidable(actor, id).await?;
        if request.status != ReversalStatus::Pending {
            return Err(Refusal::AlreadyDecided.into());
        }
        let note = self.reader.read(read(body)?, &())?.into_inner().reason;
        match self.requests.decline(id, note.as_deref(), &self.calendar.edit_by(actor)).await? {
            Written::Done(request) => Ok(request),
            Written::Missing | Written::Outdated(_) => Err(missing(id)),
            Written::Conflict(_) => Err(Refusal::AlreadyDecided.into()),
        }
    }

    /// A request that the actor may decide.
    async fn decidable(&self, actor: &Actor, id: Id) -> Result<RequestedReversal, Error> {
        actor.require(MOVE)?;
        if !actor.role.passes_every_check() {
            return Err(Error::Forbidden);
        }
        self.requests.find_request(id).await?.ok_or_else(|| missing(id))
    }
}
