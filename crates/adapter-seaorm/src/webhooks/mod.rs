//! Webhooks, and their outbox, which is also their log (docs/adr/0011-webhooks.md).
//!
//! Events are added by triggers of the schema, in the transaction of the change. Only tests and
//! requested retries are added here.

mod changing;
mod log;
mod outbox;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_integrations::{
    Delivery, DeliveryFault, DeliveryStatus, EventType, LastDelivery, Webhook, WebhookDraft, WebhookPause,
    WebhookUrl,
};
use domain_kernel::{Id, ListQuery, Page, Version};
use garde::Valid;
use ports::{
    DueDelivery, Edit, IdempotencyKey, Inserted, InsertedWebhook, Noted, Outbox, Outcome, StoreError,
    WebhookReplayConflict, WebhookRepository, Written,
};
use sea_orm::{ConnectionTrait, QueryResult};

use crate::{
    Database,
    db::{
        error::store_error,
        sql::Sql,
        values::{get, member},
    },
    list::{AccessPath, ListRequest, ListTable, page, rows_of_list},
};

/// The store of webhooks and their outbox.
#[derive(Debug, Clone)]
pub struct SeaOrmWebhooks(pub Database);

/// The columns of a webhook `w`, with the last attempted delivery `l`.
const COLUMNS: &str = "w.id, w.version, w.name, w.url, w.events, w.active, w.created_date, w.updated_date, \
     w.failures, w.failing_since, w.paused_date, w.pause_fault, w.pause_status_code, \
     l.status, l.event_type, l.status_code, l.fault, l.last_attempt_at, \
     (SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries p WHERE p.webhook_id = w.id AND p.status = 'PENDING' \
     LIMIT 1000) waiting) AS pending";
const LAST: &str = " LEFT JOIN webhook_deliveries l ON l.id = (SELECT d.id FROM webhook_deliveries d \
     WHERE d.webhook_id = w.id AND d.last_attempt_at IS NOT NULL ORDER BY d.last_attempt_at DESC, d.id DESC LIMIT 1)";

fn webhook(row: &QueryResult) -> Result<Webhook, StoreError> {
    let events: String = get(row, "events")?;
    let events = events.split(',').filter(|code| !code.is_empty()).map(member::<EventType>);
    let last_delivery = match get::<Option<String>>(row, "status")? {
        None => None,
        Some(status) => Some(LastDelivery {
            status: member(&status)?,
            event_type: member(&get::<String>(row, "event_type")?)?,
            status_code: status_code(row)?,
            fault: fault(row)?,
            at: get(row, "last_attempt_at")?,
        }),
    };
    Ok(Webhook {
        id: get(row, "id")?,
        version: get(row, "version")?,
        draft: WebhookDraft {
            name: get(row, "name")?,
            url: WebhookUrl(get(row, "url")?),
            events: events.collect::<Result<_, _>>()?,
            active: get(row, "active")?,
        },
        created_date: get(row, "created_date")?,
        updated_date: get(row, "updated_date")?,
        last_delivery,
        pending: u32::try_from(get::<i64>(row, "pending")?).unwrap_or_default(),
        pause: pause(row)?,
    })
}

fn pause(row: &QueryResult) -> Result<Option<WebhookPause>, StoreError> {
    let Some(paused_date) = get::<Option<DateTime<Utc>>>(row, "paused_date")? else { return Ok(None) };
    let status_code: Option<i32> = get(row, "pause_status_code")?;
    Ok(Some(WebhookPause {
        paused_date,
        failing_since: get::<Option<DateTime<Utc>>>(row, "failing_since")?.unwrap_or(paused_date),
        failures: u32::try_from(get::<i32>(row, "failures")?).unwrap_or_default(),
        fault: get::<Option<String>>(row, "pause_fault")?.as_deref().map(member).transpose()?,
        status_code: status_code.and_then(|code| u16::try_from(code).ok()),
    }))
}

fn status_code(row: &QueryResult) -> Result<Option<u16>, StoreError> {
    Ok(get::<Option<i32>>(row, "status_code")?.and_then(|code| u16::try_from(code).ok()))
}

fn fault(row: &QueryResult) -> Result<Option<DeliveryFault>, StoreError> {
    get::<Option<String>>(row, "fault")?.as_deref().map(member).transpose()
}

/// The columns of a delivery `d`.
const DELIVERY: &str = "d.id, d.webhook_id, d.event_type, d.entity, d.data, d.occurred_at, d.resend_of, d.status, \
     d.attempts, d.next_attempt_at, d.last_attempt_at, d.status_code, d.fault, d.duration_ms, d.ended_at";

