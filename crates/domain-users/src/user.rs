//! A user: the fields of the form, and those that the server manages (docs/spec/users.md#fields).

use std::borrow::Cow;

use chrono::{DateTime, NaiveDate, Utc};
use domain_kernel::{Code, Enumeration, RoleCode, Username, Version, fault};
use garde::Validate;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::{Subscription, SubscriptionState, UserLanguage, UserStatus, phone::searchable_digits};

/// Maximum length of a password, in characters (docs/spec/access.md#passwords).
pub const LONGEST_PASSWORD: usize = 128;

/// The fields of the form that an earlier version gives back (docs/spec/audit.md#history). The end of a subscription
/// is not among them, because it would give credits back; passwords and credits are in no form.
pub const RESTORABLE_FIELDS: [&str; 9] = [
    "fullName",
    "email",
    "phoneNumber",
    "language",
    "address",
    "comment",
    "roleCode",
    "status",
    "registeredBy",
];

/// A user to register.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct NewUser {
    /// Letters, digits and underscores; unique without case, and immutable.
    #[garde(custom(a_username))]
    #[schemars(length(min = 3, max = 50), regex(pattern = "^[A-Za-z0-9_]+$"))]
    pub username: String,
    /// The full name.
    #[garde(length(chars, min = 2, max = 100))]
    pub full_name: String,
    /// Need not be unique.
    #[garde(custom(an_email))]
    #[schemars(length(max = 254), extend("format" = "email"))]
    pub email: String,
    /// An optional plus, then digits, spaces, hyphens and parentheses.
    #[garde(custom(a_phone_number))]
    #[schemars(length(min = 8, max = 20), regex(pattern = r"^\+?[0-9 ()-]+$"))]
    pub phone_number: String,
    /// Language in which the user is written to; null if unknown.
    #[garde(skip)]
    pub language: Option<UserLanguage>,
    /// Postal address.
    #[garde(inner(length(chars, max = 255)))]
    #[schemars(length(max = 255))]
    pub address: Option<String>,
    /// Comment for staff.
    #[garde(inner(length(chars, max = 1000)))]
    #[schemars(length(max = 1000), extend("x-severalLines" = true))]
    pub comment: Option<String>,
    /// At least 4 characters for app users, who type it with a remote control; for staff at least 8 with an
    /// upper-case letter, a lower-case letter and a digit. At most 128.
    #[garde(custom(fit_for(&self.role_code)))]
    #[schemars(length(min = 4, max = 128), extend("x-verbatim" = true, "writeOnly" = true))]
    pub password: String,
    /// Role; must be assignable by the caller.
    #[garde(skip)]
    #[schemars(extend("x-initial" = "app"))]
    pub role_code: RoleCode,
    /// Status of the account.
    #[garde(skip)]
    #[serde(default)]
    pub status: UserStatus,
}

/// Changeable fields of a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-readOnly" = [
    "role", "credits", "saleCredits", "signIns", "passwordChangedDate", "passwordChangedBy", "playback",
    "internationalNumber"
]))]
pub struct UserEdit {
    /// Immutable; accepted if equal.
    #[garde(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// The full name.
    #[garde(length(chars, min = 2, max = 100))]
    pub full_name: String,
    /// Need not be unique.
    #[garde(custom(an_email))]
    #[schemars(length(max = 254), extend("format" = "email"))]
    pub email: String,
    /// An optional plus, then digits, spaces, hyphens and parentheses.
    #[garde(custom(a_phone_number))]
    #[schemars(length(min = 8, max = 20), regex(pattern = r"^\+?[0-9 ()-]+$"))]
    pub phone_number: String,
    /// Language in which the user is written to; null if unknown.
    #[garde(skip)]
    pub language: Option<UserLanguage>,
    /// Postal address.
    #[garde(inner(length(chars, max = 255)))]
    #[schemars(length(max = 255))]
    pub address: Option<String>,
    /// Comment for staff.
    #[garde(inner(length(chars, max = 1000)))]
    #[schemars(length(max = 1000), extend("x-severalLines" = true))]
    pub comment: Option<String>,
    /// Role; must be assignable by the caller, who can't change their own.
    #[garde(skip)]
    pub role_code: RoleCode,
    /// Expiration of the subscription: a timestamp, a date (its end), or null for never. Unchanged if
    /// omitted. For admins; credits are not changed.
    #[garde(dive(&()))]
    pub expiration_date: Option<Expiration>,
    /// Status of the account.
    #[garde(skip)]
    pub status: UserStatus,
    /// Accepted if unchanged. `NO_EXPIRATION` with a null `expirationDate` grants a subscription without
    /// expiration to a user whose subscription has not started; for admins.
    #[garde(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscription: Option<SubscriptionEdit>,
    /// User name of the registrar; null for none. Unchanged if omitted. A change moves the whole subtree; for
    /// admins. History and credits are kept.
    #[garde(skip)]
    pub registered_by: Option<String>,
}

