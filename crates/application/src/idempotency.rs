//! Idempotency keys of requests.

use domain_kernel::Actor;
use ports::IdempotencyKey;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// What an idempotency key means: this body, sent for this purpose. The same body in another spelling (order of
/// fields, blanks) is the same body.
pub(crate) fn idempotency_key(
    actor: &Actor,
    key: Option<&str>,
    topic: &str,
    json: &Value,
) -> Option<IdempotencyKey> {
    idempotency_key_of(actor.username.key(), key, topic, json)
}

/// The same for whoever keeps keys under this name (`Principal::once_name`).
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
