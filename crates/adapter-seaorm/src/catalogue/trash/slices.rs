//! Deletions and restorations of a slice of a bulk operation.

use std::collections::{BTreeSet, HashMap};

use domain_audit::AuditAction;
use domain_catalogue::{Content, Kind};
use domain_kernel::{Code, Id, Version, Violation};
use domain_operations::Verdict;
use ports::{Edit, SliceOf, in_use, key_in_use};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, QueryFilter, QueryOrder, QuerySelect, Value,
    sea_query::{BinOper, Expr, ExprTrait, LockType, Order, Query},
};

use super::{in_trash, move_to_trash, restore_season_of, take_out, unreadable};
use crate::{
    audit::{record, were_changed_last_by},
    catalogue::{
        changing::usage_of,
        episodes,
        recording::record_of,
        rows::{named, stored},
        seasons,
        table::ContentTable,
    },
    db::{
        sql::{of, values_as_v},
        transaction::Transaction,
    },
    entities::audit_entries::{Column as AuditColumn, Entity as AuditEntries},
};

/// Maximum rows with one natural key that are read to find the oldest that this undo did not restore.
const MOST_HOLDERS: u64 = 500;

/// Whether the last change of an item, and of each part of a show, was by this operation. The rows
/// are locked.
async fn was_changed_last_by<T: ContentTable>(
    transaction: &Transaction,
    id: Id,
    operation: Id,
) -> Result<bool, DbErr> {
    let kind = T::Content::KIND;
    if !were_changed_last_by(transaction, operation, kind.path(), &[id]).await? {
        return Ok(false);
    }
    Ok(kind != Kind::TvShows
        || parts_were_changed_last_by::<episodes::Entity>(transaction, id, operation).await?
            && parts_were_changed_last_by::<seasons::Entity>(transaction, id, operation).await?)
}

async fn parts_were_changed_last_by<T: ContentTable>(
    transaction: &Transaction,
    show: Id,
    operation: Id,
) -> Result<bool, DbErr> {
    let find = T::find().select_only().column(named::<T>("id")).filter(named::<T>("tv_show_id").eq(show));
    let parts = find.order_by_asc(named::<T>("id")).lock(LockType::Update);
    let parts: Vec<Id> = parts.into_tuple().all(transaction).await?;
    were_changed_last_by(transaction, operation, T::Content::KIND.path(), &parts).await
}

fn changed_since() -> (Verdict, Option<Violation>) {
    (Verdict::Refused, Some(Violation::new("", Code::ChangedSince)))
}

/// Deletes an item of a slice, if it still has this version and no references; returns the result.
/// An undo does not delete items that were changed since.
pub(in crate::catalogue) async fn delete_in_slice<T: ContentTable>(
    transaction: &Transaction,
    id: Id,
    version: Version,
    undoes: Option<Id>,
    edit: &Edit,
) -> Result<(Verdict, Option<Violation>), DbErr> {
    let row = T::find().filter(named::<T>("id").eq(id)).lock(LockType::Update).one(transaction).await?;
    let Some(row) = row else { return Ok((Verdict::Missing, None)) };
    let item = stored::<T>(&row).map_err(unreadable)?;
    if item.version != version {
        return Ok((Verdict::Conflict, None));
    }
    let usage = usage_of::<T>(transaction, id).await?;
    if !usage.is_empty() {
        return Ok((Verdict::Refused, Some(in_use(&usage))));
    }
    if let Some(operation) = undoes
        && !was_changed_last_by::<T>(transaction, id, operation).await?
    {
        return Ok(changed_since());
    }
    move_to_trash::<T>(transaction, &item, edit).await?;
    record(transaction, edit, vec![record_of(AuditAction::Deleted, &item)]).await?;
    Ok((Verdict::Changed, None))
}

