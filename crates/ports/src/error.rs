//! That storing failed. The adapter logs how.

/// A failure of a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store is away or too busy; the same call may succeed in a moment.
    #[error("the store is away: {0}")]
    Unavailable(String),
    /// What the item refers to is gone, a moment after it was looked up.
    #[error("a reference leads nowhere: {0}")]
    Dangling(String),
    /// The store answered something it should not have.
    #[error("the store failed: {0}")]
    Broken(String),
}
