//! Rules of credit operations: permission, and the transfer on both sides. Used by the ledger under its lock
//! and by the preview.

use chrono::{DateTime, Utc};
use domain_kernel::{RoleCode, enumeration};

use crate::{CreditFault, Holding, OperationType, apply};

/// An agent's stock is low below this (docs/spec/credits.md#quote).
const LOW_STOCK: i64 = 12;

/// State of one side of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserSummary {
    pub role: RoleCode,
    /// Whether the account is active.
    pub active: bool,
    /// App credits with their expiration.
    pub app: Holding,
    /// Whether the subscription has started. An app user whom an agent registered starts with the first sale.
    pub started: bool,
    /// Stock for sale.
    pub stock: i64,
}

impl UserSummary {
    pub(crate) fn holding(&self, operation: OperationType) -> Holding {
        if operation.is_for_sale() { Holding { balance: self.stock, expiration: None } } else { self.app }
    }
}

/// Reason for rejecting an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The performer is no longer active.
    #[error("the performer is not active")]
    NotActive,
    /// The performer lacks the permission, for any target or for this one.
    #[error("the performer lacks the permission")]
    Forbidden,
    /// The operation is for users of another role.
    #[error("the operation is for {0:?}")]
    WrongRole(RoleCode),
    /// The amount is not within 1 and this.
    #[error("the amount must be 1 to {0}")]
    Amount(i64),
    /// The target has fewer credits than are to be deducted.
    #[error("the target has {0} credits only")]
    InsufficientCredits(i64),
    /// The stock has fewer credits than the operation needs.
    #[error("the stock has {0} credits only")]
    InsufficientSaleCredits(i64),
    /// The expiration or a balance would exceed its range.
    #[error("the expiration or a balance would be out of range")]
    OutOfReach,
    /// The operation was reversed before.
    #[error("the operation is reversed already")]
    AlreadyReversed,
    /// A reversal cannot be reversed.
    #[error("a reversal can't be reversed")]
    IsReversal,
    /// The sale is too old for the agent to reverse it.
    #[error("the sale is too old")]
    ReversalTooLate,
    /// The customer's balance or expiration changed since the sale.
    #[error("the customer's account has changed since")]
    MovedSince,
    /// The target's subscription ends at another time than was confirmed: now at this one.
    #[error("the current expiration is {0:?}")]
    ExpirationChanged(Option<DateTime<Utc>>),
    /// A request for the reversal is pending.
    #[error("the reversal is requested already")]
    AlreadyRequested,
    /// The request was decided before.
    #[error("the request is decided already")]
    AlreadyDecided,
}

/// Transfer of an operation. The payer's balance changes by the opposite of the target's; without a payer
/// the issuer mints or burns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// Signed change of the target's account.
    pub change: i64,
    /// Holding of the target after the operation.
    pub target: Holding,
    /// Stock of the payer after the operation, where an agent pays or is paid.
    pub payer_stock: Option<i64>,
    /// Change of the payer's sales; negative where stock is deducted from a sub-agent.
    pub sold: i64,
    /// Whether the target's subscription has started after the operation.
    pub started: bool,
}

impl Transfer {
    /// Whether the operation starts the target's subscription.
    pub fn starts(&self, target: &UserSummary) -> bool {
        self.started && !target.started
    }
}

/// Decides an operation. `manages` is whether the performer manages the target (by rank; never
/// themselves); visibility is checked before. See docs/spec/credits.md#operations: admins mint and burn;
/// agents pay from their stock, take stock back into it, and never deduct app credits.
pub fn decide(
    operation: OperationType,
    amount: i64,
    performer: &UserSummary,
    target: &UserSummary,
    manages: bool,
    now: DateTime<Utc>,
) -> Result<Transfer, Refusal> {
    if !performer.active {
        return Err(Refusal::NotActive);
    }
    let pays = performer.role == RoleCode::Agent;
    let may = performer.role.passes_every_check() || (pays && operation != OperationType::DeductCredits);
    if !may || !manages {
        return Err(Refusal::Forbidden);
    }
    if target.role != operation.target_role() {
        return Err(Refusal::WrongRole(operation.target_role()));
    }
    let before = target.holding(operation);
    let after = apply(operation, amount, before, now).map_err(|fault| refused(operation, fault, before))?;
    let change = if operation.deducts() { -amount } else { amount };
    let payer_stock = if pays { Some(paid(performer.stock, -change)?) } else { None };
    // An agent never deducts app credits, so a deduction is stock transferred to a sub-agent before.
    let sold = if pays { change } else { 0 };
    let started = target.started || operation == OperationType::AddCredits;
    Ok(Transfer { change, target: after, payer_stock, sold, started })
}