/// State of a subscription in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubscriptionEdit {
    /// State of the subscription.
    pub state: SubscriptionState,
}

/// Expiration of a subscription in a request: a timestamp, or a date.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Validate)]
#[serde(transparent)]
#[garde(transparent)]
pub struct Expiration(#[garde(custom(an_expiration))] pub String);

/// Parsed expiration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpirationMeant {
    /// At this time.
    At(DateTime<Utc>),
    /// At the end of this day, in the time zone of the service.
    EndOf(NaiveDate),
}

impl Expiration {
    /// Parsed value; `None` where it is neither a timestamp nor a date, or beyond the year 9999.
    pub fn meant(&self) -> Option<ExpirationMeant> {
        use chrono::Datelike;
        let year_fits = |year: i32| (1..=9999).contains(&year);
        if self.0.len() == 10 {
            let day: NaiveDate = self.0.parse().ok()?;
            return year_fits(day.year()).then_some(ExpirationMeant::EndOf(day));
        }
        let moment = DateTime::parse_from_rfc3339(&self.0).ok()?.with_timezone(&Utc);
        year_fits(moment.year()).then_some(ExpirationMeant::At(moment))
    }
}

impl JsonSchema for Expiration {
    fn schema_name() -> Cow<'static, str> {
        "Expiration".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A timestamp (RFC 3339), or a date (YYYY-MM-DD) for the end of that day.",
            "examples": ["2027-01-31T23:59:59Z", "2027-01-31"],
        })
    }
}

/// A stored user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub username: Username,
    pub full_name: String,
    /// E-mail address; empty where unknown.
    pub email: String,
    /// Phone number; empty where unknown.
    pub phone_number: String,
    /// Language in which the user is written to; `None` where unknown.
    pub language: Option<UserLanguage>,
    /// Postal address.
    pub address: Option<String>,
    /// Comment for staff.
    pub comment: Option<String>,
    pub role: RoleCode,
    pub status: UserStatus,
    /// App credits.
    pub credits: i64,
    /// Stock of an agent.
    pub sale_credits: i64,
    /// Expiration of the subscription; `None` for never, once it has started.
    pub expiration_date: Option<DateTime<Utc>>,
    /// Whether the subscription has started. The subscription of an app user registered by an agent starts
    /// with the first sale.
    pub subscription_started: bool,
    /// Number of sign-ins.
    pub sign_ins: i64,
    /// Registrar.
    pub registered_by: Option<Username>,
    /// Time of the registration.
    pub created_date: DateTime<Utc>,
    /// Time of the last change.
    pub updated_date: DateTime<Utc>,
    /// Time of the last password change; `None` for the first password.
    pub password_changed_date: Option<DateTime<Utc>>,
    /// User who changed the password; `None` where that was done on the server.
    pub password_changed_by: Option<Username>,
    /// Version of form, status, app credits and expiration. Excludes the stock, which would make edits of a
    /// selling agent conflict.
    pub version: Version,
}

impl User {
    /// Edit form that changes nothing.
    pub fn as_edit(&self) -> UserEdit {
        UserEdit {
            username: None,
            full_name: self.full_name.clone(),
            email: self.email.clone(),
            phone_number: self.phone_number.clone(),
            language: self.language,
            address: self.address.clone(),
            comment: self.comment.clone(),
            role_code: self.role,
            expiration_date: self
                .expiration_date
                .map(|date| Expiration(date.to_rfc3339_opts(chrono::SecondsFormat::Millis, true))),
            status: self.status,
            subscription: None,
            registered_by: self.registered_by.as_ref().map(ToString::to_string),
        }
    }

    /// Subscription; for app users only.
    pub fn subscription(&self) -> Option<Subscription> {
        (self.role == RoleCode::App)
            .then_some(Subscription { started: self.subscription_started, expiration: self.expiration_date })
    }
}

