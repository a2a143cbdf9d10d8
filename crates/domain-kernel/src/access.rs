//! Actors, permissions and roles. The permissions of each role are defined in `domain-users`.

use std::fmt;

use crate::{Origin, Username};

/// Subject of a permission: `MOVIE`, `USER`, `APP_SETTINGS`, … (docs/spec/access.md#permissions).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Subject(pub &'static str);

/// Action that a permission allows on its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    Read,
    Create,
    /// Includes activating and deactivating content.
    Update,
    Delete,
    /// Activate and deactivate, where it is separate from an update (categories).
    ToggleStatus,
}

/// A permission, named as in the panel and the session: `MOVIE_UPDATE`, `CATEGORY_TOGGLE_STATUS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Permission {
    pub subject: Subject,
    pub action: Action,
}

impl Permission {
    /// Permission for `action` on `subject`.
    pub const fn new(subject: Subject, action: Action) -> Self {
        Self { subject, action }
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let action = match self.action {
            Action::Read => "READ",
            Action::Create => "CREATE",
            Action::Update => "UPDATE",
            Action::Delete => "DELETE",
            Action::ToggleStatus => "TOGGLE_STATUS",
        };
        write!(f, "{}_{action}", self.subject.0)
    }
}

crate::enumeration! {
    /// Role of a user.
    pub enum RoleCode {
        /// All permissions, including the management of superadmins.
        Superadmin = "superadmin" ("Superadministrador", "Superadmin"),
        /// All permissions, except the management of superadmins.
        Admin = "admin" ("Administrador", "Admin"),
        /// Resells credits to the customers it registers.
        Agent = "agent" ("Agente", "Agent"),
        /// Manages the catalogue.
        ContentManager = "contentManager" ("Gestor de contenido", "Content manager"),
        /// A subscriber, without access to the panel.
        App = "app" ("Usuario", "User"),
    }
}

impl RoleCode {
    /// Roles with access to the panel.
    pub const STAFF: [Self; 4] = [Self::Superadmin, Self::Admin, Self::Agent, Self::ContentManager];

    /// Whether the role passes every permission check (docs/spec/access.md#permissions).
    pub const fn passes_every_check(self) -> bool {
        matches!(self, Self::Superadmin | Self::Admin)
    }
}

/// The user on whose behalf a use case runs. Read from the store at every request.
#[derive(Debug, Clone)]
pub struct Actor {
    pub username: Username,
    pub role: RoleCode,
    /// Permissions of the role, for roles that don't pass every check.
    pub permissions: &'static [Permission],
    pub origin: Origin,
}

/// The actor lacks the permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the permission {0} is required")]
pub struct Denied(pub Permission);

impl Actor {
    /// Whether the actor holds the permission.
    pub fn may(&self, permission: Permission) -> bool {
        self.role.passes_every_check() || self.permissions.contains(&permission)
    }

    /// Called first by every use case.
    pub fn require(&self, permission: Permission) -> Result<(), Denied> {
        if self.may(permission) { Ok(()) } else { Err(Denied(permission)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: Permission = Permission::new(Subject("MOVIE"), Action::Read);
    const UPDATE: Permission = Permission::new(Subject("MOVIE"), Action::Update);

    fn actor(role: RoleCode, permissions: &'static [Permission]) -> Actor {
        Actor { username: Username::parse("someone").unwrap(), role, permissions, origin: Origin::SERVER }
    }

    #[test]
    fn admins_pass_every_check_and_others_only_what_they_hold() {
        assert_eq!(actor(RoleCode::Superadmin, &[]).require(UPDATE), Ok(()));
        assert_eq!(actor(RoleCode::Admin, &[]).require(UPDATE), Ok(()));
        let manager = actor(RoleCode::ContentManager, &[READ]);
        assert_eq!(manager.require(READ), Ok(()));
        assert_eq!(manager.require(UPDATE), Err(Denied(UPDATE)));
        assert_eq!(actor(RoleCode::App, &[]).require(READ), Err(Denied(READ)));
    }

    #[test]
    fn permissions_are_named_as_the_specification_names_them() {
        assert_eq!(UPDATE.to_string(), "MOVIE_UPDATE");
        let toggle = Permission::new(Subject("CATEGORY"), Action::ToggleStatus);
        assert_eq!(toggle.to_string(), "CATEGORY_TOGGLE_STATUS");
    }
}
