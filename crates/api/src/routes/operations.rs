//! Bulk operations: start, progress, cancellation and undo (docs/spec/bulk-operations.md).

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json},
};
use application::{OperationService, SheetImportService};
use chrono::{DateTime, Utc};
use domain_catalogue::ChannelStream;
use domain_kernel::{
    Enumeration, ErrorKind, FilterKind, Id, Page, RoleCode,
    RoleCode::{Admin, ContentManager, Superadmin},
    Violation,
};
use domain_live::address::masked;
use domain_operations::{
    BulkChange, BulkOperation, Counts, FailureCode, ItemKey, OperationRequest, OperationRow, OperationState,
    Resource, STREAMS, SheetImport, Verdict,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    answer_headers::with_replay,
    list_parameters::{filter_schema, range_words},
    operation_columns::FileColumns,
};
use crate::{
    caller::AuthUser,
    extract::{Body, IdempotencyKey, ItemId, Pairs},
    language::Language,
    locale,
    openapi::Api,
    problem::Problem,
};

pub(super) const TAG: &str = "operations";
pub(super) const ROLES: &[RoleCode] = &[Superadmin, Admin, ContentManager];

/// A bulk operation.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Operation")]
pub(super) struct OperationAnswer {
    /// ID of the operation.
    id: Id,
    /// Resource of the items: `movies`, `tv-channels`, …, `users`, `issue-reports`.
    resource: String,
    /// The change; null for undos and imports.
    action: Option<BulkChange>,
    /// The imported spreadsheet.
    import: Option<SheetImport>,
    /// ID of the operation that this one undoes.
    undo_of: Option<Id>,
    /// ID of the operation that undoes this one.
    undone_by: Option<Id>,
    /// Time until which the operation can be undone; null if it can't be undone.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    undo_until: Option<DateTime<Utc>>,
    /// Whether it is a dry run, which changes nothing.
    dry_run: bool,
    /// Progress of the operation.
    state: OperationState,
    /// Reason of the failure of the operation.
    failure: Option<FailureCode>,
    /// Username of the user who started the operation.
    created_by: String,
    /// Time of the request.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    created_date: DateTime<Utc>,
    /// Time of the end.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    finished_date: Option<DateTime<Utc>>,
    /// Number of items.
    total: i64,
    /// Number of processed items.
    done: i64,
    /// Processed items by result; in a dry run, by expected result.
    counts: Counts,
}

impl From<BulkOperation> for OperationAnswer {
    fn from(operation: BulkOperation) -> Self {
        Self {
            undo_until: operation.undo_until(),
            id: operation.id,
            resource: operation.resource.path().to_owned(),
            action: operation.change,
            import: operation.import,
            undo_of: operation.undo_of,
            undone_by: operation.undone_by,
            dry_run: operation.dry_run,
            state: operation.state,
            failure: operation.failure,
            created_by: operation.created_by,
            created_date: operation.created_date,
            finished_date: operation.finished_date,
            total: operation.total,
            done: operation.counts.done(),
            counts: operation.counts,
        }
    }
}

/// An item of a bulk operation.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OperationRowAnswer {
    /// Position among the items, from 0.
    position: i64,
    /// ID of the item; of a user, the username.
    item_id: ItemKey,
    /// Name of the item; empty if it does not exist.
    title: String,
    /// Result for the item; in a dry run, the expected one.
    verdict: Verdict,
    /// Changed fields with their previous values; `streams` of a channel are lines of text, without credentials.
    before: Map<String, Value>,
    /// The same fields with their new values, `streams` as lines of text, too.
    after: Map<String, Value>,
    /// Reasons of a refusal, and the fields that an undo leaves unchanged.
    problems: Vec<RowProblem>,
    /// For imports, the number of the row in the file, from 1.
    sheet_row: Option<i64>,
}

/// A rule that the change of an item would break.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RowProblem {
    /// The field; empty for the whole item.
    field: String,
    /// For imports, the heading of the column in the file; null if the file does not have the
    /// field.
    column: Option<String>,
    /// Stable code of the rule.
    code: String,
    /// Text for users, in the language of the request.
    message: String,
}

fn row(row: OperationRow, language: Language, file: Option<&FileColumns>) -> OperationRowAnswer {
    let problem = |violation: Violation| RowProblem {
        message: locale::violation_text(language.0, &violation),
        column: file.and_then(|file| file.heading_of(&violation.field)).map(str::to_owned),
        code: violation.code.as_str().to_owned(),
        field: violation.field,
    };
    OperationRowAnswer {
        position: row.position,
        item_id: row.item,
        title: row.title,
        verdict: row.verdict,
        before: without_credentials(row.before),
        after: without_credentials(row.after),
        problems: row.problems.into_iter().map(problem).collect(),
        sheet_row: row.sheet_row.map(|row| row.number),
    }
}

/// The values of a row, with a line for each stream of a channel, as in the history.
fn without_credentials(mut values: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::Array(streams)) = values.get_mut(STREAMS) {
        for stream in streams {
            let read = serde_json::from_value::<ChannelStream>(stream.take());
            *stream = read.map(|stream| stream.line(masked)).unwrap_or_default().into();
        }
    }
    values
}

