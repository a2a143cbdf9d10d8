//! What was done to a report, by whom and when. Written once, never changed.

use chrono::{DateTime, Utc};
use domain_kernel::{Id, enumeration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Priority, ReportStatus};

enumeration! {
    /// What happened.
    pub enum HistoryAction {
        Reported = "REPORTED" ("Reportado", "Reported"),
        Changed = "CHANGED" ("Cambiado", "Changed"),
        /// Kept for those who look into the database: a report that is gone has no page.
        Deleted = "DELETED" ("Eliminado", "Deleted"),
    }
}

enumeration! {
    /// Whoever did it.
    pub enum AuthorKind {
        Staff = "STAFF" ("Equipo", "Staff"),
        Key = "KEY" ("Programa", "Program"),
        Import = "IMPORT" ("Importación", "Import"),
        /// A job, by itself.
        Server = "SERVER" ("Servidor", "Server"),
    }
}

/// Who does something to a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// A user name, or the name of a key.
    pub name: String,
    /// Which of these.
    pub kind: AuthorKind,
}

/// One thing that was done. Of what did not change both sides are null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntry {
    /// Its id.
    pub id: Id,
    /// When.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub date: DateTime<Utc>,
    /// What happened.
    pub action: HistoryAction,
    /// Who: a user name, or the name of a key.
    pub by: String,
    /// What `by` is the name of.
    pub by_kind: AuthorKind,
    /// Where it stood.
    pub status_from: Option<ReportStatus>,
    /// Where it stood from then on.
    pub status_to: Option<ReportStatus>,
    /// Its priority before.
    pub priority_from: Option<Priority>,
    /// Its priority from then on.
    pub priority_to: Option<Priority>,
    /// Who saw to it.
    pub assigned_from: Option<String>,
    /// Who saw to it from then on; null beside a name in `assignedFrom` means nobody.
    pub assigned_to: Option<String>,
    /// The note; empty if its text was removed.
    pub note: Option<String>,
}
