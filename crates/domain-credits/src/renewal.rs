//! Quotes of renewals of several customers one after the other (docs/spec/renewals.md#quote).

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use domain_kernel::{Code, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{OperationType, Quote, Refusal, UserSummary, quote};

/// Maximum number of customers of a quote.
pub const MAX_RENEWALS: usize = 100;

/// Customers to renew: some by their user names, or those that the list shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct RenewalQuoteRequest {
    /// One to a hundred customers, in the order of the sales; none with a filter.
    #[garde(length(max = MAX_RENEWALS), dive, custom(named_or_filtered(&self.filter)))]
    #[schemars(length(max = MAX_RENEWALS))]
    #[serde(default)]
    pub customers: Vec<RenewalRequest>,
    /// The customers that `GET /renewals` lists with these parameters: `window`, `search` and `snoozed`. At most a hundred.
    #[garde(skip)]
    pub filter: Option<Map<String, Value>>,
    /// Number of months for each customer of the filter; 1 if left out.
    #[garde(range(min = 1, max = 1200))]
    #[schemars(range(min = 1, max = 1200))]
    pub months: Option<i64>,
    /// Number of customers of the filter that the user has confirmed; another number is refused.
    #[garde(skip)]
    pub expected_count: Option<i64>,
}

/// A customer to renew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct RenewalRequest {
    /// User name of the customer.
    #[garde(length(chars, min = 1, max = 50))]
    pub username: String,
    /// Number of months, equal to the number of credits.
    #[garde(range(min = 1, max = 1200))]
    pub months: i64,
}

/// Idempotency keys of sales.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct SalesRequest {
    /// One to a hundred.
    #[garde(length(min = 1, max = MAX_RENEWALS), inner(length(chars, min = 1, max = 200)))]
    #[schemars(length(min = 1, max = MAX_RENEWALS))]
    pub keys: Vec<String>,
}

/// Customers are named, each once, or a filter lists them: one of the two.
fn named_or_filtered<T>(
    filter: &Option<Map<String, Value>>,
) -> impl FnOnce(&Vec<RenewalRequest>, &T) -> garde::Result {
    let filtered = filter.is_some();
    move |customers, _| match (filtered, customers.is_empty()) {
        (true, false) => Err(fault(Code::UnknownField, &[])),
        (false, true) => Err(fault(Code::TooFew, &[("min", &1)])),
        _ => unique_usernames(customers),
    }
}

fn unique_usernames(customers: &[RenewalRequest]) -> garde::Result {
    let mut seen = HashSet::new();
    if customers.iter().all(|one| seen.insert(one.username.to_ascii_lowercase())) {
        return Ok(());
    }
    Err(fault(Code::Duplicate, &[]))
}

/// A customer with the requested renewal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Renewal {
    /// State of the customer.
    pub target: UserSummary,
    /// Whether the performer manages the customer.
    pub manages: bool,
    pub months: i64,
}

/// Quotes renewals in this order: each is paid from the stock left by those before. A refused one costs
/// nothing.
pub fn quote_renewals(
    performer: UserSummary,
    renewals: &[Renewal],
    now: DateTime<Utc>,
) -> Vec<Result<Quote, Refusal>> {
    let mut performer = performer;
    let quoted = renewals.iter().map(|renewal| {
        let Renewal { target, manages, months } = renewal;
        let quoted = quote(OperationType::AddCredits, *months, &performer, target, *manages, now);
        if let Ok(quote) = &quoted {
            performer.stock = quote.transfer.payer_stock.unwrap_or(performer.stock);
        }
        quoted
    });
    quoted.collect()
}

#[cfg(test)]
mod tests {
    use domain_kernel::{DraftReader, RoleCode, Violations};
    use serde_json::json;

    use super::*;
    use crate::{Holding, Warning};

    fn now() -> DateTime<Utc> {
        "2026-11-20T10:00:00Z".parse().unwrap()
    }

    fn user(role: RoleCode, expiration: Option<&str>, stock: i64) -> UserSummary {
        let expiration = expiration.map(|date| format!("{date}T10:00:00Z").parse().unwrap());
        UserSummary { role, active: true, app: Holding { balance: 1, expiration }, started: true, stock }
    }

    fn customer(expiration: &str, months: i64) -> Renewal {
        Renewal { target: user(RoleCode::App, Some(expiration), 0), manages: true, months }
    }

