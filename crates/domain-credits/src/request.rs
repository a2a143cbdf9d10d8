//! The requests of credit operations (docs/spec/credits.md#request).

use domain_kernel::{Code, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::OperationType;

/// Request to add or to deduct credits, depending on the path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(OperationType))]
pub struct CreditRequest {
    /// User name of the target.
    #[garde(length(chars, min = 1))]
    pub target_username: String,
    /// Number of credits: 1 to 1,200 app credits (a hundred years), 1 to 1,000,000 credits for sale.
    #[garde(custom(within_bounds))]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub amount: i64,
    /// Reason of the operation.
    #[garde(inner(length(chars, max = 500)))]
    #[schemars(length(max = 500), extend("x-severalLines" = true))]
    pub reason: Option<String>,
}

/// Request for the quote of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct QuoteRequest {
    /// Type of the operation.
    #[garde(skip)]
    pub operation_type: OperationType,
    /// User name of the target.
    #[garde(length(chars, min = 1))]
    pub target_username: String,
    /// Number of credits.
    #[garde(custom(within_bounds_of(self.operation_type)))]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub amount: i64,
}

/// Reason of a reversal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct ReversalRequest {
    /// Reason of the reversal.
    #[garde(inner(length(chars, max = 500)))]
    #[schemars(length(max = 500), extend("x-severalLines" = true))]
    pub reason: Option<String>,
}

fn within_bounds(amount: &i64, operation: &OperationType) -> garde::Result {
    let largest = operation.largest_amount();
    match *amount {
        amount if amount < 1 => Err(fault(Code::TooSmall, &[("min", &1)])),
        amount if amount > largest => Err(fault(Code::TooLarge, &[("max", &largest)])),
        _ => Ok(()),
    }
}

fn within_bounds_of<T>(operation: OperationType) -> impl FnOnce(&i64, &T) -> garde::Result {
    move |amount, _| within_bounds(amount, &operation)
}

#[cfg(test)]
mod tests {
    use domain_kernel::{DraftReader, Violations};
    use serde_json::{Value, json};

    use super::*;

    fn broken(operation: OperationType, amount: Value) -> Vec<Code> {
        let body = json!({"targetUsername": "ana_1", "amount": amount});
        match DraftReader::<CreditRequest>::new().read(body, &operation) {
            Ok(_) => Vec::new(),
            Err(Violations(all)) => all.into_iter().map(|one| one.code).collect(),
        }
    }

    #[test]
    fn amounts_have_the_bounds_of_their_operation_and_are_whole() {
        use OperationType::{AddCredits, DeductCreditsForSale};
        for (operation, amount, fault) in [
            (AddCredits, json!(1), None),
            (AddCredits, json!(1200), None),
            (AddCredits, json!(1201), Some(Code::TooLarge)),
            (AddCredits, json!(0), Some(Code::TooSmall)),
            (AddCredits, json!(-3), Some(Code::TooSmall)),
            (AddCredits, json!(1.5), Some(Code::WrongType)),
            (AddCredits, json!("3"), Some(Code::WrongType)),
            (AddCredits, json!(null), Some(Code::Required)),
            (AddCredits, json!(18_446_744_073_709_551_615_u64), Some(Code::TooLarge)),
            (DeductCreditsForSale, json!(1_000_000), None),
            (DeductCreditsForSale, json!(1_000_001), Some(Code::TooLarge)),
        ] {
            assert_eq!(
                broken(operation, amount.clone()),
                fault.into_iter().collect::<Vec<_>>(),
                "{operation:?} {amount}"
            );
        }
    }
}
