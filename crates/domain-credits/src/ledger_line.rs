//! The ledger as users read it: one line per operation, seen from one of its two accounts.

use chrono::{DateTime, Utc};
use domain_kernel::{Id, Username};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CreditType, OperationType, UserRef, reversal::MISTAKEN_FOR};

/// One operation. An agent reads it from its own stock where that moved, otherwise from the balance of whom it was done
/// to; admins always from the latter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LedgerLine {
    /// The movement of the balance that is shown.
    pub id: Id,
    /// The operation.
    pub operation_id: Id,
    /// When it was done.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub operation_date: DateTime<Utc>,
    /// What was done.
    pub operation_type: OperationType,
    /// To whom it was done.
    pub target_user: UserRef,
    /// Whose balance is shown.
    pub account_user: UserRef,
    /// Which of their balances.
    pub credit_type: CreditType,
    /// How the balance changed: negative where it went down.
    pub amount: i64,
    /// The balance afterwards.
    pub balance_after: i64,
    /// Whose balance moved the other way; null where an admin issued the credits or took them back.
    pub counterparty: Option<UserRef>,
    /// Who did it.
    pub performed_by_user: UserRef,
    /// Why, as the performer wrote it.
    pub reason: Option<String>,
    /// The target's expiration before; app credits only.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub expiration_before: Option<DateTime<Utc>>,
    /// The target's expiration afterwards; app credits only.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub expiration_after: Option<DateTime<Utc>>,
    /// The operation that this one reverses.
    pub reverses_operation_id: Option<Id>,
    /// Whether it was reversed.
    pub reversed: bool,
    /// Whether it was imported.
    pub imported: bool,
    /// Until when whoever reads reverses it by themselves, if nothing moves the customer's credits until then; null where
    /// an admin does, or nobody.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub reversible_until: Option<DateTime<Utc>>,
    /// Whether the performer's own stock paid, and the target is in the performer's subtree now.
    #[serde(skip)]
    pub is_from_own_stock: bool,
}

impl LedgerLine {
    /// The line as an agent reads it: its own sales are reversible for a while (docs/spec/credits.md#mistaken-sales).
    #[must_use]
    pub fn read_by_agent(self, agent: &Username) -> Self {
        let is_own_sale = self.operation_type == OperationType::AddCredits
            && !self.imported
            && self.is_from_own_stock
            && self.performed_by_user.username == *agent;
        let is_open = !self.reversed && self.reverses_operation_id.is_none();
        let reversible_until = (is_own_sale && is_open).then(|| self.operation_date + MISTAKEN_FOR);
        Self { reversible_until, ..self }
    }
}

/// What the lines of one operation type add up to, for one kind of balance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LedgerTotal {
    /// What was done.
    pub operation_type: OperationType,
    /// Which balances.
    pub credit_type: CreditType,
    /// How often.
    pub operations: u64,
    /// By how much balances went up.
    pub added: i64,
    /// By how much balances went down.
    pub deducted: i64,
}
