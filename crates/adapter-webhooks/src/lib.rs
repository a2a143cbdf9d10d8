//! Delivers events to webhooks over HTTP: signed as Standard Webhooks has it (standardwebhooks.com), within ten
//! seconds, to no private address, never elsewhere than the webhook says and never through a proxy.
//!
//! When and how often something is sent is not decided here; what an address may be is the domain's to say.

mod guard;
mod signature;

use std::{error::Error, time::Duration};

use async_trait::async_trait;
use domain_integrations::{Attempt, DeliveryFault, Networks};
use ports::{OutgoingMessage, WebhookSender};
use reqwest::{
    Client,
    header::{CONTENT_TYPE, USER_AGENT},
    redirect::Policy,
};

use crate::guard::{Forbidden, Guard};
pub use crate::signature::signature;

/// How long to wait for an answer.
const LIMIT: Duration = Duration::from_secs(10);

/// Sends messages to webhooks.
pub struct HttpWebhookSender {
    client: Client,
    guard: Guard,
}

impl HttpWebhookSender {
    /// A sender that reaches the internet, and the private addresses that the operator names.
    pub fn new(allowed: Networks) -> Result<Self, String> {
        Self::with_limit(allowed, LIMIT)
    }

    /// The same with another limit of time, for tests that do not want to wait.
    pub fn with_limit(allowed: Networks, limit: Duration) -> Result<Self, String> {
        let guard = Guard::new(allowed);
        let client = Client::builder()
            // Names are resolved once, by the guard: what it has seen is what is connected to.
            .dns_resolver(guard.clone())
            .redirect(Policy::none())
            .no_proxy()
            .referer(false)
            .timeout(limit)
            // A connection that is kept would outlive its check.
            .pool_max_idle_per_host(0)
            .build()
            .map_err(|error| error.to_string())?;
        Ok(Self { client, guard })
    }

    async fn try_send(&self, message: &OutgoingMessage) -> Result<u16, DeliveryFault> {
        let url = url::Url::parse(&message.url).map_err(|_| DeliveryFault::Unreachable)?;
        // A literal address needs no resolver.
        self.guard.check_literal(&url).map_err(|Forbidden| DeliveryFault::ForbiddenAddress)?;
        let timestamp = message.sent_at.timestamp();
        let signed = signature(&message.secret, &message.id, timestamp, &message.body);
        let signed = signed.ok_or_else(|| {
            tracing::error!(message = message.id, "webhook secret unreadable");
            DeliveryFault::Unreachable
        })?;
        let request = self
            .client
            .post(url)
            .header(USER_AGENT, "Cartelera-Webhooks/1")
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", &message.id)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", signed)
            .body(message.body.clone());
        // Only the status counts. What else comes is not read, however long it is.
        let answer = request.send().await.map_err(|error| fault(&error))?;
        Ok(answer.status().as_u16())
    }
}

fn fault(error: &reqwest::Error) -> DeliveryFault {
    if error.is_timeout() {
        return DeliveryFault::TimedOut;
    }
    let mut cause: Option<&(dyn Error + 'static)> = error.source();
    while let Some(inner) = cause {
        if inner.is::<Forbidden>() {
            return DeliveryFault::ForbiddenAddress;
        }
        cause = inner.source();
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
