//! Audit entries of changes and deletions of reports. How a report came is in its own history.

use chrono::{DateTime, Utc};
use domain_audit::AuditAction;
use domain_issues::{Author, AuthorKind, Report};
use domain_kernel::{Enumeration, FieldDiff, Id, Username, Version, difference};
use ports::{Edit, ReportState};
use serde_json::{Map, Value, json};

use crate::audit::Record;

/// The edit of an author. The log has user names only, as an actor.
pub(super) fn edit_by(author: &Author, now: DateTime<Utc>) -> Edit {
    let by = match author.kind {
        AuthorKind::Staff => Username::parse(&author.name),
        AuthorKind::Key | AuthorKind::Import | AuthorKind::Server => None,
    };
    Edit { by, at: now, origin: author.origin }
}

/// The record of a change of a report.
pub(super) fn record_of_change(from: &Report, to: &ReportState) -> Record {
    let before = fields(
        from.status.code(),
        from.priority.code(),
        from.assigned_to.as_ref().map(Username::as_str),
        from.notes.as_deref(),
    );
    let after = fields(
        to.status.code(),
        to.priority.code(),
        to.assigned_to.as_ref().map(Username::as_str),
        to.notes.as_deref(),
    );
    record(from.id, from.title.clone(), from.version + 1, difference(&before, &after))
}

/// The record of a deletion, with all that the report had: it cannot be restored.
pub(super) fn record_of_deletion(gone: &Report) -> Record {
    let fields = json!({
        "description": gone.description,
        "contentType": gone.content_type.code(),
        "contentId": gone.content_id,
        "content": gone.content,
        "reportType": gone.report_type.code(),
        "reporter": gone.reporter,
        "status": gone.status.code(),
        "priority": gone.priority.code(),
        "assignedTo": gone.assigned_to,
        "notes": gone.notes,
    });
    let mut before = match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    before.retain(|_, value| !value.is_null());
    let diff = FieldDiff { before, ..FieldDiff::default() };
    Record { action: AuditAction::Deleted, ..record(gone.id, gone.title.clone(), gone.version, diff) }
}

fn record(id: Id, title: String, version: Version, diff: FieldDiff) -> Record {
    Record {
        action: AuditAction::Updated,
        resource: "issue-reports",
        item: id.to_string(),
        title,
        version: Some(version),
        diff,
    }
}

fn fields(status: &str, priority: &str, assigned: Option<&str>, notes: Option<&str>) -> Map<String, Value> {
    let fields = json!({ "status": status, "priority": priority, "assignedTo": assigned, "notes": notes });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
