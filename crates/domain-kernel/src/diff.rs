//! Two versions of an item compared field by field, as JSON.

use serde_json::{Map, Value};

/// Changed fields, each with its value before and after.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FieldDiff {
    pub before: Map<String, Value>,
    pub after: Map<String, Value>,
}

/// Fields in which two versions of an item differ.
pub fn difference(before: &Map<String, Value>, after: &Map<String, Value>) -> FieldDiff {
    let mut diff = FieldDiff::default();
    let mut compare = |name: &String, old: &Value, new: &Value| {
        if old != new {
            diff.before.insert(name.clone(), old.clone());
            diff.after.insert(name.clone(), new.clone());
        }
    };
    for (name, old) in before {
        compare(name, old, after.get(name).unwrap_or(&Value::Null));
    }
    for (name, new) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
        compare(name, &Value::Null, new);
    }
    diff
}

/// Restores the former values of an item in the fields that were not changed since. Returns the fields that
/// were changed and are kept.
pub fn restore(diff: &FieldDiff, item: &mut Map<String, Value>) -> Vec<String> {
    let mut changed_since = Vec::new();
    for (name, before) in &diff.before {
        let now = item.get(name).unwrap_or(&Value::Null);
        let after = diff.after.get(name).unwrap_or(&Value::Null);
        if now == after {
            item.insert(name.clone(), before.clone());
        } else if now != before {
            changed_since.push(name.clone());
        }
    }
    changed_since
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_undo_restores_fields_not_changed_since() {
        let object = |value: Value| value.as_object().cloned().unwrap();
        let before = object(json!({"a": 1, "b": 1, "c": 1, "same": 0}));
        let after = object(json!({"a": 2, "b": 2, "c": 2, "same": 0, "new": 5}));
        let diff = difference(&before, &after);
        assert_eq!(diff.before, object(json!({"a": 1, "b": 1, "c": 1, "new": null})));
        // `b` was changed since, `c` was reset manually.
        let mut now = object(json!({"a": 2, "b": 3, "c": 1, "same": 0, "new": 5}));
        assert_eq!(restore(&diff, &mut now), ["b"]);
        assert_eq!(now, object(json!({"a": 1, "b": 3, "c": 1, "same": 0, "new": null})));
    }
}
