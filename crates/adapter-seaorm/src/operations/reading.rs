//! Reading of bulk operations and their rows.

use domain_kernel::{Code, Id, Violation};
use domain_operations::{
    BulkOperation, Counts, FailureCode, ItemKey, OperationRow, Resource, SheetImport, SheetRowOf,
};
use ports::StoreError;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

pub(super) use crate::db::values::broken;
use crate::{
    db::values::member,
    entities::{bulk_operation_rows as rows, bulk_operations::Model},
};

pub(super) fn read<T: DeserializeOwned + Default>(json: Option<&String>) -> Result<T, StoreError> {
    json.map_or_else(|| Ok(T::default()), |json| serde_json::from_str(json).map_err(broken))
}

/// The ID of a row's item.
pub(super) fn item(resource: Resource, text: &str) -> Result<ItemKey, StoreError> {
    ItemKey::stored(resource, text).ok_or_else(|| broken(format!("an impossible id, {text}")))
}

pub(super) fn operation_row(resource: Resource, row: rows::Model) -> Result<OperationRow, StoreError> {
    Ok(OperationRow {
        position: row.position,
        item: item(resource, &row.item)?,
        title: row.title,
        verdict: member(&row.verdict)?,
        before: read(row.before.as_ref())?,
        after: read(row.after.as_ref())?,
        problems: problems(row.problems.as_deref())?,
        sheet_row: row.sheet_row.map(|number| SheetRowOf {
            number,
            key: row.sheet_key,
            imdb_id: row.sheet_imdb_id,
        }),
    })
}

/// A violation as stored in a row: without its text, which depends on the language of the reader.
#[derive(Serialize, Deserialize)]
struct Problem {
    field: String,
    code: String,
    arguments: Map<String, Value>,
}

fn problems(json: Option<&str>) -> Result<Vec<Violation>, StoreError> {
    let Some(json) = json else { return Ok(Vec::new()) };
    let kept: Vec<Problem> = serde_json::from_str(json).map_err(broken)?;
    let violation = |Problem { field, code, arguments }: Problem| {
        let known = Code::named(&code).ok_or_else(|| broken(format!("an unknown code, {code}")))?;
        Ok(Violation { field, code: known, arguments })
    };
    kept.into_iter().map(violation).collect()
}

pub(super) fn problems_json(violations: &[Violation]) -> Option<String> {
    let kept = |violation: &Violation| Problem {
        field: violation.field.clone(),
        code: violation.code.as_str().to_owned(),
        arguments: violation.arguments.clone(),
    };
    let problems: Vec<Problem> = violations.iter().map(kept).collect();
    (!problems.is_empty()).then(|| serde_json::json!(problems).to_string())
}

pub(super) fn operation(
    row: Model,
    undone_by: Option<Id>,
    file: Option<String>,
) -> Result<BulkOperation, StoreError> {
    let change = row.change.as_deref().map(serde_json::from_str).transpose().map_err(broken)?;
    Ok(BulkOperation {
        id: row.id,
        resource: Resource::from_path(&row.kind)
            .ok_or_else(|| broken(format!("an unknown kind, {}", row.kind)))?,
        change,
        undo_of: row.undo_of,
        import: match row.sheet_id {
            Some(sheet) => Some(SheetImport {
                sheet,
                file_name: file.unwrap_or_default(),
                columns: read(row.sheet_columns.as_ref())?,
                defaults: read(row.sheet_defaults.as_ref())?,
                rows: row.total,
            }),
            None => None,
        },
        undone_by,
        dry_run: row.dry_run,
        state: member(&row.state)?,
        failure: row.failure.as_deref().map(member::<FailureCode>).transpose()?,
        created_by: row.created_by,
        created_date: row.created_date,
        finished_date: row.finished_date,
        total: row.total,
        slices_done: row.slices_done,
        counts: Counts {
            changed: row.changed,
            unchanged: row.unchanged,
            refused: row.refused,
            conflicts: row.conflicts,
            missing: row.missing,
            created: row.created,
        },
    })
}
