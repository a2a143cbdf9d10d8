//! Idempotent requests.

/// The idempotency key of a request, with its user and fingerprint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// Owner of the key.
    pub username: String,
    /// Value of `Idempotency-Key`.
    pub key: String,
    /// Hash of the request.
    pub fingerprint: String,
}