pub(crate) fn refused(operation: OperationType, fault: CreditFault, holding: Holding) -> Refusal {
    match fault {
        CreditFault::Amount(largest) => Refusal::Amount(largest),
        CreditFault::Insufficient if !operation.deducts() => Refusal::OutOfReach,
        CreditFault::Insufficient if operation.is_for_sale() => {
            Refusal::InsufficientSaleCredits(holding.balance)
        }
        CreditFault::Insufficient => Refusal::InsufficientCredits(holding.balance),
        CreditFault::OutOfCalendar => Refusal::OutOfReach,
    }
}

/// A stock after `change`.
pub(crate) fn paid(stock: i64, change: i64) -> Result<i64, Refusal> {
    let after = stock.checked_add(change).ok_or(Refusal::OutOfReach)?;
    if after < 0 { Err(Refusal::InsufficientSaleCredits(stock)) } else { Ok(after) }
}

enumeration! {
    /// Warning in the quote of an operation.
    pub enum Warning {
        StillExpired = "STILL_EXPIRED" ("La suscripción seguirá vencida.", "The subscription will still be expired."),
        ExpiresNow = "EXPIRES_NOW" ("La suscripción quedará vencida.", "The subscription will be expired."),
        NotActive = "TARGET_NOT_ACTIVE" ("La cuenta no está activa: los créditos no la activan.", "The account is not active: credits do not activate it."),
        GetsEndDate = "GETS_END_DATE" (
            "Esta suscripción no vence. Después vencerá en la fecha que se muestra.",
            "This subscription never expires. Afterwards it ends on the date that is shown."
        ),
        LowStock = "LOW_STOCK" ("Te quedarán menos de 12 créditos para venta.", "You will have fewer than 12 credits for sale left."),
    }
}

/// Quote of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// Holding of the target before.
    pub before: Holding,
    pub transfer: Transfer,
    /// Whether the operation starts the target's subscription.
    pub starts_subscription: bool,
    /// Stock of the payer before, where an agent pays.
    pub payer_before: Option<i64>,
    pub warnings: Vec<Warning>,
}

