//! Runs operations, one slice at a time.

use std::collections::HashMap;

use async_trait::async_trait;
use domain_kernel::{
    Action, Actor, Code, Denied, Enumeration, FieldDiff, Id, Kind, Origin, Source, Username,
};
use domain_operations::{BulkOperation, FailureCode, ItemKey, OperationState, Resource, SLICE, SheetImport};
use domain_users::UserStatus;
use ports::{SliceOf, StoreError};
use serde_json::{Map, Value};

use super::{
    OperationService,
    permissions::permission,
    slice::{ImportUndo, SliceChange, UserEdits, take_streams},
};
use crate::{Error, Job, panics::catch_panic};

/// The change that undoes the import of a user.
fn deactivation() -> FieldDiff {
    let status = |status: UserStatus| Map::from_iter([("status".to_owned(), Value::from(status.code()))]);
    FieldDiff { before: status(UserStatus::Inactive), after: status(UserStatus::Active) }
}

#[async_trait(?Send)]
impl Job for OperationService {
    /// Runs one slice of an unfinished operation. If the store is unavailable the slice runs later;
    /// after another error the operation fails, so that it does not block others.
    async fn run_next(&self) -> Result<bool, Error> {
        let Some(operation) = self.operations.next().await? else { return Ok(false) };
        match catch_panic(self.run_slice_of(&operation)).await {
            Ok(()) => {}
            Err(Error::Denied(denied)) => {
                tracing::warn!(operation = operation.id, %denied, "bulk operation failed");
                self.fail(&operation, FailureCode::Forbidden).await?;
            }
            Err(error) if error.code() == Code::Internal => {
                tracing::error!(operation = operation.id, %error, "bulk operation failed");
                self.fail(&operation, FailureCode::Internal).await?;
            }
            Err(error) => return Err(error),
        }
        Ok(true)
    }
}

impl OperationService {
    async fn fail(&self, operation: &BulkOperation, failure: FailureCode) -> Result<bool, Error> {
        let edit = self.calendar.edit_of_server();
        Ok(self.operations.end(operation.id, OperationState::Failed, Some(failure), &edit).await?)
    }

    async fn run_slice_of(&self, operation: &BulkOperation) -> Result<(), Error> {
        let actor = self.actor_of(operation).await?;
        let slice = SliceOf {
            operation: operation.id,
            number: operation.slices_done,
            first_position: operation.counts.done(),
            undoes: operation.undo_of,
        };
        if let Some(import) = &operation.import {
            let places = self.places_of(operation, import, slice.number).await?;
            return self.imports.run_slice(&actor, operation, import, slice, places).await.map(drop);
        }
        let items = self.operations.slice(slice.operation, slice.number).await?;
        let items = items.ok_or_else(|| StoreError::Broken("an operation lacks a slice".into()))?;
        let diffs;
        let import_undo;
        let change = if let Some(deletes) = self.deletes(operation).await? {
            if deletes { SliceChange::Delete } else { SliceChange::Restore }
        } else if let Some(change) = &operation.change {
            SliceChange::Make(change, UserEdits { operations: &*self.operations, operation })
        } else {
            let undone = self.undone(operation).await?;
            let mut changes: HashMap<_, _> =
                self.operations.changes_of(&undone, &items).await?.into_iter().collect();
            if operation.resource == Resource::Users && undone.import.is_some() {
                // Imported users are kept, because the ledger may refer to them. They can't sign in
                // any more.
                for item in &items {
                    changes.entry(item.clone()).or_insert_with(deactivation);
                }
            }
            if operation.resource != Resource::Users
                && let Some((root, restores)) = self.import_of(operation).await?
            {
                let ids: Vec<Id> = items.iter().filter_map(ItemKey::number).collect();
                let added = self.imports.added_items(root.id, &ids).await?;
                let streams = if operation.resource == Resource::Content(Kind::TvChannels) {
                    take_streams(&mut changes)
                } else {
                    HashMap::new()
                };
                import_undo = ImportUndo { diffs: changes, streams, added, restores };
                SliceChange::UndoImport(&import_undo)
            } else {
                diffs = changes;
                SliceChange::Undo(&diffs)
            }
        };
        let dry_run = operation.dry_run;
        let written = match operation.resource {
            Resource::Content(kind) => {
                self.contents.run_slice(kind, &actor, slice, &items, change, dry_run).await
            }
            Resource::Users => self.users.run_slice(&actor, slice, &items, &change, dry_run).await,
            Resource::Reports => self.issues.run_slice(&actor, slice, &items, &change, dry_run).await,
        };
        written.map(drop)
    }

    /// Positions of the rows of an import's slice in the file; `None` if they are consecutive. Each
    /// import has its own order, found at its start, because another import may map other columns.
    async fn places_of(
        &self,
        operation: &BulkOperation,
        import: &SheetImport,
        slice: i64,
    ) -> Result<Option<Vec<i64>>, Error> {
        if operation.resource != Resource::Users {
            return Ok(None);
        }
        let mut stored = self.operations.slice(operation.id, slice).await?;
        if stored.is_none()
            && slice == 0
            && let Some(order) = self.imports.registrars_first(import).await?
        {
            let place = |place: usize| ItemKey::Number(i64::try_from(place).unwrap_or(i64::MAX));
            let places = order.into_iter().map(place).collect();
            self.operations.arrange(operation.id, places, SLICE).await?;
            stored = self.operations.slice(operation.id, slice).await?;
        }
        Ok(stored.map(|places| places.iter().filter_map(ItemKey::number).collect()))
    }

    /// The user who started the operation, if they still have the permission.
    async fn actor_of(&self, operation: &BulkOperation) -> Result<Actor, Error> {
        let denied = || Error::Denied(Denied(permission(operation.resource, Action::Update)));
        let username = Username::parse(&operation.created_by).ok_or_else(denied)?;
        let user = self.users.users.find_credentials(&username).await?;
        let user = user.filter(|user| user.status == UserStatus::Active).ok_or_else(denied)?;
        let origin = Origin { operation: Some(operation.id), ..Origin::of(Source::BulkOperation) };
        let actor = user.actor(origin);
        self.require_for(&actor, operation).await?;
        Ok(actor)
    }

    /// A user by name, if they may still act.
    pub(crate) async fn actor_named(&self, name: &str) -> Result<Actor, Error> {
        let username = Username::parse(name).ok_or(Error::Forbidden)?;
        let user = self.users.users.find_credentials(&username).await?;
        let user = user.filter(|user| user.status == UserStatus::Active).ok_or(Error::Forbidden)?;
        Ok(user.actor(Origin::of(Source::BulkOperation)))
    }
}
