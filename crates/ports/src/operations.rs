//! The store of bulk operations.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{FieldDiff, Id, ListQuery, Origin, Page};
use domain_operations::{
    BulkChange, BulkOperation, Counts, FailureCode, ItemKey, OperationRow, OperationState, Resource,
    SheetImport, Verdict,
};

use crate::{Edit, IdempotencyKey, Inserted, OperationFilter, StoreError};

/// A bulk operation to insert.
#[derive(Debug, Clone, PartialEq)]
pub struct NewOperation {
    /// Resource of the items.
    pub resource: Resource,
    pub change: Option<BulkChange>,
    /// Operation that it undoes.
    pub undo_of: Option<Id>,
    /// File that it imports; its rows are the items.
    pub import: Option<SheetImport>,
    pub dry_run: bool,
    pub created_by: String,
    pub created_date: DateTime<Utc>,
    pub origin: Origin,
    /// Items in the order of their change.
    pub items: Vec<ItemKey>,
    /// Items per transaction.
    pub items_of_slice: usize,
}

/// All that refers to a category or a guide, to be moved to another.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMoves {
    /// The category that playlist sources and live profiles refer to, and the one that they are to refer to.
    /// Nothing outside of content refers to guides.
    pub category: Option<(Id, Id)>,
    /// One for each kind of content.
    pub operations: Vec<NewOperation>,
    pub edit: Edit,
}

/// The started operations, and what was changed at once.
#[derive(Debug, Clone, PartialEq)]
pub struct Moves {
    pub operations: Vec<BulkOperation>,
    /// Number of playlist sources that refer to the other category.
    pub sources: u64,
    /// Number of live profiles that refer to the other category.
    pub profiles: u64,
}

/// The operation to undo is being undone or was undone before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlreadyUndone;

/// Filter of an operation's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowFilter {
    pub verdict: Option<Verdict>,
    /// Rows with a reason: rejected ones, and changed ones of which a part was not changed.
    pub has_problems: bool,
}

/// Stores bulk operations.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait OperationRepository: Send + Sync {
    /// Inserts an operation with its items, idempotently where a key is given.
    async fn insert(
        &self,
        operation: NewOperation,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<BulkOperation, AlreadyUndone>, StoreError>;

    /// Response stored under this key, if any.
    async fn answered(
        &self,
        once: &IdempotencyKey,
    ) -> Result<Option<Inserted<BulkOperation, AlreadyUndone>>, StoreError>;

    /// Inserts the operations that apply the results of a playlist run, and the run's list of them, in one
    /// transaction. `None` where entries of their rows, so many in all, were claimed by another apply meanwhile.
    async fn insert_of_run(
        &self,
        run: Id,
        operations: Vec<NewOperation>,
        entries: u64,
    ) -> Result<Option<Vec<BulkOperation>>, StoreError>;

    /// Changes the references of playlist sources and live profiles, and inserts the operations for content, in one
    /// transaction, idempotently where a key is given.
    async fn insert_moves(
        &self,
        moves: NewMoves,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<Moves>, StoreError>;

    /// Moves stored under this key, if any.
    async fn answered_moves(&self, once: &IdempotencyKey) -> Result<Option<Inserted<Moves>>, StoreError>;

    /// One operation.
    async fn find(&self, id: Id) -> Result<Option<BulkOperation>, StoreError>;

    /// A page of the operations that are no dry runs, newest first: of all users, or of one.
    async fn list(
        &self,
        filter: &OperationFilter,
        query: &ListQuery,
    ) -> Result<Page<Vec<BulkOperation>>, StoreError>;

    /// Rows in their order.
    async fn rows(
        &self,
        operation: &BulkOperation,
        filter: RowFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Vec<OperationRow>, StoreError>;

    /// The unfinished operation with the fewest finished slices, so that small operations don't wait for
    /// large ones.
    async fn next(&self) -> Result<Option<BulkOperation>, StoreError>;

    /// The items of a slice; `None` past the last, and for an import that takes the rows of its file in their order.
    async fn slice(&self, id: Id, number: i64) -> Result<Option<Vec<ItemKey>>, StoreError>;

    /// Stores the order in which an import takes the rows of its file: their places there, from 0. An order that is stored
    /// already stays.
    async fn arrange(&self, id: Id, places: Vec<ItemKey>, items_of_slice: usize) -> Result<(), StoreError>;

    /// The items that an operation changed or added, in its order.
    async fn changed_items(&self, operation: &BulkOperation) -> Result<Vec<ItemKey>, StoreError>;

    /// Changes of these items by an operation.
    async fn changes_of(
        &self,
        operation: &BulkOperation,
        items: &[ItemKey],
    ) -> Result<Vec<(ItemKey, FieldDiff)>, StoreError>;

    /// Fields of these items that requests of users have changed since an operation began, each with its item. A
    /// field may be named several times.
    async fn edited_since_begun(
        &self,
        operation: Id,
        resource: Resource,
        items: &[ItemKey],
    ) -> Result<Vec<(ItemKey, String)>, StoreError>;

    /// Ends an unfinished operation; returns whether it was unfinished. An end by a user is audited.
    async fn end(
        &self,
        id: Id,
        state: OperationState,
        failure: Option<FailureCode>,
        edit: &Edit,
    ) -> Result<bool, StoreError>;
}

/// The slice of an operation to process, and the operation's progress when it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SliceOf {
    pub operation: Id,
    /// Zero-based number of the slice, equal to the number of finished slices.
    pub number: i64,
    /// Position of the first item.
    pub first_position: i64,
    /// Operation that this one undoes: an item to delete or to restore is skipped if it was changed since.
    pub undoes: Option<Id>,
}

/// Outcome of writing a slice. Not [`crate::Written`]: a slice has no version, and an overtaken one is no error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SliceWritten {
    /// The items were changed and their rows recorded, in one transaction.
    Done(Counts),
    /// The operation has ended, or another process wrote the slice; nothing was written.
    Overtaken,
}
