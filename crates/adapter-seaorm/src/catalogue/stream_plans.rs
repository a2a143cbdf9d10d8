//! Changes of channels' streams by an operation that applies entries of playlists, and by its undo:
//! all channels of a slice are read and planned at once, before their content changes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain_catalogue::{ChannelStream, MOST_STREAMS, Stored, StreamOrigin, TvChannel};
use domain_kernel::{Code, Enumeration, Id, Violation};
use domain_live::{diff::EntryChange, entry::Entry};
use domain_operations::STREAMS as STREAMS_FIELD;
use ports::{SliceOf, StoredStream, StreamChange, StreamEffect};
use sea_orm::{ActiveValue::Set, DbErr};
use serde_json::Value;

use super::{
    entry_streams::{NoRoom, stream_of, with_changes, with_entry},
    stream_lists::List,
    stream_states::{Found, Mark},
};
use crate::{
    db::{error::db_error, transaction::Transaction},
    entities::playlist_entries::{ActiveModel, Model},
    playlists::{STREAMS, json},
};

/// The planned change of the streams of a locked channel.
pub(super) struct StreamPlan {
    current: Stored<TvChannel>,
    before: List,
    list: List,
    /// Entries to write before the list: a trigger compares their columns.
    entries: Vec<(Id, ActiveModel)>,
    marks: Vec<Mark>,
    /// Reason why a stream is not changed or not added.
    problem: Option<Violation>,
}

/// Outcome of planning the streams of a channel.
pub(super) enum Planned {
    Ready(Box<StreamPlan>),
    /// The channel does not exist.
    Missing,
    /// The channel or an entry has changed since.
    Conflict,
    Refused(Violation),
}

/// A stream as the row of an operation has it.
fn part_of(stored: &StoredStream) -> Result<Value, DbErr> {
    let mut part = serde_json::to_value(&stored.stream).map_err(|error| DbErr::Custom(error.to_string()))?;
    part["id"] = stored.number.into();
    part["origin"] = stored.origin.code().into();
    Ok(part)
}

fn number_of(part: &Value) -> Option<i64> {
    part.get("id").and_then(Value::as_i64)
}

fn parts_by_number(parts: &Value) -> BTreeMap<i64, &Value> {
    let parts = parts.as_array().map(Vec::as_slice).unwrap_or_default();
    parts.iter().filter_map(|part| Some((number_of(part)?, part))).collect()
}

/// The code of the change of an entry; a missing one stays missing.
fn change_of(row: &Model, change: EntryChange) -> String {
    let missing = EntryChange::Missing.code();
    let code = if row.change == missing { missing } else { change.code() };
    code.to_owned()
}

/// An entry that is no stream any more, and that no apply has.
fn as_new(row: &Model) -> ActiveModel {
    ActiveModel {
        in_use: Set(false),
        item_kind: Set(None),
        item_id: Set(None),
        change: Set(change_of(row, EntryChange::New)),
        sheet_id: Set(None),
        sheet_row: Set(None),
        row_content: Set(None),
        ..<ActiveModel as Default>::default()
    }
}

fn is_stream_of(row: &Model, channel: Id) -> bool {
    row.in_use && row.item_kind.as_deref() == Some(STREAMS) && row.item_id == Some(channel)
}

/// Finds what a slice changes of the streams of locked channels, in their order.
pub(super) async fn plan_streams(
    transaction: &Transaction,
    slice: SliceOf,
    changes: &[(Id, StreamChange)],
    locked: &HashMap<Id, Stored<TvChannel>>,
) -> Result<Vec<(Id, Planned)>, DbErr> {
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    let found = Found::of(transaction, slice, changes, locked).await?;
    changes.iter().map(|(channel, change)| Ok((*channel, plan_of(&found, *channel, change)?))).collect()
}

fn plan_of(found: &Found, channel: Id, change: &StreamChange) -> Result<Planned, DbErr> {
    let Some((current, before)) = found.channels.get(&channel).cloned() else { return Ok(Planned::Missing) };
    if current.version != change.version {
        return Ok(Planned::Conflict);
    }
    let list = before.clone();
    let plan = StreamPlan { current, before, list, entries: Vec::new(), marks: Vec::new(), problem: None };
    match &change.effect {
        StreamEffect::Apply(entries) => plan.applying(found, entries),
        StreamEffect::Restore { before, after } => {
            plan.restoring(found, &parts_by_number(before), &parts_by_number(after))
        }
    }
}

impl StreamPlan {
    fn place_of(&self, number: i64) -> Option<usize> {
        self.list.streams.streams.iter().position(|stored| stored.number == number)
    }

    fn mark(&mut self, row: &Model, at: usize, number: i64) {
        self.marks.push(Mark {
            channel: self.current.id,
            entry: row.id,
            number,
            position: i32::try_from(at).unwrap_or(i32::MAX),
            followed: is_stream_of(row, self.current.id),
            applied: row.applied.clone(),
            ignored: row.ignored,
        });
    }

