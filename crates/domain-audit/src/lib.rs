//! The audit log: author, time and origin of changes, and each field's value before and after
//! (docs/spec/audit.md).

use chrono::{DateTime, Utc};
use domain_kernel::{FieldDiff, Id, Kind, Origin, Username, Version, enumeration};

/// Default retention of entries, in days: two years.
pub const RETENTION_DAYS: u16 = 731;

/// Resource types beside content: paths of the API, and `requests` for refused calls.
const OTHER_RESOURCES: [&str; 34] = [
    "alert-messages",
    "app-settings",
    "audit",
    "background-images",
    "backups",
    "channels-base-url",
    "credits",
    "duplicates",
    "epg-matches",
    "epg-matching",
    "guide-channels",
    "guide-health",
    "integrator-keys",
    "issue-groups",
    "issue-reports",
    "links",
    "live-profiles",
    "operations",
    "playlist-changes",
    "playlist-lines",
    "playlist-sources",
    "radio-stations-base-url",
    "renewal-messages",
    "renewals",
    "requests",
    "reversal-requests",
    "saved-views",
    "schedule",
    "sessions",
    "trash",
    "users",
    "visits",
    "webhook-deliveries",
    "webhooks",
];

enumeration! {
    /// Type of an audited action.
    pub enum AuditAction {
        /// Created.
        Created = "CREATED" ("Creado", "Created"),
        /// Fields changed.
        Updated = "UPDATED" ("Modificado", "Changed"),
        /// Deleted; content goes to the trash.
        Deleted = "DELETED" ("Eliminado", "Deleted"),
        /// Restored from the trash.
        Restored = "RESTORED" ("Restaurado", "Restored"),
        /// Removed from the trash for good, with its last values.
        Purged = "PURGED" ("Eliminado definitivamente", "Deleted for good"),
        /// Merged with another item, which moved to the trash.
        Merged = "MERGED" ("Combinado", "Merged"),
        /// Password set.
        PasswordChanged = "PASSWORD_CHANGED" ("Contraseña cambiada", "Password changed"),
        /// Role changed, possibly with other fields.
        RoleChanged = "ROLE_CHANGED" ("Rol cambiado", "Role changed"),
        /// Secret of a webhook replaced.
        SecretChanged = "SECRET_CHANGED" ("Secreto cambiado", "Secret changed"),
        /// API key revoked.
        Revoked = "REVOKED" ("Revocado", "Revoked"),
        /// Signed in.
        SignedIn = "SIGNED_IN" ("Inicio de sesión", "Signed in"),
        /// Sign-in refused.
        SignInRefused = "SIGN_IN_REFUSED" ("Inicio de sesión rechazado", "Sign-in refused"),
        /// Sessions ended, other than by signing out.
        SessionsEnded = "SESSIONS_ENDED" ("Sesiones cerradas", "Sessions ended"),
        /// Call refused for a missing permission.
        Denied = "DENIED" ("Acceso denegado", "Access denied"),
        /// List, statement or the like exported.
        Exported = "EXPORTED" ("Exportado", "Exported"),
        /// Batch imported by the command line.
        Imported = "IMPORTED" ("Importado", "Imported"),
        /// Bulk operation started.
        Begun = "BEGUN" ("Iniciado", "Begun"),
        /// Bulk operation cancelled.
        Cancelled = "CANCELLED" ("Cancelado", "Cancelled"),
        /// Undo of a bulk operation started.
        Undone = "UNDONE" ("Deshecho", "Undone"),
        /// Credits moved.
        CreditsMoved = "CREDITS_MOVED" ("Movimiento de créditos", "Credits moved"),
        /// Reversal or backup requested.
        Requested = "REQUESTED" ("Solicitado", "Requested"),
        /// Request approved.
        Approved = "APPROVED" ("Aprobado", "Approved"),
        /// Request declined.
        Declined = "DECLINED" ("Rechazado", "Declined"),
    }
}

/// All resource types: the paths of the kinds of content, and the others.
pub fn resources() -> Vec<&'static str> {
    Kind::ALL.iter().map(|kind| kind.path()).chain(OTHER_RESOURCES).collect()
}

enumeration! {
    /// Reason for refusing a sign-in.
    pub enum SignInRefusal {
        /// Unknown user name. It is not recorded, as it may be a mistyped password.
        UnknownUser = "UNKNOWN_USER" ("Usuario desconocido", "Unknown user"),
        /// Wrong password.
        WrongPassword = "WRONG_PASSWORD" ("Contraseña incorrecta", "Wrong password"),
        /// Right password of an account that is not active.
        NotActive = "NOT_ACTIVE" ("Cuenta no activa", "Account not active"),
    }
}

/// An audit entry. Entries are never changed; they are removed after their retention.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEntry {
    /// Ascending in the order of insertion.
    pub id: Id,
    pub occurred_at: DateTime<Utc>,
    /// User name; `None` for the server, an import or a key.
    pub actor: Option<Username>,
    pub origin: Origin,
    pub action: AuditAction,
    /// Resource type: one of [`resources`].
    pub resource: String,
    /// Id of the resource, or a user name.
    pub item: String,
    /// Title of the resource at that time.
    pub title: String,
    /// Version of the resource after the action, where it has one.
    pub version: Option<Version>,
    /// Changed fields.
    pub diff: FieldDiff,
}
