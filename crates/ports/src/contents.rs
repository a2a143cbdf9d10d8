//! The store of one kind of content.

use std::{collections::HashMap, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_catalogue::{CategoryType, ChannelStreams, Content, DuplicateReason, Kind, Stored, TrashEntry};
use domain_kernel::{Code, Id, ListQuery, Page, Version, Violation};
use domain_operations::OperationRow;
use garde::Valid;
use serde::Serialize;
use serde_json::{Value, value::RawValue};

use crate::{
    Edit, IdempotencyKey, Inserted, Removed, SliceOf, SliceWritten, StoreError, TrashFilter, Written,
};

/// Rows of a page as one JSON array, built by the store. Never deserialized between database and response
/// (docs/adr/0005-lists-as-json.md). Rows lack the kind's `OMITTED_FROM_LIST` and carry `category`.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct Rows(pub Box<RawValue>);

/// Number of references to an item by path segment: content of a kind, or `playlist-sources` that assign
/// channels to a category.
pub type Usage = Vec<(&'static str, u64)>;

/// Violation for an item that can't be deleted, with the numbers of references to it.
pub fn in_use(usage: &Usage) -> Violation {
    usage
        .iter()
        .fold(Violation::new("", Code::InUse), |violation, (path, count)| violation.with(path, *count))
}

/// Reason why an item can't be restored from the trash: another item, with this id and title, has its natural
/// key.
pub fn key_in_use(id: Id, title: &str) -> Violation {
    Violation::new("", Code::Duplicate).with("id", id).with("title", title)
}

/// An imported item: content with fields that only the server sets otherwise.
#[derive(Debug, Clone)]
pub struct ImportedItem<C> {
    pub content: Valid<C>,
    /// Initial views; for new items only.
    pub views: i64,
    /// Creation date in the source system.
    pub created_date: Option<DateTime<Utc>>,
    /// Date of the last change in the source system.
    pub updated_date: Option<DateTime<Utc>>,
}

/// Outcome of an imported item. Carries the local id. Not [`crate::Inserted`]: an import inserts or updates by
/// the natural key, and reports which of them, instead of using an idempotency key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportOutcome {
    /// Did not exist.
    Created(Id),
    /// Existed with other content.
    Updated(Id),
    /// Existed with the same content.
    Unchanged(Id),
}

/// Two items to merge: the id of each with the version that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemMerge {
    pub kept: (Id, Version),
    /// Item that moves to the trash.
    pub merged: (Id, Version),
}

/// Items with a common property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateIds {
    /// The common property: an id of the film database, a folded title, or an address, with any
    /// credentials. `None` for an address that has changed since the group was found.
    pub value: Option<String>,
    /// The common year, of items with a common title.
    pub year: Option<i32>,
    /// Ids of the first items, ascending.
    pub ids: Vec<Id>,
    /// Number of items.
    pub total: u64,
}

/// All groups of items with a common property, for a file: compact, since there may be a million items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupedItems {
    /// Number of the group, from 1, and id of each item: groups ordered by the common property, their items by id.
    pub items: Vec<(u32, Id)>,
    /// Compared value of each group with a common address, in the order of the groups: the address or its digest.
    /// Empty for other properties.
    pub compared: Vec<String>,
}

/// Finds probable duplicates.
#[async_trait]
pub trait DuplicateRepository: Send + Sync {
    /// Number of groups of a kind with this common property.
    async fn count(&self, kind: Kind, reason: DuplicateReason) -> Result<u64, StoreError>;

    /// A page of these groups, ordered by the common property, with a limited number of items each.
    async fn groups(
        &self,
        kind: Kind,
        reason: DuplicateReason,
        query: &ListQuery,
        most_items: u32,
    ) -> Result<Page<Vec<DuplicateIds>>, StoreError>;

    /// All groups with all their items, at most so many items.
    async fn grouped(
        &self,
        kind: Kind,
        reason: DuplicateReason,
        most: u64,
    ) -> Result<GroupedItems, StoreError>;

    /// Common addresses of groups, each identified by its first item and its compared value; `None` for an address
    /// that has changed since.
    async fn addresses(&self, kind: Kind, groups: &[(Id, &str)]) -> Result<Vec<Option<String>>, StoreError>;
}

/// An item of a bulk operation.
#[derive(Debug, Clone)]
pub struct SliceItem<C> {
    /// Row to record; for a replacement it has the differing fields.
    pub row: OperationRow,
    /// Change to write; `None` in a dry run and where nothing changes.
    pub change: Option<ItemChange<C>>,
    /// Change of the streams of a channel, beside that of its content. The store adds what differs to the row.
    pub streams: Option<StreamChange>,
}

