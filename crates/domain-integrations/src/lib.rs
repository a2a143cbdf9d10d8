//! Integrations with other programs: API keys for calls to Cartelera, and webhooks with the events that they
//! can subscribe to.
//!
//! Delivery, hashing and HTTP do not belong here; scopes are defined in the kernel (`KeyScope`).

mod address;
mod delivery;
mod event;
mod key;
mod meter;
mod webhook;

pub use address::{Networks, is_public};
pub use delivery::{
    Attempt, Delivery, DeliveryFault, DeliveryStatus, Verdict, WARNING_DAYS, attempts_at_most, verdict_of,
};
pub use event::{EventStage, EventType};
pub use key::{Key, KeyState, NewKey, reads_as_key};
pub use meter::Meter;
pub use webhook::{LastDelivery, Webhook, WebhookDraft, WebhookPause, WebhookUrl, is_to_be_paused};
