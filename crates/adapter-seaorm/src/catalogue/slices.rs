//! Bulk operations: the items of a list, and the change of a slice of them.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use domain_audit::AuditAction;
use domain_catalogue::{Content, Kind, Reference, TvChannel};
use domain_kernel::{Code, FieldDiff, Id, ListQuery, Version, Violation, difference};
use domain_operations::{OperationRow, STREAMS, Verdict};
use ports::{Edit, ItemChange, ItemWrite, SliceItem, SliceOf, SliceWritten, StoreError, StreamChange, Usage};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, IdenStatic, IntoActiveModel, Iterable,
    QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait},
};
use serde_json::{Map, Value};

use super::{
    SeaOrmContents,
    adding::new_envelope,
    changing::usage_of,
    entry_streams::{Planned, StreamPlan, follow_headers, plan_streams},
    importing::MOST_VALUES,
    plan::ContentRequest,
    recording::record_about,
    rows::{Envelope, broken, changed_columns, columns, model, named, new_row, unset},
    streams::{ChannelChange, change_in_slice},
    switching::keep_all_off,
    table::{ContentTable, json_name},
    trash::{delete_in_slice, holders_of_keys, restore_in_slice},
};
use crate::{
    audit::{ITEMS_AT_ONCE, record},
    category_types::require_category_types,
    db::{
        error::{is_broken_reference, is_overtaken, is_unique, store_error},
        retries::tried,
        transaction::Transaction,
    },
    list,
    operations::{made_items, record_slice},
};

impl<T: ContentTable> SeaOrmContents<T> {
    pub(super) async fn ids_of(&self, query: &ListQuery, limit: u64) -> Result<Vec<Id>, StoreError> {
        let request = ContentRequest::of::<T>(query);
        list::ids_of(&self.database, |sql| self.projection.push_matching_ids(sql, &request, limit)).await
    }

    pub(super) async fn most_links_of(&self, query: &ListQuery) -> Result<u64, StoreError> {
        let statement = self.projection.most_links(&ContentRequest::of::<T>(query));
        let statement = statement.statement(self.database.backend());
        let row = self.database.scanner.query_one_raw(statement).await.map_err(store_error)?;
        let most = row.map(|row| row.try_get::<i64>("", "most")).transpose().map_err(store_error)?;
        Ok(most.and_then(|most| u64::try_from(most).ok()).unwrap_or_default())
    }

    /// References to each of these items by kind; items without references are omitted.
    pub(super) async fn users_of_all(&self, ids: &[Id]) -> Result<Vec<(Id, Usage)>, StoreError> {
        let mut used = Vec::new();
        if T::referrers().is_empty() {
            return Ok(used);
        }
        for id in ids {
            let users = usage_of::<T>(&self.database.reader, *id).await.map_err(store_error)?;
            if !users.is_empty() {
                used.push((*id, users));
            }
        }
        Ok(used)
    }

    pub(super) async fn change_slice(
        &self,
        slice: SliceOf,
        items: Vec<SliceItem<T::Content>>,
        edit: Edit,
    ) -> Result<SliceWritten, StoreError> {
        let mut rows = Vec::with_capacity(items.len());
        let mut changes = Changes {
            updates: Vec::new(),
            channels: Vec::new(),
            deletions: Vec::new(),
            restorations: Vec::new(),
            additions: Vec::new(),
            kept_off: Vec::new(),
            streams: Vec::new(),
        };
        for SliceItem { row, change, streams } in items {
            changes.streams.extend(streams.map(|streams| (id_of(&row), streams)));
            match change {
                Some(ItemChange::Write(mut write)) => match write.streams.take() {
                    Some(streams) => changes.channels.push(ChannelChange {
                        channel: id_of(&row),
                        version: write.version,
                        content: channel_of(&*write.after)?,
                        streams: streams.into_inner(),
                    }),
                    None => add_update::<T>(&mut changes.updates, &row, *write, &edit)?,
                },
                Some(ItemChange::Delete(version)) => changes.deletions.push((id_of(&row), version)),
                Some(ItemChange::Restore(content)) => {
                    changes.restorations.push((id_of(&row), content.into_inner()));
                }
                Some(ItemChange::Create(content)) => {
                    changes.additions.push(Addition {
                        index: rows.len(),
                        key: content.natural_key(),
                        name: content.name(),
                        references: content.references(),
                        model: model::<T>(&content, new_envelope(&edit))?,
                    });
                }
                Some(ItemChange::KeepOff) => changes.kept_off.push(id_of(&row)),
                None => {}
            }
            rows.push(row);
        }
        // As edits of streams lock channels.
        changes.streams.sort_by_key(|(item, _)| *item);
        // Where an item that is deleted was referred to a moment ago, or a natural key came into use, the next attempt sees that.
        let attempt = || self.try_slice(slice, &rows, &changes, &edit);
        let again = |error: &DbErr| is_overtaken(error) || is_broken_reference(error) || is_unique(error);
        tried(again, attempt).await.map_err(store_error)
    }

