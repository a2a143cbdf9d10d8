//! Work without a request: deliveries of webhooks and notices of expiring subscriptions. Each is a
//! job with its own lease, so that one of several nodes runs it.
//!
//! A job here is one step, without a loop, a clock or a task; the server runs it
//! (`server/src/jobs.rs`).

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use chrono::{DateTime, TimeDelta, Utc};
use domain_integrations::{EventStage, Verdict, WARNING_DAYS, verdict_of};
use domain_kernel::{Enumeration, Id};
use ports::{DueDelivery, Leases, Noted, Outbox, Outcome, OutgoingMessage, SubscriptionEnds, WebhookSender};
use serde_json::{Value, json};

use crate::{Calendar, Error};

/// Maximum concurrent deliveries to one webhook, each of another entity, because those of one
/// entity are in order.
const AT_ONCE: u32 = 8;
/// Retention of an expiration notice.
const NOTICES_LIVE: TimeDelta = TimeDelta::days(400);
/// Rows per statement, so that other writers wait briefly.
const STEP: u32 = 500;
/// Maximum steps per run; the next run continues.
const STEPS: usize = 200;

/// Counts of deliveries since the start of the process.
#[derive(Debug, Default)]
pub struct DeliveryFigures {
    delivered: AtomicU64,
    retried: AtomicU64,
    given_up: AtomicU64,
}

