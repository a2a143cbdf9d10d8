//! What every kind of content has in common.

use std::fmt::Debug;

use chrono::{DateTime, Utc};
use domain_kernel::{FilterKind, Id, Today, Version};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{CategoryType, Kind};

/// One kind of content: the struct that is its draft, its rules and its schema.
pub trait Content:
    Clone
    + Debug
    + PartialEq
    + Send
    + Sync
    + 'static
    + Validate<Context = Today>
    + Serialize
    + DeserializeOwned
    + JsonSchema
{
    /// Which kind.
    const KIND: Kind;

    /// Fields that lists leave out: they come with the single item (docs/spec/content.md#lists).
    const OMITTED_FROM_LIST: &'static [&'static str];

    /// Fields a list can be ordered by, beside `id`, `createdDate` and `updatedDate`.
    const SORTS: &'static [&'static str];

    /// Fields a list can be filtered by.
    const FILTERS: &'static [(&'static str, FilterKind)];

    /// Fields that hold ids of other content, and of which kind; an import maps them.
    const FOREIGN_KEYS: &'static [(&'static str, Kind)] = &[];

    /// Fields that stay as they are while other content refers to the item: those by which it does.
    const FIXED_WHILE_USED: &'static [&'static str] = &[];

    /// The fields of the natural key, in the order of its lines.
    const NATURAL_KEY: &'static [&'static str];

    /// Whether no two items share a natural key; an index sees to it.
    const KEY_ONCE: bool = false;

    /// The natural key, a line for each of its fields: an import recognises the item by it.
    /// Accents count: "Veronica" and "Verónica" of one year are two films.
    fn natural_key(&self) -> String;

    /// The texts that a user sees of it in its list, in both languages: what the search looks in.
    fn search_text(&self) -> String;

    /// What it is called in the trash, in histories and in operations.
    fn name(&self) -> String {
        self.search_text().lines().next().unwrap_or_default().to_owned()
    }

    /// Whether viewers get to see it.
    fn active(&self) -> bool;

    /// Other content that must exist for this one to make sense.
    fn references(&self) -> Vec<Reference> {
        Vec::new()
    }

    /// Gives the item's parts what the server adds to them, and its ids elsewhere the form in which they are compared; `previous` is
    /// the item as it was before.
    fn fill_server_fields(&mut self, previous: Option<&Self>, now: DateTime<Utc>) {
        let _ = (previous, now);
    }

    /// One with every field filled, for documentation and contract tests.
    fn sample() -> Self;
}

/// A field that points at other content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// The JSON path of the field that points.
    pub field: &'static str,
    /// The kind it points at.
    pub kind: Kind,
    /// The item it points at.
    pub id: Id,
    /// The type it must have, if it is a category.
    pub category_type: Option<CategoryType>,
}

impl Reference {
    /// A field that points at a category of a type.
    pub const fn category(field: &'static str, id: Id, expected: CategoryType) -> Self {
        Self { field, kind: Kind::Categories, id, category_type: Some(expected) }
    }

    /// A field that points at an item of another kind.
    pub const fn item(field: &'static str, kind: Kind, id: Id) -> Self {
        Self { field, kind, id, category_type: None }
    }
}

/// Content with what the server knows about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Stored{C}")]
pub struct Stored<C> {
    /// By which it is addressed.
    pub id: Id,
    /// Counts its changes from 1; the `ETag` carries it.
    pub version: Version,
    /// The content itself.
    #[serde(flatten)]
    pub content: C,
    /// How often viewers have played it. The panel never writes it.
    pub views: i64,
    /// When it was created.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub created_date: DateTime<Utc>,
    /// When it was last changed.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub updated_date: DateTime<Utc>,
    /// The username of who wrote it last; null where that was an import or is not known.
    #[serde(default)]
    pub updated_by: Option<String>,
}
