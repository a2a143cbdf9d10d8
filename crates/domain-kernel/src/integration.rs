//! Programs that call with an API key, and their scopes. Scopes are independent of users' permissions: an
//! operation that needs a permission rejects keys, and one that needs a scope rejects users without the
//! corresponding permission.

use crate::{Actor, Id, Permission};

crate::enumeration! {
    /// Scope of an API key.
    pub enum KeyScope {
        /// Active items only, with the URLs for players.
        CatalogueRead = "CATALOGUE_READ" ("Leer el catálogo", "Read the catalogue"),
        /// Settings, background images and alert messages.
        SettingsRead = "SETTINGS_READ" ("Leer la configuración de la app", "Read the app's settings"),
        /// Playback reports.
        IssuesReport = "ISSUES_REPORT" ("Reportar errores de reproducción", "Report playback errors"),
        /// Counting of views.
        ViewsCount = "VIEWS_COUNT" ("Contar vistas", "Count views"),
        /// Recording of visits and sign-ins.
        VisitsRecord = "VISITS_RECORD" ("Registrar visitas e inicios de sesión", "Record visits and sign-ins"),
        /// Subscription status of a user.
        SubscribersRead = "SUBSCRIBERS_READ" ("Consultar la suscripción de un usuario", "Read a user's subscription"),
        /// The whole catalogue as NDJSON.
        Export = "EXPORT" ("Exportar el catálogo", "Export the catalogue"),
    }
}

/// A program that calls with a key. Read from the store at every request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Integrator {
    pub key: Id,
    /// Name of the key, for logs and histories.
    pub name: String,
    pub scopes: Vec<KeyScope>,
}

/// The key lacks the scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the scope {} is required", crate::Enumeration::code(self.0))]
pub struct OutOfScope(pub KeyScope);

impl Integrator {
    /// Called first by every use case for keys.
    pub fn require(&self, scope: KeyScope) -> Result<(), OutOfScope> {
        if self.scopes.contains(&scope) { Ok(()) } else { Err(OutOfScope(scope)) }
    }

    /// Owner of the program's idempotency keys. User names have no colon.
    pub fn once_name(&self) -> String {
        format!("key:{}", self.key)
    }
}

/// Principal of an operation that accepts both users and programs.
#[derive(Debug, Clone)]
pub enum Principal {
    /// A member of staff with a session.
    Staff(Actor),
    /// A program with a key.
    Integrator(Integrator),
}

/// The principal lacks the permission or scope.
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
    /// Requires the permission of users, the scope of programs.
    pub fn require(&self, permission: Permission, scope: KeyScope) -> Result<(), AuthError> {
        match self {
            Self::Staff(actor) => Ok(actor.require(permission)?),
            Self::Integrator(integrator) => Ok(integrator.require(scope)?),
        }
    }

    /// Owner of the principal's idempotency keys.
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
    fn a_key_is_authorized_by_its_scopes_only() {
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
