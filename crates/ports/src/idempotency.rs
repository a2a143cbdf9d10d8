//! Requests that take effect once.

/// A request that must take effect once, however often it arrives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// Whose key.
    pub username: String,
    /// The `Idempotency-Key`.
    pub key: String,
    /// Hash of the request.
    pub fingerprint: String,
}
