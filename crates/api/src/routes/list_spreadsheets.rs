//! Lists that are no content as spreadsheets (docs/spec/import-export.md#other-lists).

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json},
};
use application::{Error, ListAccess, ListExport, ListSheetService, SheetList};
use domain_kernel::{Cell, ErrorKind};
use ports::SheetFiles;
use serde_json::json;

use super::spreadsheets::{ColumnAnswer, FORMATS, FileRequest, RowSource, SHEET_FILES};
use crate::{
    caller::AuthUser,
    extract::Pairs,
    language::Language,
    openapi::{Api, Operation},
    problem::Problem,
};

/// A list by its type, so that each has a handler of its own.
trait Listed: 'static {
    const LIST: SheetList;
    /// What its calls are called.
    const NAME: &'static str;
}

macro_rules! lists {
    ($($list:ident $name:literal)+) => {
        $(
            struct $list;

            impl Listed for $list {
                const LIST: SheetList = SheetList::$list;
                const NAME: &'static str = $name;
            }
        )+

        pub(crate) fn register(api: &mut Api) {
            $(publish::<$list>(api);)+
        }
    };
}
lists! {
    Users "User"
    IssueReports "IssueReport"
    Credits "Ledger"
    Visits "Visit"
    Renewals "Renewal"
    Audit "Audit"
    IntegratorKeys "IntegratorKey"
    Trash "Trash"
    Operations "Operation"
    WebhookDeliveries "WebhookDelivery"
}

/// Who may read a list.
fn guarded(list: SheetList, operation: Operation<'_>) -> Operation<'_> {
    match list.access() {
        ListAccess::Permission(permission) => operation.requires(permission),
        ListAccess::Admins => operation.requires_admin(),
        ListAccess::Roles(roles) => operation.requires_role(roles),
    }
}

fn publish<L: Listed>(api: &mut Api) {
    let (path, name) = (L::LIST.path(), L::NAME);
    let column = api.schemas.response::<ColumnAnswer>();
    let route = api.route(
        Method::GET,
        &format!("/spreadsheets/{path}/columns"),
        &format!("list{name}SheetColumns"),
        columns::<L>,
    );
    drop(
        guarded(L::LIST, route)
            .about("spreadsheets", "List the columns that a spreadsheet of this list can have")
            .answers(200, "The columns, in their order.", json!({"type": "array", "items": column})),
    );
    let route = api.route(
        Method::GET,
        &format!("/spreadsheets/{path}"),
        &format!("export{name}Sheet"),
        spreadsheet::<L>,
    );
    drop(
        guarded(L::LIST, route)
            .about("spreadsheets", "Export this list as a spreadsheet")
            .explained(
                "All rows that the search and the filters of the list keep, of those whom the caller sees, at most \
                 1,000,000, in the order of `_sort`. The parameters are those of the list, without its pages. In CSV every \
                 cell is quoted, and one that begins like a formula has an apostrophe before it; Spanish files have \
                 semicolons and decimal commas. Times are the service's.",
            )
            .query("format", json!({"type": "string", "enum": FORMATS, "default": "csv"}), "Of the file.")
            .query("columns", json!({"type": "string"}), "Comma-separated columns; all where it is left out.")
            .query(
                "language",
                json!({"type": "string", "enum": ["es", "en"]}),
                "Of the file; that of the request, where it is left out. A link can't send a header.",
            )
            .query("_sort", json!({"type": "string"}), "As in the list.")
            .query("search", json!({"type": "string", "maxLength": 200}), "Substring to look for, where the list has a search.")
            .answers_file(200, "The file.", &SHEET_FILES)
            .fails(&[ErrorKind::Invalid, ErrorKind::Missing]),
    );
}

async fn columns<L: Listed>(
    caller: AuthUser,
    service: Data<ListSheetService>,
    language: Language,
) -> Result<Json<Vec<ColumnAnswer>>, Problem> {
    let columns = service.columns(&caller, L::LIST)?;
    let answer = |(key, labels): (&'static str, domain_kernel::Labels)| ColumnAnswer {
        key: key.to_owned(),
        heading: labels.in_language(language.0).to_owned(),
    };
    Ok(Json(columns.into_iter().map(answer).collect()))
}

async fn spreadsheet<L: Listed>(
    caller: AuthUser,
    service: Data<ListSheetService>,
    files: Data<dyn SheetFiles>,
    pairs: Pairs,
    language: Language,
) -> Result<HttpResponse, Problem> {
    let request = FileRequest::read(pairs, language.0)?;
    let export = service.begin(&caller, L::LIST, &request.request()).await?;
    let heading = export.headings.clone();
    request.answer(L::LIST.path(), heading, export, files).await
}

impl RowSource for ListExport {
    async fn next_rows(&mut self) -> Result<Vec<Vec<Cell>>, Error> {
        Self::next_rows(self).await
    }
}
