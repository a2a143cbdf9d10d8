//! Idempotency keys of requests.

use domain_kernel::Actor;
use ports::IdempotencyKey;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The meaning of an idempotency key: this body for this purpose. The order of fields and white
/// space do not matter.
pub(crate) fn idempotency_key(
    actor: &Actor,
    key: Option<&str>,
    topic: &str,
    json: &Value,
) -> Option<IdempotencyKey> {
    idempotency_key_of(actor.username.key(), key, topic, json)
}

/// The same for another owner of keys (`Principal::once_name`).
pub(crate) fn idempotency_key_of(
    username: String,
    key: Option<&str>,
    topic: &str,
    json: &Value,
) -> Option<IdempotencyKey> {
    let key = key?.to_owned();
    let mut hash = Sha256::new();
    hash.update(topic);
    hash.update(json.to_string());
    Some(IdempotencyKey { username, key, fingerprint: format!("{:x}", hash.finalize()) })
}