/// Change of the streams of a channel, if the channel still has the version that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamChange {
    pub version: Version,
    pub effect: StreamEffect,
}

/// Effect of a change on the streams of a channel.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamEffect {
    /// Applies these playlist entries to their streams; a new entry becomes the last stream.
    Apply(Vec<Id>),
    /// Restores streams that an operation changed, unless they were changed since. Both lists are those of the row
    /// of that operation.
    Restore { before: Value, after: Value },
}

/// Change of one item.
#[derive(Debug, Clone)]
pub enum ItemChange<C> {
    /// Replaces the content.
    Write(Box<ItemWrite<C>>),
    /// Moves the item to the trash, if it still has the version that was read and has no references.
    Delete(Version),
    /// Restores the item from the trash with this content.
    Restore(Box<Valid<C>>),
    /// Adds the item, unless its natural key was added meanwhile.
    Create(Box<Valid<C>>),
    /// Leaves the item inactive; one that link checks switched off is no longer reactivated by them.
    KeepOff,
}

/// Keys that identify the item of a file row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ItemKeys {
    /// Complete natural keys.
    pub whole: Vec<String>,
    /// Prefixes of natural keys.
    pub beginnings: Vec<String>,
    /// Ids in the film database, for kinds that have one.
    pub imdb_ids: Vec<String>,
}

/// Replacement of an item's content. The differing fields are read from the item's row: comparing again
/// would take a fifth of a slice's time.
#[derive(Debug, Clone)]
pub struct ItemWrite<C> {
    /// Version that was read.
    pub version: Version,
    /// Content of that version.
    pub before: C,
    /// Replacement content.
    pub after: Valid<C>,
    /// For a channel: its replacement streams, of which the first has the URL of the content; `None`
    /// if they stay.
    pub streams: Option<Valid<ChannelStreams>>,
}

/// Conflict of new content with an item.
#[derive(Debug, Clone, PartialEq)]
pub enum ContentConflict<C> {
    /// Another item has the natural key.
    Duplicate(Box<Stored<C>>),
    /// Other content refers to the item, and these fields can't change meanwhile.
    Used {
        /// Names of the differing fields in JSON.
        fields: Vec<&'static str>,
        /// Number of references.
        count: u64,
    },
}

/// Reason why two items are not merged.
#[derive(Debug, Clone, PartialEq)]
pub enum MergeConflict<C> {
    /// Another item has the natural key.
    Duplicate(Box<Stored<C>>),
    /// A part of the kept item would break a rule.
    Invalid(Violation),
}

