//! Failures of stores. The adapter logs the details.

/// A failure of a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Connection or lock error; the same call may succeed later.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// Foreign-key violation: the referenced item was removed after it was looked up.
    #[error("a referenced item does not exist: {0}")]
    Dangling(String),
    /// Unexpected answer of the store.
    #[error("the store failed: {0}")]
    Broken(String),
}
