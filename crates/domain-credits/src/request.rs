//! The requests of credit operations (docs/spec/credits.md#request).

use chrono::{DateTime, Utc};
use domain_kernel::{Code, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{OperationType, Refusal, UserSummary};

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
    /// The target as it was when the operation was confirmed; refused with `EXPIRATION_CHANGED` if it has
    /// changed since. An idempotency key does not cover it.
    #[garde(skip)]
    pub expected: Option<ExpectedTarget>,
}

/// The target of an operation as it was when the operation was confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExpectedTarget {
    /// End of the subscription, as `expirationBefore` of a quote; null if there was none.
    pub expiration_date: Option<DateTime<Utc>>,
}

impl ExpectedTarget {
    /// Refuses an operation on a target whose subscription ends at another time than was confirmed. Called by
    /// the ledger under its lock. Responses have milliseconds.
    pub fn check(self, operation: OperationType, target: &UserSummary) -> Result<(), Refusal> {
        let milliseconds = |date: Option<DateTime<Utc>>| date.map(|date| date.timestamp_millis());
        let expiration = target.holding(operation).expiration;
        if milliseconds(self.expiration_date) == milliseconds(expiration) {
            return Ok(());
        }
        Err(Refusal::ExpirationChanged(expiration))
    }
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
    use domain_kernel::{DraftReader, RoleCode, Violations};
    use serde_json::{Value, json};

    use super::*;
    use crate::{Holding, decision::tests::user};

    fn broken(operation: OperationType, amount: Value) -> Vec<Code> {
        let body = json!({"targetUsername": "ana_1", "amount": amount});
        match DraftReader::<CreditRequest>::new().read(body, &operation) {
            Ok(_) => Vec::new(),
            Err(Violations(all)) => all.into_iter().map(|one| one.code).collect(),
        }
    }

    #[test]
    fn an_operation_is_refused_for_another_end_than_was_confirmed() {
        use OperationType::{AddCredits, AddCreditsForSale};
        let date = |text: &str| -> Option<DateTime<Utc>> { Some(text.parse().unwrap()) };
        let (end, later) = (date("2026-12-20T10:00:00.123Z"), date("2027-01-20T10:00:00.123Z"));
        let stored = date("2026-12-20T10:00:00.123456Z");
        let customer = |expiration| {
            let customer = user(RoleCode::App, 2, 0);
            UserSummary { app: Holding { expiration, ..customer.app }, ..customer }
        };
        for (operation, expected, expiration, is_refused) in [
            (AddCredits, end, end, false),
            (AddCredits, end, stored, false),
            (AddCredits, None, None, false),
            (AddCredits, end, later, true),
            (AddCredits, None, end, true),
            (AddCredits, end, None, true),
            // Stock has no end.
            (AddCreditsForSale, None, end, false),
        ] {
            let checked =
                ExpectedTarget { expiration_date: expected }.check(operation, &customer(expiration));
            let outcome = if is_refused { Err(Refusal::ExpirationChanged(expiration)) } else { Ok(()) };
            assert_eq!(checked, outcome, "{operation:?} {expected:?} {expiration:?}");
        }
    }

    #[test]
    fn the_confirmed_expiration_is_optional_and_may_be_null() {
        let read = |expected: Value| {
            let body = json!({"targetUsername": "ana_1", "amount": 1, "expected": expected});
            let read = DraftReader::<CreditRequest>::new().read(body, &OperationType::AddCredits);
            read.map(|request| request.into_inner().expected.map(|expected| expected.expiration_date))
        };
        assert_eq!(read(json!(null)), Ok(None));
        assert_eq!(read(json!({"expirationDate": null})), Ok(Some(None)));
        let date = "2026-12-20T10:00:00.123Z";
        assert_eq!(read(json!({"expirationDate": date})), Ok(Some(Some(date.parse().unwrap()))));
        assert_eq!(read(json!({"expirationDate": 3})).unwrap_err().0[0].field, "expected.expirationDate");
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
