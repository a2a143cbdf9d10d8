//! An operation, its rows and its request.

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Code, Id, Kind, Violation, enumeration, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{BulkChange, ItemKey, Resource};

/// Items of one operation at most: as many as a playlist may have entries.
pub const MAX_ITEMS: usize = 200_000;
/// Items that a request names by their ids at most.
pub const MAX_NAMED_ITEMS: usize = 10_000;
/// Items that one transaction changes where each takes statements of its own (users, and what is deleted or restored), and reports.
pub const SLICE: usize = 100;
/// Items that one transaction changes where they share statements: values of content, and content that is imported.
pub const SHARED_SLICE: usize = 250;
/// Cells that one transaction imports: wide rows take the memory of many.
const CELLS_OF_SLICE: usize = 25_000;
/// Shows that one transaction deletes or restores, each with all of its seasons and episodes.
const SHOWS_SLICE: usize = 5;
/// How long an operation can be undone after it has ended, in hours.
pub const UNDO_HOURS: i64 = 24;

/// How many items of an operation one transaction changes. Other writers wait for as long as it takes.
pub fn items_of_slice(resource: Resource, change: Option<&BulkChange>) -> usize {
    match (resource, change) {
        (Resource::Content(_), Some(change)) if !change.deletes() && !change.restores() => SHARED_SLICE,
        (Resource::Content(Kind::TvShows), Some(_)) => SHOWS_SLICE,
        _ => SLICE,
    }
}

/// How many rows of a file with so many columns one transaction imports.
pub fn rows_of_slice(resource: Resource, columns: usize) -> usize {
    let most = match resource {
        Resource::Content(_) => SHARED_SLICE,
        Resource::Users | Resource::Reports => SLICE,
    };
    most.min(CELLS_OF_SLICE / columns.max(1)).max(1)
}

enumeration! {
    /// How far an operation is.
    pub enum OperationState {
        /// It has not begun.
        Waiting = "WAITING" ("En espera", "Waiting"),
        /// Some of its items are done.
        Running = "RUNNING" ("En curso", "Running"),
        /// All of its items are done.
        Finished = "FINISHED" ("Terminada", "Finished"),
        /// A user stopped it; what was done remains.
        Cancelled = "CANCELLED" ("Cancelada", "Cancelled"),
        /// It could not go on; what was done remains.
        Failed = "FAILED" ("Fallida", "Failed"),
    }
}

impl OperationState {
    /// Whether items are still to be done.
    pub const fn is_unfinished(self) -> bool {
        matches!(self, Self::Waiting | Self::Running)
    }
}

enumeration! {
    /// What became of an item; in a dry run, what would.
    pub enum Verdict {
        /// It was changed.
        Changed = "CHANGED" ("Cambiado", "Changed"),
        /// It was so already.
        Unchanged = "UNCHANGED" ("Ya estaba así", "Already set"),
        /// The change would break a rule.
        Refused = "REFUSED" ("Rechazado", "Refused"),
        /// A user changed it at the same time; their edit stays.
        Conflict = "CONFLICT" ("En conflicto", "In conflict"),
        /// There is no such item.
        Missing = "MISSING" ("No existe", "Missing"),
        /// It was added, by an import.
        Created = "CREATED" ("Añadido", "Added"),
    }
}

enumeration! {
    /// Why an operation could not go on.
    pub enum FailureCode {
        /// Whoever began it may not do so any more.
        Forbidden = "FORBIDDEN" ("Quien la inició ya no tiene permiso", "The user who started it no longer has permission"),
        /// An internal error: the log has it.
        Internal = "INTERNAL" ("Error interno", "Internal error"),
    }
}

