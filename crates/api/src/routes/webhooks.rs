//! Webhooks, for admins (docs/adr/0011-webhooks.md). The log is in `webhook_deliveries`.

use actix_web::{
    HttpResponse, HttpResponseBuilder,
    http::Method,
    web::{Data, Json},
};
use application::{WebhookService, WebhookWithSecret};
use chrono::{DateTime, Utc};
use domain_integrations::{LastDelivery, Webhook, WebhookDraft, WebhookPause};
use domain_kernel::{ErrorKind, Id, Page, Version};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{
    answer_headers::{created_at, tagged},
    contents::{ETAG_ABOUT, if_match},
};
use crate::{
    caller::AuthUser,
    extract::{Body, IdempotencyKey, IfMatch, ItemId, Pairs},
    openapi::Api,
    problem::Problem,
};

/// A webhook without its secret.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Webhook")]
pub(crate) struct WebhookResponse {
    /// ID of the webhook.
    id: Id,
    /// Version of the webhook, from 1; also in the `ETag`.
    version: Version,
    #[serde(flatten)]
    draft: WebhookDraft,
    /// Time of creation.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    created_date: DateTime<Utc>,
    /// Time of the last change.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    updated_date: DateTime<Utc>,
    /// The last attempted delivery.
    last_delivery: Option<LastDelivery>,
    /// Number of pending deliveries, at most 1,000.
    pending: u32,
    /// Reason of a pause, after failures of the receiver for nearly a day; null if not paused.
    pause: Option<WebhookPause>,
}

impl From<Webhook> for WebhookResponse {
    fn from(webhook: Webhook) -> Self {
        let Webhook { id, version, draft, created_date, updated_date, last_delivery, pending, pause } =
            webhook;
        Self { id, version, draft, created_date, updated_date, last_delivery, pending, pause }
    }
}

/// A webhook with its secret, which only this response has.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewWebhook {
    #[serde(flatten)]
    webhook: WebhookResponse,
    /// Secret for signatures of deliveries: `whsec_` and base64, as in Standard Webhooks.
    secret: String,
}

const TAG: &str = "webhooks";

pub(crate) fn register(api: &mut Api) {
    let webhook = api.schemas.response::<WebhookResponse>();
    let with_secret = api.schemas.response::<NewWebhook>();
    register_reading(api, &webhook);
    register_changes(api, &webhook, &with_secret);
    register_state(api, webhook, with_secret);
}

fn register_reading(api: &mut Api, webhook: &Value) {
    let page = api.schemas.page_of("WebhookPage", "A page of the list of webhooks.", webhook);
    drop(
        api.route(Method::GET, "/webhooks", "listWebhook", list)
            .about(TAG, "List webhooks")
            .explained("`search` applies to names and URLs.")
            .requires_admin()
            .lists(&WebhookService::list_shape())
            .answers(200, "A page of rows.", page)
            .fails(&[ErrorKind::Invalid]),
    );
    drop(
        api.route(Method::GET, "/webhooks/{id}", "getWebhook", find)
            .about(TAG, "Get a webhook")
            .requires_admin()
            .answers(200, "The webhook.", webhook.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing]),
    );
}

fn register_changes(api: &mut Api, webhook: &Value, with_secret: &Value) {
    let draft = api.schemas.request::<WebhookDraft>();
    drop(
        api.route(Method::POST, "/webhooks", "createWebhook", create)
            .about(TAG, "Create a webhook")
            .explained("Only this response has the secret for signatures of deliveries. Events are delivered from now on. A repetition with the same Idempotency-Key has the same response, or 409 if the webhook was changed since.")
            .requires_admin()
            .takes_effect_once()
            .takes(draft.clone())
            .answers(201, "Created.", with_secret.clone())
            .answers_header(201, "Location", "The address of the entity.")
            .answers_header(201, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Conflict, ErrorKind::Missing]),
    );
    drop(
        if_match(api.route(Method::PUT, "/webhooks/{id}", "replaceWebhook", replace))
            .about(TAG, "Replace a webhook")
            .explained("The secret stays. Pending deliveries are sent to the new URL.")
            .requires_admin()
            .takes(draft)
            .answers(200, "The current state.", webhook.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing, ErrorKind::Outdated]),
    );
    let patch = api.schemas.patch_of("WebhookDraft");
    drop(
        if_match(api.route(Method::PATCH, "/webhooks/{id}", "updateWebhook", merge))
            .about(TAG, "Update some fields of a webhook")
            .requires_admin()
            .merges(patch)
            .answers(200, "The current state.", webhook.clone())
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing, ErrorKind::Outdated]),
    );
    drop(
        if_match(api.route(Method::DELETE, "/webhooks/{id}", "deleteWebhook", delete))
            .about(TAG, "Delete a webhook with its pending deliveries")
            .requires_admin()
            .answers_nothing(204, "Deleted.")
            .fails(&[ErrorKind::Missing, ErrorKind::Outdated]),
    );
}

