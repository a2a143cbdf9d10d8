//! Bulk operations: the items of a list, and the change of a slice of them.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap, HashSet},
};

use domain_audit::AuditAction;
use domain_catalogue::{Content, Kind, Stored, TvChannel};
use domain_kernel::{Code, FieldDiff, Id, ListQuery, Version, Violation};
use domain_operations::{OperationRow, Verdict};
use ports::{Edit, ItemChange, SliceItem, SliceOf, SliceWritten, StoreError, StreamChange, Usage};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, sea_query::LockType};

use super::{
    SeaOrmContents,
    adding::new_envelope,
    changing::usage_of,
    channel_changes::{ChannelChange, change_in_slice},
    followed_headers::FollowedHeaders,
    recording::record_about,
    rows::{broken, id_of, model},
    slice_streams::{ChangedStreams, has_streams, write_streams},
    slice_updates::{Addition, Update, add_items, add_update},
    stream_plans::{Planned, StreamPlan, plan_streams},
    streams::Channels,
    switching::keep_all_off,
    table::ContentTable,
    trash::{delete_in_slice, holders_of_keys, restore_in_slice},
};
use crate::{
    audit::record,
    category_types::require_category_types,
    db::{
        error::{is_broken_reference, is_overtaken, is_unique, store_error},
        retries::tried,
        transaction::Transaction,
    },
    operations::{made_items, record_slice},
};

impl<T: ContentTable> SeaOrmContents<T> {
    pub(super) async fn most_links_of(&self, query: &ListQuery) -> Result<u64, StoreError> {
        let row = self.list.most_links(query).only_row(&self.database.scanner).await?;
        let most: i64 = row.try_get("", "most").map_err(store_error)?;
        Ok(u64::try_from(most).unwrap_or_default())
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
        changes.streams.sort_by_key(|(item, _)| *item);
        changes.channels.sort_by_key(|change| change.channel);
        // Retried if a concurrent write has referred to a deleted item or used a natural key: the next attempt
        // reads it.
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
        let followed = if T::Content::KIND == Kind::TvChannels {
            let of_sheet: Vec<i64> =
                rows.iter().filter_map(|row| Some(row.sheet_row.as_ref()?.number)).collect();
            FollowedHeaders::of(&transaction, slice.operation, &of_sheet).await?
        } else {
            FollowedHeaders::default()
        };
        let channels = lock_channels(&transaction, changes, &followed).await?;
        // Before the channels change: their streams are compared with what they had.
        let planned = plan_streams(&transaction, slice, &changes.streams, &channels).await?;
        let plans = ready(planned, &mut outcomes);
        run_updates(&transaction, &changes.updates, &mut outcomes).await?;
        let streams = write_streams(&transaction, slice, plans, &outcomes.verdicts, rows, edit).await?;
        record_updates::<T>(&transaction, rows, &outcomes, &streams, edit).await?;
        for (channel, verdict) in change_in_slice(&transaction, &changes.channels, &channels, edit).await? {
            outcomes.add(channel, (verdict, None));
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
        let made = made_items(&rows).into_iter().map(|(row, _)| row);
        followed.write(&transaction, made, edit).await?;
        match record_slice(&transaction, slice, &rows, edit.at).await? {
            Some(counts) => transaction.commit().await.map(|()| SliceWritten::Done(counts)),
            None => Ok(SliceWritten::Overtaken),
        }
    }
}

/// Locks the channels that a slice may change, in the order of their IDs, and returns those whose streams
/// are compared. Merges lock both of their channels in this order, and an edit locks one; each of them
/// locks entries of playlists after its channels. So none of these transactions waits for a channel
/// while it has locked a later one, and none waits for a channel while it has locked an entry.
async fn lock_channels<T: ContentTable>(
    transaction: &Transaction,
    changes: &Changes<T>,
    followed: &FollowedHeaders,
) -> Result<HashMap<Id, Stored<TvChannel>>, DbErr> {
    if T::Content::KIND != Kind::TvChannels {
        return Ok(HashMap::new());
    }
    let mut ids: BTreeSet<Id> = changes.streams.iter().map(|(item, _)| *item).collect();
    ids.extend(changes.channels.iter().map(|change| change.channel));
    // SQLite locks the database, and has no rows to lock.
    if transaction.get_database_backend() != DbBackend::Sqlite {
        ids.extend(changes.updates.iter().flat_map(|update| update.items.iter().copied()));
        ids.extend(changes.deletions.iter().map(|(item, _)| *item));
        ids.extend(changes.kept_off.iter().copied());
        ids.extend(followed.channels());
    }
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let ids: Vec<Id> = ids.into_iter().collect();
    // The lock of a deletion from the beginning: to raise it later is to wait with rows locked.
    let lock = if changes.deletions.is_empty() { LockType::NoKeyUpdate } else { LockType::Update };
    let locked = Channels::locked_all(transaction, &ids, lock).await?;
    Ok(locked.into_iter().map(|channel| (channel.id, channel)).collect())
}

/// Plans the streams of channels. Channels whose streams can not be changed as planned get an outcome.
fn ready(planned: Vec<(Id, Planned)>, outcomes: &mut Outcomes) -> Vec<(Id, Box<StreamPlan>)> {
    let mut plans = Vec::with_capacity(planned.len());
    for (item, planned) in planned {
        let outcome = match planned {
            Planned::Ready(plan) => {
                plans.push((item, plan));
                continue;
            }
            Planned::Missing => (Verdict::Missing, None),
            Planned::Conflict => (Verdict::Conflict, None),
            Planned::Refused(problem) => (Verdict::Refused, Some(problem)),
        };
        outcomes.add(item, outcome);
    }
    plans
}

/// The content of a channel; only channels have streams.
fn channel_of<C: Content>(content: &C) -> Result<TvChannel, StoreError> {
    serde_json::to_value(content).and_then(serde_json::from_value).map_err(broken)
}

/// Outcomes of the items of a slice.
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

/// Runs the updates, except for those that a rule refuses, and those of channels whose streams do not change as
/// planned: the changes of a row are all made, or none.
async fn run_updates<T: ContentTable>(
    transaction: &Transaction,
    updates: &[Update<T>],
    outcomes: &mut Outcomes,
) -> Result<(), DbErr> {
    let mut references = Vec::new();
    let with_verdict: HashSet<Id> = outcomes.verdicts.keys().copied().collect();
    for update in updates {
        let items: Vec<Id> =
            update.items.iter().filter(|item| !with_verdict.contains(item)).copied().collect();
        if items.is_empty() {
            continue;
        }
        if let Some(item) = update.takes_a_key(transaction).await? {
            outcomes.add(item, (Verdict::Refused, Some(Violation::new("", Code::Duplicate))));
            continue;
        }
        if let Some((item, problem)) = update.changes_what_is_used(transaction).await? {
            outcomes.add(item, (Verdict::Refused, Some(problem)));
            continue;
        }
        let verdicts = update.run(transaction, &items).await?;
        if verdicts.iter().any(|(_, verdict)| *verdict == Verdict::Changed) {
            references.extend_from_slice(&update.references);
        }
        outcomes.verdicts.extend(verdicts);
        outcomes.versions.extend(items.iter().map(|item| (*item, update.version + 1)));
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
