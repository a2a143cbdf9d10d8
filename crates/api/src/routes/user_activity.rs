//! Activity of a user, for callers who may see the user (docs/spec/users.md#activity).

use actix_web::{
    http::Method,
    web::{Data, Json, Path},
};
use application::{UserActivityService, UserService};
use chrono::{DateTime, Utc};
use domain_audience::{SeenDevice, Visit, VisitKind, Watched};
use domain_issues::{IssueContentType, Report, ReportStatus, ReportType};
use domain_kernel::{Action, ErrorKind, Id, Page, Permission, Subject};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::{caller::AuthUser, extract::Pairs, openapi::Api, problem::Problem};

const READ: Permission = Permission::new(Subject("USER"), Action::Read);

/// A visit of a user.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UserVisit {
    /// ID of the visit.
    id: Id,
    /// Time of the visit.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    occurred_at: DateTime<Utc>,
    /// Kind of the visit.
    kind: VisitKind,
    /// Device or program of the user.
    device: Option<String>,
    /// Address of the client; null for callers without the permission to read all visits.
    address: Option<String>,
    /// Watched content.
    content: Option<Watched>,
}

impl From<Visit> for UserVisit {
    fn from(visit: Visit) -> Self {
        let Visit { id, occurred_at, kind, device, address, content, .. } = visit;
        Self { id, occurred_at, kind, device, address, content }
    }
}

/// A report by a user.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UserReport {
    /// ID of the report.
    id: Id,
    /// Title of the report.
    title: String,
    /// Type of the item.
    content_type: IssueContentType,
    /// Name of the item.
    content: Option<String>,
    /// Type of the problem.
    report_type: ReportType,
    /// Status of the report.
    status: ReportStatus,
    /// Time of the report.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    reported_date: DateTime<Utc>,
    /// Time of the last change.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    updated_date: DateTime<Utc>,
}

impl From<Report> for UserReport {
    fn from(report: Report) -> Self {
        Self {
            id: report.id,
            title: report.title,
            content_type: report.content_type,
            content: report.content,
            report_type: report.report_type,
            status: report.status,
            reported_date: report.reported_date,
            updated_date: report.updated_date,
        }
    }
}

pub(crate) fn register(api: &mut Api) {
    let visit = api.schemas.response::<UserVisit>();
    let page = api.schemas.page_of("UserVisitPage", "A page of a user's visits.", &visit);
    drop(
        api.route(Method::GET, "/users/{username}/visits", "listVisitsOfUser", visits)
            .about("users", "List the visits of a user, newest first")
            .explained("Only visits since the user's registration, because a deleted user may have had the same name.")
            .requires(READ)
            .pages(&UserActivityService::visits_shape())
            .answers(200, "A page of rows.", page)
            .fails(&[ErrorKind::Invalid, ErrorKind::Missing]),
    );
    let device = api.schemas.response::<SeenDevice>();
    drop(
        api.route(Method::GET, "/users/{username}/devices", "listDevicesOfUser", devices)
            .about("users", "List the devices of a user's visits of the last 90 days")
            .requires(READ)
            .answers(
                200,
                "At most 20, last seen first.",
                json!({"type": "array", "items": device, "maxItems": 20}),
            )
            .fails(&[ErrorKind::Missing]),
    );
    let report = api.schemas.response::<UserReport>();
    let page = api.schemas.page_of("UserReportPage", "A page of a user's reports.", &report);
    drop(
        api.route(Method::GET, "/users/{username}/reports", "listReportsOfUser", reports)
            .about("users", "List the reports by a user, newest first")
            .explained(
                "Reports since the user's registration whose `reporter` is the username, ignoring case.",
            )
            .requires(READ)
            .pages(&UserActivityService::reports_shape())
            .answers(200, "A page of rows.", page)
            .fails(&[ErrorKind::Invalid, ErrorKind::Missing]),
    );
}

type Service = Data<UserActivityService>;
type Users = Data<UserService>;

async fn visits(
    caller: AuthUser,
    users: Users,
    service: Service,
    username: Path<String>,
    pairs: Pairs,
) -> Result<Json<Page<Vec<UserVisit>>>, Problem> {
    let page = service.visits(&users, &caller, &username, &pairs.0).await?;
    Ok(Json(page.map(|visits| visits.into_iter().map(UserVisit::from).collect())))
}

async fn devices(
    caller: AuthUser,
    users: Users,
    service: Service,
    username: Path<String>,
) -> Result<Json<Vec<SeenDevice>>, Problem> {
    Ok(Json(service.devices(&users, &caller, &username).await?))
}

async fn reports(
    caller: AuthUser,
    users: Users,
    service: Service,
    username: Path<String>,
    pairs: Pairs,
) -> Result<Json<Page<Vec<UserReport>>>, Problem> {
    let page = service.reports(&users, &caller, &username, &pairs.0).await?;
    Ok(Json(page.map(|reports| reports.into_iter().map(UserReport::from).collect())))
}