    async fn try_slice(
        &self,
        slice: SliceOf,
        rows: &[OperationRow],
        changes: &Changes<T>,
        edit: &Edit,
    ) -> Result<SliceWritten, DbErr> {
        let transaction = self.database.begin().await?;
        let mut outcomes = Outcomes::default();
        // Before the channels change: their streams are compared with what they had.
        let planned = plan_all_streams(&transaction, slice, &changes.streams, &mut outcomes).await?;
        run_updates(&transaction, &changes.updates, &mut outcomes).await?;
        let streams = write_streams(&transaction, slice, planned, &outcomes.verdicts, rows, edit).await?;
        record_updates::<T>(&transaction, rows, &outcomes, &streams, edit).await?;
        for change in &changes.channels {
            outcomes.add(change.channel, (change_in_slice(&transaction, change, edit).await?, None));
        }
        for (item, version) in &changes.deletions {
            let outcome = delete_in_slice::<T>(&transaction, *item, *version, slice.undoes, edit).await?;
            outcomes.add(*item, outcome);
        }
        let mut holders = holders_of_keys::<T>(&transaction, &changes.restorations, slice).await?;
        for (item, content) in &changes.restorations {
            let outcome =
                restore_in_slice::<T>(&transaction, *item, content, &mut holders, slice, edit).await?;
            outcomes.add(*item, outcome);
        }
        keep_all_off::<T>(&transaction, &changes.kept_off, edit).await?;
        let added = add_items::<T>(&transaction, &changes.additions, edit).await?;
        let has_streams = |row: &OperationRow| has_streams(row, slice) && changes.has_streams(id_of(row));
        let rows = outcomes.rows(rows, &added, &streams, has_streams);
        if T::Content::KIND == Kind::TvChannels {
            let of_sheet: Vec<i64> = made_items(&rows).into_iter().map(|(row, _)| row).collect();
            follow_headers(&transaction, slice.operation, &of_sheet).await?;
        }
        match record_slice(&transaction, slice, &rows, edit.at).await? {
            Some(counts) => transaction.commit().await.map(|()| SliceWritten::Done(counts)),
            None => Ok(SliceWritten::Overtaken),
        }
    }
}

/// What a slice changed of the streams of a channel.
struct ChangedStreams {
    /// The streams that differ, for the row.
    before: Vec<Value>,
    after: Vec<Value>,
    /// Whether some stay as they are, because they were changed since.
    changed_since: bool,
    /// What is recorded of them beside the content of the channel.
    recorded: FieldDiff,
}

impl ChangedStreams {
    fn add_to(&self, row: &mut OperationRow) {
        if self.changed_since {
            row.problems.push(Violation::new(STREAMS, Code::ChangedSince));
        }
        if !self.before.is_empty() || !self.after.is_empty() {
            row.verdict = Verdict::Changed;
            row.before.insert(STREAMS.to_owned(), Value::Array(self.before.clone()));
            row.after.insert(STREAMS.to_owned(), Value::Array(self.after.clone()));
        } else if self.changed_since && row.verdict == Verdict::Unchanged {
            row.verdict = Verdict::Refused;
        }
    }
}

/// Whether the row of a channel takes its streams: an undo restores them where the content stays as it is, too.
fn has_streams(row: &OperationRow, slice: SliceOf) -> bool {
    slice.undoes.is_some() || matches!(row.verdict, Verdict::Changed | Verdict::Unchanged)
}

/// Finds what changes of the streams of channels; channels whose streams do not change as planned get their outcome.
async fn plan_all_streams(
    transaction: &Transaction,
    slice: SliceOf,
    changes: &[(Id, StreamChange)],
    outcomes: &mut Outcomes,
) -> Result<Vec<(Id, Box<StreamPlan>)>, DbErr> {
    let mut planned = Vec::with_capacity(changes.len());
    for (item, change) in changes {
        let outcome = match plan_streams(transaction, slice, *item, change).await? {
            Planned::Ready(plan) => {
                planned.push((*item, plan));
                continue;
            }
            Planned::Missing => (Verdict::Missing, None),
            Planned::Conflict => (Verdict::Conflict, None),
            Planned::Refused(problem) => (Verdict::Refused, Some(problem)),
        };
        outcomes.add(*item, outcome);
    }
    Ok(planned)
}

