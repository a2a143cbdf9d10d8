//! Credits: operations, reversals and history (docs/spec/credits.md).

use actix_web::{
    HttpResponse,
    http::{
        Method,
        header::{self, LOCATION},
    },
    web::{Bytes, Data, Json, Path},
};
use application::{CreditService, Error, LedgerExport, PostedOnce};
use chrono::{DateTime, Utc};
use domain_credits::{
    CreditRequest, LedgerLine, LedgerTotal, Movement, OperationType, QuoteRequest, ReversalRequest, Warning,
};
use domain_kernel::csv::line;
use domain_kernel::{Action, Enumeration, ErrorKind, Labels, Locale, Page, Permission, Subject, Username};
use futures_util::stream::try_unfold;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::contents::REPLAYED;
use crate::{
    caller::AuthUser,
    extract::{Body, IdempotencyKey, ItemId, Pairs},
    language::Language,
    openapi::{Api, Operation},
    problem::Problem,
};

/// What an operation would do.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct QuoteAnswer {
    /// What would be done.
    operation_type: OperationType,
    /// To whom.
    target_username: String,
    /// How many.
    amount: i64,
    /// The target's balance before.
    balance_before: i64,
    /// The target's balance after.
    balance_after: i64,
    /// The target's expiration before; app credits only.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    expiration_before: Option<DateTime<Utc>>,
    /// The target's expiration after; app credits only.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    expiration_after: Option<DateTime<Utc>>,
    /// Whether it starts the subscription: nothing had been sold to the target before.
    starts_subscription: bool,
    /// Whose stock pays, or is paid back; null where the issuer mints or burns.
    payer: Option<PayerQuote>,
    /// What to know first.
    warnings: Vec<WarningAnswer>,
}

/// What an operation would do to the payer's stock.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PayerQuote {
    /// Who pays.
    username: Username,
    /// Their stock before.
    balance_before: i64,
    /// Their stock after.
    balance_after: i64,
}

/// Something to know before going on.
#[derive(Debug, Serialize, JsonSchema)]
struct WarningAnswer {
    /// For programs.
    code: Warning,
    /// For users, in the language of the request.
    message: &'static str,
}

/// How many there are.
#[derive(Debug, Serialize, JsonSchema)]
struct Count {
    /// The number.
    count: u64,
}

const MOVE: Permission = Permission::new(Subject("USER"), Action::Update);
const READ: Permission = Permission::new(Subject("CREDIT_HISTORY"), Action::Read);

pub(crate) fn register(api: &mut Api) {
    let movement = api.schemas.response::<Movement>();
    let request = api.schemas.request::<CreditRequest>();
    post(api, "/credits/add", "addCredits", OperationType::AddCredits, add, &request, &movement);
    post(api, "/credits/deduct", "deductCredits", OperationType::DeductCredits, deduct, &request, &movement);
    post(
        api,
        "/credits/add-for-sale",
        "addCreditsForSale",
        OperationType::AddCreditsForSale,
        add_for_sale,
        &request,
        &movement,
    );
    post(
        api,
        "/credits/deduct-for-sale",
        "deductCreditsForSale",
        OperationType::DeductCreditsForSale,
        deduct_for_sale,
        &request,
        &movement,
    );
    register_quote_and_reversal(api, &movement);
    register_history(api, movement);
    register_ledger(api);
}

