//! A visit: who came, when, from where, with what, and what for.

use std::net::IpAddr;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain_kernel::{Code, Id, enumeration, fault, for_each_kind};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far the clocks of those who report may be ahead.
const CLOCKS_DIFFER_BY: TimeDelta = TimeDelta::minutes(5);
/// How many days back a visit may be reported.
pub const LONGEST_LOOK_BACK: i64 = 31;
/// As many characters of a device's name are kept.
pub const LONGEST_DEVICE: usize = 300;

enumeration! {
    /// What somebody came for.
    pub enum VisitKind {
        /// They signed in.
        SignIn = "SIGN_IN" ("Inicio de sesión", "Sign-in"),
        /// They looked at something, or just came.
        Visit = "VISIT" ("Visita", "Visit"),
    }
}

macro_rules! watched_type {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal
        [$($code:literal $labels:tt played $views:tt reported $reports:tt watched($($variant:ident)?) $($rest:tt)*)?];)+) => {
        enumeration! {
            /// What somebody looked at.
            pub enum WatchedType {
                $($($($variant = $code $labels,)?)?)+
                /// Of a film.
                Trailer = "TRAILER" ("Tráiler", "Trailer"),
            }
        }
    };
}
for_each_kind!(watched_type);

/// What somebody looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct Watched {
    /// Of which type.
    #[garde(skip)]
    pub content_type: WatchedType,
    /// By its id, where it has one. It is not looked up: what was watched may be gone.
    #[garde(inner(range(min = 1)))]
    #[schemars(range(min = 1))]
    pub content_id: Option<Id>,
    /// By its title.
    #[garde(inner(length(chars, max = 200)))]
    #[schemars(length(max = 200))]
    pub title: Option<String>,
}

/// The moment at which a report is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisitTime(pub DateTime<Utc>);

/// A visit as it is reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(VisitTime))]
pub struct VisitReport {
    /// When; now, where it is left out. At most five minutes ahead, and not older than 31 days.
    #[garde(custom(within_reach))]
    pub occurred_at: Option<DateTime<Utc>>,
    /// What for.
    #[garde(skip)]
    pub kind: VisitKind,
    /// Who, in any spelling; nobody needs to be registered under that name.
    #[garde(length(chars, min = 1, max = 100))]
    pub username: String,
    /// From which address (IPv4 or IPv6).
    #[garde(custom(an_address))]
    #[schemars(length(max = 45))]
    pub address: Option<String>,
    /// With which device or program. The first 300 characters are kept.
    #[garde(inner(length(chars, max = 1000)))]
    #[schemars(length(max = 1000))]
    pub device: Option<String>,
    /// What they looked at.
    #[garde(dive(&()))]
    pub content: Option<Watched>,
}

/// Visits that are reported together: all of them are recorded, or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[garde(context(VisitTime))]
pub struct VisitBatch {
    /// The visits, 1 to 1000.
    #[garde(length(min = 1, max = 1000), dive)]
    pub visits: Vec<VisitReport>,
}

/// A visit that was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Visit {
    /// By which it is known.
    pub id: Id,
    /// When.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub occurred_at: DateTime<Utc>,
    /// What for.
    pub kind: VisitKind,
    /// Who, as it was reported.
    pub username: String,
    /// Their name at that time; null where nobody of that name was registered.
    pub full_name: Option<String>,
    /// Whether somebody of that name is registered now.
    pub registered: bool,
    /// From which address.
    pub address: Option<String>,
    /// With which device or program.
    pub device: Option<String>,
    /// What they looked at.
    pub content: Option<Watched>,
    /// Which program reported it, by its key's name; null for the panel's own sign-ins.
    pub source: Option<String>,
}

/// A device with which somebody came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeenDevice {
    /// The device or program, as it was reported.
    pub device: String,
    /// When it was seen last.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub last_seen: DateTime<Utc>,
    /// How many visits and sign-ins came from it.
    pub visits: u64,
}

/// How many came on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DayOfVisits {
    /// The day, where the service is.
    pub day: NaiveDate,
    /// Sign-ins.
    pub sign_ins: u64,
    /// Visits.
    pub visits: u64,
}

/// As much of a device's name as is kept.
pub fn kept_device(device: &str) -> String {
    device.chars().take(LONGEST_DEVICE).collect()
}

fn within_reach(at: &Option<DateTime<Utc>>, VisitTime(now): &VisitTime) -> garde::Result {
    let Some(at) = at else { return Ok(()) };
    let (oldest, newest) = (*now - TimeDelta::days(LONGEST_LOOK_BACK), *now + CLOCKS_DIFFER_BY);
    if *at > newest {
        return Err(fault(Code::TooLarge, &[("max", &newest.to_rfc3339())]));
    }
    if *at < oldest {
        return Err(fault(Code::TooSmall, &[("min", &oldest.to_rfc3339()), ("days", &LONGEST_LOOK_BACK)]));
    }
    Ok(())
}

