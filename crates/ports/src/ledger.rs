//! The credit ledger. A method is one transaction: it moves both sides, or neither.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_credits::{
    ExpectedTarget, LedgerLine, LedgerTotal, Movement, OPENING_REASON, OperationType, PastMovement, Quote,
    Refusal, Verdict,
};
use domain_kernel::{Id, ListQuery, Origin, Page, RoleCode, Username};
use domain_users::Scope;

use crate::{IdempotencyKey, Inserted, StoreError};

/// A credit operation to post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreditOrder {
    /// The signed-in user.
    pub performer: Username,
    /// Owner of the credits.
    pub target: Username,
    pub operation: OperationType,
    pub amount: i64,
    pub reason: Option<String>,
    /// The target as it was confirmed, checked under the lock.
    pub expected: Option<ExpectedTarget>,
    /// Idempotency key.
    pub once: Option<IdempotencyKey>,
    pub origin: Origin,
}

/// The reversal of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReversalOrder {
    pub performer: Username,
    /// A movement of the operation.
    pub movement: Id,
    /// Pending request that it approves.
    pub request: Option<Id>,
    pub reason: Option<String>,
    /// Idempotency key.
    pub once: Option<IdempotencyKey>,
    pub origin: Origin,
}

/// Conflict of an order, or of a request for a reversal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderConflict {
    /// The user or movement does not exist or is not visible to the performer.
    Hidden,
    /// Rejected by a rule.
    Refused(Refusal),
}

/// Outcome of an order: the movement of the target.
pub type Posted = Inserted<Movement, OrderConflict>;

/// Quote of an order. A quote writes nothing, so that it has no outcome of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Quoted {
    Quote(Quote),
    /// The user does not exist or is not visible to the performer.
    Hidden,
    /// Rejected by a rule.
    Refused(Refusal),
}

/// Quote of renewals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenewalsQuoted {
    /// Stock of the performer before, where an agent pays.
    pub stock_before: Option<i64>,
    /// Quotes by customer, in the order of the request.
    pub customers: Vec<CustomerQuote>,
}

/// Quote of a customer's renewal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerQuote {
    /// Current end of the subscription, also of a refused renewal; `None` for hidden users.
    pub expiration: Option<DateTime<Utc>>,
    pub quoted: Quoted,
}

impl RenewalsQuoted {
    /// Stock of the performer after, where an agent pays.
    pub fn stock_after(&self) -> Option<i64> {
        let left = self.customers.iter().rev().find_map(|one| match &one.quoted {
            Quoted::Quote(quote) => quote.transfer.payer_stock,
            Quoted::Hidden | Quoted::Refused(_) => None,
        });
        left.or(self.stock_before)
    }
}

/// Filter of ledger operations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LedgerFilter {
    /// Operations on a balance of this user, from its perspective.
    pub of: Option<Username>,
    pub performed_by: Option<Username>,
    pub operation: Option<OperationType>,
    /// Inclusive.
    pub from: Option<DateTime<Utc>>,
    /// Exclusive.
    pub to: Option<DateTime<Utc>>,
    /// Text in the names of the affected users or of the performer.
    pub search: Option<String>,
}

/// A user of imported history: the owner of the account or the performer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LedgerUser {
    /// Id in the ledger.
    pub id: Id,
    pub role: RoleCode,
}

/// Imported movements of one account, by date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    pub user: Id,
    /// Whether these are movements of the stock instead of app credits.
    pub for_sale: bool,
    pub movements: Vec<HistoryMovement>,
}

impl History {
    /// Opening balance of an account without movements.
    pub fn opening(user: Id, for_sale: bool, balance: i64, performer: Id, at: DateTime<Utc>) -> Self {
        let movement = HistoryMovement {
            past: PastMovement { at, change: balance, before: 0 },
            performer,
            by_agent: false,
            reason: Some(OPENING_REASON.to_owned()),
        };
        Self { user, for_sale, movements: vec![movement] }
    }
}

/// One imported movement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryMovement {
    pub past: PastMovement,
    pub performer: Id,
    /// Whether the performer was an agent, so that it counts as a sale.
    pub by_agent: bool,
    pub reason: Option<String>,
}

/// A row that breaks an invariant of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// Number of the invariant, 1 to 13, as in docs/ledger.md.
    pub invariant: u8,
    /// Description with the ids.
    pub row: String,
}

/// Stores credits.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Posts an operation, if the rules allow it and the target is as expected. Performer and target are read
    /// under the lock, so that a user suspended meanwhile posts nothing. An idempotency key that was used gets
    /// its first answer, regardless of the expected values.
    async fn post(&self, order: &CreditOrder, now: DateTime<Utc>) -> Result<Posted, StoreError>;

    /// Reverses an operation, and approves the pending request for it, if any.
    async fn reverse(&self, order: &ReversalOrder, now: DateTime<Utc>) -> Result<Posted, StoreError>;

    /// Quote of [`Ledger::post`] at this time.
    async fn quote(&self, order: &CreditOrder, now: DateTime<Utc>) -> Result<Quoted, StoreError>;

    /// Quote of selling these months to these customers one after the other, in this order.
    async fn quote_renewals(
        &self,
        performer: &Username,
        renewals: &[(Username, i64)],
        now: DateTime<Utc>,
    ) -> Result<RenewalsQuoted, StoreError>;

    /// Movements of the target posted by the performer under these idempotency keys. Unused keys are omitted.
    async fn done_under(
        &self,
        performer: &Username,
        keys: &[String],
    ) -> Result<Vec<(String, Movement)>, StoreError>;

    /// A page of the history: of all users in the scope and the actor, or of one of them. `None` where that
    /// user is not visible. The search covers target and performer.
    async fn history<'a>(
        &self,
        scope: &Scope,
        of: Option<&'a Username>,
        query: &ListQuery,
    ) -> Result<Option<Page<Vec<Movement>>>, StoreError>;

    /// A page of operations, one line each, newest first: those of the scope and of the actor. An agent sees
    /// its own side where its stock moved, otherwise the target's. `None` where the user of the filter is not
    /// visible.
    async fn lines(
        &self,
        scope: &Scope,
        filter: &LedgerFilter,
        query: &ListQuery,
    ) -> Result<Option<Page<Vec<LedgerLine>>>, StoreError>;

    /// Sums of the lines of a filter.
    async fn totals(
        &self,
        scope: &Scope,
        filter: &LedgerFilter,
    ) -> Result<Option<Vec<LedgerTotal>>, StoreError>;

    /// Number of movements of a user. `None` where the user is not visible.
    async fn count(&self, scope: &Scope, of: &Username) -> Result<Option<u64>, StoreError>;

    /// One movement. `None` where it is not visible.
    async fn find(&self, scope: &Scope, id: Id) -> Result<Option<Movement>, StoreError>;

    /// Users with these names, in any case; unknown names are omitted.
    async fn users_named(&self, usernames: &[String]) -> Result<HashMap<String, LedgerUser>, StoreError>;

    /// Posts older history against the issuer and marks it as imported, in one transaction; expirations are
    /// not changed. A movement that does not continue the balance of its account is not posted. Returns a
    /// verdict for each movement.
    async fn book_history(
        &self,
        histories: &[History],
        now: DateTime<Utc>,
    ) -> Result<Vec<Vec<Verdict>>, StoreError>;

    /// App credits and stock of these users, by id.
    async fn balances(&self, ids: &[Id]) -> Result<HashMap<Id, (i64, i64)>, StoreError>;

    /// Rows that break an invariant; at most a hundred of each.
    async fn verify(&self, now: DateTime<Utc>) -> Result<Vec<Breach>, StoreError>;
}
