//! An imported movement, in the shape of the API's records.

use chrono::{DateTime, Utc};
use domain_kernel::{Code, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CreditType, OperationType};

/// Maximum balance or amount of an import: sums of any number of them stay far from overflow.
pub const LARGEST_IMPORTED: i64 = 1_000_000_000;

/// Reference to a user by user name; other names are accepted and ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct PastUserRef {
    /// Public id.
    #[garde(length(chars, min = 1))]
    pub username: String,
    /// Full name; ignored.
    #[garde(skip)]
    pub full_name: Option<String>,
}

/// An imported movement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-readOnly" = ["operationId", "expirationBefore", "expirationAfter", "reversesOperationId", "reversed", "imported"]))]
pub struct PastOperation {
    /// Time of the operation.
    #[garde(skip)]
    pub operation_date: DateTime<Utc>,
    /// Owner of the balance.
    #[garde(dive)]
    pub target_user: PastUserRef,
    /// Performer of the operation.
    #[garde(dive)]
    pub performed_by_user: PastUserRef,
    /// Type of the operation.
    #[garde(skip)]
    pub operation_type: OperationType,
    /// Type of the credits; must match the operation.
    #[garde(custom(fits(self.operation_type)))]
    pub credit_type: CreditType,
    /// Number of credits.
    #[garde(range(min = 1, max = LARGEST_IMPORTED))]
    pub amount: i64,
    /// The balance before.
    #[garde(range(min = 0, max = LARGEST_IMPORTED))]
    pub balance_before: i64,
    /// The balance after; must follow from operation, amount and balance before.
    #[garde(range(min = 0, max = LARGEST_IMPORTED), custom(follows(self.operation_type, self.amount, self.balance_before)))]
    pub balance_after: i64,
    /// Reason of the operation.
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
