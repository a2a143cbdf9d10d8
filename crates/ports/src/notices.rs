//! Counts for the notices, and what a user has seen of them.

use async_trait::async_trait;
use domain_kernel::Username;
use domain_users::{ExpiryFilter, NoticeCount, Scope, SeenNotice};

use crate::StoreError;

/// Parameters of the counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeQuery {
    pub reader: Username,
    /// Agents and customers visible to the reader.
    pub scope: Scope,
    /// Range of dates of subscriptions that expire soon.
    pub expiring: ExpiryFilter,
    /// Range of dates of expired subscriptions.
    pub expired: ExpiryFilter,
    /// Includes counts for admins.
    pub for_admins: bool,
}

/// Counts for the notices.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait NoticeRepository: Send + Sync {
    /// Non-zero counts by kind, without overdue backups. Snoozed customers are not counted.
    async fn counts(&self, query: &NoticeQuery) -> Result<Vec<NoticeCount>, StoreError>;

    /// State of each kind that a user has seen last.
    async fn seen(&self, username: &Username) -> Result<Vec<SeenNotice>, StoreError>;

    /// Stores the seen state of a user, replacing that of the same kinds; the later of two dates is kept.
    async fn set_seen(&self, username: &Username, seen: &[SeenNotice]) -> Result<(), StoreError>;
}
