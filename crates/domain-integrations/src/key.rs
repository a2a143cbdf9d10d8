//! The keys that programs call with: made by admins, shown once, and worth nothing once they are revoked or past their
//! day (docs/spec/integrations.md#api-keys: `ck_` and 32 random bytes, kept as a hash).

use chrono::{DateTime, NaiveDate, Utc};
use domain_kernel::{Code, Id, Integrator, KeyScope, SecretFormat, Today, Username, enumeration, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Calls a minute, unless an admin says otherwise.
const USUAL_RATE: u32 = 600;
/// What every key looks like.
const FORMAT: SecretFormat = SecretFormat("ck_");

enumeration! {
    /// Whether a key opens anything.
    pub enum KeyState {
        Active = "ACTIVE" ("Activa", "Active"),
        Expired = "EXPIRED" ("Caducada", "Expired"),
        Revoked = "REVOKED" ("Revocada", "Revoked"),
    }
}

/// A key as an admin requests it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(Today))]
pub struct NewKey {
    /// What it is for, in the histories that it writes.
    #[garde(length(chars, min = 1, max = 100))]
    pub name: String,
    /// What it may be used for: at least one, none twice.
    #[garde(length(min = 1, max = 7), custom(unique))]
    pub scopes: Vec<KeyScope>,
    /// The last day on which it works, where the service is; null for no last day.
    #[garde(custom(not_past))]
    pub expires_date: Option<NaiveDate>,
    /// Calls that it may make in a minute.
    #[garde(range(min = 1, max = 60_000))]
    #[serde(default = "usual_rate")]
    pub calls_per_minute: u32,
}

fn usual_rate() -> u32 {
    USUAL_RATE
}

fn unique(scopes: &[KeyScope], _: &Today) -> garde::Result {
    let twice = scopes.iter().enumerate().any(|(index, scope)| scopes[..index].contains(scope));
    if twice { Err(fault(Code::Duplicate, &[])) } else { Ok(()) }
}

fn not_past(day: &Option<NaiveDate>, today: &Today) -> garde::Result {
    if day.is_some_and(|day| day < today.0) { Err(fault(Code::PastDate, &[])) } else { Ok(()) }
}

/// A key as it is known afterwards: everything but itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// By which it is addressed.
    pub id: Id,
    /// What it is for.
    pub name: String,
    /// Its first characters, to know it by.
    pub hint: String,
    /// What it may be used for.
    pub scopes: Vec<KeyScope>,
    /// The last day on which it works.
    pub expires_date: Option<NaiveDate>,
    /// Calls that it may make in a minute.
    pub calls_per_minute: u32,
    /// Who made it.
    pub created_by: Username,
    /// The admin who last decided to keep it.
    pub kept_by: Option<Username>,
    /// Whether the admin who answers for it (who kept it, else who made it) still is an active admin.
    pub has_active_owner: bool,
    /// When it was made.
    pub created_date: DateTime<Utc>,
    /// When it was revoked.
    pub revoked_date: Option<DateTime<Utc>>,
    /// When it last called.
    pub last_used_date: Option<DateTime<Utc>>,
    /// How often it called.
    pub calls: i64,
    /// How often it was sent away because it called too often.
    pub refused_calls: i64,
}

impl Key {
    /// Whether it opens anything today.
    pub fn state(&self, today: Today) -> KeyState {
        if self.revoked_date.is_some() {
            KeyState::Revoked
        } else if self.expires_date.is_some_and(|day| day < today.0) {
            KeyState::Expired
        } else {
            KeyState::Active
        }
    }

    /// Whether an admin has to choose between keeping and revoking it: it works, and nobody answers for it any more.
    pub fn needs_review(&self, today: Today) -> bool {
        self.state(today) == KeyState::Active && !self.has_active_owner
    }

    /// Whoever calls with it.
    pub fn integrator(&self) -> Integrator {
        Integrator { key: self.id, name: self.name.clone(), scopes: self.scopes.clone() }
    }

    /// A key's text out of what was drawn at random, and what of it may be shown later.
    pub fn text_of(random: &str) -> (String, String) {
        FORMAT.text_of(random)
    }
}

/// Whether a text could be a key at all: what could not is not looked up.
pub fn reads_as_key(text: &str) -> bool {
    FORMAT.reads(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn key(expires: Option<&str>, revoked: bool) -> Key {
        Key {
            id: 1,
            name: "TV".into(),
            hint: "ck_abcde".into(),
            scopes: vec![KeyScope::CatalogueRead],
            expires_date: expires.map(day),
            calls_per_minute: 600,
            created_by: Username::parse("admin").unwrap(),
            kept_by: None,
            has_active_owner: true,
            created_date: DateTime::UNIX_EPOCH,
            revoked_date: revoked.then_some(DateTime::UNIX_EPOCH),
            last_used_date: None,
            calls: 0,
            refused_calls: 0,
        }
    }

    #[test]
    fn a_key_works_through_its_last_day_and_never_once_revoked() {
        let today = Today(day("2026-11-21"));
        for (expires, revoked, state) in [
            (None, false, KeyState::Active),
            (Some("2026-11-21"), false, KeyState::Active),
            (Some("2026-11-20"), false, KeyState::Expired),
            (Some("2026-11-20"), true, KeyState::Revoked),
            (None, true, KeyState::Revoked),
        ] {
            assert_eq!(key(expires, revoked).state(today), state, "{expires:?} {revoked}");
            let orphan = Key { has_active_owner: false, ..key(expires, revoked) };
            assert_eq!(orphan.needs_review(today), state == KeyState::Active);
            assert!(!key(expires, revoked).needs_review(today));
        }
    }

    #[test]
    fn what_a_new_key_requests_is_bounded() {
        let today = Today(day("2026-11-21"));
        let good = NewKey {
            name: "TV".into(),
            scopes: vec![KeyScope::CatalogueRead, KeyScope::ViewsCount],
            expires_date: Some(day("2026-11-21")),
            calls_per_minute: 1,
        };
        assert!(domain_kernel::checked(good.clone(), &today).is_ok());
        let codes = |draft: NewKey| -> Vec<(String, &str)> {
            let found = domain_kernel::checked(draft, &today).unwrap_err().0;
            found.into_iter().map(|one| (one.field, one.code.as_str())).collect()
        };
        let broken = NewKey {
            name: String::new(),
            scopes: vec![],
            expires_date: Some(day("2026-11-20")),
            calls_per_minute: 60_001,
        };
        let mut found = codes(broken);
        found.sort();
        let expected = [
            ("callsPerMinute", "TOO_LARGE"),
            ("expiresDate", "PAST_DATE"),
            ("name", "TOO_SHORT"),
            ("scopes", "TOO_SHORT"),
        ];
        assert_eq!(found, expected.map(|(field, code)| (field.to_owned(), code)));
        let twice = NewKey { scopes: vec![KeyScope::Export, KeyScope::Export], ..good };
        assert_eq!(codes(twice), [("scopes".to_owned(), "DUPLICATE")]);
    }
}
