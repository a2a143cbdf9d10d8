//! The store of bulk operations.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_kernel::{FieldDiff, Id, ListQuery, Origin, Page};
use domain_operations::{
    BulkChange, BulkOperation, Counts, FailureCode, ItemKey, OperationRow, OperationState, Resource,
    SheetImport, Verdict,
};

use crate::{Edit, IdempotencyKey, Inserted, OperationFilter, StoreError};

/// An operation to be recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct NewOperation {
    /// What is changed.
    pub resource: Resource,
    /// The change; `None` where it undoes another operation.
    pub change: Option<BulkChange>,
    /// The operation that it undoes.
    pub undo_of: Option<Id>,
    /// The file that it imports; then its rows are the items.
    pub import: Option<SheetImport>,
    /// Whether nothing is to be changed.
    pub dry_run: bool,
    /// Who begins it.
    pub created_by: String,
    /// When.
    pub created_date: DateTime<Utc>,
    /// From where.
    pub origin: Origin,
    /// The items, in the order in which they are changed.
    pub items: Vec<ItemKey>,
    /// How many of them one transaction changes.
    pub items_of_slice: usize,
}

/// The operation that is to be undone is being undone, or was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlreadyUndone;

/// Which rows of an operation are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowFilter {
    /// Those with this verdict.
    pub verdict: Option<Verdict>,
    /// Those that have a reason: what was refused, and of what was changed the items of which something stayed as it was.
    pub has_problems: bool,
}

/// Keeps bulk operations.
#[cfg_attr(feature = "mocks", mockall::automock)]
#[async_trait]
pub trait OperationRepository: Send + Sync {
    /// Records an operation with its items, once for a once-only request.
    async fn insert(
        &self,
        operation: NewOperation,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<BulkOperation, AlreadyUndone>, StoreError>;

    /// What was answered to a once-only request before, if anything: what it named may have changed since.
    async fn answered(
        &self,
        once: &IdempotencyKey,
    ) -> Result<Option<Inserted<BulkOperation, AlreadyUndone>>, StoreError>;

    /// Records the operations that apply what a run of a playlist found, and the run's list of them, in one transaction: all
    /// begin, or none. `None` where entries of their rows went to another apply meanwhile.
    async fn insert_of_run(
        &self,
        run: Id,
        operations: Vec<NewOperation>,
    ) -> Result<Option<Vec<BulkOperation>>, StoreError>;

    /// One operation.
    async fn find(&self, id: Id) -> Result<Option<BulkOperation>, StoreError>;

    /// A page of the operations that are no dry runs, newest first: of everybody, or of one user.
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

    /// The unfinished operation of which the fewest slices are done: a small one does not wait for a large one.
    async fn next(&self) -> Result<Option<BulkOperation>, StoreError>;

    /// The items of a slice; `None` past the last.
    async fn slice(&self, id: Id, number: i64) -> Result<Option<Vec<ItemKey>>, StoreError>;

    /// The items that an operation changed or added, in its order.
    async fn changed_items(&self, operation: &BulkOperation) -> Result<Vec<ItemKey>, StoreError>;

    /// What an operation changed of these items.
    async fn changes_of(
        &self,
        operation: &BulkOperation,
        items: &[ItemKey],
    ) -> Result<Vec<(ItemKey, FieldDiff)>, StoreError>;

    /// Ends an operation that is unfinished; answers whether it was. That a user ends it is recorded.
    async fn end(
        &self,
        id: Id,
        state: OperationState,
        failure: Option<FailureCode>,
        edit: &Edit,
    ) -> Result<bool, StoreError>;
}

/// The slice of an operation that is to be done, and where the operation was when it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SliceOf {
    /// The operation.
    pub operation: Id,
    /// The slice's number, from 0: so many are done before it.
    pub number: i64,
    /// The position of its first item.
    pub first_position: i64,
    /// The operation that this one undoes: an item that this undoing would delete or restore stays where it is if anybody
    /// changed it since.
    pub undoes: Option<Id>,
}

/// What came of writing a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SliceWritten {
    /// The items were changed and their rows recorded, in one transaction.
    Done(Counts),
    /// The operation has ended, or another process did the slice: nothing is written.
    Overtaken,
}
