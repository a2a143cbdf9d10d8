//! A webhook: an address and the events that are delivered to it.

use std::{borrow::Cow, collections::BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use domain_kernel::{Code, Enumeration, Id, Version, fault};
use garde::Validate;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::{DeliveryFault, DeliveryStatus, EventType};

/// Maximum length of an address, in characters.
const LONGEST: usize = 2048;
const SCHEMES: &[&str] = &["https", "http"];

/// A webhook as a form sends it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-readOnly" = ["lastDelivery", "pause", "pending", "secret"]))]
pub struct WebhookDraft {
    /// Name for staff.
    #[garde(length(chars, min = 2, max = 100))]
    pub name: String,
    /// URL that receives the events.
    #[garde(dive(&()))]
    pub url: WebhookUrl,
    /// Subscribed events.
    #[garde(length(min = 1), custom(subscribable_events))]
    pub events: Vec<EventType>,
    /// Whether events are delivered. Events are not stored for an inactive webhook.
    #[garde(skip)]
    #[serde(default = "yes")]
    pub active: bool,
}

fn yes() -> bool {
    true
}

fn subscribable_events<T>(events: &[EventType], _: &T) -> garde::Result {
    if !events.iter().all(|event| event.can_be_subscribed_to()) {
        let subscribable = EventType::ALL.iter().filter(|event| event.can_be_subscribed_to());
        let allowed = subscribable.map(|event| event.code()).collect::<Vec<_>>().join(", ");
        return Err(fault(Code::UnknownValue, &[("allowed", &allowed)]));
    }
    let distinct: BTreeSet<_> = events.iter().collect();
    if distinct.len() == events.len() { Ok(()) } else { Err(fault(Code::Duplicate, &[])) }
}

/// URL of a webhook: http or https, without credentials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Validate)]
#[serde(transparent)]
#[garde(transparent)]
pub struct WebhookUrl(#[garde(custom(an_address))] pub String);

impl JsonSchema for WebhookUrl {
    fn schema_name() -> Cow<'static, str> {
        "WebhookUrl".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "format": "uri",
            "maxLength": LONGEST,
            "description": "URL of a webhook: http or https, without credentials.",
            "x-schemes": SCHEMES,
            "examples": ["https://example.com/cartelera"],
        })
    }
}

fn an_address<T>(text: &str, _: &T) -> garde::Result {
    if text.chars().count() > LONGEST {
        return Err(fault(Code::TooLong, &[("max", &LONGEST)]));
    }
    // The parser tolerates blanks and backslashes, but the text is called as it was typed.
    let clean = !text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\');
    let Some(url) = url::Url::parse(text).ok().filter(|_| clean) else {
        return Err(fault(Code::InvalidUrl, &[]));
    };
    if !SCHEMES.contains(&url.scheme()) {
        return Err(fault(Code::InvalidScheme, &[("allowed", &SCHEMES.join(", "))]));
    }
    let says_so = text[url.scheme().len()..].starts_with("://");
    if !says_so || url.host_str().is_none_or(str::is_empty) {
        return Err(fault(Code::InvalidUrl, &[]));
    }
    // Credentials would appear in every list and log.
    let carries_credentials = !url.username().is_empty() || url.password().is_some();
    if carries_credentials { Err(fault(Code::InvalidFormat, &[])) } else { Ok(()) }
}

/// A stored webhook, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    pub id: Id,
    /// Number of changes, from 1.
    pub version: Version,
    /// Editable fields.
    pub draft: WebhookDraft,
    pub created_date: DateTime<Utc>,
    pub updated_date: DateTime<Utc>,
    /// Last attempted delivery.
    pub last_delivery: Option<LastDelivery>,
    /// Number of pending deliveries, at most a thousand.
    pub pending: u32,
    /// Pause, where the receiver failed for too long.
    pub pause: Option<WebhookPause>,
}

impl Webhook {
    /// Whether events are sent to it.
    pub const fn is_sending(&self) -> bool {
        self.draft.active && self.pause.is_none()
    }
}

/// Pause of a webhook whose receiver failed for nearly a day. Its deliveries are pending until it is resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookPause {
    /// Time of the pause.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub paused_date: DateTime<Utc>,
    /// Time of the first of the consecutive failures.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub failing_since: DateTime<Utc>,
    /// Number of consecutive failures.
    pub failures: u32,
    /// Reason for the last failure.
    pub fault: Option<DeliveryFault>,
    /// HTTP status of the last response.
    pub status_code: Option<u16>,
}

