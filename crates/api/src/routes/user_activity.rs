//! What a user does with the service, for those who see the user (docs/spec/users.md#activity).

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
    /// By which it is known.
    id: Id,
    /// When.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    occurred_at: DateTime<Utc>,
    /// What for.
    kind: VisitKind,
    /// With which device or program.
    device: Option<String>,
    /// From which address; null for those who may not read everybody's visits.
    address: Option<String>,
    /// What was watched.
    content: Option<Watched>,
}

impl From<Visit> for UserVisit {
    fn from(visit: Visit) -> Self {
        let Visit { id, occurred_at, kind, device, address, content, .. } = visit;
        Self { id, occurred_at, kind, device, address, content }
    }
}

/// A report that a user made.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UserReport {
    /// Its id.
    id: Id,
    /// What is wrong.
    title: String,
    /// What it is about.
    content_type: IssueContentType,
    /// What it is about, by name.
    content: Option<String>,
    /// What kind of trouble it is.
    report_type: ReportType,
    /// Where it stands.
    status: ReportStatus,
    /// When it came.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    reported_date: DateTime<Utc>,
    /// When it was last changed.
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
            .explained("Those since the user was registered: another one may have had the name before.")
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
                "At most 20, the last seen first.",
                json!({"type": "array", "items": device, "maxItems": 20}),
            )
            .fails(&[ErrorKind::Missing]),
    );
    let report = api.schemas.response::<UserReport>();
    let page = api.schemas.page_of("UserReportPage", "A page of a user's reports.", &report);
    drop(
        api.route(Method::GET, "/users/{username}/reports", "listReportsOfUser", reports)
            .about("users", "List the reports that a user made, newest first")
            .explained("Those whose `reporter` is the user name, in any case, since the user was registered.")
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
