//! Lists other than content as spreadsheets (docs/spec/import-export.md#other-lists).

use std::future::ready;

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

/// The name of a list in operation IDs.
const fn name(list: SheetList) -> &'static str {
    match list {
        SheetList::Users => "User",
        SheetList::IssueReports => "IssueReport",
        SheetList::Credits => "Ledger",
        SheetList::Visits => "Visit",
        SheetList::Renewals => "Renewal",
        SheetList::Audit => "Audit",
        SheetList::IntegratorKeys => "IntegratorKey",
        SheetList::Trash => "Trash",
        SheetList::Operations => "Operation",
        SheetList::Webhooks => "Webhook",
        SheetList::WebhookDeliveries => "WebhookDelivery",
        SheetList::IssueGroups => "IssueGroup",
        SheetList::ReversalRequests => "ReversalRequest",
        SheetList::Links => "StreamLink",
        SheetList::PlaylistSources => "PlaylistSource",
        SheetList::PlaylistChanges => "PlaylistChange",
        SheetList::PlaylistLines => "PlaylistLine",
        SheetList::LiveProfiles => "LiveProfile",
        SheetList::EpgMatches => "EpgMatch",
        SheetList::GuideChannels => "GuideChannel",
        SheetList::Schedule => "Schedule",
        SheetList::Duplicates => "Duplicate",
        SheetList::GuideHealth => "GuideHealth",
    }
}

pub(crate) fn register(api: &mut Api) {
    for list in SheetList::ALL {
        publish(api, *list);
    }
}

/// Adds the authorization of a list.
fn guarded(list: SheetList, operation: Operation<'_>) -> Operation<'_> {
    match list.access() {
        ListAccess::Permission(permission) => operation.requires(permission),
        ListAccess::Admins => operation.requires_admin(),
        ListAccess::Roles(roles) => operation.requires_role(roles),
    }
}

fn publish(api: &mut Api, list: SheetList) {
    let (path, name) = (list.path(), name(list));
    let column = api.schemas.response::<ColumnAnswer>();
    let route = api.route(
        Method::GET,
        &format!("/spreadsheets/{path}/columns"),
        &format!("list{name}SheetColumns"),
        move |caller, service, language| ready(columns(list, caller, service, language)),
    );
    drop(
        guarded(list, route).about("spreadsheets", "List the columns for spreadsheets of this list").answers(
            200,
            "The columns, in their order.",
            json!({"type": "array", "items": column}),
        ),
    );
    let route = api.route(
        Method::GET,
        &format!("/spreadsheets/{path}"),
        &format!("export{name}Sheet"),
        move |caller, service, files, pairs, language| {
            spreadsheet(list, caller, service, files, pairs, language)
        },
    );
    drop(
        guarded(list, route)
            .about("spreadsheets", "Export this list as a spreadsheet")
            .explained(
                "All rows that match the search and the filters of the list, in the caller's scope, at most \
                 1,000,000, in the order of `_sort`. The parameters are those of the list, except for those of pages, and \
                 what the list has in its path: `kind`, `webhook`, `guide`, `source` and `run`. In CSV every \
                 cell is quoted, and one that begins like a formula has an apostrophe before it; Spanish files have \
                 semicolons and decimal commas. Times are in the service's time zone.",
            )
            .query("format", json!({"type": "string", "enum": FORMATS, "default": "csv"}), "Format of the file.")
            .query("columns", json!({"type": "string"}), "Comma-separated columns; default: all.")
            .query(
                "language",
                json!({"type": "string", "enum": ["es", "en"]}),
                "Language of the file; default: that of the request. For links, which can't send a header.",
            )
            .query("_sort", json!({"type": "string"}), "As in the list.")
            .query("search", json!({"type": "string", "maxLength": 200}), "Substring to look for, if the list has a search.")
            .answers_file(200, "The file.", &SHEET_FILES)
            .fails(&[ErrorKind::Invalid, ErrorKind::Missing]),
    );
}

fn columns(
    list: SheetList,
    caller: AuthUser,
    service: Data<ListSheetService>,
    language: Language,
) -> Result<Json<Vec<ColumnAnswer>>, Problem> {
    let columns = service.columns(&caller, list)?;
    let answer = |(key, labels): (&'static str, domain_kernel::Labels)| ColumnAnswer {
        key: key.to_owned(),
        heading: labels.in_language(language.0).to_owned(),
    };
    Ok(Json(columns.into_iter().map(answer).collect()))
}

async fn spreadsheet(
    list: SheetList,
    caller: AuthUser,
    service: Data<ListSheetService>,
    files: Data<dyn SheetFiles>,
    pairs: Pairs,
    language: Language,
) -> Result<HttpResponse, Problem> {
    let request = FileRequest::read(pairs, language.0)?;
    let export = service.begin(&caller, list, &request.request()).await?;
    let heading = export.headings.clone();
    request.answer(list.path(), heading, export, files).await
}

impl RowSource for ListExport {
    async fn next_rows(&mut self) -> Result<Vec<Vec<Cell>>, Error> {
        Self::next_rows(self).await
    }
}
