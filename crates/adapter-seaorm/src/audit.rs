//! The audit log: entries are added in the transactions of their changes, and listed.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain_audit::{AuditAction, AuditEntry};
use domain_kernel::{Enumeration, FieldDiff, Id, ListQuery, Origin, Page, Source, Username, Version};
use ports::{AuditFilter, AuditRepository, Edit, NewAuditEntry, StoreError};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, DbErr, DeleteMany, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QueryResult, QuerySelect, QueryTrait,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{
    Database,
    db::{
        error::store_error,
        sql::Sql,
        transaction::Transaction,
        values::{broken, member},
    },
    entities::audit_entries::{ActiveModel, Column, Entity, Model},
    list::{AccessPath, ListRequest, ListTable, page, rows_of_list},
};

/// Items of a slice per statement, so that other requests wait less for the processor.
pub(crate) const ITEMS_AT_ONCE: usize = 25;
/// Items per lookup of entries.
const ENTRIES_AT_ONCE: usize = 500;

/// The field with the text of a deleted note, in entries about users.
pub(crate) const NOTE: &str = "note";
/// The field with the end of a snooze, in entries about users. No field of a user has one of these
/// names.
pub(crate) const SNOOZED_UNTIL: &str = "snoozedUntil";

/// Reads the audit log.
#[derive(Debug, Clone)]
pub struct SeaOrmAudit(pub Database);

/// The content of an entry.
pub(crate) struct Record {
    pub(crate) action: AuditAction,
    pub(crate) resource: &'static str,
    pub(crate) item: String,
    pub(crate) title: String,
    pub(crate) version: Option<Version>,
    pub(crate) diff: FieldDiff,
}

/// Adds the entries of an edit, in its transaction.
pub(crate) async fn record(
    transaction: &Transaction,
    edit: &Edit,
    records: Vec<Record>,
) -> Result<(), DbErr> {
    let mut entries = records.into_iter().map(|record| entry(edit, record)).peekable();
    while entries.peek().is_some() {
        let some = entries.by_ref().take(ITEMS_AT_ONCE);
        Entity::insert_many(some).exec_without_returning(transaction).await?;
    }
    Ok(())
}

/// Adds one entry.
pub(crate) async fn record_one(transaction: &Transaction, edit: &Edit, one: Record) -> Result<(), DbErr> {
    record(transaction, edit, vec![one]).await
}

/// Deletes a row, records that, and commits. `false` if the row has another version: nothing is written.
pub(crate) async fn delete_recorded<E: EntityTrait>(
    transaction: Transaction,
    delete: DeleteMany<E>,
    edit: &Edit,
    deleted: Record,
) -> Result<bool, StoreError> {
    if delete.exec(&transaction).await.map_err(store_error)?.rows_affected == 0 {
        return Ok(false);
    }
    record_one(&transaction, edit, deleted).await.map_err(store_error)?;
    transaction.commit().await.map_err(store_error)?;
    Ok(true)
}