    #[test]
    fn each_renewal_pays_from_the_stock_left_by_the_previous_ones() {
        let agent = user(RoleCode::Agent, None, 5);
        let renewals = [
            customer("2026-11-21", 2),
            customer("2026-11-22", 4),
            Renewal { manages: false, ..customer("2026-11-22", 1) },
            customer("2026-09-01", 1),
            customer("2026-11-30", 2),
            customer("2026-11-30", 1),
        ];
        let quoted: Vec<_> = quote_renewals(agent, &renewals, now())
            .into_iter()
            .map(|one| one.map(|quote| (quote.payer_before, quote.transfer.payer_stock)))
            .collect();
        assert_eq!(
            quoted,
            [
                Ok((Some(5), Some(3))),
                Err(Refusal::InsufficientSaleCredits(3)),
                Err(Refusal::Forbidden),
                Ok((Some(3), Some(2))),
                Ok((Some(2), Some(0))),
                Err(Refusal::InsufficientSaleCredits(0)),
            ]
        );
        let warnings = quote_renewals(agent, &renewals[3..4], now()).remove(0).unwrap().warnings;
        assert_eq!(warnings, [Warning::StillExpired, Warning::LowStock]);
    }

    #[test]
    fn admins_pay_nothing() {
        let quoted = quote_renewals(user(RoleCode::Admin, None, 0), &[customer("2026-11-30", 3)], now());
        let quote = quoted[0].clone().unwrap();
        assert_eq!((quote.payer_before, quote.transfer.payer_stock), (None, None));
        assert_eq!(quote.transfer.target.expiration, Some("2027-02-28T10:00:00Z".parse().unwrap()));
    }

    #[test]
    fn requests_have_bounds_and_name_each_customer_once() {
        let one = |username: &str, months: Value| json!({"username": username, "months": months});
        let many = |count: usize| (0..count).map(|n| one(&format!("user_{n}"), json!(1))).collect::<Vec<_>>();
        for (customers, expected) in [
            (json!([one("ana_1", json!(1)), one("eva_1", json!(1200))]), vec![]),
            (json!(many(100)), vec![]),
            (json!([]), vec![("customers", Code::TooFew)]),
            (json!(many(101)), vec![("customers", Code::TooMany)]),
            (json!([one("ana_1", json!(1)), one("ANA_1", json!(2))]), vec![("customers", Code::Duplicate)]),
            (json!([one("ana_1", json!(0))]), vec![("customers[0].months", Code::TooSmall)]),
            (json!([one("ana_1", json!(1201))]), vec![("customers[0].months", Code::TooLarge)]),
            (json!([one("ana_1", json!(1.5))]), vec![("customers[0].months", Code::WrongType)]),
            (json!([one("", json!(1))]), vec![("customers[0].username", Code::Required)]),
        ] {
            let read = DraftReader::<RenewalQuoteRequest>::new().read(json!({"customers": customers}), &());
            let broken: Vec<_> = match read {
                Ok(_) => Vec::new(),
                Err(Violations(all)) => all.into_iter().map(|one| (one.field, one.code)).collect(),
            };
            let expected: Vec<_> =
                expected.into_iter().map(|(field, code)| (field.to_owned(), code)).collect();
            assert_eq!(broken, expected);
        }
    }

    #[test]
    fn customers_are_named_or_listed_by_a_filter() {
        let named = json!([{"username": "ana_1", "months": 1}]);
        let window = json!({"window": "TODAY"});
        for (request, expected) in [
            (json!({"filter": window}), vec![]),
            (json!({"filter": window, "months": 3, "expectedCount": 7}), vec![]),
            (json!({"filter": window, "customers": named}), vec![("customers", Code::UnknownField)]),
            (json!({}), vec![("customers", Code::TooFew)]),
            (json!({"filter": window, "months": 0}), vec![("months", Code::TooSmall)]),
            (json!({"filter": window, "months": 1201}), vec![("months", Code::TooLarge)]),
            (json!({"filter": "TODAY"}), vec![("filter", Code::WrongType)]),
        ] {
            let read = DraftReader::<RenewalQuoteRequest>::new().read(request.clone(), &());
            let broken: Vec<_> = match read {
                Ok(_) => Vec::new(),
                Err(Violations(all)) => all.into_iter().map(|one| (one.field, one.code)).collect(),
            };
            let expected: Vec<_> =
                expected.into_iter().map(|(field, code)| (field.to_owned(), code)).collect();
            assert_eq!(broken, expected, "{request}");
        }
    }
}
