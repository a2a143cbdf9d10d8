//! Changes by staff of a report (docs/spec/reports.md).

use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Priority, ReportStatus};

/// New values of the changeable fields of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-readOnly" = ["reportedDate", "transitions", "item", "history", "groupId"]))]
pub struct ReportChange {
    /// Status of the report.
    #[garde(skip)]
    pub status: ReportStatus,
    /// Notes of staff.
    #[garde(inner(length(chars, max = 2000)))]
    #[schemars(length(max = 2000), extend("x-severalLines" = true))]
    pub notes: Option<String>,
    /// User name of the assignee, a member of staff with permission for reports.
    #[garde(skip)]
    pub assigned_to: Option<String>,
    /// Priority of the report.
    #[garde(skip)]
    pub priority: Priority,
}

/// Partial change of a report: omitted fields are unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct ReportPatch {
    /// New status.
    #[garde(skip)]
    pub status: Option<ReportStatus>,
    /// Notes of staff; null removes them.
    #[garde(inner(length(chars, max = 2000)))]
    #[schemars(length(max = 2000), extend("x-severalLines" = true))]
    pub notes: Option<String>,
    /// User name of the assignee, a member of staff with permission for reports; null for none.
    #[garde(skip)]
    pub assigned_to: Option<String>,
    /// Priority of the report.
    #[garde(skip)]
    pub priority: Option<Priority>,
}

#[cfg(test)]
mod tests {
    use domain_kernel::{DraftReader, Violations};
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_change_has_all_its_violations_and_accepts_read_only_fields() {
        let reader = DraftReader::<ReportChange>::new();
        let good = json!({"status": "RESUELTO", "notes": " a\nb ", "assignedTo": null, "priority": "HIGH"});
        let change = reader.read(good, &()).unwrap().into_inner();
        assert_eq!((change.notes.as_deref(), change.assigned_to), (Some("a\nb"), None));
        let bad = json!({"notes": "x".repeat(2001), "status": null, "priority": "URGENT", "reportedDate": "x", "color": 1});
        let Violations(mut all) = reader.read(bad, &()).unwrap_err();
        all.sort_by(|a, b| a.field.cmp(&b.field));
        let found: Vec<_> = all.iter().map(|one| (one.field.as_str(), one.code.as_str())).collect();
        assert_eq!(
            found,
            [
                ("color", "UNKNOWN_FIELD"),
                ("notes", "TOO_LONG"),
                ("priority", "UNKNOWN_VALUE"),
                ("status", "REQUIRED")
            ]
        );
    }

    #[test]
    fn a_partial_change_may_leave_everything_out() {
        let read =
            |json: Value| DraftReader::<ReportPatch>::new().read(json, &()).map(garde::Valid::into_inner);
        let nothing = ReportPatch { status: None, notes: None, assigned_to: None, priority: None };
        assert_eq!(read(json!({})).unwrap(), nothing);
        assert_eq!(read(json!({"status": "CERRADO"})).unwrap().status, Some(ReportStatus::Closed));
        assert!(read(json!({"status": "DONE"})).is_err());
    }
}
