//! Credentials of a user.

use domain_kernel::{Actor, Code, Origin, RoleCode, Username, enumeration};

use crate::permissions_of;

enumeration! {
    /// Status of a user account.
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

/// A user with the fields needed for signing in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserCredentials {
    pub username: Username,
    pub full_name: String,
    pub role: RoleCode,
    pub status: UserStatus,
    /// PHC string of the password; `None` where none is set yet, so that the user can't sign in.
    pub password_hash: Option<String>,
}

impl UserCredentials {
    /// The user as an actor, with the current permissions of its role.
    pub fn actor(&self, origin: Origin) -> Actor {
        Actor {
            username: self.username.clone(),
            role: self.role,
            permissions: permissions_of(self.role),
            origin,
        }
    }
}

/// Reason for refusing a sign-in with the right password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Deactivated.
    Inactive,
    /// Suspended.
    Suspended,
}

impl Refusal {
    /// Error code.
    pub const fn code(self) -> Code {
        match self {
            Self::Inactive => Code::AccountInactive,
            Self::Suspended => Code::AccountSuspended,
        }
    }
}

/// Admits active users only; the others get the reason once the password is right
/// (docs/spec/access.md#sign-in).
pub const fn admits(status: UserStatus) -> Result<(), Refusal> {
    match status {
        UserStatus::Active => Ok(()),
        UserStatus::Inactive => Err(Refusal::Inactive),
        UserStatus::Suspended => Err(Refusal::Suspended),
    }
}
