//! The history of visits: its list, its days, and the file of it (docs/spec/integrations.md#visits).
//! Recording is for programs with a key.

use actix_web::{
    HttpResponse,
    http::{Method, header},
    web::{Bytes, Data, Json},
};
use application::{Error, VisitExport, VisitService, VisitsRecorded};
use domain_audience::{DayOfVisits, Visit, VisitBatch, VisitKind};
use domain_kernel::{
    Action, Enumeration, ErrorKind, KeyScope, Labels, Locale, Page, Permission, Subject, csv::line,
};
use futures_util::stream::try_unfold;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::contents::REPLAYED;

use crate::{
    caller::{AuthApiKey, AuthUser},
    extract::{Body, IdempotencyKey, Pairs},
    language::Language,
    openapi::{Api, Operation},
    problem::Problem,
};

/// What became of a batch of visits.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct VisitsAnswer {
    /// Visits that were recorded.
    recorded: u64,
}

const READ: Permission = Permission::new(Subject("VIEW_HISTORY"), Action::Read);

pub(crate) fn register(api: &mut Api) {
    let visit = api.schemas.response::<Visit>();
    let page = api.schemas.page_of("VisitPage", "A page of the history of visits.", &visit);
    let shape = VisitService::list_shape();
    let listed = api
        .route(Method::GET, "/visits", "listVisits", list)
        .about("visits", "List visits, newest first")
        .explained("`search` looks in user names, names, devices and titles.")
        .requires(READ)
        .lists(&shape);
    drop(narrowed(listed).answers(200, "A page of rows.", page).fails(&[ErrorKind::Invalid]));
    let request = api.schemas.request::<VisitBatch>();
    let recorded = api.schemas.response::<VisitsAnswer>();
    drop(
        api.route(Method::POST, "/visits", "recordVisits", record)
            .about("integrators", "Record visits and sign-ins, at most a thousand at once")
            .explained("All or none; violations name the place (`visits[3].username`). `Idempotency-Key` is required, so that a batch that is sent again is not recorded again. A viewer's SIGN_IN counts up their sign-ins.")
            .requires_scope(KeyScope::VisitsRecord)
            .requires_idempotency_key()
            .takes(request)
            .answers(200, "Recorded.", recorded)
            .fails(&[ErrorKind::Conflict]),
    );
    let day = api.schemas.response::<DayOfVisits>();
    let counted = api
        .route(Method::GET, "/visits/per-day", "countVisitsPerDay", per_day)
        .about("visits", "Count visits by day")
        .explained("Days are those of the service's time zone; days without visits are among them. `from` and `to` are dates here, at most 366 days: the last 30 where they are left out.")
        .requires(READ);
    drop(
        narrowed(counted)
            .answers(200, "The days, in order.", json!({"type": "array", "items": day, "maxItems": 366}))
            .fails(&[ErrorKind::Invalid]),
    );
    let request = api
        .route(Method::GET, "/visits/export", "exportVisits", export)
        .about("visits", "Export visits as a CSV file, newest first")
        .explained("All that the filters and the search keep. Every cell is quoted, and one that begins like a formula has an apostrophe before it. The first row names the columns in the language of the request; times are the service's.")
        .requires(READ)
        .query("search", json!({"type": "string", "maxLength": 200}), "Substring to look for.")
        .query(
            "language",
            json!({"type": "string", "enum": ["es", "en"]}),
            "Of the first row; that of the request, where it is left out. A link can't send a header.",
        );
    drop(
        narrowed(request)
            .answers_file(200, "The file, as it is read.", &["text/csv"])
            .fails(&[ErrorKind::Invalid]),
    );
}

