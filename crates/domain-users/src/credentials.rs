//! A user as the sign-in sees one.

use domain_kernel::{Actor, Code, Origin, RoleCode, Username, enumeration};

use crate::permissions_of;

enumeration! {
    /// Whether a user may use the service.
    pub enum UserStatus {
        Active = "ACTIVE" ("Activo", "Active"),
        Inactive = "INACTIVE" ("Inactivo", "Inactive"),
        Suspended = "SUSPENDED" ("Suspendido", "Suspended"),
    }
}

impl Default for UserStatus {
    /// docs/spec/users.md#status.
    fn default() -> Self {
        Self::Active
    }
}

/// A user with what signing in needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserCredentials {
    /// Who.
    pub username: Username,
    /// The full name.
    pub full_name: String,
    /// In which role.
    pub role: RoleCode,
    /// Whether they may use the service.
    pub status: UserStatus,
    /// PHC text of the password; `None` where none is set yet, and then nobody can sign in.
    pub password_hash: Option<String>,
}

impl UserCredentials {
    /// The user as an actor, with the rights of its role as it is now.
    pub fn actor(&self, origin: Origin) -> Actor {
        Actor {
            username: self.username.clone(),
            role: self.role,
            permissions: permissions_of(self.role),
            origin,
        }
    }
}

/// Why a user with the right password may still not come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Deactivated.
    Inactive,
    /// Suspended.
    Suspended,
}

impl Refusal {
    /// Its stable name.
    pub const fn code(self) -> Code {
        match self {
            Self::Inactive => Code::AccountInactive,
            Self::Suspended => Code::AccountSuspended,
        }
    }
}

/// Only active users come in; the others learn why, once the password is right (docs/spec/access.md#sign-in).
pub const fn admits(status: UserStatus) -> Result<(), Refusal> {
    match status {
        UserStatus::Active => Ok(()),
        UserStatus::Inactive => Err(Refusal::Inactive),
        UserStatus::Suspended => Err(Refusal::Suspended),
    }
}
