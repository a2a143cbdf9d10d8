//! Webhooks for tests.

use adapter_seaorm::SeaOrmWebhooks;
use domain_integrations::{
    Attempt, Delivery, DeliveryFault, EventType, Verdict, Webhook, WebhookDraft, WebhookUrl,
};
use domain_kernel::{Id, checked};
use garde::Valid;
use ports::{Inserted, Noted, Outbox, Outcome, WebhookRepository};
use serde_json::Value;

use crate::support::{TestDb, after, edit, start};

pub fn draft(name: &str, events: &[EventType]) -> WebhookDraft {
    let url = WebhookUrl(format!("https://example.com/{}", name.to_lowercase().replace(' ', "-")));
    WebhookDraft { name: name.into(), url, events: events.to_vec(), active: true }
}

pub fn valid_draft(draft: WebhookDraft) -> Valid<WebhookDraft> {
    checked(draft, &()).unwrap()
}

pub fn hooks(db: &TestDb) -> SeaOrmWebhooks {
    SeaOrmWebhooks(db.database.clone())
}

/// A webhook for these events.
pub async fn hook(db: &TestDb, name: &str, events: &[EventType]) -> Webhook {
    add(db, draft(name, events)).await
}

pub async fn add(db: &TestDb, draft: WebhookDraft) -> Webhook {
    match hooks(db).add(valid_draft(draft), "whsec_c2VjcmV0", &edit(start()), None).await.unwrap() {
        Inserted::New(added) => added.webhook,
        other => panic!("{other:?}"),
    }
}

/// The deliveries of a webhook: event, entity and data.
pub async fn reported(db: &TestDb, webhook: Id) -> Vec<(String, String, Value)> {
    let sql = format!(
        "SELECT event_type, entity, data FROM webhook_deliveries WHERE webhook_id = {webhook} ORDER BY id"
    );
    let text = |row: &sea_orm::QueryResult, column: &str| row.try_get::<String>("", column).unwrap();
    let rows = db.rows(&sql).await;
    rows.iter()
        .map(|row| {
            let data = serde_json::from_str(&text(row, "data")).unwrap();
            (text(row, "event_type"), text(row, "entity"), data)
        })
        .collect()
}

/// The number of all deliveries.
pub async fn count(db: &TestDb) -> i64 {
    db.number("SELECT count(*) AS number FROM webhook_deliveries").await
}

/// The due deliveries after so many minutes.
pub async fn due(db: &TestDb, webhook: Id, minutes: i64) -> Vec<Delivery> {
    let due = hooks(db).due(webhook, after(minutes), 100).await.unwrap();
    due.into_iter().map(|due| due.delivery).collect()
}

/// Records the result of an attempt after so many minutes.
pub async fn noted(db: &TestDb, delivery: &Delivery, verdict: Verdict, minutes: i64) -> bool {
    let attempt = match verdict {
        Verdict::Delivered => Attempt { status_code: Some(204), fault: None },
        _ => Attempt { status_code: Some(500), fault: Some(DeliveryFault::Refused) },
    };
    let outcome = Outcome { attempt, verdict, at: after(minutes), ended: after(minutes) };
    hooks(db).note(delivery, &outcome).await.unwrap() != Noted::Overtaken
}
