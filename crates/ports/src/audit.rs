//! The audit log. Entries are written by whatever writes what they are about, in the same transaction.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_audit::{AuditAction, AuditEntry};
use domain_kernel::{ListQuery, Page, Username, Version};
use serde_json::{Map, Value};

use crate::{Edit, StoreError};

/// An entry about something that changes nothing that is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct NewAuditEntry {
    /// What was done.
    pub action: AuditAction,
    /// What it is about: one of [`domain_audit::resources`].
    pub resource: &'static str,
    /// Which one of them; empty where it is about none.
    pub item: String,
    /// What it is called.
    pub title: String,
    /// What was requested.
    pub after: Map<String, Value>,
}

/// Which entries are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// By whom.
    pub actor: Option<Username>,
    /// What they are about.
    pub resource: Option<String>,
    /// Which one of that; only with `resource`.
    pub item: Option<String>,
    /// What was done.
    pub action: Option<AuditAction>,
    /// From when on.
    pub from: Option<DateTime<Utc>>,
    /// Until before when.
    pub to: Option<DateTime<Utc>>,
    /// Without what staff write about a user: deleted notes and snoozes.
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

    /// The changes that made one thing what it is after this version, newest first; at most so many.
    async fn changes_after(
        &self,
        resource: &str,
        item: &str,
        version: Version,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreError>;
}
