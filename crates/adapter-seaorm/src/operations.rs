//! Bulk operations: the change, the progress, and the result of each item. The items are changed by
//! the store of their kind (`catalogue/slices.rs`).

mod inserting;
mod reading;
mod recording;
mod several;

use std::collections::HashMap;

use async_trait::async_trait;
use domain_audit::AuditAction;
use domain_kernel::{Enumeration, FieldDiff, FilterValue, Id, ListQuery, Page};
use domain_operations::{
    BulkOperation, FailureCode, ItemKey, OperationRow, OperationState, Resource, Verdict,
};
use ports::{
    AlreadyUndone, Edit, IdempotencyKey, Inserted, Moves, NewMoves, NewOperation, OperationFilter,
    OperationRepository, RowFilter, StoreError,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QueryResult,
    QuerySelect, sea_query::Expr,
};

pub(crate) use self::recording::{made_items, record_slice};
use self::{
    inserting::{earlier, file_of, insert_slices, record_of},
    reading::{broken, item, operation, operation_row, read},
};
use crate::{
    Database,
    audit::{edited_since_begun, record_one},
    db::{
        error::{is_overtaken, is_unique, store_error},
        retries::tried,
        sql::Sql,
    },
    entities::{
        bulk_operation_rows::{self as rows, Entity as Rows},
        bulk_operation_slices::Entity as Slices,
        bulk_operations::{ActiveModel, Column, Entity, Model},
        sheets::{self, Entity as Sheets},
    },
    list::{AccessPath, ListRequest, ListTable, page, push_range, rows_of_list},
};

/// The store of bulk operations.
#[derive(Debug, Clone)]
pub struct SeaOrmOperations(pub Database);

/// The condition of effective operations: one that undoes another prevents a second undo. Exactly
/// as in the index `bulk_operations_undone`: with bound values, SQLite would read every operation
/// instead.
const IN_EFFECT: &str = "NOT dry_run AND state NOT IN ('CANCELLED', 'FAILED') \
    AND (state <> 'FINISHED' OR changed > 0 OR created > 0)";

/// The list of operations without dry runs, newest first by default. Its conditions are those of
/// the indexes of migrations 117, 132 and 148.
struct OperationList<'a>(&'a OperationFilter);

impl ListTable for OperationList<'_> {
    type Row = Model;

    const TABLE: &'static str = "bulk_operations";
    const ALIAS: &'static str = "o";
    const COLUMNS: &'static str = "o.id, o.kind, o.change, o.undo_of, o.dry_run, o.state, o.failure, o.created_by, \
        o.created_date, o.finished_date, o.total, o.slices_done, o.changed, o.unchanged, o.refused, o.conflicts, o.missing, \
        o.created, o.sheet_id, o.sheet_columns, o.sheet_defaults";
    const SORTS: &'static [(&'static str, &'static str)] = &[
        ("createdDate", "created_date"),
        ("finishedDate", "finished_date"),
        ("state", "state"),
        ("resource", "kind"),
        ("total", "total"),
    ];
    const NULLABLE: &'static [&'static str] = &["o.finished_date"];
    const DEFAULT_ORDER: (&'static str, bool) = ("o.id", true);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = model;

    fn push_conditions(&self, sql: &mut Sql, request: &ListRequest<'_>, _path: AccessPath) {
        sql.push(" WHERE NOT o.dry_run");
        if let Some(username) = &self.0.created_by {
            push_user(sql, username);
        }
        for filter in &request.query.filters {
            match &filter.value {
                FilterValue::Text(username) => push_user(sql, username),
                FilterValue::Code(code) => {
                    let column = if filter.field == "resource" { "kind" } else { "state" };
                    sql.push(&format!(" AND o.{column} = ")).bind(*code);
                }
                _ => {}
            }
        }
        push_range(sql, request.query, "o.created_date");
    }
}

/// The condition that this user started the operation, ignoring case.
fn push_user(sql: &mut Sql, username: &str) {
    sql.push(" AND lower(o.created_by) = ").bind(username.to_ascii_lowercase());
}

fn model(row: &QueryResult) -> Result<Model, StoreError> {
    Model::from_query_result(row, "").map_err(store_error)
}

rows_of_list!(
    SeaOrmOperations,
    0,
    OperationFilter,
    BulkOperation,
    |store, filter| OperationList(filter),
    |rows| store.with_undo(rows).await
);