/// Items with the natural keys of those to restore in a slice, by key, each with its ID and name.
/// If natural keys are not unique, items restored by the same undo do not count, because they
/// existed beside each other before.
pub(in crate::catalogue) async fn holders_of_keys<T: ContentTable>(
    transaction: &Transaction,
    restored: &[(Id, T::Content)],
    slice: SliceOf,
) -> Result<HashMap<String, (Id, String)>, DbErr> {
    if restored.is_empty() {
        return Ok(HashMap::new());
    }
    let keys: BTreeSet<String> = restored.iter().map(|(_, content)| content.natural_key()).collect();
    // The oldest ones. By `m.id` alone, PostgreSQL might read the table by its primary key instead of the
    // rows of the key.
    let oldest = Query::select()
        .expr(of("m", named::<T>("id")))
        .from_as(T::default(), "m")
        .and_where(of("m", named::<T>("natural_key")).eq(of("v", "column1")))
        .order_by_expr(of("m", named::<T>("id")).add(Expr::Constant(0.into())), Order::Asc)
        .limit(MOST_HOLDERS)
        .take();
    let mut holder = Query::select().expr(of("o", "id").min()).from_subquery(oldest, "o").take();
    if !only_one_is_restored::<T>(slice) {
        let last_changed_by = Query::select()
            .expr(of("a", AuditColumn::OperationId))
            .from_as(AuditEntries, "a")
            .and_where(of("a", AuditColumn::Resource).eq(T::Content::KIND.path()))
            .and_where(of("a", AuditColumn::Item).eq(of("o", "id").cast_as("text")))
            .order_by(("a", AuditColumn::Id), Order::Desc)
            .limit(1)
            .take();
        let is_distinct = BinOper::Custom("IS DISTINCT FROM");
        holder.and_where(Expr::from(last_changed_by).binary(is_distinct, slice.operation));
    }
    let select = Query::select()
        .expr_as(of("v", "column1"), "natural_key")
        .expr_as(Expr::from(holder), "holder")
        .from(values_as_v(keys.into_iter().map(|key| [Value::from(key)])))
        .take();
    let rows = transaction.query_all(&select).await?;
    let mut keys = HashMap::new();
    for row in rows {
        if let Some(holder) = row.try_get::<Option<Id>>("", "holder")? {
            keys.insert(holder, row.try_get::<String>("", "natural_key")?);
        }
    }
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let holders = T::find().filter(named::<T>("id").is_in(keys.keys().copied())).all(transaction).await?;
    let mut of_keys = HashMap::new();
    for row in &holders {
        let item = stored::<T>(row).map_err(unreadable)?;
        of_keys.extend(keys.remove(&item.id).map(|key| (key, (item.id, item.content.name()))));
    }
    Ok(of_keys)
}

/// Whether only one of several items with one natural key is restored in a slice.
fn only_one_is_restored<T: ContentTable>(slice: SliceOf) -> bool {
    T::Content::KEY_ONCE || slice.undoes.is_none()
}

/// Restores an item of a slice, if it is in the trash and no other item has its natural key
/// ([`holders_of_keys`]); returns the result. An undo does not restore items that were deleted
/// again since.
pub(in crate::catalogue) async fn restore_in_slice<T: ContentTable>(
    transaction: &Transaction,
    id: Id,
    content: &T::Content,
    holders: &mut HashMap<String, (Id, String)>,
    slice: SliceOf,
    edit: &Edit,
) -> Result<(Verdict, Option<Violation>), DbErr> {
    let row = in_trash::<T>(&[id]).lock(LockType::Update).one(transaction).await?;
    let Some(row) = row else { return Ok((Verdict::Missing, None)) };
    if let Some(operation) = slice.undoes
        && !were_changed_last_by(transaction, operation, T::Content::KIND.path(), &[id]).await?
    {
        return Ok(changed_since());
    }
    let key = content.natural_key();
    if let Some((other, name)) = holders.get(&key) {
        return Ok((Verdict::Refused, Some(key_in_use(*other, name))));
    }
    restore_season_of::<T>(transaction, content, edit).await?;
    take_out::<T>(transaction, row, content, edit).await?;
    if only_one_is_restored::<T>(slice) {
        holders.insert(key, (id, content.name()));
    }
    Ok((Verdict::Changed, None))
}
