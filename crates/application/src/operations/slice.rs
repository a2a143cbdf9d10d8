//! What a slice does to its items, and what its rows say of each.

use std::collections::{HashMap, HashSet};

use domain_kernel::{Code, FieldDiff, Id, Violation, restore};
use domain_operations::{BulkChange, ItemKey, OperationRow, Verdict};
use serde_json::{Map, Value};

/// What a slice does to its items.
pub(super) enum SliceChange<'a> {
    /// The change of a bulk operation.
    Make(&'a BulkChange),
    /// Gives each item back what another operation changed of it.
    Undo(&'a HashMap<ItemKey, FieldDiff>),
    /// The same for an import, which added items too.
    UndoImport(&'a ImportUndo),
    /// Moves the items to the trash.
    Delete,
    /// Takes the items out of the trash.
    Restore,
}

/// What is undone of an import, or of its undoing.
pub(super) struct ImportUndo {
    pub(super) diffs: HashMap<ItemKey, FieldDiff>,
    /// The items that the import added.
    pub(super) added: HashSet<Id>,
    /// Whether those come back from the trash; else they move there.
    pub(super) restores: bool,
}

impl ImportUndo {
    /// Whether the import added this item.
    pub(super) fn has_added(&self, item: &ItemKey) -> bool {
        item.number().is_some_and(|id| self.added.contains(&id))
    }
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
        sheet_row: None,
    }
}

impl SliceChange<'_> {
    /// An item after the change; what an undo leaves as it is becomes a problem of its row.
    pub(super) fn made_of(&self, before: &Map<String, Value>, row: &mut OperationRow) -> Map<String, Value> {
        let mut wanted = before.clone();
        match self {
            Self::Make(change) => change.apply(&row.item, &mut wanted),
            // They change no content.
            Self::Delete | Self::Restore | Self::UndoImport(_) => {}
            Self::Undo(diffs) => {
                let changed_since = diffs.get(&row.item).map(|diff| restore(diff, &mut wanted));
                let problem = |field| Violation::new(field, Code::ChangedSince);
                row.problems = changed_since.unwrap_or_default().into_iter().map(problem).collect();
            }
        }
        wanted
    }
}
