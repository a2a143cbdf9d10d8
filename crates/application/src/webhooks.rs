//! Use cases of webhooks for admins: create, change, read the log, test, resend. Nothing is sent
//! here: the [`DeliveryService`](crate::DeliveryService) sends the events of the outbox.

use std::sync::Arc;

use domain_integrations::{Delivery, DeliveryStatus, EventType, Webhook, WebhookDraft};
use domain_kernel::{
    Actor, DraftReader, Enumeration, FilterKind, Id, ListQuery, Page, Sort, Version, timestamp,
};
use ports::{
    DeliveryFilter, Inserted, InsertedWebhook, WebhookReplayConflict, WebhookRepository, WebhookSender,
    Written,
};
use serde_json::{Value, json};

use crate::{
    Calendar, Error, ListShape,
    body::{parse, to_json},
    idempotency::idempotency_key,
    listing::required_id,
    merge::merged,
    read_list_query,
    versions::{require_version, retry_if_outdated},
};

/// Topic of the texts.
const WEBHOOKS: &str = "webhooks";
/// Topic of the texts of deliveries.
const DELIVERIES: &str = "webhook-deliveries";

/// Use cases of webhooks.
pub struct WebhookService {
    webhooks: Arc<dyn WebhookRepository>,
    sender: Arc<dyn WebhookSender>,
    calendar: Calendar,
    drafts: DraftReader<WebhookDraft>,
}

/// A webhook with its secret, which is only shown once.
#[derive(Debug)]
pub struct WebhookWithSecret {
    pub webhook: Webhook,
    /// Signing key: `whsec_` and base64.
    pub secret: String,
    /// Whether the same request was answered before under this idempotency key.
    pub replayed: bool,
}

fn only_admins(actor: &Actor) -> Result<(), Error> {
    if actor.role.passes_every_check() { Ok(()) } else { Err(Error::Forbidden) }
}

fn missing(id: Id) -> Error {
    Error::NoSuch { what: WEBHOOKS, id }
}

impl WebhookService {
    /// List parameters.
    pub fn list_shape() -> ListShape {
        ListShape { page_size: 10, sorts: vec!["id", "name", "createdDate", "updatedDate"], filters: &[] }
    }

    /// List parameters of the log.
    pub fn log_shape() -> ListShape {
        ListShape {
            page_size: 10,
            sorts: vec!["id", "occurredAt"],
            filters: &[
                ("status", FilterKind::Code(DeliveryStatus::CODES)),
                ("eventType", FilterKind::Code(EventType::CODES)),
            ],
        }
    }

    pub fn new(
        webhooks: Arc<dyn WebhookRepository>,
        sender: Arc<dyn WebhookSender>,
        calendar: Calendar,
    ) -> Self {
        Self { webhooks, sender, calendar, drafts: DraftReader::new() }
    }

    /// A page of the list. `pairs` are those of the query string.
    pub async fn list(&self, actor: &Actor, pairs: &[(String, String)]) -> Result<Page<Vec<Webhook>>, Error> {
        Ok(self.webhooks.list(&Self::read_list(actor, pairs)?).await?)
    }

    /// Reads the list parameters, after a check of the permission.
    pub(crate) fn read_list(actor: &Actor, pairs: &[(String, String)]) -> Result<ListQuery, Error> {
        only_admins(actor)?;
        Ok(read_list_query(&Self::list_shape(), pairs)?)
    }

    pub async fn find(&self, actor: &Actor, id: Id) -> Result<Webhook, Error> {
        only_admins(actor)?;
        self.webhooks.find(id).await?.ok_or_else(|| missing(id))
    }

