//! Subscription credits: one app credit is one month (docs/spec/credits.md).
//!
//! Pure rules: validity and permission of an operation, its transfer on both sides, its reversal, and the
//! invariants of all movements. No I/O; other domains may not be named.

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
pub use movement::{CreditType, Movement};
pub use operation::{CreditFault, Holding, OperationType, apply};
pub use past::{LARGEST_IMPORTED, PastOperation, PastUserRef};
pub use renewal::{MAX_RENEWALS, Renewal, RenewalQuoteRequest, RenewalRequest, SalesRequest, quote_renewals};
pub use replay::{ReplayedStep, Step, replay};
pub use request::{CreditRequest, ExpectedTarget, QuoteRequest, ReversalRequest};
pub use requested_reversal::{RequestedReversal, ReversalStatus};
pub use reversal::{Reversed, requestable, reverse};
pub use statement::{Statement, StatementConcept, StatementLine, StatementRow, StockMovements};
