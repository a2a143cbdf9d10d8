//! List parameters of reports: several statuses, names of staff, and those of every list.

use domain_issues::{IssueContentType, Priority, ReportStatus, ReportType};
use domain_kernel::{Code, Enumeration, FilterKind, FilterValue, ListQuery, Username, Violation, Violations};
use ports::IssueFilter;
use serde_json::{Value, json};

use crate::{
    Calendar, ListShape,
    listing::{read_dated_query, second_value, second_values},
};

/// List parameters. `status` accepts several values, and `assignedTo` user names: both are read
/// here.
pub(crate) fn report_list_shape() -> ListShape {
    ListShape {
        page_size: 10,
        sorts: vec![
            "id",
            "reportedDate",
            "title",
            "contentType",
            "reportType",
            "status",
            "priority",
            "assignedTo",
            "updatedDate",
        ],
        filters: &[
            ("status", FilterKind::Code(ReportStatus::CODES)),
            ("contentType", FilterKind::Code(IssueContentType::CODES)),
            ("reportType", FilterKind::Code(ReportType::CODES)),
            ("priority", FilterKind::Code(Priority::CODES)),
            ("unassigned", FilterKind::Flag),
            ("group", FilterKind::Reference),
            ("reportedDateFrom", FilterKind::Moment),
            ("reportedDateTo", FilterKind::Moment),
        ],
    }
}

/// A request for the list of reports.
pub(crate) fn read_report_list(
    calendar: &Calendar,
    pairs: &[(String, String)],
) -> Result<(IssueFilter, ListQuery), Violations> {
    let mut filter = IssueFilter::default();
    let mut violations = Vec::new();
    let mut rest = Vec::with_capacity(pairs.len());
    for (name, value) in pairs {
        match name.as_str() {
            "status" => match statuses(value) {
                Some(statuses) if statuses.is_empty() || statuses == filter.statuses => {}
                Some(statuses) if filter.statuses.is_empty() => filter.statuses = statuses,
                Some(_) => violations.push(second_value("status")),
                None => violations.push(
                    Violation::new("status", Code::UnknownValue).with("allowed", json!(ReportStatus::CODES)),
                ),
            },
            "assignedTo" if value.is_empty() => {}
            "assignedTo" => match Username::parse(value) {
                Some(username) => match &filter.assigned_to {
                    Some(Some(known)) if *known != username => violations.push(second_value("assignedTo")),
                    _ => filter.assigned_to = Some(Some(username)),
                },
                None => violations.push(Violation::new("assignedTo", Code::UnknownReference)),
            },
            _ => rest.push((name.clone(), value.clone())),
        }
    }
    match read_dated_query(calendar, &report_list_shape(), &rest) {
        Ok(mut query) => {
            violations.extend(second_values(&query));
            violations.extend(take_filters(&mut filter, &mut query));
            if violations.is_empty() { Ok((filter, query)) } else { Err(Violations(violations)) }
        }
        Err(Violations(more)) => {
            violations.extend(more.into_iter().map(|mut violation| {
                if violation.code == Code::UnknownFilter
                    && let Some(Value::Array(allowed)) = violation.arguments.get_mut("allowed")
                {
                    allowed.push(json!("assignedTo"));
                }
                violation
            }));
            Err(Violations(violations))
        }
    }
}

/// Comma-separated values without blank ones.
fn statuses(text: &str) -> Option<Vec<ReportStatus>> {
    let codes = text.split(',').map(str::trim).filter(|code| !code.is_empty());
    let mut statuses: Vec<ReportStatus> = codes.map(ReportStatus::from_code).collect::<Option<_>>()?;
    statuses.sort_unstable();
    statuses.dedup();
    Some(statuses)
}