pub(crate) fn register(api: &mut Api) {
    register_changes(api);
    let operation = api.schemas.response::<OperationAnswer>();
    let page = api.schemas.page_of("OperationPage", "A page of bulk operations.", &operation);
    let line = api.schemas.response::<OperationRowAnswer>();
    drop(
        api.route(Method::GET, "/operations", "listOperations", list)
            .about(TAG, "List bulk operations")
            .explained("Without dry runs, newest first unless `_sort` says otherwise. Admins get all operations, other users their own.")
            .requires_role(ROLES)
            .pages(&OperationService::list_shape())
            .filter(
                "resource",
                json!({"type": "string", "enum": Resource::PATHS}),
                "Only operations on this resource.",
            )
            .filter(
                "state",
                json!({"type": "string", "enum": OperationState::CODES}),
                "Only operations in this state.",
            )
            .filter(
                "createdBy",
                json!({"type": "string", "maxLength": 100}),
                "Only operations started by this user.",
            )
            .filter("createdDateFrom", filter_schema(FilterKind::Moment), &range_words("createdDateFrom"))
            .filter("createdDateTo", filter_schema(FilterKind::Moment), &range_words("createdDateTo"))
            .answers(200, "A page of operations.", page)
            .fails(&[ErrorKind::Invalid]),
    );
    drop(
        api.route(Method::GET, "/operations/{id}", "getOperation", find)
            .about(TAG, "Get a bulk operation with its progress")
            .requires_role(ROLES)
            .answers(200, "The operation.", operation)
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::GET, "/operations/{id}/rows", "listOperationRows", rows)
            .about(TAG, "List the results of a bulk operation by item")
            .requires_role(ROLES)
            .filter(
                "verdict",
                json!({"type": "string", "enum": Verdict::CODES}),
                "Only rows with this result.",
            )
            .filter(
                "problems",
                json!({"type": "boolean"}),
                "`true`: only rows with problems. Changed rows with problems were changed in part.",
            )
            .query("_page", json!({"type": "integer", "minimum": 0, "default": 0}), "Zero-based.")
            .query(
                "_size",
                json!({"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}),
                "Rows per page.",
            )
            .answers(200, "The rows, in the order of the items.", json!({"type": "array", "items": line}))
            .fails(&[ErrorKind::Missing, ErrorKind::Invalid]),
    );
}

fn register_changes(api: &mut Api) {
    let request = api.schemas.request::<OperationRequest>();
    let operation = api.schemas.response::<OperationAnswer>();
    drop(
        api.route(Method::POST, "/operations", "beginOperation", begin)
            .about(TAG, "Change many items, or preview the changes")
            .explained(
                "Needs the permission to change one such item; users are for admins. The items are selected now and changed in the background within \
                 seconds, a hundred in one transaction. An item that another user changes at the same time is reported and not changed. \
                 With `dryRun` nothing is changed. With `expectedCount`, the request is refused if the number of items differs.",
            )
            .requires_role(ROLES)
            .takes_effect_once()
            .takes(request)
            .answers(202, "The started operation.", operation.clone())
            .fails(&[ErrorKind::Conflict]),
    );
    drop(
        api.route(Method::POST, "/operations/{id}/cancel", "cancelOperation", cancel)
            .about(TAG, "Cancel a bulk operation")
            .explained("Without a body. Changes made before remain, and can be undone.")
            .requires_role(ROLES)
            .answers(200, "The cancelled operation.", operation.clone())
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    drop(
        api.route(Method::POST, "/operations/{id}/undo", "undoOperation", undo)
            .about(TAG, "Undo a bulk operation")
            .explained(
                "Without a body. Possible for 24 hours after the end. Starts an operation that restores the previous values of each \
                 item, except for those changed since; its rows list the others.",
            )
            .requires_role(ROLES)
            .answers(202, "The undoing operation.", operation)
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
}

async fn begin(
    caller: AuthUser,
    service: Data<OperationService>,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let begun = service.begin(&caller, &body.0, key.0.as_deref()).await?;
    Ok(with_replay(HttpResponse::Accepted(), begun.replayed).json(OperationAnswer::from(begun.operation)))
}

async fn list(
    caller: AuthUser,
    service: Data<OperationService>,
    pairs: Pairs,
) -> Result<Json<Page<Vec<OperationAnswer>>>, Problem> {
    let page = service.list(&caller, &pairs.0).await?;
    Ok(Json(page.map(|operations| operations.into_iter().map(OperationAnswer::from).collect())))
}

async fn find(
    caller: AuthUser,
    service: Data<OperationService>,
    id: ItemId,
) -> Result<Json<OperationAnswer>, Problem> {
    Ok(Json(service.find(&caller, id.0).await?.into()))
}

async fn rows(
    caller: AuthUser,
    service: Data<OperationService>,
    imports: Data<SheetImportService>,
    id: ItemId,
    pairs: Pairs,
    language: Language,
) -> Result<Json<Vec<OperationRowAnswer>>, Problem> {
    let found = service.rows(&caller, id.0, &pairs.0).await?;
    let file = FileColumns::of(&caller, &service, &imports, id.0).await?;
    Ok(Json(found.into_iter().map(|one| row(one, language, file.as_ref())).collect()))
}

async fn cancel(
    caller: AuthUser,
    service: Data<OperationService>,
    id: ItemId,
) -> Result<Json<OperationAnswer>, Problem> {
    Ok(Json(service.cancel(&caller, id.0).await?.into()))
}

async fn undo(
    caller: AuthUser,
    service: Data<OperationService>,
    id: ItemId,
) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Accepted().json(OperationAnswer::from(service.undo(&caller, id.0).await?)))
}
