//! What the two lists of the settings page have in common.

use std::fmt::Debug;

use chrono::{DateTime, Utc};
use domain_kernel::{FilterKind, Id, Subject, Today, Version};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// What the permissions of the settings page are about (docs/spec/access.md#permissions).
pub const SETTINGS: Subject = Subject("APP_SETTINGS");

/// An entry of one of the lists: the struct that is its draft, its rules and its schema.
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
    /// The name in paths and translation keys.
    const PATH: &'static str;

    /// One of them, as API documentation names it.
    const NAME: &'static str;

    /// Fields the list can be ordered by, beside `id`, `createdDate` and `updatedDate`.
    const SORTS: &'static [&'static str];

    /// Fields the list can be filtered by.
    const FILTERS: &'static [(&'static str, FilterKind)];

    /// The texts that a user sees of it, in both languages: what the search looks in.
    fn search_text(&self) -> String;

    /// One with every field filled, for documentation and contract tests.
    fn sample() -> Self;
}

/// An entry with what the server knows about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Stored{E}")]
pub struct StoredEntry<E> {
    /// By which it is addressed.
    pub id: Id,
    /// Counts its changes from 1; the `ETag` carries it.
    pub version: Version,
    /// The entry itself.
    #[serde(flatten)]
    pub entry: E,
    /// When it was created.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub created_date: DateTime<Utc>,
    /// When it was last changed.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub updated_date: DateTime<Utc>,
}
