//! The store of one kind of content.

use std::{collections::HashMap, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_catalogue::{CategoryType, Content, DuplicateReason, Kind, Stored, TrashEntry};
use domain_kernel::{Code, Id, ListQuery, Page, Version, Violation};
use domain_operations::OperationRow;
use garde::Valid;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    Edit, IdempotencyKey, Inserted, Removed, SliceOf, SliceWritten, StoreError, TrashFilter, Written,
};

/// The rows of a page as one JSON array, as the store built it: a million of them pass through the application and nobody
/// reads one (docs/adr/0005-lists-as-json.md). Rows lack the kind's `OMITTED_FROM_LIST` and carry `category`.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct Rows(pub Box<RawValue>);

/// How much refers to an item, by what it is called in paths: content of a kind, or `playlist-sources` that put channels into a
/// category.
pub type Usage = Vec<(&'static str, u64)>;

/// Why an item can't be deleted, with the numbers of what refers to it.
pub fn in_use(usage: &Usage) -> Violation {
    usage
        .iter()
        .fold(Violation::new("", Code::InUse), |violation, (path, count)| violation.with(path, *count))
}

/// Why an item can't come back from the trash: another one, with this id and title, has its natural key.
pub fn key_in_use(id: Id, title: &str) -> Violation {
    Violation::new("", Code::Duplicate).with("id", id).with("title", title)
}

/// An item of an import: content with what only a server may set otherwise.
#[derive(Debug, Clone)]
pub struct ImportedItem<C> {
    /// The content, checked.
    pub content: Valid<C>,
    /// Views it brings along; for new items only.
    pub views: i64,
    /// When it was created where it comes from.
    pub created_date: Option<DateTime<Utc>>,
    /// When it was changed where it comes from.
    pub updated_date: Option<DateTime<Utc>>,
}

/// What became of an imported item. Carries the id it has here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportOutcome {
    /// It was not there.
    Created(Id),
    /// It was there and differed.
    Updated(Id),
    /// It was there, just so.
    Unchanged(Id),
}

/// Two items that become one: the id of each with the version that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemMerge {
    /// The item that is kept.
    pub kept: (Id, Version),
    /// The item that moves to the trash.
    pub merged: (Id, Version),
}

/// Items that have something in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateIds {
    /// The ids of the first of them, in order.
    pub ids: Vec<Id>,
    /// How many they are.
    pub total: u64,
}

/// Finds items that are probably the same.
#[async_trait]
pub trait DuplicateRepository: Send + Sync {
    /// How many groups of items of a kind have this in common.
    async fn count(&self, kind: Kind, reason: DuplicateReason) -> Result<u64, StoreError>;

    /// A page of these groups, in the order of what they have in common, with at most so many items of each.
    async fn groups(
        &self,
        kind: Kind,
        reason: DuplicateReason,
        query: &ListQuery,
        most_items: u32,
    ) -> Result<Page<Vec<DuplicateIds>>, StoreError>;
}

/// An item of a bulk operation.
#[derive(Debug, Clone)]
pub struct SliceItem<C> {
    /// What is recorded; where content is replaced, it has the fields that differ.
    pub row: OperationRow,
    /// What is written; `None` in a dry run and where nothing changes.
    pub change: Option<ItemChange<C>>,
}

/// What happens to one item.
#[derive(Debug, Clone)]
pub enum ItemChange<C> {
    /// Its content is replaced.
    Write(Box<ItemWrite<C>>),
    /// It moves to the trash, if it still has the version that was read and nothing refers to it.
    Delete(Version),
    /// It comes back from the trash with this content.
    Restore(Box<Valid<C>>),
    /// It is added, unless an item with its natural key was added meanwhile.
    Create(Box<Valid<C>>),
    /// It is inactive already, and stays so where the service had switched it off.
    KeepOff,
}

