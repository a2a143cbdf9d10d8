//! Users in responses (docs/spec/users.md#fields).

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Locale, RoleCode, Username, Version};
use domain_users::{
    CallingCode, InternationalNumber, SubscriptionState, SubscriptionStatus, User, UserLanguage, UserStatus,
    international_number,
};
use schemars::JsonSchema;
use serde::Serialize;

/// A role, by code and by name in the language of the request.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Role {
    code: RoleCode,
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
    /// Progress of the subscription, independent of the status of the account.
    pub(crate) state: SubscriptionState,
}

/// Whether an app may play for a subscriber, as in `GET /subscribers/{username}`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Playback {
    /// Whether the user may play now.
    may_play: bool,
    /// Reason of `mayPlay`.
    reason: SubscriptionStatus,
}

/// A row of the list of users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserRow {
    /// Public ID of the user.
    username: Username,
    /// Full name.
    full_name: String,
    /// Role of the user.
    role: Role,
    /// App credits.
    credits: i64,
    /// Stock of sale credits, of agents.
    sale_credits: i64,
    /// End of the subscription; null for none, unless it has not started.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    expiration_date: Option<DateTime<Utc>>,
    /// Subscription of an app user; null for other users.
    subscription: Option<SubscriptionAnswer>,
    /// Number of sign-ins.
    sign_ins: i64,
    /// Status of the account.
    status: UserStatus,
    /// Username of the registering user.
    registered_by: Option<Username>,
    /// Time of registration.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    created_date: DateTime<Utc>,
    /// Version of the user, from 1; also in the `ETag`.
    version: Version,
}

/// A user with all fields.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "User")]
pub(crate) struct UserAnswer {
    #[serde(flatten)]
    row: UserRow,
    /// E-mail address; empty if unknown.
    email: String,
    /// Phone number; empty if unknown.
    phone_number: String,
    /// Phone number with its calling code; null if unknown.
    international_number: Option<InternationalNumber>,
    /// Language in which the user is written to; null if unknown.
    language: Option<UserLanguage>,
    /// Postal address.
    address: Option<String>,
    /// Comment for staff.
    comment: Option<String>,
    /// Code of the role.
    role_code: RoleCode,
    /// Time of the last change.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    updated_date: DateTime<Utc>,
    /// Time of the last change of the password; null for the first password.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    password_changed_date: Option<DateTime<Utc>>,
    /// Username of who changed the password; null if it was changed on the server, or never.
    password_changed_by: Option<Username>,
    /// Playback state of an app user, as apps receive it; null for other users.
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
    /// `country` is that of phone numbers without one.
    pub(crate) fn new(user: &User, locale: Locale, now: DateTime<Utc>, country: Option<CallingCode>) -> Self {
        Self {
            row: UserRow::new(user, locale, now),
            email: user.email.clone(),
            phone_number: user.phone_number.clone(),
            international_number: international_number(&user.phone_number, country),
            language: user.language,
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
