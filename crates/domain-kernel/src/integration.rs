//! Programs that call for themselves, with a key of their own: who they are, and what they may do. A key stands beside
//! users' permissions and is never a way around them: what needs a permission is closed to keys, what needs a
//! scope is closed to users without the permission that goes with it.

use crate::{Actor, Id, Permission};

crate::enumeration! {
    /// What a key may be used for.
    pub enum KeyScope {
        /// Active items only, with the addresses that players open.
        CatalogueRead = "CATALOGUE_READ" ("Leer el catálogo", "Read the catalogue"),
        /// Settings, background images and alert messages.
        SettingsRead = "SETTINGS_READ" ("Leer la configuración de la app", "Read the app's settings"),
        /// Playback reports.
        IssuesReport = "ISSUES_REPORT" ("Reportar errores de reproducción", "Report playback errors"),
        /// What was watched.
        ViewsCount = "VIEWS_COUNT" ("Contar vistas", "Count views"),
        /// Who came, and who signed in.
        VisitsRecord = "VISITS_RECORD" ("Registrar visitas e inicios de sesión", "Record visits and sign-ins"),
        /// Whether somebody may play.
        SubscribersRead = "SUBSCRIBERS_READ" ("Consultar la suscripción de un usuario", "Read a user's subscription"),
        /// The whole catalogue, line by line.
        Export = "EXPORT" ("Exportar el catálogo", "Export the catalogue"),
    }
}

/// A program that calls with a key. Read anew from the store at every request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integrator {
    /// The key's id.
    pub key: Id,
    /// Its name, for logs and histories.
    pub name: String,
    /// What it may be used for.
    pub scopes: Vec<KeyScope>,
}

/// The key lacks the scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the scope {} is required", crate::Enumeration::code(self.0))]
pub struct OutOfScope(pub KeyScope);

impl Integrator {
    /// The first line of every use case that is for keys.
    pub fn require(&self, scope: KeyScope) -> Result<(), OutOfScope> {
        if self.scopes.contains(&scope) { Ok(()) } else { Err(OutOfScope(scope)) }
    }

    /// What idempotency keys of theirs are kept under. No user name has a colon.
    pub fn once_name(&self) -> String {
        format!("key:{}", self.key)
    }
}

/// Whoever calls where both users and programs may.
#[derive(Debug, Clone)]
pub enum Principal {
    /// Somebody of the staff, in a session.
    Staff(Actor),
    /// A program, with a key.
    Integrator(Integrator),
}

/// Whoever calls may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    /// A user without the permission.
    #[error(transparent)]
    User(#[from] crate::Denied),
    /// A key without the scope.
    #[error(transparent)]
    Key(#[from] OutOfScope),
}

impl Principal {
    /// Users need the permission, programs the scope.
    pub fn require(&self, permission: Permission, scope: KeyScope) -> Result<(), AuthError> {
        match self {
            Self::Staff(actor) => Ok(actor.require(permission)?),
            Self::Integrator(integrator) => Ok(integrator.require(scope)?),
        }
    }

    /// What idempotency keys of theirs are kept under.
    pub fn once_name(&self) -> String {
        match self {
            Self::Staff(actor) => actor.username.key(),
            Self::Integrator(integrator) => integrator.once_name(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, RoleCode, Subject, Username};

    const READ: Permission = Permission::new(Subject("MOVIE"), Action::Read);

    #[test]
    fn a_key_does_what_its_scopes_say_and_nothing_by_anybodys_permission() {
        let key = Integrator { key: 7, name: "tv".into(), scopes: vec![KeyScope::CatalogueRead] };
        assert_eq!(key.require(KeyScope::CatalogueRead), Ok(()));
        assert_eq!(key.require(KeyScope::Export), Err(OutOfScope(KeyScope::Export)));
        let requester = Principal::Integrator(key);
        assert_eq!(requester.require(READ, KeyScope::CatalogueRead), Ok(()));
        assert!(matches!(requester.require(READ, KeyScope::IssuesReport), Err(AuthError::Key(_))));
        assert_eq!(requester.once_name(), "key:7");
    }

    #[test]
    fn a_user_needs_the_permission() {
        let username = Username::parse("someone").unwrap();
        let requester = Principal::Staff(Actor {
            username,
            role: RoleCode::App,
            permissions: &[],
            origin: crate::Origin::SERVER,
        });
        assert!(matches!(requester.require(READ, KeyScope::CatalogueRead), Err(AuthError::User(_))));
        assert_eq!(requester.once_name(), "someone");
    }
}