/// Searchable text: names, label of the role in both languages, e-mail, and the phone number as written and
/// as digits, also without a 0 in parentheses after its calling code.
pub fn search_text(
    username: &str,
    full_name: &str,
    role: RoleCode,
    email: &str,
    phone_number: &str,
) -> String {
    let labels = role.labels();
    let mut text = [username, full_name, labels.spanish, labels.english].join("\n");
    let written = [email, phone_number].into_iter().filter(|line| !line.is_empty()).map(str::to_owned);
    for line in written.chain(searchable_digits(phone_number)) {
        text.push('\n');
        text.push_str(&line);
    }
    text
}

/// Whether activating a user is refused: an INACTIVE app user without credits (docs/spec/users.md#status).
pub const fn lacks_credits_to_activate(
    role: RoleCode,
    from: UserStatus,
    to: UserStatus,
    credits: i64,
) -> bool {
    matches!(role, RoleCode::App)
        && matches!(from, UserStatus::Inactive)
        && matches!(to, UserStatus::Active)
        && credits <= 0
}

/// Status after toggling: active users become inactive, all others active.
pub const fn toggled(status: UserStatus) -> UserStatus {
    match status {
        UserStatus::Active => UserStatus::Inactive,
        UserStatus::Inactive | UserStatus::Suspended => UserStatus::Active,
    }
}

/// Violation of a password for this role: too short, too long, or, for staff, too weak.
pub fn password_fault(password: &str, role: RoleCode) -> Option<(Code, usize)> {
    let length = password.chars().count();
    let shortest = if role == RoleCode::App { 4 } else { 8 };
    let has = |test: fn(char) -> bool| password.chars().any(test);
    let plain = !(has(char::is_uppercase) && has(char::is_lowercase) && has(|c| c.is_ascii_digit()));
    match () {
        () if length < shortest => Some((Code::TooShort, shortest)),
        () if length > LONGEST_PASSWORD => Some((Code::TooLong, LONGEST_PASSWORD)),
        () if role != RoleCode::App && plain => Some((Code::WeakPassword, shortest)),
        () => None,
    }
}

/// Checks a password against the rules of a role, for a violation of its field.
pub(crate) fn check_password(password: &str, role: &RoleCode) -> garde::Result {
    match password_fault(password, *role) {
        None => Ok(()),
        Some((Code::TooLong, max)) => Err(fault(Code::TooLong, &[("max", &max)])),
        Some((code, min)) => Err(fault(code, &[("min", &min)])),
    }
}

fn fit_for<T>(role: &RoleCode) -> impl FnOnce(&String, &T) -> garde::Result {
    let role = *role;
    move |password, _| check_password(password, &role)
}

fn a_username<T>(text: &str, _: &T) -> garde::Result {
    let length = text.chars().count();
    match () {
        () if length < 3 => Err(fault(Code::TooShort, &[("min", &3)])),
        () if length > 50 => Err(fault(Code::TooLong, &[("max", &50)])),
        () if Username::parse(text).is_none() => Err(fault(Code::InvalidFormat, &[])),
        () => Ok(()),
    }
}

fn an_email<T>(text: &str, _: &T) -> garde::Result {
    if text.chars().count() > 254 {
        return Err(fault(Code::TooLong, &[("max", &254)]));
    }
    garde::rules::email::parse_email(text).map_err(|_| fault(Code::InvalidFormat, &[]))
}

fn a_phone_number<T>(text: &str, _: &T) -> garde::Result {
    let length = text.chars().count();
    let digits = text.strip_prefix('+').unwrap_or(text);
    match () {
        () if length < 8 => Err(fault(Code::TooShort, &[("min", &8)])),
        () if length > 20 => Err(fault(Code::TooLong, &[("max", &20)])),
        () if !digits.chars().all(|c| c.is_ascii_digit() || " ()-".contains(c))
            || !digits.contains(|c: char| c.is_ascii_digit()) =>
        {
            Err(fault(Code::InvalidFormat, &[]))
        }
        () => Ok(()),
    }
}

fn an_expiration<T>(text: &str, _: &T) -> garde::Result {
    if Expiration(text.to_owned()).meant().is_some() { Ok(()) } else { Err(fault(Code::InvalidDate, &[])) }
}

#[cfg(test)]
mod tests;