fn register_quote_and_reversal(api: &mut Api, movement: &Value) {
    let (request, answer) = (api.schemas.request::<QuoteRequest>(), api.schemas.response::<QuoteAnswer>());
    drop(
        api.route(Method::POST, "/credits/quote", "quoteCredits", quote)
            .about("credits", "Preview an operation")
            .explained(
                "Checks what the operation would check, and fails where it would fail. Nothing is stored.",
            )
            .requires(MOVE)
            .takes(request)
            .answers(200, "The result of the operation, which is not carried out.", answer)
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    let reversal = api.schemas.request::<ReversalRequest>();
    drop(
        api.route(Method::POST, "/credits/{id}/reverse", "reverseCredits", reverse)
            .about("credits", "Reverse an operation, once")
            .explained("Both sides get back what they had. The expiration becomes what it was, or moves back by the same months if something has moved it since. An agent reverses its own sale within 60 minutes, while nothing else moved the customer's credits or expiration. The body may be left out.")
            .requires(MOVE)
            .takes_effect_once()
            .takes(reversal)
            .answers(201, "The target's movement.", movement.clone())
            .answers_header(201, "Location", "The address of the entity.")
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
}

fn register_history(api: &mut Api, movement: Value) {
    let page = api.schemas.page_of("MovementPage", "A page of the credit history.", &movement);
    let shape = CreditService::list_shape();
    drop(
        api.route(Method::GET, "/credits", "listCredits", list)
            .about("credits", "List the credit history, newest first")
            .explained("Agents get their own and those of their subtree. `search` looks for users, as targets and as performers.")
            .requires(READ)
            .lists(&shape)
            .filter("username", json!({"type": "string"}), "Only this user's.")
            .answers(200, "A page of rows.", page.clone())
            .fails(&[ErrorKind::Missing, ErrorKind::Invalid]),
    );
    drop(
        api.route(Method::GET, "/credits/{id}", "getCredits", find)
            .about("credits", "Get a movement")
            .requires(READ)
            .answers(200, "The movement.", movement.clone())
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::GET, "/credits/history/{username}", "listCreditsOf", list_of)
            .about("credits", "List the credit history of a user, newest first")
            .requires(READ)
            .lists(&shape)
            .answers(200, "A page of rows.", page)
            .fails(&[ErrorKind::Missing, ErrorKind::Invalid]),
    );
    drop(
        api.route(Method::GET, "/credits/history/{username}/recent", "recentCreditsOf", recent)
            .about("credits", "List the latest movements of a user, at most ten")
            .requires(READ)
            .answers(200, "Newest first.", json!({"type": "array", "items": movement, "maxItems": 10}))
            .fails(&[ErrorKind::Missing]),
    );
    let count_of = api.schemas.response::<Count>();
    drop(
        api.route(Method::GET, "/credits/history/{username}/count", "countCreditsOf", count)
            .about("credits", "Count the movements of a user")
            .requires(READ)
            .answers(200, "The number.", count_of)
            .fails(&[ErrorKind::Missing]),
    );
}

/// The ledger by operations.
fn register_ledger(api: &mut Api) {
    let line = api.schemas.response::<LedgerLine>();
    let page = api.schemas.page_of("LedgerPage", "A page of the ledger.", &line);
    let total = api.schemas.response::<LedgerTotal>();
    let shape = CreditService::ledger_shape();
    let listed = api
        .route(Method::GET, "/credits/ledger", "listLedger", ledger)
        .about("credits", "A page of the ledger: one line per operation, newest first")
        .explained("Agents see an operation from their own stock where it moved, otherwise from the balance of whom it was done to; with `username` every line is seen from that user. `search` looks for users, on both sides and as performers.")
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

fn post<H, A>(
    api: &mut Api,
    path: &str,
    id: &str,
    operation: OperationType,
    handler: H,
    request: &Value,
    movement: &Value,
) where
    H: actix_web::Handler<A>,
    A: actix_web::FromRequest + 'static,
    H::Output: actix_web::Responder + 'static,
{
    let bounded = json!({"allOf": [request, {"type": "object", "properties": {"amount": {"maximum": operation.largest_amount()}}}]});
    let route = api.route(Method::POST, path, id, handler).about("credits", operation.labels().english);
    let route =
        if operation == OperationType::DeductCredits { route.requires_admin() } else { route.requires(MOVE) };
    drop(
        route
            .explained(if operation.is_for_sale() {
                "For agents. Admins mint and burn; an agent hands out of its own stock to its sub-agents, and takes back into it."
            } else {
                "For app users: one credit is one month. Admins mint and burn; an agent pays from its own stock."
            })
            .takes_effect_once()
            .takes(bounded)
            .answers(201, "The target's movement.", movement.clone())
            .answers_header(201, "Location", "The address of the entity.")
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
}

type Credits = Data<CreditService>;

fn posted(once: &PostedOnce) -> HttpResponse {
    let mut answer = HttpResponse::Created();
    answer.insert_header((LOCATION, format!("/api/credits/{}", once.movement.id)));
    if once.replayed {
        answer.insert_header(REPLAYED);
    }
    answer.json(&once.movement)
}

async fn moved(
    caller: &AuthUser,
    service: &CreditService,
    operation: OperationType,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    Ok(posted(&service.post(caller, operation, &body.0, key.0.as_deref()).await?))
}

async fn add(
    caller: AuthUser,
    service: Credits,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    moved(&caller, &service, OperationType::AddCredits, key, body).await
}

async fn deduct(
    caller: AuthUser,
    service: Credits,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    moved(&caller, &service, OperationType::DeductCredits, key, body).await
}

async fn add_for_sale(
    caller: AuthUser,
    service: Credits,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    moved(&caller, &service, OperationType::AddCreditsForSale, key, body).await
}

async fn deduct_for_sale(
    caller: AuthUser,
    service: Credits,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    moved(&caller, &service, OperationType::DeductCreditsForSale, key, body).await
}

async fn reverse(
    caller: AuthUser,
    service: Credits,
    id: ItemId,
    key: IdempotencyKey,
    body: Bytes,
) -> Result<HttpResponse, Problem> {
    Ok(posted(&service.reverse(&caller, id.0, &body, key.0.as_deref()).await?))
}

async fn quote(
    caller: AuthUser,
    service: Credits,
    language: Language,
    body: Body,
) -> Result<Json<QuoteAnswer>, Problem> {
    let (request, quote) = service.quote(&caller, &body.0).await?;
    let payer = quote.payer_before.zip(quote.transfer.payer_stock).map(|(before, after)| PayerQuote {
        username: caller.username.clone(),
        balance_before: before,
        balance_after: after,
    });
    let warnings = quote
        .warnings
        .iter()
        .map(|warning| WarningAnswer { code: *warning, message: warning.labels().in_language(language.0) });
    Ok(Json(QuoteAnswer {
        operation_type: request.operation_type,
        target_username: request.target_username,
        amount: request.amount,
        balance_before: quote.before.balance,
        balance_after: quote.transfer.target.balance,
        expiration_before: quote.before.expiration,
        expiration_after: quote.transfer.target.expiration,
        starts_subscription: quote.starts_subscription,
        payer,
        warnings: warnings.collect(),
    }))
}

async fn list(
    caller: AuthUser,
    service: Credits,
    pairs: Pairs,
) -> Result<Json<Page<Vec<Movement>>>, Problem> {
    Ok(Json(service.history(&caller, &pairs.0).await?))
}

async fn find(caller: AuthUser, service: Credits, id: ItemId) -> Result<Json<Movement>, Problem> {
    Ok(Json(service.find(&caller, id.0).await?))
}

async fn list_of(
    caller: AuthUser,
    service: Credits,
    username: Path<String>,
    pairs: Pairs,
) -> Result<Json<Page<Vec<Movement>>>, Problem> {
    Ok(Json(service.history_of(&caller, &username, &pairs.0).await?))
}

async fn recent(
    caller: AuthUser,
    service: Credits,
    username: Path<String>,
) -> Result<Json<Vec<Movement>>, Problem> {
    Ok(Json(service.recent(&caller, &username).await?))
}

async fn count(caller: AuthUser, service: Credits, username: Path<String>) -> Result<Json<Count>, Problem> {
    Ok(Json(Count { count: service.count(&caller, &username).await? }))
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
    let (own, pairs): (Vec<_>, Vec<_>) = pairs.0.into_iter().partition(|(name, _)| name == "language");
    let locale = match own.last().map(|(_, code)| code.as_str()) {
        Some("es") => Locale::Spanish,
        Some("en") => Locale::English,
        _ => language.0,
    };
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