/// Quotes an operation: the decision of the ledger, with warnings.
pub fn quote(
    operation: OperationType,
    amount: i64,
    performer: &UserSummary,
    target: &UserSummary,
    manages: bool,
    now: DateTime<Utc>,
) -> Result<Quote, Refusal> {
    let transfer = decide(operation, amount, performer, target, manages, now)?;
    let mut warnings = Vec::new();
    if !operation.is_for_sale() {
        let is_past = |expiration: Option<DateTime<Utc>>| expiration.is_some_and(|date| date < now);
        if is_past(transfer.target.expiration) {
            let was_expired = is_past(target.app.expiration);
            warnings.push(if was_expired { Warning::StillExpired } else { Warning::ExpiresNow });
        } else if target.started && target.app.expiration.is_none() {
            warnings.push(Warning::GetsEndDate);
        }
    }
    if !target.active {
        warnings.push(Warning::NotActive);
    }
    if !operation.deducts() && transfer.payer_stock.is_some_and(|stock| stock < LOW_STOCK) {
        warnings.push(Warning::LowStock);
    }
    let payer_before = transfer.payer_stock.map(|_| performer.stock);
    let starts_subscription = transfer.starts(target);
    Ok(Quote { before: target.holding(operation), transfer, starts_subscription, payer_before, warnings })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use OperationType::{AddCredits, AddCreditsForSale, DeductCredits, DeductCreditsForSale};

    pub(crate) fn now() -> DateTime<Utc> {
        "2026-11-20T10:00:00Z".parse().unwrap()
    }

    pub(crate) fn user(role: RoleCode, credits: i64, stock: i64) -> UserSummary {
        UserSummary {
            role,
            active: true,
            app: Holding { balance: credits, expiration: None },
            started: true,
            stock,
        }
    }

    #[test]
    fn each_role_may_what_the_specification_says_and_the_payer_is_charged() {
        let admin = user(RoleCode::Admin, 0, 0);
        let agent = user(RoleCode::Agent, 0, 20);
        let (app, child) = (user(RoleCode::App, 10, 0), user(RoleCode::Agent, 0, 10));
        for (operation, performer, target, payer_stock, sold) in [
            (AddCredits, admin, app, Ok(None), 0),
            (DeductCredits, admin, app, Ok(None), 0),
            (AddCreditsForSale, admin, child, Ok(None), 0),
            (DeductCreditsForSale, admin, child, Ok(None), 0),
            (AddCredits, agent, app, Ok(Some(15)), 5),
            (AddCreditsForSale, agent, child, Ok(Some(15)), 5),
            (DeductCreditsForSale, agent, child, Ok(Some(25)), -5),
            (DeductCredits, agent, app, Err(Refusal::Forbidden), 0),
            (AddCredits, admin, child, Err(Refusal::WrongRole(RoleCode::App)), 0),
            (AddCreditsForSale, admin, app, Err(Refusal::WrongRole(RoleCode::Agent)), 0),
            (AddCredits, user(RoleCode::ContentManager, 0, 99), app, Err(Refusal::Forbidden), 0),
            (AddCredits, user(RoleCode::App, 9, 99), app, Err(Refusal::Forbidden), 0),
        ] {
            let outcome = decide(operation, 5, &performer, &target, true, now());
            assert_eq!(
                outcome.map(|transfer| transfer.payer_stock),
                payer_stock,
                "{operation:?} {:?}",
                performer.role
            );
            if let Ok(transfer) = outcome {
                assert_eq!((transfer.sold, transfer.change.abs()), (sold, 5));
                // The payer loses what the target gains.
                let paid = transfer.payer_stock.map_or(-transfer.change, |stock| stock - performer.stock);
                assert_eq!(paid, -transfer.change);
            }
            assert_eq!(decide(operation, 5, &performer, &target, false, now()), Err(Refusal::Forbidden));
            let gone = UserSummary { active: false, ..performer };
            assert_eq!(decide(operation, 5, &gone, &target, true, now()), Err(Refusal::NotActive));
        }
    }

    #[test]
    fn amounts_over_the_balance_are_refused() {
        let agent = user(RoleCode::Agent, 0, 4);
        let admin = user(RoleCode::Superadmin, 0, 0);
        for (operation, performer, target, refusal) in [
            (AddCredits, agent, user(RoleCode::App, 0, 0), Refusal::InsufficientSaleCredits(4)),
            (AddCreditsForSale, agent, user(RoleCode::Agent, 0, 0), Refusal::InsufficientSaleCredits(4)),
            (DeductCreditsForSale, agent, user(RoleCode::Agent, 0, 3), Refusal::InsufficientSaleCredits(3)),
            (DeductCredits, admin, user(RoleCode::App, 2, 0), Refusal::InsufficientCredits(2)),
            (AddCreditsForSale, admin, user(RoleCode::Agent, 0, i64::MAX), Refusal::OutOfReach),
        ] {
            assert_eq!(decide(operation, 5, &performer, &target, true, now()), Err(refusal), "{operation:?}");
        }
    }

    #[test]
    fn the_preview_warns_of_remaining_problems() {
        let agent = user(RoleCode::Agent, 0, 14);
        let late = Holding { balance: 0, expiration: Some("2026-01-31T10:00:00Z".parse().unwrap()) };
        let target = UserSummary { app: late, active: false, ..user(RoleCode::App, 0, 0) };
        let short = quote(AddCredits, 3, &agent, &target, true, now()).unwrap();
        assert_eq!(short.warnings, [Warning::StillExpired, Warning::NotActive, Warning::LowStock]);
        assert_eq!((short.payer_before, short.transfer.payer_stock), (Some(14), Some(11)));
        let enough = quote(
            AddCredits,
            12,
            &user(RoleCode::Admin, 0, 0),
            &UserSummary { active: true, ..target },
            true,
            now(),
        );
        assert_eq!(enough.unwrap().warnings, []);
    }

    #[test]
    fn the_preview_warns_of_an_end_that_a_subscription_did_not_have() {
        let admin = user(RoleCode::Admin, 0, 0);
        let warnings = |operation, target: &UserSummary| {
            quote(operation, 1, &admin, target, true, now()).unwrap().warnings
        };
        let endless = user(RoleCode::App, 5, 0);
        assert_eq!(warnings(AddCredits, &endless), [Warning::GetsEndDate]);
        assert_eq!(warnings(DeductCredits, &endless), [Warning::ExpiresNow], "it ends, and is over");
        let ending = |date: &str| UserSummary {
            app: Holding { balance: 5, expiration: Some(date.parse().unwrap()) },
            ..endless
        };
        for (expiration, warning) in
            [("2026-11-30T10:00:00Z", Warning::ExpiresNow), ("2026-01-31T10:00:00Z", Warning::StillExpired)]
        {
            assert_eq!(warnings(DeductCredits, &ending(expiration)), [warning], "{expiration}");
        }
        assert_eq!(warnings(DeductCredits, &ending("2027-06-30T10:00:00Z")), []);
        assert_eq!(
            warnings(AddCredits, &UserSummary { started: false, ..endless }),
            [],
            "its first month begins"
        );
        assert_eq!(warnings(AddCreditsForSale, &user(RoleCode::Agent, 0, 5)), []);
    }
}
