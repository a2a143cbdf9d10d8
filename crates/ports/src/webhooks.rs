//! Webhooks and their outbox, the sender, and the lease that lets a job run on one node at a time.

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain_integrations::{Attempt, Delivery, EventStage, Verdict, Webhook, WebhookDraft};
use domain_kernel::{Id, ListQuery, Page, Version};
use garde::Valid;

use crate::{Edit, IdempotencyKey, StoreError, Written};

/// What adding a webhook led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebhookAdded {
    /// It is there.
    New(Webhook),
    /// It was before, under the same key, and nobody has changed it since: with its secret.
    Replayed(Webhook, String),
    /// It was before, under the same key, and has been changed since: its secret is not that of the first answer any more.
    Changed,
    /// It was before, under the same key, and has been removed since: this was its id.
    Gone(Id),
    /// The key was used before for something else.
    KeyReused,
}

/// Keeps webhooks and shows their log.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait WebhookRepository: Send + Sync {
    /// A page of the list. The search looks in names and addresses.
    async fn list(&self, query: &ListQuery) -> Result<Page<Vec<Webhook>>, StoreError>;

    /// One of them.
    async fn find(&self, id: Id) -> Result<Option<Webhook>, StoreError>;

    /// Adds one, once for a once-only request. It receives events from now on.
    async fn add(
        &self,
        draft: Valid<WebhookDraft>,
        secret: &str,
        edit: &Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<WebhookAdded, StoreError>;

    /// Puts another draft in the place of one's. Its secret stays.
    async fn replace(
        &self,
        id: Id,
        draft: Valid<WebhookDraft>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<Webhook>, StoreError>;

    /// Gives it another secret: what is sent from now on is signed with it.
    async fn change_secret(&self, id: Id, secret: &str, edit: &Edit) -> Result<Written<Webhook>, StoreError>;

    /// Ends the pause of one: what waits is sent as soon as its turn comes, as often as if it had not been tried. Does
    /// nothing to one that is not paused.
    async fn resume(&self, id: Id, edit: &Edit) -> Result<Written<Webhook>, StoreError>;

    /// Removes one. Nothing of its log is found or sent any more; the rows are removed in batches (`Retention`).
    async fn remove(
        &self,
        id: Id,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<Webhook>, StoreError>;

    /// A page of a webhook's log. Filters are `status` and `eventType`; the search looks for what it is about.
    async fn log(&self, id: Id, query: &ListQuery) -> Result<Page<Vec<Delivery>>, StoreError>;

    /// One delivery of a webhook.
    async fn delivery(&self, id: Id, delivery: Id) -> Result<Option<Delivery>, StoreError>;

    /// Puts a test into the outbox of a webhook, active or not. `None` where there is none with that id.
    async fn add_test(&self, id: Id, now: DateTime<Utc>) -> Result<Option<Delivery>, StoreError>;

    /// Sends a delivery again: one that ended is repeated as another, one that waits is tried as soon as its turn comes.
    async fn resend(&self, id: Id, delivery: Id, now: DateTime<Utc>) -> Result<Option<Delivery>, StoreError>;
}

/// A delivery whose turn it is, with what it takes to send it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    /// The delivery.
    pub delivery: Delivery,
    /// Where to.
    pub url: String,
    /// What it is signed with.
    pub secret: String,
}

/// What became of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub attempt: Attempt,
    /// What follows.
    pub verdict: Verdict,
    /// When it began.
    pub at: DateTime<Utc>,
    /// When it ended.
    pub ended: DateTime<Utc>,
}

/// What writing down an attempt led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noted {
    /// It is written down.
    Done,
    /// It is written down, and the webhook is paused from now on.
    Paused,
    /// Somebody else wrote in between, or the webhook is gone.
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

    /// How many deliveries are pending.
    async fn pending(&self) -> Result<u64, StoreError>;
}

/// Finds the subscriptions that time brings to their end. Each expiration is noticed once in each stage.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait SubscriptionEnds: Send + Sync {
    /// Records expirations before `until` that are not recorded yet, at most so many. The first run ever only
    /// stores its position: the past is not recorded. Answers how many it examined.
    async fn come(
        &self,
        stage: EventStage,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
        most: u32,
    ) -> Result<u32, StoreError>;

    /// Records users whose subscription was moved to its end since the last look: into the time between now and
    /// `warned_until`, or into the past. Answers how many were moved.
    async fn moved(&self, now: DateTime<Utc>, warned_until: DateTime<Utc>) -> Result<u32, StoreError>;

    /// Deletes the notices of expirations before this time.
    async fn forget(&self, before: DateTime<Utc>) -> Result<(), StoreError>;
}

/// Lets a job run on one node at a time.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait Leases: Send + Sync {
    /// Takes a lease that is free or has run out, or renews one's own, for so long from now on, by the clock of the
    /// store: clocks of nodes differ. `false` where somebody else holds it.
    async fn take(&self, name: &str, holder: &str, length: TimeDelta) -> Result<bool, StoreError>;

    /// Gives one's own lease back before it runs out.
    async fn give_back(&self, name: &str, holder: &str) -> Result<(), StoreError>;
}

/// A message on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingMessage {
    /// Where to.
    pub url: String,
    /// What receivers recognise it by.
    pub id: String,
    /// When it is sent.
    pub sent_at: DateTime<Utc>,
    /// JSON.
    pub body: String,
    /// What it is signed with.
    pub secret: String,
}

/// Sends messages to webhooks.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Signs a message and sends it once. Never to an address that is not allowed; never anywhere else than it says.
    async fn send(&self, message: &OutgoingMessage) -> Attempt;

    /// A secret that nobody guesses.
    fn new_secret(&self) -> String;
}
