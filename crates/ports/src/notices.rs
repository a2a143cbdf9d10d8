//! The counts of what wants attention, and what was seen of it.

use async_trait::async_trait;
use domain_kernel::Username;
use domain_users::{ExpiryFilter, NoticeCount, Scope, SeenNotice};

use crate::StoreError;

/// What is counted for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeQuery {
    /// The reader.
    pub reader: Username,
    /// Whose agents and customers.
    pub scope: Scope,
    /// Subscriptions that end soon.
    pub expiring: ExpiryFilter,
    /// Subscriptions that have ended.
    pub expired: ExpiryFilter,
    /// Counts what only admins see to as well.
    pub for_admins: bool,
}

/// Counts what wants attention.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait NoticeRepository: Send + Sync {
    /// The kinds of which there is something, without overdue backups. Customers who are snoozed do not count.
    async fn counts(&self, query: &NoticeQuery) -> Result<Vec<NoticeCount>, StoreError>;

    /// What a user saw last of each kind.
    async fn seen(&self, username: &Username) -> Result<Vec<SeenNotice>, StoreError>;

    /// Stores what a user saw, instead of what they saw before of the same kinds; of two dates of one kind, the later stays.
    async fn set_seen(&self, username: &Username, seen: &[SeenNotice]) -> Result<(), StoreError>;
}
