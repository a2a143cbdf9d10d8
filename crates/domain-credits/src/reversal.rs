//! Rules of reversals: permission, and the transfer on both sides.

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::RoleCode;

use crate::{
    OperationType, Refusal, Transfer, UserSummary,
    decision::{paid, refused},
    operation::apply_any,
};

/// Time in which an agent can reverse its own sale (docs/spec/credits.md#mistaken-sales).
pub(crate) const MISTAKEN_FOR: TimeDelta = TimeDelta::minutes(60);

/// An operation to reverse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reversed {
    /// Type of the operation.
    pub operation: OperationType,
    pub amount: i64,
    /// Expiration of the target before the operation.
    pub expiration_before: Option<DateTime<Utc>>,
    /// Expiration of the target after the operation.
    pub expiration_after: Option<DateTime<Utc>>,
    /// Whether it changed an expiration: app credits do, unless they were imported.
    pub moved_expiration: bool,
    pub started_subscription: bool,
    /// Change of the payer's sales.
    pub sold: i64,
    /// Whether it is a reversal itself.
    pub is_reversal: bool,
    pub is_reversed: bool,
    pub imported: bool,
    pub at: DateTime<Utc>,
    /// Whether the performer did it and paid for it.
    pub is_own: bool,
    /// Whether it is the last movement of the target's balance.
    pub is_last: bool,
}

impl Reversed {
    /// Whether it is a sale of the performer: app credits paid from its own stock.
    fn is_own_sale(&self) -> bool {
        self.is_own && self.operation == OperationType::AddCredits && !self.imported
    }
}

/// Whether an agent can reverse its own sale: within [`MISTAKEN_FOR`], and before another change of the
/// customer's balance or expiration.
fn mistaken(original: &Reversed, target: &UserSummary, now: DateTime<Utc>) -> Result<(), Refusal> {
    if now - original.at > MISTAKEN_FOR {
        return Err(Refusal::ReversalTooLate);
    }
    if !original.is_last || target.app.expiration != original.expiration_after {
        return Err(Refusal::MovedSince);
    }
    Ok(())
}

