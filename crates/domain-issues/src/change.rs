//! What staff may change of a report, and of all open reports on one item (docs/spec/reports.md).

use domain_kernel::Username;
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Priority, ReportStatus};

/// What of a report can be changed, as it is to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-readOnly" = ["reportedDate", "transitions", "item", "history", "groupId"]))]
pub struct ReportChange {
    /// Where it stands.
    #[garde(skip)]
    pub status: ReportStatus,
    /// What staff write about it.
    #[garde(inner(length(chars, max = 2000)))]
    #[schemars(length(max = 2000), extend("x-severalLines" = true))]
    pub notes: Option<String>,
    /// Who it is assigned to: somebody of the staff who may see reports.
    #[garde(skip)]
    pub assigned_to: Option<String>,
    /// How much it matters.
    #[garde(skip)]
    pub priority: Priority,
}

/// Changes as they are sent, of one report or of all open ones on one item: what is left out stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct ReportPatch {
    /// Where it stands from now on.
    #[garde(skip)]
    pub status: Option<ReportStatus>,
    /// What staff write about it; null takes out what is there.
    #[garde(inner(length(chars, max = 2000)))]
    #[schemars(length(max = 2000), extend("x-severalLines" = true))]
    pub notes: Option<String>,
    /// Who it is assigned to, somebody of the staff who may see reports; null for nobody.
    #[garde(skip)]
    pub assigned_to: Option<String>,
    /// How much it matters.
    #[garde(skip)]
    pub priority: Option<Priority>,
}

/// A group's change, checked: of each field whether it changes, and into what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupChange {
    /// Where they stand from now on.
    pub status: Option<ReportStatus>,
    /// What staff write about them.
    pub notes: Option<Option<String>>,
    /// Who sees to them.
    pub assigned_to: Option<Option<Username>>,
    /// Who sees to those of them that are in progress and would have nobody.
    pub stand_in: Option<Username>,
    /// How much they matter.
    pub priority: Option<Priority>,
}

#[cfg(test)]
mod tests {
    use domain_kernel::{DraftReader, Violations};
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_change_is_whole_and_what_was_read_can_be_sent_back() {
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
    fn a_groups_change_may_leave_everything_out() {
        let read =
            |json: Value| DraftReader::<ReportPatch>::new().read(json, &()).map(garde::Valid::into_inner);
        let nothing = ReportPatch { status: None, notes: None, assigned_to: None, priority: None };
        assert_eq!(read(json!({})).unwrap(), nothing);
        assert_eq!(read(json!({"status": "CERRADO"})).unwrap().status, Some(ReportStatus::Closed));
        assert!(read(json!({"status": "DONE"})).is_err());
    }
}
