//! Imports of spreadsheets (docs/spec/import-export.md#spreadsheets-in).

use std::{
    future::ready,
    sync::{Arc, LazyLock},
};

use actix_web::{
    HttpResponse,
    http::{Method, header},
    web::{Data, Payload},
};
use application::{
    Error, IMPORT_LIMITS, MAX_SHEET_BYTES, OperationService, SheetImportService, Upload, UploadedColumn,
    UploadedSheet, user_headings,
};
use domain_catalogue::{Kind, SheetColumn};
use domain_kernel::{
    Action, Cell, Code, ErrorKind, Id, Locale, Permission, Violation, Violations,
    csv::{BYTE_ORDER_MARK, line_in},
};
use domain_operations::{Resource, SheetImportRequest};
use futures_util::StreamExt;
use ports::{SheetFault, SheetFiles, SheetPart, StoreError, UnreadableSheet};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use tokio::sync::{Semaphore, SemaphorePermit, mpsc};

use super::{
    answer_headers::with_replay,
    operations::OperationAnswer,
    spreadsheets::{ColumnAnswer, FORMATS, SHEET_FILES, XLSX, headings},
};
use crate::{
    caller::AuthUser,
    extract::{Body, IdempotencyKey, ItemId, Pairs, body_fault},
    language::Language,
    openapi::Api,
    problem::Problem,
};

/// One file is read at a time, because reading needs much memory.
static READING: LazyLock<Semaphore> = LazyLock::new(|| Semaphore::new(1));

/// An uploaded spreadsheet.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UploadedSpreadsheet")]
struct UploadedAnswer {
    /// ID of the upload.
    id: Id,
    /// Name of the file.
    file_name: String,
    /// Number of rows below the heading that are not blank.
    rows: i64,
    /// Language of the headings, `es` or `en`, which defines the format of numbers and days.
    language: String,
    /// Worksheets of a workbook; empty for other files.
    worksheets: Vec<String>,
    /// The worksheet that was read.
    worksheet: Option<String>,
    /// Columns of the file.
    columns: Vec<UploadedColumnAnswer>,
    /// Columns of the kind, in the language of the request; those of ids are last, because files rarely have them.
    fields: Vec<ColumnAnswer>,
}

/// A column of an uploaded spreadsheet.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UploadedColumn")]
struct UploadedColumnAnswer {
    heading: String,
    /// First values of the column.
    samples: Vec<String>,
    /// Column of the kind with this heading; null if there is none, or not just one.
    key: Option<String>,
    /// Columns of the kind that it may be: several with this heading, or one of which the file has several columns.
    fits: Vec<String>,
}

/// The headings of columns in a language.
fn headings_of(resource: Resource, columns: &[SheetColumn], locale: Locale) -> Vec<String> {
    match resource {
        Resource::Content(kind) => headings(kind, columns, locale),
        Resource::Users | Resource::Reports => {
            user_headings(columns.iter().map(|column| column.key.as_str()), locale)
        }
    }
}

fn answer(uploaded: UploadedSheet, language: Locale) -> UploadedAnswer {
    let UploadedSheet { sheet, worksheets, worksheet, columns, known } = uploaded;
    let column =
        |UploadedColumn { heading, samples, key, fits }| UploadedColumnAnswer { heading, samples, key, fits };
    let mut fields: Vec<_> = known.iter().zip(headings_of(sheet.sheet.resource, &known, language)).collect();
    fields.sort_by_key(|(column, _)| column.heading(&known).is_some_and(|(_, has_ids)| has_ids));
    UploadedAnswer {
        id: sheet.id,
        fields: fields
            .into_iter()
            .map(|(column, heading)| ColumnAnswer { key: column.key.clone(), heading })
            .collect(),
        file_name: sheet.sheet.file_name,
        rows: sheet.rows,
        language: sheet.sheet.locale.code().to_owned(),
        worksheets,
        worksheet,
        columns: columns.into_iter().map(column).collect(),
    }
}

/// Registers the routes of one kind.
pub(crate) fn register(api: &mut Api, kind: Kind) {
    publish(api, Resource::Content(kind), kind.singular());
}