impl DeliveryFigures {
    fn count(&self, verdict: Verdict) {
        let counter = match verdict {
            Verdict::Delivered => &self.delivered,
            Verdict::Retry(_) => &self.retried,
            Verdict::GivenUp => &self.given_up,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Attempts by outcome.
    pub fn by_outcome(&self) -> [(&'static str, u64); 3] {
        [("delivered", &self.delivered), ("retried", &self.retried), ("failed", &self.given_up)]
            .map(|(name, counter)| (name, counter.load(Ordering::Relaxed)))
    }
}

/// Delivers the events of the outbox.
pub struct DeliveryService {
    outbox: Arc<dyn Outbox>,
    sender: Arc<dyn WebhookSender>,
    calendar: Calendar,
    figures: DeliveryFigures,
}

impl DeliveryService {
    pub fn new(outbox: Arc<dyn Outbox>, sender: Arc<dyn WebhookSender>, calendar: Calendar) -> Self {
        Self { outbox, sender, calendar, figures: DeliveryFigures::default() }
    }

    /// Webhooks with due deliveries.
    pub async fn waiting(&self) -> Result<Vec<Id>, Error> {
        Ok(self.outbox.waiting(self.calendar.now()).await?)
    }

    /// Due deliveries of a webhook. Each is of another entity, so they may be concurrent; the
    /// following ones of an entity are returned after these are recorded.
    pub async fn due(&self, webhook: Id) -> Result<Vec<DueDelivery>, Error> {
        Ok(self.outbox.due(webhook, self.calendar.now(), AT_ONCE).await?)
    }

    /// Sends one delivery and records its outcome. After a crash in between it is sent again.
    pub async fn attempt(&self, due: &DueDelivery) -> Result<Verdict, Error> {
        let delivery = &due.delivery;
        let at = self.calendar.now();
        let message = OutgoingMessage {
            url: due.url.clone(),
            id: delivery.message.clone(),
            sent_at: at,
            body: body(due).to_string(),
            secret: due.secret.clone(),
        };
        let attempt = self.sender.send(&message).await;
        let ended = self.calendar.now();
        let made = delivery.attempts.saturating_add(1);
        let verdict = verdict_of(delivery.event_type, made, attempt, ended);
        let noted = self.outbox.note(delivery, &Outcome { attempt, verdict, at, ended }).await?;
        if noted != Noted::Overtaken {
            self.figures.count(verdict);
        }
        if noted == Noted::Paused {
            tracing::warn!(webhook = delivery.webhook, "webhook paused: its receiver failed for too long");
            return Ok(verdict);
        }
        if let Some(fault) = attempt.fault {
            let (webhook, id, status) = (delivery.webhook, delivery.id, attempt.status_code);
            let fault = fault.code();
            if verdict == Verdict::GivenUp {
                tracing::warn!(
                    webhook,
                    delivery = id,
                    attempt = made,
                    fault,
                    status,
                    "webhook delivery abandoned"
                );
            } else {
                tracing::info!(
                    webhook,
                    delivery = id,
                    attempt = made,
                    fault,
                    status,
                    "webhook delivery failed, will retry"
                );
            }
        }
        Ok(verdict)
    }

    /// Counts of deliveries since the start of the process.
    pub fn figures(&self) -> &DeliveryFigures {
        &self.figures
    }

    /// Number of pending deliveries.
    pub async fn pending(&self) -> Result<u64, Error> {
        Ok(self.outbox.pending().await?)
    }
}

/// Payload by the Standard Webhooks specification.
fn body(due: &DueDelivery) -> Value {
    let delivery = &due.delivery;
    let data = serde_json::from_str(&delivery.data).unwrap_or(Value::Null);
    json!({
        "id": delivery.message,
        "type": delivery.event_type.code(),
        "timestamp": delivery.occurred_at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true),
        "data": data,
    })
}

/// Records notices of expiring subscriptions.
pub struct SubscriptionWatch {
    ends: Arc<dyn SubscriptionEnds>,
    calendar: Calendar,
}

impl SubscriptionWatch {
    pub fn new(ends: Arc<dyn SubscriptionEnds>, calendar: Calendar) -> Self {
        Self { ends, calendar }
    }

    /// Records due notices, in limited steps.
    pub async fn record_notices(&self) -> Result<(), Error> {
        let now = self.calendar.now();
        let warned_until = now + TimeDelta::days(WARNING_DAYS);
        for (stage, until) in [(EventStage::Expiring, warned_until), (EventStage::Expired, now)] {
            for _ in 0..STEPS {
                if self.ends.record_expirations(stage, now, until, STEP).await? < STEP {
                    break;
                }
            }
        }
        self.ends.record_changes(now, warned_until).await?;
        Ok(())
    }

    /// Deletes old notices.
    pub async fn sweep(&self) -> Result<(), Error> {
        Ok(self.ends.remove_notices(self.calendar.now() - NOTICES_LIVE).await?)
    }
}

/// A lease of a job, as seen by one node.
pub struct Lease {
    leases: Arc<dyn Leases>,
    calendar: Calendar,
    name: &'static str,
    holder: String,
    length: TimeDelta,
    until: std::sync::Mutex<Option<DateTime<Utc>>>,
}

impl Lease {
    /// A lease that `holder` may acquire for a limited time.
    pub fn new(
        leases: Arc<dyn Leases>,
        calendar: Calendar,
        name: &'static str,
        holder: String,
        length: TimeDelta,
    ) -> Self {
        Self { leases, calendar, name, holder, length, until: std::sync::Mutex::new(None) }
    }

    fn remembered(&self) -> std::sync::MutexGuard<'_, Option<DateTime<Utc>>> {
        self.until.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Whether the job may run on this node. Renewed after half of its time, so that an idle node
    /// rarely writes.
    pub async fn is_held(&self) -> Result<bool, Error> {
        let now = self.calendar.now();
        let half = self.length / 2;
        if self.remembered().is_some_and(|until| now + half < until && until <= now + self.length) {
            return Ok(true);
        }
        let until = now + self.length;
        let held = self.leases.take(self.name, &self.holder, self.length).await;
        *self.remembered() = matches!(held, Ok(true)).then_some(until);
        Ok(held?)
    }

    /// Releases the lease for another node.
    pub async fn release(&self) -> Result<(), Error> {
        *self.remembered() = None;
        Ok(self.leases.release(self.name, &self.holder).await?)
    }
}
