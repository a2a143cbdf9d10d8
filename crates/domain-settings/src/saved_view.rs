//! Saved views of lists (docs/spec/screens.md#saved-views): the filters, order and columns that somebody wants to see
//! again under a name.

use chrono::{DateTime, Utc};
use domain_kernel::{Actor, Code, Id, RoleCode, Username, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The number of views that a user has of all lists.
pub const MOST_SAVED_VIEWS: u64 = 200;

/// A view to be saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct SavedView {
    /// The list, as the panel names it: `movies`, `users`.
    #[garde(length(chars, min = 1, max = 40), custom(list_name))]
    #[schemars(extend("pattern" = "^[a-zA-Z-]{1,40}$"))]
    pub list: String,
    /// By which it is chosen. A user has a name once in a list.
    #[garde(length(chars, min = 1, max = 60))]
    pub name: String,
    /// The query of the list's address, without `?`: filters, search, order and rows per page.
    #[garde(length(chars, max = 2000), custom(address_query))]
    #[schemars(length(max = 2000))]
    #[serde(default)]
    pub query: String,
    /// The columns that are hidden; null leaves them as they are.
    #[garde(inner(length(max = 60), inner(length(chars, min = 1, max = 40))))]
    #[schemars(length(max = 60))]
    #[serde(default)]
    pub hidden_columns: Option<Vec<String>>,
    /// The role whose users see it too; null for nobody else. Admins share views, others keep theirs.
    #[garde(skip)]
    #[serde(default)]
    pub shared_with: Option<RoleCode>,
}

/// A view as it is stored, as one user sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "StoredSavedView")]
pub struct StoredSavedView {
    /// By which it is addressed.
    pub id: Id,
    /// Who saved it.
    pub owner: Username,
    /// Whether the menus open the list with it, for who reads.
    pub is_default: bool,
    /// When it was saved first.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub created_date: DateTime<Utc>,
    /// When it was saved last.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub updated_date: DateTime<Utc>,
    /// The view.
    #[serde(flatten)]
    pub view: SavedView,
}

impl SavedView {
    /// Whether the actor may save it: only admins share.
    pub fn may_be_saved_by(&self, actor: &Actor) -> bool {
        self.shared_with.is_none() || actor.role.passes_every_check()
    }
}

impl StoredSavedView {
    /// Whether the actor may delete it: its owner, and admins where it is shared.
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

/// What could lead to another page than the list is no query.
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