/// Registers the routes of users.
pub(crate) fn register_users(api: &mut Api) {
    publish(api, Resource::Users, "User");
}

/// The permission to add such items. Imports of users are for admins.
const fn permission(resource: Resource) -> Option<Permission> {
    match resource {
        Resource::Content(kind) => Some(kind.permission(Action::Create)),
        Resource::Users | Resource::Reports => None,
    }
}

/// `name` is the singular in operation IDs.
fn publish(api: &mut Api, resource: Resource, name: &str) {
    publish_template(api, resource, name);
    publish_upload(api, resource, name);
    publish_import(api, resource, name);
}

fn publish_template(api: &mut Api, resource: Resource, name: &str) {
    let path = resource.path();
    drop(
        api.route(
            Method::GET,
            &format!("/{path}/spreadsheet/template"),
            &format!("get{name}SpreadsheetTemplate"),
            move |caller, service, files, pairs, language| {
                ready(template(resource, caller, service, files, pairs, language))
            },
        )
        .about(path, "Get an empty spreadsheet as a template")
        .requires_or_admin(permission(resource))
        .query("format", json!({"type": "string", "enum": FORMATS, "default": "csv"}), "Format of the file.")
        .query(
            "language",
            json!({"type": "string", "enum": ["es", "en"]}),
            "Language of the headings; default: that of the request. For links, which can't send a header.",
        )
        .answers_file(200, "The headings.", &SHEET_FILES)
        .fails(&[ErrorKind::Invalid]),
    );
}

fn publish_upload(api: &mut Api, resource: Resource, name: &str) {
    let path = resource.path();
    let uploaded = api.schemas.response::<UploadedAnswer>();
    drop(
        api.route(
            Method::POST,
            &format!("/{path}/spreadsheet-imports"),
            &format!("upload{name}Spreadsheet"),
            move |caller, service, files, pairs, language, payload| {
                upload(resource, caller, service, files, pairs, language, payload)
            },
        )
        .about(path, "Upload a spreadsheet to import")
        .explained(
            "The body is the file: XLSX, or a text with delimited cells in UTF-8, UTF-16 or Windows-1252; at most 16 MiB, \
             100,000 rows and 1,100 columns. The first row that is not blank is the heading. Nothing is imported yet. Needs the \
             permissions to create and to update such items.",
        )
        .requires_or_admin(permission(resource))
        .query("fileName", json!({"type": "string", "maxLength": 200}), "Name of the file.")
        .query(
            "sheet",
            json!({"type": "string"}),
            "Worksheet of a workbook; default: the first that is not blank.",
        )
        .takes_file()
        .answers(201, "The uploaded spreadsheet.", uploaded),
    );
}

fn publish_import(api: &mut Api, resource: Resource, name: &str) {
    let path = resource.path();
    let request = api.schemas.request::<SheetImportRequest>();
    let operation = api.schemas.response::<OperationAnswer>();
    drop(
        api.route(
            Method::POST,
            &format!("/{path}/spreadsheet-imports/{{id}}/run"),
            &format!("import{name}Spreadsheet"),
            move |caller, service, id, key, body| run(resource, caller, service, id, key, body),
        )
        .about(path, "Import an uploaded spreadsheet, or preview the changes")
        .explained(
            "Runs in the background within seconds, some hundred rows in one transaction; the operation can be watched, \
             cancelled and undone. With `dryRun` nothing is changed. The columns are stored for the user's next \
             file with the same headings.",
        )
        .requires_or_admin(permission(resource))
        .takes_effect_once()
        .takes(request)
        .answers(202, "The started operation.", operation)
        .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
}

fn template(
    resource: Resource,
    caller: AuthUser,
    service: Data<SheetImportService>,
    files: Data<dyn SheetFiles>,
    pairs: Pairs,
    language: Language,
) -> Result<HttpResponse, Problem> {
    let locale = pairs.language(language.0);
    let heading = headings_of(resource, &service.template(&caller, resource)?, locale);
    let mut answer = HttpResponse::Ok();
    answer.insert_header((header::CONTENT_LANGUAGE, locale.code()));
    let disposition = |format: &str| {
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{}-template.{format}\"", resource.path()),
        )
    };
    match pairs.get("format") {
        None | Some("csv") => {
            let text = format!("{BYTE_ORDER_MARK}{}", line_in(locale, heading.iter().map(String::as_str)));
            answer
                .insert_header(disposition("csv"))
                .insert_header((header::CONTENT_TYPE, "text/csv; charset=utf-8"));
            Ok(answer.body(text))
        }
        Some("xlsx") => {
            let mut rows = Some(vec![heading.into_iter().map(Cell::Text).collect()]);
            let mut file = Vec::new();
            let broken =
                |fault: SheetFault| Problem::from(Error::from(StoreError::Broken(fault.to_string())));
            files.write_xlsx(&mut || rows.take().map(Ok), &mut file).map_err(broken)?;
            answer.insert_header(disposition("xlsx")).insert_header((header::CONTENT_TYPE, XLSX));
            Ok(answer.body(file))
        }
        Some(_) => {
            let fault = Violation::new("format", Code::UnknownValue).with("allowed", FORMATS.to_vec());
            Err(Error::from(Violations(vec![fault])).into())
        }
    }
}

