//! Common interface of every kind of content.

use std::fmt::Debug;

use chrono::{DateTime, Utc};
use domain_kernel::{FilterKind, Id, Today, Version};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{CategoryType, Kind};

/// One kind of content: a struct with its draft, rules and schema.
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
    const KIND: Kind;

    /// Fields omitted from lists; only responses with one item have them
    /// (docs/spec/content.md#lists).
    const OMITTED_FROM_LIST: &'static [&'static str];

    /// Sort fields besides `id`, `createdDate` and `updatedDate`.
    const SORTS: &'static [&'static str];

    /// Filter fields.
    const FILTERS: &'static [(&'static str, FilterKind)];

    /// Fields with ids of other content, and its kind; an import maps them.
    const FOREIGN_KEYS: &'static [(&'static str, Kind)] = &[];

    /// Fields that can't change while other content refers to the item: references use them.
    const FIXED_WHILE_USED: &'static [&'static str] = &[];

    /// Fields of the natural key, in the order of its lines.
    const NATURAL_KEY: &'static [&'static str];

    /// Whether natural keys are unique, which an index enforces.
    const KEY_ONCE: bool = false;

    /// The natural key, with a line for each of its fields, by which an import recognises the item.
    /// Accents are significant: "Veronica" and "Verónica" of one year are two films.
    fn natural_key(&self) -> String;

    /// Searched texts: those that its list shows, in both languages.
    fn search_text(&self) -> String;

    /// Display name in the trash and in histories.
    fn name(&self) -> String {
        self.search_text().lines().next().unwrap_or_default().to_owned()
    }

    /// Display name in the rows of operations, which are about items of many shows.
    fn operation_title(&self) -> String {
        self.name()
    }

    /// Whether viewers see it.
    fn active(&self) -> bool;

    /// References to content that must exist.
    fn references(&self) -> Vec<Reference> {
        Vec::new()
    }

    /// Sets the server's fields of the item's parts, and normalises external ids for comparisons;
    /// `previous` is the item before the change.
    fn fill_server_fields(&mut self, previous: Option<&Self>, now: DateTime<Utc>) {
        let _ = (previous, now);
    }

    /// A sample with every field, for documentation and contract tests.
    fn sample() -> Self;
}

/// A reference to other content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// JSON path of the reference.
    pub field: &'static str,
    /// Kind of the referenced item.
    pub kind: Kind,
    /// Id of the referenced item.
    pub id: Id,
    /// Required type, if it is a category.
    pub category_type: Option<CategoryType>,
}

impl Reference {
    /// A reference to a category of a type.
    pub const fn category(field: &'static str, id: Id, expected: CategoryType) -> Self {
        Self { field, kind: Kind::Categories, id, category_type: Some(expected) }
    }

    /// A reference to an item of another kind.
    pub const fn item(field: &'static str, kind: Kind, id: Id) -> Self {
        Self { field, kind, id, category_type: None }
    }
}

/// Stored content with the server's fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Stored{C}")]
pub struct Stored<C> {
    /// Unique id.
    pub id: Id,
    /// Number of the version, from 1; the `ETag` has it.
    pub version: Version,
    #[serde(flatten)]
    pub content: C,
    /// Number of views by viewers. Not writable by the panel.
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
