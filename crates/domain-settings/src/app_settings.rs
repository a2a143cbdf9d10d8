//! The settings of the streaming app: one set of values with defaults
//! (docs/spec/settings.md#general-settings).

use chrono::{DateTime, Utc};
use domain_kernel::{Code, Version, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The highest price.
const HIGHEST_PRICE: f64 = 1_000_000.0;

/// Periods for which credits can be sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
pub struct AllowedPeriods {
    /// Monthly.
    #[garde(skip)]
    pub months: bool,
    /// Yearly.
    #[garde(skip)]
    pub years: bool,
}

/// The settings of the streaming app. A replacement needs all of them, so that an omitted price does not
/// become 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct AppSettings {
    /// Page size of the app's lists: 1 to 1000. Default 50.
    #[garde(range(min = 1, max = 1000))]
    pub items_per_page: i32,
    /// Price of a month: 0 to 1,000,000, with two decimals. Default 0.
    #[garde(range(min = 0.0, max = HIGHEST_PRICE), custom(two_decimals))]
    #[schemars(extend("x-decimals" = 2))]
    pub monthly_credits_price: f64,
    /// Price of a year: 0 to 1,000,000, with two decimals. Default 0.
    #[garde(range(min = 0.0, max = HIGHEST_PRICE), custom(two_decimals))]
    #[schemars(extend("x-decimals" = 2))]
    pub annual_credits_price: f64,
    /// Periods for which credits can be sold. Default: monthly.
    #[garde(dive)]
    pub allowed_periods: AllowedPeriods,
    /// Maximum number of transactions of an agent: 1 to 100,000. Default 12.
    #[garde(range(min = 1, max = 100_000))]
    pub max_transactions_per_agent: i32,
}

impl Default for AppSettings {
    fn default() -> Self {
        Self {
            items_per_page: 50,
            monthly_credits_price: 0.0,
            annual_credits_price: 0.0,
            allowed_periods: AllowedPeriods { months: true, years: false },
            max_transactions_per_agent: 12,
        }
    }
}

impl AppSettings {
    /// A price as stored: in cents, exactly.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "prices are checked: at most a hundred million cents"
    )]
    pub fn cents(price: f64) -> i64 {
        (price * 100.0).round() as i64
    }

    /// Price of an amount in cents: the closest number, which has the same two decimals.
    #[expect(clippy::cast_precision_loss, reason = "at most a hundred million cents")]
    pub fn price(cents: i64) -> f64 {
        cents as f64 / 100.0
    }
}

/// The settings with the fields managed by the server.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoredAppSettings {
    /// Settings.
    #[serde(flatten)]
    pub settings: AppSettings,
    /// Number of changes, from 1; carried by the `ETag`.
    pub version: Version,
    /// Time of the last change.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub updated_date: DateTime<Utc>,
}

/// At most two decimals; `x-decimals` in the schema.
fn two_decimals<T>(price: &f64, _: &T) -> garde::Result {
    let fits = (price * 100.0 - (price * 100.0).round()).abs() < 1e-6;
    if fits { Ok(()) } else { Err(fault(Code::TooPrecise, &[("decimals", &2)])) }
}

#[cfg(test)]
mod tests {
    use domain_kernel::{DraftReader, Violations};
    use serde_json::{Value, json};

    use super::*;

    fn codes(pointer: &str, value: Value) -> Vec<(String, &'static str)> {
        let mut json = serde_json::to_value(AppSettings::default()).unwrap();
        *json.pointer_mut(pointer).unwrap() = value;
        match DraftReader::<AppSettings>::new().read(json, &()) {
            Ok(_) => Vec::new(),
            Err(Violations(found)) => found.into_iter().map(|one| (one.field, one.code.as_str())).collect(),
        }
    }

    #[test]
    fn each_setting_has_its_bounds_on_both_sides() {
        for (pointer, value) in [
            ("/itemsPerPage", json!(1)),
            ("/itemsPerPage", json!(1000)),
            ("/monthlyCreditsPrice", json!(0)),
            ("/monthlyCreditsPrice", json!(9.99)),
            ("/annualCreditsPrice", json!(1_000_000)),
            ("/annualCreditsPrice", json!(999_999.99)),
            ("/annualCreditsPrice", json!(0.1)),
            ("/allowedPeriods/years", json!(true)),
            ("/maxTransactionsPerAgent", json!(100_000)),
        ] {
            assert_eq!(codes(pointer, value.clone()), [], "{pointer} {value}");
        }
        for (pointer, value, field, code) in [
            ("/itemsPerPage", json!(0), "itemsPerPage", "TOO_SMALL"),
            ("/itemsPerPage", json!(1001), "itemsPerPage", "TOO_LARGE"),
            ("/itemsPerPage", json!(2.5), "itemsPerPage", "WRONG_TYPE"),
            ("/itemsPerPage", json!(null), "itemsPerPage", "REQUIRED"),
            ("/monthlyCreditsPrice", json!(-0.01), "monthlyCreditsPrice", "TOO_SMALL"),
            ("/monthlyCreditsPrice", json!(9.999), "monthlyCreditsPrice", "TOO_PRECISE"),
            ("/monthlyCreditsPrice", json!("9.99"), "monthlyCreditsPrice", "WRONG_TYPE"),
            ("/annualCreditsPrice", json!(1_000_000.01), "annualCreditsPrice", "TOO_LARGE"),
            ("/annualCreditsPrice", json!(null), "annualCreditsPrice", "REQUIRED"),
            ("/allowedPeriods/months", json!("yes"), "allowedPeriods.months", "WRONG_TYPE"),
            ("/allowedPeriods", json!({"months": true}), "allowedPeriods.years", "REQUIRED"),
            ("/maxTransactionsPerAgent", json!(0), "maxTransactionsPerAgent", "TOO_SMALL"),
            ("/maxTransactionsPerAgent", json!(100_001), "maxTransactionsPerAgent", "TOO_LARGE"),
        ] {
            assert_eq!(codes(pointer, value.clone()), [(field.to_owned(), code)], "{pointer} {value}");
        }
    }

    #[test]
    fn every_price_is_kept_to_the_cent() {
        for cents in
            (0..=100_000_000).step_by(997).chain([1, 10, 29, 57, 99, 999, 1001, 99_999_999, 100_000_000])
        {
            let price = AppSettings::price(cents);
            assert_eq!(AppSettings::cents(price), cents);
            assert!(two_decimals(&price, &()).is_ok(), "{price}");
            let (whole, rest) = (cents / 100, cents % 100);
            let typed: f64 = format!("{whole}.{rest:02}").parse().unwrap();
            assert_eq!(AppSettings::cents(typed), cents);
            assert_eq!(typed.to_string(), price.to_string(), "it is answered as it was typed");
        }
    }
}