fn an_address<T>(text: &Option<String>, _: &T) -> garde::Result {
    let fits = text.as_deref().is_none_or(|text| text.parse::<IpAddr>().is_ok());
    if fits { Ok(()) } else { Err(fault(Code::InvalidFormat, &[("example", &"203.0.113.7")])) }
}

#[cfg(test)]
mod tests {
    use domain_kernel::{DraftReader, Violations};
    use serde_json::{Value, json};

    use super::*;

    fn read(json: Value) -> Result<VisitBatch, Vec<(String, &'static str)>> {
        let now = VisitTime("2026-11-20T10:00:00Z".parse().unwrap());
        DraftReader::<VisitBatch>::new().read(json, &now).map(garde::Valid::into_inner).map_err(
            |Violations(found)| found.into_iter().map(|one| (one.field, one.code.as_str())).collect(),
        )
    }

    fn visit_with(field: &str, value: Value) -> Value {
        let mut visit = json!({"kind": "VISIT", "username": "ana"});
        visit[field] = value;
        json!({"visits": [visit]})
    }

    #[test]
    fn each_field_has_its_bounds_on_both_sides() {
        for (field, value) in [
            ("occurredAt", json!(null)),
            ("occurredAt", json!("2026-11-20T10:05:00Z")),
            ("occurredAt", json!("2026-10-20T12:00:00+02:00")),
            ("kind", json!("SIGN_IN")),
            ("username", json!("ñ".repeat(100))),
            ("address", json!("203.0.113.7")),
            ("address", json!("2001:db8::7")),
            ("device", json!("x".repeat(1000))),
            ("content", json!({"contentType": "MOVIE"})),
            ("content", json!({"contentType": "TV", "contentId": 1, "title": "ñ".repeat(200)})),
        ] {
            assert!(read(visit_with(field, value.clone())).is_ok(), "{field} {value}");
        }
        for (field, value, path, code) in [
            ("occurredAt", json!("2026-11-20T10:05:00.001Z"), "occurredAt", "TOO_LARGE"),
            ("occurredAt", json!("2026-10-20T09:59:59Z"), "occurredAt", "TOO_SMALL"),
            ("occurredAt", json!("yesterday"), "occurredAt", "INVALID_DATE"),
            ("kind", json!("LOGIN"), "kind", "UNKNOWN_VALUE"),
            ("username", json!(" "), "username", "REQUIRED"),
            ("username", json!("ñ".repeat(101)), "username", "TOO_LONG"),
            ("address", json!("home"), "address", "INVALID_FORMAT"),
            ("device", json!("x".repeat(1001)), "device", "TOO_LONG"),
            ("device", json!("a\u{0}"), "device", "CONTROL_CHARACTERS"),
            ("content", json!({"title": "x"}), "content.contentType", "REQUIRED"),
            ("content", json!({"contentType": "TV", "contentId": 0}), "content.contentId", "TOO_SMALL"),
            ("colour", json!("red"), "colour", "UNKNOWN_FIELD"),
        ] {
            let found = read(visit_with(field, value.clone()));
            assert_eq!(found, Err(vec![(format!("visits[0].{path}"), code)]), "{field} {value}");
        }
    }

    #[test]
    fn a_batch_has_one_to_a_thousand_visits_and_reports_every_fault_by_its_place() {
        let many = |count| json!({"visits": vec![json!({"kind": "VISIT", "username": "ana"}); count]});
        assert!(read(many(1)).is_ok() && read(many(1000)).is_ok());
        assert_eq!(read(many(0)), Err(vec![("visits".into(), "TOO_FEW")]));
        assert_eq!(read(many(1001)), Err(vec![("visits".into(), "TOO_MANY")]));
        let two = json!({"visits": [
            {"kind": "VISIT", "username": "ana"}, {"kind": "VISIT"}, {"kind": "X", "username": "ana", "address": "y"},
        ]});
        let mut found = read(two).unwrap_err();
        found.sort();
        assert_eq!(
            found,
            [
                ("visits[1].username".to_owned(), "REQUIRED"),
                ("visits[2].address".to_owned(), "INVALID_FORMAT"),
                ("visits[2].kind".to_owned(), "UNKNOWN_VALUE"),
            ]
        );
    }

    #[test]
    fn a_long_device_is_cut_between_characters() {
        assert_eq!(kept_device(&"ñ".repeat(301)).chars().count(), 300);
        assert_eq!(kept_device("TV"), "TV");
    }
}