/// The request of an operation: of items that are named, or of those that a list shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct OperationRequest {
    /// What is changed: `movies`, `tv-channels`, …, `users`, `issue-reports`.
    #[garde(custom(a_resource))]
    pub resource: String,
    /// The ids of the items; of users, their user names.
    #[garde(inner(length(min = 1, max = MAX_NAMED_ITEMS)))]
    #[schemars(length(min = 1, max = MAX_NAMED_ITEMS))]
    pub ids: Option<Vec<ItemKey>>,
    /// The items that the list shows with these parameters: `search` and the list's filters. For `RESTORE`, those of this
    /// kind that the trash shows, with `search` alone.
    #[garde(custom(exactly_one_of(&self.ids)))]
    pub filter: Option<Map<String, Value>>,
    /// The change.
    #[garde(dive(&()))]
    pub action: BulkChange,
    /// Whether it is only to be shown what would change.
    #[garde(skip)]
    #[serde(default)]
    pub dry_run: bool,
    /// How many items the user has confirmed: with another number nothing is begun.
    #[garde(skip)]
    pub expected_count: Option<i64>,
}

impl OperationRequest {
    /// What is changed.
    pub fn resource(&self) -> Option<Resource> {
        Resource::from_path(&self.resource)
    }

    /// The ids that no item of what is changed can have.
    pub fn faults(&self, resource: Resource) -> Vec<Violation> {
        let expected = if resource == Resource::Users { "string" } else { "integer" };
        let ids = self.ids.iter().flatten().enumerate();
        ids.filter(|(_, item)| !resource.has_ids_like(item))
            .map(|(index, _)| {
                Violation::new(format!("ids[{index}]"), Code::WrongType).with("expected", expected)
            })
            .collect()
    }
}

fn a_resource<T>(path: &str, _: &T) -> garde::Result {
    if Resource::from_path(path).is_some() {
        return Ok(());
    }
    let allowed: Vec<&str> = Resource::all().map(Resource::path).collect();
    Err(fault(Code::UnknownValue, &[("allowed", &allowed.join(", "))]))
}

type Filter = Option<Map<String, Value>>;

/// Items are named, or a filter shows them: one of the two.
pub fn exactly_one_of<I, T>(ids: &Option<Vec<I>>) -> impl FnOnce(&Filter, &T) -> garde::Result {
    let named = ids.is_some();
    move |filter, _| match (named, filter.is_some()) {
        (true, true) => Err(fault(Code::UnknownField, &[])),
        (false, false) => Err(fault(Code::Required, &[])),
        _ => Ok(()),
    }
}

/// How many items became what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Changed; in a dry run, those that would be.
    pub changed: i64,
    /// Already so.
    pub unchanged: i64,
    /// Refused by a rule.
    pub refused: i64,
    /// Changed by somebody else at the same time.
    pub conflicts: i64,
    /// Not there.
    pub missing: i64,
    /// Added by an import; in a dry run, those that would be.
    pub created: i64,
}

impl Counts {
    /// Counts one more item.
    pub fn add(&mut self, verdict: Verdict) {
        *match verdict {
            Verdict::Changed => &mut self.changed,
            Verdict::Unchanged => &mut self.unchanged,
            Verdict::Refused => &mut self.refused,
            Verdict::Conflict => &mut self.conflicts,
            Verdict::Missing => &mut self.missing,
            Verdict::Created => &mut self.created,
        } += 1;
    }

    /// Items that are done.
    pub const fn done(self) -> i64 {
        self.changed + self.unchanged + self.refused + self.conflicts + self.missing + self.created
    }
}

/// The request to import a file that was uploaded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct SheetImportRequest {
    /// For each column of the file, the column of the kind that it is (`GET /{kind}/spreadsheet/columns`); null for one that
    /// is left out.
    #[garde(length(min = 1, max = 1100))]
    pub columns: Vec<Option<String>>,
    /// Values of new items whose row has none.
    #[garde(length(max = 50), dive)]
    #[serde(default)]
    pub defaults: Vec<SheetDefault>,
    /// Whether it is only to be shown what would change.
    #[garde(skip)]
    #[serde(default)]
    pub dry_run: bool,
}

/// What new items of an import get in a field for which their row has no value
/// (docs/spec/import-export.md#values-for-new-rows).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct SheetDefault {
    /// The column of the kind.
    #[garde(length(chars, min = 1, max = 100))]
    pub key: String,
    /// The value, as a cell would have it.
    #[garde(length(chars, min = 1, max = 2048))]
    pub value: String,
}

