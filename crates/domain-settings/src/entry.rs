//! Trait of the two lists of the settings page.

use std::fmt::Debug;

use chrono::{DateTime, Utc};
use domain_kernel::{FilterKind, Id, Subject, Today, Version};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Subject of the permissions of the settings page (docs/spec/access.md#permissions).
pub const SETTINGS: Subject = Subject("APP_SETTINGS");

/// An entry of one of the lists: its draft, rules and schema.
pub trait Entry:
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
    /// Name in paths and translation keys.
    const PATH: &'static str;

    /// Name of the schema in the API documentation.
    const NAME: &'static str;

    /// Sortable fields, beside `id`, `createdDate` and `updatedDate`.
    const SORTS: &'static [&'static str];

    /// Filterable fields.
    const FILTERS: &'static [(&'static str, FilterKind)];

    /// Searchable text in both languages.
    fn search_text(&self) -> String;

    /// An entry with all fields, for documentation and contract tests.
    fn sample() -> Self;
}

/// An entry with the fields managed by the server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Stored{E}")]
pub struct StoredEntry<E> {
    /// Id of the entry.
    pub id: Id,
    /// Number of changes, from 1; carried by the `ETag`.
    pub version: Version,
    /// Entry.
    #[serde(flatten)]
    pub entry: E,
    /// Time of the creation.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub created_date: DateTime<Utc>,
    /// Time of the last change.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub updated_date: DateTime<Utc>,
}
