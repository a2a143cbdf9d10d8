//! The audit log: who changed what, when and from where, and each field's value before and after
//! (docs/spec/audit.md).

use chrono::{DateTime, Utc};
use domain_kernel::{FieldDiff, Id, Kind, Origin, Username, Version, enumeration};

/// How long entries stay, in days, where the settings name nothing else: two years.
pub const RETENTION_DAYS: u16 = 731;

/// What entries are about beside content.
const OTHER_RESOURCES: [&str; 2] = ["sessions", "users"];

enumeration! {
    /// What was done.
    pub enum AuditAction {
        /// Something was created.
        Created = "CREATED" ("Creado", "Created"),
        /// Fields were changed.
        Updated = "UPDATED" ("Modificado", "Changed"),
        /// It was deleted; content goes to the trash.
        Deleted = "DELETED" ("Eliminado", "Deleted"),
        /// It was restored from the trash.
        Restored = "RESTORED" ("Restaurado", "Restored"),
        /// A password was set.
        PasswordChanged = "PASSWORD_CHANGED" ("Contraseña cambiada", "Password changed"),
        /// Somebody signed in.
        SignedIn = "SIGNED_IN" ("Inicio de sesión", "Signed in"),
        /// A list was exported as a spreadsheet.
        Exported = "EXPORTED" ("Exportado", "Exported"),
    }
}

/// What entries may be about: the path of a kind of content, or one of the others.
pub fn resources() -> Vec<&'static str> {
    Kind::ALL.iter().map(|kind| kind.path()).chain(OTHER_RESOURCES).collect()
}

/// Something that was done. Entries are only ever added; they go when they have reached their age.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEntry {
    /// Counts up in the order in which entries were added.
    pub id: Id,
    /// When.
    pub occurred_at: DateTime<Utc>,
    /// Who; `None` where it was the server or an import.
    pub actor: Option<Username>,
    /// From where.
    pub origin: Origin,
    /// What was done.
    pub action: AuditAction,
    /// What it is about: one of [`resources`].
    pub resource: String,
    /// Which one: the id of content, a username.
    pub item: String,
    /// What it was called then.
    pub title: String,
    /// The version that it has since then, where it has one.
    pub version: Option<Version>,
    /// The fields that changed.
    pub diff: FieldDiff,
}
