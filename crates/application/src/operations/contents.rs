//! Slices of content: each item is changed by the rules of its kind.

use std::collections::HashMap;

use domain_catalogue::{ChannelStreams, Content, Failover, Kind, Reference, Stored};
use domain_kernel::{Actor, Code, FilterKind, Id, ListQuery, Violation, Violations, checked, difference};
use domain_operations::{ItemKey, OperationRow, STREAMS, Verdict};
use garde::Valid;
use ports::{
    ItemChange, ItemKeys, ItemWrite, SliceItem, SliceOf, SliceWritten, StoreError, Usage, in_use, key_in_use,
};
use serde_json::{Map, Value};

use super::slice::{SliceChange, missing};
use crate::{
    ContentService, ContentServices, Error, ListShape, TrashService, body::to_json,
    listing::read_dated_query, read_query,
};

/// A valid item, and of a channel its streams if they change.
type Validated<C> = (Valid<C>, Option<Valid<ChannelStreams>>);

/// Items read and checked at once, so that concurrent requests wait briefly for the core.
const READ_AT_ONCE: usize = 25;
/// Filters of the trash's list of one kind.
const TRASHED: &[(&str, FilterKind)] =
    &[("deletedDateFrom", FilterKind::Moment), ("deletedDateTo", FilterKind::Moment)];

impl<C: Content> ContentService<C> {
    /// Ids of the items in the list with these parameters, up to a maximum.
    async fn matching_ids(&self, pairs: &[(String, String)], limit: u64) -> Result<Vec<Id>, Error> {
        // By id, because the changes of a slice must not move the following items.
        let query = ListQuery { sort: Vec::new(), ..read_query::<C>(&self.calendar, pairs)? };
        Ok(self.repository.matching_ids(&query, limit).await?)
    }

    /// Ids of the items of this kind in the trash's list with these parameters, up to a maximum.
    async fn matching_trashed(&self, pairs: &[(String, String)], limit: u64) -> Result<Vec<Id>, Error> {
        // The kind is that of the operation.
        let shape = ListShape { filters: TRASHED, ..TrashService::list_shape() };
        let query = read_dated_query(&self.calendar, &shape, pairs)?;
        let query = ListQuery { sort: Vec::new(), ..query };
        Ok(self.repository.matching_trashed(&query, limit).await?)
    }

    /// Runs a slice. A dry run writes only its rows.
    async fn run_slice(
        &self,
        actor: &Actor,
        slice: SliceOf,
        items: &[Id],
        change: SliceChange<'_>,
        dry_run: bool,
    ) -> Result<SliceWritten, Error> {
        let mut validated = Vec::with_capacity(items.len());
        for (items, first) in items.chunks(READ_AT_ONCE).zip((slice.first_position..).step_by(READ_AT_ONCE)) {
            let mut stored = self.items_of_slice(items, &change).await?;
            let mut lists = self.streams_of_slice(items, &change).await?;
            for (id, position) in items.iter().zip(first..) {
                let mut row = missing(position, &(*id).into());
                let mut streams = None;
                let change = match stored.remove(id) {
                    None => None,
                    Some(current) => {
                        row.title = current.content.operation_title();
                        streams = change.of_streams(&row.item, current.version);
                        self.change_of(current, lists.remove(id), &change, &mut row)?
                    }
                };
                validated.push(SliceItem { row, change, streams });
            }
        }
        if let SliceChange::Make(_, edits) = &change {
            edits.keep(validated.iter_mut().map(|item| (&mut item.row, &mut item.change))).await?;
        }
        self.refuse_dangling(&mut validated).await?;
        if dry_run {
            self.only_verdicts(&mut validated).await?;
        }
        Ok(self.repository.write_slice(slice, validated, self.edit_by(actor)).await?)
    }

    /// The current items; those to restore as they were deleted.
    async fn items_of_slice(
        &self,
        items: &[Id],
        change: &SliceChange<'_>,
    ) -> Result<HashMap<Id, Stored<C>>, Error> {
        let is_restored = |id: &Id| match change {
            SliceChange::Restore => true,
            SliceChange::UndoImport(undo) => undo.restores && undo.added.contains(id),
            SliceChange::Make(..) | SliceChange::Undo(_) | SliceChange::Delete => false,
        };
        let (restored, others): (Vec<Id>, Vec<Id>) = items.iter().partition(|id| is_restored(id));
        let mut stored = Vec::with_capacity(items.len());
        if !restored.is_empty() {
            stored.extend(self.repository.trashed_all(&restored).await?);
        }
        if !others.is_empty() {
            stored.extend(self.repository.find_all(&others).await?);
        }
        Ok(stored.into_iter().map(|item| (item.id, item)).collect())
    }

