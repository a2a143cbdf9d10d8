//! Operations, their rows and their requests.

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Code, Id, Kind, Violation, enumeration, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{BulkChange, ItemKey, Resource};

/// Maximum items of one operation: that of a playlist's entries.
pub const MAX_ITEMS: usize = 200_000;
/// Maximum ids in a request.
pub const MAX_NAMED_ITEMS: usize = 10_000;
/// Items per transaction if each needs its own statements (users, deletions and restorations), and
/// reports.
pub const SLICE: usize = 100;
/// Items per transaction if they share statements: values of content.
pub const SHARED_SLICE: usize = 150;
/// Rows of content that one transaction imports. Each new item changes some forty indexes; the rows of a
/// transaction share their pages.
pub const IMPORTED_SLICE: usize = 300;
/// Maximum cells that one transaction imports: wide rows need more memory.
const CELLS_OF_SLICE: usize = 25_000;
/// Shows per transaction of a deletion or restoration, each with all of its seasons and episodes.
const SHOWS_SLICE: usize = 5;
/// Time after the end in which an operation can be undone, in hours.
pub const UNDO_HOURS: i64 = 24;

/// Items per transaction of an operation. Other writers wait meanwhile.
pub fn items_of_slice(resource: Resource, change: Option<&BulkChange>) -> usize {
    match (resource, change) {
        (Resource::Content(_), Some(change)) if !change.deletes() && !change.restores() => SHARED_SLICE,
        (Resource::Content(Kind::TvShows), Some(_)) => SHOWS_SLICE,
        _ => SLICE,
    }
}

/// Rows per transaction of an import with this number of columns.
pub fn rows_of_slice(resource: Resource, columns: usize) -> usize {
    let most = match resource {
        Resource::Content(_) => IMPORTED_SLICE,
        Resource::Users | Resource::Reports => SLICE,
    };
    most.min(CELLS_OF_SLICE / columns.max(1)).max(1)
}

enumeration! {
    /// State of an operation.
    pub enum OperationState {
        /// Not started.
        Waiting = "WAITING" ("En espera", "Waiting"),
        /// Some items are completed.
        Running = "RUNNING" ("En curso", "Running"),
        /// All items are completed.
        Finished = "FINISHED" ("Terminada", "Finished"),
        /// Cancelled by a user; completed changes remain.
        Cancelled = "CANCELLED" ("Cancelada", "Cancelled"),
        /// Ended by an error; completed changes remain.
        Failed = "FAILED" ("Fallida", "Failed"),
    }
}

impl OperationState {
    /// Whether there are items to process.
    pub const fn is_unfinished(self) -> bool {
        matches!(self, Self::Waiting | Self::Running)
    }
}

enumeration! {
    /// Outcome of an item; for a dry run, the expected one.
    pub enum Verdict {
        Changed = "CHANGED" ("Cambiado", "Changed"),
        /// It had the values before.
        Unchanged = "UNCHANGED" ("Ya estaba así", "Already set"),
        /// The change would violate a rule.
        Refused = "REFUSED" ("Rechazado", "Refused"),
        /// A user changed it concurrently; their change is kept.
        Conflict = "CONFLICT" ("En conflicto", "In conflict"),
        /// The item does not exist.
        Missing = "MISSING" ("No existe", "Missing"),
        /// It was added by an import.
        Created = "CREATED" ("Añadido", "Added"),
    }
}

enumeration! {
    /// Why an operation failed.
    pub enum FailureCode {
        /// The user who started it has no permission any more.
        Forbidden = "FORBIDDEN" ("Quien la inició ya no tiene permiso", "The user who started it no longer has permission"),
        /// An internal error, which is in the log.
        Internal = "INTERNAL" ("Error interno", "Internal error"),
    }
}

/// The request for an operation, with ids of items or a filter of their list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct OperationRequest {
    /// Kind of the items: `movies`, `tv-channels`, …, `users`, `issue-reports`.
    #[garde(custom(a_resource))]
    pub resource: String,
    /// Ids of the items; user names for users.
    #[garde(inner(length(min = 1, max = MAX_NAMED_ITEMS)))]
    #[schemars(length(min = 1, max = MAX_NAMED_ITEMS))]
    pub ids: Option<Vec<ItemKey>>,
    /// List parameters that select the items: `search` and the list's filters. For `RESTORE`, those
    /// of this kind in the trash, with `search` only.
    #[garde(custom(exactly_one_of(&self.ids)))]
    pub filter: Option<Map<String, Value>>,
    /// The change.
    #[garde(dive(&()))]
    pub action: BulkChange,
    /// Whether it is a dry run.
    #[garde(skip)]
    #[serde(default)]
    pub dry_run: bool,
    /// Number of items confirmed by the user; a different number is rejected.
    #[garde(skip)]
    pub expected_count: Option<i64>,
}

impl OperationRequest {
    /// Kind of the items.
    pub fn resource(&self) -> Option<Resource> {
        Resource::from_path(&self.resource)
    }

    /// Violations of ids that no item of the kind can have.
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

/// Either ids or a filter are required.
pub fn exactly_one_of<I, T>(ids: &Option<Vec<I>>) -> impl FnOnce(&Filter, &T) -> garde::Result {
    let named = ids.is_some();
    move |filter, _| match (named, filter.is_some()) {
        (true, true) => Err(fault(Code::UnknownField, &[])),
        (false, false) => Err(fault(Code::Required, &[])),
        _ => Ok(()),
    }
}

/// Number of items by outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Changed items; in a dry run, those that would change.
    pub changed: i64,
    /// Items that had the values before.
    pub unchanged: i64,
    /// Items rejected by a rule.
    pub refused: i64,
    /// Items changed concurrently by a user.
    pub conflicts: i64,
    /// Items that do not exist.
    pub missing: i64,
    /// Items added by an import; in a dry run, those that would be added.
    pub created: i64,
}

