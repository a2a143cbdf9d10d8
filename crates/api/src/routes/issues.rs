//! Viewers' reports (docs/spec/reports.md).

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json},
};
use application::{IssueService, LinkReportService};
use domain_issues::{HistoryEntry, IssueGroup, IssueStats, NewReport, ReportPatch, ReportSeen};
use domain_kernel::{Action, ErrorKind, FilterKind, Id, KeyScope, Page, Permission, Subject, UserRef};
use ports::IssueItem;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    answer_headers::{created_at, tagged},
    contents::{ETAG_ABOUT, if_match},
    list_parameters::{filter_schema, filter_words},
};
use crate::{
    caller::{AuthAny, AuthUser},
    extract::{Body, IdempotencyKey, IfMatch, ItemId, Pairs},
    openapi::Api,
    problem::Problem,
};

/// The item of a report, in its current state.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReportedItem {
    /// Kind of the item, as in its path: `movies`.
    kind: &'static str,
    /// ID of the item.
    id: Id,
    /// Title of the item; for an episode with that of the show and the numbers.
    title: String,
    /// ID of the show of an episode; null for other kinds.
    show_id: Option<Id>,
}

/// A report in the list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct IssueReportRow {
    #[serde(flatten)]
    seen: ReportSeen,
    /// Whether the report is about playback, and the link for players failed and plays again since
    /// the report.
    plays_again: bool,
}

/// A report with its item and history.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct IssueReport {
    #[serde(flatten)]
    seen: ReportSeen,
    /// The item; null if it is unknown or deleted.
    item: Option<ReportedItem>,
    /// Changes of the report, oldest first.
    history: Vec<HistoryEntry>,
}

/// The open reports on an item.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct IssueGroupRow {
    #[serde(flatten)]
    group: IssueGroup,
    /// The item; null if it is unknown or deleted.
    item: Option<ReportedItem>,
}

impl From<IssueItem> for ReportedItem {
    fn from(item: IssueItem) -> Self {
        let IssueItem { kind, id, title, show, .. } = item;
        Self { kind: kind.path(), id, title, show_id: show }
    }
}

const ISSUES: Subject = Subject("ISSUES");
const READ: Permission = Permission::new(ISSUES, Action::Read);
const UPDATE: Permission = Permission::new(ISSUES, Action::Update);
const ONE: &str = "/issue-reports/{id}";

pub(crate) fn register(api: &mut Api) {
    let seen = api.schemas.response::<ReportSeen>();
    register_list(api);
    register_reports(api, seen);
    register_figures(api);
    register_groups(api);
}

fn register_list(api: &mut Api) {
    let row = api.schemas.response::<IssueReportRow>();
    let page = api.schemas.page_of("IssueReportPage", "A page of the list of reports.", &row);
    let shape = IssueService::list_shape();
    let listed = api
        .route(Method::GET, "/issue-reports", "listIssueReports", list)
        .about("issue-reports", "List viewers' reports, newest first")
        .explained("`search` applies to titles, descriptions, names of items, and the names of both types in both languages.")
        .requires(READ)
        .lists(&shape)
        .filter("assignedTo", json!({"type": "string", "minLength": 3, "maxLength": 50}), "Only reports assigned to this user.");
    let listed = shape.filters.iter().fold(listed, |operation, (field, kind)| match (*field, kind) {
        ("status", FilterKind::Code(codes)) => operation.filter(
            field,
            json!({"type": "string", "examples": ["REPORTADO,EN_PROGRESO"], "x-values": codes}),
            "Only reports with these statuses, comma-separated.",
        ),
        ("unassigned", _) => {
            operation.filter(field, filter_schema(*kind), "Only reports without an assignee.")
        }
        ("group", _) => operation.filter(field, filter_schema(*kind), "Only reports on the same item."),
        _ => operation.filter(field, filter_schema(*kind), &filter_words(field, *kind)),
    });
    drop(listed.answers(200, "A page of rows.", page).fails(&[ErrorKind::Invalid]));
}

fn register_reports(api: &mut Api, seen: Value) {
    let (whole, new) = (api.schemas.response::<IssueReport>(), api.schemas.request::<NewReport>());
    drop(
        api.route(Method::POST, "/issue-reports", "createIssueReport", create)
            .about("issue-reports", "Create a report")
            .explained("Its status is REPORTADO, its priority MEDIUM. Without `contentId` the item is the only one with the title `content`, if there is one.")
            .requires(UPDATE)
            .open_to(KeyScope::IssuesReport)
            .takes_effect_once()
            .takes(new)
            .answers(201, "Created.", seen.clone())
            .answers_header(201, "Location", "The address of the entity.")
            .answers_header(201, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Conflict]),
    );
    drop(
        api.route(Method::GET, ONE, "getIssueReport", find)
            .about("issue-reports", "Get a report with its item and its history")
            .requires(READ)
            .answers(200, "The report.", whole)
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing]),
    );
    let changed = [ErrorKind::Missing, ErrorKind::Outdated, ErrorKind::Conflict];
    let patch = api.schemas.request::<ReportPatch>();
    drop(
        if_match(api.route(Method::PATCH, ONE, "updateIssueReport", update))
            .about("issue-reports", "Update the status, notes, assignee or priority of a report")
            .explained("JSON merge patch (RFC 7396). `transitions` of a report lists the statuses that it may change to; setting the current status succeeds. A report that becomes EN_PROGRESO without an assignee is assigned to the caller. The fields of the reporter can't be changed.")
            .requires(UPDATE)
            .merges(patch)
            .answers(200, "The current state of the report.", seen)
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&changed),
    );
    drop(
        if_match(api.route(Method::DELETE, ONE, "deleteIssueReport", delete))
            .about("issue-reports", "Delete a report")
            .requires(Permission::new(ISSUES, Action::Delete))
            .answers_nothing(204, "Deleted.")
            .fails(&changed),
    );
}

