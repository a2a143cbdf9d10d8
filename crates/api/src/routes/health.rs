//! Health of the service, and its API documentation.

use std::sync::LazyLock;

use actix_web::{
    HttpResponse,
    http::{Method, header::CONTENT_SECURITY_POLICY},
    web::{self, Data, Json},
};
use application::{BackupService, BackupStatus, CreditService, Error, Verification};
use chrono::{DateTime, Utc};
use domain_kernel::ErrorKind;
use ports::StoreError;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    openapi::{self, Api},
    problem::Problem,
};

static DOCUMENT: LazyLock<String> = LazyLock::new(|| super::document().to_string());
static PARSED: LazyLock<serde_json::Value> = LazyLock::new(super::document);
static PAGE: LazyLock<String> = LazyLock::new(|| openapi::readable(&PARSED, ""));

/// Liveness of the process.
#[derive(Serialize, JsonSchema)]
struct Health {
    /// `ok`.
    status: &'static str,
}

/// Readiness of the service.
#[derive(Serialize, JsonSchema)]
struct Readiness {
    /// `ok`: the database answers.
    status: &'static str,
    /// The credit ledger.
    ledger: LedgerHealth,
    /// Backups.
    backups: BackupHealth,
}

/// Result of the last verification of the credit ledger. It runs at the start and once a day.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LedgerHealth {
    /// `checking` before the first verification has ended, `sound`, or `broken`.
    status: &'static str,
    /// Number of rows that break an invariant; `cartelera ledger verify` prints them.
    breaches: usize,
    /// Time at which the verification started.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    checked_at: Option<DateTime<Utc>>,
}

impl LedgerHealth {
    fn of(credits: &CreditService) -> Self {
        match credits.last_verification() {
            None => Self { status: "checking", breaches: 0, checked_at: None },
            Some(Verification { at, breaches }) => {
                let status = if breaches == 0 { "sound" } else { "broken" };
                Self { status, breaches, checked_at: Some(at) }
            }
        }
    }
}

/// Whether a good backup is recent.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BackupHealth {
    /// `off` if no folder for backups is set, `good`, or `overdue` if the last good one is older
    /// than two days, or more than a day later than scheduled.
    status: &'static str,
    /// Time at which the last good backup started.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    last_good_at: Option<DateTime<Utc>>,
}

impl BackupHealth {
    fn new(status: &BackupStatus) -> Self {
        let word = match status {
            BackupStatus { schedule: None, .. } => "off",
            BackupStatus { overdue: true, .. } => "overdue",
            _ => "good",
        };
        Self { status: word, last_good_at: status.last_good }
    }
}

pub(crate) fn register(api: &mut Api) {
    let health = api.schemas.response::<Health>();
    let readiness = api.schemas.response::<Readiness>();
    drop(
        api.route(Method::GET, "/health/live", "live", live)
            .about("service", "Check whether the process responds")
            .public()
            .answers(200, "Alive.", health.clone()),
    );
    drop(
        api.route(Method::GET, "/health/ready", "ready", ready)
            .about("service", "Check whether the database responds, and the state of ledger and backups")
            .public()
            .answers(200, "Alive.", readiness)
            .fails(&[ErrorKind::Unavailable]),
    );
    drop(
        api.route(Method::GET, "/openapi.json", "openapi", document)
            .about("service", "Get this document")
            .public()
            .answers(200, "OpenAPI 3.1.", serde_json::json!({"type": "object"})),
    );
    drop(
        api.route(Method::GET, "/docs", "docs", docs)
            .about("service", "Read this document as a page")
            .public()
            .query(
                "q",
                serde_json::json!({"type": "string"}),
                "Only operations with this text in path, summary, description or scope.",
            )
            .answers_nothing(200, "The page."),
    );
}

async fn live() -> Json<Health> {
    Json(Health { status: "ok" })
}

async fn ready(
    readiness: Data<dyn crate::Readiness>,
    credits: Data<CreditService>,
    backups: Data<BackupService>,
) -> Result<Json<Readiness>, Problem> {
    readiness.check().await.map_err(|reason| Error::Store(StoreError::Unavailable(reason)))?;
    let backups = BackupHealth::new(&backups.status().await?);
    Ok(Json(Readiness { status: "ok", ledger: LedgerHealth::of(&credits), backups }))
}

async fn document() -> HttpResponse {
    HttpResponse::Ok().content_type("application/json").body(DOCUMENT.as_str())
}

#[derive(serde::Deserialize)]
struct DocsQuery {
    #[serde(default)]
    q: String,
}

async fn docs(query: web::Query<DocsQuery>) -> HttpResponse {
    let page = match query.q.trim() {
        "" => PAGE.clone(),
        search => openapi::readable(&PARSED, search),
    };
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((
            CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        ))
        .body(page)
}
