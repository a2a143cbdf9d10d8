//! Ways into the middle of long lists (ADR 0006).
//!
//! A page in the middle of a million rows is half a million index entries away from either end. So a list that is
//! looked at there gets a ladder: the ids of every so many rows, from which the page is a short walk. A ladder holds
//! for as long as nothing of its kind is written: triggers count the writes, and whoever reads a page by a ladder
//! reads that count in the same statement.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use domain_kernel::Id;

/// Entries of an index between two rungs.
const APART: u64 = 512;
/// Rungs of a ladder.
const MOST_RUNGS: u64 = 4_096;
/// Visits without a write in between after which one is made.
const WORTH_IT: u64 = 4;
/// Lists that have one: orders with their filters.
const MOST_LADDERS: usize = 64;

/// The ladders of one kind.
#[derive(Default)]
pub(super) struct Ladders(Mutex<HashMap<String, Ladder>>);

#[derive(Default)]
struct Ladder {
    /// The count of writes it holds for.
    stamp: i64,
    /// How often the middle of the list was asked for since.
    visits: u64,
    /// Rows here and there: how many are before, and the id. In order.
    rungs: Vec<(u64, Id)>,
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

impl Ladders {
    /// How to get to the row at `offset` of a list, as of a count of writes.
    pub(super) fn approach(&self, list: &str, stamp: i64, offset: u64) -> Approach {
        let mut ladders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ladders.len() >= MOST_LADDERS && !ladders.contains_key(list) {
            ladders.clear();
        }
        let ladder = ladders.entry(list.to_owned()).or_default();
        if ladder.stamp != stamp {
            *ladder = Ladder { stamp, ..Ladder::default() };
        }
        ladder.visits += 1;
        let next = ladder.rungs.partition_point(|(rank, _)| *rank <= offset);
        match next.checked_sub(1).map(|last| ladder.rungs[last]) {
            Some((rank, from)) => Approach::Climb { from, skipped: offset - rank },
            // Making one costs what a few walks do; should it come to nothing, some later visit makes it.
            None if ladder.visits % 100 == WORTH_IT => Approach::Build,
            None => Approach::Walk,
        }
    }

    /// Remembers a list's rungs, unless something was written since.
    pub(super) fn keep(&self, list: &str, stamp: i64, rungs: Vec<(u64, Id)>) {
        let mut ladders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ladder) = ladders.get_mut(list).filter(|ladder| ladder.stamp == stamp) {
            ladder.rungs = rungs;
        }
    }
}

/// Rows from one rung to the next where so many of all fit: what is walked in between counts those that don't.
pub(super) fn step(fitting: u64, whole: u64) -> u64 {
    let dense = APART.saturating_mul(fitting) / whole.max(1);
    dense.max(fitting / MOST_RUNGS).max(1)
}

/// Whether walking over so many rows is long enough for a ladder.
pub(super) fn is_far(skipped: u64, fitting: u64, whole: u64) -> bool {
    skipped.saturating_mul(whole) / fitting.max(1) > 2 * APART
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ladder_is_made_after_some_visits_and_falls_with_a_write() {
        let ladders = Ladders::default();
        for visit in 1..WORTH_IT {
            assert_eq!(ladders.approach("by title", 7, 5_000), Approach::Walk, "{visit}");
        }
        assert_eq!(ladders.approach("by title", 7, 5_000), Approach::Build);
        ladders.keep("by title", 6, vec![(0, 1)]);
        assert_eq!(ladders.approach("by title", 7, 5_000), Approach::Walk);
        ladders.keep("by title", 7, vec![(0, 10), (1_000, 20), (2_200, 30)]);
        assert_eq!(ladders.approach("by title", 7, 2_199), Approach::Climb { from: 20, skipped: 1_199 });
        assert_eq!(ladders.approach("by title", 7, 2_200), Approach::Climb { from: 30, skipped: 0 });
        assert_eq!(ladders.approach("by year", 7, 1_999), Approach::Walk);
        assert_eq!(ladders.approach("by title", 8, 1_999), Approach::Walk);
    }

    #[test]
    fn rungs_stand_as_far_apart_as_walking_is_cheap() {
        assert_eq!(step(1_000_000, 1_000_000), 512);
        assert_eq!(step(50_000, 1_000_000), 25);
        assert_eq!(step(3, 1_000_000), 1);
        assert_eq!(step(10_000_000, 10_000_000), 2_441);
        assert!(
            is_far(5_000, 10_000, 10_000) && is_far(100, 1_000, 1_000_000) && !is_far(1_000, 10_000, 10_000)
        );
    }
}
