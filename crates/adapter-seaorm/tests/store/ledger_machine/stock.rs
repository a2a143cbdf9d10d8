//! The changes of a user's stock by the model's operations, summed like in statements.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain_credits::{
    OperationType::{AddCredits, AddCreditsForSale, DeductCreditsForSale},
    StatementConcept,
};
use ports::StockSum;

use super::model::Model;

/// The change of one user's stock by an operation.
pub(super) struct StockMove {
    pub(super) at: DateTime<Utc>,
    pub(super) change: i64,
    /// The user with the opposite change.
    pub(super) other: Option<usize>,
    pub(super) concept: StatementConcept,
}

impl Model {
    pub(super) fn stock_moves(&self, user: usize) -> Vec<StockMove> {
        use StatementConcept as Concept;
        let mut all = Vec::new();
        for done in &self.done {
            let of_stock = matches!(done.movement.operation_type, AddCreditsForSale | DeductCreditsForSale);
            let adds = matches!(done.movement.operation_type, AddCredits | AddCreditsForSale);
            let amount = done.movement.amount;
            let mut push = |change: i64, other, concept| {
                let concept = match (done.is_reversal, change > 0) {
                    (false, _) => concept,
                    (true, true) => Concept::ReversedIn,
                    (true, false) => Concept::ReversedOut,
                };
                all.push(StockMove { at: done.movement.operation_date, change, other, concept });
            };
            if of_stock && done.target == user {
                push(
                    if adds { amount } else { -amount },
                    done.payer,
                    match (done.payer, adds) {
                        (None, true) => Concept::ReceivedFromAdmins,
                        (None, false) => Concept::ReturnedToAdmins,
                        (Some(_), true) => Concept::ReceivedFromAgents,
                        (Some(_), false) => Concept::ReturnedToAgents,
                    },
                );
            }
            if done.payer == Some(user) {
                push(
                    if adds { -amount } else { amount },
                    Some(done.target),
                    match (of_stock, adds) {
                        (true, true) => Concept::GivenToAgents,
                        (false, true) => Concept::SoldToCustomers,
                        _ => Concept::TakenBackFromAgents,
                    },
                );
            }
        }
        all
    }
}

pub(super) type Sums = BTreeMap<StatementConcept, (i64, u64)>;

pub(super) fn expected<'a>(moves: impl Iterator<Item = &'a StockMove>) -> Sums {
    let mut all = Sums::new();
    for one in moves {
        let sum = all.entry(one.concept).or_default();
        *sum = (sum.0 + one.change, sum.1 + 1);
    }
    all
}

pub(super) fn summed(sums: &[StockSum]) -> Sums {
    let mut all = Sums::new();
    for one in sums {
        let sum = all.entry(StatementConcept::of(one.of)).or_default();
        *sum = (sum.0 + one.amount, sum.1 + one.movements);
    }
    all
}