/// Writes streams of channels, but for those of which the content could not be changed.
async fn write_streams(
    transaction: &Transaction,
    slice: SliceOf,
    planned: Vec<(Id, Box<StreamPlan>)>,
    verdicts: &HashMap<Id, Verdict>,
    rows: &[OperationRow],
    edit: &Edit,
) -> Result<HashMap<Id, ChangedStreams>, DbErr> {
    let mut written = HashMap::new();
    for (item, mut plan) in planned {
        let row = rows.iter().find(|row| id_of(row) == item && has_streams(row, slice));
        let Some(row) = row else { continue };
        let verdict = verdicts.get(&item);
        if verdict.is_some_and(|verdict| *verdict != Verdict::Changed) {
            continue;
        }
        let has_address = ["url", "urlType"].iter().any(|field| row.after.contains_key(*field));
        if verdict.is_some() && has_address {
            plan.leave_first();
        }
        let (before, after) = plan.differences()?;
        let changed_since = plan.changed_since;
        let recorded = if verdict.is_some() {
            plan.write_beside(transaction, slice, edit).await?
        } else {
            plan.write(transaction, slice, edit).await?;
            FieldDiff::default()
        };
        written.insert(item, ChangedStreams { before, after, changed_since, recorded });
    }
    Ok(written)
}

/// The id of a row's item: content is known by numbers.
fn id_of(row: &OperationRow) -> Id {
    row.item.number().unwrap_or_default()
}

/// The content of a channel; only channels have streams.
fn channel_of<C: Content>(content: &C) -> Result<TvChannel, StoreError> {
    serde_json::to_value(content).and_then(serde_json::from_value).map_err(broken)
}

/// What became of the items of a slice.
#[derive(Default)]
struct Outcomes {
    verdicts: HashMap<Id, Verdict>,
    /// Versions after the updates.
    versions: HashMap<Id, Version>,
    problems: HashMap<Id, Violation>,
}

impl Outcomes {
    fn add(&mut self, item: Id, (verdict, problem): (Verdict, Option<Violation>)) {
        self.verdicts.insert(item, verdict);
        self.problems.extend(problem.map(|problem| (item, problem)));
    }

    /// The rows to store, with the IDs of added items. A row whose change was not written has the
    /// verdict instead of the values.
    fn rows<'a>(
        &self,
        rows: &'a [OperationRow],
        added: &HashMap<usize, Option<Id>>,
        streams: &HashMap<Id, ChangedStreams>,
        has_streams: impl Fn(&OperationRow) -> bool,
    ) -> Vec<Cow<'a, OperationRow>> {
        let mut rows: Vec<Cow<'a, OperationRow>> = rows.iter().map(Cow::Borrowed).collect();
        for (index, row) in rows.iter_mut().enumerate() {
            match added.get(&index) {
                Some(Some(id)) => row.to_mut().item = (*id).into(),
                Some(None) => {
                    let row = row.to_mut();
                    row.verdict = Verdict::Conflict;
                    row.after.clear();
                }
                None => {}
            }
            let has_streams = has_streams(row);
            let verdict = self.verdicts.get(&id_of(row)).filter(|verdict| **verdict != Verdict::Changed);
            if let Some(verdict) = verdict.filter(|_| row.verdict == Verdict::Changed || has_streams) {
                let row = row.to_mut();
                row.verdict = *verdict;
                row.before.clear();
                row.after.clear();
                row.problems.extend(self.problems.get(&id_of(row)).cloned());
            } else if let Some(streams) = streams.get(&id_of(row)).filter(|_| has_streams) {
                streams.add_to(row.to_mut());
            }
        }
        rows
    }
}