    /// The streams of channels whose streams change.
    async fn streams_of_slice(
        &self,
        items: &[Id],
        change: &SliceChange<'_>,
    ) -> Result<HashMap<Id, ChannelStreams>, Error> {
        if C::KIND != Kind::TvChannels || !change.concerns_streams() {
            return Ok(HashMap::new());
        }
        Ok(self.repository.streams_of(items).await?.into_iter().collect())
    }

    /// The change of an item, if any; sets the verdict of its row.
    fn change_of(
        &self,
        current: Stored<C>,
        streams: Option<ChannelStreams>,
        change: &SliceChange<'_>,
        row: &mut OperationRow,
    ) -> Result<Option<ItemChange<C>>, Error> {
        match change {
            SliceChange::Make(..) | SliceChange::Undo(_) => {
                let changed = self.changed(&current.content, streams.as_ref(), change, row)?;
                let Some((after, streams)) = changed else {
                    let deactivates = matches!(change, SliceChange::Make(change, _) if change.only_toggles());
                    let is_off = row.verdict == Verdict::Unchanged && !current.content.active();
                    return Ok((deactivates && is_off).then_some(ItemChange::KeepOff));
                };
                let (version, before) = (current.version, current.content);
                Ok(Some(ItemChange::Write(Box::new(ItemWrite { version, before, after, streams }))))
            }
            SliceChange::UndoImport(undo) if !undo.has_added(&row.item) => {
                self.change_of(current, streams, &SliceChange::Undo(&undo.diffs), row)
            }
            SliceChange::UndoImport(undo) if undo.restores => {
                self.change_of(current, streams, &SliceChange::Restore, row)
            }
            SliceChange::Delete | SliceChange::UndoImport(_) => {
                row.verdict = Verdict::Changed;
                Ok(Some(ItemChange::Delete(current.version)))
            }
            SliceChange::Restore => {
                match self.validated(to_json(&current.content)?, Some(&current.content)) {
                    Ok(content) => {
                        row.verdict = Verdict::Changed;
                        Ok(Some(ItemChange::Restore(Box::new(content))))
                    }
                    Err(violations) => {
                        row.verdict = Verdict::Refused;
                        row.problems = violations.shortened().0;
                        Ok(None)
                    }
                }
            }
        }
    }

    /// Removes the changes of a dry run. First reports what the store would reject: deletion of an
    /// item with references to it, changes of fields that are fixed while it has references, and a
    /// natural key of another item.
    pub(crate) async fn only_verdicts(&self, items: &mut [SliceItem<C>]) -> Result<(), Error> {
        let fixed = |item: &SliceItem<C>| match item.change {
            Some(ItemChange::Write(_)) => {
                C::FIXED_WHILE_USED.iter().copied().find(|field| item.row.after.contains_key(*field))
            }
            _ => None,
        };
        let needs_usage =
            |item: &SliceItem<C>| matches!(item.change, Some(ItemChange::Delete(_))) || fixed(item).is_some();
        let concerned = items.iter().filter(|item| needs_usage(item));
        let ids: Vec<Id> = concerned.filter_map(|item| item.row.item.number()).collect();
        let used: HashMap<Id, Usage> = if ids.is_empty() {
            HashMap::new()
        } else {
            self.repository.usage_of_all(&ids).await?.into_iter().collect()
        };
        // A rejected row of a file may name the same item and keeps its own problems.
        for item in items.iter_mut().filter(|item| needs_usage(item)) {
            let Some(usage) = item.row.item.number().and_then(|id| used.get(&id)) else { continue };
            let problem = match fixed(item) {
                Some(field) => {
                    let count: u64 = usage.iter().map(|(_, count)| count).sum();
                    Violation::new(field, Code::FixedWhileUsed).with("count", count)
                }
                None => in_use(usage),
            };
            item.change = None;
            item.row.fail(Verdict::Refused, vec![problem]);
        }
        self.refuse_used_keys(items).await?;
        self.refuse_held_keys(items).await?;
        for item in items {
            item.change = None;
            item.streams = None;
        }
        Ok(())
    }

