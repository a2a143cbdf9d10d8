//! The ledger of credits by operations: listed, summed and exported (docs/spec/credits.md).

use actix_web::{
    HttpResponse,
    http::{Method, header},
    web::{Bytes, Json},
};
use application::{CreditService, Error, LedgerExport};
use domain_credits::{LedgerLine, LedgerTotal, OperationType};
use domain_kernel::csv::line;
use domain_kernel::{Enumeration, ErrorKind, Labels, Locale, Page};
use futures_util::stream::try_unfold;
use serde_json::json;

use super::credits::{Credits, READ};
use crate::{
    caller::AuthUser,
    extract::Pairs,
    language::Language,
    openapi::{Api, Operation},
    problem::Problem,
};

pub(crate) fn register(api: &mut Api) {
    let line = api.schemas.response::<LedgerLine>();
    let page = api.schemas.page_of("LedgerPage", "A page of the ledger.", &line);
    let total = api.schemas.response::<LedgerTotal>();
    let shape = CreditService::ledger_shape();
    let listed = api
        .route(Method::GET, "/credits/ledger", "listLedger", ledger)
        .about("credits", "A page of the ledger: one line per operation, newest first")
        .explained("Agents see an operation from their own stock where it moved, otherwise from the balance of whom it was done to; with `username` every line is seen from that user. `search` looks for users, on both sides and as performers; agents find others than their own by their names only.")
        .requires(READ)
        .lists(&shape);
    drop(narrowed(listed).answers(200, "The page.", page).fails(&[ErrorKind::Missing, ErrorKind::Invalid]));
    let search = || json!({"type": "string", "maxLength": 200});
    let summed = api
        .route(Method::GET, "/credits/ledger/totals", "totalLedger", ledger_totals)
        .about("credits", "What the operations of the ledger add up to")
        .explained("One row for each operation type and kind of balance, of all that the filters and the search keep.")
        .requires(READ)
        .query("search", search(), "Substring to look for.");
    drop(
        narrowed(summed)
            .answers(200, "The totals.", json!({"type": "array", "items": total, "maxItems": 8}))
            .fails(&[ErrorKind::Missing, ErrorKind::Invalid]),
    );
    let exported = api
        .route(Method::GET, "/credits/ledger/export", "exportLedger", ledger_export)
        .about("credits", "The ledger as a CSV file, newest first")
        .explained("All that the filters and the search keep. Every cell is quoted, and one that begins like a formula has an apostrophe before it. The first row names the columns in the language of the request; times are the service's.")
        .requires(READ)
        .query("search", search(), "Substring to look for.")
        .query(
            "language",
            json!({"type": "string", "enum": ["es", "en"]}),
            "Of the file; that of the request, where it is left out. A link can't send a header.",
        );
    drop(
        narrowed(exported)
            .answers_file(200, "The file, as it is read.", &["text/csv"])
            .fails(&[ErrorKind::Missing, ErrorKind::Invalid]),
    );
}