/// Duration of consecutive failures before a webhook is paused: shorter than the attempts of one delivery
/// take, so that no delivery fails permanently while its receiver is unavailable.
const FAILING: TimeDelta = TimeDelta::hours(22);
/// Number of failures required within that time.
const FAILURES: u32 = 10;

/// Whether a webhook is paused after this number of consecutive failures, the first of them at this time.
pub fn is_to_be_paused(failures: u32, failing_since: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    failures >= FAILURES && now - failing_since >= FAILING
}

/// Last delivery to a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastDelivery {
    /// Status of the delivery.
    pub status: DeliveryStatus,
    /// Type of the event.
    pub event_type: EventType,
    /// HTTP status of the response.
    pub status_code: Option<u16>,
    /// Reason for the failure.
    pub fault: Option<DeliveryFault>,
    /// Time of the attempt.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub at: DateTime<Utc>,
}

#[cfg(test)]
mod tests {
    use domain_kernel::{DraftReader, Violations};
    use serde_json::json;

    use super::*;
    use crate::{Attempt, Verdict, verdict_of};

    fn code(text: &str) -> String {
        an_address(text, &())
            .map_or_else(|error| error.message().split('\u{1f}').next().unwrap().to_owned(), |()| "ok".into())
    }

    #[test]
    fn addresses_are_http_or_https_and_carry_no_credentials() {
        for (text, expected) in [
            ("https://example.com/hook", "ok"),
            ("http://example.com:8080/a?b=c", "ok"),
            ("http://127.0.0.1:9000/", "ok"),
            ("http://[::1]:9000/", "ok"),
            ("https://example.com/@ana", "ok"),
            ("https://ana:secreta@example.com/", "INVALID_FORMAT"),
            ("https://ana@example.com/", "INVALID_FORMAT"),
            ("ftp://example.com/", "INVALID_SCHEME"),
            ("javascript:alert(1)", "INVALID_SCHEME"),
            ("file:///etc/passwd", "INVALID_SCHEME"),
            ("https:example.com", "INVALID_URL"),
            ("https://", "INVALID_URL"),
            ("https://a b.com", "INVALID_URL"),
            ("https:\\\\example.com", "INVALID_URL"),
            ("example.com", "INVALID_URL"),
            ("", "INVALID_URL"),
        ] {
            assert_eq!(code(text), expected, "{text}");
        }
        let of_length = |length: usize| format!("https://e.com/{}", "x".repeat(length - 14));
        assert_eq!(code(&of_length(2048)), "ok");
        assert_eq!(code(&of_length(2049)), "TOO_LONG");
    }

    #[test]
    fn a_webhook_is_paused_before_an_event_is_discarded() {
        let start = DateTime::UNIX_EPOCH;
        let failed = Attempt { status_code: None, fault: Some(DeliveryFault::Unreachable) };
        let mut now = start;
        let mut made = 1;
        while let Verdict::Retry(next) = verdict_of(EventType::ItemCreated, made, failed, now) {
            assert!(!is_to_be_paused(made, start, now), "after {made} attempts");
            now = next;
            made += 1;
        }
        assert!(is_to_be_paused(made, start, now), "at the last attempt");
        // Many failures in a short time, or few in a long one, don't cause a pause.
        assert!(!is_to_be_paused(1_000, start, start + TimeDelta::hours(21)));
        assert!(!is_to_be_paused(9, start, start + TimeDelta::days(9)));
    }

    #[test]
    fn a_draft_has_all_its_violations() {
        let read = |json| {
            let read = DraftReader::<WebhookDraft>::new().read(json, &());
            read.map(garde::Valid::into_inner).map_err(|Violations(all)| {
                let mut all: Vec<_> = all.into_iter().map(|one| (one.field, one.code.as_str())).collect();
                all.sort();
                all
            })
        };
        let good = json!({"name": "Avisos", "url": "https://example.com/", "events": ["ITEM_CREATED"]});
        assert!(read(good.clone()).unwrap().active, "it is active unless it says otherwise");
        for (field, value, code) in [
            ("name", json!("x"), "TOO_SHORT"),
            ("events", json!([]), "TOO_FEW"),
            ("events", json!(["TEST"]), "UNKNOWN_VALUE"),
            ("events", json!(["ITEM_CREATED", "ITEM_CREATED"]), "DUPLICATE"),
            ("url", json!("ftp://example.com"), "INVALID_SCHEME"),
        ] {
            let mut bad = good.clone();
            bad[field] = value;
            assert_eq!(read(bad.clone()).unwrap_err(), [(field.to_owned(), code)], "{bad}");
        }
        assert_eq!(read(json!({"events": ["NONE"]})).unwrap_err().len(), 3);
    }
}
