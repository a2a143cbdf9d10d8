//! Bulk operations: begun, watched, cancelled and undone (docs/spec/bulk-operations.md).

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json},
};
use application::{AuditService, Error, FailedRows, OperationService, SheetImportService};
use chrono::{DateTime, Utc};
use domain_catalogue::SheetColumn;
use domain_kernel::{
    Cell, Enumeration, ErrorKind, Id, Locale, Page, RoleCode,
    RoleCode::{Admin, ContentManager, Superadmin},
    Violation,
};
use domain_operations::{
    BulkChange, BulkOperation, Counts, FailureCode, ItemKey, OperationRequest, OperationRow, OperationState,
    Resource, SheetImport, Verdict,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    contents::REPLAYED,
    spreadsheets::{RowSource, csv_file},
};
use crate::{
    caller::AuthUser,
    extract::{Body, IdempotencyKey, ItemId, Pairs},
    language::Language,
    locale,
    openapi::Api,
    problem::Problem,
};

const TAG: &str = "operations";
const ROLES: &[RoleCode] = &[Superadmin, Admin, ContentManager];

/// A bulk operation.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Operation")]
pub(super) struct OperationAnswer {
    /// Its number.
    id: Id,
    /// What is changed: `movies`, `tv-channels`, …, `users`, `issue-reports`.
    resource: String,
    /// The change; null where it undoes another operation, or imports a spreadsheet.
    action: Option<BulkChange>,
    /// The spreadsheet that it imports.
    import: Option<SheetImport>,
    /// The operation that it undoes.
    undo_of: Option<Id>,
    /// The operation that undoes this one.
    undone_by: Option<Id>,
    /// Until when it can be undone; null where it can't be.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    undo_until: Option<DateTime<Utc>>,
    /// Whether nothing is changed.
    dry_run: bool,
    /// How far it is.
    state: OperationState,
    /// Why it could not go on.
    failure: Option<FailureCode>,
    /// Who began it.
    created_by: String,
    /// When it was requested.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    created_date: DateTime<Utc>,
    /// When it ended.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    finished_date: Option<DateTime<Utc>>,
    /// How many items it is about.
    total: i64,
    /// How many of them are done.
    done: i64,
    /// What became of those; in a dry run, what would.
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
    /// Its place among the items, from 0.
    position: i64,
    /// The item's id; of a user, the user name.
    item_id: ItemKey,
    /// How users know it; empty where it does not exist.
    title: String,
    /// What became of it; in a dry run, what would.
    verdict: Verdict,
    /// The fields that changed, as they were.
    before: Map<String, Value>,
    /// The same fields afterwards.
    after: Map<String, Value>,
    /// Why it was refused, and which fields an undo leaves as they are.
    problems: Vec<RowProblem>,
    /// Of an import: the number of the row in the file, from 1.
    sheet_row: Option<i64>,
}

/// A rule that an item would break.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RowProblem {
    /// The field; empty for the item as a whole.
    field: String,
    /// Of an import: the heading of the column in the file; null where the file lacks the field.
    column: Option<String>,
    /// The stable name of the rule.
    code: String,
    /// The same in words, in the language of the request.
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
        before: row.before,
        after: row.after,
        problems: row.problems.into_iter().map(problem).collect(),
        sheet_row: row.sheet_row.map(|row| row.number),
    }
}

/// The columns of the file that an operation imports.
struct FileColumns {
    headings: Vec<String>,
    import: SheetImport,
}

impl FileColumns {
    async fn of(
        caller: &AuthUser,
        service: &OperationService,
        imports: &SheetImportService,
        id: Id,
    ) -> Result<Option<Self>, Problem> {
        let Some(import) = service.find(caller, id).await?.import else { return Ok(None) };
        Ok(Some(Self { headings: imports.headings(&import).await?, import }))
    }

    /// The heading of the column that a field comes from.
    fn heading_of(&self, field: &str) -> Option<&str> {
        let key = SheetColumn::key_of(field);
        let name = format!("{key}.name");
        let is_of = |wanted: &String| self.import.columns.iter().position(|key| key.as_ref() == Some(wanted));
        let index = is_of(&key).or_else(|| is_of(&name))?;
        self.headings.get(index).map(String::as_str)
    }
}