/// Whether an agent can request the reversal of its own sale, regardless of its age and of later changes.
pub fn requestable(original: &Reversed, performer: &UserSummary, manages: bool) -> Result<(), Refusal> {
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

/// Decides a reversal of both sides. The expiration is restored if it was not changed since; otherwise it
/// moves back by the same number of months, because later changes are kept. So it does where the first sale
/// is reversed and credits of later ones are left. Credits that return to a user whose subscription has not
/// started start it now, because credits imply a subscription. Admins can reverse any operation, an agent its
/// own sale where it is [`mistaken`].
pub fn reverse(
    original: &Reversed,
    performer: &UserSummary,
    target: &UserSummary,
    payer: Option<&UserSummary>,
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
        apply_any(inverse, original.amount, before, now).map_err(|fault| refused(inverse, fault, before))?;
    let mut started = target.started;
    let is_unmoved = original.moved_expiration && before.expiration == original.expiration_after;
    if !inverse.is_for_sale() && !target.started && after.balance > 0 {
        started = true;
    } else if is_unmoved && original.started_subscription && after.balance <= 0 {
        after.expiration = original.expiration_before;
        // Without its first sale a subscription has not started: no expiration must not mean "never expires".
        started = false;
    } else if is_unmoved && !original.started_subscription {
        after.expiration = original.expiration_before;
    } else if before.expiration.is_none() {
        // It was set to never expire since, which is kept.
        after.expiration = None;
    }
    let change = if inverse.deducts() { -original.amount } else { original.amount };
    let payer_stock = payer.map(|payer| paid(payer.stock, -change)).transpose()?;
    Ok(Transfer { change, target: after, payer_stock, sold: -original.sold, started })
}

#[cfg(test)]
mod tests {
    use domain_kernel::Enumeration;

    use super::*;
    use crate::{
        Holding, decide,
        decision::tests::{now, user},
    };
    use OperationType::{AddCredits, AddCreditsForSale, DeductCredits, DeductCreditsForSale};

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
        let target = UserSummary {
            app: Holding { balance: 3, expiration: Some(after.parse().unwrap()) },
            ..user(RoleCode::App, 0, 0)
        };
        let agent = user(RoleCode::Agent, 0, 1);
        let reverse =
            |original: &Reversed, performer: &UserSummary, target: &UserSummary, minutes: i64, manages| {
                let at = now() + TimeDelta::minutes(minutes);
                super::reverse(original, performer, target, Some(&agent), manages, at)
                    .map(|back| back.payer_stock)
            };
        let edited = Holding { expiration: Some("2027-02-21T10:00:00Z".parse().unwrap()), ..target.app };
        let edited = UserSummary { app: edited, ..target };
        for (changed, target, minutes, expected) in [
            (sale, target, 0, Ok(Some(4))),
            (sale, target, 60, Ok(Some(4))),
            (sale, target, 61, Err(Refusal::ReversalTooLate)),
            // The movement is later than the clock, which was set back.
            (sale, target, -5, Ok(Some(4))),
            (Reversed { is_last: false, ..sale }, target, 1, Err(Refusal::MovedSince)),
            (sale, edited, 1, Err(Refusal::MovedSince)),
            (Reversed { is_own: false, ..sale }, target, 1, Err(Refusal::Forbidden)),
            (Reversed { imported: true, ..sale }, target, 1, Err(Refusal::Forbidden)),
            (Reversed { is_reversed: true, ..sale }, target, 1, Err(Refusal::AlreadyReversed)),
            (Reversed { is_reversal: true, is_own: false, ..sale }, target, 1, Err(Refusal::IsReversal)),
            // Stock returned to an agent is deducted again.
            (Reversed { operation: AddCreditsForSale, ..sale }, target, 1, Err(Refusal::Forbidden)),
            (Reversed { operation: DeductCreditsForSale, ..sale }, target, 1, Err(Refusal::Forbidden)),
        ] {
            assert_eq!(reverse(&changed, &agent, &target, minutes, true), expected, "{changed:?} {minutes}");
            assert_eq!(reverse(&changed, &agent, &target, minutes, false), Err(Refusal::Forbidden));
            for role in [RoleCode::App, RoleCode::ContentManager] {
                assert_eq!(
                    reverse(&changed, &user(role, 0, 9), &target, minutes, true),
                    Err(Refusal::Forbidden)
                );
            }
        }
        // Later the agent requests the reversal.
        for (changed, expected) in [
            (Reversed { is_last: false, ..sale }, Ok(())),
            (Reversed { is_own: false, ..sale }, Err(Refusal::Forbidden)),
            (Reversed { operation: AddCreditsForSale, ..sale }, Err(Refusal::Forbidden)),
            (Reversed { is_reversed: true, ..sale }, Err(Refusal::AlreadyReversed)),
        ] {
            assert_eq!(requestable(&changed, &agent, true), expected);
            assert_eq!(requestable(&changed, &agent, false), Err(Refusal::Forbidden));
            assert_eq!(requestable(&changed, &user(RoleCode::Admin, 0, 0), true), Err(Refusal::Forbidden));
            assert_eq!(
                requestable(&changed, &UserSummary { active: false, ..agent }, true),
                Err(Refusal::NotActive)
            );
        }
        // Admins are limited by neither the time nor later changes.
        let admin = user(RoleCode::Admin, 0, 0);
        let old = Reversed { is_own: false, is_last: false, ..sale };
        assert_eq!(reverse(&old, &admin, &target, 9999, true), Ok(Some(4)));
    }

    #[test]
    fn a_reversal_restores_both_sides_once() {
        let admin = user(RoleCode::Admin, 0, 0);
        let (before, after) = (None, Some("2027-02-20T10:00:00Z"));
        let sale = Reversed { sold: 3, ..original(AddCredits, 3, before, after) };
        let target = UserSummary {
            app: Holding { balance: 3, expiration: after.map(|date| date.parse().unwrap()) },
            ..user(RoleCode::App, 0, 0)
        };
        let seller = user(RoleCode::Agent, 0, 1);
        let back = reverse(&sale, &admin, &target, Some(&seller), true, now()).unwrap();
        assert_eq!((back.change, back.payer_stock, back.sold), (-3, Some(4), -3));
        assert_eq!(back.target, Holding { balance: 0, expiration: None });
        for (changed, refusal) in [
            (Reversed { is_reversed: true, ..sale }, Refusal::AlreadyReversed),
            (Reversed { is_reversal: true, ..sale }, Refusal::IsReversal),
            (Reversed { amount: 4, ..sale }, Refusal::InsufficientCredits(3)),
        ] {
            assert_eq!(reverse(&changed, &admin, &target, Some(&seller), true, now()), Err(refusal));
        }
        for role in [RoleCode::Agent, RoleCode::ContentManager, RoleCode::App] {
            assert_eq!(
                reverse(&sale, &user(role, 0, 9), &target, None, true, now()),
                Err(Refusal::Forbidden)
            );
        }
    }

    #[test]
    fn the_first_sale_starts_a_subscription_and_its_reversal_ends_it() {
        let admin = user(RoleCode::Admin, 0, 0);
        let new = UserSummary { started: false, ..user(RoleCode::App, 0, 0) };
        let sale = decide(AddCredits, 1, &user(RoleCode::Agent, 0, 5), &new, true, now()).unwrap();
        assert!(sale.started && sale.starts(&new));
        assert_eq!(sale.target.expiration, Some("2026-12-20T10:00:00Z".parse().unwrap()));
        let after = UserSummary { started: true, app: sale.target, ..new };
        let next = decide(AddCredits, 1, &admin, &after, true, now()).unwrap();
        assert!(next.started && !next.starts(&after));

        let first = Reversed {
            started_subscription: true,
            ..original(AddCredits, 1, None, Some("2026-12-20T10:00:00Z"))
        };
        let back = reverse(&first, &admin, &after, None, true, now()).unwrap();
        assert_eq!((back.target.expiration, back.started), (None, false));
        // Months of a later sale are kept, regardless of an admin's edit of the expiration.
        let two = UserSummary { app: Holding { balance: 2, ..after.app }, ..after };
        let back = reverse(&first, &admin, &two, None, true, now()).unwrap();
        assert!(back.started && back.target.balance == 1);
        assert_eq!(back.target.expiration, Some("2026-11-20T10:00:00Z".parse().unwrap()));
        // For a user without expiration, it stays without.
        let granted = Reversed { started_subscription: false, ..first };
        let back = reverse(&granted, &admin, &after, None, true, now()).unwrap();
        assert_eq!((back.target.expiration, back.started), (None, true));
        // A later edit is kept.
        let edited = Holding { expiration: Some("2027-06-30T10:00:00Z".parse().unwrap()), ..after.app };
        let back = reverse(&first, &admin, &UserSummary { app: edited, ..after }, None, true, now()).unwrap();
        assert!(back.started && back.target.expiration.is_some());
    }

    #[test]
    fn a_reversal_keeps_the_effect_of_later_changes() {
        let admin = user(RoleCode::Admin, 0, 0);
        let add = original(AddCredits, 1, Some("2027-01-31T10:00:00Z"), Some("2027-02-28T10:00:00Z"));
        let later = |date: Option<&str>| UserSummary {
            app: Holding { balance: 5, expiration: date.map(|date| date.parse().unwrap()) },
            ..user(RoleCode::App, 0, 0)
        };
        let after = |target: &UserSummary| {
            reverse(&add, &admin, target, None, true, now()).unwrap().target.expiration
        };
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
        let back = reverse(&deduct, &admin, &later(Some("2027-02-28T10:00:00Z")), None, true, now()).unwrap();
        assert_eq!(
            back.target,
            Holding { balance: 6, expiration: Some("2027-03-31T10:00:00Z".parse().unwrap()) }
        );
    }

    #[test]
    fn reversed_stock_returns_to_its_payer() {
        let admin = user(RoleCode::Admin, 0, 0);
        let handed = Reversed { sold: 10, ..original(AddCreditsForSale, 10, None, None) };
        let (child, parent) = (user(RoleCode::Agent, 0, 10), user(RoleCode::Agent, 0, 2));
        let back = reverse(&handed, &admin, &child, Some(&parent), true, now()).unwrap();
        assert_eq!((back.target.balance, back.payer_stock, back.sold), (0, Some(12), -10));
        let sold_on = user(RoleCode::Agent, 0, 9);
        assert_eq!(
            reverse(&handed, &admin, &sold_on, Some(&parent), true, now()),
            Err(Refusal::InsufficientSaleCredits(9))
        );
        let returned = original(DeductCreditsForSale, 10, None, None);
        assert_eq!(
            reverse(&returned, &admin, &child, Some(&parent), true, now()),
            Err(Refusal::InsufficientSaleCredits(2))
        );
        assert_eq!(OperationType::ALL.iter().filter(|one| one.inverse().inverse() == **one).count(), 4);
    }
}
