//! Inserts operations with their items, and the audit entry of their start.

use domain_audit::AuditAction;
use domain_kernel::{Enumeration, Id, Username};
use domain_operations::{BulkOperation, ItemKey, OperationState};
use ports::{AlreadyUndone, Edit, IdempotencyKey, Inserted, NewOperation};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ConnectionTrait, DbErr, EntityTrait, QuerySelect,
    sea_query::OnConflict,
};
use serde_json::json;

use super::{SeaOrmOperations, reading::operation};
use crate::{
    audit::{self as recorded, Record, fields_of, record_one},
    db::transaction::Transaction,
    entities::{
        bulk_operation_slices::{self as slices, Entity as Slices},
        bulk_operations::{ActiveModel, Entity, Model},
        sheets::{self, Entity as Sheets},
    },
    idempotency::{Earlier, answered, keep_answer},
};

/// Slices per insert.
const SLICES_AT_ONCE: usize = 500;

impl SeaOrmOperations {
    /// Adds an operation, idempotently where a key is given.
    pub(super) async fn add(
        &self,
        new: &NewOperation,
        once: Option<&IdempotencyKey>,
    ) -> Result<Inserted<BulkOperation, AlreadyUndone>, DbErr> {
        let transaction = self.0.begin().await?;
        if let Some(once) = once
            && let Some(earlier) = earlier(&transaction, once).await?
        {
            return Ok(earlier);
        }
        let begun = insert(&transaction, new).await?;
        if let Some(once) = once {
            keep_answer(&transaction, once, begun.id.to_string(), new.created_date).await?;
        }
        transaction.commit().await?;
        Ok(Inserted::New(begun))
    }
}

/// The response to an earlier request with the same key, if any.
pub(super) async fn earlier(
    connection: &impl ConnectionTrait,
    once: &IdempotencyKey,
) -> Result<Option<Inserted<BulkOperation, AlreadyUndone>>, DbErr> {
    let answer = match answered(connection, once).await? {
        Some(Earlier::Replayed(answer)) => answer,
        Some(Earlier::KeyReused) => return Ok(Some(Inserted::KeyReused)),
        None => return Ok(None),
    };
    let id = answer.parse::<Id>().map_err(|error| DbErr::Type(error.to_string()))?;
    Ok(Some(Inserted::Replayed(stored(connection, id).await?)))
}

/// An operation without its undo.
pub(super) async fn stored(connection: &impl ConnectionTrait, id: Id) -> Result<BulkOperation, DbErr> {
    let row = Entity::find_by_id(id).one(connection).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound(id.to_string()))?;
    let file = file_of(connection, &row).await?;
    operation(row, None, file).map_err(|error| DbErr::Type(error.to_string()))
}

/// Adds an operation with its items, and an audit entry for the start if it changes anything.
pub(super) async fn insert(transaction: &Transaction, new: &NewOperation) -> Result<BulkOperation, DbErr> {
    let change = new.change.as_ref().map(serde_json::to_string).transpose();
    let row = ActiveModel {
        kind: Set(new.resource.path().to_owned()),
        change: Set(change.map_err(|error| DbErr::Type(error.to_string()))?),
        undo_of: Set(new.undo_of),
        dry_run: Set(new.dry_run),
        state: Set(OperationState::Waiting.code().to_owned()),
        created_by: Set(new.created_by.clone()),
        created_date: Set(new.created_date),
        total: Set(match &new.import {
            Some(import) => import.rows,
            None => i64::try_from(new.items.len()).unwrap_or(i64::MAX),
        }),
        sheet_id: Set(new.import.as_ref().map(|import| import.sheet)),
        sheet_columns: Set(new.import.as_ref().map(|import| serde_json::json!(import.columns).to_string())),
        sheet_defaults: Set(new
            .import
            .as_ref()
            .filter(|import| !import.defaults.is_empty())
            .map(|import| serde_json::json!(import.defaults).to_string())),
        slices_done: Set(0),
        changed: Set(0),
        unchanged: Set(0),
        refused: Set(0),
        conflicts: Set(0),
        missing: Set(0),
        created: Set(0),
        ..<ActiveModel as Default>::default()
    };
    let row = row.insert(transaction).await?;
    insert_slices(transaction, row.id, &new.items, new.items_of_slice).await?;
    let file = file_of(transaction, &row).await?;
    let begun = operation(row, None, file).map_err(|error| DbErr::Type(error.to_string()))?;
    if !begun.dry_run {
        let by = Username::parse(&new.created_by);
        let edit = Edit { by, at: new.created_date, origin: new.origin };
        let action = if new.undo_of.is_some() { AuditAction::Undone } else { AuditAction::Begun };
        record_one(transaction, &edit, record_of(action, &begun)).await?;
    }
    Ok(begun)
}

/// Adds the items of an operation in slices; existing ones stay.
pub(super) async fn insert_slices(
    transaction: &Transaction,
    operation: Id,
    items: &[ItemKey],
    items_of_slice: usize,
) -> Result<(), DbErr> {
    let slice = |(number, items): (i64, &[ItemKey])| slices::ActiveModel {
        operation_id: Set(operation),
        number: Set(number),
        items: Set(serde_json::json!(items).to_string()),
    };
    let all: Vec<slices::ActiveModel> = (0..).zip(items.chunks(items_of_slice)).map(slice).collect();
    for some in all.chunks(SLICES_AT_ONCE) {
        let same = [slices::Column::OperationId, slices::Column::Number];
        let kept = OnConflict::columns(same).do_nothing().to_owned();
        let insert = Slices::insert_many(some.iter().cloned()).on_conflict(kept);
        insert.exec_without_returning(transaction).await?;
    }
    Ok(())
}

/// The audit entry of an operation; its changes have entries by item.
pub(super) fn record_of(action: AuditAction, operation: &BulkOperation) -> Record {
    let diff = recorded::added(fields_of(&json!({
        "kind": operation.resource.path(),
        "change": operation.change,
        "undoOf": operation.undo_of,
        "total": operation.total,
    })));
    let item = operation.id.to_string();
    let title = format!("#{item}");
    Record { action, resource: "operations", item, title, version: None, diff }
}

/// The name of the imported file of an operation.
pub(super) async fn file_of(connection: &impl ConnectionTrait, row: &Model) -> Result<Option<String>, DbErr> {
    let Some(sheet) = row.sheet_id else { return Ok(None) };
    let find = Sheets::find_by_id(sheet).select_only().column(sheets::Column::FileName);
    find.into_tuple().one(connection).await
}
