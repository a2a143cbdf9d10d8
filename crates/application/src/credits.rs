//! Use cases of credits (docs/spec/credits.md). The ledger applies the rules under its lock; this
//! module reads the request and maps the outcome to an error or a response.

use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};

use domain_credits::{
    CreditRequest, Movement, OperationType, PastOperation, Quote, QuoteRequest, ReversalRequest,
};
use domain_kernel::{
    Action, Actor, DraftReader, Enumeration, Id, ListQuery, Page, Permission, Subject, Username,
};
use domain_users::Scope;
use ports::{Breach, CreditOrder, Inserted, Ledger, OrderConflict, Posted, Quoted, ReversalOrder};
use serde_json::{Value, json};

use crate::{Calendar, Error, ListShape, body::parse, idempotency::idempotency_key, read_list_query};

/// Permission to move credits: that of changing users. The ledger has further rules.
const MOVE: Permission = Permission::new(Subject("USER"), Action::Update);
const READ: Permission = Permission::new(Subject("CREDIT_HISTORY"), Action::Read);
/// Number of recent movements.
const RECENT: u32 = 10;

/// Use cases of credits.
pub struct CreditService {
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) calendar: Calendar,
    pub(crate) past: DraftReader<PastOperation>,
    requests: DraftReader<CreditRequest>,
    quotes: DraftReader<QuoteRequest>,
    reversals: DraftReader<ReversalRequest>,
    verified: Mutex<Option<Verification>>,
}

/// Result of the last verification of the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verification {
    pub at: DateTime<Utc>,
    /// Number of rows that break an invariant; 0 for a consistent ledger.
    pub breaches: usize,
}

/// A movement, and whether the response is a repetition.
#[derive(Debug)]
pub struct PostedOnce {
    /// Movement of the target.
    pub movement: Movement,
    /// Whether the same request was answered before under this idempotency key.
    pub replayed: bool,
}

impl CreditService {
    /// List parameters of the history.
    pub fn list_shape() -> ListShape {
        ListShape { page_size: 10, sorts: vec!["id", "operationDate", "amount"], filters: &[] }
    }

    pub fn new(ledger: Arc<dyn Ledger>, calendar: Calendar) -> Self {
        let (requests, quotes, reversals) = (DraftReader::new(), DraftReader::new(), DraftReader::new());
        Self {
            ledger,
            calendar,
            past: DraftReader::new(),
            requests,
            quotes,
            reversals,
            verified: Mutex::new(None),
        }
    }

