//! The history of visits: its list and its days (docs/spec/integrations.md#visits).
//! Recording is for programs with a key.

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

use super::contents::REPLAYED;

use crate::{
    caller::{AuthApiKey, AuthUser},
    extract::{Body, IdempotencyKey, Pairs},
    openapi::{Api, Operation},
    problem::Problem,
};

/// What became of a batch of visits.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct VisitsAnswer {
    /// Visits that were recorded.
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
        .explained("`search` looks in user names, names, devices and titles.")
        .requires(READ)
        .lists(&shape);
    drop(narrowed(listed).answers(200, "A page of rows.", page).fails(&[ErrorKind::Invalid]));
    let request = api.schemas.request::<VisitBatch>();
    let recorded = api.schemas.response::<VisitsAnswer>();
    drop(
        api.route(Method::POST, "/visits", "recordVisits", record)
            .about("integrators", "Record visits and sign-ins, at most a thousand at once")
            .explained("All or none; violations name the place (`visits[3].username`). `Idempotency-Key` is required, so that a batch that is sent again is not recorded again. A viewer's SIGN_IN counts up their sign-ins.")
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
        .explained("Days are those of the service's time zone; days without visits are among them. `from` and `to` are dates here, at most 366 days: the last 30 where they are left out.")
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
        .filter("username", json!({"type": "string", "maxLength": 100}), "Only this user's, in any case.")
        .filter("kind", json!({"type": "string", "enum": VisitKind::CODES}), "Only these.")
        .query("from", moment(), "From this day of the service's time zone on, or from this moment on.")
        .query("to", moment(), "Up to this day with all of it, or before this moment.")
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
    let mut answer = HttpResponse::Ok();
    if replayed {
        answer.insert_header(REPLAYED);
    }
    Ok(answer.json(VisitsAnswer { recorded }))
}
