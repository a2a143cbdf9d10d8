//! The items of an operation: their kind, and their public ids.

use std::borrow::Cow;

use domain_kernel::{Id, Kind};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A kind of items with operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Resource {
    /// Content of one kind.
    Content(Kind),
    /// Users.
    Users,
    /// Viewers' reports.
    Reports,
}

const USERS: &str = "users";
const REPORTS: &str = "issue-reports";

impl Resource {
    /// Paths of all kinds, in the same order.
    pub const PATHS: &'static [&'static str] = &{
        let mut paths = [REPORTS; Kind::ALL.len() + 2];
        let mut index = 0;
        while index < Kind::ALL.len() {
            paths[index] = Kind::ALL[index].path();
            index += 1;
        }
        paths[index] = USERS;
        paths
    };

    pub fn all() -> impl Iterator<Item = Self> {
        Kind::ALL.iter().copied().map(Self::Content).chain([Self::Users, Self::Reports])
    }

    /// Path of their list, which is their name in requests.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Content(kind) => kind.path(),
            Self::Users => USERS,
            Self::Reports => REPORTS,
        }
    }

    /// The kind of items with this path.
    pub fn from_path(path: &str) -> Option<Self> {
        Self::all().find(|resource| resource.path() == path)
    }

    /// Whether this can be an id of the kind's items.
    pub const fn has_ids_like(self, item: &ItemKey) -> bool {
        matches!((self, item), (Self::Users, ItemKey::Name(_)))
            || matches!((self, item), (Self::Content(_) | Self::Reports, ItemKey::Number(_)))
    }
}

/// The public id of an item: a number, or a user name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ItemKey {
    /// Content and reports.
    Number(Id),
    /// Users.
    Name(String),
}

impl ItemKey {
    /// The id as a number; `None` for user names.
    pub const fn number(&self) -> Option<Id> {
        match self {
            Self::Number(id) => Some(*id),
            Self::Name(_) => None,
        }
    }

    /// Canonical form of the id: equal for all spellings of a user name.
    #[must_use]
    pub fn folded(&self) -> Self {
        match self {
            Self::Number(id) => Self::Number(*id),
            Self::Name(name) => Self::Name(name.to_ascii_lowercase()),
        }
    }

    /// The id as it is stored: numeric for kinds with numeric ids.
    pub fn stored(resource: Resource, text: &str) -> Option<Self> {
        match resource {
            Resource::Users => Some(Self::Name(text.to_owned())),
            Resource::Content(_) | Resource::Reports => text.parse().ok().map(Self::Number),
        }
    }
}

impl std::fmt::Display for ItemKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(id) => id.fmt(f),
            Self::Name(name) => f.write_str(name),
        }
    }
}

impl From<Id> for ItemKey {
    fn from(id: Id) -> Self {
        Self::Number(id)
    }
}

impl JsonSchema for ItemKey {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "ItemKey".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "oneOf": [{"type": "integer", "format": "int64"}, {"type": "string"}],
            "description": "The id of an item; of a user, the user name.",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_resource_is_found_by_its_path() {
        for resource in Resource::all() {
            assert_eq!(Resource::from_path(resource.path()), Some(resource));
        }
        assert_eq!(Resource::from_path("settings"), None);
        assert_eq!(Resource::all().map(Resource::path).collect::<Vec<_>>(), Resource::PATHS);
    }

    #[test]
    fn an_id_reads_back_as_it_was_stored() {
        for (resource, item) in [
            (Resource::Content(Kind::Movies), ItemKey::Number(7)),
            (Resource::Reports, ItemKey::Number(8)),
            (Resource::Users, ItemKey::Name("1234".into())),
        ] {
            assert!(resource.has_ids_like(&item), "{item}");
            assert_eq!(ItemKey::stored(resource, &item.to_string()), Some(item));
        }
        assert_eq!(ItemKey::stored(Resource::Reports, "ana_1"), None);
        assert!(!Resource::Users.has_ids_like(&ItemKey::Number(1)));
        let ids: Vec<ItemKey> = serde_json::from_str(r#"[1, "ana_1"]"#).unwrap();
        assert_eq!(ids, [ItemKey::Number(1), ItemKey::Name("ana_1".into())]);
    }
}
