//! API keys: created by admins, shown once, and invalid once revoked or expired
//! (docs/spec/integrations.md#api-keys: `ck_` and 32 random bytes, stored as a hash).

use chrono::{DateTime, NaiveDate, Utc};
use domain_kernel::{Code, Id, Integrator, KeyScope, SecretFormat, Today, Username, enumeration, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Default rate limit, in calls per minute.
const USUAL_RATE: u32 = 600;
/// Format of every key.
const FORMAT: SecretFormat = SecretFormat("ck_");

enumeration! {
    /// State of an API key.
    pub enum KeyState {
        Active = "ACTIVE" ("Activa", "Active"),
        Expired = "EXPIRED" ("Caducada", "Expired"),
        Revoked = "REVOKED" ("Revocada", "Revoked"),
    }
}

/// Request for an API key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(Today))]
pub struct NewKey {
    /// Purpose of the key, shown in histories.
    #[garde(length(chars, min = 1, max = 100))]
    pub name: String,
    /// Scopes of the key: at least one, without duplicates.
    #[garde(length(min = 1, max = 7), custom(unique))]
    pub scopes: Vec<KeyScope>,
    /// Last day of validity in the time zone of the service; null for no expiration.
    #[garde(custom(not_past))]
    pub expires_date: Option<NaiveDate>,
    /// Rate limit, in calls per minute.
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

/// A stored key, without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    pub id: Id,
    pub name: String,
    /// First characters of the key.
    pub hint: String,
    pub scopes: Vec<KeyScope>,
    /// Last day of validity.
    pub expires_date: Option<NaiveDate>,
    pub calls_per_minute: u32,
    pub created_by: Username,
    /// Admin who last decided to keep it.
    pub kept_by: Option<Username>,
    /// Whether the responsible user (who kept it, else who created it) is an active admin.
    pub has_active_owner: bool,
    pub created_date: DateTime<Utc>,
    pub revoked_date: Option<DateTime<Utc>>,
    /// Time of the last call.
    pub last_used_date: Option<DateTime<Utc>>,
    /// Number of calls.
    pub calls: i64,
    /// Number of calls refused by the rate limit.
    pub refused_calls: i64,
}

impl Key {
    /// State on this day.
    pub fn state(&self, today: Today) -> KeyState {
        if self.revoked_date.is_some() {
            KeyState::Revoked
        } else if self.expires_date.is_some_and(|day| day < today.0) {
            KeyState::Expired
        } else {
            KeyState::Active
        }
    }

    /// Whether an admin has to decide between keeping and revoking it: it is valid, and no active admin is
    /// responsible for it.
    pub fn needs_review(&self, today: Today) -> bool {
        self.state(today) == KeyState::Active && !self.has_active_owner
    }

    /// The program that calls with it.
    pub fn integrator(&self) -> Integrator {
        Integrator { key: self.id, name: self.name.clone(), scopes: self.scopes.clone() }
    }

    /// Text of a key made of random characters, and its hint.
    pub fn text_of(random: &str) -> (String, String) {
        FORMAT.text_of(random)
    }
}

/// Whether a text has the format of a key; others are not looked up.
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
    fn the_fields_of_a_new_key_are_bounded() {
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
