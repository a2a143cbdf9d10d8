//! Changes of a slice and verdicts of its rows.

use std::collections::{HashMap, HashSet};

use domain_kernel::{Code, FieldDiff, Id, Violation, restore};
use domain_operations::{BulkChange, ItemKey, OperationRow, STREAMS, Verdict};
use serde_json::{Map, Value};

/// The change of a slice's items.
pub(super) enum SliceChange<'a> {
    Make(&'a BulkChange),
    /// Restores the values that another operation changed.
    Undo(&'a HashMap<ItemKey, FieldDiff>),
    /// The same for an import, which also added items.
    UndoImport(&'a ImportUndo),
    Delete,
    /// Restores the items from the trash.
    Restore,
}

/// Data to undo an import, or to undo its undo.
pub(super) struct ImportUndo {
    pub(super) diffs: HashMap<ItemKey, FieldDiff>,
    /// Items added by the import.
    pub(super) added: HashSet<Id>,
    /// Whether those are restored from the trash; otherwise they move there.
    pub(super) restores: bool,
}

impl ImportUndo {
    /// Whether the import added this item.
    pub(super) fn has_added(&self, item: &ItemKey) -> bool {
        item.number().is_some_and(|id| self.added.contains(&id))
    }
}

/// The row of an item before it was read.
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
    /// Whether it changes streams of channels.
    pub(super) fn concerns_streams(&self) -> bool {
        let has_streams = |diff: &FieldDiff| diff.before.contains_key(STREAMS);
        match self {
            Self::Make(change) => change.concerns_streams(),
            Self::Undo(diffs) => diffs.values().any(has_streams),
            Self::UndoImport(undo) => undo.diffs.values().any(has_streams),
            Self::Delete | Self::Restore => false,
        }
    }

    /// An item after the change. Values that an undo can't restore are problems of its row.
    pub(super) fn made_of(&self, before: &Map<String, Value>, row: &mut OperationRow) -> Map<String, Value> {
        let mut wanted = before.clone();
        match self {
            Self::Make(change) => change.apply(&row.item, &mut wanted),
            // They do not change the content.
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
