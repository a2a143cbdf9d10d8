//! The credit ledger. A method is one transaction: it moves both sides, or nothing.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_credits::{
    LedgerLine, LedgerTotal, Movement, OPENING_REASON, OperationType, PastMovement, Quote, Refusal, Verdict,
};
use domain_kernel::{Id, ListQuery, Origin, Page, RoleCode, Username};
use domain_users::Scope;

use crate::{IdempotencyKey, StoreError};

/// Credits to be moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreditOrder {
    /// Who does it: whoever is signed in.
    pub performer: Username,
    /// Whose credits.
    pub target: Username,
    /// What is done.
    pub operation: OperationType,
    /// How many.
    pub amount: i64,
    /// Why.
    pub reason: Option<String>,
    /// Under which key it is done once.
    pub once: Option<IdempotencyKey>,
    /// From where.
    pub origin: Origin,
}

/// The reversal of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReversalOrder {
    /// Who does it.
    pub performer: Username,
    /// A movement of the operation.
    pub movement: Id,
    /// The request that it approves, which must be pending.
    pub request: Option<Id>,
    /// Why.
    pub reason: Option<String>,
    /// Under which key it is done once.
    pub once: Option<IdempotencyKey>,
    /// From where.
    pub origin: Origin,
}

/// What an order led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Posted {
    /// It is done: the target's movement.
    Done(Movement),
    /// It was done before, under the same key: the first answer.
    Replayed(Movement),
    /// The key was used before for something else.
    KeyReused,
    /// There is no such user or movement, or none that the performer may see.
    Hidden,
    /// A rule is against it; nothing moved.
    Refused(Refusal),
}

/// What an order would lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Quoted {
    /// This.
    Quote(Quote),
    /// There is no such user, or none that the performer may see.
    Hidden,
    /// A rule is against it.
    Refused(Refusal),
}

/// What renewals would lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenewalsQuoted {
    /// The performer's stock before, where an agent pays.
    pub stock_before: Option<i64>,
    /// For each customer, in the order of the request.
    pub customers: Vec<Quoted>,
}

impl RenewalsQuoted {
    /// The performer's stock after, where an agent pays.
    pub fn stock_after(&self) -> Option<i64> {
        let left = self.customers.iter().rev().find_map(|quoted| match quoted {
            Quoted::Quote(quote) => quote.transfer.payer_stock,
            Quoted::Hidden | Quoted::Refused(_) => None,
        });
        left.or(self.stock_before)
    }
}

/// The filter of operations of the ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LedgerFilter {
    /// Those that moved a balance of this user, seen from it.
    pub of: Option<Username>,
    /// Done by this user.
    pub performed_by: Option<Username>,
    /// Of this type.
    pub operation: Option<OperationType>,
    /// From this time on.
    pub from: Option<DateTime<Utc>>,
    /// Before this time.
    pub to: Option<DateTime<Utc>>,
    /// Where this is found in the names of whose balances moved, or of who did it.
    pub search: Option<String>,
}

/// Whose account history is brought in for, or who made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LedgerUser {
    /// By which the ledger knows them.
    pub id: Id,
    /// In which role.
    pub role: RoleCode,
}

/// Older movements of one account, in the order of their dates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// Whose.
    pub user: Id,
    /// Their stock, not their app credits.
    pub for_sale: bool,
    /// What happened.
    pub movements: Vec<HistoryMovement>,
}

impl History {
    /// The opening balance of an account without movements.
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

/// One older movement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryMovement {
    /// What happened.
    pub past: PastMovement,
    /// Who did it.
    pub performer: Id,
    /// Whether that was an agent, whose sale it then is.
    pub by_agent: bool,
    /// Why.
    pub reason: Option<String>,
}

/// A row that breaks an invariant of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// Which: 1 to 13, as docs/ledger.md numbers them.
    pub invariant: u8,
    /// What is wrong, with the ids to find it by.
    pub row: String,
}

/// Keeps credits.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Moves credits, if the rules allow it at this very moment. Who performs and who is meant are read under the lock:
    /// whoever was suspended a moment ago moves nothing.
    async fn post(&self, order: &CreditOrder, now: DateTime<Utc>) -> Result<Posted, StoreError>;

    /// Takes an operation back, and approves the pending request for it, if there is one.
    async fn reverse(&self, order: &ReversalOrder, now: DateTime<Utc>) -> Result<Posted, StoreError>;

    /// What [`Ledger::post`] would do now.
    async fn quote(&self, order: &CreditOrder, now: DateTime<Utc>) -> Result<Quoted, StoreError>;

    /// What selling these months to these customers one after the other would lead to, in this order.
    async fn quote_renewals(
        &self,
        performer: &Username,
        renewals: &[(Username, i64)],
        now: DateTime<Utc>,
    ) -> Result<RenewalsQuoted, StoreError>;

    /// What the performer did under these idempotency keys: the target's movements. Unused keys are missing.
    async fn done_under(
        &self,
        performer: &Username,
        keys: &[String],
    ) -> Result<Vec<(String, Movement)>, StoreError>;

    /// A page of the history: of everybody in the scope and the actor themselves, or of one of them. `None` where that
    /// one is not to be seen. The search looks for users, as targets and as performers.
    async fn history<'a>(
        &self,
        scope: &Scope,
        of: Option<&'a Username>,
        query: &ListQuery,
    ) -> Result<Option<Page<Vec<Movement>>>, StoreError>;

    /// A page of operations, one line each, newest first: those of the scope and of the actor themselves. An agent's own
    /// side is shown where its stock moved, otherwise the target's. `None` where the user of the filter is not to be
    /// seen.
    async fn lines(
        &self,
        scope: &Scope,
        filter: &LedgerFilter,
        query: &ListQuery,
    ) -> Result<Option<Page<Vec<LedgerLine>>>, StoreError>;

    /// What the lines of a filter add up to.
    async fn totals(
        &self,
        scope: &Scope,
        filter: &LedgerFilter,
    ) -> Result<Option<Vec<LedgerTotal>>, StoreError>;

    /// How many movements somebody has. `None` where they are not to be seen.
    async fn count(&self, scope: &Scope, of: &Username) -> Result<Option<u64>, StoreError>;

    /// One movement. `None` where it is not to be seen.
    async fn find(&self, scope: &Scope, id: Id) -> Result<Option<Movement>, StoreError>;

    /// The users of these names, in any spelling; unknown ones are missing.
    async fn users_named(&self, usernames: &[String]) -> Result<HashMap<String, LedgerUser>, StoreError>;

    /// Books older history against the issuer and marks it as imported; expirations stay. All of it or nothing; a
    /// movement that does not go on from where its account stands is not among it. Answers a verdict for each movement.
    async fn book_history(
        &self,
        histories: &[History],
        now: DateTime<Utc>,
    ) -> Result<Vec<Vec<Verdict>>, StoreError>;

    /// The balances of these users, by id: app credits and stock.
    async fn balances(&self, ids: &[Id]) -> Result<HashMap<Id, (i64, i64)>, StoreError>;

    /// Every row that breaks an invariant; at most a hundred of each.
    async fn verify(&self, now: DateTime<Utc>) -> Result<Vec<Breach>, StoreError>;
}
