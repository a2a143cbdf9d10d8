//! Audit entries of changes of users. No entry has passwords; credits are in the ledger.

use domain_audit::AuditAction;
use domain_kernel::{Enumeration, FieldDiff, Username, Version, difference, timestamp};
use domain_users::User;
use ports::{Edit, StoreError};
use serde_json::{Map, Value, json};

use crate::audit::{Record, added};

/// The user who makes an edit of a user.
pub(crate) fn performer(edit: &Edit) -> Result<&Username, StoreError> {
    edit.by.as_ref().ok_or_else(|| StoreError::Broken("users are edited by users".into()))
}

/// The audit entry of an action on an account.
pub(crate) fn record_of(action: AuditAction, username: &Username, version: Option<Version>) -> Record {
    Record {
        action,
        resource: "users",
        item: username.key(),
        title: username.to_string(),
        version,
        diff: FieldDiff::default(),
    }
}

/// The audit entry of a change.
pub(super) fn record_of_change(before: &User, after: &User) -> Record {
    let diff = difference(&fields(before), &fields(after));
    let action = if before.role == after.role { AuditAction::Updated } else { AuditAction::RoleChanged };
    Record { diff, ..record_of(action, &after.username, Some(after.version)) }
}

/// The audit entry of a registration, with its fields.
pub(super) fn record_of_new(user: &User) -> Record {
    let mut fields = fields(user);
    fields.retain(|_, value| !value.is_null() && *value != "");
    Record { diff: added(fields), ..record_of(AuditAction::Created, &user.username, Some(user.version)) }
}

fn fields(user: &User) -> Map<String, Value> {
    let expiration = user.expiration_date.map(timestamp::text);
    let fields = json!({
        "fullName": user.full_name,
        "email": user.email,
        "phoneNumber": user.phone_number,
        "language": user.language,
        "address": user.address,
        "comment": user.comment,
        "roleCode": user.role.code(),
        "status": user.status.code(),
        "expirationDate": expiration,
        "subscriptionStarted": user.subscription_started,
        "registeredBy": user.registered_by,
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