fn register_state(api: &mut Api, webhook: Value, with_secret: Value) {
    drop(
        api.route(Method::POST, "/webhooks/{id}/resume", "resumeWebhook", resume)
            .about(TAG, "Resume a paused webhook")
            .explained("Without a body. A webhook is paused when every attempt has failed for nearly a day; its deliveries stay pending and are sent now.")
            .requires_admin()
            .answers(200, "The current state.", webhook)
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::POST, "/webhooks/{id}/rotate-secret", "rotateWebhookSecret", rotate_secret)
            .about(TAG, "Replace the secret of a webhook")
            .explained(
                "Without a body. Only this response has the secret. Deliveries are signed with it from now on.",
            )
            .requires_admin()
            .answers(200, "The webhook with the new secret.", with_secret)
            .answers_header(200, "ETag", ETAG_ABOUT)
            .fails(&[ErrorKind::Missing]),
    );
}

type Webhooks = Data<WebhookService>;

fn answered(webhook: Webhook) -> HttpResponse {
    tagged(HttpResponse::Ok(), webhook.version, &WebhookResponse::from(webhook))
}

fn with_secret(answer: HttpResponseBuilder, made: WebhookWithSecret) -> HttpResponse {
    let WebhookWithSecret { webhook, secret, .. } = made;
    tagged(answer, webhook.version, &NewWebhook { webhook: webhook.into(), secret })
}

async fn list(
    caller: AuthUser,
    service: Webhooks,
    pairs: Pairs,
) -> Result<Json<Page<Vec<WebhookResponse>>>, Problem> {
    let page = service.list(&caller, &pairs.0).await?;
    Ok(Json(page.map(|rows| rows.into_iter().map(WebhookResponse::from).collect())))
}

async fn find(caller: AuthUser, service: Webhooks, id: ItemId) -> Result<HttpResponse, Problem> {
    Ok(answered(service.find(&caller, id.0).await?))
}

async fn create(
    caller: AuthUser,
    service: Webhooks,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let made = service.create(&caller, &body.0, key.0.as_deref()).await?;
    let answer = created_at(format_args!("webhooks/{}", made.webhook.id), made.replayed);
    Ok(with_secret(answer, made))
}

async fn replace(
    caller: AuthUser,
    service: Webhooks,
    id: ItemId,
    expected: IfMatch,
    body: Body,
) -> Result<HttpResponse, Problem> {
    Ok(answered(service.replace(&caller, id.0, &body.0, expected.0).await?))
}

async fn merge(
    caller: AuthUser,
    service: Webhooks,
    id: ItemId,
    expected: IfMatch,
    body: Body,
) -> Result<HttpResponse, Problem> {
    Ok(answered(service.merge(&caller, id.0, &body.0, expected.0).await?))
}

async fn delete(
    caller: AuthUser,
    service: Webhooks,
    id: ItemId,
    expected: IfMatch,
) -> Result<HttpResponse, Problem> {
    service.delete(&caller, id.0, expected.0).await?;
    Ok(HttpResponse::NoContent().finish())
}

async fn rotate_secret(caller: AuthUser, service: Webhooks, id: ItemId) -> Result<HttpResponse, Problem> {
    Ok(with_secret(HttpResponse::Ok(), service.rotate_secret(&caller, id.0).await?))
}

async fn resume(caller: AuthUser, service: Webhooks, id: ItemId) -> Result<HttpResponse, Problem> {
    Ok(answered(service.resume(&caller, id.0).await?))
}
