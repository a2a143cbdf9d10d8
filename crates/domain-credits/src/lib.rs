//! Subscription credits: one app credit is one month (docs/spec/credits.md).
//!
//! Pure rules: what an operation may be, who may do it to whom, what it moves on both sides, how it is reversed, and
//! what must hold of all movements together. Nothing here stores or reads anything; other domains may not be named.

mod decision;
mod history;
mod ledger_line;
mod movement;
mod operation;
mod past;
mod renewal;
mod replay;
mod request;
mod requested_reversal;
mod reversal;
mod statement;

pub use decision::{Quote, Refusal, Transfer, UserSummary, Warning, decide, quote};
pub use history::{Account, OPENING_REASON, PastMovement, Verdict, continued};
pub use ledger_line::{LedgerLine, LedgerTotal};
pub use movement::{CreditType, Movement, UserRef};
pub use operation::{CreditFault, Holding, OperationType, apply};
pub use past::{LARGEST_IMPORTED, LedgerUser, PastOperation};
pub use renewal::{MAX_RENEWALS, Renewal, RenewalQuoteRequest, RenewalRequest, SalesRequest, quote_renewals};
pub use replay::{ReplayedStep, Step, replay};
pub use request::{CreditRequest, QuoteRequest, ReversalRequest};
pub use requested_reversal::{RequestedReversal, ReversalStatus};
pub use reversal::{Reversed, requestable, reverse};
pub use statement::{Statement, StatementConcept, StatementLine, StatementRow, StockMovements};
