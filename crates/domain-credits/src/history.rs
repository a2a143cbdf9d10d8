//! Imported history: movements are checked as a chain (invariant 2 of docs/ledger.md#what-always-holds) that
//! starts at the account's balance.

use chrono::{DateTime, Utc};

/// The reason of an opening balance. It is stored with the movement as it is, whatever the language of the reader
/// (docs/spec/import-export.md#users-in-spreadsheets); by it, triggers of the database leave these out of what was sold.
pub const OPENING_REASON: &str = "Saldo inicial (importado)";

/// An imported movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PastMovement {
    pub at: DateTime<Utc>,
    /// Signed change, never 0.
    pub change: i64,
    /// Balance before the movement.
    pub before: i64,
}

/// Verdict on an imported movement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Continues the account's balance.
    Booked,
    /// Imported before.
    Known,
    /// Does not continue this balance.
    Broken(i64),
    /// Older than the account's last movement.
    Late,
}

/// State of an account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Account {
    pub balance: i64,
    /// Time of its last movement.
    pub last: Option<DateTime<Utc>>,
    /// Movements imported before.
    pub known: Vec<PastMovement>,
}

/// Verdicts on the imported movements of one account, which are in the order of their dates; movements of the
/// same time are reordered into a chain. Also returns the opening balance for an account without movements.
pub fn continued(account: &Account, movements: &[PastMovement]) -> (Vec<(usize, Verdict)>, i64) {
    let mut verdicts = Vec::with_capacity(movements.len());
    let mut known = account.known.clone();
    let mut rest: Vec<usize> = Vec::with_capacity(movements.len());
    for (index, movement) in movements.iter().enumerate() {
        if let Some(place) = known.iter().position(|one| one == movement) {
            known.swap_remove(place);
            verdicts.push((index, Verdict::Known));
        } else {
            rest.push(index);
        }
    }
    let untouched = account.last.is_none() && account.balance == 0;
    let opening =
        if untouched { rest.first().map_or(0, |first| first_of(movements, &rest, *first)) } else { 0 };
    let (mut balance, mut last) = (account.balance + opening, account.last);
    while !rest.is_empty() {
        let at = movements[rest[0]].at;
        let alike = rest.iter().take_while(|index| movements[**index].at == at).count();
        let place = rest[..alike].iter().position(|index| movements[*index].before == balance).unwrap_or(0);
        let index = rest.remove(place);
        let movement = movements[index];
        let after = movement.before.checked_add(movement.change).filter(|after| *after >= 0);
        let verdict = match after {
            _ if last.is_some_and(|last| movement.at < last) => Verdict::Late,
            Some(after) if movement.before == balance => {
                (balance, last) = (after, Some(movement.at));
                Verdict::Booked
            }
            _ => Verdict::Broken(balance),
        };
        verdicts.push((index, verdict));
    }
    (verdicts, opening)
}

/// Balance before the earliest movement: of several at the same time, the one that no other leads to.
fn first_of(movements: &[PastMovement], rest: &[usize], first: usize) -> i64 {
    let alike: Vec<PastMovement> = rest
        .iter()
        .map(|index| movements[*index])
        .take_while(|movement| movement.at == movements[first].at)
        .collect();
    let led_to = |before: i64| alike.iter().any(|one| one.before + one.change == before);
    let start =
        alike.iter().find(|one| one.before == 0).or_else(|| alike.iter().find(|one| !led_to(one.before)));
    start.unwrap_or(&movements[first]).before.max(0)
}

#[cfg(test)]
mod tests {
    use Verdict::{Booked, Broken, Known, Late};

    use super::*;

    fn past(minute: i64, before: i64, change: i64) -> PastMovement {
        PastMovement { at: DateTime::from_timestamp(minute * 60, 0).unwrap(), before, change }
    }

    fn judged(account: &Account, movements: &[PastMovement]) -> (Vec<Verdict>, i64) {
        let (mut verdicts, opening) = continued(account, movements);
        verdicts.sort_by_key(|(index, _)| *index);
        (verdicts.into_iter().map(|(_, verdict)| verdict).collect(), opening)
    }

    #[test]
    fn a_chain_is_booked_and_its_breaks_are_reported() {
        let nothing = Account::default();
        let chain = [past(1, 0, 3), past(2, 3, -1), past(3, 2, 5)];
        assert_eq!(judged(&nothing, &chain), (vec![Booked, Booked, Booked], 0));
        let gap = [past(1, 0, 3), past(2, 4, 1), past(3, 3, 5)];
        assert_eq!(judged(&nothing, &gap), (vec![Booked, Broken(3), Booked], 0));
        let below = [past(1, 0, 3), past(2, 3, -4)];
        assert_eq!(judged(&nothing, &below), (vec![Booked, Broken(3)], 0));
    }

    #[test]
    fn a_second_run_finds_everything_known() {
        let chain = [past(1, 0, 3), past(2, 3, -1)];
        let after = Account { balance: 2, last: Some(chain[1].at), known: chain.to_vec() };
        assert_eq!(judged(&after, &chain), (vec![Known, Known], 0));
        let longer = [chain[0], chain[1], past(3, 2, 1), past(0, 2, 1)];
        assert_eq!(judged(&after, &longer), (vec![Known, Known, Booked, Late], 0));
    }

    #[test]
    fn movements_of_one_moment_are_put_in_their_order() {
        let moment = [past(1, 3, 2), past(1, 0, 3), past(1, 5, -5)];
        assert_eq!(judged(&Account::default(), &moment), (vec![Booked, Booked, Booked], 0));
    }

    #[test]
    fn history_with_an_initial_balance_opens_the_account_with_it() {
        assert_eq!(judged(&Account::default(), &[past(1, 7, 1), past(2, 8, 1)]), (vec![Booked, Booked], 7));
        let moved = Account { balance: 2, last: Some(past(5, 0, 0).at), known: vec![] };
        assert_eq!(judged(&moved, &[past(6, 7, 1)]), (vec![Broken(2)], 0));
    }
}