/// Whether the last entry of each item is of this operation. The rows of the items must be locked.
pub(crate) async fn were_changed_last_by(
    transaction: &Transaction,
    operation: Id,
    resource: &str,
    items: &[Id],
) -> Result<bool, DbErr> {
    for some in items.chunks(ENTRIES_AT_ONCE) {
        let newest = Entity::find()
            .select_only()
            .column_as(Column::Id.max(), "newest")
            .filter(Column::Resource.eq(resource))
            .filter(Column::Item.is_in(some.iter().map(ToString::to_string)))
            .group_by(Column::Item);
        let by_it = Entity::find()
            .filter(Column::Id.in_subquery(newest.into_query()))
            .filter(Column::OperationId.eq(operation))
            .count(transaction)
            .await?;
        if usize::try_from(by_it).unwrap_or_default() != some.len() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Fields of items that requests of users, not operations, have changed since an operation began, each with
/// its item.
pub(crate) async fn edited_since_begun(
    database: &Database,
    operation: Id,
    resource: &str,
    items: &[&str],
) -> Result<Vec<(String, String)>, StoreError> {
    // Identifiers are in the order of the changes, whatever the clocks of the nodes are.
    let begun = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::Resource.eq("operations"))
        .filter(Column::Item.eq(operation.to_string()))
        .filter(Column::Action.eq(AuditAction::Begun.code()));
    let Some(begun) = begun.into_tuple::<i64>().one(&database.reader).await.map_err(store_error)? else {
        return Ok(Vec::new());
    };
    let mut edited = Vec::new();
    for some in items.chunks(ENTRIES_AT_ONCE) {
        let found = Entity::find()
            .select_only()
            .columns([Column::Item, Column::After])
            .filter(Column::Resource.eq(resource))
            .filter(Column::Item.is_in(some.iter().copied()))
            .filter(Column::Id.gt(begun))
            .filter(Column::Source.eq(Source::Request.code()))
            .into_tuple::<(String, Option<String>)>()
            .all(&database.reader)
            .await
            .map_err(store_error)?;
        for (item, after) in found {
            let after: Map<String, Value> =
                after.map_or(Ok(Map::new()), |text| serde_json::from_str(&text)).map_err(broken)?;
            edited.extend(after.into_iter().map(|(field, _)| (item.clone(), field)));
        }
    }
    Ok(edited)
}

/// The fields of a value that is stored as JSON.
pub(crate) fn fields_of(of: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(of) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// Fields as stored; `None` without fields.
pub(crate) fn fields_text(fields: &Map<String, Value>) -> Option<String> {
    // JSON values always serialise.
    (!fields.is_empty()).then(|| serde_json::to_string(fields).unwrap_or_default())
}

/// The fields of a new item, as a change from nothing.
pub(crate) fn added(fields: Map<String, Value>) -> FieldDiff {
    FieldDiff { after: fields, ..FieldDiff::default() }
}

/// Adds an entry for a batch of an import by the command line, in its transaction, with the number
/// of changes; none without changes.
pub(crate) async fn record_import(
    transaction: &Transaction,
    resource: &'static str,
    counts: &[(&str, usize)],
    at: DateTime<Utc>,
) -> Result<(), DbErr> {
    let counts: Map<String, Value> = counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| ((*name).into(), json!(count)))
        .collect();
    if counts.is_empty() {
        return Ok(());
    }
    let edit = Edit { by: None, at, origin: Origin::of(Source::Import) };
    let (item, title, diff) = (String::new(), String::new(), added(counts));
    record_one(
        transaction,
        &edit,
        Record { action: AuditAction::Imported, resource, item, title, version: None, diff },
    )
    .await
}

fn entry(edit: &Edit, record: Record) -> ActiveModel {
    ActiveModel {
        occurred_at: Set(edit.at),
        actor: Set(edit.by.as_ref().map(ToString::to_string)),
        actor_key: Set(edit.by.as_ref().map(Username::key)),
        source: Set(edit.origin.source.code().to_owned()),
        address: Set(edit.origin.address.map(|address| address.to_string())),
        operation_id: Set(edit.origin.operation),
        action: Set(record.action.code().to_owned()),
        resource: Set(record.resource.to_owned()),
        item: Set(record.item),
        title: Set(record.title),
        version: Set(record.version),
        before: Set(fields_text(&record.diff.before)),
        after: Set(fields_text(&record.diff.after)),
        ..<ActiveModel as Default>::default()
    }
}

fn fields(json: Option<&String>) -> Result<Map<String, Value>, StoreError> {
    json.map_or_else(|| Ok(Map::new()), |json| serde_json::from_str(json).map_err(broken))
}

fn audit_entry(row: Model) -> Result<AuditEntry, StoreError> {
    Ok(AuditEntry {
        id: row.id,
        occurred_at: row.occurred_at,
        actor: row.actor.as_deref().and_then(Username::parse),
        origin: Origin {
            source: member::<Source>(&row.source)?,
            address: row.address.as_deref().and_then(|address| address.parse().ok()),
            operation: row.operation_id,
        },
        action: member::<AuditAction>(&row.action)?,
        resource: row.resource,
        item: row.item,
        title: row.title,
        version: row.version,
        diff: FieldDiff { before: fields(row.before.as_ref())?, after: fields(row.after.as_ref())? },
    })
}

fn read(row: &QueryResult) -> Result<AuditEntry, StoreError> {
    use sea_orm::FromQueryResult;
    audit_entry(Model::from_query_result(row, "").map_err(store_error)?)
}

/// The list of entries.
struct AuditList<'a>(&'a AuditFilter);

