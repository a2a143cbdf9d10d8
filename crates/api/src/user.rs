//! A user in answers (docs/spec/users.md#fields).

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Locale, RoleCode, Username, Version};
use domain_users::{Person, SubscriptionState, UserStatus};
use schemars::JsonSchema;
use serde::Serialize;

/// A role, by code and by name in the language of the request.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Role {
    /// Its code.
    code: RoleCode,
    /// Its name.
    name: &'static str,
}

impl Role {
    pub(crate) fn of(code: RoleCode, locale: Locale) -> Self {
        Self { code, name: code.labels().in_language(locale) }
    }
}

/// A subscription.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SubscriptionAnswer {
    /// How far it has come, whatever the status of the account.
    pub(crate) state: SubscriptionState,
}

/// A row of the list of users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserRow {
    /// Their public id.
    username: Username,
    /// The name people read.
    full_name: String,
    /// In which role.
    role: Role,
    /// App credits.
    credits: i64,
    /// An agent's stock of credits for sale.
    sale_credits: i64,
    /// When the subscription ends; null for never, unless it has not started.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    expiration_date: Option<DateTime<Utc>>,
    /// The subscription of an app user; null for everybody else.
    subscription: Option<SubscriptionAnswer>,
    /// How often they signed in.
    sign_ins: i64,
    /// Whether they may use the service.
    status: UserStatus,
    /// Who registered them.
    registered_by: Option<Username>,
    /// When they were registered.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    created_date: DateTime<Utc>,
}

/// A user, whole.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct User {
    #[serde(flatten)]
    row: UserRow,
    /// Their e-mail address; empty where none is known.
    email: String,
    /// Their phone number; empty where none is known.
    phone_number: String,
    /// Where they live.
    address: Option<String>,
    /// For staff.
    comment: Option<String>,
    /// Code of the role.
    role_code: RoleCode,
    /// When they were last changed.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    updated_date: DateTime<Utc>,
    /// When their password was last changed; null where it is the first one.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    password_changed_date: Option<DateTime<Utc>>,
    /// Who changed it: themselves or somebody else; null where it was changed on the server, or never.
    password_changed_by: Option<Username>,
    /// Counts their changes from 1; the `ETag` carries it.
    version: Version,
}

impl UserRow {
    pub(crate) fn new(person: &Person, locale: Locale, now: DateTime<Utc>) -> Self {
        let subscription = person.subscription();
        Self {
            username: person.username.clone(),
            full_name: person.full_name.clone(),
            role: Role::of(person.role, locale),
            credits: person.credits,
            sale_credits: person.sale_credits,
            expiration_date: person.expiration_date,
            subscription: subscription.map(|one| SubscriptionAnswer { state: one.state(now) }),
            sign_ins: person.sign_ins,
            status: person.status,
            registered_by: person.registered_by.clone(),
            created_date: person.created_date,
        }
    }
}

impl User {
    pub(crate) fn new(person: &Person, locale: Locale, now: DateTime<Utc>) -> Self {
        Self {
            row: UserRow::new(person, locale, now),
            email: person.email.clone(),
            phone_number: person.phone_number.clone(),
            address: person.address.clone(),
            comment: person.comment.clone(),
            role_code: person.role,
            updated_date: person.updated_date,
            password_changed_date: person.password_changed_date,
            password_changed_by: person.password_changed_by.clone(),
            version: person.version,
        }
    }
}