    /// Streams get what the rows of their entries have; a new entry becomes the last stream.
    fn applying(mut self, found: &Found, entries: &[Id]) -> Result<Planned, DbErr> {
        let channel = self.current.id;
        for id in entries {
            let Some(row) = found.entries.get(id) else { continue };
            let Some(content) = &row.row_content else { return Ok(Planned::Conflict) };
            let now: Entry = json(content).map_err(db_error)?;
            if !is_stream_of(row, channel) {
                let is_new = row.change == EntryChange::New.code() && !row.in_use && !row.radio;
                if !is_new {
                    return Ok(Planned::Conflict);
                }
                self.list = match with_entry(&self.list, *id, stream_of(&now)) {
                    Ok(list) => list,
                    Err(refused) => return Ok(Planned::Refused(refused.violation())),
                };
                let at = self.list.streams.streams.iter().position(|stored| stored.entry == Some(*id));
                let at = at.unwrap_or_default();
                let number = self.list.streams.streams[at].number;
                self.mark(row, at, number);
                let written = ActiveModel {
                    ignored: Set(false),
                    in_use: Set(true),
                    item_kind: Set(Some(STREAMS.to_owned())),
                    item_id: Set(Some(channel)),
                    ..<ActiveModel as Default>::default()
                };
                self.entries.push((*id, written));
                continue;
            }
            let streams = &self.list.streams.streams;
            let Some(at) = streams.iter().position(|stored| stored.entry == Some(*id)) else {
                return Ok(Planned::Conflict);
            };
            let number = streams[at].number;
            self.mark(row, at, number);
            let applied: Entry = json(row.applied.as_deref().unwrap_or(&row.content)).map_err(db_error)?;
            if let Some(list) = with_changes(&self.list, *id, &applied, &now) {
                self.list = list;
            } else {
                self.list.streams.streams.remove(at);
                self.entries.push((*id, as_new(row)));
            }
        }
        Ok(Planned::Ready(Box::new(self)))
    }

    /// Restores the streams that an operation changed from `before` to `after`, with their entries. Streams that
    /// were changed since are kept.
    fn restoring(
        mut self,
        found: &Found,
        before: &BTreeMap<i64, &Value>,
        after: &BTreeMap<i64, &Value>,
    ) -> Result<Planned, DbErr> {
        let marks = found.marks.get(&self.current.id).map(Vec::as_slice).unwrap_or_default();
        let numbers: BTreeSet<i64> = before.keys().chain(after.keys()).copied().collect();
        for number in numbers {
            let (old, new) = (before.get(&number).copied(), after.get(&number).copied());
            let at = self.place_of(number);
            let now = at.map(|at| part_of(&self.list.streams.streams[at])).transpose()?;
            if now.as_ref() == old {
                continue;
            }
            let mark = marks.iter().find(|mark| mark.number == number);
            if now.as_ref() != new || !self.put_back(at, number, old, mark)? {
                self.problem = Some(Violation::new(STREAMS_FIELD, Code::ChangedSince));
                continue;
            }
            if let Some(mark) = mark {
                self.restore_entry(found, mark);
            }
        }
        // Of streams that the operation left as they were, for they were a user's, the entries alone.
        for mark in marks {
            let is_left = !before.contains_key(&mark.number) && !after.contains_key(&mark.number);
            let stored = self.place_of(mark.number).and_then(|at| self.list.streams.streams[at].entry);
            if is_left && mark.followed && stored == Some(mark.entry) {
                self.restore_entry(found, mark);
            }
        }
        Ok(Planned::Ready(Box::new(self)))
    }

    /// Puts a stream back that is at a place now, or at none; `false` where it no longer fits in.
    fn put_back(
        &mut self,
        at: Option<usize>,
        number: i64,
        old: Option<&Value>,
        mark: Option<&Mark>,
    ) -> Result<bool, DbErr> {
        let streams = &mut self.list.streams.streams;
        let Some(old) = old else {
            // It was added.
            let is_only = streams.len() == 1;
            if let Some(at) = at.filter(|_| !is_only) {
                streams.remove(at);
            }
            return Ok(!is_only);
        };
        let broken = |error: serde_json::Error| DbErr::Custom(error.to_string());
        let stream: ChannelStream = serde_json::from_value(old.clone()).map_err(broken)?;
        let is_other = |known: &StoredStream| known.number != number;
        if streams.iter().any(|known| is_other(known) && known.stream.address() == stream.address()) {
            return Ok(false);
        }
        let origin = old.get("origin").and_then(Value::as_str).and_then(StreamOrigin::from_code);
        let origin = origin.unwrap_or(StreamOrigin::Typed);
        let entry = mark.filter(|_| origin == StreamOrigin::Playlist).map(|mark| mark.entry);
        if let Some(at) = at {
            let known = &mut streams[at];
            (known.stream, known.origin, known.entry) = (stream, origin, entry);
            return Ok(true);
        }
        if streams.len() >= MOST_STREAMS {
            return Ok(false);
        }
        let position = mark.and_then(|mark| usize::try_from(mark.position).ok()).unwrap_or(streams.len());
        let known =
            StoredStream { number, stream, origin, entry, source: None, has_details: true, link: None };
        streams.insert(position.min(streams.len()), known);
        Ok(true)
    }