    /// Creates a webhook. Its secret is only returned here.
    pub async fn create(
        &self,
        actor: &Actor,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<WebhookWithSecret, Error> {
        only_admins(actor)?;
        let json = parse(body)?;
        let once = idempotency_key(actor, key, WEBHOOKS, &json);
        let draft = self.drafts.read(json, &())?;
        let secret = self.sender.new_secret();
        match self.webhooks.add(draft, &secret, &self.calendar.edit_by(actor), once).await? {
            Inserted::New(InsertedWebhook { webhook, secret }) => {
                tracing::info!(actor = actor.username.as_str(), webhook = webhook.id, "webhook created");
                Ok(WebhookWithSecret { webhook, secret, replayed: false })
            }
            Inserted::Replayed(InsertedWebhook { webhook, secret }) => {
                Ok(WebhookWithSecret { webhook, secret, replayed: true })
            }
            Inserted::KeyReused => Err(Error::IdempotencyMismatch),
            Inserted::Conflict(WebhookReplayConflict::Changed) => Err(Error::WebhookChanged),
            Inserted::Conflict(WebhookReplayConflict::Removed(id)) => Err(missing(id)),
        }
    }

    /// Replaces the fields of a webhook.
    pub async fn replace(
        &self,
        actor: &Actor,
        id: Id,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<Webhook, Error> {
        only_admins(actor)?;
        self.find(actor, id).await?;
        let draft = self.drafts.read(parse(body)?, &())?;
        let written = self.webhooks.replace(id, draft, expected, &self.calendar.edit_by(actor)).await?;
        let webhook = self.written(id, written)?;
        tracing::info!(actor = actor.username.as_str(), webhook = id, "webhook changed");
        Ok(webhook)
    }

    /// Merges changes into a webhook (RFC 7396); the complete result must be valid.
    pub async fn merge(
        &self,
        actor: &Actor,
        id: Id,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<Webhook, Error> {
        only_admins(actor)?;
        let patch = parse(body)?;
        retry_if_outdated(expected, async || {
            let current = self.find(actor, id).await?;
            require_version(expected, current.version, || {
                Ok(Error::Outdated(Box::new(current_json(&current)?)))
            })?;
            let whole = merged(&current.draft, patch.clone())?;
            let draft = self.drafts.read(whole, &())?;
            let edit = self.calendar.edit_by(actor);
            let written = self.webhooks.replace(id, draft, Some(current.version), &edit).await?;
            let webhook = self.written(id, written)?;
            tracing::info!(actor = actor.username.as_str(), webhook = id, "webhook changed");
            Ok(webhook)
        })
        .await
    }

    /// Deletes a webhook with its log and its pending deliveries.
    pub async fn delete(&self, actor: &Actor, id: Id, expected: Option<Version>) -> Result<(), Error> {
        only_admins(actor)?;
        let written = self.webhooks.remove(id, expected, &self.calendar.edit_by(actor)).await?;
        self.written(id, written)?;
        tracing::info!(actor = actor.username.as_str(), webhook = id, "webhook deleted");
        Ok(())
    }

    /// Replaces the secret, which is only returned here. Later deliveries are signed with it.
    pub async fn rotate_secret(&self, actor: &Actor, id: Id) -> Result<WebhookWithSecret, Error> {
        only_admins(actor)?;
        let secret = self.sender.new_secret();
        let written = self.webhooks.change_secret(id, &secret, &self.calendar.edit_by(actor)).await?;
        let webhook = self.written(id, written)?;
        tracing::info!(actor = actor.username.as_str(), webhook = id, "webhook secret replaced");
        Ok(WebhookWithSecret { webhook, secret, replayed: false })
    }

    /// Adds a test event to the outbox; the log has its outcome.
    pub async fn test(&self, actor: &Actor, id: Id) -> Result<Delivery, Error> {
        only_admins(actor)?;
        self.webhooks.add_test(id, self.calendar.now()).await?.ok_or_else(|| missing(id))
    }

    /// A page of the log, newest first by default.
    pub async fn log(
        &self,
        actor: &Actor,
        id: Id,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<Delivery>>, Error> {
        only_admins(actor)?;
        self.find(actor, id).await?;
        let mut query = read_list_query(&Self::log_shape(), pairs)?;
        if query.sort.is_empty() {
            query.sort.push(Sort { field: "id".to_owned(), descending: true });
        }
        Ok(self.webhooks.log(id, &query).await?)
    }

    /// Parameters of a log's file: `webhook` and those of the log.
    pub(crate) fn read_log(
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<(DeliveryFilter, ListQuery), Error> {
        only_admins(actor)?;
        let (webhook, others) = required_id(pairs, "webhook")?;
        let query = read_list_query(&Self::log_shape(), &others)?;
        Ok((DeliveryFilter { webhook }, query))
    }

    /// One delivery of the log.
    pub async fn delivery(&self, actor: &Actor, id: Id, delivery: Id) -> Result<Delivery, Error> {
        self.find(actor, id).await?;
        let found = self.webhooks.delivery(id, delivery).await?;
        found.ok_or(Error::NoSuch { what: DELIVERIES, id: delivery })
    }

    /// Sends a delivery again: repeats a completed one, or makes a waiting one due now. While
    /// nothing is sent to the webhook, only tests are accepted.
    pub async fn resend(&self, actor: &Actor, id: Id, delivery: Id) -> Result<Delivery, Error> {
        let webhook = self.find(actor, id).await?;
        let found = self.delivery(actor, id, delivery).await?;
        if !webhook.is_sending() && found.event_type != EventType::Test {
            return Err(Error::WebhookStopped);
        }
        let queued = self.webhooks.resend(id, delivery, self.calendar.now()).await?;
        queued.ok_or(Error::NoSuch { what: DELIVERIES, id: delivery })
    }

    /// Ends the pause of a webhook.
    pub async fn resume(&self, actor: &Actor, id: Id) -> Result<Webhook, Error> {
        only_admins(actor)?;
        let written = self.webhooks.resume(id, &self.calendar.edit_by(actor)).await?;
        let webhook = self.written(id, written)?;
        tracing::info!(actor = actor.username.as_str(), webhook = id, "webhook resumed");
        Ok(webhook)
    }

    fn written(&self, id: Id, written: Written<Webhook>) -> Result<Webhook, Error> {
        match written {
            Written::Done(webhook) => Ok(webhook),
            Written::Missing => Err(missing(id)),
            Written::Outdated(current) => Err(Error::Outdated(Box::new(current_json(&current)?))),
        }
    }
}

/// The webhook as in responses: its form, and the server's fields.
fn current_json(webhook: &Webhook) -> Result<Value, Error> {
    let mut json = to_json(&webhook.draft)?;
    json["id"] = json!(webhook.id);
    json["version"] = json!(webhook.version);
    json["createdDate"] = json!(timestamp::text(webhook.created_date));
    json["updatedDate"] = json!(timestamp::text(webhook.updated_date));
    json["lastDelivery"] = json!(webhook.last_delivery);
    json["pending"] = json!(webhook.pending);
    json["pause"] = json!(webhook.pause);
    Ok(json)
}