    /// Rejects restoring items whose natural key another item has, or one restored before.
    async fn refuse_held_keys(&self, items: &mut [SliceItem<C>]) -> Result<(), Error> {
        let key_of = |item: &SliceItem<C>| match &item.change {
            Some(ItemChange::Restore(content)) => Some(content.natural_key()),
            _ => None,
        };
        let mut wanted: Vec<String> = items.iter().filter_map(key_of).collect();
        let mut holders: HashMap<String, (Id, String)> = HashMap::new();
        // Several items may have one key.
        while !wanted.is_empty() {
            let limit = wanted.len();
            let keys = ItemKeys { whole: wanted.clone(), ..ItemKeys::default() };
            let found = self.repository.find_by_keys(keys, u64::try_from(limit).unwrap_or(u64::MAX)).await?;
            let is_last = found.len() < limit;
            for item in found {
                let holder = (item.id, item.content.name());
                holders.entry(item.content.natural_key()).or_insert(holder);
            }
            if is_last {
                break;
            }
            wanted.retain(|key| !holders.contains_key(key));
        }
        for item in items {
            let Some(key) = key_of(item) else { continue };
            if let Some((id, title)) = holders.get(&key) {
                item.change = None;
                item.row.fail(Verdict::Refused, vec![key_in_use(*id, title)]);
            } else {
                holders.insert(key, (item.row.item.number().unwrap_or_default(), item.row.title.clone()));
            }
        }
        Ok(())
    }

    /// Rejects changes to a natural key that another item has, or gets before, if the kind's keys
    /// are unique.
    async fn refuse_used_keys(&self, items: &mut [SliceItem<C>]) -> Result<(), Error> {
        if !C::KEY_ONCE {
            return Ok(());
        }
        let new_key = |change: &Option<ItemChange<C>>| match change {
            Some(ItemChange::Write(write)) => {
                let key = write.after.natural_key();
                (key != write.before.natural_key()).then_some(key)
            }
            _ => None,
        };
        let keys: Vec<String> = items.iter().filter_map(|item| new_key(&item.change)).collect();
        if keys.is_empty() {
            return Ok(());
        }
        let limit = u64::try_from(keys.len()).unwrap_or(u64::MAX);
        let wanted = ItemKeys { whole: keys, ..ItemKeys::default() };
        let holders = self.repository.find_by_keys(wanted, limit).await?;
        let mut holders: HashMap<String, Id> =
            holders.into_iter().map(|item| (item.content.natural_key(), item.id)).collect();
        for item in items {
            let (Some(key), Some(ItemChange::Write(write))) = (new_key(&item.change), &item.change) else {
                continue;
            };
            let id = item.row.item.number().unwrap_or_default();
            if *holders.entry(key).or_insert(id) == id {
                // The next item may get its former key.
                holders.remove(&write.before.natural_key());
            } else {
                item.change = None;
                item.row.fail(Verdict::Refused, vec![Violation::new("", Code::Duplicate)]);
            }
        }
        Ok(())
    }

    /// The item after the change, if it differs and is valid, and of a channel its streams if they
    /// differ; sets the verdict of the row.
    fn changed(
        &self,
        current: &C,
        streams: Option<&ChannelStreams>,
        change: &SliceChange<'_>,
        row: &mut OperationRow,
    ) -> Result<Option<Validated<C>>, Error> {
        let Value::Object(mut before) = to_json(current)? else {
            return Err(StoreError::Broken("content is not an object".into()).into());
        };
        if let Some(streams) = streams {
            before.insert(STREAMS.to_owned(), to_json(&streams.streams)?);
        }
        let mut wanted = change.made_of(&before, row);
        row.verdict = if row.problems.is_empty() { Verdict::Unchanged } else { Verdict::Refused };
        if wanted == before {
            return Ok(None);
        }
        let other_streams = streams_after(&before, &mut wanted);
        before.remove(STREAMS);
        let validated = other_streams
            .map(|json| valid_streams(streams, json))
            .transpose()
            .and_then(|streams| Ok((self.validated(wanted.into(), Some(current))?, streams)));
        match validated {
            Ok((content, other_streams)) => {
                let Value::Object(after) = to_json(&*content)? else { return Ok(None) };
                let mut diff = difference(&before, &after);
                if let (Some(streams), Some(other)) = (streams, &other_streams) {
                    diff.before.insert(STREAMS.to_owned(), to_json(&streams.streams)?);
                    diff.after.insert(STREAMS.to_owned(), to_json(&other.streams)?);
                }
                if diff.before.is_empty() {
                    return Ok(None);
                }
                row.verdict = Verdict::Changed;
                (row.before, row.after) = (diff.before, diff.after);
                Ok(Some((content, other_streams)))
            }
            Err(violations) => {
                row.verdict = Verdict::Refused;
                row.problems = violations.shortened().0;
                Ok(None)
            }
        }
    }

