//! Rules for changes of a user: roles, status, registrar and subscription (docs/spec/users.md).

use chrono::{DateTime, Utc};
use domain_kernel::{Actor, Code, Enumeration, RoleCode, Username, Violation, Violations};
use domain_users::{SubscriptionState, User, UserStatus, manages, may_manage};
use ports::{RegistrarChange, UserUpdate, UserUpdateConflict};
use serde_json::Value;

use crate::Error;

/// Whether a subscription has started after an edit. A date starts it; without one, an explicit
/// grant is required, so that sending a form back unchanged grants nothing. An edit can't reset it.
pub(crate) fn started(
    current: &User,
    expiration: Option<DateTime<Utc>>,
    state: Option<SubscriptionState>,
    grants: bool,
) -> Result<bool, Error> {
    if current.subscription_started && state == Some(SubscriptionState::NotStarted) {
        return Err(Violations(vec![Violation::new("subscription.state", Code::Immutable)]).into());
    }
    Ok(current.subscription_started || expiration.is_some() || grants)
}

/// An update without changes.
pub(crate) fn unchanged(user: &User) -> UserUpdate {
    UserUpdate {
        full_name: user.full_name.clone(),
        email: user.email.clone(),
        phone_number: user.phone_number.clone(),
        language: user.language,
        address: user.address.clone(),
        comment: user.comment.clone(),
        role: user.role,
        status: user.status,
        expiration_date: user.expiration_date,
        subscription_started: user.subscription_started,
        registrar: RegistrarChange::Stays,
    }
}

/// Whether the actor may change a user's registrar.
pub(crate) fn may_move(actor: &Actor, current: &User) -> bool {
    actor.role.passes_every_check() && may_manage(actor, &current.username, current.role)
}

/// Whether a body names another registrar. Such a request is rejected before other violations.
pub(crate) fn names_other_registrar(current: &User, json: &Value) -> bool {
    match (json.get("registeredBy").and_then(Value::as_str), &current.registered_by) {
        (None, None) => false,
        (Some(name), Some(same)) => !same.as_str().eq_ignore_ascii_case(name),
        _ => true,
    }
}

/// The change of the registrar in a form. An invalid user name matches no user.
pub(crate) fn registrar_change(
    current: &User,
    sent: Option<&str>,
) -> Result<RegistrarChange, UserUpdateConflict> {
    match (sent, &current.registered_by) {
        (None, None) => Ok(RegistrarChange::Stays),
        (Some(name), Some(same)) if same.as_str().eq_ignore_ascii_case(name) => Ok(RegistrarChange::Stays),
        (None, Some(_)) => Ok(RegistrarChange::Becomes(None)),
        (Some(name), _) => match Username::parse(name) {
            Some(name) => Ok(RegistrarChange::Becomes(Some(name))),
            None => Err(UserUpdateConflict::UnknownRegistrar),
        },
    }
}

/// Maps a conflict found by the store to an error.
pub(crate) fn update_refused(conflict: UserUpdateConflict) -> Error {
    match conflict {
        UserUpdateConflict::LastSuperadmin => Error::LastSuperadmin,
        refused => Violations(vec![refused.violation()]).into(),
    }
}

/// Suspending a user, and every change of a suspended one, requires an admin.
pub(crate) fn refuse_suspended(actor: &Actor, current: &User) -> Result<(), Error> {
    let suspended = current.status == UserStatus::Suspended && !actor.role.passes_every_check();
    if suspended { Err(Error::UserSuspended) } else { Ok(()) }
}

/// Whether the actor may set this role and status. Admins set roles; users can't change their own
/// role or status.
pub(crate) fn may_become(actor: &Actor, current: &User, role: RoleCode, status: UserStatus) -> bool {
    let may_give = || {
        may_manage(actor, &current.username, current.role)
            && actor.role.passes_every_check()
            && manages(actor.role, role)
    };
    let may_set = || {
        actor.username != current.username
            && (status != UserStatus::Suspended || actor.role.passes_every_check())
    };
    (role == current.role || may_give()) && (status == current.status || may_set())
}

/// A value in a body, for early rejection. The value that applies is read later.
pub(crate) fn sent_value<E: Enumeration>(json: &Value, field: &str) -> Option<E> {
    json.get(field).and_then(Value::as_str).and_then(|text| E::from_code(text.trim()))
}
