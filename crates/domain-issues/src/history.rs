//! History of a report. Entries are never changed.

use chrono::{DateTime, Utc};
use domain_kernel::{Id, Origin, enumeration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Priority, ReportStatus};

enumeration! {
    /// Type of a history entry.
    pub enum HistoryAction {
        Reported = "REPORTED" ("Reportado", "Reported"),
        Changed = "CHANGED" ("Cambiado", "Changed"),
        /// Visible in the database only, as a deleted report has no page.
        Deleted = "DELETED" ("Eliminado", "Deleted"),
    }
}

enumeration! {
    /// Type of an author.
    pub enum AuthorKind {
        Staff = "STAFF" ("Equipo", "Staff"),
        Key = "KEY" ("Programa", "Program"),
        Import = "IMPORT" ("Importación", "Import"),
        /// A job of the server.
        Server = "SERVER" ("Servidor", "Server"),
    }
}

/// Author of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// User name, or name of an API key.
    pub name: String,
    pub kind: AuthorKind,
    /// Origin of the change, for the audit log.
    pub origin: Origin,
}

/// One history entry. Both values of an unchanged field are null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntry {
    /// Id of the entry.
    pub id: Id,
    /// Time of the change.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub date: DateTime<Utc>,
    /// Type of the change.
    pub action: HistoryAction,
    /// Author: a user name, or the name of an API key.
    pub by: String,
    /// Type of the author.
    pub by_kind: AuthorKind,
    /// Status before.
    pub status_from: Option<ReportStatus>,
    /// Status after.
    pub status_to: Option<ReportStatus>,
    /// Priority before.
    pub priority_from: Option<Priority>,
    /// Priority after.
    pub priority_to: Option<Priority>,
    /// Assignee before.
    pub assigned_from: Option<String>,
    /// Assignee after; null together with a name in `assignedFrom` for none.
    pub assigned_to: Option<String>,
    /// Note; empty if its text was removed.
    pub note: Option<String>,
}
