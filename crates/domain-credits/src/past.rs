//! A line of history from elsewhere, in the shape of the API's records.

use chrono::{DateTime, Utc};
use domain_kernel::{Code, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CreditType, OperationType};

/// The largest balance or amount that an import takes: sums of any number of them stay far from overflow.
pub const LARGEST_IMPORTED: i64 = 1_000_000_000;

/// Somebody, by user name; other names may be sent along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct LedgerUser {
    /// Their public id.
    #[garde(length(chars, min = 1))]
    pub username: String,
    /// The full name; not used.
    #[garde(skip)]
    pub full_name: Option<String>,
}

/// A movement that was made elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-readOnly" = ["operationId", "expirationBefore", "expirationAfter", "reversesOperationId", "reversed", "imported"]))]
pub struct PastOperation {
    /// When.
    #[garde(skip)]
    pub operation_date: DateTime<Utc>,
    /// Whose balance moved.
    #[garde(dive)]
    pub target_user: LedgerUser,
    /// Who did it.
    #[garde(dive)]
    pub performed_by_user: LedgerUser,
    /// What happened.
    #[garde(skip)]
    pub operation_type: OperationType,
    /// Which credits; must be those of the operation.
    #[garde(custom(fits(self.operation_type)))]
    pub credit_type: CreditType,
    /// How many.
    #[garde(range(min = 1, max = LARGEST_IMPORTED))]
    pub amount: i64,
    /// The balance before.
    #[garde(range(min = 0, max = LARGEST_IMPORTED))]
    pub balance_before: i64,
    /// The balance after: what the operation makes of the one before.
    #[garde(range(min = 0, max = LARGEST_IMPORTED), custom(follows(self.operation_type, self.amount, self.balance_before)))]
    pub balance_after: i64,
    /// Why.
    #[garde(inner(length(chars, max = 500)))]
    #[schemars(length(max = 500), extend("x-severalLines" = true))]
    pub reason: Option<String>,
}

fn fits<T>(operation: OperationType) -> impl FnOnce(&CreditType, &T) -> garde::Result {
    move |credits, _| {
        let expected = if operation.is_for_sale() { CreditType::Sale } else { CreditType::Normal };
        if *credits == expected { Ok(()) } else { Err(fault(Code::BrokenChain, &[])) }
    }
}

fn follows<T>(operation: OperationType, amount: i64, before: i64) -> impl FnOnce(&i64, &T) -> garde::Result {
    move |after, _| {
        let expected =
            if operation.deducts() { before.checked_sub(amount) } else { before.checked_add(amount) };
        if expected == Some(*after) { Ok(()) } else { Err(fault(Code::BrokenChain, &[("balance", &before)])) }
    }
}