impl SeaOrmOperations {
    /// The operations of these rows, in the same order, with their undo and the name of their file.
    async fn with_undo(&self, rows: Vec<Model>) -> Result<Vec<BulkOperation>, StoreError> {
        let undone = Entity::find()
            .select_only()
            .columns([Column::UndoOf, Column::Id])
            .filter(Column::UndoOf.is_in(rows.iter().map(|row| row.id)))
            .filter(Expr::cust(IN_EFFECT))
            .into_tuple::<(Id, Id)>()
            .all(&self.0.reader)
            .await
            .map_err(store_error)?;
        let undone: HashMap<Id, Id> = undone.into_iter().collect();
        let imported: Vec<Id> = rows.iter().filter_map(|row| row.sheet_id).collect();
        let mut files = HashMap::new();
        if !imported.is_empty() {
            let find = Sheets::find()
                .select_only()
                .columns([sheets::Column::Id, sheets::Column::FileName])
                .filter(sheets::Column::Id.is_in(imported));
            let found = find.into_tuple::<(Id, String)>().all(&self.0.reader).await.map_err(store_error)?;
            files.extend(found);
        }
        let one = |row: Model| {
            let undone_by = undone.get(&row.id).copied();
            let file = row.sheet_id.and_then(|sheet| files.get(&sheet).cloned());
            operation(row, undone_by, file)
        };
        rows.into_iter().map(one).collect()
    }
}

#[async_trait]
impl OperationRepository for SeaOrmOperations {
    async fn insert(
        &self,
        operation: NewOperation,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<BulkOperation, AlreadyUndone>, StoreError> {
        match tried(is_overtaken, || self.add(&operation, once.as_ref())).await {
            Err(error) if is_unique(&error) && operation.undo_of.is_some() => {
                Ok(Inserted::Conflict(AlreadyUndone))
            }
            outcome => outcome.map_err(store_error),
        }
    }

    async fn answered(
        &self,
        once: &IdempotencyKey,
    ) -> Result<Option<Inserted<BulkOperation, AlreadyUndone>>, StoreError> {
        earlier(&self.0.reader, once).await.map_err(store_error)
    }

    async fn insert_of_run(
        &self,
        run: Id,
        operations: Vec<NewOperation>,
        entries: u64,
    ) -> Result<Option<Vec<BulkOperation>>, StoreError> {
        tried(is_overtaken, || self.try_insert_of_run(run, &operations, entries)).await.map_err(store_error)
    }

    async fn insert_moves(
        &self,
        moves: NewMoves,
        once: Option<IdempotencyKey>,
    ) -> Result<Inserted<Moves>, StoreError> {
        tried(is_overtaken, || self.try_insert_moves(&moves, once.as_ref())).await.map_err(store_error)
    }

    async fn answered_moves(&self, once: &IdempotencyKey) -> Result<Option<Inserted<Moves>>, StoreError> {
        several::earlier_moves(&self.0.reader, once).await.map_err(store_error)
    }

    async fn find(&self, id: Id) -> Result<Option<BulkOperation>, StoreError> {
        let row = Entity::find_by_id(id).one(&self.0.reader).await.map_err(store_error)?;
        Ok(self.with_undo(row.into_iter().collect()).await?.pop())
    }

    async fn list(
        &self,
        filter: &OperationFilter,
        query: &ListQuery,
    ) -> Result<Page<Vec<BulkOperation>>, StoreError> {
        let found = page(&self.0, &OperationList(filter), query).await?;
        let total = found.total_elements;
        Ok(Page::of(query, self.with_undo(found.content).await?, total))
    }

    async fn rows(
        &self,
        operation: &BulkOperation,
        filter: RowFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Vec<OperationRow>, StoreError> {
        let mut find = Rows::find().filter(rows::Column::OperationId.eq(operation.id));
        if let Some(verdict) = filter.verdict {
            find = find.filter(rows::Column::Verdict.eq(verdict.code()));
        }
        if filter.has_problems {
            find = find.filter(rows::Column::Problems.is_not_null());
        }
        let find = find.order_by_asc(rows::Column::Position).offset(offset).limit(limit);
        let found = find.all(&self.0.reader).await.map_err(store_error)?;
        found.into_iter().map(|row| operation_row(operation.resource, row)).collect()
    }

    async fn next(&self) -> Result<Option<BulkOperation>, StoreError> {
        let row = Entity::find()
            .filter(Column::FinishedDate.is_null())
            .order_by_asc(Column::SlicesDone)
            .order_by_asc(Column::Id)
            .one(&self.0.reader)
            .await
            .map_err(store_error)?;
        let Some(row) = row else { return Ok(None) };
        let file = file_of(&self.0.reader, &row).await.map_err(store_error)?;
        operation(row, None, file).map(Some)
    }

    async fn slice(&self, id: Id, number: i64) -> Result<Option<Vec<ItemKey>>, StoreError> {
        let row = Slices::find_by_id((id, number)).one(&self.0.writer).await.map_err(store_error)?;
        row.map(|row| serde_json::from_str(&row.items).map_err(broken)).transpose()
    }

    async fn arrange(&self, id: Id, places: Vec<ItemKey>, items_of_slice: usize) -> Result<(), StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        insert_slices(&transaction, id, &places, items_of_slice).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)
    }