impl ListTable for AuditList<'_> {
    type Row = AuditEntry;

    const TABLE: &'static str = "audit_entries";
    const ALIAS: &'static str = "a";
    const COLUMNS: &'static str = "a.id, a.occurred_at, a.actor, a.actor_key, a.source, a.address, a.operation_id, \
        a.action, a.resource, a.item, a.title, a.version, a.before, a.after";
    const SORTS: &'static [(&'static str, &'static str)] = &[("occurredAt", "occurred_at")];
    const DEFAULT_ORDER: (&'static str, bool) = ("a.id", true);
    const READ: fn(&QueryResult) -> Result<Self::Row, StoreError> = read;

    fn push_conditions(&self, sql: &mut Sql, _request: &ListRequest<'_>, _path: AccessPath) {
        let filter = self.0;
        sql.push(" WHERE 1 = 1");
        if let Some(actor) = &filter.actor {
            sql.push(" AND a.actor_key = ").bind(actor.key());
        }
        if let Some(resource) = &filter.resource {
            sql.push(" AND a.resource = ").bind(resource.clone());
        }
        if let Some(item) = &filter.item {
            sql.push(" AND a.item = ").bind(item.clone());
        }
        if let Some(action) = filter.action {
            sql.push(" AND a.action = ").bind(action.code());
        }
        if let Some(from) = filter.from {
            sql.push(" AND a.occurred_at >= ").bind(from);
        }
        if let Some(to) = filter.to {
            sql.push(" AND a.occurred_at < ").bind(to);
        }
        if filter.without_notes {
            for field in [NOTE, SNOOZED_UNTIL] {
                for side in ["before", "after"] {
                    sql.push(&format!(" AND coalesce(a.{side}, '') NOT LIKE "))
                        .bind(format!("%\"{field}\":%"));
                }
            }
        }
    }
}

#[async_trait]
impl AuditRepository for SeaOrmAudit {
    async fn add(&self, new: NewAuditEntry, edit: Edit) -> Result<(), StoreError> {
        let transaction = self.0.begin().await.map_err(store_error)?;
        let record_of_it = Record {
            action: new.action,
            resource: new.resource,
            item: new.item,
            title: new.title,
            version: None,
            diff: FieldDiff { after: new.after, ..FieldDiff::default() },
        };
        record(&transaction, &edit, vec![record_of_it]).await.map_err(store_error)?;
        transaction.commit().await.map_err(store_error)
    }

    async fn list(
        &self,
        filter: &AuditFilter,
        query: &ListQuery,
    ) -> Result<Page<Vec<AuditEntry>>, StoreError> {
        page(&self.0, &AuditList(filter), query).await
    }

    async fn changes_after(
        &self,
        resource: &str,
        item: &str,
        version: Version,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        let found = Entity::find()
            .filter(Column::Resource.eq(resource))
            .filter(Column::Item.eq(item))
            .filter(Column::Version.gt(version))
            .order_by_desc(Column::Id)
            .limit(u64::from(limit))
            .all(&self.0.reader)
            .await
            .map_err(store_error)?;
        found.into_iter().map(audit_entry).collect()
    }
}

rows_of_list!(SeaOrmAudit, 0, AuditFilter, AuditEntry, |store, filter| AuditList(filter));