    /// A valid draft. Its references are checked for a whole slice ([`Self::refuse_dangling`]).
    pub(crate) fn validated(&self, json: Value, previous: Option<&C>) -> Result<Valid<C>, Violations> {
        let now = self.calendar.now();
        let fill = &mut |content: &mut C| content.fill_server_fields(previous, now);
        self.reader.read_filled(json, &self.calendar.today(), fill)
    }

    /// Rejects changes with references to items that do not exist or have another type. Each
    /// reference is read once, because many items get the same category.
    pub(crate) async fn refuse_dangling(&self, items: &mut [SliceItem<C>]) -> Result<(), Error> {
        let mut seen: Vec<(Reference, Option<Violation>)> = Vec::new();
        for item in items {
            let references = match &item.change {
                Some(ItemChange::Write(write)) => write.after.references(),
                Some(ItemChange::Restore(content) | ItemChange::Create(content)) => content.references(),
                Some(ItemChange::Delete(_) | ItemChange::KeepOff) | None => continue,
            };
            let mut violations = Vec::new();
            for reference in references {
                let known = seen.iter().find(|(known, _)| *known == reference);
                let fault = if let Some((_, fault)) = known {
                    fault.clone()
                } else {
                    let fault = self.fault_of(&reference).await?;
                    seen.push((reference, fault.clone()));
                    fault
                };
                violations.extend(fault);
            }
            if !violations.is_empty() {
                item.change = None;
                item.row.fail(Verdict::Refused, violations);
            }
        }
        Ok(())
    }
}

/// Removes the streams from a channel; returns them if they differ from those before. The first one
/// and the channel have the same URL, whichever of them changed.
fn streams_after(before: &Map<String, Value>, wanted: &mut Map<String, Value>) -> Option<Value> {
    const URL: [&str; 2] = ["url", "urlType"];
    let mut streams = wanted.remove(STREAMS)?;
    if Some(&streams) == before.get(STREAMS) {
        let first = streams.get_mut(0).and_then(Value::as_object_mut)?;
        for name in URL {
            first.insert(name.to_owned(), wanted.get(name).cloned().unwrap_or_default());
        }
    } else if let Some(first) = streams.get(0) {
        for name in URL {
            wanted.insert(name.to_owned(), first[name].clone());
        }
    }
    (Some(&streams) != before.get(STREAMS)).then_some(streams)
}

/// The valid streams of a channel with this list.
fn valid_streams(current: Option<&ChannelStreams>, json: Value) -> Result<Valid<ChannelStreams>, Violations> {
    let refused = |_| Violations(vec![Violation::new(STREAMS, Code::UnknownValue)]);
    let streams = serde_json::from_value(json).map_err(refused)?;
    let failover = current.map_or(Failover::Manual, |current| current.failover);
    checked(ChannelStreams { failover, streams }, &())
}

macro_rules! by_kind {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
        impl ContentServices {
            /// Fields of the kind's items.
            pub(super) fn fields(&self, kind: Kind) -> Vec<&str> {
                match kind {
                    $(Kind::$kind => self.$field.reader.fields().collect(),)+
                }
            }

            pub(super) async fn matching_ids(
                &self,
                kind: Kind,
                pairs: &[(String, String)],
                limit: u64,
            ) -> Result<Vec<Id>, Error> {
                match kind {
                    $(Kind::$kind => Box::pin(self.$field.matching_ids(pairs, limit)).await,)+
                }
            }

            /// The same for the trash.
            pub(super) async fn matching_trashed(
                &self,
                kind: Kind,
                pairs: &[(String, String)],
                limit: u64,
            ) -> Result<Vec<Id>, Error> {
                match kind {
                    $(Kind::$kind => Box::pin(self.$field.matching_trashed(pairs, limit)).await,)+
                }
            }

            pub(super) async fn run_slice(
                &self,
                kind: Kind,
                actor: &Actor,
                slice: SliceOf,
                items: &[ItemKey],
                change: SliceChange<'_>,
                dry_run: bool,
            ) -> Result<SliceWritten, Error> {
                let items: Vec<Id> = items.iter().filter_map(ItemKey::number).collect();
                match kind {
                    $(Kind::$kind => {
                        Box::pin(self.$field.run_slice(actor, slice, &items, change, dry_run)).await
                    })+
                }
            }
        }
    };
}
domain_catalogue::for_each_kind!(by_kind);