    /// Moves credits. Idempotent with an idempotency key.
    pub async fn post(
        &self,
        actor: &Actor,
        operation: OperationType,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<PostedOnce, Error> {
        actor.require(MOVE)?;
        if operation == OperationType::DeductCredits && !actor.role.passes_every_check() {
            return Err(Error::Forbidden);
        }
        let json = parse(body)?;
        let once = idempotency_key(actor, key, operation.code(), &without_expectation(&json));
        let request = self.requests.read(json, &operation)?.into_inner();
        let target = named(&request.target_username)?;
        let order = CreditOrder {
            performer: actor.username.clone(),
            target,
            operation,
            amount: request.amount,
            reason: request.reason,
            expected: request.expected,
            once,
            origin: actor.origin,
        };
        let posted = self.ledger.post(&order, self.calendar.now()).await?;
        self.outcome(actor, posted, || Error::NoSuchUser(request.target_username))
    }

    /// Reverses an operation, by any of its movements. The ledger lets agents reverse only their
    /// own sales.
    pub async fn reverse(
        &self,
        actor: &Actor,
        movement: Id,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<PostedOnce, Error> {
        self.reverse_requested(actor, movement, None, body, key).await
    }

    /// The same for the approval of a request.
    pub(crate) async fn reverse_requested(
        &self,
        actor: &Actor,
        movement: Id,
        request: Option<Id>,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<PostedOnce, Error> {
        actor.require(MOVE)?;
        let json = if body.trim_ascii().is_empty() { json!({}) } else { parse(body)? };
        let once = idempotency_key(actor, key, &format!("reverse {movement}"), &json);
        let reason = self.reversals.read(json, &())?.into_inner().reason;
        let order = ReversalOrder {
            performer: actor.username.clone(),
            movement,
            request,
            reason,
            once,
            origin: actor.origin,
        };
        let posted = self.ledger.reverse(&order, self.calendar.now()).await?;
        self.outcome(actor, posted, || Error::NoSuchMovement(movement))
    }

    fn outcome(
        &self,
        actor: &Actor,
        posted: Posted,
        missing: impl FnOnce() -> Error,
    ) -> Result<PostedOnce, Error> {
        match posted {
            Inserted::New(movement) => {
                tracing::info!(
                    actor = actor.username.as_str(),
                    user = movement.target_user.username.as_str(),
                    operation = movement.operation_type.code(),
                    amount = movement.amount,
                    movement = movement.id,
                    "credit operation recorded"
                );
                Ok(PostedOnce { movement, replayed: false })
            }
            Inserted::Replayed(movement) => Ok(PostedOnce { movement, replayed: true }),
            Inserted::KeyReused => Err(Error::IdempotencyMismatch),
            Inserted::Conflict(OrderConflict::Hidden) => Err(missing()),
            Inserted::Conflict(OrderConflict::Refused(refusal)) => Err(refusal.into()),
        }
    }

    /// Previews an operation by the same rules.
    pub async fn quote(&self, actor: &Actor, body: &[u8]) -> Result<(QuoteRequest, Quote), Error> {
        actor.require(MOVE)?;
        let request = self.quotes.read(parse(body)?, &())?.into_inner();
        let order = CreditOrder {
            performer: actor.username.clone(),
            target: named(&request.target_username)?,
            operation: request.operation_type,
            amount: request.amount,
            reason: None,
            expected: None,
            once: None,
            origin: actor.origin,
        };
        match self.ledger.quote(&order, self.calendar.now()).await? {
            Quoted::Quote(quote) => Ok((request, quote)),
            Quoted::Hidden => Err(Error::NoSuchUser(request.target_username)),
            Quoted::Refused(refusal) => Err(refusal.into()),
        }
    }

    /// A page of the history of all users whom the actor sees, or of one (`username`).
    pub async fn history(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<Movement>>, Error> {
        actor.require(READ)?;
        let of = pairs.iter().find(|(name, value)| name == "username" && !value.is_empty());
        let of = of.map(|(_, value)| value.clone());
        let rest: Vec<_> = pairs.iter().filter(|(name, _)| name != "username").cloned().collect();
        let query = read_list_query(&Self::list_shape(), &rest)?;
        self.page(actor, of.as_deref(), &query).await
    }

    /// A page of one user's history.
    pub async fn history_of(
        &self,
        actor: &Actor,
        username: &str,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<Movement>>, Error> {
        actor.require(READ)?;
        let query = read_list_query(&Self::list_shape(), pairs)?;
        self.page(actor, Some(username), &query).await
    }

    /// Latest movements of one user, newest first.
    pub async fn recent(&self, actor: &Actor, username: &str) -> Result<Vec<Movement>, Error> {
        actor.require(READ)?;
        let query = ListQuery { size: RECENT, ..ListQuery::default() };
        Ok(self.page(actor, Some(username), &query).await?.content)
    }

    async fn page(
        &self,
        actor: &Actor,
        of: Option<&str>,
        query: &ListQuery,
    ) -> Result<Page<Vec<Movement>>, Error> {
        let name = of.map(named).transpose()?;
        let page = self.ledger.history(&Scope::of(actor), name.as_ref(), query).await?;
        page.ok_or_else(|| Error::NoSuchUser(of.unwrap_or_default().to_owned()))
    }

    /// Number of a user's movements.
    pub async fn count(&self, actor: &Actor, username: &str) -> Result<u64, Error> {
        actor.require(READ)?;
        let count = self.ledger.count(&Scope::of(actor), &named(username)?).await?;
        count.ok_or_else(|| Error::NoSuchUser(username.to_owned()))
    }

    /// One movement.
    pub async fn find(&self, actor: &Actor, id: Id) -> Result<Movement, Error> {
        actor.require(READ)?;
        self.ledger.find(&Scope::of(actor), id).await?.ok_or(Error::NoSuchMovement(id))
    }

    /// All rows that break an invariant of the ledger. Called by the operator's command, without a
    /// permission.
    pub async fn verify(&self) -> Result<Vec<Breach>, Error> {
        let at = self.calendar.now();
        let breaches = self.ledger.verify(at).await?;
        for breach in &breaches {
            tracing::error!(invariant = breach.invariant, row = breach.row, "ledger invariants violated");
        }
        let verification = Verification { at, breaches: breaches.len() };
        *self.verified.lock().unwrap_or_else(PoisonError::into_inner) = Some(verification);
        Ok(breaches)
    }

    /// Result of the last verification; `None` before the end of the first one.
    pub fn last_verification(&self) -> Option<Verification> {
        *self.verified.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The operation without the confirmed values: repeated after the target was read again, it is the same
/// request, and was done once.
fn without_expectation(json: &Value) -> Value {
    let mut json = json.clone();
    if let Some(fields) = json.as_object_mut() {
        fields.remove("expected");
    }
    json
}

fn named(username: &str) -> Result<Username, Error> {
    Username::parse(username).ok_or_else(|| Error::NoSuchUser(username.to_owned()))
}
