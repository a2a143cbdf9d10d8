//! Undoes an operation by another one, which keeps later changes.

use domain_kernel::{Action, Actor, Id};
use domain_operations::{BulkOperation, items_of_slice};
use ports::{NewOperation, StoreError};

use super::{
    OperationService,
    permissions::{permission, require},
};
use crate::{Error, OperationRefusal, sheet_imports::may_import};

impl OperationService {
    /// Starts an operation that restores the values changed by another one, except for values
    /// changed since.
    pub async fn undo(&self, actor: &Actor, id: Id) -> Result<BulkOperation, Error> {
        let operation = self.find(actor, id).await?;
        self.require_for(actor, &operation).await?;
        self.require_for_undoing(actor, &operation).await?;
        let now = self.calendar.now();
        let refused = |refusal| Err(Error::Operation(refusal));
        match operation.undo_until() {
            _ if operation.undone_by.is_some() => return refused(OperationRefusal::Undone),
            _ if operation.state.is_unfinished() => return refused(OperationRefusal::Unfinished),
            None => return refused(OperationRefusal::Nothing),
            Some(until) if until <= now => return refused(OperationRefusal::TooLate),
            Some(_) => {}
        }
        let undo = NewOperation {
            resource: operation.resource,
            change: None,
            undo_of: Some(id),
            import: None,
            dry_run: false,
            created_by: actor.username.to_string(),
            created_date: now,
            origin: actor.origin,
            items: self.operations.changed_items(&operation).await?,
            items_of_slice: items_of_slice(operation.resource, operation.change.as_ref()),
        };
        Ok(self.record(undo, None).await?.operation)
    }

    /// Requires the permission for an operation. Moving items to or from the trash, or undoing
    /// that, requires the permission to delete.
    pub(super) async fn require_for(&self, actor: &Actor, operation: &BulkOperation) -> Result<(), Error> {
        if self.deletes(operation).await?.is_some() {
            return Ok(actor.require(permission(operation.resource, Action::Delete))?);
        }
        if operation.import.is_some() {
            return may_import(actor, operation.resource);
        }
        if operation.undo_of.is_some() {
            self.require_for_undoing(actor, &self.undone(operation).await?).await?;
        }
        require(actor, operation.resource, operation.change.as_ref())
    }

    /// Undoing an import that added items requires the permission to delete.
    async fn require_for_undoing(&self, actor: &Actor, operation: &BulkOperation) -> Result<(), Error> {
        match self.import_of(operation).await? {
            Some((root, _)) if root.counts.created > 0 => {
                Ok(actor.require(permission(operation.resource, Action::Delete))?)
            }
            _ => Ok(()),
        }
    }

    /// The import that an operation is, undoes, or redoes, and whether the imported items exist
    /// after the operation.
    pub(super) async fn import_of(
        &self,
        operation: &BulkOperation,
    ) -> Result<Option<(BulkOperation, bool)>, Error> {
        let mut current = operation.clone();
        let mut is_there = true;
        while current.undo_of.is_some() {
            current = self.undone(&current).await?;
            is_there = !is_there;
        }
        Ok(current.import.is_some().then_some((current, is_there)))
    }

    /// Whether an operation moves items to the trash (`true`) or from it (`false`), directly or by
    /// undoing another one; `None` for other changes.
    pub(super) async fn deletes(&self, operation: &BulkOperation) -> Result<Option<bool>, Error> {
        let mut deletes = true;
        let mut undone;
        let mut current = operation;
        loop {
            match (&current.change, current.undo_of) {
                (Some(change), _) if change.restores() => return Ok(Some(!deletes)),
                (Some(change), _) => return Ok(change.deletes().then_some(deletes)),
                (None, None) => return Ok(None),
                (None, Some(_)) => {
                    undone = self.undone(current).await?;
                    current = &undone;
                    deletes = !deletes;
                }
            }
        }
    }

    /// The operation that another one undoes.
    pub(super) async fn undone(&self, undo: &BulkOperation) -> Result<BulkOperation, Error> {
        let undone = self.operations.find(undo.undo_of.unwrap_or_default()).await?;
        Ok(undone.ok_or_else(|| StoreError::Broken("an undo without its operation".into()))?)
    }
}