impl Counts {
    /// Counts one item.
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

    /// Number of completed items.
    pub const fn done(self) -> i64 {
        self.changed + self.unchanged + self.refused + self.conflicts + self.missing + self.created
    }
}

/// The request to import an uploaded file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct SheetImportRequest {
    /// Column of the kind for each column of the file (`GET /{kind}/spreadsheet/columns`); null for
    /// a column that is not imported.
    #[garde(length(min = 1, max = 1100))]
    pub columns: Vec<Option<String>>,
    /// Default values of new items.
    #[garde(length(max = 50), dive)]
    #[serde(default)]
    pub defaults: Vec<SheetDefault>,
    /// Whether it is a dry run.
    #[garde(skip)]
    #[serde(default)]
    pub dry_run: bool,
}

/// Default value of a field for new items without a value in their row
/// (docs/spec/import-export.md#values-for-new-rows).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct SheetDefault {
    /// The column of the kind.
    #[garde(length(chars, min = 1, max = 100))]
    pub key: String,
    /// The value, as in a cell.
    #[garde(length(chars, min = 1, max = 2048))]
    pub value: String,
}

/// The import of a file with stored rows (docs/spec/import-export.md#spreadsheets-in).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SheetImport {
    /// Id of the file.
    pub sheet: Id,
    /// Name of the file.
    pub file_name: String,
    /// Field of each column of the file, by its spreadsheet key; null for a column that is not
    /// imported.
    pub columns: Vec<Option<String>>,
    /// Default values of new items.
    pub defaults: Vec<SheetDefault>,
    /// Number of rows.
    pub rows: i64,
}

/// A stored operation.
#[derive(Debug, Clone, PartialEq)]
pub struct BulkOperation {
    /// Id of the operation.
    pub id: Id,
    /// Kind of the items.
    pub resource: Resource,
    /// The change; `None` if it undoes another operation.
    pub change: Option<BulkChange>,
    /// Id of the operation that it undoes.
    pub undo_of: Option<Id>,
    /// The file that it imports.
    pub import: Option<SheetImport>,
    /// Id of the operation that undoes this one.
    pub undone_by: Option<Id>,
    /// Whether it is a dry run.
    pub dry_run: bool,
    pub state: OperationState,
    /// Why it failed.
    pub failure: Option<FailureCode>,
    /// User who started it.
    pub created_by: String,
    pub created_date: DateTime<Utc>,
    pub finished_date: Option<DateTime<Utc>>,
    /// Number of items.
    pub total: i64,
    /// Number of completed slices.
    pub slices_done: i64,
    /// Outcomes of the completed items.
    pub counts: Counts,
}

impl BulkOperation {
    /// Time until which it can be undone; `None` without changes to undo. Deleted reports are gone.
    pub fn undo_until(&self) -> Option<DateTime<Utc>> {
        let deletes = self.change.as_ref().is_some_and(BulkChange::deletes);
        if self.resource == Resource::Reports && deletes {
            return None;
        }
        let ended = self.finished_date?;
        let undoable =
            !self.dry_run && self.undone_by.is_none() && self.counts.changed + self.counts.created > 0;
        undoable.then(|| ended + TimeDelta::hours(UNDO_HOURS))
    }
}

/// An item of an operation with its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationRow {
    /// Position among the items, from 0.
    pub position: i64,
    /// Id of the item.
    pub item: ItemKey,
    /// Display name; empty for a missing item.
    pub title: String,
    /// Outcome.
    pub verdict: Verdict,
    /// Changed fields with their former values.
    pub before: Map<String, Value>,
    /// The same fields with their new values.
    pub after: Map<String, Value>,
    /// Rules that the change would violate, and fields that an undo keeps.
    pub problems: Vec<Violation>,
    /// For an import: the row of the file.
    pub sheet_row: Option<SheetRowOf>,
}

impl OperationRow {
    /// Records a problem; the item is not changed.
    pub fn fail(&mut self, verdict: Verdict, problems: Vec<Violation>) {
        self.verdict = verdict;
        self.problems = problems;
        self.before.clear();
        self.after.clear();
    }
}

/// The row of the file of an imported item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetRowOf {
    /// Number in the file, from 1.
    pub number: i64,
    /// Natural key of an item that does not exist yet, by which later rows match it.
    pub key: Option<String>,
    /// IMDb id that the item gets from this row, by which later rows match it.
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
    fn items_with_parts_are_deleted_and_restored_in_small_slices() {
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
            (movies, 0, IMPORTED_SLICE),
            (movies, 80, IMPORTED_SLICE),
            (movies, 100, 250),
            (movies, 1_100, 22),
            (Resource::Users, 100, SLICE),
            (Resource::Users, 1_100, 22),
            (Resource::Users, 100_000, 1),
        ] {
            assert_eq!(rows_of_slice(resource, columns), rows, "{resource:?} {columns}");
        }
    }

    #[test]
    fn ids_of_users_are_names_and_others_are_numbers() {
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
    fn an_operation_with_changes_can_be_undone_after_its_end() {
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