/// Stores one kind of content. [`Valid`] can only be made by checking, so unchecked content can't be stored.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ContentRepository<C: Content>: Send + Sync {
    /// A page of the list. Sorts and filters are those of the kind.
    async fn list(&self, query: &ListQuery) -> Result<Page<Rows>, StoreError>;

    /// One item with all fields.
    async fn find(&self, id: Id) -> Result<Option<Stored<C>>, StoreError>;

    /// A limited number of active items after an id, with all fields, ordered by id.
    async fn active_after(&self, after: Id, count: u32) -> Result<Vec<Stored<C>>, StoreError>;

    /// Response stored under this key for a request that inserted an item.
    async fn answered(&self, once: &IdempotencyKey) -> Result<Option<Inserted<Stored<C>>>, StoreError>;

    /// Response stored under this key for a request that inserted several items.
    async fn answered_all(&self, once: &IdempotencyKey) -> Result<Option<Inserted<Vec<Id>>>, StoreError>;

    /// Inserts an item, idempotently where a key is given.
    async fn insert(
        &self,
        content: Valid<C>,
        edit: Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<Stored<C>, Stored<C>>, StoreError>;

    /// Inserts items together: all of them, or none where one conflicts with a stored item.
    async fn insert_all(
        &self,
        contents: Vec<Valid<C>>,
        edit: Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<Vec<Id>, Stored<C>>, StoreError>;

    /// Replaces an item, if it still has the expected version. Views and creation date are kept.
    async fn replace(
        &self,
        id: Id,
        content: Valid<C>,
        expected: Option<Version>,
        edit: Edit,
    ) -> Result<Written<Stored<C>, ContentConflict<C>>, StoreError>;

    /// Activates or deactivates an item. Setting the current value changes nothing.
    async fn set_active(
        &self,
        id: Id,
        active: bool,
        expected: Option<Version>,
        edit: Edit,
    ) -> Result<Written<Stored<C>, ContentConflict<C>>, StoreError>;

    /// Moves an item without references to the trash, a show with its seasons and episodes.
    async fn delete(
        &self,
        id: Id,
        expected: Option<Version>,
        edit: Edit,
    ) -> Result<Removed<Stored<C>, Usage>, StoreError>;

    /// Merges two items in one transaction: the kept one gets this content, the views of both and the reports
    /// about the other; the other moves to the trash.
    async fn merge(
        &self,
        merge: ItemMerge,
        content: Valid<C>,
        edit: Edit,
    ) -> Result<Written<Stored<C>, MergeConflict<C>>, StoreError>;

    /// An item of the trash with its former content.
    async fn trashed(&self, id: Id) -> Result<Option<Stored<C>>, StoreError>;

    /// The existing ones of these items of the trash, in any order.
    async fn trashed_all(&self, ids: &[Id]) -> Result<Vec<Stored<C>>, StoreError>;

    /// The ids of the items that the list of the trash shows of this kind, by date of deletion; at most `limit`.
    async fn matching_trashed(&self, query: &ListQuery, limit: u64) -> Result<Vec<Id>, StoreError>;

    /// Restores an item from the trash with this content, its own id and its children. Never `Outdated`.
    async fn restore(
        &self,
        id: Id,
        content: Valid<C>,
        edit: Edit,
    ) -> Result<Written<Stored<C>, Stored<C>>, StoreError>;

    /// Number of references to an item; `None` where it does not exist.
    async fn usage(&self, id: Id) -> Result<Option<Usage>, StoreError>;

    /// Number of references to several items; items without references are omitted.
    async fn usage_of_all(&self, ids: &[Id]) -> Result<Vec<(Id, Usage)>, StoreError>;

    /// Ids of the items that a list shows on all pages, in its order, limited.
    async fn matching_ids(&self, query: &ListQuery, limit: u64) -> Result<Vec<Id>, StoreError>;

    /// Highest number of links of an item that a list shows. For kinds with links.
    async fn most_links(&self, query: &ListQuery) -> Result<u64, StoreError>;

    /// The existing ones of these items with all fields, in any order.
    async fn find_all(&self, ids: &[Id]) -> Result<Vec<Stored<C>>, StoreError>;

    /// Streams of the existing ones of these channels; of other kinds none.
    async fn streams_of(&self, ids: &[Id]) -> Result<Vec<(Id, ChannelStreams)>, StoreError>;

    /// Items with one of the keys, ordered by id, limited.
    async fn find_by_keys(&self, keys: ItemKeys, limit: u64) -> Result<Vec<Stored<C>>, StoreError>;

    /// Candidates for items whose title or description in either language equals one of these names without
    /// case and accents; the caller compares.
    async fn find_named(&self, names: Vec<String>) -> Result<Vec<Stored<C>>, StoreError>;

    /// Changes the items of a slice and records their rows in one transaction. An item with another version
    /// than the one that was read is not changed, and its row records that.
    async fn write_slice(
        &self,
        slice: SliceOf,
        items: Vec<SliceItem<C>>,
        edit: Edit,
    ) -> Result<SliceWritten, StoreError>;

    /// Imports a batch in one transaction: inserts new items, updates existing ones (by natural key).
    async fn import(
        &self,
        batch: Vec<ImportedItem<C>>,
        now: DateTime<Utc>,
    ) -> Result<Vec<ImportOutcome>, StoreError>;
}

/// Lists the trash across kinds.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait TrashRepository: Send + Sync {
    /// A page of deleted items of these kinds, newest first.
    async fn list(
        &self,
        filter: &TrashFilter,
        query: &ListQuery,
    ) -> Result<Page<Vec<TrashEntry>>, StoreError>;
}

/// Looks up references.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait References: Send + Sync {
    /// Type of a category; `None` where it does not exist.
    async fn category_type(&self, id: Id) -> Result<Option<CategoryType>, StoreError>;

    /// Types of the existing ones of these categories.
    async fn category_types(&self, ids: &[Id]) -> Result<HashMap<Id, CategoryType>, StoreError>;

    /// Whether the item exists.
    async fn exists(&self, kind: Kind, id: Id) -> Result<bool, StoreError>;

    /// Whether the item exists and is active.
    async fn is_active(&self, kind: Kind, id: Id) -> Result<bool, StoreError>;
}

macro_rules! repositories {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
        /// Repository of each kind.
        #[derive(Clone)]
        pub struct ContentRepositories {
            $(#[doc = $about] pub $field: Arc<dyn ContentRepository<domain_catalogue::$type>>,)+
        }
    };
}
domain_catalogue::for_each_kind!(repositories);