/// The import of a file whose rows are stored (docs/spec/import-export.md#spreadsheets-in).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SheetImport {
    /// The number of the file.
    pub sheet: Id,
    /// What the file is called.
    pub file_name: String,
    /// The field of each of its columns, by the key of spreadsheets; null for a column that is left out.
    pub columns: Vec<Option<String>>,
    /// Values of new items whose row has none.
    pub defaults: Vec<SheetDefault>,
    /// How many rows it has.
    pub rows: i64,
}

/// An operation as it is recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct BulkOperation {
    /// Its number.
    pub id: Id,
    /// What is changed.
    pub resource: Resource,
    /// The change; `None` where it undoes another operation.
    pub change: Option<BulkChange>,
    /// The operation that it undoes.
    pub undo_of: Option<Id>,
    /// The file that it imports.
    pub import: Option<SheetImport>,
    /// The operation that undoes this one.
    pub undone_by: Option<Id>,
    /// Whether nothing is changed.
    pub dry_run: bool,
    /// How far it is.
    pub state: OperationState,
    /// Why it could not go on.
    pub failure: Option<FailureCode>,
    /// Who began it.
    pub created_by: String,
    /// When it was requested.
    pub created_date: DateTime<Utc>,
    /// When it ended.
    pub finished_date: Option<DateTime<Utc>>,
    /// How many items it is about.
    pub total: i64,
    /// Slices that are done.
    pub slices_done: i64,
    /// What became of the items that are done.
    pub counts: Counts,
}

impl BulkOperation {
    /// Until when it can be undone; `None` where there is nothing to undo.
    pub fn undo_until(&self) -> Option<DateTime<Utc>> {
        let ended = self.finished_date?;
        let undoable =
            !self.dry_run && self.undone_by.is_none() && self.counts.changed + self.counts.created > 0;
        undoable.then(|| ended + TimeDelta::hours(UNDO_HOURS))
    }
}

/// An item of an operation, and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationRow {
    /// Its place among the items, from 0.
    pub position: i64,
    /// The item.
    pub item: ItemKey,
    /// How users know it; empty where it is missing.
    pub title: String,
    /// What became of it.
    pub verdict: Verdict,
    /// The fields that changed, as they were.
    pub before: Map<String, Value>,
    /// The same fields as they are now.
    pub after: Map<String, Value>,
    /// Rules that the change would break, and fields that an undo leaves as they are.
    pub problems: Vec<Violation>,
    /// Of an import: the row of the file.
    pub sheet_row: Option<SheetRowOf>,
}

impl OperationRow {
    /// Records that the item stays as it is, and why.
    pub fn fail(&mut self, verdict: Verdict, problems: Vec<Violation>) {
        self.verdict = verdict;
        self.problems = problems;
        self.before.clear();
        self.after.clear();
    }
}

/// The row of a file that an item of an operation is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetRowOf {
    /// Its number in the file, from 1.
    pub number: i64,
    /// By what a later row is recognised as the same item, where the item does not exist yet.
    pub key: Option<String>,
    /// The IMDb id that the item gets by this row: by it, too, a later row is recognised as the same item.
    pub imdb_id: Option<String>,
}

#[cfg(test)]
mod tests {
    use domain_kernel::DraftReader;
    use serde_json::json;

    use super::*;

    fn broken(body: Value) -> Vec<(String, &'static str)> {
        match DraftReader::<OperationRequest>::new().read(body, &()) {
            Ok(_) => Vec::new(),
            Err(violations) => violations.0.into_iter().map(|v| (v.field, v.code.as_str())).collect(),
        }
    }