pub(crate) fn register(api: &mut Api) {
    register_changes(api);
    register_failures(api);
    let operation = api.schemas.response::<OperationAnswer>();
    let page = api.schemas.page_of("OperationPage", "A page of bulk operations.", &operation);
    let line = api.schemas.response::<OperationRowAnswer>();
    drop(
        api.route(Method::GET, "/operations", "listOperations", list)
            .about(TAG, "List bulk operations, newest first")
            .explained("Those that are no dry runs: admins see everybody's, others their own.")
            .requires_role(ROLES)
            .pages(&OperationService::list_shape())
            .filter(
                "resource",
                json!({"type": "string", "enum": Resource::PATHS}),
                "Those that change these.",
            )
            .filter(
                "state",
                json!({"type": "string", "enum": OperationState::CODES}),
                "Those that are so far.",
            )
            .filter("createdBy", json!({"type": "string", "maxLength": 100}), "Those that this user began.")
            .answers(200, "A page of operations.", page)
            .fails(&[ErrorKind::Invalid]),
    );
    drop(
        api.route(Method::GET, "/operations/{id}", "getOperation", find)
            .about(TAG, "Get a bulk operation and how far it is")
            .requires_role(ROLES)
            .answers(200, "The operation.", operation)
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::GET, "/operations/{id}/rows", "listOperationRows", rows)
            .about(TAG, "List what became of each item of a bulk operation")
            .requires_role(ROLES)
            .filter(
                "verdict",
                json!({"type": "string", "enum": Verdict::CODES}),
                "Those of which this became.",
            )
            .filter(
                "problems",
                json!({"type": "boolean"}),
                "`true`: those with a reason. Of changed ones something stayed as it was.",
            )
            .query("_page", json!({"type": "integer", "minimum": 0, "default": 0}), "Zero-based.")
            .query(
                "_size",
                json!({"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}),
                "Rows of a page.",
            )
            .answers(200, "The rows, in the order of the items.", json!({"type": "array", "items": line}))
            .fails(&[ErrorKind::Missing, ErrorKind::Invalid]),
    );
}

fn register_failures(api: &mut Api) {
    drop(
        api.route(Method::GET, "/operations/{id}/failures", "exportOperationFailures", failures)
            .about(TAG, "Export the items that a bulk operation did not change as a CSV file")
            .explained(
                "Those that were refused, were changed by somebody else at the same time, or do not exist: a line for each rule \
                 that the change would break; of an import, the rows of its file with a last column that says why. UTF-8 with a byte order mark; the separator is a semicolon in Spanish, a comma in \
                 English. Every cell is quoted, and one that begins like a formula has an apostrophe before it.",
            )
            .requires_role(ROLES)
            .query(
                "language",
                json!({"type": "string", "enum": ["es", "en"]}),
                "Of the texts; that of the request, where it is left out. A link can't send a header.",
            )
            .answers_file(200, "The file, as it is read.", &["text/csv"])
            .fails(&[ErrorKind::Missing]),
    );
}

fn register_changes(api: &mut Api) {
    let request = api.schemas.request::<OperationRequest>();
    let operation = api.schemas.response::<OperationAnswer>();
    drop(
        api.route(Method::POST, "/operations", "beginOperation", begin)
            .about(TAG, "Change many items, or see what would change")
            .explained(
                "Needs the permission to change one such item; users are for admins. The items are determined now; a job changes them within \
                 seconds, a hundred in one transaction. An item that somebody changes at the same time is reported and stays. \
                 With `dryRun` nothing is changed. With `expectedCount`, nothing is begun if another number of items matches.",
            )
            .requires_role(ROLES)
            .takes_effect_once()
            .takes(request)
            .answers(202, "It is going to be carried out.", operation.clone())
            .fails(&[ErrorKind::Conflict]),
    );
    drop(
        api.route(Method::POST, "/operations/{id}/cancel", "cancelOperation", cancel)
            .about(TAG, "Cancel a bulk operation")
            .explained("Without a body. What was changed until then remains, and can be undone.")
            .requires_role(ROLES)
            .answers(200, "It is cancelled.", operation.clone())
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    drop(
        api.route(Method::POST, "/operations/{id}/undo", "undoOperation", undo)
            .about(TAG, "Undo a bulk operation")
            .explained(
                "Without a body. For 24 hours after it has ended. Begins an operation that gives each item back the values that \
                 nobody changed since; its rows name the others.",
            )
            .requires_role(ROLES)
            .answers(202, "The operation that undoes it.", operation)
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
    let mut answer = HttpResponse::Accepted();
    if begun.replayed {
        answer.insert_header(REPLAYED);
    }
    Ok(answer.json(OperationAnswer::from(begun.operation)))
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

async fn failures(
    caller: AuthUser,
    service: Data<OperationService>,
    imports: Data<SheetImportService>,
    audit: Data<AuditService>,
    id: ItemId,
    pairs: Pairs,
    language: Language,
) -> Result<HttpResponse, Problem> {
    let locale = pairs.language(language.0);
    let failed = service.failures(&audit, &caller, id.0).await?;
    let file = FileColumns::of(&caller, &service, &imports, id.0).await?;
    let heading = heading(locale, file.as_ref());
    let rows = FailureRows { service, imports, failed, file, locale };
    csv_file(&format!("operation-{}", id.0), heading, rows, locale).await
}

struct FailureRows {
    service: Data<OperationService>,
    imports: Data<SheetImportService>,
    failed: FailedRows,
    file: Option<FileColumns>,
    locale: Locale,
}

impl RowSource for FailureRows {
    async fn next_rows(&mut self) -> Result<Vec<Vec<Cell>>, Error> {
        let rows = self.service.next_failures(&mut self.failed).await?;
        let Some(file) = &self.file else {
            return Ok(rows.iter().flat_map(|row| lines(row, self.locale)).collect());
        };
        let cells = self.imports.cells_of(&file.import, &rows).await?;
        Ok(rows.iter().map(|row| file_line(row, cells.get(&row.position), file, self.locale)).collect())
    }
}

fn heading(locale: Locale, file: Option<&FileColumns>) -> Vec<String> {
    if let Some(file) = file {
        let reason = if locale == Locale::Spanish { "Motivo" } else { "Reason" };
        return file.headings.iter().cloned().chain([reason.to_owned()]).collect();
    }
    let names = match locale {
        Locale::Spanish => ["ID", "Título", "Resultado", "Campo", "Motivo"],
        Locale::English => ["ID", "Title", "Result", "Field", "Reason"],
    };
    names.map(str::to_owned).into()
}

/// The row of the file as it was, and why it was refused: it can be corrected and imported again.
fn file_line(row: &OperationRow, cells: Option<&Vec<Cell>>, file: &FileColumns, locale: Locale) -> Vec<Cell> {
    let mut line: Vec<Cell> = cells.into_iter().flatten().take(file.headings.len()).cloned().collect();
    line.resize(file.headings.len(), Cell::Empty);
    let reason = |problem: &Violation| {
        let text = locale::violation_text(locale, problem);
        match file.heading_of(&problem.field) {
            Some(heading) => format!("{heading}: {text}"),
            None if problem.field.is_empty() => text,
            None => format!("{}: {text}", problem.field),
        }
    };
    line.push(Cell::Text(if row.problems.is_empty() {
        row.verdict.labels().in_language(locale).to_owned()
    } else {
        row.problems.iter().map(reason).collect::<Vec<_>>().join(" · ")
    }));
    line
}

/// A line for each rule that an item would break; one for an item without any.
fn lines(row: &OperationRow, locale: Locale) -> Vec<Vec<Cell>> {
    let (id, verdict) = (row.item.to_string(), row.verdict.labels().in_language(locale));
    let line = |field: &str, reason: &str| -> Vec<Cell> {
        let texts = [id.as_str(), row.title.as_str(), verdict, field, reason];
        texts.map(|text| Cell::Text(text.to_owned())).into()
    };
    if row.problems.is_empty() {
        return vec![line("", "")];
    }
    let problems = row.problems.iter();
    problems.map(|problem| line(&problem.field, &locale::violation_text(locale, problem))).collect()
}
