//! The audit log: who changed what, when and from where, and each field's value before and after
//! (docs/spec/audit.md).

use chrono::{DateTime, Utc};
use domain_kernel::{FieldDiff, Id, Kind, Origin, Username, Version, enumeration};

/// How long entries stay, in days, where the settings name nothing else: two years.
pub const RETENTION_DAYS: u16 = 731;

/// What entries are about beside content: the paths of the API, and `requests`, calls that were refused.
const OTHER_RESOURCES: [&str; 26] = [
    "alert-messages",
    "app-settings",
    "audit",
    "background-images",
    "backups",
    "channels-base-url",
    "credits",
    "epg-matches",
    "epg-matching",
    "integrator-keys",
    "issue-reports",
    "live-profiles",
    "operations",
    "playlist-sources",
    "radio-stations-base-url",
    "renewal-messages",
    "renewals",
    "requests",
    "reversal-requests",
    "saved-views",
    "sessions",
    "trash",
    "users",
    "visits",
    "webhook-deliveries",
    "webhooks",
];

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
        /// Another item was merged into it; the other one moved to the trash.
        Merged = "MERGED" ("Combinado", "Merged"),
        /// A password was set.
        PasswordChanged = "PASSWORD_CHANGED" ("Contraseña cambiada", "Password changed"),
        /// A user got another role, perhaps with other changes of the form.
        RoleChanged = "ROLE_CHANGED" ("Rol cambiado", "Role changed"),
        /// A webhook got another secret.
        SecretChanged = "SECRET_CHANGED" ("Secreto cambiado", "Secret changed"),
        /// A key was revoked for good.
        Revoked = "REVOKED" ("Revocado", "Revoked"),
        /// Somebody signed in.
        SignedIn = "SIGNED_IN" ("Inicio de sesión", "Signed in"),
        /// Somebody was refused when they signed in.
        SignInRefused = "SIGN_IN_REFUSED" ("Inicio de sesión rechazado", "Sign-in refused"),
        /// Sessions were ended, other than by signing out.
        SessionsEnded = "SESSIONS_ENDED" ("Sesiones cerradas", "Sessions ended"),
        /// A call was refused for want of the permission.
        Denied = "DENIED" ("Acceso denegado", "Access denied"),
        /// A list, a statement or the like was exported.
        Exported = "EXPORTED" ("Exportado", "Exported"),
        /// A batch was imported by the command line.
        Imported = "IMPORTED" ("Importado", "Imported"),
        /// A bulk operation was begun.
        Begun = "BEGUN" ("Iniciado", "Begun"),
        /// A bulk operation was cancelled.
        Cancelled = "CANCELLED" ("Cancelado", "Cancelled"),
        /// The undoing of a bulk operation was begun.
        Undone = "UNDONE" ("Deshecho", "Undone"),
        /// Credits were moved.
        CreditsMoved = "CREDITS_MOVED" ("Movimiento de créditos", "Credits moved"),
        /// Something was requested: a reversal, a backup.
        Requested = "REQUESTED" ("Solicitado", "Requested"),
        /// A request was approved.
        Approved = "APPROVED" ("Aprobado", "Approved"),
        /// A request was declined.
        Declined = "DECLINED" ("Rechazado", "Declined"),
    }
}

/// What entries may be about: the path of a kind of content, or one of the others.
pub fn resources() -> Vec<&'static str> {
    Kind::ALL.iter().map(|kind| kind.path()).chain(OTHER_RESOURCES).collect()
}

enumeration! {
    /// Why a sign-in was refused.
    pub enum SignInRefusal {
        /// No user has the name. What was typed is not recorded: people type passwords there.
        UnknownUser = "UNKNOWN_USER" ("Usuario desconocido", "Unknown user"),
        /// The password is another one.
        WrongPassword = "WRONG_PASSWORD" ("Contraseña incorrecta", "Wrong password"),
        /// The password is right, and the account may not be used.
        NotActive = "NOT_ACTIVE" ("Cuenta no activa", "Account not active"),
    }
}

/// Something that was done. Entries are only ever added; they go when they have reached their age.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEntry {
    /// Counts up in the order in which entries were added.
    pub id: Id,
    /// When.
    pub occurred_at: DateTime<Utc>,
    /// Who; `None` where it was the server, an import or a key.
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