fn narrowed(operation: Operation<'_>) -> Operation<'_> {
    let time = || json!({"type": "string", "examples": ["2026-11-20", "2026-11-20T10:00:00Z"]});
    let name = || json!({"type": "string", "maxLength": 50});
    operation
        .filter("username", name(), "Only operations that moved a balance of this user, seen from it.")
        .filter("performedBy", name(), "Only what this user did.")
        .filter("operation", json!({"type": "string", "enum": OperationType::CODES}), "Only these.")
        .query("from", time(), "From this day of the service's time zone on, or from this time on.")
        .query("to", time(), "Up to this day with all of it, or before this time.")
}

async fn ledger(
    caller: AuthUser,
    service: Credits,
    pairs: Pairs,
) -> Result<Json<Page<Vec<LedgerLine>>>, Problem> {
    Ok(Json(service.ledger(&caller, &pairs.0).await?))
}

async fn ledger_totals(
    caller: AuthUser,
    service: Credits,
    pairs: Pairs,
) -> Result<Json<Vec<LedgerTotal>>, Problem> {
    Ok(Json(service.ledger_totals(&caller, &pairs.0).await?))
}

/// What of a file has been sent.
enum Step {
    /// Nothing: these lines are the first.
    First(Vec<LedgerLine>, LedgerExport),
    /// Some lines.
    Next(LedgerExport),
}

async fn ledger_export(
    caller: AuthUser,
    service: Credits,
    pairs: Pairs,
    language: Language,
) -> Result<HttpResponse, Problem> {
    let locale = pairs.language(language.0);
    let pairs = pairs.without("language");
    let mut export = service.ledger_export(&caller, &pairs)?;
    // Read before the answer begins, so that what fails here is answered as a problem.
    let first = service.next_lines(&mut export).await?;
    let rows = try_unfold(Step::First(first, export), move |step| {
        let service = service.clone();
        async move {
            let (head, lines, export) = match step {
                Step::First(lines, export) => (head(&service, locale), lines, export),
                Step::Next(mut export) => (String::new(), service.next_lines(&mut export).await?, export),
            };
            if head.is_empty() && lines.is_empty() {
                return Ok::<_, Error>(None);
            }
            let text = lines.iter().fold(head, |text, line| text + &row(&service, line, locale));
            Ok(Some((Bytes::from(text), Step::Next(export))))
        }
    });
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/csv; charset=utf-8"))
        .insert_header((header::CONTENT_LANGUAGE, locale.code()))
        .insert_header((header::CONTENT_DISPOSITION, "attachment; filename=\"credits.csv\""))
        .streaming(Box::pin(rows)))
}

const fn labels(spanish: &'static str, english: &'static str) -> Labels {
    Labels { spanish, english }
}

/// The columns after the time.
const COLUMNS: [Labels; 13] = [
    labels("Operación", "Operation"),
    labels("Usuario", "User name"),
    labels("Nombre", "Name"),
    labels("Saldo de", "Balance of"),
    labels("Tipo de crédito", "Credit type"),
    labels("Entrada", "In"),
    labels("Salida", "Out"),
    labels("Saldo después", "Balance after"),
    labels("Contraparte", "Counterparty"),
    labels("Realizado por", "Performed by"),
    labels("Motivo", "Reason"),
    labels("Operación n.º", "Operation no."),
    labels("Revierte la n.º", "Reverses no."),
];

/// The first row, after the mark by which spreadsheets know UTF-8.
fn head(service: &CreditService, locale: Locale) -> String {
    let time = labels("Fecha y hora", "Date and time").in_language(locale);
    let time = format!("{time} ({})", service.zone_name());
    let rest = COLUMNS.iter().map(|column| column.in_language(locale));
    format!("\u{FEFF}{}", line([time.as_str()].into_iter().chain(rest)))
}

fn row(service: &CreditService, entry: &LedgerLine, locale: Locale) -> String {
    let unless = |number: i64, hidden: bool| if hidden { String::new() } else { number.abs().to_string() };
    let cells = [
        service.clock_time(entry),
        entry.operation_type.labels().in_language(locale).to_owned(),
        entry.target_user.username.to_string(),
        entry.target_user.full_name.clone(),
        entry.account_user.username.to_string(),
        entry.credit_type.labels().in_language(locale).to_owned(),
        unless(entry.amount, entry.amount < 0),
        unless(entry.amount, entry.amount > 0),
        entry.balance_after.to_string(),
        entry.counterparty.as_ref().map(|other| other.username.to_string()).unwrap_or_default(),
        entry.performed_by_user.username.to_string(),
        entry.reason.clone().unwrap_or_default(),
        entry.operation_id.to_string(),
        entry.reverses_operation_id.map(|id| id.to_string()).unwrap_or_default(),
    ];
    line(cells.iter().map(String::as_str))
}
