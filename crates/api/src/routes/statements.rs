//! Monthly statements of agents (docs/spec/credits.md#statement).

use actix_web::{
    HttpResponse,
    http::{Method, header},
    web::{Bytes, Data, Json, Path},
};
use application::{Error, ExportedLine, StatementExport, StatementService};
use domain_credits::Statement;
use domain_kernel::csv::{BYTE_ORDER_MARK, line_in, separator};
use domain_kernel::{Action, Enumeration, ErrorKind, Labels, Locale, Permission, Subject};
use futures_util::stream::try_unfold;
use serde_json::json;

use crate::{
    caller::AuthUser,
    extract::Pairs,
    language::Language,
    openapi::{Api, Operation},
    problem::Problem,
};

const READ: Permission = Permission::new(Subject("CREDIT_HISTORY"), Action::Read);

pub(crate) fn register(api: &mut Api) {
    let statement = api.schemas.response::<Statement>();
    let read = api
        .route(Method::GET, "/statements/{username}", "getStatement", find)
        .about("credits", "The statement of an agent: what moved its stock in a month")
        .explained("The opening stock and all lines add up to the closing stock. Agents get their own and those of the agents of their subtree.")
        .requires(READ);
    drop(
        of_month(read)
            .answers(200, "The statement.", statement)
            .fails(&[ErrorKind::Missing, ErrorKind::Invalid]),
    );
    let exported = api
        .route(Method::GET, "/statements/{username}/export", "exportStatement", export)
        .about("credits", "The statement of an agent as a CSV file")
        .explained("A row for each concept and other user: all rows before the last add up to the last, the closing stock. Every cell is quoted, and a text that begins like a formula has an apostrophe before it.")
        .requires(READ)
        .query(
            "language",
            json!({"type": "string", "enum": ["es", "en"]}),
            "Of the file; that of the request, where it is left out. A link can't send a header.",
        );
    drop(
        of_month(exported)
            .answers_file(200, "The file, as it is read.", &["text/csv"])
            .fails(&[ErrorKind::Missing, ErrorKind::Invalid]),
    );
}

fn of_month(operation: Operation<'_>) -> Operation<'_> {
    operation.query(
        "month",
        json!({"type": "string", "examples": ["2026-11"]}),
        "The month, of the service's time zone; this month, where it is left out.",
    )
}

type Service = Data<StatementService>;

async fn find(
    caller: AuthUser,
    service: Service,
    username: Path<String>,
    pairs: Pairs,
) -> Result<Json<Statement>, Problem> {
    Ok(Json(service.find(&caller, &username, &pairs.0).await?))
}

async fn export(
    caller: AuthUser,
    service: Service,
    username: Path<String>,
    pairs: Pairs,
    language: Language,
) -> Result<HttpResponse, Problem> {
    let locale = pairs.language(language.0);
    let pairs = pairs.without("language");
    let mut export = service.export(&caller, &username, &pairs).await?;
    let name = format!("{}-{}.csv", export.username(), export.month());
    // Read before the answer begins, so that what fails here is answered as a problem.
    let first = service.next_lines(&mut export).await?;
    let rows = try_unfold((Some(first), export), move |(first, mut export)| {
        let service = service.clone();
        async move {
            let (head, lines) = match first {
                Some(lines) => (head(locale), lines),
                None => (String::new(), service.next_lines(&mut export).await?),
            };
            if head.is_empty() && lines.is_empty() {
                return Ok::<_, Error>(None);
            }
            let text = lines.iter().fold(head, |text, line| text + &row(&export, line, locale));
            Ok(Some((Bytes::from(text), (None, export))))
        }
    });
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/csv; charset=utf-8"))
        .insert_header((header::CONTENT_LANGUAGE, locale.code()))
        .insert_header((header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")))
        .streaming(Box::pin(rows)))
}

const fn labels(spanish: &'static str, english: &'static str) -> Labels {
    Labels { spanish, english }
}

const COLUMNS: [Labels; 7] = [
    labels("Mes", "Month"),
    labels("Agente", "Agent"),
    labels("Concepto", "Concept"),
    labels("Usuario", "User name"),
    labels("Nombre", "Name"),
    labels("Movimientos", "Movements"),
    labels("Créditos", "Credits"),
];
const OPENING: Labels = labels("Existencias iniciales", "Opening stock");
const CLOSING: Labels = labels("Existencias finales", "Closing stock");

/// The first row, after the mark by which spreadsheets know UTF-8.
fn head(locale: Locale) -> String {
    format!("{BYTE_ORDER_MARK}{}", line_in(locale, COLUMNS.iter().map(|column| column.in_language(locale))))
}

fn row(export: &StatementExport, exported: &ExportedLine, locale: Locale) -> String {
    let (concept, user, movements, amount) = match exported {
        ExportedLine::Opening(stock) => (OPENING, None, None, *stock),
        ExportedLine::Moved(user, line) => {
            (line.concept.labels(), user.as_ref(), Some(line.movements), line.amount)
        }
        ExportedLine::Closing(stock) => (CLOSING, None, None, *stock),
    };
    let text = line_in(
        locale,
        [
            export.month(),
            export.username().as_str(),
            concept.in_language(locale),
            user.map(|user| user.username.as_str()).unwrap_or_default(),
            user.map(|user| user.full_name.as_str()).unwrap_or_default(),
            &movements.map(|movements| movements.to_string()).unwrap_or_default(),
        ],
    );
    // A number is no formula, and a sum needs its sign.
    format!("{}{}\"{amount}\"\r\n", text.trim_end(), separator(locale))
}
