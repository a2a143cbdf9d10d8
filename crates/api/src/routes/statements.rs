//! Monthly statements of agents (docs/spec/credits.md#statement).

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json, Path},
};
use application::{AuditService, Error, ExportedLine, StatementExport, StatementService};
use domain_credits::Statement;
use domain_kernel::{Action, Cell, Enumeration, ErrorKind, Labels, Locale, Permission, Subject};
use serde_json::json;

use super::spreadsheets::{RowSource, csv_file};
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
        .about("credits", "Get the monthly statement of an agent")
        .explained("The opening stock and all lines add up to the closing stock. Agents get their own, and those of agents in their subtree.")
        .requires(READ);
    drop(
        of_month(read)
            .answers(200, "The statement.", statement)
            .fails(&[ErrorKind::Missing, ErrorKind::Invalid]),
    );
    let exported = api
        .route(Method::GET, "/statements/{username}/export", "exportStatement", export)
        .about("credits", "Export the monthly statement of an agent as a CSV file")
        .explained("A row for each concept and other user; the last row, the closing stock, is the total of those before. Every cell is quoted, and a text that starts like a formula is prefixed by an apostrophe.")
        .requires(READ)
        .query(
            "language",
            json!({"type": "string", "enum": ["es", "en"]}),
            "Language of the file; default: that of the request. For links, which can't send a header.",
        );
    drop(
        of_month(exported)
            .answers_file(200, "The file.", &["text/csv"])
            .fails(&[ErrorKind::Missing, ErrorKind::Invalid]),
    );
}

fn of_month(operation: Operation<'_>) -> Operation<'_> {
    operation.query(
        "month",
        json!({"type": "string", "examples": ["2026-11"]}),
        "Month in the service's time zone; default: the current one.",
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
    audit: Data<AuditService>,
    username: Path<String>,
    pairs: Pairs,
    language: Language,
) -> Result<HttpResponse, Problem> {
    let locale = pairs.language(language.0);
    let pairs = pairs.without("language");
    let export = service.export(&audit, &caller, &username, &pairs).await?;
    let name = format!("{}-{}", export.username(), export.month());
    let heading = COLUMNS.iter().map(|column| column.in_language(locale).to_owned()).collect();
    csv_file(&name, heading, StatementRows { service, export, locale }, locale).await
}

struct StatementRows {
    service: Service,
    export: StatementExport,
    locale: Locale,
}

impl RowSource for StatementRows {
    async fn next_rows(&mut self) -> Result<Vec<Vec<Cell>>, Error> {
        let lines = self.service.next_lines(&mut self.export).await?;
        Ok(lines.iter().map(|line| row(&self.export, line, self.locale)).collect())
    }
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

fn row(export: &StatementExport, exported: &ExportedLine, locale: Locale) -> Vec<Cell> {
    let (concept, user, movements, amount) = match exported {
        ExportedLine::Opening(stock) => (OPENING, None, None, *stock),
        ExportedLine::Moved(user, line) => {
            (line.concept.labels(), user.as_ref(), Some(line.movements), line.amount)
        }
        ExportedLine::Closing(stock) => (CLOSING, None, None, *stock),
    };
    let text = |text: &str| Cell::Text(text.to_owned());
    vec![
        text(export.month()),
        text(export.username().as_str()),
        text(concept.in_language(locale)),
        user.map_or(Cell::Empty, |user| text(user.username.as_str())),
        user.map_or(Cell::Empty, |user| text(&user.full_name)),
        movements.map_or(Cell::Empty, |movements| Cell::Integer(movements.cast_signed())),
        Cell::Integer(amount),
    ]
}
