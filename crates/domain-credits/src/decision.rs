//! Who may move which credits to whom, and what that moves on both sides. The ledger asks under its lock; the preview
//! asks the same.

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{RoleCode, enumeration};

use crate::{CreditFault, Holding, OperationType, apply};

/// An agent's stock is low below this (docs/spec/credits.md#quote).
const LOW_STOCK: i64 = 12;

/// How long an agent reverses its own sale by itself (docs/spec/credits.md#mistaken-sales).
pub(crate) const MISTAKEN_FOR: TimeDelta = TimeDelta::minutes(60);

/// One side of an operation, as it is at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Party {
    /// In which role.
    pub role: RoleCode,
    /// Whether they may use the service.
    pub active: bool,
    /// App credits and the expiration they lead to.
    pub app: Holding,
    /// Whether the subscription has started. An app user whom an agent registered starts with the first sale.
    pub started: bool,
    /// Stock for sale.
    pub stock: i64,
}

impl Party {
    fn holding(&self, operation: OperationType) -> Holding {
        if operation.is_for_sale() { Holding { balance: self.stock, expiration: None } } else { self.app }
    }
}

/// Why an operation is not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The performer is no longer active: their session is over.
    #[error("the performer is not active")]
    NotActive,
    /// The performer may not do this, or not to this one.
    #[error("the performer may not")]
    Forbidden,
    /// The operation is for users of another role.
    #[error("the operation is for {0:?}")]
    WrongRole(RoleCode),
    /// The amount is not within 1 and this.
    #[error("the amount must be 1 to {0}")]
    Amount(i64),
    /// The target has fewer credits than are to be deducted.
    #[error("the target has {0}")]
    InsufficientCredits(i64),
    /// The stock does not cover it.
    #[error("the stock is {0}")]
    InsufficientSaleCredits(i64),
    /// The expiration or a balance would leave what can be counted.
    #[error("out of reach")]
    OutOfReach,
    /// The operation was reversed already.
    #[error("reversed already")]
    AlreadyReversed,
    /// A reversal cannot be reversed.
    #[error("a reversal stands")]
    IsReversal,
    /// The sale is too old for the agent to reverse it.
    #[error("the sale is too old")]
    ReversalTooLate,
    /// The customer's balance or expiration moved since the sale.
    #[error("the customer's account moved since")]
    MovedSince,
    /// The reversal was requested already, and nobody has decided.
    #[error("requested already")]
    AlreadyRequested,
    /// The request was decided already.
    #[error("decided already")]
    AlreadyDecided,
}

/// What an operation moves. What the payer loses the target gains, or the other way round; without a payer the issuer
/// mints or burns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// What is added to the target's account; negative for a deduction.
    pub change: i64,
    /// The target after.
    pub target: Holding,
    /// The payer's stock after, where an agent pays or is paid.
    pub payer_stock: Option<i64>,
    /// What it adds to the payer's sales; negative where stock is deducted from a sub-agent.
    pub sold: i64,
    /// Whether the target's subscription has started after it.
    pub started: bool,
}

impl Transfer {
    /// Whether the operation starts the target's subscription.
    pub fn starts(&self, target: &Party) -> bool {
        self.started && !target.started
    }
}

/// Decides an operation. `manages` says whether the performer manages the target (rank; never oneself); whether they
/// see them at all is checked before. See docs/spec/credits.md#operations: admins mint and burn; agents
/// pay from their stock, take stock back into it, and never deduct app credits.
pub fn decide(
    operation: OperationType,
    amount: i64,
    performer: &Party,
    target: &Party,
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
    // An agent never deducts app credits, so what it deducts is stock that it had handed to a sub-agent.
    let sold = if pays { change } else { 0 };
    let started = target.started || operation == OperationType::AddCredits;
    Ok(Transfer { change, target: after, payer_stock, sold, started })
}

fn refused(operation: OperationType, fault: CreditFault, holding: Holding) -> Refusal {
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
fn paid(stock: i64, change: i64) -> Result<i64, Refusal> {
    let after = stock.checked_add(change).ok_or(Refusal::OutOfReach)?;
    if after < 0 { Err(Refusal::InsufficientSaleCredits(stock)) } else { Ok(after) }
}

/// An operation to be reversed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reversed {
    /// What it was.
    pub operation: OperationType,
    /// How much.
    pub amount: i64,
    /// The target's expiration before it.
    pub expiration_before: Option<DateTime<Utc>>,
    /// The target's expiration after it.
    pub expiration_after: Option<DateTime<Utc>>,
    /// Whether it moved an expiration: app credits do, unless they were imported.
    pub moved_expiration: bool,
    /// Whether it started the target's subscription.
    pub started_subscription: bool,
    /// What it added to the payer's sales.
    pub sold: i64,
    /// Whether it takes back another one itself.
    pub is_reversal: bool,
    /// Whether it was reversed.
    pub is_reversed: bool,
    /// Whether it was imported.
    pub imported: bool,
    /// When it was done.
    pub at: DateTime<Utc>,
    /// Whether the performer did it and paid for it.
    pub is_own: bool,
    /// Whether it is the last movement of the target's balance.
    pub is_last: bool,
}

