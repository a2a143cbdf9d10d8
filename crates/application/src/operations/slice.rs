//! Changes of a slice and verdicts of its rows.

use std::collections::{HashMap, HashSet};

use domain_catalogue::TitleId;
use domain_kernel::{Code, FieldDiff, Id, Version, Violation, restore};
use domain_operations::{BulkChange, BulkOperation, ItemKey, OperationRow, STREAMS, Verdict};
use ports::{OperationRepository, StreamChange, StreamEffect};
use serde_json::{Map, Value};

use crate::Error;

/// The change of a slice's items.
pub(super) enum SliceChange<'a> {
    Make(&'a BulkChange, UserEdits<'a>),
    /// Restores the values that another operation changed.
    Undo(&'a HashMap<ItemKey, FieldDiff>),
    /// The same for an import, which also added items.
    UndoImport(&'a ImportUndo),
    Delete,
    /// Restores the items from the trash.
    Restore,
}

/// Edits of users since an operation began, which it does not overwrite (docs/spec/bulk-operations.md#how-it-runs).
pub(super) struct UserEdits<'a> {
    pub(super) operations: &'a dyn OperationRepository,
    pub(super) operation: &'a BulkOperation,
}

impl UserEdits<'_> {
    /// Drops the changes of items of which a user has edited one of the changed fields. The items must have been
    /// read before: a later edit gives an item another version, which the store compares.
    pub(super) async fn keep<'r, C: 'r>(
        &self,
        rows: impl Iterator<Item = (&'r mut OperationRow, &'r mut Option<C>)>,
    ) -> Result<(), Error> {
        if self.operation.dry_run {
            return Ok(());
        }
        let mut changed: Vec<_> = rows.filter(|(_, change)| change.is_some()).collect();
        if changed.is_empty() {
            return Ok(());
        }
        let items: Vec<ItemKey> = changed.iter().map(|(row, _)| row.item.clone()).collect();
        let BulkOperation { id, resource, .. } = *self.operation;
        let edited = self.operations.edited_since_begun(id, resource, &items).await?;
        let edited: HashSet<(ItemKey, String)> = edited.into_iter().collect();
        for (row, change) in &mut changed {
            if row.after.keys().any(|field| edited.contains(&(row.item.clone(), field.clone()))) {
                row.fail(Verdict::Conflict, Vec::new());
                **change = None;
            }
        }
        Ok(())
    }
}

/// Data to undo an import, or to undo its undo.
pub(super) struct ImportUndo {
    pub(super) diffs: HashMap<ItemKey, FieldDiff>,
    /// Of channels, the streams that the import changed.
    pub(super) streams: HashMap<ItemKey, FieldDiff>,
    /// The items that the import added.
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

/// Removes the streams from the recorded changes of channels, and returns them: they are not a field of the
/// channel, and the store restores them.
pub(super) fn take_streams(diffs: &mut HashMap<ItemKey, FieldDiff>) -> HashMap<ItemKey, FieldDiff> {
    let mut streams = HashMap::new();
    for (item, diff) in diffs {
        let part = |values: &mut Map<String, Value>| -> Map<String, Value> {
            values.remove(STREAMS).map(|value| (STREAMS.to_owned(), value)).into_iter().collect()
        };
        let of_item = FieldDiff { before: part(&mut diff.before), after: part(&mut diff.after) };
        if of_item != FieldDiff::default() {
            streams.insert(item.clone(), of_item);
        }
    }
    streams
}

/// The row of an item before it is read.
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

/// The recorded change with IMDb ids in their present form: earlier versions of the server recorded them without
/// leading zeros.
fn with_padded_ids(diff: &FieldDiff) -> FieldDiff {
    let mut diff = diff.clone();
    for fields in [&mut diff.before, &mut diff.after] {
        if let Some(Value::String(id)) = fields.get_mut("imdbId")
            && let Some(padded) = TitleId::parse(id)
        {
            *id = padded.to_string();
        }
    }
    diff
}

impl SliceChange<'_> {
    /// Effect on the streams of a channel with this version.
    pub(super) fn of_streams(&self, item: &ItemKey, version: Version) -> Option<StreamChange> {
        let Self::UndoImport(undo) = self else { return None };
        let diff = undo.streams.get(item)?;
        let part = |values: &Map<String, Value>| values.get(STREAMS).cloned().unwrap_or_default();
        let effect = StreamEffect::Restore { before: part(&diff.before), after: part(&diff.after) };
        Some(StreamChange { version, effect })
    }

    /// Whether it changes streams of channels with their content; the store restores those of an import.
    pub(super) fn concerns_streams(&self) -> bool {
        match self {
            Self::Make(change, _) => change.concerns_streams(),
            Self::Undo(diffs) => diffs.values().any(|diff| diff.before.contains_key(STREAMS)),
            Self::UndoImport(_) | Self::Delete | Self::Restore => false,
        }
    }

    /// An item after the change. Values that an undo can't restore are problems of its row.
    pub(super) fn made_of(&self, before: &Map<String, Value>, row: &mut OperationRow) -> Map<String, Value> {
        let mut wanted = before.clone();
        match self {
            Self::Make(change, _) => change.apply(&row.item, &mut wanted),
            // They do not change the content.
            Self::Delete | Self::Restore | Self::UndoImport(_) => {}
            Self::Undo(diffs) => {
                let changed_since =
                    diffs.get(&row.item).map(|diff| restore(&with_padded_ids(diff), &mut wanted));
                let problem = |field| Violation::new(field, Code::ChangedSince);
                row.problems = changed_since.unwrap_or_default().into_iter().map(problem).collect();
            }
        }
        wanted
    }
}

#[cfg(test)]
mod tests {
    use domain_kernel::difference;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_imdb_id_that_got_its_leading_zeros_since_was_not_changed() {
        let object = |value: Value| value.as_object().cloned().unwrap();
        for (before, after, now, restored, kept) in [
            (json!("tt7"), json!("tt420238"), json!("tt0420238"), json!("tt0000007"), 0),
            (json!(null), json!("tt420238"), json!("tt0420238"), json!(null), 0),
            (json!("tt7"), json!(null), json!(null), json!("tt0000007"), 0),
            (json!(null), json!("tt420238"), json!("tt0420239"), json!("tt0420239"), 1),
        ] {
            let item = ItemKey::Number(1);
            let fields = |id: &Value| object(json!({"imdbId": id, "title": "Una"}));
            let diffs = HashMap::from([(item.clone(), difference(&fields(&before), &fields(&after)))]);
            let mut row = missing(0, &item);
            let wanted = SliceChange::Undo(&diffs).made_of(&fields(&now), &mut row);
            assert_eq!((wanted, row.problems.len()), (fields(&restored), kept), "{before} {after} {now}");
        }
    }
}
