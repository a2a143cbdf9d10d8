//! The log of backups, for admins: list and request.

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json},
};
use application::{BackupService, BackupStatus};
use chrono::{DateTime, Utc};
use domain_kernel::ErrorKind;
use domain_settings::Backup;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{caller::AuthUser, openapi::Api, problem::Problem};

/// The newest backups, and whether a good one is recent.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BackupOverview {
    /// Whether a folder for backups is set. Without one, no backups are made.
    enabled: bool,
    /// Hours between scheduled backups.
    every_hours: Option<i64>,
    /// Number of good backups that are kept.
    keep: Option<usize>,
    /// Time at which the last good backup started. It has all changes acknowledged before.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    last_good_date: Option<DateTime<Utc>>,
    /// Whether a schedule is set and the last good backup is older than two days, or more than a
    /// day later than scheduled.
    overdue: bool,
    /// The newest 100 backups, newest first.
    backups: Vec<Backup>,
}

impl BackupOverview {
    fn new(status: BackupStatus, backups: Vec<Backup>) -> Self {
        Self {
            enabled: status.schedule.is_some(),
            every_hours: status.schedule.map(|schedule| schedule.every.num_hours()),
            keep: status.schedule.map(|schedule| schedule.keep),
            last_good_date: status.last_good,
            overdue: status.overdue,
            backups,
        }
    }
}

pub(crate) fn register(api: &mut Api) {
    let overview = api.schemas.response::<BackupOverview>();
    let backup = api.schemas.response::<Backup>();
    let tag = "backups";
    drop(
        api.route(Method::GET, "/backups", "getBackups", overview_of)
            .about(tag, "List the newest backups, and whether a good one is recent")
            .requires_admin()
            .answers(200, "The overview.", overview),
    );
    drop(
        api.route(Method::POST, "/backups", "requestBackup", request)
            .about(tag, "Request a backup")
            .explained("Runs in the background within seconds: writes the file, restores it into a temporary database and verifies that. Refused while another backup is unfinished, or if no folder for backups is set.")
            .requires_admin()
            .answers(202, "The requested backup.", backup)
            .fails(&[ErrorKind::Conflict]),
    );
}

async fn overview_of(
    caller: AuthUser,
    service: Data<BackupService>,
) -> Result<Json<BackupOverview>, Problem> {
    let (status, backups) = service.list(&caller).await?;
    Ok(Json(BackupOverview::new(status, backups)))
}

async fn request(caller: AuthUser, service: Data<BackupService>) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Accepted().json(service.request(&caller).await?))
}