impl Reversed {
    /// Whether it is a sale of the performer: app credits that came out of its own stock.
    fn is_own_sale(&self) -> bool {
        self.is_own && self.operation == OperationType::AddCredits && !self.imported
    }
}

/// Whether an agent reverses its own sale by itself: soon, and before anything else moved the customer's balance or
/// expiration.
fn mistaken(original: &Reversed, target: &Party, now: DateTime<Utc>) -> Result<(), Refusal> {
    if now - original.at > MISTAKEN_FOR {
        return Err(Refusal::ReversalTooLate);
    }
    if !original.is_last || target.app.expiration != original.expiration_after {
        return Err(Refusal::MovedSince);
    }
    Ok(())
}

/// Whether an agent asks for the reversal of its own sale, however old it is and whatever moved since.
pub fn requestable(original: &Reversed, performer: &Party, manages: bool) -> Result<(), Refusal> {
    if !performer.active {
        return Err(Refusal::NotActive);
    }
    if performer.role != RoleCode::Agent || !manages || !original.is_own_sale() {
        return Err(Refusal::Forbidden);
    }
    if original.is_reversal {
        return Err(Refusal::IsReversal);
    }
    if original.is_reversed { Err(Refusal::AlreadyReversed) } else { Ok(()) }
}

/// Decides a reversal: everything goes back to where it came from. The expiration becomes what it was if nothing has
/// moved it since; otherwise it moves back by the same months, because what came later stands. Admins reverse any
/// operation, an agent its own sale where it is [`mistaken`].
pub fn take_back(
    original: &Reversed,
    performer: &Party,
    target: &Party,
    payer: Option<&Party>,
    manages: bool,
    now: DateTime<Utc>,
) -> Result<Transfer, Refusal> {
    if !performer.active {
        return Err(Refusal::NotActive);
    }
    let is_admin = performer.role.passes_every_check();
    let may =
        is_admin || (performer.role == RoleCode::Agent && (original.is_own_sale() || original.is_reversal));
    if !may || !manages {
        return Err(Refusal::Forbidden);
    }
    if original.is_reversal {
        return Err(Refusal::IsReversal);
    }
    if original.is_reversed {
        return Err(Refusal::AlreadyReversed);
    }
    if !is_admin {
        mistaken(original, target, now)?;
    }
    let inverse = original.operation.inverse();
    let before = target.holding(inverse);
    let mut after =
        apply(inverse, original.amount, before, now).map_err(|fault| refused(inverse, fault, before))?;
    let mut started = target.started;
    if original.moved_expiration && before.expiration == original.expiration_after {
        after.expiration = original.expiration_before;
        // Without its first sale a subscription has not started: no expiration must not mean "never expires".
        started = started && !original.started_subscription;
    } else if before.expiration.is_none() {
        // It was set to never since, and never it stays.
        after.expiration = None;
    }
    let change = if inverse.deducts() { -original.amount } else { original.amount };
    let payer_stock = payer.map(|payer| paid(payer.stock, -change)).transpose()?;
    Ok(Transfer { change, target: after, payer_stock, sold: -original.sold, started })
}

enumeration! {
    /// What somebody should know before they go on.
    pub enum Warning {
        StillExpired = "STILL_EXPIRED" ("La suscripción seguirá vencida.", "The subscription will still be expired."),
        NotActive = "TARGET_NOT_ACTIVE" ("La cuenta no está activa: los créditos no la activan.", "The account is not active: credits do not activate it."),
        LowStock = "LOW_STOCK" ("Te quedarán menos de 12 créditos para venta.", "You will have fewer than 12 credits for sale left."),
    }
}

/// What an operation would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// The target before.
    pub before: Holding,
    /// What would move.
    pub transfer: Transfer,
    /// Whether it starts the target's subscription.
    pub starts_subscription: bool,
    /// The payer's stock before, where an agent pays.
    pub payer_before: Option<i64>,
    /// What to know first.
    pub warnings: Vec<Warning>,
}

