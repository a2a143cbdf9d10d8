//! The expiration as a function of the ledger (invariant 6 of docs/ledger.md#what-always-holds): a fold over
//! the movements of one user's app credits and the manual edits between them, in order. Adding months does
//! not commute (31 January + 1 + 1 is 28 March, + 2 is 31 March), so the order is part of the rule; the drift
//! is accepted and not anchored to the first day.

use chrono::{DateTime, Utc};

use crate::{CreditFault, Holding, OperationType, operation::apply_any};

/// A step that may change an expiration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Credits were added or deducted.
    Operation {
        /// Whether credits were deducted.
        deducts: bool,
        amount: i64,
        at: DateTime<Utc>,
    },
    /// An earlier operation was reversed, which had changed the expiration from `before` to `after`.
    Reversal {
        /// Whether the reversal deducts.
        deducts: bool,
        amount: i64,
        at: DateTime<Utc>,
        /// Whether the credits return to a user whose subscription had not started, so that it starts again.
        starts: bool,
        /// Whether the expiration returns to the one before the reversed operation, where it was not changed
        /// since: not for an imported operation, nor for a first sale where credits of later ones are left.
        moved: bool,
        /// Expiration before the reversed operation.
        before: Option<DateTime<Utc>>,
        /// Expiration after the reversed operation.
        after: Option<DateTime<Utc>>,
    },
    /// Older history was imported: balances only.
    Imported,
    /// The expiration was set manually.
    Edit(Option<DateTime<Utc>>),
}

/// Expected expirations of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayedStep {
    pub before: Option<DateTime<Utc>>,
    pub after: Option<DateTime<Utc>>,
}

/// Expirations of the steps, one by one; `None` for a step that exceeds the calendar.
pub fn replay(steps: impl IntoIterator<Item = Step>) -> Vec<Option<ReplayedStep>> {
    let mut current = None;
    let mut seen = Vec::new();
    for step in steps {
        let before = current;
        let after = match step {
            Step::Imported => Ok(before),
            Step::Edit(date) => Ok(date),
            Step::Operation { deducts, amount, at } => moved(deducts, amount, before, at),
            Step::Reversal { deducts, amount, at, starts: true, .. } => moved(deducts, amount, before, at),
            Step::Reversal { moved: true, before: found, after, .. } if before == after => Ok(found),
            Step::Reversal { .. } if before.is_none() => Ok(None),
            Step::Reversal { deducts, amount, .. } => moved(deducts, amount, before, DateTime::UNIX_EPOCH),
        };
        seen.push(after.map(|after| ReplayedStep { before, after }).ok());
        current = after.unwrap_or(before);
    }
    seen
}

/// Expiration after an operation, regardless of the balance.
fn moved(
    deducts: bool,
    amount: i64,
    expiration: Option<DateTime<Utc>>,
    at: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>, CreditFault> {
    let operation = if deducts { OperationType::DeductCredits } else { OperationType::AddCredits };
    let plenty = Holding { balance: i64::from(u32::MAX), expiration };
    apply_any(operation, amount, plenty, at).map(|after| after.expiration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_steps_is_part_of_the_rule() {
        let at: DateTime<Utc> = "2027-01-31T10:00:00Z".parse().unwrap();
        let add = |amount| Step::Operation { deducts: false, amount, at };
        let last = |steps: Vec<Step>| {
            replay(steps).pop().unwrap().unwrap().after.map(|date| date.date_naive().to_string())
        };
        assert_eq!(last(vec![Step::Edit(Some(at)), add(1), add(1)]).as_deref(), Some("2027-03-28"));
        assert_eq!(last(vec![Step::Edit(Some(at)), add(2)]).as_deref(), Some("2027-03-31"));
        assert_eq!(last(vec![add(1), Step::Imported]).as_deref(), Some("2027-02-28"));
        assert_eq!(last(vec![add(1), Step::Edit(None)]), None);
    }
}
