//! Reports as received and as stored (docs/spec/reports.md#fields).

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, Id, Username, Version};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{IssueContentType, Priority, ReportStatus, ReportType};

/// A report as received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct NewReport {
    /// Short description of the problem.
    #[garde(length(chars, min = 2, max = 200))]
    pub title: String,
    /// Long description of the problem.
    #[garde(inner(length(chars, max = 2000)))]
    #[schemars(length(max = 2000), extend("x-severalLines" = true))]
    pub description: Option<String>,
    /// Type of the content.
    #[garde(skip)]
    pub content_type: IssueContentType,
    /// Id of the existing content: channel, film, episode; for a trailer, its film.
    #[garde(inner(range(min = 1)))]
    #[schemars(range(min = 1))]
    pub content_id: Option<Id>,
    /// Title of the content, for programs without its id. With an id, the title in the catalogue.
    #[garde(inner(length(chars, max = 200)))]
    #[schemars(length(max = 200))]
    pub content: Option<String>,
    /// Type of the problem.
    #[garde(skip)]
    pub report_type: ReportType,
    /// Name of the reporter in the reporting program.
    #[garde(inner(length(chars, max = 100)))]
    #[schemars(length(max = 100))]
    pub reporter: Option<String>,
}

/// A stored report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Id of the report.
    pub id: Id,
    /// Number of changes, from 1; carried by the `ETag`.
    pub version: Version,
    /// Short description of the problem.
    pub title: String,
    /// Long description of the problem.
    pub description: Option<String>,
    /// Type of the content.
    pub content_type: IssueContentType,
    /// Id of the content, if known. The content may have been deleted.
    pub content_id: Option<Id>,
    /// Title of the content.
    pub content: Option<String>,
    /// Type of the problem.
    pub report_type: ReportType,
    /// Name of the reporter.
    pub reporter: Option<String>,
    /// Time of the report.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub reported_date: DateTime<Utc>,
    /// Time of the last change.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub updated_date: DateTime<Utc>,
    /// Status of the report.
    pub status: ReportStatus,
    /// Priority of the report.
    pub priority: Priority,
    /// User name of the assignee.
    pub assigned_to: Option<Username>,
    /// Notes of staff.
    pub notes: Option<String>,
    /// Id of the group of reports on the same item; null where the item is unknown.
    pub group_id: Option<Id>,
}

/// A report with the transitions of the requesting user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportSeen {
    /// Report.
    #[serde(flatten)]
    pub report: Report,
    /// Status transitions allowed to the requesting user.
    pub transitions: Vec<ReportStatus>,
}

/// Numbers of reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssueStats {
    /// Number of reports with status REPORTADO.
    pub reportados: u64,
    /// Number of reports with status EN_PROGRESO.
    pub en_progreso: u64,
    /// Number of reports with status RESUELTO or CERRADO.
    pub resueltos: u64,
    /// Number of all reports, including rejected ones.
    pub total: u64,
}

impl IssueStats {
    /// Sums of these counts.
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

/// Searchable text of a report in the list. Types by their labels in both languages.
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

/// Searchable text of a group.
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
