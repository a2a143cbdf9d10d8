//! Delivers events to webhooks over HTTP: signed according to Standard Webhooks (standardwebhooks.com),
//! within ten seconds, to no private address, without redirects or a proxy.
//!
//! The schedule of deliveries and the rules of addresses belong to the domain.

mod signature;

use std::time::Duration;

use async_trait::async_trait;
use domain_integrations::{Attempt, DeliveryFault, Networks};
use guarded_http::{ConnectionFault, Forbidden, GuardedClient};
use ports::{OutgoingMessage, WebhookSender};
use reqwest::header::{CONTENT_TYPE, USER_AGENT};

pub use crate::signature::signature;

/// Timeout of a delivery.
const LIMIT: Duration = Duration::from_secs(10);

/// Sends messages to webhooks.
pub struct HttpWebhookSender {
    client: GuardedClient,
}

impl HttpWebhookSender {
    /// A sender for public addresses, and the private addresses listed by the operator.
    pub fn new(allowed: Networks) -> Result<Self, String> {
        Self::with_limit(allowed, LIMIT)
    }

    /// A sender with another timeout, for tests.
    pub fn with_limit(allowed: Networks, limit: Duration) -> Result<Self, String> {
        Ok(Self { client: GuardedClient::new(allowed, |client| client.timeout(limit))? })
    }

    async fn try_send(&self, message: &OutgoingMessage) -> Result<u16, DeliveryFault> {
        let url = url::Url::parse(&message.url).map_err(|_| DeliveryFault::Unreachable)?;
        let request = self.client.post(url).map_err(|Forbidden| DeliveryFault::ForbiddenAddress)?;
        let timestamp = message.sent_at.timestamp();
        let signed = signature(&message.secret, &message.id, timestamp, &message.body);
        let signed = signed.ok_or_else(|| {
            tracing::error!(message = message.id, "webhook secret unreadable");
            DeliveryFault::Unreachable
        })?;
        let request = request
            .header(USER_AGENT, "Cartelera-Webhooks/1")
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", &message.id)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", signed)
            .body(message.body.clone());
        // Only the status counts. The body is not read.
        let answer = request.send().await.map_err(|error| fault(&error))?;
        Ok(answer.status().as_u16())
    }
}

fn fault(error: &reqwest::Error) -> DeliveryFault {
    if error.is_timeout() {
        return DeliveryFault::TimedOut;
    }
    if ConnectionFault::of(error) == ConnectionFault::Forbidden {
        return DeliveryFault::ForbiddenAddress;
    }
    if error.is_connect() { DeliveryFault::Unreachable } else { DeliveryFault::Unreadable }
}

#[async_trait]
impl WebhookSender for HttpWebhookSender {
    async fn send(&self, message: &OutgoingMessage) -> Attempt {
        match self.try_send(message).await {
            Ok(status) => {
                let fault = match status {
                    200..=299 => None,
                    300..=399 => Some(DeliveryFault::Redirected),
                    _ => Some(DeliveryFault::Refused),
                };
                Attempt { status_code: Some(status), fault }
            }
            Err(fault) => Attempt { status_code: None, fault: Some(fault) },
        }
    }

    fn new_secret(&self) -> String {
        signature::new_secret()
    }
}
