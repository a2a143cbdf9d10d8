//! Who may change what of a user: roles, status, place and subscription (docs/spec/users.md).

use chrono::{DateTime, Utc};
use domain_kernel::{Actor, Code, Enumeration, RoleCode, Username, Violation, Violations};
use domain_users::{SubscriptionState, User, UserStatus, manages, may_manage};
use ports::{RegistrarChange, UserUpdate, UserUpdateConflict};
use serde_json::Value;

use crate::Error;

/// Whether a subscription has started after an edit. A date starts it; without one it takes an explicit grant, so that
/// a form that was read and sent back grants nothing. What has started never goes back by an edit.
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

/// An update that changes nothing.
pub(crate) fn unchanged(user: &User) -> UserUpdate {
    UserUpdate {
        full_name: user.full_name.clone(),
        email: user.email.clone(),
        phone_number: user.phone_number.clone(),
        address: user.address.clone(),
        comment: user.comment.clone(),
        role: user.role,
        status: user.status,
        expiration_date: user.expiration_date,
        subscription_started: user.subscription_started,
        registrar: RegistrarChange::Stays,
    }
}

/// Whether the actor may move somebody beneath another user.
pub(crate) fn may_move(actor: &Actor, current: &User) -> bool {
    actor.role.passes_every_check() && may_manage(actor, &current.username, current.role)
}

/// Whether a body names another user beneath whom somebody is to be, to be refused early.
pub(crate) fn asks_to_move(current: &User, json: &Value) -> bool {
    match (json.get("registeredBy").and_then(Value::as_str), &current.registered_by) {
        (None, None) => false,
        (Some(name), Some(same)) => !same.as_str().eq_ignore_ascii_case(name),
        _ => true,
    }
}

/// Whether a form moves somebody. A name that is none is nobody's.
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

/// The refusal of an update that the store found in conflict with what is there.
pub(crate) fn update_refused(conflict: UserUpdateConflict) -> Error {
    match conflict {
        UserUpdateConflict::LastSuperadmin => Error::LastSuperadmin,
        refused => Violations(vec![refused.violation()]).into(),
    }
}

/// Suspending a user and everything that happens to a suspended one is for admins.
pub(crate) fn refuse_suspended(actor: &Actor, current: &User) -> Result<(), Error> {
    let suspended = current.status == UserStatus::Suspended && !actor.role.passes_every_check();
    if suspended { Err(Error::UserSuspended) } else { Ok(()) }
}

/// Whether the actor may give somebody this role and status. Admins give roles; nobody changes their own role or status.
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

/// A value that a body seems to hold, to be refused early. What counts is what is read of it later.
pub(crate) fn said<E: Enumeration>(json: &Value, field: &str) -> Option<E> {
    json.get(field).and_then(Value::as_str).and_then(|text| E::from_code(text.trim()))
}
