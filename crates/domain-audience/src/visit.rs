//! Visits: user, time, address, device and target.

use std::net::IpAddr;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain_kernel::{Code, Id, enumeration, fault, for_each_kind};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum clock skew of reporting programs.
const CLOCKS_DIFFER_BY: TimeDelta = TimeDelta::minutes(5);
/// Maximum age of a reported visit, in days.
pub const LONGEST_LOOK_BACK: i64 = 31;
/// Stored length of a device name, in characters.
pub const LONGEST_DEVICE: usize = 300;

enumeration! {
    /// Type of a visit.
    pub enum VisitKind {
        /// A sign-in.
        SignIn = "SIGN_IN" ("Inicio de sesión", "Sign-in"),
        /// Any other visit.
        Visit = "VISIT" ("Visita", "Visit"),
    }
}

macro_rules! watched_type {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal
        [$($code:literal $labels:tt played $views:tt reported $reports:tt watched($($variant:ident)?) $($rest:tt)*)?];)+) => {
        enumeration! {
            /// Type of the target of a visit.
            pub enum WatchedType {
                $($($($variant = $code $labels,)?)?)+
                /// Trailer of a film.
                Trailer = "TRAILER" ("Tráiler", "Trailer"),
            }
        }
    };
}
for_each_kind!(watched_type);

/// Target of a visit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct Watched {
    /// Type of the target.
    #[garde(skip)]
    pub content_type: WatchedType,
    /// Id of the target, where it has one. Not checked: the target may have been deleted.
    #[garde(inner(range(min = 1)))]
    #[schemars(range(min = 1))]
    pub content_id: Option<Id>,
    /// Title of the target.
    #[garde(inner(length(chars, max = 200)))]
    #[schemars(length(max = 200))]
    pub title: Option<String>,
}

/// Reference time for the validation of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisitTime(pub DateTime<Utc>);

/// A visit as reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(VisitTime))]
pub struct VisitReport {
    /// Time of the visit; now if omitted. At most five minutes ahead, and at most 31 days ago.
    #[garde(custom(within_reach))]
    pub occurred_at: Option<DateTime<Utc>>,
    /// Type of the visit.
    #[garde(skip)]
    pub kind: VisitKind,
    /// User name, in any case; need not be registered.
    #[garde(length(chars, min = 1, max = 100))]
    pub username: String,
    /// IP address (IPv4 or IPv6).
    #[garde(custom(an_address))]
    #[schemars(length(max = 45))]
    pub address: Option<String>,
    /// Device or program. The first 300 characters are stored.
    #[garde(inner(length(chars, max = 1000)))]
    #[schemars(length(max = 1000))]
    pub device: Option<String>,
    /// Target of the visit.
    #[garde(dive(&()))]
    pub content: Option<Watched>,
}

/// A batch of visits: all of them are recorded, or none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[garde(context(VisitTime))]
pub struct VisitBatch {
    /// The visits, 1 to 1000.
    #[garde(length(min = 1, max = 1000), dive)]
    pub visits: Vec<VisitReport>,
}

/// A recorded visit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Visit {
    /// Id of the visit.
    pub id: Id,
    /// Time of the visit.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub occurred_at: DateTime<Utc>,
    /// Type of the visit.
    pub kind: VisitKind,
    /// User name as reported.
    pub username: String,
    /// Full name at the time of the visit; null where no user of that name was registered.
    pub full_name: Option<String>,
    /// Whether a user of that name is registered now.
    pub registered: bool,
    /// IP address.
    pub address: Option<String>,
    /// Device or program.
    pub device: Option<String>,
    /// Target of the visit.
    pub content: Option<Watched>,
    /// Name of the reporting API key; null for sign-ins to the panel.
    pub source: Option<String>,
}

/// A device of a user's visits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeenDevice {
    /// Device or program as reported.
    pub device: String,
    /// Time of the last visit.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub last_seen: DateTime<Utc>,
    /// Number of visits and sign-ins.
    pub visits: u64,
}

/// Numbers of visits on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DayOfVisits {
    /// Day in the time zone of the service.
    pub day: NaiveDate,
    /// Number of sign-ins.
    pub sign_ins: u64,
    /// Number of visits.
    pub visits: u64,
}

/// Stored part of a device name.
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
