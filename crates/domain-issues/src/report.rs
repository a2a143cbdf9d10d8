//! A report as it comes in, and as it is kept (docs/spec/reports.md#fields).

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Id, Username, Version};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{IssueContentType, Priority, ReportStatus, ReportType};

/// A report as it comes in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct NewReport {
    /// What is wrong, in a few words.
    #[garde(length(chars, min = 2, max = 200))]
    pub title: String,
    /// What is wrong, in as many words as it takes.
    #[garde(inner(length(chars, max = 2000)))]
    #[schemars(length(max = 2000), extend("x-severalLines" = true))]
    pub description: Option<String>,
    /// What it is about.
    #[garde(skip)]
    pub content_type: IssueContentType,
    /// The id of what it is about: of the channel, the film, the episode; of a trailer, its film. It must exist.
    #[garde(inner(range(min = 1)))]
    #[schemars(range(min = 1))]
    pub content_id: Option<Id>,
    /// What viewers call it, for those who know no id. With an id, the title that it has here.
    #[garde(inner(length(chars, max = 200)))]
    #[schemars(length(max = 200))]
    pub content: Option<String>,
    /// What kind of trouble it is.
    #[garde(skip)]
    pub report_type: ReportType,
    /// Who complained, as the reporting program knows them.
    #[garde(inner(length(chars, max = 100)))]
    #[schemars(length(max = 100))]
    pub reporter: Option<String>,
}

/// A report as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Its id.
    pub id: Id,
    /// Counts its changes from 1; the `ETag` carries it.
    pub version: Version,
    /// What is wrong, in a few words.
    pub title: String,
    /// What is wrong, in as many words as it took.
    pub description: Option<String>,
    /// What it is about.
    pub content_type: IssueContentType,
    /// The id of what it is about, where that is known. It may be gone by now.
    pub content_id: Option<Id>,
    /// What it is about, by name.
    pub content: Option<String>,
    /// What kind of trouble it is.
    pub report_type: ReportType,
    /// Who complained.
    pub reporter: Option<String>,
    /// When it came.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub reported_date: DateTime<Utc>,
    /// When it was last changed.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub updated_date: DateTime<Utc>,
    /// Where it stands.
    pub status: ReportStatus,
    /// How much it matters.
    pub priority: Priority,
    /// Who it is assigned to.
    pub assigned_to: Option<Username>,
    /// What staff wrote about it.
    pub notes: Option<String>,
    /// The reports on the same item; null where nobody knows what it is about.
    pub group_id: Option<Id>,
}

/// A report as somebody sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportSeen {
    /// The report.
    #[serde(flatten)]
    pub report: Report,
    /// Where whoever asks may take it from here.
    pub transitions: Vec<ReportStatus>,
}

/// Somebody whom reports can be assigned to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Assignee")]
pub struct UserRef {
    /// Their public id.
    pub username: Username,
    /// The full name.
    pub full_name: String,
}

/// How many reports there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssueStats {
    /// REPORTADO.
    pub reportados: u64,
    /// EN_PROGRESO.
    pub en_progreso: u64,
    /// RESUELTO and CERRADO.
    pub resueltos: u64,
    /// All of them, the rejected too.
    pub total: u64,
}

impl IssueStats {
    /// The stats of these counts.
    pub fn of(counts: impl IntoIterator<Item = (ReportStatus, u64)>) -> Self {
        let mut stats = Self::default();
        for (status, count) in counts {
            stats.total += count;
            match status {
                ReportStatus::Reported => stats.reportados += count,
                ReportStatus::InProgress => stats.en_progreso += count,
                ReportStatus::Resolved | ReportStatus::Closed => stats.resueltos += count,
                ReportStatus::Rejected => {}
            }
        }
        stats
    }
}

/// What a user sees of a report in the list: what the search looks in. Types by their names in both languages.
pub fn search_text(
    title: &str,
    content: Option<&str>,
    description: Option<&str>,
    content_type: IssueContentType,
    report_type: ReportType,
) -> String {
    let (about, trouble) = (content_type.labels(), report_type.labels());
    let types = [about.spanish, about.english, trouble.spanish, trouble.english];
    [title, content.unwrap_or_default(), description.unwrap_or_default()]
        .into_iter()
        .chain(types)
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The same of a group.
pub fn seen_in_group(title: &str, content_type: IssueContentType) -> String {
    let about = content_type.labels();
    [title, about.spanish, about.english].join("\n")
}

#[cfg(test)]
mod tests {
    use domain_kernel::{DraftReader, Violations};
    use serde_json::{Value, json};

    use super::*;

    fn broken(changes: Value) -> Vec<(String, &'static str)> {
        let mut draft = json!({"title": "No carga", "contentType": "MOVIE", "reportType": "NOT_LOADING"});
        for (name, value) in changes.as_object().unwrap() {
            draft[name] = value.clone();
        }
        match DraftReader::<NewReport>::new().read(draft, &()) {
            Ok(_) => Vec::new(),
            Err(Violations(all)) => all.into_iter().map(|one| (one.field, one.code.as_str())).collect(),
        }
    }

    #[test]
    fn every_field_keeps_its_bounds_on_both_sides() {
        let long = |length: usize| Value::from("ñ".repeat(length));
        for (field, good, bad) in [
            (
                "title",
                vec![long(2), long(200)],
                vec![
                    (long(1), "TOO_SHORT"),
                    (long(201), "TOO_LONG"),
                    (json!(" "), "REQUIRED"),
                    (json!(null), "REQUIRED"),
                ],
            ),
            (
                "description",
                vec![json!(null), json!(""), json!("a\nb"), long(2000)],
                vec![(long(2001), "TOO_LONG")],
            ),
            (
                "contentType",
                vec![json!("TRAILER")],
                vec![(json!("PODCAST"), "UNKNOWN_VALUE"), (json!(null), "REQUIRED")],
            ),
            (
                "contentId",
                vec![json!(null), json!(1)],
                vec![(json!(0), "TOO_SMALL"), (json!(-1), "TOO_SMALL"), (json!("1"), "WRONG_TYPE")],
            ),
            (
                "content",
                vec![json!(null), long(200)],
                vec![(long(201), "TOO_LONG"), (json!("a\nb"), "CONTROL_CHARACTERS")],
            ),
            ("reportType", vec![json!("OTHER")], vec![(json!("SMELL"), "UNKNOWN_VALUE")]),
            ("reporter", vec![json!(null), long(100)], vec![(long(101), "TOO_LONG")]),
        ] {
            for value in good {
                assert_eq!(broken(json!({field: value})), [], "{field} {value}");
            }
            for (value, code) in bad {
                assert_eq!(broken(json!({field: value})), [(field.to_owned(), code)], "{field} {value}");
            }
        }
        assert_eq!(broken(json!({"status": "RESUELTO"})), [("status".to_owned(), "UNKNOWN_FIELD")]);
    }

    #[test]
    fn resolved_and_closed_are_repaired_and_the_rejected_only_count_in_all() {
        use ReportStatus as S;
        let counts =
            [(S::Reported, 9), (S::InProgress, 3), (S::Resolved, 6), (S::Closed, 1), (S::Rejected, 2)];
        let stats = IssueStats { reportados: 9, en_progreso: 3, resueltos: 7, total: 21 };
        assert_eq!(IssueStats::of(counts), stats);
    }

    #[test]
    fn the_search_looks_in_what_the_list_shows() {
        let seen = search_text("No carga", Some("Dune"), None, IssueContentType::Movie, ReportType::Audio);
        assert_eq!(seen, "No carga\nDune\nPelícula\nMovie\nAudio\nAudio");
    }
}