    async fn changed_items(&self, operation: &BulkOperation) -> Result<Vec<ItemKey>, StoreError> {
        let find = Rows::find()
            .select_only()
            .column(rows::Column::Item)
            .filter(rows::Column::OperationId.eq(operation.id))
            .filter(rows::Column::Verdict.is_in([Verdict::Changed, Verdict::Created].map(Enumeration::code)))
            .order_by_asc(rows::Column::Position);
        let found = find.into_tuple::<String>().all(&self.0.writer).await.map_err(store_error)?;
        found.iter().map(|text| item(operation.resource, text)).collect()
    }

    async fn edited_since_begun(
        &self,
        operation: Id,
        resource: Resource,
        items: &[ItemKey],
    ) -> Result<Vec<(ItemKey, String)>, StoreError> {
        // The audit log has the lower-case names of users.
        let items: HashMap<String, &ItemKey> =
            items.iter().map(|item| (item.to_string().to_lowercase(), item)).collect();
        let keys: Vec<&str> = items.keys().map(String::as_str).collect();
        let edited = edited_since_begun(&self.0, operation, resource.path(), &keys).await?;
        Ok(edited.into_iter().filter_map(|(key, field)| Some(((*items.get(&key)?).clone(), field))).collect())
    }

    async fn changes_of(
        &self,
        operation: &BulkOperation,
        items: &[ItemKey],
    ) -> Result<Vec<(ItemKey, FieldDiff)>, StoreError> {
        let found = Rows::find()
            .filter(rows::Column::OperationId.eq(operation.id))
            .filter(rows::Column::Verdict.eq(Verdict::Changed.code()))
            .filter(rows::Column::Item.is_in(items.iter().map(ToString::to_string)))
            .all(&self.0.writer)
            .await
            .map_err(store_error)?;
        let diff = |row: rows::Model| {
            let (before, after) = (read(row.before.as_ref())?, read(row.after.as_ref())?);
            Ok((item(operation.resource, &row.item)?, FieldDiff { before, after }))
        };
        found.into_iter().map(diff).collect()
    }

    async fn end(
        &self,
        id: Id,
        state: OperationState,
        failure: Option<FailureCode>,
        edit: &Edit,
    ) -> Result<bool, StoreError> {
        let row = ActiveModel {
            state: Set(state.code().to_owned()),
            failure: Set(failure.map(|failure| failure.code().to_owned())),
            finished_date: Set(Some(edit.at)),
            ..<ActiveModel as Default>::default()
        };
        let update =
            Entity::update_many().set(row).filter(Column::Id.eq(id)).filter(Column::FinishedDate.is_null());
        let transaction = self.0.begin().await.map_err(store_error)?;
        let is_ended = update.exec(&transaction).await.map_err(store_error)?.rows_affected == 1;
        if is_ended && edit.by.is_some() {
            let row = Entity::find_by_id(id).one(&transaction).await.map_err(store_error)?;
            if let Some(row) = row.filter(|row| !row.dry_run) {
                let file = file_of(&transaction, &row).await.map_err(store_error)?;
                let ended = operation(row, None, file)?;
                let cancelled = record_of(AuditAction::Cancelled, &ended);
                record_one(&transaction, edit, cancelled).await.map_err(store_error)?;
            }
        }
        transaction.commit().await.map_err(store_error)?;
        Ok(is_ended)
    }
}
