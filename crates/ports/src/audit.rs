//! The audit log. Each entry is written in the transaction of the change that it records.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_audit::{AuditAction, AuditEntry};
use domain_kernel::{ListQuery, Page, Username, Version};
use serde_json::{Map, Value};

use crate::{Edit, StoreError};

/// An entry for an action without a stored change.
#[derive(Debug, Clone, PartialEq)]
pub struct NewAuditEntry {
    pub action: AuditAction,
    /// Resource type: one of [`domain_audit::resources`].
    pub resource: &'static str,
    /// Id of the resource; empty where there is none.
    pub item: String,
    /// Title of the resource.
    pub title: String,
    /// Content of the request.
    pub after: Map<String, Value>,
}

/// Filter of the entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    pub actor: Option<Username>,
    pub resource: Option<String>,
    /// Id of the resource; only with `resource`.
    pub item: Option<String>,
    pub action: Option<AuditAction>,
    /// Inclusive.
    pub from: Option<DateTime<Utc>>,
    /// Exclusive.
    pub to: Option<DateTime<Utc>>,
    /// Omits notes and snoozes of users.
    pub without_notes: bool,
}

/// Reads the audit log.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait AuditRepository: Send + Sync {
    /// Adds an entry.
    async fn add(&self, entry: NewAuditEntry, edit: Edit) -> Result<(), StoreError>;

    /// A page of entries, newest first.
    async fn list(
        &self,
        filter: &AuditFilter,
        query: &ListQuery,
    ) -> Result<Page<Vec<AuditEntry>>, StoreError>;

    /// Changes of a resource after this version, newest first, limited.
    async fn changes_after(
        &self,
        resource: &str,
        item: &str,
        version: Version,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreError>;
}
