//! The history of visits: list, days, and recording by integrators
//! (docs/spec/integrations.md#visits).

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json},
};
use application::{VisitService, VisitsRecorded};
use domain_audience::{DayOfVisits, Visit, VisitBatch, VisitKind};
use domain_kernel::{Action, Enumeration, ErrorKind, KeyScope, Page, Permission, Subject};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::answer_headers::with_replay;

use crate::{
    caller::{AuthApiKey, AuthUser},
    extract::{Body, IdempotencyKey, Pairs},
    openapi::{Api, Operation},
    problem::Problem,
};

/// Result of a batch of visits.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct VisitsAnswer {
    /// Number of recorded visits.
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
        .explained("`search` applies to usernames, names, devices and titles.")
        .requires(READ)
        .lists(&shape);
    drop(narrowed(listed).answers(200, "A page of rows.", page).fails(&[ErrorKind::Invalid]));
    let request = api.schemas.request::<VisitBatch>();
    let recorded = api.schemas.response::<VisitsAnswer>();
    drop(
        api.route(Method::POST, "/visits", "recordVisits", record)
            .about("integrators", "Record visits and sign-ins, at most a thousand at once")
            .explained("All or none; violations have the JSON path (`visits[3].username`). `Idempotency-Key` is required, so that a repeated request does not record twice. A SIGN_IN increments the user's number of sign-ins.")
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
        .explained("Days are those of the service's time zone; days without visits are included. `from` and `to` are dates, at most 366 days; default: the last 30 days.")
        .requires(READ);
    drop(
        narrowed(counted)
            .answers(200, "The days, in order.", json!({"type": "array", "items": day, "maxItems": 366}))
            .fails(&[ErrorKind::Invalid]),
    );
}

fn narrowed(operation: Operation<'_>) -> Operation<'_> {
    let moment = || json!({"type": "string", "examples": ["2026-11-20", "2026-11-20T10:00:00Z"]});
    operation
        .filter(
            "username",
            json!({"type": "string", "maxLength": 100}),
            "Only visits of this user, ignoring case.",
        )
        .filter("kind", json!({"type": "string", "enum": VisitKind::CODES}), "Only visits of this kind.")
        .query("from", moment(), "From this day, in the service's time zone, or from this time.")
        .query("to", moment(), "To this day (inclusive), or before this time.")
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

async fn record(
    program: AuthApiKey,
    service: Data<VisitService>,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let VisitsRecorded { recorded, replayed } = service.record(&program.0, &body.0, key.0.as_deref()).await?;
    Ok(with_replay(HttpResponse::Ok(), replayed).json(VisitsAnswer { recorded }))
}