fn delivery(row: &QueryResult) -> Result<Delivery, StoreError> {
    let id: Id = get(row, "id")?;
    let resend_of: Option<Id> = get(row, "resend_of")?;
    let status: DeliveryStatus = member(&get::<String>(row, "status")?)?;
    let next: DateTime<Utc> = get(row, "next_attempt_at")?;
    let waits = status == DeliveryStatus::Pending && next > DateTime::UNIX_EPOCH;
    let ended: Option<DateTime<Utc>> = get(row, "ended_at")?;
    Ok(Delivery {
        id,
        webhook: get(row, "webhook_id")?,
        message: format!("msg_{}", resend_of.unwrap_or(id)),
        event_type: member(&get::<String>(row, "event_type")?)?,
        entity: get(row, "entity")?,
        data: get(row, "data")?,
        occurred_at: get(row, "occurred_at")?,
        status,
        attempts: u32::try_from(get::<i32>(row, "attempts")?).unwrap_or_default(),
        next_attempt_at: waits.then_some(next),
        last_attempt_at: get(row, "last_attempt_at")?,
        status_code: status_code(row)?,
        fault: fault(row)?,
        duration_ms: get(row, "duration_ms")?,
        delivered_at: ended.filter(|_| status == DeliveryStatus::Delivered),
        resend_of,
    })
}

/// Exactly as in the partial indexes: with a bound value no database could use them.
const PENDING: &str = "status = 'PENDING'";

/// Pending deliveries, at most ten thousand, along the partial index of pending ones.
const COUNT_PENDING: &str = "SELECT count(*) AS total FROM (SELECT 1 FROM webhook_deliveries d WHERE d.status = 'PENDING' \
     AND EXISTS (SELECT 1 FROM webhooks w WHERE w.id = d.webhook_id) LIMIT 10000) counted";

/// A webhook, as read by this connection.
async fn find_in(connection: &impl ConnectionTrait, id: Id) -> Result<Option<Webhook>, StoreError> {
    let mut sql = Sql::new(format!("SELECT {COLUMNS} FROM webhooks w{LAST} WHERE w.id = "));
    sql.bind(id);
    let row = connection.query_one_raw(sql.statement(connection.get_database_backend())).await;
    row.map_err(store_error)?.as_ref().map(webhook).transpose()
}

/// The list of webhooks.
struct WebhookList;

rows_of_list!(SeaOrmWebhooks, 0, (), Webhook, |store, _filter| WebhookList);

impl ListTable for WebhookList {
    type Row = Webhook;

    const TABLE: &'static str = "webhooks";
    const ALIAS: &'static str = "w";
    const COLUMNS: &'static str = COLUMNS;
    const SORTS: &'static [(&'static str, &'static str)] =
        &[("name", "name_key"), ("createdDate", "created_date"), ("updatedDate", "updated_date")];
    const JOINS: &'static str = LAST;
    const DEFAULT_ORDER: (&'static str, bool) = ("w.id", false);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = webhook;

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, _path: AccessPath) {
        if let Some(text) = request.search.text() {
            sql.push(" WHERE ").push_like("w.search_text", text);
        }
    }
}

#[async_trait]
impl WebhookRepository for SeaOrmWebhooks {
    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<Webhook>>, StoreError> {
        page(&self.0, &WebhookList, query).await
    }

    async fn find(&self, id: Id) -> Result<Option<Webhook>, StoreError> {
        find_in(&self.0.reader, id).await
    }

    async fn add(
        &self,
        draft: Valid<WebhookDraft>,
        secret: &str,
        edit: &Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<InsertedWebhook, WebhookReplayConflict>, StoreError> {
        self.insert(&draft.into_inner(), secret, edit, once.as_ref()).await
    }

    async fn replace(
        &self,
        id: Id,
        draft: Valid<WebhookDraft>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<Webhook>, StoreError> {
        self.change(id, &draft.into_inner(), expected, edit).await
    }

    async fn change_secret(&self, id: Id, secret: &str, edit: &Edit) -> Result<Written<Webhook>, StoreError> {
        self.rotate(id, secret, edit).await
    }

    async fn resume(&self, id: Id, edit: &Edit) -> Result<Written<Webhook>, StoreError> {
        self.end_pause(id, edit).await
    }

    async fn remove(
        &self,
        id: Id,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<Webhook>, StoreError> {
        self.erase(id, expected, edit).await
    }

    async fn log(&self, id: Id, query: &ListQuery) -> Result<Page<Vec<Delivery>>, StoreError> {
        self.log_page(id, query).await
    }

    async fn delivery(&self, id: Id, delivery: Id) -> Result<Option<Delivery>, StoreError> {
        self.logged(&self.0.reader, id, delivery).await
    }

    async fn add_test(&self, id: Id, now: DateTime<Utc>) -> Result<Option<Delivery>, StoreError> {
        self.put_test(id, now).await
    }

    async fn resend(&self, id: Id, delivery: Id, now: DateTime<Utc>) -> Result<Option<Delivery>, StoreError> {
        self.repeat(id, delivery, now).await
    }
}

#[async_trait]
impl Outbox for SeaOrmWebhooks {
    async fn waiting(&self, now: DateTime<Utc>) -> Result<Vec<Id>, StoreError> {
        self.with_something_due(now).await
    }

    async fn due(&self, webhook: Id, now: DateTime<Utc>, most: u32) -> Result<Vec<DueDelivery>, StoreError> {
        self.due_deliveries(webhook, now, most).await
    }

    async fn note(&self, delivery: &Delivery, outcome: &Outcome) -> Result<Noted, StoreError> {
        self.write_down(delivery, outcome).await
    }

    async fn pending(&self) -> Result<u64, StoreError> {
        Sql::new(COUNT_PENDING).total(&self.0.reader).await
    }
}
