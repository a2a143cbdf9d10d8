//! What a slice does to its items, and what its rows say of each.

use std::collections::HashMap;

use domain_kernel::{Code, FieldDiff, Violation, restore};
use domain_operations::{BulkChange, ItemKey, OperationRow, Verdict};
use serde_json::{Map, Value};

/// What a slice does to its items.
pub(super) enum SliceChange<'a> {
    /// The change of a bulk operation.
    Make(&'a BulkChange),
    /// Gives each item back what another operation changed of it.
    Undo(&'a HashMap<ItemKey, FieldDiff>),
    /// Moves the items to the trash.
    Delete,
    /// Takes the items out of the trash.
    Restore,
}

/// The row of an item of which nothing is known yet.
pub(super) fn missing(position: i64, item: &ItemKey) -> OperationRow {
    OperationRow {
        position,
        item: item.clone(),
        title: String::new(),
        verdict: Verdict::Missing,
        before: Map::new(),
        after: Map::new(),
        problems: Vec::new(),
    }
}

impl SliceChange<'_> {
    /// An item after the change; what an undo leaves as it is becomes a problem of its row.
    pub(super) fn made_of(&self, before: &Map<String, Value>, row: &mut OperationRow) -> Map<String, Value> {
        let mut wanted = before.clone();
        match self {
            Self::Make(change) => change.apply(&mut wanted),
            // They change no content.
            Self::Delete | Self::Restore => {}
            Self::Undo(diffs) => {
                let changed_since = diffs.get(&row.item).map(|diff| restore(diff, &mut wanted));
                let problem = |field| Violation::new(field, Code::ChangedSince);
                row.problems = changed_since.unwrap_or_default().into_iter().map(problem).collect();
            }
        }
        wanted
    }
}

/// Says of an item that a rule is against its change.
pub(super) fn refuse(row: &mut OperationRow, problems: Vec<Violation>) {
    row.verdict = Verdict::Refused;
    row.problems = problems;
    row.before.clear();
    row.after.clear();
}