fn register_figures(api: &mut Api) {
    let (stats_of, assignee) = (api.schemas.response::<IssueStats>(), api.schemas.response::<UserRef>());
    drop(
        api.route(Method::GET, "/issue-reports/stats", "getIssueStats", stats)
            .about("issue-reports", "Count reports")
            .requires(READ)
            .answers(200, "The numbers.", stats_of),
    );
    drop(
        api.route(Method::GET, "/issue-reports/assignees", "listIssueAssignees", assignees)
            .about("issue-reports", "List the possible assignees of reports")
            .requires(READ)
            .answers(
                200,
                "Active staff with the permission to read reports, by name.",
                json!({"type": "array", "items": assignee}),
            ),
    );
}

fn register_groups(api: &mut Api) {
    let row = api.schemas.response::<IssueGroupRow>();
    let page = api.schemas.page_of("IssueGroupPage", "A page of the items that have open reports.", &row);
    let shape = IssueService::group_shape();
    let listed = api
        .route(Method::GET, "/issue-reports/groups", "listIssueGroups", groups)
        .about("issue-reports", "List the items with open reports, most reports first")
        .explained("Open are REPORTADO and EN_PROGRESO. `search` applies to titles and types of items.")
        .requires(READ)
        .lists(&shape);
    let listed = shape.filters.iter().fold(listed, |operation, (field, kind)| {
        operation.filter(field, filter_schema(*kind), "Filter by this value.")
    });
    drop(listed.answers(200, "A page of rows.", page).fails(&[ErrorKind::Invalid]));
}

type Issues = Data<IssueService>;

async fn list(
    caller: AuthUser,
    service: Issues,
    links: Data<LinkReportService>,
    pairs: Pairs,
) -> Result<Json<Page<Vec<IssueReportRow>>>, Problem> {
    let page = service.list(&caller, &pairs.0).await?;
    let again = links.playing_again(&caller, &page.content).await?;
    let row = |seen: ReportSeen| IssueReportRow { plays_again: again.contains(&seen.report.id), seen };
    Ok(Json(page.map(|reports| reports.into_iter().map(row).collect())))
}

async fn create(
    caller: AuthAny,
    service: Issues,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let created = service.create(&caller.0, &body.0, key.0.as_deref()).await?;
    let report = &created.seen.report;
    let answer = created_at(format_args!("issue-reports/{}", report.id), created.replayed);
    Ok(tagged(answer, report.version, &created.seen))
}

async fn find(caller: AuthUser, service: Issues, id: ItemId) -> Result<HttpResponse, Problem> {
    let details = service.find(&caller, id.0).await?;
    let version = details.seen.report.version;
    let body =
        IssueReport { seen: details.seen, item: details.item.map(Into::into), history: details.history };
    Ok(tagged(HttpResponse::Ok(), version, &body))
}

async fn update(
    caller: AuthUser,
    service: Issues,
    id: ItemId,
    expected: IfMatch,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let seen = service.update(&caller, id.0, &body.0, expected.0).await?;
    Ok(tagged(HttpResponse::Ok(), seen.report.version, &seen))
}

async fn delete(
    caller: AuthUser,
    service: Issues,
    id: ItemId,
    expected: IfMatch,
) -> Result<HttpResponse, Problem> {
    service.delete(&caller, id.0, expected.0).await?;
    Ok(HttpResponse::NoContent().finish())
}

async fn stats(caller: AuthUser, service: Issues) -> Result<Json<IssueStats>, Problem> {
    Ok(Json(service.stats(&caller).await?))
}

async fn assignees(caller: AuthUser, service: Issues) -> Result<Json<Vec<UserRef>>, Problem> {
    Ok(Json(service.assignees(&caller).await?))
}

async fn groups(
    caller: AuthUser,
    service: Issues,
    pairs: Pairs,
) -> Result<Json<Page<Vec<IssueGroupRow>>>, Problem> {
    let page = service.groups(&caller, &pairs.0).await?;
    let row =
        |seen: application::GroupSeen| IssueGroupRow { group: seen.group, item: seen.item.map(Into::into) };
    Ok(Json(page.map(|groups| groups.into_iter().map(row).collect())))
}