/// By what rows of a file are recognised as items.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ItemKeys {
    /// Their natural keys.
    pub whole: Vec<String>,
    /// How their natural keys begin.
    pub beginnings: Vec<String>,
    /// Their ids in the film database, for kinds that have any.
    pub imdb_ids: Vec<String>,
}

/// The change of an item's content. The fields that differ are those of the item's row: whoever makes the change has compared
/// them, and comparing again takes a fifth of a slice's time.
#[derive(Debug, Clone)]
pub struct ItemWrite<C> {
    /// The version that was read.
    pub version: Version,
    /// The content of that version.
    pub before: C,
    /// The content that replaces it.
    pub after: Valid<C>,
}

/// Why content can't be put in the place of an item.
#[derive(Debug, Clone, PartialEq)]
pub enum ContentConflict<C> {
    /// This item has its natural key.
    Duplicate(Box<Stored<C>>),
    /// So much other content refers to the item, and these fields stay as they are while any does.
    Used {
        /// Fields that differ, by their names in JSON.
        fields: Vec<&'static str>,
        /// How much content.
        count: u64,
    },
}

/// Keeps one kind of content. [`Valid`] can only be made by checking: unchecked content does not get this far.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait ContentRepository<C: Content>: Send + Sync {
    /// A page of the list. Sorts and filters are among the kind's own.
    async fn list(&self, query: &ListQuery) -> Result<Page<Rows>, StoreError>;

    /// One item, whole.
    async fn find(&self, id: Id) -> Result<Option<Stored<C>>, StoreError>;

    /// So many active items behind an id, whole, in the order of ids.
    async fn active_after(&self, after: Id, count: u32) -> Result<Vec<Stored<C>>, StoreError>;

    /// What was answered under this key to the request that stored an item.
    async fn answered(&self, once: &IdempotencyKey) -> Result<Option<Inserted<Stored<C>>>, StoreError>;

    /// The same of a request that stored several.
    async fn answered_all(&self, once: &IdempotencyKey) -> Result<Option<Inserted<Vec<Id>>>, StoreError>;

    /// Stores a new item, once for a once-only request.
    async fn insert(
        &self,
        content: Valid<C>,
        edit: Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<Stored<C>, Stored<C>>, StoreError>;

    /// Stores new items together: all of them, or none where one conflicts with a stored item.
    async fn insert_all(
        &self,
        contents: Vec<Valid<C>>,
        edit: Edit,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<Vec<Id>, Stored<C>>, StoreError>;

    /// Replaces an item, if it still has the expected version. Views and creation date stay.
    async fn replace(
        &self,
        id: Id,
        content: Valid<C>,
        expected: Option<Version>,
        edit: Edit,
    ) -> Result<Written<Stored<C>, ContentConflict<C>>, StoreError>;

    /// Shows an item to viewers, or hides it. Setting what is set changes nothing.
    async fn set_active(
        &self,
        id: Id,
        active: bool,
        expected: Option<Version>,
        edit: Edit,
    ) -> Result<Written<Stored<C>, ContentConflict<C>>, StoreError>;

    /// Moves an item that nothing refers to into the trash, a show with its seasons and episodes.
    async fn delete(
        &self,
        id: Id,
        expected: Option<Version>,
        edit: Edit,
    ) -> Result<Removed<Stored<C>, Usage>, StoreError>;

    /// Makes two items one, in one transaction: the kept one gets this content and the views of both, and reports about the
    /// other are about it; the other moves to the trash.
    async fn merge(
        &self,
        merge: ItemMerge,
        content: Valid<C>,
        edit: Edit,
    ) -> Result<Written<Stored<C>, Stored<C>>, StoreError>;

    /// An item of the trash as it was.
    async fn trashed(&self, id: Id) -> Result<Option<Stored<C>>, StoreError>;

    /// These items of the trash as they were, those that are there; in any order.
    async fn trashed_all(&self, ids: &[Id]) -> Result<Vec<Stored<C>>, StoreError>;

    /// The ids of the items that the list of the trash shows of this kind, in the order in which they were deleted; at most
    /// so many.
    async fn matching_trashed(&self, query: &ListQuery, limit: u64) -> Result<Vec<Id>, StoreError>;

    /// Takes an item out of the trash, with this content, its own id and what belongs to it. It is never outdated.
    async fn restore(
        &self,
        id: Id,
        content: Valid<C>,
        edit: Edit,
    ) -> Result<Written<Stored<C>, Stored<C>>, StoreError>;

    /// How much refers to an item; `None` where there is no such item.
    async fn usage(&self, id: Id) -> Result<Option<Usage>, StoreError>;

    /// The same of several items: those to which nothing refers are left out.
    async fn usage_of_all(&self, ids: &[Id]) -> Result<Vec<(Id, Usage)>, StoreError>;

    /// Makes whatever refers to one item refer to another, in batches of their own transactions; answers how many items
    /// and playlist sources were changed. Called again after a failure, it goes on.
    async fn move_references(&self, from: Id, to: Id, edit: Edit) -> Result<u64, StoreError>;

    /// The ids of the items that a list shows, on all of its pages and in its order; at most so many, the first.
    async fn matching_ids(&self, query: &ListQuery, limit: u64) -> Result<Vec<Id>, StoreError>;

    /// How many links the item with the most has, among those that a list shows. For kinds with links.
    async fn most_links(&self, query: &ListQuery) -> Result<u64, StoreError>;

    /// These items, whole, those that exist; in any order.
    async fn find_all(&self, ids: &[Id]) -> Result<Vec<Stored<C>>, StoreError>;

    /// Items that have one of the keys, in the order of their ids; at most so many.
    async fn find_by_keys(&self, keys: ItemKeys, limit: u64) -> Result<Vec<Stored<C>>, StoreError>;

    /// Items whose title or description in either language may be one of these names, without case and accents; the
    /// caller compares.
    async fn find_named(&self, names: Vec<String>) -> Result<Vec<Stored<C>>, StoreError>;

    /// Changes the items of a slice and records their rows, all in one transaction. An item that has another version than
    /// was read stays as it is: its row says so.
    async fn write_slice(
        &self,
        slice: SliceOf,
        items: Vec<SliceItem<C>>,
        edit: Edit,
    ) -> Result<SliceWritten, StoreError>;

    /// Stores a batch: new items are added, known ones (by natural key) brought up to date. All or nothing.
    async fn import(
        &self,
        batch: Vec<ImportedItem<C>>,
        now: DateTime<Utc>,
    ) -> Result<Vec<ImportOutcome>, StoreError>;
}

/// Lists the trash, whatever the kind.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait TrashRepository: Send + Sync {
    /// A page of what was deleted of these kinds, newest first.
    async fn list(
        &self,
        filter: &TrashFilter,
        query: &ListQuery,
    ) -> Result<Page<Vec<TrashEntry>>, StoreError>;
}

/// Knows what exists, for those who refer to it.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait References: Send + Sync {
    /// The type of a category; `None` where there is none.
    async fn category_type(&self, id: Id) -> Result<Option<CategoryType>, StoreError>;

    /// The types of these categories, of those that exist.
    async fn category_types(&self, ids: &[Id]) -> Result<HashMap<Id, CategoryType>, StoreError>;

    /// Whether there is such an item.
    async fn exists(&self, kind: Kind, id: Id) -> Result<bool, StoreError>;

    /// Whether there is such an item and viewers get to see it.
    async fn is_active(&self, kind: Kind, id: Id) -> Result<bool, StoreError>;
}

macro_rules! repositories {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
        /// The repository of each kind.
        #[derive(Clone)]
        pub struct ContentRepositories {
            $(#[doc = $about] pub $field: Arc<dyn ContentRepository<domain_catalogue::$type>>,)+
        }
    };
}
domain_catalogue::for_each_kind!(repositories);