/// Returns filters that contradict the name of an assignee.
fn take_filters(filter: &mut IssueFilter, query: &mut ListQuery) -> Option<Violation> {
    let mut violation = None;
    for one in std::mem::take(&mut query.filters) {
        match (one.field.as_str(), one.value) {
            ("contentType", FilterValue::Code(code)) => {
                filter.content_type = IssueContentType::from_code(code);
            }
            ("reportType", FilterValue::Code(code)) => filter.report_type = ReportType::from_code(code),
            ("priority", FilterValue::Code(code)) => filter.priority = Priority::from_code(code),
            ("group", FilterValue::Reference(id)) => filter.group = Some(id),
            ("reportedDateFrom", FilterValue::Moment(from)) => filter.reported_from = Some(from),
            ("reportedDateTo", FilterValue::Moment(to)) => filter.reported_to = Some(to),
            ("unassigned", FilterValue::Flag(true)) if filter.assigned_to.is_some() => {
                let fault = Violation::new("unassigned", Code::UnknownValue);
                violation = Some(fault.with("allowed", vec!["false"]));
            }
            ("unassigned", FilterValue::Flag(true)) => filter.assigned_to = Some(None),
            _ => {}
        }
    }
    violation
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ports::MockClock;

    use super::*;

    fn filter_of(pairs: &[(&str, &str)]) -> Result<IssueFilter, Vec<(String, &'static str)>> {
        let pairs: Vec<_> = pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let calendar = Calendar::new(Arc::new(MockClock::new()), chrono_tz::Europe::Madrid);
        read_report_list(&calendar, &pairs)
            .map(|(filter, _)| filter)
            .map_err(|Violations(all)| all.into_iter().map(|one| (one.field, one.code.as_str())).collect())
    }

    #[test]
    fn filters_are_read_and_a_status_may_be_several() {
        use ReportStatus::{InProgress, Reported};
        let filter = filter_of(&[
            ("status", "EN_PROGRESO, REPORTADO,REPORTADO"),
            ("contentType", "TV"),
            ("reportType", "AUDIO"),
            ("priority", "HIGH"),
            ("assignedTo", "Ana_1"),
            ("group", "7"),
        ])
        .unwrap();
        assert_eq!(filter.statuses, [Reported, InProgress]);
        assert_eq!(
            (filter.content_type, filter.report_type),
            (Some(IssueContentType::Tv), Some(ReportType::Audio))
        );
        assert_eq!((filter.priority, filter.group), (Some(Priority::High), Some(7)));
        assert_eq!(filter.assigned_to, Some(Username::parse("ana_1")));
        assert_eq!(filter_of(&[("unassigned", "true")]).unwrap().assigned_to, Some(None));
        let days = [("reportedDateFrom", "2026-11-20"), ("reportedDateTo", "2026-11-20")];
        let of_day = filter_of(&days).unwrap();
        assert_eq!(of_day.reported_from, "2026-11-19T23:00:00Z".parse().ok());
        assert_eq!(of_day.reported_to, "2026-11-20T23:00:00Z".parse().ok(), "the day is included");
        let blank = [("status", ""), ("assignedTo", ""), ("priority", ""), ("unassigned", "false")];
        assert_eq!(filter_of(&blank), Ok(IssueFilter::default()));
    }

    #[test]
    fn contradictory_filters_are_refused() {
        for (pairs, field, code) in [
            ([("contentType", "TV"), ("contentType", "MOVIE")], "contentType", "TOO_MANY"),
            ([("priority", "HIGH"), ("priority", "LOW")], "priority", "TOO_MANY"),
            ([("group", "7"), ("group", "8")], "group", "TOO_MANY"),
            ([("status", "REPORTADO"), ("status", "RESUELTO,CERRADO")], "status", "TOO_MANY"),
            ([("assignedTo", "ana_1"), ("assignedTo", "eva_1")], "assignedTo", "TOO_MANY"),
            ([("unassigned", "true"), ("assignedTo", "ana_1")], "unassigned", "UNKNOWN_VALUE"),
        ] {
            assert_eq!(filter_of(&pairs), Err(vec![(field.to_owned(), code)]), "{pairs:?}");
        }
        let again =
            [("priority", "HIGH"), ("priority", "HIGH"), ("assignedTo", "ana_1"), ("assignedTo", "ANA_1")];
        assert!(filter_of(&again).is_ok(), "a repeated value counts once");
        let blank =
            [("status", "REPORTADO"), ("status", ""), ("unassigned", "false"), ("assignedTo", "ana_1")];
        assert_eq!(filter_of(&blank).unwrap().statuses, [ReportStatus::Reported]);
    }

    #[test]
    fn all_violations_of_a_list_are_reported_at_once() {
        let wrong = [
            ("status", "REPORTADO,DONE"),
            ("assignedTo", "ñ"),
            ("priority", "9"),
            ("color", "red"),
            ("_size", "0"),
        ];
        let mut found = filter_of(&wrong).unwrap_err();
        found.sort();
        let found: Vec<_> = found.iter().map(|(field, code)| (field.as_str(), *code)).collect();
        assert_eq!(
            found,
            [
                ("_size", "TOO_SMALL"),
                ("assignedTo", "UNKNOWN_REFERENCE"),
                ("color", "UNKNOWN_FILTER"),
                ("priority", "UNKNOWN_VALUE"),
                ("status", "UNKNOWN_VALUE"),
            ]
        );
    }
}
