//! Password hashing, outside the store.

use async_trait::async_trait;

/// Failure of hashing or verifying a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HashFault {
    /// The queue is full; the same call may succeed later.
    #[error("too many passwords are being hashed")]
    Busy,
    #[error("hashing failed: {0}")]
    Broken(String),
}

/// A slot for a password check, released on drop.
pub type AttemptPermit = Box<dyn Send>;

/// Type of the user of a password check: a part of the capacity is reserved for staff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HashPriority {
    /// Staff.
    Staff,
    /// A subscriber or an unknown user.
    Other,
}

/// Hashes passwords as PHC strings, off the async threads.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait PasswordHasher: Send + Sync {
    /// PHC string of a password.
    async fn hash(&self, password: &str) -> Result<String, HashFault>;

    /// Waits until at most one other attempt for each of these keys is being checked. `Busy` where too many
    /// wait already.
    async fn admit(&self, keys: &[String]) -> Result<AttemptPermit, HashFault>;

    /// Whether the hash is cheaper than new ones: imported, or of an earlier version.
    fn is_weak(&self, hash: &str) -> bool;

    /// Whether the password matches the hash. Without a hash, or with a weak one, the check takes as long.
    async fn verify<'a>(
        &self,
        password: &str,
        hash: Option<&'a str>,
        priority: HashPriority,
    ) -> Result<bool, HashFault>;
}
