//! A user in answers (docs/spec/users.md#fields).

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Locale, RoleCode, Username, Version};
use domain_users::{SubscriptionState, SubscriptionStatus, User, UserStatus};
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

/// Whether an app lets a subscriber play, as `GET /subscribers/{username}` answers it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Playback {
    /// Whether they may play at this moment.
    may_play: bool,
    /// Why, or why not.
    reason: SubscriptionStatus,
}

/// A row of the list of users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserRow {
    /// Their public id.
    username: Username,
    /// The full name.
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
    /// Counts their changes from 1; the `ETag` carries it.
    version: Version,
}

/// A user, whole.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "User")]
pub(crate) struct UserAnswer {
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
    /// What apps receive about an app user; null for everybody else.
    playback: Option<Playback>,
}

impl UserRow {
    pub(crate) fn new(user: &User, locale: Locale, now: DateTime<Utc>) -> Self {
        let subscription = user.subscription();
        Self {
            username: user.username.clone(),
            full_name: user.full_name.clone(),
            role: Role::of(user.role, locale),
            credits: user.credits,
            sale_credits: user.sale_credits,
            expiration_date: user.expiration_date,
            subscription: subscription.map(|one| SubscriptionAnswer { state: one.state(now) }),
            sign_ins: user.sign_ins,
            status: user.status,
            registered_by: user.registered_by.clone(),
            created_date: user.created_date,
            version: user.version,
        }
    }
}

impl UserAnswer {
    pub(crate) fn new(user: &User, locale: Locale, now: DateTime<Utc>) -> Self {
        Self {
            row: UserRow::new(user, locale, now),
            email: user.email.clone(),
            phone_number: user.phone_number.clone(),
            address: user.address.clone(),
            comment: user.comment.clone(),
            role_code: user.role,
            updated_date: user.updated_date,
            password_changed_date: user.password_changed_date,
            password_changed_by: user.password_changed_by.clone(),
            playback: user.subscription().map(|subscription| {
                let reason = SubscriptionStatus::of(user.status, subscription, now);
                Playback { may_play: reason.may_play(), reason }
            }),
        }
    }
}
