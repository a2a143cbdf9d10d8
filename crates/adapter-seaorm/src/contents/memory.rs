//! What is remembered of lists (ADR 0006): how many rows they have, and ways into their middle.
//!
//! A page in the middle of a million rows is half a million index entries away from either end. So a list that is
//! looked at there gets a ladder: the ids of every so many rows, from which the page is a short walk. All of it holds
//! for as long as nothing of its kind is written: triggers count the writes, and every look at a list answers that
//! count along with the rows. What is remembered saves time and is never needed for a right answer.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain_kernel::Id;

use super::plan::Totals;

/// Entries of an index between two rungs.
const APART: u64 = 512;
/// Rungs of a ladder.
const MOST_RUNGS: u64 = 4_096;
/// Visits without a write in between after which one is made.
const WORTH_IT: u64 = 4;
/// Lists that are remembered: orders with their filters and searches.
const MOST_LISTS: usize = 64;

/// The lists of one kind.
#[derive(Default)]
pub(super) struct Memory(Mutex<Lists>);

#[derive(Default)]
struct Lists {
    by_name: HashMap<String, Remembered>,
    /// Counts uses, so that the list that was longest not looked at can go.
    clock: u64,
}

struct Remembered {
    totals: Totals,
    /// How often the middle was asked for since the totals changed.
    visits: u64,
    /// Rows here and there: how many are before, and the id. In order.
    rungs: Vec<(u64, Id)>,
    used: u64,
}

/// How to get to a row of the middle.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Approach {
    /// From the nearer end.
    Walk,
    /// The same, and a ladder is worth its making.
    Build,
    /// From the row with this id, so many further.
    Climb { from: Id, skipped: u64 },
}

impl Memory {
    fn lists(&self) -> MutexGuard<'_, Lists> {
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lists.clock += 1;
        lists
    }

    /// What was last seen of a list.
    pub(super) fn totals(&self, list: &str) -> Option<Totals> {
        let mut lists = self.lists();
        let used = lists.clock;
        let known = lists.by_name.get_mut(list)?;
        known.used = used;
        Some(known.totals)
    }

    /// Remembers what was seen of a list; where something was written since, all else that was known of it goes.
    pub(super) fn keep(&self, list: &str, totals: Totals) {
        let mut lists = self.lists();
        let used = lists.clock;
        if lists.by_name.get(list).is_some_and(|known| known.totals.stamp == totals.stamp) {
            return;
        }
        if lists.by_name.len() >= MOST_LISTS && !lists.by_name.contains_key(list) {
            let oldest =
                lists.by_name.iter().min_by_key(|(_, known)| known.used).map(|(name, _)| name.clone());
            oldest.map(|name| lists.by_name.remove(&name));
        }
        lists.by_name.insert(list.to_owned(), Remembered { totals, visits: 0, rungs: Vec::new(), used });
    }

    /// How to get to the row at `offset` of a list, as of a count of writes.
    pub(super) fn approach(&self, list: &str, stamp: i64, offset: u64) -> Approach {
        let mut lists = self.lists();
        let known = lists.by_name.get_mut(list).filter(|known| known.totals.stamp == stamp);
        let Some(known) = known else { return Approach::Walk };
        known.visits += 1;
        let next = known.rungs.partition_point(|(rank, _)| *rank <= offset);
        match next.checked_sub(1).map(|last| known.rungs[last]) {
            Some((rank, from)) => Approach::Climb { from, skipped: offset - rank },
            // Making one costs what a few walks do; should it come to nothing, some later visit makes it.
            None if known.visits % 100 == WORTH_IT => Approach::Build,
            None => Approach::Walk,
        }
    }

    /// Remembers a list's rungs, unless something was written since.
    pub(super) fn keep_rungs(&self, list: &str, stamp: i64, rungs: Vec<(u64, Id)>) {
        if let Some(known) = self.lists().by_name.get_mut(list).filter(|known| known.totals.stamp == stamp) {
            known.rungs = rungs;
        }
    }
}

/// Rows from one rung to the next where so many of all fit: what is walked in between counts those that don't.
pub(super) fn step(Totals { fitting, whole, .. }: Totals) -> u64 {
    let dense = APART.saturating_mul(fitting) / whole.max(1);
    dense.max(fitting / MOST_RUNGS).max(1)
}

/// Whether walking over so many rows is long enough for a ladder.
pub(super) fn is_far(skipped: u64, Totals { fitting, whole, .. }: Totals) -> bool {
    skipped.saturating_mul(whole) / fitting.max(1) > 2 * APART
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(fitting: u64, whole: u64, stamp: i64) -> Totals {
        Totals { fitting, whole, stamp }
    }

    #[test]
    fn a_ladder_is_made_after_some_visits_and_falls_with_a_write() {
        let memory = Memory::default();
        assert_eq!(memory.approach("by title", 7, 5_000), Approach::Walk, "a list that nobody has seen");
        memory.keep("by title", totals(9_000, 9_000, 7));
        for visit in 1..WORTH_IT {
            assert_eq!(memory.approach("by title", 7, 5_000), Approach::Walk, "{visit}");
        }
        assert_eq!(memory.approach("by title", 7, 5_000), Approach::Build);
        memory.keep_rungs("by title", 6, vec![(0, 1)]);
        assert_eq!(memory.approach("by title", 7, 5_000), Approach::Walk);
        memory.keep_rungs("by title", 7, vec![(0, 10), (1_000, 20), (2_200, 30)]);
        memory.keep("by title", totals(9_000, 9_000, 7));
        assert_eq!(memory.approach("by title", 7, 2_199), Approach::Climb { from: 20, skipped: 1_199 });
        assert_eq!(memory.approach("by title", 7, 2_200), Approach::Climb { from: 30, skipped: 0 });
        memory.keep("by year", totals(9_000, 9_000, 7));
        assert_eq!(memory.approach("by year", 7, 1_999), Approach::Walk);
        memory.keep("by title", totals(9_001, 9_001, 8));
        assert_eq!(memory.approach("by title", 7, 1_999), Approach::Walk);
        assert_eq!(memory.approach("by title", 8, 1_999), Approach::Walk);
        assert_eq!(memory.totals("by title"), Some(totals(9_001, 9_001, 8)));
    }

    #[test]
    fn of_too_many_lists_the_one_longest_not_looked_at_is_forgotten() {
        let memory = Memory::default();
        for list in 0..MOST_LISTS {
            memory.keep(&list.to_string(), totals(1, 1, 1));
        }
        assert!(memory.totals("0").is_some(), "looked at once more");
        memory.keep("another", totals(1, 1, 1));
        assert!(
            memory.totals("0").is_some()
                && memory.totals("1").is_none()
                && memory.totals("another").is_some()
        );
    }

    #[test]
    fn rungs_stand_as_far_apart_as_walking_is_cheap() {
        assert_eq!(step(totals(1_000_000, 1_000_000, 0)), 512);
        assert_eq!(step(totals(50_000, 1_000_000, 0)), 25);
        assert_eq!(step(totals(3, 1_000_000, 0)), 1);
        assert_eq!(step(totals(10_000_000, 10_000_000, 0)), 2_441);
        assert!(is_far(5_000, totals(10_000, 10_000, 0)) && is_far(100, totals(1_000, 1_000_000, 0)));
        assert!(!is_far(1_000, totals(10_000, 10_000, 0)));
    }
}
