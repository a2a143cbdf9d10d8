//! Saved views of lists (docs/spec/screens.md#saved-views): named filters, order and columns.

use chrono::{DateTime, Utc};
use domain_kernel::{Actor, Code, Id, RoleCode, Username, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum number of views of a user, over all lists.
pub const MOST_SAVED_VIEWS: u64 = 200;

/// A view to save.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct SavedView {
    /// Name of the list in the panel: `movies`, `users`.
    #[garde(length(chars, min = 1, max = 40), custom(list_name))]
    #[schemars(extend("pattern" = "^[a-zA-Z-]{1,40}$"))]
    pub list: String,
    /// Name of the view, unique per user and list.
    #[garde(length(chars, min = 1, max = 60))]
    pub name: String,
    /// Query of the list's URL, without `?`: filters, search, order and page size.
    #[garde(length(chars, max = 2000), custom(address_query))]
    #[schemars(length(max = 2000))]
    #[serde(default)]
    pub query: String,
    /// Hidden columns; null leaves them unchanged.
    #[garde(inner(length(max = 60), inner(length(chars, min = 1, max = 40))))]
    #[schemars(length(max = 60))]
    #[serde(default)]
    pub hidden_columns: Option<Vec<String>>,
    /// Role whose users see the view too; null for the owner only. Only admins can share views.
    #[garde(skip)]
    #[serde(default)]
    pub shared_with: Option<RoleCode>,
}

/// A stored view, for one user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "StoredSavedView")]
pub struct StoredSavedView {
    /// Id of the view.
    pub id: Id,
    /// Owner of the view.
    pub owner: Username,
    /// Whether it is the default view of the list for the requesting user.
    pub is_default: bool,
    /// Time of the creation.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub created_date: DateTime<Utc>,
    /// Time of the last change.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub updated_date: DateTime<Utc>,
    /// View.
    #[serde(flatten)]
    pub view: SavedView,
}

impl SavedView {
    /// Whether the actor can save it: only admins share.
    pub fn may_be_saved_by(&self, actor: &Actor) -> bool {
        self.shared_with.is_none() || actor.role.passes_every_check()
    }
}

impl StoredSavedView {
    /// Whether the actor can delete it: the owner, and admins if it is shared.
    pub fn may_be_deleted_by(&self, actor: &Actor) -> bool {
        self.owner == actor.username || (self.view.shared_with.is_some() && actor.role.passes_every_check())
    }
}

fn list_name<T>(text: &str, _: &T) -> garde::Result {
    if text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-') {
        return Ok(());
    }
    Err(fault(Code::InvalidFormat, &[]))
}

/// Rejects texts that could lead to another page than the list.
fn address_query<T>(text: &str, _: &T) -> garde::Result {
    if text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#' && byte != b'?') {
        return Ok(());
    }
    Err(fault(Code::InvalidFormat, &[]))
}

#[cfg(test)]
mod tests {
    use domain_kernel::{DraftReader, Violations};
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_a_view_may_hold() {
        let reader = DraftReader::<SavedView>::new();
        let long = "a".repeat(61);
        for (changed, expected) in [
            (json!({}), None),
            (json!({"query": "", "hiddenColumns": null, "sharedWith": null}), None),
            (json!({"query": "missing=ENGLISH_SYNOPSIS&sort=-year&search=ni%C3%B1o+azul"}), None),
            (json!({"hiddenColumns": ["year"], "sharedWith": "agent"}), None),
            (json!({"query": "a=b#c"}), Some(("query", "INVALID_FORMAT"))),
            (json!({"query": "?a=b"}), Some(("query", "INVALID_FORMAT"))),
            (json!({"query": "a= b"}), Some(("query", "INVALID_FORMAT"))),
            (json!({"list": "../users"}), Some(("list", "INVALID_FORMAT"))),
            (json!({"name": ""}), Some(("name", "REQUIRED"))),
            (json!({"name": long}), Some(("name", "TOO_LONG"))),
            (json!({"sharedWith": "nobody"}), Some(("sharedWith", "UNKNOWN_VALUE"))),
        ] {
            let mut body =
                json!({"list": "movies", "name": "Sin sinopsis", "query": "missing=ENGLISH_SYNOPSIS"});
            let Value::Object(fields) = &changed else { unreachable!() };
            for (field, value) in fields {
                body[field] = value.clone();
            }
            let found = match reader.read(body, &()) {
                Ok(_) => None,
                Err(Violations(found)) => Some((found[0].field.clone(), found[0].code.as_str())),
            };
            assert_eq!(found, expected.map(|(field, code)| (field.to_owned(), code)), "{changed}");
        }
    }
}