    #[test]
    fn a_request_names_a_kind_a_change_and_either_ids_or_a_filter() {
        let action = json!({"type": "SET", "set": {"active": false}});
        let request = |ids: Value, filter: Value| json!({"resource": "movies", "ids": ids, "filter": filter, "action": action});
        assert_eq!(broken(request(json!([1]), Value::Null)), []);
        assert_eq!(broken(request(Value::Null, json!({"search": "x"}))), []);
        assert_eq!(broken(request(Value::Null, json!({}))), [], "the whole list");
        assert_eq!(broken(request(Value::Null, Value::Null)), [("filter".into(), "REQUIRED")]);
        assert_eq!(broken(request(json!([1]), json!({}))), [("filter".into(), "UNKNOWN_FIELD")]);
        assert_eq!(broken(request(json!([]), Value::Null)), [("ids".into(), "TOO_FEW")]);
        let unknown = json!({"resource": "films", "ids": [1], "action": action});
        assert_eq!(broken(unknown), [("resource".into(), "UNKNOWN_VALUE")]);
    }

    #[test]
    fn what_has_parts_is_deleted_and_restored_in_small_slices() {
        let change = |json: Value| serde_json::from_value::<BulkChange>(json).unwrap();
        let (delete, set) = (json!({"type": "DELETE"}), json!({"type": "SET", "set": {"active": false}}));
        for (kind, change, items) in [
            (Kind::TvShows, change(delete.clone()), SHOWS_SLICE),
            (Kind::TvShows, change(json!({"type": "RESTORE"})), SHOWS_SLICE),
            (Kind::Movies, change(json!({"type": "RESTORE"})), SLICE),
            (Kind::TvShows, change(set), SHARED_SLICE),
            (Kind::Movies, change(delete), SLICE),
        ] {
            assert_eq!(items_of_slice(Resource::Content(kind), Some(&change)), items, "{kind:?}");
        }
    }

    #[test]
    fn a_slice_of_a_wide_file_has_fewer_rows() {
        let movies = Resource::Content(Kind::Movies);
        for (resource, columns, rows) in [
            (movies, 0, SHARED_SLICE),
            (movies, 100, SHARED_SLICE),
            (movies, 1_100, 22),
            (Resource::Users, 100, SLICE),
            (Resource::Users, 1_100, 22),
            (Resource::Users, 100_000, 1),
        ] {
            assert_eq!(rows_of_slice(resource, columns), rows, "{resource:?} {columns}");
        }
    }

    #[test]
    fn users_are_named_and_everything_else_is_numbered() {
        let request = |resource: &str, ids: Value| {
            let action = json!({"type": "SET", "set": {"status": "ACTIVE"}});
            let body = json!({"resource": resource, "ids": ids, "action": action});
            let request = DraftReader::<OperationRequest>::new().read(body, &()).unwrap().into_inner();
            let faults = request.faults(request.resource().unwrap()).into_iter();
            faults.map(|fault| (fault.field, fault.code.as_str())).collect::<Vec<_>>()
        };
        assert_eq!(request("users", json!(["ana_1", "1234"])), []);
        assert_eq!(request("movies", json!([1, 2])), []);
        assert_eq!(request("users", json!(["ana_1", 2])), [("ids[1]".into(), "WRONG_TYPE")]);
        assert_eq!(request("issue-reports", json!(["1"])), [("ids[0]".into(), "WRONG_TYPE")]);
    }

    #[test]
    fn an_operation_can_be_undone_once_it_has_ended_and_changed_something() {
        let ended = DateTime::UNIX_EPOCH;
        let operation = BulkOperation {
            id: 1,
            resource: Resource::Content(Kind::Movies),
            change: None,
            undo_of: None,
            import: None,
            undone_by: None,
            dry_run: false,
            state: OperationState::Cancelled,
            failure: None,
            created_by: "ana".into(),
            created_date: ended,
            finished_date: Some(ended),
            total: 2,
            slices_done: 1,
            counts: Counts { changed: 1, ..Counts::default() },
        };
        assert_eq!(operation.undo_until(), Some(ended + TimeDelta::hours(24)));
        for other in [
            BulkOperation { finished_date: None, ..operation.clone() },
            BulkOperation { dry_run: true, ..operation.clone() },
            BulkOperation { undone_by: Some(2), ..operation.clone() },
            BulkOperation { counts: Counts::default(), ..operation.clone() },
        ] {
            assert_eq!(other.undo_until(), None, "{other:?}");
        }
    }
}
