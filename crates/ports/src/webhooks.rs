//! Webhooks and their outbox, the sender, and the lease that restricts a job to one node.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain_integrations::{Attempt, Delivery, EventStage, Verdict, Webhook, WebhookDraft};
use domain_kernel::{Id, ListQuery, Page, Version};
use garde::Valid;

use crate::{Edit, IdempotencyKey, Inserted, StoreError, Written};

/// An inserted webhook, with its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InsertedWebhook {
    pub webhook: Webhook,
    pub secret: String,
}

/// Conflict of a repeated insert: the first response can't be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookReplayConflict {
    /// The webhook was changed since: its secret may differ from that of the first response.
    Changed,
    /// The webhook was removed since: its id.
    Removed(Id),
}

/// Stores webhooks and their log.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait WebhookRepository: Send + Sync {
    /// A page of the list. The search covers names and addresses.
    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<Webhook>>, StoreError>;

    /// One webhook.
    async fn find(&self, id: Id) -> Result<Option<Webhook>, StoreError>;

    /// Adds a webhook, idempotently where a key is given. It receives events from now on.
    async fn add(
        &self,
        draft: Valid<WebhookDraft>,
        secret: &str,
        edit: &Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<InsertedWebhook, WebhookReplayConflict>, StoreError>;

    /// Replaces the draft of a webhook. The secret is kept.
    async fn replace(
        &self,
        id: Id,
        draft: Valid<WebhookDraft>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<Webhook>, StoreError>;

    /// Replaces the secret of a webhook, which signs all further messages.
    async fn change_secret(&self, id: Id, secret: &str, edit: &Edit) -> Result<Written<Webhook>, StoreError>;

    /// Resumes a paused webhook: pending deliveries are due, with a new count of attempts. An active webhook
    /// is not changed.
    async fn resume(&self, id: Id, edit: &Edit) -> Result<Written<Webhook>, StoreError>;

    /// Removes a webhook. Its log is hidden and its deliveries are not sent; the rows are removed in batches
    /// (`Retention`).
    async fn remove(
        &self,
        id: Id,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<Webhook>, StoreError>;

    /// A page of a webhook's log. Filters are `status` and `eventType`; the search covers the entity.
    async fn log(&self, id: Id, query: &ListQuery) -> Result<Page<Vec<Delivery>>, StoreError>;

    /// One delivery of a webhook.
    async fn delivery(&self, id: Id, delivery: Id) -> Result<Option<Delivery>, StoreError>;

    /// Adds a test delivery to the outbox of a webhook, active or not. `None` where the webhook does not
    /// exist.
    async fn add_test(&self, id: Id, now: DateTime<Utc>) -> Result<Option<Delivery>, StoreError>;

    /// Sends a delivery again: an ended one is repeated as another, a pending one becomes due.
    async fn resend(&self, id: Id, delivery: Id, now: DateTime<Utc>) -> Result<Option<Delivery>, StoreError>;
}

/// A due delivery, with the data for sending it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    pub delivery: Delivery,
    pub url: String,
    /// Signing secret.
    pub secret: String,
}

/// Outcome of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    pub attempt: Attempt,
    /// Next state of the delivery.
    pub verdict: Verdict,
    /// Start of the attempt.
    pub at: DateTime<Utc>,
    /// End of the attempt.
    pub ended: DateTime<Utc>,
}

/// Outcome of recording an attempt. Not [`crate::Written`]: an overtaken attempt is no error, and the state
/// of the delivery is not read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noted {
    /// Recorded.
    Done,
    /// Recorded, and the webhook was paused.
    Paused,
    /// Another process recorded it meanwhile, or the webhook was removed.
    Overtaken,
}

/// The outbox: deliveries that transactions of changes have written.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait Outbox: Send + Sync {
    /// The webhooks with a delivery that is due.
    async fn waiting(&self, now: DateTime<Utc>) -> Result<Vec<Id>, StoreError>;

    /// The due deliveries of a webhook: for each entity the oldest pending one, if it is due.
    async fn due(&self, webhook: Id, now: DateTime<Utc>, most: u32) -> Result<Vec<DueDelivery>, StoreError>;

    /// Records the outcome of an attempt, and pauses the webhook if its receiver has failed for too long; the delivery
    /// then stays pending. A success resets the count of failures; tests don't count.
    async fn note(&self, delivery: &Delivery, outcome: &Outcome) -> Result<Noted, StoreError>;

    /// Number of pending deliveries.
    async fn pending(&self) -> Result<u64, StoreError>;
}

/// Detects expirations of subscriptions. Each expiration is recorded once per stage.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SubscriptionEnds: Send + Sync {
    /// Records expirations before `until` that are not recorded yet, limited. The first run only stores its
    /// position: past expirations are not recorded. Returns the number of examined users.
    async fn record_expirations(
        &self,
        stage: EventStage,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
        most: u32,
    ) -> Result<u32, StoreError>;

    /// Records users whose expiration was changed since the last run: to a time between now and
    /// `warned_until`, or to the past. Returns the number of changed users.
    async fn record_changes(
        &self,
        now: DateTime<Utc>,
        warned_until: DateTime<Utc>,
    ) -> Result<u32, StoreError>;

    /// Deletes the notices of expirations before this time.
    async fn remove_notices(&self, before: DateTime<Utc>) -> Result<(), StoreError>;
}

/// Restricts a job to one node.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait Leases: Send + Sync {
    /// Acquires a lease that is free or has expired, or renews one's own, for this time by the clock of the
    /// store, as clocks of nodes differ. `false` where another node holds it.
    async fn take(&self, name: &str, holder: &str, length: TimeDelta) -> Result<bool, StoreError>;

    /// Releases one's own lease before it expires.
    async fn release(&self, name: &str, holder: &str) -> Result<(), StoreError>;
}

/// A message to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingMessage {
    pub url: String,
    /// Id for receivers.
    pub id: String,
    pub sent_at: DateTime<Utc>,
    /// JSON.
    pub body: String,
    /// Signing secret.
    pub secret: String,
}

/// Sends messages to webhooks.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Signs a message and sends it once. Never to a forbidden address, and without redirects.
    async fn send(&self, message: &OutgoingMessage) -> Attempt;

    /// A random secret.
    fn new_secret(&self) -> String;
}
