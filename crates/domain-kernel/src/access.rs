//! Who acts, and what they may do. Which role holds which permission is a rule of `domain-users`.

use std::fmt;

use crate::{Origin, Username};

/// What a permission is about: `MOVIE`, `USER`, `APP_SETTINGS`, … (docs/spec/access.md#permissions).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Subject(pub &'static str);

/// What a permission allows to do with its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// See it.
    Read,
    /// Add one.
    Create,
    /// Change it; activating and deactivating content is a change too.
    Update,
    /// Remove it.
    Delete,
    /// Activate and deactivate, where that is a right of its own (categories).
    ToggleStatus,
}

/// One right, named as the panel and the session name it: `MOVIE_UPDATE`, `CATEGORY_TOGGLE_STATUS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Permission {
    /// About what.
    pub subject: Subject,
    /// To do what.
    pub action: Action,
}

impl Permission {
    /// The right to do `action` with `subject`.
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
    /// The five roles.
    pub enum RoleCode {
        /// Everything, superadmins included.
        Superadmin = "superadmin" ("Superadministrador", "Superadmin"),
        /// Everything but superadmins.
        Admin = "admin" ("Administrador", "Admin"),
        /// Resells credits to the customers it registers.
        Agent = "agent" ("Agente", "Agent"),
        /// Keeps the catalogue.
        ContentManager = "contentManager" ("Gestor de contenido", "Content manager"),
        /// A subscriber: a record in the panel, not a user of it.
        App = "app" ("Usuario", "User"),
    }
}

impl RoleCode {
    /// The roles whose users work with the panel.
    pub const STAFF: [Self; 4] = [Self::Superadmin, Self::Admin, Self::Agent, Self::ContentManager];

    /// Superadmins and admins pass every permission check (docs/spec/access.md#permissions).
    pub const fn passes_every_check(self) -> bool {
        matches!(self, Self::Superadmin | Self::Admin)
    }
}

/// The user or program on whose behalf a use case runs. Read anew from the store at every request.
#[derive(Debug, Clone)]
pub struct Actor {
    /// Who.
    pub username: Username,
    /// In which role.
    pub role: RoleCode,
    /// The rights of that role, for roles that don't pass every check.
    pub permissions: &'static [Permission],
    /// Where they act from.
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

    /// The first line of every use case.
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