/// Runs the updates, except for those that a rule refuses.
async fn run_updates<T: ContentTable>(
    transaction: &Transaction,
    updates: &[Update<T>],
    outcomes: &mut Outcomes,
) -> Result<(), DbErr> {
    let mut references = Vec::new();
    for update in updates {
        if let Some(item) = update.takes_a_key(transaction).await? {
            outcomes.add(item, (Verdict::Refused, Some(Violation::new("", Code::Duplicate))));
            continue;
        }
        if let Some((item, problem)) = update.changes_what_is_used(transaction).await? {
            outcomes.add(item, (Verdict::Refused, Some(problem)));
            continue;
        }
        let verdicts = update.run(transaction).await?;
        if verdicts.iter().any(|(_, verdict)| *verdict == Verdict::Changed) {
            references.extend_from_slice(&update.references);
        }
        outcomes.verdicts.extend(verdicts);
        outcomes.versions.extend(update.items.iter().map(|item| (*item, update.version + 1)));
    }
    require_category_types(transaction, &references).await
}

/// Writes an audit entry for each row whose update was written.
async fn record_updates<T: ContentTable>(
    transaction: &Transaction,
    rows: &[OperationRow],
    outcomes: &Outcomes,
    streams: &HashMap<Id, ChangedStreams>,
    edit: &Edit,
) -> Result<(), DbErr> {
    // In an import, a refused row can have the same item as a changed row.
    let is_planned = |row: &&OperationRow| row.verdict == Verdict::Changed;
    let is_changed = |row: &&OperationRow| outcomes.verdicts.get(&id_of(row)) == Some(&Verdict::Changed);
    let changed = rows.iter().filter(is_planned).filter(is_changed);
    let records = changed.map(|row| {
        let mut diff = FieldDiff { before: row.before.clone(), after: row.after.clone() };
        if let Some(streams) = streams.get(&id_of(row)) {
            diff.before.extend(streams.recorded.before.clone());
            diff.after.extend(streams.recorded.after.clone());
        }
        let version = outcomes.versions.get(&id_of(row)).copied().unwrap_or_default();
        record_about::<T::Content>(AuditAction::Updated, id_of(row), row.title.clone(), version, diff)
    });
    record(transaction, edit, records.collect()).await
}

/// The changes of a slice.
struct Changes<T: ContentTable> {
    updates: Vec<Update<T>>,
    /// Channels that change with their streams.
    channels: Vec<ChannelChange>,
    /// Items with the version that was read.
    deletions: Vec<(Id, Version)>,
    /// Items with the content to restore.
    restorations: Vec<(Id, T::Content)>,
    additions: Vec<Addition<T>>,
    /// Inactive items that a user deactivates.
    kept_off: Vec<Id>,
    /// Of channels, by their ids.
    streams: Vec<(Id, StreamChange)>,
}

impl<T: ContentTable> Changes<T> {
    fn has_streams(&self, item: Id) -> bool {
        self.streams.binary_search_by_key(&item, |(item, _)| *item).is_ok()
    }
}

/// A new item, with its references and audit entry, because the insert only returns IDs.
struct Addition<T: ContentTable> {
    /// The index of its row.
    index: usize,
    key: String,
    name: String,
    references: Vec<Reference>,
    model: T::Model,
}

/// One statement: up to [`ITEMS_AT_ONCE`] items with the same new values and the same read version.
struct Update<T: ContentTable> {
    version: Version,
    /// Changed columns, by their names in JSON, with their values.
    values: Map<String, Value>,
    row: T::ActiveModel,
    /// The changed references of the items.
    references: Vec<Reference>,
    items: Vec<Id>,
}

/// Adds an item to the statement with the same change, or to a new one.
fn add_update<T: ContentTable>(
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
    async fn takes_a_key(&self, transaction: &Transaction) -> Result<Option<Id>, DbErr> {
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
    async fn changes_what_is_used(
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

    /// Changes the items that still have the version; returns the result of each.
    async fn run(&self, transaction: &Transaction) -> Result<Vec<(Id, Verdict)>, DbErr> {
        let (id, version) = (named::<T>("id"), named::<T>("version"));
        let mut update = T::update_many()
            .set(self.row.clone())
            .col_expr(version, Expr::col(version).add(1))
            .filter(id.is_in(self.items.iter().copied()))
            .filter(version.eq(self.version))
            .into_query();
        update.returning_col(id);
        let rows = transaction.query_all(&update).await?;
        let changed: HashSet<Id> = rows.iter().map(|row| row.try_get("", "id")).collect::<Result<_, _>>()?;
        let others = self.items.iter().filter(|item| !changed.contains(item)).copied();
        let there: HashSet<Id> = if changed.len() == self.items.len() {
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
        Ok(self.items.iter().map(|item| (*item, verdict(item))).collect())
    }
}

/// Adds items, except for those whose natural key was used since the file's rows were compared;
/// returns the ID of each by the index of its row.
async fn add_items<T: ContentTable>(
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