fn narrowed(operation: Operation<'_>) -> Operation<'_> {
    let moment = || json!({"type": "string", "examples": ["2026-11-20", "2026-11-20T10:00:00Z"]});
    operation
        .filter("username", json!({"type": "string", "maxLength": 100}), "Only this user's, in any case.")
        .filter("kind", json!({"type": "string", "enum": VisitKind::CODES}), "Only these.")
        .query("from", moment(), "From this day of the service's time zone on, or from this moment on.")
        .query("to", moment(), "Up to this day with all of it, or before this moment.")
}

async fn list(
    caller: AuthUser,
    service: Data<VisitService>,
    pairs: Pairs,
) -> Result<Json<Page<Vec<Visit>>>, Problem> {
    Ok(Json(service.list(&caller, &pairs.0).await?))
}

async fn per_day(
    caller: AuthUser,
    service: Data<VisitService>,
    pairs: Pairs,
) -> Result<Json<Vec<DayOfVisits>>, Problem> {
    Ok(Json(service.per_day(&caller, &pairs.0).await?))
}

async fn export(
    caller: AuthUser,
    service: Data<VisitService>,
    pairs: Pairs,
    language: Language,
) -> Result<HttpResponse, Problem> {
    let locale = pairs.language(language.0);
    let pairs = pairs.without("language");
    let mut export = service.export(&caller, &pairs)?;
    // Read before the answer begins, so that a failure here has its own answer.
    let first = service.next(&mut export).await?;
    let rows = try_unfold(Step::First(first, export), move |step| {
        let service = service.clone();
        async move {
            let (head, visits, export) = match step {
                Step::First(visits, export) => (head(&service, locale), visits, export),
                Step::Next(mut export) => (String::new(), service.next(&mut export).await?, export),
            };
            if head.is_empty() && visits.is_empty() {
                return Ok::<_, Error>(None);
            }
            let text = visits.iter().fold(head, |text, visit| text + &row(&service, visit, locale));
            Ok(Some((Bytes::from(text), Step::Next(export))))
        }
    });
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/csv; charset=utf-8"))
        .insert_header((header::CONTENT_LANGUAGE, locale.code()))
        .insert_header((header::CONTENT_DISPOSITION, "attachment; filename=\"visits.csv\""))
        .streaming(Box::pin(rows)))
}

/// Where the file is.
enum Step {
    /// These go first.
    First(Vec<Visit>, VisitExport),
    /// Whatever is next.
    Next(VisitExport),
}

const fn labels(spanish: &'static str, english: &'static str) -> Labels {
    Labels { spanish, english }
}

/// The columns after the time.
const COLUMNS: [Labels; 9] = [
    labels("Tipo", "Type"),
    labels("Usuario", "User name"),
    labels("Nombre", "Name"),
    labels("Dirección IP", "IP address"),
    labels("Dispositivo", "Device"),
    labels("Tipo de contenido", "Content type"),
    labels("ID del contenido", "Content ID"),
    labels("Contenido", "Content"),
    labels("Origen", "Source"),
];

/// The first row, behind the mark by which spreadsheets know UTF-8.
fn head(service: &VisitService, locale: Locale) -> String {
    let time = labels("Fecha y hora", "Date and time").in_language(locale);
    let time = format!("{time} ({})", service.zone_name());
    let rest = COLUMNS.iter().map(|column| column.in_language(locale));
    format!("\u{FEFF}{}", line([time.as_str()].into_iter().chain(rest)))
}

fn row(service: &VisitService, visit: &Visit, locale: Locale) -> String {
    let time = service.clock_time(visit);
    let or_blank = |text: &Option<String>| text.clone().unwrap_or_default();
    let content = visit.content.as_ref();
    let id = content.and_then(|content| content.content_id).map(|id| id.to_string()).unwrap_or_default();
    let cells = [
        time,
        visit.kind.labels().in_language(locale).to_owned(),
        visit.username.clone(),
        or_blank(&visit.full_name),
        or_blank(&visit.address),
        or_blank(&visit.device),
        content
            .map(|content| content.content_type.labels().in_language(locale).to_owned())
            .unwrap_or_default(),
        id,
        content.map(|content| or_blank(&content.title)).unwrap_or_default(),
        visit.source.clone().unwrap_or_else(|| "Panel".to_owned()),
    ];
    line(cells.iter().map(String::as_str))
}

async fn record(
    program: AuthApiKey,
    service: Data<VisitService>,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let VisitsRecorded { recorded, replayed } = service.record(&program.0, &body.0, key.0.as_deref()).await?;
    let mut answer = HttpResponse::Ok();
    if replayed {
        answer.insert_header(REPLAYED);
    }
    Ok(answer.json(VisitsAnswer { recorded }))
}
