//! Operation types, and their effect on a balance and an expiration.

use chrono::{DateTime, Datelike, Months, Utc};
use domain_kernel::{RoleCode, enumeration};

enumeration! {
    /// Type of a credit operation.
    pub enum OperationType {
        AddCredits = "ADD_CREDITS" ("Añadir Créditos de App", "Add app credits"),
        AddCreditsForSale = "ADD_CREDITS_FOR_SALE" ("Agregar Créditos para Venta", "Add credits for sale"),
        DeductCredits = "DEDUCT_CREDITS" ("Deducir Créditos de App", "Deduct app credits"),
        DeductCreditsForSale = "DEDUCT_CREDITS_FOR_SALE" ("Deducir Créditos para Venta", "Deduct credits for sale"),
    }
}

impl OperationType {
    /// Whether it moves stock that agents resell, not months of a subscription.
    pub const fn is_for_sale(self) -> bool {
        matches!(self, Self::AddCreditsForSale | Self::DeductCreditsForSale)
    }

    /// Whether it is a deduction.
    pub const fn deducts(self) -> bool {
        matches!(self, Self::DeductCredits | Self::DeductCreditsForSale)
    }

    /// Role of its targets: app users for app credits, agents for stock.
    pub const fn target_role(self) -> RoleCode {
        if self.is_for_sale() { RoleCode::Agent } else { RoleCode::App }
    }

    /// Inverse operation.
    #[must_use]
    pub const fn inverse(self) -> Self {
        match self {
            Self::AddCredits => Self::DeductCredits,
            Self::AddCreditsForSale => Self::DeductCreditsForSale,
            Self::DeductCredits => Self::AddCredits,
            Self::DeductCreditsForSale => Self::AddCreditsForSale,
        }
    }

    /// Type of a change of `delta` of this kind of balance.
    pub const fn of_change(for_sale: bool, delta: i64) -> Self {
        match (for_sale, delta < 0) {
            (false, false) => Self::AddCredits,
            (false, true) => Self::DeductCredits,
            (true, false) => Self::AddCreditsForSale,
            (true, true) => Self::DeductCreditsForSale,
        }
    }

    /// Maximum amount of one operation: a hundred years of months, a million of stock.
    pub const fn largest_amount(self) -> i64 {
        if self.is_for_sale() { 1_000_000 } else { 1_200 }
    }
}

/// Reason why an operation is impossible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CreditFault {
    /// The amount is not within 1 and the operation's largest.
    #[error("the amount must be 1 to {0}")]
    Amount(i64),
    /// The deduction exceeds the balance.
    #[error("the balance does not cover it")]
    Insufficient,
    /// The expiration would exceed the calendar.
    #[error("the expiration would be out of range")]
    OutOfCalendar,
}

/// Balance of a user, with the expiration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holding {
    /// Number of credits, at least 0.
    pub balance: i64,
    /// Expiration of the subscription; for app credits only.
    pub expiration: Option<DateTime<Utc>>,
}

/// Holding after an operation, for the preview and the ledger: the balance changes by the amount; an app
/// credit moves the expiration by a month from itself, or from now if there is none, all months at once,
/// clamped to the last day of the month.
pub fn apply(
    operation: OperationType,
    amount: i64,
    before: Holding,
    now: DateTime<Utc>,
) -> Result<Holding, CreditFault> {
    let largest = operation.largest_amount();
    if !(1..=largest).contains(&amount) {
        return Err(CreditFault::Amount(largest));
    }
    apply_any(operation, amount, before, now)
}

/// Holding after an imported operation, whose amount is not limited.
pub(crate) fn apply_any(
    operation: OperationType,
    amount: i64,
    before: Holding,
    now: DateTime<Utc>,
) -> Result<Holding, CreditFault> {
    let change = if operation.deducts() { -amount } else { amount };
    let balance = before
        .balance
        .checked_add(change)
        .filter(|balance| *balance >= 0)
        .ok_or(CreditFault::Insufficient)?;
    if operation.is_for_sale() {
        return Ok(Holding { balance, ..before });
    }
    let months = Months::new(u32::try_from(amount).map_err(|_| CreditFault::OutOfCalendar)?);
    let start = before.expiration.unwrap_or(now);
    let expiration =
        if operation.deducts() { start.checked_sub_months(months) } else { start.checked_add_months(months) };
    // Serialized years have four digits.
    let expiration = expiration.filter(|date| (1..=9999).contains(&date.year()));
    Ok(Holding { balance, expiration: Some(expiration.ok_or(CreditFault::OutOfCalendar)?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> DateTime<Utc> {
        format!("{text}T10:00:00Z").parse().unwrap()
    }

    fn with(balance: i64, expiration: Option<&str>) -> Holding {
        Holding { balance, expiration: expiration.map(day) }
    }

    #[test]
    fn a_credit_is_a_month_from_the_expiration_or_from_now() {
        let now = day("2026-11-20");
        for (amount, before, after) in [
            (1, with(0, None), with(1, Some("2026-12-20"))),
            (3, with(2, Some("2026-12-01")), with(5, Some("2027-03-01"))),
            (1, with(0, Some("2027-01-31")), with(1, Some("2027-02-28"))),
            (2, with(0, Some("2027-01-31")), with(2, Some("2027-03-31"))),
            (12, with(0, Some("2024-02-29")), with(12, Some("2025-02-28"))),
        ] {
            assert_eq!(apply(OperationType::AddCredits, amount, before, now), Ok(after));
        }
    }

    #[test]
    fn stock_does_not_change_the_expiration() {
        let now = day("2026-11-20");
        let stock = with(10, None);
        assert_eq!(apply(OperationType::AddCreditsForSale, 5, stock, now), Ok(with(15, None)));
        assert_eq!(apply(OperationType::DeductCreditsForSale, 10, stock, now), Ok(with(0, None)));
        assert_eq!(
            apply(OperationType::DeductCreditsForSale, 11, stock, now),
            Err(CreditFault::Insufficient)
        );
    }

    #[test]
    fn amounts_have_bounds_on_both_sides() {
        let now = day("2026-11-20");
        let add = |amount| apply(OperationType::AddCredits, amount, with(0, None), now);
        assert_eq!(add(0), Err(CreditFault::Amount(1200)));
        assert!(add(1).is_ok() && add(1200).is_ok());
        assert_eq!(add(1201), Err(CreditFault::Amount(1200)));
        let stock = |amount| apply(OperationType::AddCreditsForSale, amount, with(0, None), now);
        assert!(stock(1_000_000).is_ok());
        assert_eq!(stock(1_000_001), Err(CreditFault::Amount(1_000_000)));
        assert_eq!(
            apply(OperationType::AddCreditsForSale, 1, with(i64::MAX, None), now),
            Err(CreditFault::Insufficient)
        );
    }
}
