//! The log of a webhook: what became of each delivery, tests, and sending again (docs/adr/0011-webhooks.md).

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json},
};
use application::WebhookService;
use chrono::{DateTime, Utc};
use domain_integrations::{Delivery, DeliveryFault, DeliveryStatus, EventType};
use domain_kernel::{ErrorKind, Id, Page};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, value::RawValue};

use super::list_parameters::filter_schema;
use crate::{
    caller::AuthUser,
    extract::{ItemId, Pairs, PathId},
    openapi::Api,
    problem::Problem,
};

/// A line of a webhook's log.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeliveryRow {
    /// The number it is known by.
    id: Id,
    /// What the header `webhook-id` says: the same each time the same event is sent.
    message_id: String,
    /// What changed.
    event_type: EventType,
    /// Whom or what it is about: deliveries of one of them arrive in order.
    entity: String,
    /// What it says.
    #[schemars(with = "Value")]
    data: Box<RawValue>,
    /// When it happened.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    occurred_at: DateTime<Utc>,
    /// What became of it.
    status: DeliveryStatus,
    /// How often it was tried.
    attempts: u32,
    /// When it is tried next; null for as soon as its turn comes, or never.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    next_attempt_at: Option<DateTime<Utc>>,
    /// When it was tried last.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    last_attempt_at: Option<DateTime<Utc>>,
    /// What the receiver answered last.
    status_code: Option<u16>,
    /// Why the last attempt failed.
    fault: Option<DeliveryFault>,
    /// How long the last attempt took, in milliseconds.
    duration_ms: Option<i64>,
    /// When it arrived.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    delivered_at: Option<DateTime<Utc>>,
    /// The delivery that somebody had sent again, if it is a repetition.
    resend_of: Option<Id>,
}

impl From<Delivery> for DeliveryRow {
    fn from(delivery: Delivery) -> Self {
        let data = RawValue::from_string(delivery.data).unwrap_or_else(|_| RawValue::NULL.to_owned());
        Self {
            id: delivery.id,
            message_id: delivery.message,
            event_type: delivery.event_type,
            entity: delivery.entity,
            data,
            occurred_at: delivery.occurred_at,
            status: delivery.status,
            attempts: delivery.attempts,
            next_attempt_at: delivery.next_attempt_at,
            last_attempt_at: delivery.last_attempt_at,
            status_code: delivery.status_code,
            fault: delivery.fault,
            duration_ms: delivery.duration_ms,
            delivered_at: delivery.delivered_at,
            resend_of: delivery.resend_of,
        }
    }
}

const TAG: &str = "webhooks";

pub(crate) fn register(api: &mut Api) {
    let row = api.schemas.response::<DeliveryRow>();
    let page = api.schemas.page_of("DeliveryPage", "A page of a webhook's log.", &row);
    drop(
        api.route(Method::POST, "/webhooks/{id}/test", "testWebhook", test)
            .about(TAG, "Send a test delivery")
            .explained("Without a body. The test is queued like any delivery, and tried once; the log says what came of it. Inactive webhooks are tested too.")
            .requires_admin()
            .answers(202, "It is queued.", row.clone())
            .fails(&[ErrorKind::Missing]),
    );
    let shape = WebhookService::log_shape();
    let listed = api
        .route(Method::GET, "/webhooks/{id}/deliveries", "listWebhookDeliveries", log)
        .about(TAG, "List the deliveries of a webhook, newest first")
        .explained(
            "`search` looks in what deliveries are about (`movies/42`). What ended is kept for 30 days.",
        )
        .requires_admin()
        .lists(&shape);
    let listed = shape.filters.iter().fold(listed, |operation, (field, kind)| {
        operation.filter(field, filter_schema(*kind), "Filter by this value.")
    });
    drop(listed.answers(200, "A page of rows.", page).fails(&[ErrorKind::Missing, ErrorKind::Invalid]));
    drop(
        api.route(Method::GET, "/webhooks/{id}/deliveries/{deliveryId}", "getWebhookDelivery", delivery)
            .about(TAG, "Get a delivery of a webhook")
            .requires_admin()
            .answers(200, "The delivery.", row.clone())
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(
            Method::POST,
            "/webhooks/{id}/deliveries/{deliveryId}/resend",
            "resendWebhookDelivery",
            resend,
        )
        .about(TAG, "Retry a delivery")
        .explained("Without a body. One that was delivered or failed for good is repeated as another delivery of the same message; one that waits is tried at once, and has all its attempts again. While a webhook is inactive or paused, only its tests can be retried.")
        .requires_admin()
        .answers(202, "It is queued.", row)
        .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
}

type Webhooks = Data<WebhookService>;

async fn test(caller: AuthUser, service: Webhooks, id: ItemId) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Accepted().json(DeliveryRow::from(service.test(&caller, id.0).await?)))
}

async fn log(
    caller: AuthUser,
    service: Webhooks,
    id: ItemId,
    pairs: Pairs,
) -> Result<Json<Page<Vec<DeliveryRow>>>, Problem> {
    let page = service.log(&caller, id.0, &pairs.0).await?;
    Ok(Json(page.map(|rows| rows.into_iter().map(DeliveryRow::from).collect())))
}

/// The delivery in the path. What could not be one does not exist, for whoever may look.
fn of_path(path: &PathId) -> Id {
    path.named("deliveryId").unwrap_or(0)
}

async fn delivery(
    caller: AuthUser,
    service: Webhooks,
    id: ItemId,
    path: PathId,
) -> Result<Json<DeliveryRow>, Problem> {
    Ok(Json(service.delivery(&caller, id.0, of_path(&path)).await?.into()))
}

async fn resend(
    caller: AuthUser,
    service: Webhooks,
    id: ItemId,
    path: PathId,
) -> Result<HttpResponse, Problem> {
    let queued = service.resend(&caller, id.0, of_path(&path)).await?;
    Ok(HttpResponse::Accepted().json(DeliveryRow::from(queued)))
}