async fn upload(
    resource: Resource,
    caller: AuthUser,
    service: Data<SheetImportService>,
    files: Data<dyn SheetFiles>,
    pairs: Pairs,
    language: Language,
    payload: Payload,
) -> Result<HttpResponse, Problem> {
    service.require(&caller, resource)?;
    let file = body_of(payload).await?;
    let turn = READING.acquire().await.map_err(|_| Problem::of(Code::Unavailable))?;
    let sheet = pairs.get("sheet").filter(|name| !name.is_empty()).map(str::to_owned);
    let mut found = parts_of(files.into_inner(), file, sheet, turn);
    let upload = Upload { file_name: pairs.get("fileName").unwrap_or_default(), locale: language.0 };
    let called = |columns: &[SheetColumn], locale: Locale| headings_of(resource, columns, locale);
    let uploaded =
        service.upload(&caller, resource, upload, &called, &mut async || found.recv().await).await?;
    Ok(HttpResponse::Created().json(answer(uploaded, language.0)))
}

/// Reads the file in a separate thread, which sends its parts. It holds the permit until it ends,
/// even if the receiver is dropped.
fn parts_of(
    files: Arc<dyn SheetFiles>,
    file: Vec<u8>,
    sheet: Option<String>,
    turn: SemaphorePermit<'static>,
) -> mpsc::Receiver<Result<SheetPart, UnreadableSheet>> {
    let (parts, found) = mpsc::channel(4);
    tokio::task::spawn_blocking(move || {
        let read = || {
            let mut take = |part| parts.blocking_send(Ok(part)).is_ok();
            files.read(file, sheet.as_deref(), IMPORT_LIMITS, &mut take)
        };
        // A panic of a library in a broken file is answered like a file that can't be read.
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
        if let Err(fault) = outcome.unwrap_or(Err(UnreadableSheet::NotASpreadsheet)) {
            // The receiver may be dropped.
            drop(parts.blocking_send(Err(fault)));
        }
        drop(turn);
    });
    found
}

async fn body_of(mut payload: Payload) -> Result<Vec<u8>, Problem> {
    let mut file = Vec::new();
    while let Some(part) = payload.next().await {
        let part = part.map_err(|error| body_fault(&error, MAX_SHEET_BYTES))?;
        if file.len() + part.len() > MAX_SHEET_BYTES {
            return Err(Problem::too_large(MAX_SHEET_BYTES));
        }
        file.extend_from_slice(&part);
    }
    Ok(file)
}

async fn run(
    resource: Resource,
    caller: AuthUser,
    service: Data<OperationService>,
    id: ItemId,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let begun = service.begin_import(&caller, resource, id.0, &body.0, key.0.as_deref()).await?;
    let mut answer = with_replay(HttpResponse::Accepted(), begun.replayed);
    Ok(answer.json(OperationAnswer::from(begun.operation)))
}
