//! Passwords, never seen by the store.

use async_trait::async_trait;

/// Why a password could not be hashed or verified.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HashFault {
    /// Too many users are signing in; the same call may succeed in a moment.
    #[error("too many passwords are being hashed")]
    Busy,
    /// The hash can't be made.
    #[error("hashing failed: {0}")]
    Broken(String),
}

/// A place in the queue of attempts, held until it is dropped.
pub type AttemptPermit = Box<dyn Send>;

/// Whose password is checked: a part of the capacity is reserved for staff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HashPriority {
    /// A known member of staff.
    Staff,
    /// A subscriber, or nobody who is known.
    Other,
}

/// Turns passwords into PHC texts, off the async threads.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait PasswordHasher: Send + Sync {
    /// The PHC text of a password.
    async fn hash(&self, password: &str) -> Result<String, HashFault>;

    /// Waits until at most one other attempt of each of these keys is being checked. The place is kept until it is
    /// dropped. Where too many wait already, `Busy`.
    async fn admit(&self, keys: &[String]) -> Result<AttemptPermit, HashFault>;

    /// Whether a hash costs less to guess than those that are made now: one that was imported, or is of an earlier version.
    fn is_weak(&self, hash: &str) -> bool;

    /// Whether the password is the one behind the hash. Without a hash the answer is no, and takes as long; so does that of a
    /// weak hash.
    async fn verify<'a>(
        &self,
        password: &str,
        hash: Option<&'a str>,
        priority: HashPriority,
    ) -> Result<bool, HashFault>;
}