    /// Restores the state of a restored stream's entry. If the entry is in use elsewhere, the stream has none and
    /// counts as typed by a user.
    fn restore_entry(&mut self, found: &Found, mark: &Mark) {
        let channel = self.current.id;
        let is_usable =
            |row: &&Model| is_stream_of(row, channel) || !row.in_use && found.free.contains(&row.id);
        let row = found.entries.get(&mark.entry).filter(is_usable);
        let at = self.place_of(mark.number);
        let Some(row) = row else {
            if let Some(at) = at {
                let known = &mut self.list.streams.streams[at];
                (known.origin, known.entry) = (StreamOrigin::Typed, None);
            }
            return;
        };
        let position = usize::try_from(mark.position).unwrap_or_default();
        self.mark(row, at.unwrap_or(position), mark.number);
        let mut written = as_new(row);
        if mark.followed {
            let is_same = mark.applied.as_ref() == Some(&row.content);
            let change = if is_same { EntryChange::Unchanged } else { EntryChange::Changed };
            written.in_use = Set(true);
            written.item_kind = Set(Some(STREAMS.to_owned()));
            written.item_id = Set(Some(channel));
            written.change = Set(change_of(row, change));
        }
        written.applied = Set(mark.applied.clone());
        // Of a stream that stays one, and of an entry that a user has ignored since, it is a user's decision.
        if !mark.followed {
            written.ignored = Set(mark.ignored || row.ignored);
        } else if !is_stream_of(row, channel) {
            written.ignored = Set(mark.ignored);
        }
        self.entries.push((row.id, written));
    }

    /// The streams that differ, before and after.
    pub(super) fn differences(&self) -> Result<(Vec<Value>, Vec<Value>), DbErr> {
        let lacking = |of: &List, other: &List| {
            let known = &other.streams.streams;
            let is_same = |stored: &&StoredStream| {
                known.iter().any(|known| {
                    (known.number, known.origin, &known.stream)
                        == (stored.number, stored.origin, &stored.stream)
                })
            };
            let differing = of.streams.streams.iter().filter(|stored| !is_same(stored));
            differing.map(part_of).collect::<Result<Vec<Value>, DbErr>>()
        };
        Ok((lacking(&self.before, &self.list)?, lacking(&self.list, &self.before)?))
    }

    /// Reason, for the row of the channel, why a stream is not changed or not added.
    pub(super) fn take_problem(&mut self) -> Option<Violation> {
        self.problem.take()
    }

    /// The states of the entries to record ([`record_marks`](super::stream_states::record_marks)).
    pub(super) fn take_marks(&mut self) -> Vec<Mark> {
        std::mem::take(&mut self.marks)
    }

    /// Entries to write before the lists of a slice: a trigger compares what they have.
    pub(super) fn take_entries(&mut self) -> Vec<(Id, ActiveModel)> {
        std::mem::take(&mut self.entries)
    }

    /// Whether the stream of the channel's own address stays as it is.
    pub(super) fn keeps_first(&self) -> bool {
        self.before.streams.streams.first() == self.list.streams.streams.first()
    }

    /// The channel with its streams before and after, if they differ.
    pub(super) fn into_lists(self) -> Option<(Stored<TvChannel>, List, List)> {
        let is_changed = self.list.streams.streams != self.before.streams.streams;
        is_changed.then_some((self.current, self.before, self.list))
    }

    /// Leaves the first stream out of the plan: the same slice changes the channel's address, which replaces it.
    /// Its row is kept, and is valid again after an undo of the address. A trigger has made its entry new.
    pub(super) fn leave_first(&mut self) {
        let Some(first) = self.before.streams.streams.first() else { return };
        let streams = &mut self.list.streams.streams;
        streams.retain(|stored| stored.number != first.number);
        streams.insert(0, first.clone());
        if let Some(entry) = first.entry {
            self.leave_entry(entry);
        }
        self.refuse_last_added();
    }

    /// Leaves the entry of a stream out of the plan. It is not applied by the row of the channel either.
    fn leave_entry(&mut self, entry: Id) {
        if self.marks.iter().all(|mark| mark.entry != entry) {
            return;
        }
        self.marks.retain(|mark| mark.entry != entry);
        self.entries.retain(|(written, _)| *written != entry);
        let row = ActiveModel {
            sheet_id: Set(None),
            sheet_row: Set(None),
            row_content: Set(None),
            ..<ActiveModel as Default>::default()
        };
        self.entries.push((entry, row));
    }

    /// Refuses the last stream that the plan adds, where the list has too many.
    fn refuse_last_added(&mut self) {
        let streams = &mut self.list.streams.streams;
        if streams.len() <= MOST_STREAMS {
            return;
        }
        let before = &self.before.streams.streams;
        let is_added = |stored: &StoredStream| before.iter().all(|known| known.number != stored.number);
        let Some(at) = streams.iter().rposition(is_added) else { return };
        let refused = streams.remove(at);
        self.problem = Some(NoRoom::Full.violation());
        if let Some(entry) = refused.entry {
            self.leave_entry(entry);
        }
    }
}
