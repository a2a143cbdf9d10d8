//! Reversals requested by agents and decided by admins (docs/spec/credits.md#mistaken-sales).

use std::sync::Arc;

use domain_credits::{Refusal, RequestedReversal, ReversalRequest, ReversalStatus};
use domain_kernel::{
    Action, Actor, DraftReader, Enumeration, FilterKind, FilterValue, Id, ListQuery, Page, Permission,
    RoleCode, Subject,
};
use domain_users::Scope;
use ports::{Inserted, NewReversalRequest, OrderConflict, ReversalFilter, ReversalRequests, Written};
use serde_json::{Value, json};

use crate::{
    Calendar, CreditService, Error, ListShape, PostedOnce, body::parse, idempotency::idempotency_key,
    read_list_query,
};

const MOVE: Permission = Permission::new(Subject("USER"), Action::Update);
const READ: Permission = Permission::new(Subject("CREDIT_HISTORY"), Action::Read);

/// Use cases of reversal requests.
pub struct ReversalRequestService {
    requests: Arc<dyn ReversalRequests>,
    credits: Arc<CreditService>,
    calendar: Calendar,
    reader: DraftReader<ReversalRequest>,
}

/// A request, and whether the response is a repetition.
#[derive(Debug)]
pub struct ReversalRequestedOnce {
    /// The request.
    pub request: RequestedReversal,
    /// Whether the same request was answered before under this idempotency key.
    pub replayed: bool,
}

fn missing(id: Id) -> Error {
    Error::NoSuch { what: "reversal-requests", id }
}

fn read(body: &[u8]) -> Result<Value, Error> {
    if body.trim_ascii().is_empty() { Ok(json!({})) } else { parse(body) }
}

impl ReversalRequestService {
    /// List parameters.
    pub fn list_shape() -> ListShape {
        ListShape {
            page_size: 10,
            sorts: vec!["id", "requestedDate"],
            filters: &[("status", FilterKind::Code(ReversalStatus::CODES))],
        }
    }

    pub fn new(requests: Arc<dyn ReversalRequests>, credits: Arc<CreditService>, calendar: Calendar) -> Self {
        Self { requests, credits, calendar, reader: DraftReader::new() }
    }

    /// Requests the reversal of one of the agent's sales.
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
            Inserted::New(request) => Ok(ReversalRequestedOnce { request, replayed: false }),
            Inserted::Replayed(request) => Ok(ReversalRequestedOnce { request, replayed: true }),
            Inserted::KeyReused => Err(Error::IdempotencyMismatch),
            Inserted::Conflict(OrderConflict::Hidden) => Err(Error::NoSuchMovement(movement)),
            Inserted::Conflict(OrderConflict::Refused(refusal)) => Err(refusal.into()),
        }
    }

    /// A page of requests, newest first: for agents their own and those of their subtree, for
    /// admins all.
    pub async fn list(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<RequestedReversal>>, Error> {
        let (filter, query) = Self::read_list(actor, pairs)?;
        Ok(self.requests.list(&filter, &query).await?)
    }

    /// Reads the parameters of the list, limited to the users whom the actor sees.
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

    /// Approves the request by reversing the sale.
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
            // Only the idempotency key of the approval itself is passed on.
            Err(Error::Credits(_)) if request.status != ReversalStatus::Pending => {
                Err(Refusal::AlreadyDecided.into())
            }
            outcome => outcome,
        }
    }

    /// Declines the request with a reason; the sale is kept.
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
