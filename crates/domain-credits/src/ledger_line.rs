//! A line of the ledger: one operation from the perspective of one of its two accounts.

use chrono::{DateTime, Utc};
use domain_kernel::{Id, UserRef, Username};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CreditType, OperationType, reversal::MISTAKEN_FOR};

/// One operation. For an agent, the balance is its own stock where that moved, otherwise the target's; for
/// admins always the target's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LedgerLine {
    /// Id of the movement of the displayed balance.
    pub id: Id,
    /// Id of the operation.
    pub operation_id: Id,
    /// Time of the operation.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub operation_date: DateTime<Utc>,
    /// Type of the operation.
    pub operation_type: OperationType,
    /// Target of the operation.
    pub target_user: UserRef,
    /// Owner of the displayed balance.
    pub account_user: UserRef,
    /// Type of the displayed balance.
    pub credit_type: CreditType,
    /// Signed change of the balance.
    pub amount: i64,
    /// Balance after the operation.
    pub balance_after: i64,
    /// Owner of the opposite balance; null where an admin issued or took back the credits.
    pub counterparty: Option<UserRef>,
    /// Performer of the operation.
    pub performed_by_user: UserRef,
    /// Reason given by the performer.
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
    /// End of the time in which the requesting user can reverse the operation, if the customer's credits do
    /// not change before; null where only an admin can, or no user.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub reversible_until: Option<DateTime<Utc>>,
    /// Whether the performer's own stock paid, and the target is in the performer's subtree now.
    #[serde(skip)]
    pub is_from_own_stock: bool,
}

impl LedgerLine {
    /// The line for an agent, whose own sales are reversible for a while
    /// (docs/spec/credits.md#mistaken-sales).
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

/// Sums of the operations of one type, for one type of balance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LedgerTotal {
    /// Type of the operations.
    pub operation_type: OperationType,
    /// Type of the balances.
    pub credit_type: CreditType,
    /// Number of operations.
    pub operations: u64,
    /// Sum of the increases.
    pub added: i64,
    /// Sum of the decreases.
    pub deducted: i64,
}
