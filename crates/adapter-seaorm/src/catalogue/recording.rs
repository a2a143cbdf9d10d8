//! Audit entries of changes of content.

use domain_audit::AuditAction;
use domain_catalogue::{Content, Stored};
use domain_kernel::{FieldDiff, Id, Version, difference};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::audit::Record;

/// The fields in which two contents of a kind differ.
pub(super) fn content_diff<C: Content>(before: &C, after: &C) -> FieldDiff {
    difference(&object(before), &object(after))
}

fn object(content: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(content) {
        Ok(Value::Object(fields)) => fields,
        // Content is a struct, so it is an object; a test serializes every kind.
        _ => Map::new(),
    }
}

/// An item in the audit entry of another.
pub(super) fn named_item<C: Content>(item: &Stored<C>) -> Value {
    json!(format!("{} ({})", item.content.name(), item.id))
}

/// The record of an item without its fields.
pub(super) fn record_of<C: Content>(action: AuditAction, item: &Stored<C>) -> Record {
    record_about::<C>(action, item.id, item.content.name(), item.version, FieldDiff::default())
}

/// The record of a change.
pub(super) fn record_of_change<C: Content>(before: &C, after: &Stored<C>) -> Record {
    let diff = content_diff(before, &after.content);
    record_about::<C>(AuditAction::Updated, after.id, after.content.name(), after.version, diff)
}

pub(super) fn record_about<C: Content>(
    action: AuditAction,
    id: Id,
    title: String,
    version: Version,
    diff: FieldDiff,
) -> Record {
    Record { action, resource: C::KIND.path(), item: id.to_string(), title, version: Some(version), diff }
}
