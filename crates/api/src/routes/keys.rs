//! API keys of integrators: create, list and revoke, for admins.

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json},
};
use application::KeyService;
use chrono::{DateTime, NaiveDate, Utc};
use domain_integrations::{Key, KeyState, NewKey};
use domain_kernel::{ErrorKind, Id, KeyScope, Page, Today, Username};
use schemars::JsonSchema;
use serde::Serialize;

use super::answer_headers::created_at;
use crate::{
    caller::AuthUser,
    extract::{Body, ItemId, Pairs},
    openapi::Api,
    problem::Problem,
};

/// An API key without its text.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct IntegratorKey {
    /// ID of the key.
    id: Id,
    /// Purpose of the key.
    name: String,
    /// First characters of the key.
    hint: String,
    /// Permitted uses of the key.
    scopes: Vec<KeyScope>,
    /// Whether the key is valid.
    state: KeyState,
    /// Last day on which the key is valid, in the service's time zone; null for no last day.
    expires_date: Option<NaiveDate>,
    /// Limit of calls per minute, per node.
    calls_per_minute: u32,
    /// Username of the creator.
    created_by: Username,
    /// Username of the admin who last decided to keep the key; null if no decision was needed.
    kept_by: Option<Username>,
    /// Whether an admin should keep or revoke the key: it is valid, and the responsible user
    /// (`keptBy`, else `createdBy`) was suspended, deactivated, demoted or deleted.
    needs_review: bool,
    /// Time of creation.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    created_date: DateTime<Utc>,
    /// Time of revocation.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    revoked_date: Option<DateTime<Utc>>,
    /// Time of the last call, to a few seconds.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    last_used_date: Option<DateTime<Utc>>,
    /// Number of calls.
    calls: i64,
    /// Number of calls refused by the limit.
    refused_calls: i64,
}

/// A new key. The response is the only one with its text.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NewIntegratorKey {
    #[serde(flatten)]
    of: IntegratorKey,
    /// The key, for `Authorization: Bearer`.
    key: String,
}

/// Calls of a key on a day.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct KeyDayAnswer {
    /// Day in UTC.
    day: NaiveDate,
    /// Number of calls.
    calls: i64,
    /// Number of refused calls.
    refused: i64,
}

/// A key with its calls of the last month.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct IntegratorKeyUse {
    #[serde(flatten)]
    of: IntegratorKey,
    /// Days of the last month with calls, in order.
    days: Vec<KeyDayAnswer>,
}

impl IntegratorKey {
    fn new(key: Key, today: Today) -> Self {
        let (state, needs_review) = (key.state(today), key.needs_review(today));
        Self {
            id: key.id,
            name: key.name,
            hint: key.hint,
            scopes: key.scopes,
            state,
            expires_date: key.expires_date,
            calls_per_minute: key.calls_per_minute,
            created_by: key.created_by,
            kept_by: key.kept_by,
            needs_review,
            created_date: key.created_date,
            revoked_date: key.revoked_date,
            last_used_date: key.last_used_date,
            calls: key.calls,
            refused_calls: key.refused_calls,
        }
    }
}

pub(crate) fn register(api: &mut Api) {
    let row = api.schemas.response::<IntegratorKey>();
    let page = api.schemas.page_of("IntegratorKeyPage", "A page of the list of keys.", &row);
    let made = api.schemas.response::<NewIntegratorKey>();
    let whole = api.schemas.response::<IntegratorKeyUse>();
    let request = api.schemas.request::<NewKey>();
    let tag = "integrator-keys";
    drop(
        api.route(Method::GET, "/integrator-keys", "listIntegratorKey", list)
            .about(tag, "List keys")
            .explained("Newest first. `search` applies to names.")
            .requires_admin()
            .lists(&KeyService::list_shape())
            .answers(200, "A page of rows.", page)
            .fails(&[ErrorKind::Invalid]),
    );
    drop(
        api.route(Method::POST, "/integrator-keys", "createIntegratorKey", create)
            .about(tag, "Create a key")
            .explained("Only the response has the key: only its hash is stored. A repeated request therefore creates another key.")
            .requires_admin()
            .takes(request)
            .answers(201, "Created.", made)
            .answers_header(201, "Location", "The address of the entity."),
    );
    drop(
        api.route(Method::GET, "/integrator-keys/{id}", "getIntegratorKey", find)
            .about(tag, "Get a key with its calls of the last 30 days")
            .requires_admin()
            .answers(200, "The key.", whole)
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::POST, "/integrator-keys/{id}/keep", "keepIntegratorKey", keep)
            .about(tag, "Keep a key whose creator is no longer an active admin")
            .explained("The caller is responsible for it from now on. A revoked key stays revoked.")
            .requires_admin()
            .answers(200, "The current state.", row.clone())
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::POST, "/integrator-keys/{id}/revoke", "revokeIntegratorKey", revoke)
            .about(tag, "Revoke a key")
            .requires_admin()
            .answers(200, "The current state.", row)
            .fails(&[ErrorKind::Missing]),
    );
}

async fn list(
    caller: AuthUser,
    service: Data<KeyService>,
    pairs: Pairs,
) -> Result<Json<Page<Vec<IntegratorKey>>>, Problem> {
    let page = service.list(&caller, &pairs.0).await?;
    let today = service.today();
    Ok(Json(page.map(|keys| keys.into_iter().map(|key| IntegratorKey::new(key, today)).collect())))
}

async fn create(caller: AuthUser, service: Data<KeyService>, body: Body) -> Result<HttpResponse, Problem> {
    let made = service.create(&caller, &body.0).await?;
    let mut answer = created_at(format_args!("integrator-keys/{}", made.key.id), false);
    let of = IntegratorKey::new(made.key, service.today());
    Ok(answer.json(NewIntegratorKey { of, key: made.text }))
}

async fn find(
    caller: AuthUser,
    service: Data<KeyService>,
    id: ItemId,
) -> Result<Json<IntegratorKeyUse>, Problem> {
    let used = service.find(&caller, id.0).await?;
    let days =
        used.days.into_iter().map(|of| KeyDayAnswer { day: of.day, calls: of.calls, refused: of.refused });
    Ok(Json(IntegratorKeyUse { of: IntegratorKey::new(used.key, service.today()), days: days.collect() }))
}

async fn keep(
    caller: AuthUser,
    service: Data<KeyService>,
    id: ItemId,
) -> Result<Json<IntegratorKey>, Problem> {
    let key = service.keep(&caller, id.0).await?;
    Ok(Json(IntegratorKey::new(key, service.today())))
}

async fn revoke(
    caller: AuthUser,
    service: Data<KeyService>,
    id: ItemId,
) -> Result<Json<IntegratorKey>, Problem> {
    let key = service.revoke(&caller, id.0).await?;
    Ok(Json(IntegratorKey::new(key, service.today())))
}
