//! What admins do with webhooks: make and change them, read their log, test them, send again. Nothing is sent here: what
//! is to be sent stands in the outbox, and the [`DeliveryService`](crate::DeliveryService) takes it from there.

use std::sync::Arc;

use domain_integrations::{Delivery, DeliveryStatus, EventType, Webhook, WebhookDraft};
use domain_kernel::{
    Actor, Code, DraftReader, Enumeration, FilterKind, Id, ListQuery, Page, Sort, Version, Violation,
    Violations, timestamp,
};
use ports::{DeliveryFilter, WebhookAdded, WebhookRepository, WebhookSender, Written};
use serde_json::{Value, json};

use crate::{
    Calendar, Error, ListShape,
    body::{parse, to_json},
    idempotency::idempotency_key,
    listing::required_id,
    merge::merge,
    read_list_query,
    versions::{require_version, retry_if_outdated},
};

/// The topic of its texts.
const WEBHOOKS: &str = "webhooks";
/// The same of deliveries.
const DELIVERIES: &str = "webhook-deliveries";

/// The use cases of webhooks.
pub struct WebhookService {
    webhooks: Arc<dyn WebhookRepository>,
    sender: Arc<dyn WebhookSender>,
    calendar: Calendar,
    drafts: DraftReader<WebhookDraft>,
}

/// A webhook with its secret, which is shown this once.
#[derive(Debug)]
pub struct WebhookWithSecret {
    /// The webhook.
    pub webhook: Webhook,
    /// What it is signed with: `whsec_` and base64.
    pub secret: String,
    /// The same request came before, under the same idempotency key.
    pub replayed: bool,
}

fn only_admins(actor: &Actor) -> Result<(), Error> {
    if actor.role.passes_every_check() { Ok(()) } else { Err(Error::Forbidden) }
}

fn missing(id: Id) -> Error {
    Error::NoSuch { what: WEBHOOKS, id }
}

impl WebhookService {
    /// The parameters of the list.
    pub fn list_shape() -> ListShape {
        ListShape { page_size: 10, sorts: vec!["id", "name", "createdDate", "updatedDate"], filters: &[] }
    }

    /// The parameters of the log.
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

    /// The use cases over their ports.
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

    /// What the parameters of the list stand for.
    pub(crate) fn read_list(actor: &Actor, pairs: &[(String, String)]) -> Result<ListQuery, Error> {
        only_admins(actor)?;
        Ok(read_list_query(&Self::list_shape(), pairs)?)
    }

    /// One of them.
    pub async fn find(&self, actor: &Actor, id: Id) -> Result<Webhook, Error> {
        only_admins(actor)?;
        self.webhooks.find(id).await?.ok_or_else(|| missing(id))
    }

    /// Makes one. Its secret is answered here and never again.
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
            WebhookAdded::New(webhook) => {
                tracing::info!(actor = actor.username.as_str(), webhook = webhook.id, "webhook created");
                Ok(WebhookWithSecret { webhook, secret, replayed: false })
            }
            WebhookAdded::Replayed(webhook, secret) => {
                Ok(WebhookWithSecret { webhook, secret, replayed: true })
            }
            WebhookAdded::Changed => Err(Error::WebhookChanged),
            WebhookAdded::Gone(id) => Err(missing(id)),
            WebhookAdded::KeyReused => Err(Error::IdempotencyMismatch),
        }
    }

    /// Puts another form in the place of one's.
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

    /// Merges changes into one's form (RFC 7396); the whole result must keep the rules.
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
                Ok(Error::Outdated(Box::new(as_it_is(&current)?)))
            })?;
            if !patch.is_object() {
                let violation = Violation::new("", Code::WrongType).with("expected", "object");
                return Err(Violations(vec![violation]).into());
            }
            let mut whole = to_json(&current.draft)?;
            merge(&mut whole, patch.clone());
            let draft = self.drafts.read(whole, &())?;
            let edit = self.calendar.edit_by(actor);
            let written = self.webhooks.replace(id, draft, Some(current.version), &edit).await?;
            let webhook = self.written(id, written)?;
            tracing::info!(actor = actor.username.as_str(), webhook = id, "webhook changed");
            Ok(webhook)
        })
        .await
    }

    /// Removes one with its log and its pending deliveries.
    pub async fn delete(&self, actor: &Actor, id: Id, expected: Option<Version>) -> Result<(), Error> {
        only_admins(actor)?;
        let written = self.webhooks.remove(id, expected, &self.calendar.edit_by(actor)).await?;
        self.written(id, written)?;
        tracing::info!(actor = actor.username.as_str(), webhook = id, "webhook deleted");
        Ok(())
    }

    /// Gives it another secret, which is answered here and never again. What is sent from now on is signed with it.
    pub async fn rotate_secret(&self, actor: &Actor, id: Id) -> Result<WebhookWithSecret, Error> {
        only_admins(actor)?;
        let secret = self.sender.new_secret();
        let written = self.webhooks.change_secret(id, &secret, &self.calendar.edit_by(actor)).await?;
        let webhook = self.written(id, written)?;
        tracing::info!(actor = actor.username.as_str(), webhook = id, "webhook secret replaced");
        Ok(WebhookWithSecret { webhook, secret, replayed: false })
    }

    /// Puts a test into the outbox; the log says what becomes of it.
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

    /// What the parameters of a log's file stand for: `webhook` and those of the log.
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

    /// Sends a delivery again: repeats one that ended, and hurries one that waits. Refused while nothing is sent to the
    /// webhook, but tests.
    pub async fn resend(&self, actor: &Actor, id: Id, delivery: Id) -> Result<Delivery, Error> {
        let webhook = self.find(actor, id).await?;
        let found = self.delivery(actor, id, delivery).await?;
        if !webhook.is_sending() && found.event_type != EventType::Test {
            return Err(Error::WebhookStopped);
        }
        let queued = self.webhooks.resend(id, delivery, self.calendar.now()).await?;
        queued.ok_or(Error::NoSuch { what: DELIVERIES, id: delivery })
    }

    /// Ends the pause of one.
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
            Written::Outdated(current) => Err(Error::Outdated(Box::new(as_it_is(&current)?))),
        }
    }
}

/// The webhook as answers show it: its form, and what the server adds.
fn as_it_is(webhook: &Webhook) -> Result<Value, Error> {
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
