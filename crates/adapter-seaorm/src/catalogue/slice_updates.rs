//! Statements that update or add the items of a slice.

use std::collections::{HashMap, HashSet};

use domain_audit::AuditAction;
use domain_catalogue::{Content, Reference};
use domain_kernel::{Code, FieldDiff, Id, Version, Violation, difference};
use domain_operations::{OperationRow, Verdict};
use ports::{Edit, ItemWrite, StoreError};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, IdenStatic, IntoActiveModel, Iterable,
    QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait},
};
use serde_json::{Map, Value};

use super::{
    SeaOrmContents,
    adding::new_envelope,
    importing::MOST_VALUES,
    recording::record_about,
    rows::{Envelope, changed_columns, columns, id_of, model, named, new_row, unset},
    table::{ContentTable, json_name},
};
use crate::{
    audit::{ITEMS_AT_ONCE, record},
    category_types::require_category_types,
    db::transaction::Transaction,
};

/// A new item, with its references and audit entry, because the insert only returns IDs.
pub(super) struct Addition<T: ContentTable> {
    /// The index of its row.
    pub(super) index: usize,
    pub(super) key: String,
    pub(super) name: String,
    pub(super) references: Vec<Reference>,
    pub(super) model: T::Model,
}

/// One statement: up to [`ITEMS_AT_ONCE`] items with the same new values and the same read version.
pub(super) struct Update<T: ContentTable> {
    pub(super) version: Version,
    /// Changed columns, by their names in JSON, with their values.
    values: Map<String, Value>,
    row: T::ActiveModel,
    /// The changed references of the items.
    pub(super) references: Vec<Reference>,
    pub(super) items: Vec<Id>,
}

/// Adds an item to the statement with the same change, or to a new one.
pub(super) fn add_update<T: ContentTable>(
    updates: &mut Vec<Update<T>>,
    recorded: &OperationRow,
    write: ItemWrite<T::Content>,
    edit: &Edit,
) -> Result<(), StoreError> {
    let ItemWrite { version, before, after, .. } = write;
    let item = id_of(recorded);
    let values = changed_columns::<T>(&before, &after, recorded);
    debug_assert_eq!(
        columns::<T>(&before)
            .and_then(|before| Ok(difference(&before, &columns::<T>(&after)?).after))
            .ok()
            .as_ref(),
        Some(&values),
    );
    // Of several items that would get the same natural key, the first gets it and the others are
    // refused. Items with references are refused individually.
    let fixed = <T::Content as Content>::FIXED_WHILE_USED;
    let is_alone = T::Content::KEY_ONCE && values.contains_key("naturalKey")
        || fixed.iter().any(|field| values.contains_key(*field));
    let alike = |update: &&mut Update<T>| {
        update.items.len() < ITEMS_AT_ONCE && update.version == version && update.values == values
    };
    let known = updates.iter_mut().find(alike).filter(|_| !is_alone);
    if let Some(known) = known {
        known.items.push(item);
        return Ok(());
    }
    let envelope = Envelope {
        id: item,
        version,
        views: 0,
        created: edit.at,
        updated: edit.at,
        updated_by: edit.by.as_ref().map(ToString::to_string),
    };
    let mut row = model::<T>(&after, envelope)?.into_active_model().reset_all();
    let columns = T::Column::iter().map(|column| IdenStatic::as_str(&column));
    let same: Vec<&str> = columns
        .filter(|column| !["updated_date", "updated_by"].contains(column))
        .filter(|column| !values.contains_key(&json_name(column)))
        .collect();
    unset::<T>(&mut row, &same);
    unset::<T>(&mut row, T::DATABASE_MANAGED);
    let mut references = after.references();
    if references == before.references() {
        references.clear();
    }
    updates.push(Update { version, values, row, references, items: vec![item] });
    Ok(())
}

impl<T: ContentTable> Update<T> {
    /// The item of the update, if its new natural key must be unique and another item has it.
    pub(super) async fn takes_a_key(&self, transaction: &Transaction) -> Result<Option<Id>, DbErr> {
        let [item] = self.items[..] else { return Ok(None) };
        let Some(key) =
            self.values.get("naturalKey").and_then(Value::as_str).filter(|_| T::Content::KEY_ONCE)
        else {
            return Ok(None);
        };
        let id = named::<T>("id");
        let is_used = named::<T>("natural_key").eq(key);
        let find = T::find().select_only().column(id).filter(is_used).filter(id.ne(item));
        Ok(find.into_tuple::<Id>().one(transaction).await?.map(|_| item))
    }

