//! What a slice does to its items, and what its rows say of each.

use std::collections::{HashMap, HashSet};

use domain_kernel::{Code, FieldDiff, Id, Version, Violation, restore};
use domain_operations::{BulkChange, ItemKey, OperationRow, Verdict};
use ports::{STREAMS_FIELD, StreamChange, StreamEffect};
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
    /// Of channels, the streams that the import changed.
    pub(super) streams: HashMap<ItemKey, FieldDiff>,
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

/// Takes the streams of channels out of what an import changed: they are no field of the channels, and the store restores them.
pub(super) fn take_streams(diffs: &mut HashMap<ItemKey, FieldDiff>) -> HashMap<ItemKey, FieldDiff> {
    let mut streams = HashMap::new();
    for (item, diff) in diffs {
        let part = |values: &mut Map<String, Value>| -> Map<String, Value> {
            values.remove(STREAMS_FIELD).map(|value| (STREAMS_FIELD.to_owned(), value)).into_iter().collect()
        };
        let of_item = FieldDiff { before: part(&mut diff.before), after: part(&mut diff.after) };
        if of_item != FieldDiff::default() {
            streams.insert(item.clone(), of_item);
        }
    }
    streams
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
    /// What becomes of the streams of a channel that has this version.
    pub(super) fn of_streams(&self, item: &ItemKey, version: Version) -> Option<StreamChange> {
        let Self::UndoImport(undo) = self else { return None };
        let diff = undo.streams.get(item)?;
        let part = |values: &Map<String, Value>| values.get(STREAMS_FIELD).cloned().unwrap_or_default();
        let effect = StreamEffect::Restore { before: part(&diff.before), after: part(&diff.after) };
        Some(StreamChange { version, effect })
    }

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
