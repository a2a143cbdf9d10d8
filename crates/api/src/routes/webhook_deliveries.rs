//! The log of a webhook: deliveries, tests and retries (docs/adr/0011-webhooks.md).

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

/// A delivery in a webhook's log.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeliveryRow {
    /// ID of the delivery.
    id: Id,
    /// Value of the header `webhook-id`, the same for all attempts of an event.
    message_id: String,
    /// Type of the event.
    event_type: EventType,
    /// Entity of the event. Deliveries of an entity arrive in order.
    entity: String,
    /// Data of the event.
    #[schemars(with = "Value")]
    data: Box<RawValue>,
    /// Time of the event.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    occurred_at: DateTime<Utc>,
    /// Status of the delivery.
    status: DeliveryStatus,
    /// Number of attempts.
    attempts: u32,
    /// Time of the next attempt; null for as soon as possible, or for none.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    next_attempt_at: Option<DateTime<Utc>>,
    /// Time of the last attempt.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    last_attempt_at: Option<DateTime<Utc>>,
    /// Status of the receiver's last response.
    status_code: Option<u16>,
    /// Reason of the failure of the last attempt.
    fault: Option<DeliveryFault>,
    /// Duration of the last attempt, in milliseconds.
    duration_ms: Option<i64>,
    /// Time of the successful attempt.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    delivered_at: Option<DateTime<Utc>>,
    /// ID of the repeated delivery, if it was requested by a user.
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
            .explained("Without a body. The test is queued like any delivery, and attempted once; the log has its result. Works for inactive webhooks, too.")
            .requires_admin()
            .answers(202, "The queued delivery.", row.clone())
            .fails(&[ErrorKind::Missing]),
    );
    let shape = WebhookService::log_shape();
    let listed = api
        .route(Method::GET, "/webhooks/{id}/deliveries", "listWebhookDeliveries", log)
        .about(TAG, "List the deliveries of a webhook, newest first")
        .explained("`search` applies to entities (`movies/42`). Ended deliveries are kept for 30 days.")
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
        .explained("Without a body. A delivery that succeeded or failed finally is repeated as another delivery of the same message; a pending one is attempted at once, with all its attempts again. While a webhook is inactive or paused, only its tests can be retried.")
        .requires_admin()
        .answers(202, "The queued delivery.", row)
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

/// The ID of the delivery in the path. An invalid ID is answered as not found, after authorization.
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
