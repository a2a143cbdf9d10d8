//! Permissions to start, see and undo operations: those of changing one such item, but only admins
//! for users.

use domain_kernel::{Action, Actor, Denied, Kind, Permission};
use domain_operations::{BulkChange, Resource};

use crate::{Error, issues, users};

/// Requires the permission to change some kind of content, or reports.
pub(super) fn require_editor(actor: &Actor) -> Result<(), Error> {
    let may = |kind: &Kind| actor.may(kind.permission(Action::Update));
    if Kind::ALL.iter().any(may) || actor.may(issues::UPDATE) { Ok(()) } else { Err(Error::Forbidden) }
}

/// Permission for this action on one such item.
pub(super) const fn permission(resource: Resource, action: Action) -> Permission {
    match resource {
        Resource::Content(kind) => kind.permission(action),
        Resource::Users => Permission::new(users::USER, action),
        Resource::Reports => Permission::new(issues::ISSUES, action),
    }
}

/// Requires the permission for changing one item.
pub(super) fn require(actor: &Actor, resource: Resource, change: Option<&BulkChange>) -> Result<(), Error> {
    let action = match change {
        Some(change) if change.deletes() || change.restores() => Action::Delete,
        Some(change) if change.only_toggles() => Action::ToggleStatus,
        _ => Action::Update,
    };
    // Agents change users one by one.
    if resource == Resource::Users && !actor.role.passes_every_check() {
        return Err(Denied(permission(resource, Action::Update)).into());
    }
    Ok(actor.require(permission(resource, action))?)
}