/// The preview: the same decision as the ledger's, with warnings.
pub fn quote(
    operation: OperationType,
    amount: i64,
    performer: &Party,
    target: &Party,
    manages: bool,
    now: DateTime<Utc>,
) -> Result<Quote, Refusal> {
    let transfer = decide(operation, amount, performer, target, manages, now)?;
    let mut warnings = Vec::new();
    if !operation.is_for_sale() && transfer.target.expiration.is_some_and(|date| date < now) {
        warnings.push(Warning::StillExpired);
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
mod tests {
    use domain_kernel::Enumeration;

    use super::*;
    use OperationType::{AddCredits, AddCreditsForSale, DeductCredits, DeductCreditsForSale};

    fn now() -> DateTime<Utc> {
        "2026-11-20T10:00:00Z".parse().unwrap()
    }

    fn party(role: RoleCode, credits: i64, stock: i64) -> Party {
        Party {
            role,
            active: true,
            app: Holding { balance: credits, expiration: None },
            started: true,
            stock,
        }
    }

    #[test]
    fn each_role_may_what_the_specification_says_and_the_payer_is_charged() {
        let admin = party(RoleCode::Admin, 0, 0);
        let agent = party(RoleCode::Agent, 0, 20);
        let (app, child) = (party(RoleCode::App, 10, 0), party(RoleCode::Agent, 0, 10));
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
            (AddCredits, party(RoleCode::ContentManager, 0, 99), app, Err(Refusal::Forbidden), 0),
            (AddCredits, party(RoleCode::App, 9, 99), app, Err(Refusal::Forbidden), 0),
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
                // What one side gains the other loses.
                let paid = transfer.payer_stock.map_or(-transfer.change, |stock| stock - performer.stock);
                assert_eq!(paid, -transfer.change);
            }
            assert_eq!(decide(operation, 5, &performer, &target, false, now()), Err(Refusal::Forbidden));
            let gone = Party { active: false, ..performer };
            assert_eq!(decide(operation, 5, &gone, &target, true, now()), Err(Refusal::NotActive));
        }
    }

    #[test]
    fn nobody_gives_or_takes_more_than_there_is() {
        let agent = party(RoleCode::Agent, 0, 4);
        let admin = party(RoleCode::Superadmin, 0, 0);
        for (operation, performer, target, refusal) in [
            (AddCredits, agent, party(RoleCode::App, 0, 0), Refusal::InsufficientSaleCredits(4)),
            (AddCreditsForSale, agent, party(RoleCode::Agent, 0, 0), Refusal::InsufficientSaleCredits(4)),
            (DeductCreditsForSale, agent, party(RoleCode::Agent, 0, 3), Refusal::InsufficientSaleCredits(3)),
            (DeductCredits, admin, party(RoleCode::App, 2, 0), Refusal::InsufficientCredits(2)),
            (AddCreditsForSale, admin, party(RoleCode::Agent, 0, i64::MAX), Refusal::OutOfReach),
        ] {
            assert_eq!(decide(operation, 5, &performer, &target, true, now()), Err(refusal), "{operation:?}");
        }
    }

    #[test]
    fn the_preview_warns_of_what_stays_wrong() {
        let agent = party(RoleCode::Agent, 0, 14);
        let late = Holding { balance: 0, expiration: Some("2026-01-31T10:00:00Z".parse().unwrap()) };
        let target = Party { app: late, active: false, ..party(RoleCode::App, 0, 0) };
        let short = quote(AddCredits, 3, &agent, &target, true, now()).unwrap();
        assert_eq!(short.warnings, [Warning::StillExpired, Warning::NotActive, Warning::LowStock]);
        assert_eq!((short.payer_before, short.transfer.payer_stock), (Some(14), Some(11)));
        let enough = quote(
            AddCredits,
            12,
            &party(RoleCode::Admin, 0, 0),
            &Party { active: true, ..target },
            true,
            now(),
        );
        assert_eq!(enough.unwrap().warnings, []);
    }

    fn original(
        operation: OperationType,
        amount: i64,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Reversed {
        let date = |text: &str| text.parse().unwrap();
        Reversed {
            operation,
            amount,
            expiration_before: before.map(date),
            expiration_after: after.map(date),
            moved_expiration: !operation.is_for_sale(),
            started_subscription: false,
            sold: 0,
            is_reversal: false,
            is_reversed: false,
            imported: false,
            at: now(),
            is_own: false,
            is_last: true,
        }
    }

    #[test]
    fn an_agent_reverses_its_own_sale_within_the_hour_while_nothing_moved_since() {
        let after = "2027-02-20T10:00:00Z";
        let sale = Reversed { sold: 3, is_own: true, ..original(AddCredits, 3, None, Some(after)) };
        let target = Party {
            app: Holding { balance: 3, expiration: Some(after.parse().unwrap()) },
            ..party(RoleCode::App, 0, 0)
        };
        let agent = party(RoleCode::Agent, 0, 1);
        let reverse = |original: &Reversed, performer: &Party, target: &Party, minutes: i64, manages| {
            let at = now() + TimeDelta::minutes(minutes);
            take_back(original, performer, target, Some(&agent), manages, at).map(|back| back.payer_stock)
        };
        let edited = Holding { expiration: Some("2027-02-21T10:00:00Z".parse().unwrap()), ..target.app };
        let edited = Party { app: edited, ..target };
        for (changed, target, minutes, expected) in [
            (sale, target, 0, Ok(Some(4))),
            (sale, target, 60, Ok(Some(4))),
            (sale, target, 61, Err(Refusal::ReversalTooLate)),
            // The movement may be later than the clock, which was set back.
            (sale, target, -5, Ok(Some(4))),
            (Reversed { is_last: false, ..sale }, target, 1, Err(Refusal::MovedSince)),
            (sale, edited, 1, Err(Refusal::MovedSince)),
            (Reversed { is_own: false, ..sale }, target, 1, Err(Refusal::Forbidden)),
            (Reversed { imported: true, ..sale }, target, 1, Err(Refusal::Forbidden)),
            (Reversed { is_reversed: true, ..sale }, target, 1, Err(Refusal::AlreadyReversed)),
            (Reversed { is_reversal: true, is_own: false, ..sale }, target, 1, Err(Refusal::IsReversal)),
            // Stock that went to an agent is deducted again, as ever.
            (Reversed { operation: AddCreditsForSale, ..sale }, target, 1, Err(Refusal::Forbidden)),
            (Reversed { operation: DeductCreditsForSale, ..sale }, target, 1, Err(Refusal::Forbidden)),
        ] {
            assert_eq!(reverse(&changed, &agent, &target, minutes, true), expected, "{changed:?} {minutes}");
            assert_eq!(reverse(&changed, &agent, &target, minutes, false), Err(Refusal::Forbidden));
            for role in [RoleCode::App, RoleCode::ContentManager] {
                assert_eq!(
                    reverse(&changed, &party(role, 0, 9), &target, minutes, true),
                    Err(Refusal::Forbidden)
                );
            }
        }
        // Later the agent asks for it.
        for (changed, expected) in [
            (Reversed { is_last: false, ..sale }, Ok(())),
            (Reversed { is_own: false, ..sale }, Err(Refusal::Forbidden)),
            (Reversed { operation: AddCreditsForSale, ..sale }, Err(Refusal::Forbidden)),
            (Reversed { is_reversed: true, ..sale }, Err(Refusal::AlreadyReversed)),
        ] {
            assert_eq!(requestable(&changed, &agent, true), expected);
            assert_eq!(requestable(&changed, &agent, false), Err(Refusal::Forbidden));
            assert_eq!(requestable(&changed, &party(RoleCode::Admin, 0, 0), true), Err(Refusal::Forbidden));
            assert_eq!(
                requestable(&changed, &Party { active: false, ..agent }, true),
                Err(Refusal::NotActive)
            );
        }
        // Admins need neither the hour nor the stillness.
        let admin = party(RoleCode::Admin, 0, 0);
        let old = Reversed { is_own: false, is_last: false, ..sale };
        assert_eq!(reverse(&old, &admin, &target, 9999, true), Ok(Some(4)));
    }

    #[test]
    fn a_reversal_gives_everything_back_once() {
        let admin = party(RoleCode::Admin, 0, 0);
        let (before, after) = (None, Some("2027-02-20T10:00:00Z"));
        let sale = Reversed { sold: 3, ..original(AddCredits, 3, before, after) };
        let target = Party {
            app: Holding { balance: 3, expiration: after.map(|date| date.parse().unwrap()) },
            ..party(RoleCode::App, 0, 0)
        };
        let seller = party(RoleCode::Agent, 0, 1);
        let back = take_back(&sale, &admin, &target, Some(&seller), true, now()).unwrap();
        assert_eq!((back.change, back.payer_stock, back.sold), (-3, Some(4), -3));
        assert_eq!(back.target, Holding { balance: 0, expiration: None });
        for (changed, refusal) in [
            (Reversed { is_reversed: true, ..sale }, Refusal::AlreadyReversed),
            (Reversed { is_reversal: true, ..sale }, Refusal::IsReversal),
            (Reversed { amount: 4, ..sale }, Refusal::InsufficientCredits(3)),
        ] {
            assert_eq!(take_back(&changed, &admin, &target, Some(&seller), true, now()), Err(refusal));
        }
        for role in [RoleCode::Agent, RoleCode::ContentManager, RoleCode::App] {
            assert_eq!(
                take_back(&sale, &party(role, 0, 9), &target, None, true, now()),
                Err(Refusal::Forbidden)
            );
        }
    }

    #[test]
    fn the_first_sale_starts_a_subscription_and_its_reversal_ends_it() {
        let admin = party(RoleCode::Admin, 0, 0);
        let new = Party { started: false, ..party(RoleCode::App, 0, 0) };
        let sale = decide(AddCredits, 1, &party(RoleCode::Agent, 0, 5), &new, true, now()).unwrap();
        assert!(sale.started && sale.starts(&new));
        assert_eq!(sale.target.expiration, Some("2026-12-20T10:00:00Z".parse().unwrap()));
        let after = Party { started: true, app: sale.target, ..new };
        let next = decide(AddCredits, 1, &admin, &after, true, now()).unwrap();
        assert!(next.started && !next.starts(&after));

        let first = Reversed {
            started_subscription: true,
            ..original(AddCredits, 1, None, Some("2026-12-20T10:00:00Z"))
        };
        let back = take_back(&first, &admin, &after, None, true, now()).unwrap();
        assert_eq!((back.target.expiration, back.started), (None, false));
        // Of somebody who never expires, the reversal leaves just that.
        let granted = Reversed { started_subscription: false, ..first };
        let back = take_back(&granted, &admin, &after, None, true, now()).unwrap();
        assert_eq!((back.target.expiration, back.started), (None, true));
        // A later edit stands.
        let edited = Holding { expiration: Some("2027-06-30T10:00:00Z".parse().unwrap()), ..after.app };
        let back = take_back(&first, &admin, &Party { app: edited, ..after }, None, true, now()).unwrap();
        assert!(back.started && back.target.expiration.is_some());
    }

    #[test]
    fn a_reversal_leaves_what_came_later_standing() {
        let admin = party(RoleCode::Admin, 0, 0);
        let add = original(AddCredits, 1, Some("2027-01-31T10:00:00Z"), Some("2027-02-28T10:00:00Z"));
        let later = |date: Option<&str>| Party {
            app: Holding { balance: 5, expiration: date.map(|date| date.parse().unwrap()) },
            ..party(RoleCode::App, 0, 0)
        };
        let after =
            |target: &Party| take_back(&add, &admin, target, None, true, now()).unwrap().target.expiration;
        assert_eq!(
            after(&later(Some("2027-02-28T10:00:00Z"))),
            Some("2027-01-31T10:00:00Z".parse().unwrap())
        );
        assert_eq!(
            after(&later(Some("2027-05-28T10:00:00Z"))),
            Some("2027-04-28T10:00:00Z".parse().unwrap())
        );
        assert_eq!(after(&later(None)), None, "an admin has set it to never since");
        let deduct = original(DeductCredits, 1, Some("2027-03-31T10:00:00Z"), Some("2027-02-28T10:00:00Z"));
        let back =
            take_back(&deduct, &admin, &later(Some("2027-02-28T10:00:00Z")), None, true, now()).unwrap();
        assert_eq!(
            back.target,
            Holding { balance: 6, expiration: Some("2027-03-31T10:00:00Z".parse().unwrap()) }
        );
    }

    #[test]
    fn stock_goes_back_to_whoever_handed_it_over() {
        let admin = party(RoleCode::Admin, 0, 0);
        let handed = Reversed { sold: 10, ..original(AddCreditsForSale, 10, None, None) };
        let (child, parent) = (party(RoleCode::Agent, 0, 10), party(RoleCode::Agent, 0, 2));
        let back = take_back(&handed, &admin, &child, Some(&parent), true, now()).unwrap();
        assert_eq!((back.target.balance, back.payer_stock, back.sold), (0, Some(12), -10));
        let sold_on = party(RoleCode::Agent, 0, 9);
        assert_eq!(
            take_back(&handed, &admin, &sold_on, Some(&parent), true, now()),
            Err(Refusal::InsufficientSaleCredits(9))
        );
        let returned = original(DeductCreditsForSale, 10, None, None);
        assert_eq!(
            take_back(&returned, &admin, &child, Some(&parent), true, now()),
            Err(Refusal::InsufficientSaleCredits(2))
        );
        assert_eq!(OperationType::ALL.iter().filter(|one| one.inverse().inverse() == **one).count(), 4);
    }
}