    /// The item of the update, if other content refers to it by a changed field.
    pub(super) async fn changes_what_is_used(
        &self,
        transaction: &Transaction,
    ) -> Result<Option<(Id, Violation)>, DbErr> {
        let mut fixed = <T::Content as Content>::FIXED_WHILE_USED.iter();
        let Some(field) = fixed.find(|field| self.values.contains_key(**field)) else { return Ok(None) };
        let [item] = self.items[..] else { return Ok(None) };
        let count = SeaOrmContents::<T>::users_in(transaction, item).await?;
        let problem = Violation::new(*field, Code::FixedWhileUsed).with("count", count);
        Ok((count > 0).then_some((item, problem)))
    }

    /// Changes those of these items that still have the version; returns the result of each.
    pub(super) async fn run(
        &self,
        transaction: &Transaction,
        items: &[Id],
    ) -> Result<Vec<(Id, Verdict)>, DbErr> {
        let (id, version) = (named::<T>("id"), named::<T>("version"));
        let mut update = T::update_many()
            .set(self.row.clone())
            .col_expr(version, Expr::col(version).add(1))
            .filter(id.is_in(items.iter().copied()))
            .filter(version.eq(self.version))
            .into_query();
        update.returning_col(id);
        let rows = transaction.query_all(&update).await?;
        let changed: HashSet<Id> = rows.iter().map(|row| row.try_get("", "id")).collect::<Result<_, _>>()?;
        let others = items.iter().filter(|item| !changed.contains(item)).copied();
        let there: HashSet<Id> = if changed.len() == items.len() {
            HashSet::new()
        } else {
            let found = T::find().select_only().column(id).filter(id.is_in(others));
            found.into_tuple::<Id>().all(transaction).await?.into_iter().collect()
        };
        let verdict = |item: &Id| match (changed.contains(item), there.contains(item)) {
            (true, _) => Verdict::Changed,
            (false, true) => Verdict::Conflict,
            (false, false) => Verdict::Missing,
        };
        Ok(items.iter().map(|item| (*item, verdict(item))).collect())
    }
}

/// Adds items, except for those whose natural key was used since the file's rows were compared;
/// returns the ID of each by the index of its row.
pub(super) async fn add_items<T: ContentTable>(
    transaction: &Transaction,
    additions: &[Addition<T>],
    edit: &Edit,
) -> Result<HashMap<usize, Option<Id>>, DbErr> {
    let mut ids = HashMap::new();
    if additions.is_empty() {
        return Ok(ids);
    }
    let key = named::<T>("natural_key");
    let keys = additions.iter().map(|addition| addition.key.clone());
    let find = T::find().select_only().column(key).filter(key.is_in(keys));
    let used: HashSet<String> = find.into_tuple::<String>().all(transaction).await?.into_iter().collect();
    let (refused, free): (Vec<&Addition<T>>, Vec<&Addition<T>>) =
        additions.iter().partition(|addition| used.contains(&addition.key));
    ids.extend(refused.into_iter().map(|addition| (addition.index, None)));
    let version = new_envelope(edit).version;
    let at_once = (MOST_VALUES / T::Column::iter().count()).max(1);
    for some in free.chunks(at_once) {
        let rows = some.iter().map(|addition| new_row::<T>(addition.model.clone()));
        let inserted: Vec<Id> = T::insert_many(rows).exec_with_returning_keys(transaction).await?;
        let references: Vec<Reference> =
            some.iter().flat_map(|addition| addition.references.iter().copied()).collect();
        require_category_types(transaction, &references).await?;
        let records = some.iter().zip(&inserted).map(|(addition, id)| {
            let (name, diff) = (addition.name.clone(), FieldDiff::default());
            record_about::<T::Content>(AuditAction::Created, *id, name, version, diff)
        });
        record(transaction, edit, records.collect()).await?;
        ids.extend(some.iter().zip(inserted).map(|(addition, id)| (addition.index, Some(id))));
    }
    Ok(ids)
}
