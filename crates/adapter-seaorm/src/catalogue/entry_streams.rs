//! Entries of playlists as further streams of channels. A trigger maintains whether the stream of
//! an entry exists.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use domain_catalogue::{ChannelStream, MOST_STREAMS, Stored, StreamHeader, StreamOrigin, TvChannel, UrlType};
use domain_kernel::{Code, Enumeration, FieldDiff, Id, Violation};
use domain_live::{diff::EntryChange, entry::Entry};
use domain_operations::STREAMS as STREAMS_FIELD;
use ports::{
    ChangedStream, Edit, EntryStreamRepository, SliceOf, StoreError, StoredStream, StreamChange, StreamCheck,
    StreamEffect,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter,
    QueryResult, QuerySelect, sea_query::LockType,
};
use serde_json::Value;

use super::streams::{Channels, List, accepted, headers_of, overwrite, read_one, stream_diff, write_further};
use crate::{
    Database,
    db::{
        error::{db_error, store_error},
        sql::Sql,
        transaction::Transaction,
    },
    entities::playlist_entries::{ActiveModel, Column, Entity, Model},
    playlists::{STREAMS, json, not_applying},
};

/// Maximum characters of a label.
const LONGEST_LABEL: usize = 100;
/// Entries that one statement looks for.
const LOOKED_FOR: usize = 5_000;

/// Finds entries that are, or can become, streams of channels.
#[derive(Debug, Clone)]
pub struct SeaOrmEntryStreams(pub Database);

fn label_of(entry: &Entry) -> Option<String> {
    let label: String = entry.name.trim().chars().take(LONGEST_LABEL).collect();
    Some(label.trim_end().to_owned()).filter(|label| !label.is_empty())
}

fn stream_of(entry: &Entry) -> ChannelStream {
    ChannelStream {
        label: label_of(entry),
        quality: None,
        url_type: UrlType::External,
        url: entry.url.clone(),
        headers: headers_of(entry),
    }
}

async fn write_entry(transaction: &Transaction, entry: Id, row: ActiveModel) -> Result<(), DbErr> {
    Entity::update_many().set(row).filter(Column::Id.eq(entry)).exec(transaction).await.map(drop)
}

/// A channel, locked, and its streams.
async fn locked_list(
    transaction: &Transaction,
    channel: Id,
) -> Result<Option<(Stored<TvChannel>, List)>, DbErr> {
    let Some(current) = Channels::locked(transaction, channel).await? else { return Ok(None) };
    Ok(read_one(transaction, channel).await.map_err(db_error)?.map(|list| (current, list)))
}

/// Why an entry does not become a stream of a channel.
#[derive(Clone, Copy)]
enum NoRoom {
    /// The channel has the address from another entry.
    Duplicate,
    /// It has as many streams as it may have.
    Full,
}

impl NoRoom {
    fn violation(self) -> Violation {
        match self {
            Self::Duplicate => Violation::new(STREAMS_FIELD, Code::Duplicate),
            Self::Full => Violation::new(STREAMS_FIELD, Code::TooMany).with("max", MOST_STREAMS),
        }
    }
}

/// A list with the stream of an entry as its last one. A stream that has its address becomes the entry's.
fn with_entry(before: &List, entry: Id, stream: ChannelStream) -> Result<List, NoRoom> {
    let mut list = before.clone();
    let streams = &mut list.streams.streams;
    if let Some(known) = streams.iter_mut().find(|known| known.stream.address() == stream.address()) {
        if known.entry.is_some() {
            return Err(NoRoom::Duplicate);
        }
        known.origin = StreamOrigin::Playlist;
        known.entry = Some(entry);
        return Ok(list);
    }
    if streams.len() >= MOST_STREAMS {
        return Err(NoRoom::Full);
    }
    streams.push(StoredStream {
        number: list.next_number,
        stream,
        origin: StreamOrigin::Playlist,
        entry: Some(entry),
        source: None,
        has_details: true,
        link: None,
    });
    list.next_number += 1;
    Ok(list)
}

/// The list with the entry's current values in its stream. A label set by a user stays, and so does an address of a bulk
/// change, unless the entry has another one. `None` without such a stream.
fn with_changes(before: &List, id: Id, applied: &Entry, now: &Entry) -> Option<List> {
    let mut list = before.clone();
    let stream = stream_of(now);
    let is_moved = now.url != applied.url;
    let is_duplicate = is_moved
        && list
            .streams
            .streams
            .iter()
            .any(|known| known.entry != Some(id) && known.stream.address() == stream.address());
    // URLs in a list are unique, so the stream of the entry is removed.
    if is_duplicate {
        return None;
    }
    let stored = list.streams.streams.iter_mut().find(|known| known.entry == Some(id))?;
    let known = &mut stored.stream;
    if known.label == label_of(applied) {
        known.label = stream.label;
    }
    // Streams that were added before directives and attributes were supported only have the headers
    // in the URL.
    if known.headers == headers_of(applied) || known.headers == accepted(applied.headers.clone()) {
        known.headers = stream.headers;
    }
    if is_moved {
        known.url_type = stream.url_type;
        known.url = stream.url;
    }
    Some(list)
}

/// Sets the headers of the entries that an operation applies in the first streams of their
/// channels, if these streams have rows. Headers set by a user stay. Called before the entries are
/// linked, because it reads the previously applied values.
pub(super) async fn follow_headers(
    transaction: &Transaction,
    operation: Id,
    sheet_rows: &[i64],
) -> Result<(), DbErr> {
    if sheet_rows.is_empty() {
        return Ok(());
    }
    let mut sql = Sql::new(
        "SELECT s.channel_id, s.number, s.headers, e.applied, e.row_content FROM bulk_operations o \
         JOIN playlist_entries e ON e.sheet_id = o.sheet_id \
         JOIN channel_streams s ON s.entry_id = e.id AND s.channel_id = e.item_id AND s.position = 0 \
         WHERE NOT o.dry_run AND e.item_kind = 'tv-channels' AND e.applied <> e.row_content AND o.id = ",
    );
    sql.bind(operation).push(" AND e.sheet_row IN (").bind_all(sheet_rows.iter().copied()).push(")");
    let backend = transaction.get_database_backend();
    for row in transaction.query_all_raw(sql.statement(backend)).await? {
        let text = |column: &str| row.try_get::<String>("", column);
        let entry = |column: &str| json::<Entry>(&text(column)?).map_err(db_error);
        let known: Vec<StreamHeader> = json(&text("headers")?).map_err(db_error)?;
        let (applied, now) = (headers_of(&entry("applied")?), headers_of(&entry("row_content")?));
        if known != applied || now == applied {
            continue;
        }
        let mut sql = Sql::new("UPDATE channel_streams SET headers = ");
        sql.bind(serde_json::to_string(&now).map_err(|error| DbErr::Custom(error.to_string()))?);
        sql.push(" WHERE channel_id = ").bind(row.try_get::<Id>("", "channel_id")?);
        sql.push(" AND number = ").bind(row.try_get::<i64>("", "number")?);
        transaction.execute_raw(sql.statement(backend)).await?;
    }
    Ok(())
}

/// State of an entry before an operation changed its stream, so that the operation can be undone.
struct Mark {
    entry: Id,
    /// Number of the stream in its channel.
    number: i64,
    position: i32,
    /// Whether the entry was that stream.
    followed: bool,
    applied: Option<String>,
    ignored: bool,
}

/// What a slice writes to the streams of a channel that is locked.
pub(super) struct StreamPlan {
    current: Stored<TvChannel>,
    before: List,
    list: List,
    /// Entries to write before the list: a trigger compares what they have.
    entries: Vec<(Id, ActiveModel)>,
    marks: Vec<Mark>,
    /// Whether an undo leaves a stream as it is, because it was changed since.
    pub(super) changed_since: bool,
}

/// What becomes of the streams of a channel.
pub(super) enum Planned {
    Ready(Box<StreamPlan>),
    /// There is no such channel.
    Missing,
    /// The channel, or an entry, is not what it was.
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

async fn locked(transaction: &Transaction, entry: Id) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(entry).lock(LockType::Update).one(transaction).await
}

/// Whether no unfinished apply has the entry.
async fn is_free(connection: &impl ConnectionTrait, entry: Id) -> Result<bool, DbErr> {
    Ok(Entity::find_by_id(entry).filter(not_applying()).count(connection).await? > 0)
}

/// Finds what a slice changes of the streams of a channel, which is locked from then on.
pub(super) async fn plan_streams(
    transaction: &Transaction,
    slice: SliceOf,
    channel: Id,
    change: &StreamChange,
) -> Result<Planned, DbErr> {
    let Some((current, before)) = locked_list(transaction, channel).await? else {
        return Ok(Planned::Missing);
    };
    if current.version != change.version {
        return Ok(Planned::Conflict);
    }
    let list = before.clone();
    let plan =
        StreamPlan { current, before, list, entries: Vec::new(), marks: Vec::new(), changed_since: false };
    match &change.effect {
        StreamEffect::Apply(entries) => plan.applying(transaction, entries).await,
        StreamEffect::Restore { before, after } => {
            let undone = slice.undoes.unwrap_or_default();
            plan.restoring(transaction, undone, &parts_by_number(before), &parts_by_number(after)).await
        }
    }
}

impl StreamPlan {
    fn place_of(&self, number: i64) -> Option<usize> {
        self.list.streams.streams.iter().position(|stored| stored.number == number)
    }

    fn mark(&mut self, row: &Model, at: usize, number: i64) {
        self.marks.push(Mark {
            entry: row.id,
            number,
            position: i32::try_from(at).unwrap_or(i32::MAX),
            followed: is_stream_of(row, self.current.id),
            applied: row.applied.clone(),
            ignored: row.ignored,
        });
    }

    /// Streams get what the rows of their entries have; a new entry becomes the last stream.
    async fn applying(mut self, transaction: &Transaction, entries: &[Id]) -> Result<Planned, DbErr> {
        let channel = self.current.id;
        for id in entries {
            let Some(row) = locked(transaction, *id).await? else { continue };
            let Some(content) = &row.row_content else { return Ok(Planned::Conflict) };
            let now: Entry = json(content).map_err(db_error)?;
            if !is_stream_of(&row, channel) {
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
                self.mark(&row, at, number);
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
            self.mark(&row, at, number);
            let applied: Entry = json(row.applied.as_deref().unwrap_or(&row.content)).map_err(db_error)?;
            if let Some(list) = with_changes(&self.list, *id, &applied, &now) {
                self.list = list;
            } else {
                self.list.streams.streams.remove(at);
                self.entries.push((*id, as_new(&row)));
            }
        }
        Ok(Planned::Ready(Box::new(self)))
    }

    /// Streams that an operation changed from `before` to `after` become what they were, with their entries; those that were changed
    /// since stay.
    async fn restoring(
        mut self,
        transaction: &Transaction,
        operation: Id,
        before: &BTreeMap<i64, &Value>,
        after: &BTreeMap<i64, &Value>,
    ) -> Result<Planned, DbErr> {
        let marks = marks_of(transaction, operation, self.current.id).await?;
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
                self.changed_since = true;
                continue;
            }
            if let Some(mark) = mark {
                self.restore_entry(transaction, mark).await?;
            }
        }
        // Of streams that the operation left as they were, for they were a user's, the entries alone.
        for mark in &marks {
            let is_left = !before.contains_key(&mark.number) && !after.contains_key(&mark.number);
            let stored = self.place_of(mark.number).and_then(|at| self.list.streams.streams[at].entry);
            if is_left && mark.followed && stored == Some(mark.entry) {
                self.restore_entry(transaction, mark).await?;
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

    /// Gives the entry of a stream that was put back what it had; a stream whose entry is used elsewhere is a typed one.
    async fn restore_entry(&mut self, transaction: &Transaction, mark: &Mark) -> Result<(), DbErr> {
        let channel = self.current.id;
        let row = locked(transaction, mark.entry).await?;
        let row = match row {
            Some(row) if is_stream_of(&row, channel) => Some(row),
            Some(row) if !row.in_use && is_free(transaction, row.id).await? => Some(row),
            _ => None,
        };
        let at = self.place_of(mark.number);
        let Some(row) = row else {
            if let Some(at) = at {
                let known = &mut self.list.streams.streams[at];
                (known.origin, known.entry) = (StreamOrigin::Typed, None);
            }
            return Ok(());
        };
        let position = usize::try_from(mark.position).unwrap_or_default();
        self.mark(&row, at.unwrap_or(position), mark.number);
        let mut written = as_new(&row);
        if mark.followed {
            let is_same = mark.applied.as_ref() == Some(&row.content);
            let change = if is_same { EntryChange::Unchanged } else { EntryChange::Changed };
            written.in_use = Set(true);
            written.item_kind = Set(Some(STREAMS.to_owned()));
            written.item_id = Set(Some(channel));
            written.change = Set(change_of(&row, change));
        }
        written.applied = Set(mark.applied.clone());
        // Of a stream that stays one, and of an entry that a user has ignored since, it is a user's decision.
        if !mark.followed {
            written.ignored = Set(mark.ignored || row.ignored);
        } else if !is_stream_of(&row, channel) {
            written.ignored = Set(mark.ignored);
        }
        self.entries.push((row.id, written));
        Ok(())
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

    /// Writes the streams of a channel whose content stays, and records what differs.
    pub(super) async fn write(
        mut self,
        transaction: &Transaction,
        slice: SliceOf,
        edit: &Edit,
    ) -> Result<(), DbErr> {
        self.write_entries(transaction, slice).await?;
        if self.list.streams.streams != self.before.streams.streams {
            overwrite(transaction, &self.current, &self.before, self.list, edit).await?;
        }
        Ok(())
    }

    /// Leaves the first stream out of the plan: the same slice gives the channel another address, which takes its place. Its
    /// row stays, and is valid again where an undo restores the address. A trigger has made its entry new.
    pub(super) fn leave_first(&mut self) {
        let Some(first) = self.before.streams.streams.first() else { return };
        let streams = &mut self.list.streams.streams;
        streams.retain(|stored| stored.number != first.number);
        streams.insert(0, first.clone());
        let Some(entry) = first.entry.filter(|entry| self.marks.iter().any(|mark| mark.entry == *entry))
        else {
            return;
        };
        self.marks.retain(|mark| mark.entry != entry);
        self.entries.retain(|(written, _)| *written != entry);
        // It is not applied by the row of the channel.
        let row = ActiveModel {
            sheet_id: Set(None),
            sheet_row: Set(None),
            row_content: Set(None),
            ..<ActiveModel as Default>::default()
        };
        self.entries.push((entry, row));
    }

    /// Writes the streams of a channel whose content the same slice has changed. Answers what is to be recorded of the
    /// streams beside the content.
    pub(super) async fn write_beside(
        mut self,
        transaction: &Transaction,
        slice: SliceOf,
        edit: &Edit,
    ) -> Result<FieldDiff, DbErr> {
        self.write_entries(transaction, slice).await?;
        let (before, after) = (&self.before.streams, &self.list.streams);
        if before.streams == after.streams {
            return Ok(FieldDiff::default());
        }
        if before.streams.first() == after.streams.first() {
            write_further(transaction, &self.list).await?;
            return Ok(stream_diff(before, after));
        }
        let current = Channels::locked(transaction, self.current.id).await?;
        let current = current.ok_or_else(|| DbErr::Custom("a locked row is gone".into()))?;
        overwrite(transaction, &current, &self.before, self.list, edit).await?;
        Ok(FieldDiff::default())
    }

    async fn write_entries(&mut self, transaction: &Transaction, slice: SliceOf) -> Result<(), DbErr> {
        for (entry, row) in std::mem::take(&mut self.entries) {
            write_entry(transaction, entry, row).await?;
        }
        let marks = std::mem::take(&mut self.marks);
        if marks.is_empty() {
            return Ok(());
        }
        let mut sql = Sql::new(
            "INSERT INTO applied_streams (operation_id, entry_id, channel_id, number, position, followed, applied, \
             ignored) VALUES ",
        );
        for (index, mark) in marks.into_iter().enumerate() {
            sql.push(if index == 0 { "(" } else { ", (" });
            sql.bind(slice.operation).push(", ").bind(mark.entry).push(", ").bind(self.current.id);
            sql.push(", ").bind(mark.number).push(", ").bind(mark.position).push(", ").bind(mark.followed);
            sql.push(", ").bind(mark.applied).push(", ").bind(mark.ignored).push(")");
        }
        transaction.execute_raw(sql.statement(transaction.get_database_backend())).await.map(drop)
    }
}

/// The entries of a channel's streams as they were before an operation.
async fn marks_of(transaction: &Transaction, operation: Id, channel: Id) -> Result<Vec<Mark>, DbErr> {
    let mut sql = Sql::new(
        "SELECT entry_id, number, position, followed, applied, ignored FROM applied_streams WHERE operation_id = ",
    );
    sql.bind(operation).push(" AND channel_id = ").bind(channel);
    let rows = transaction.query_all_raw(sql.statement(transaction.get_database_backend())).await?;
    let mark = |row: &QueryResult| {
        Ok(Mark {
            entry: row.try_get("", "entry_id")?,
            number: row.try_get("", "number")?,
            position: row.try_get("", "position")?,
            followed: row.try_get("", "followed")?,
            applied: row.try_get("", "applied")?,
            ignored: row.try_get("", "ignored")?,
        })
    };
    rows.iter().map(mark).collect()
}

#[async_trait]
impl EntryStreamRepository for SeaOrmEntryStreams {
    async fn check(&self, source: Id, entry: Id, channel: Id) -> Result<StreamCheck, StoreError> {
        let connection = &self.0.reader;
        let Some(list) = read_one(connection, channel).await? else { return Ok(StreamCheck::NoChannel) };
        let find = Entity::find_by_id(entry).filter(Column::SourceId.eq(source));
        let row = find.one(connection).await.map_err(store_error)?;
        let is_new =
            |row: &Model| row.change == EntryChange::New.code() && row.missing_since.is_none() && !row.radio;
        let Some(row) = row.filter(is_new) else { return Ok(StreamCheck::NotNew) };
        if !is_free(connection, entry).await.map_err(store_error)? {
            return Ok(StreamCheck::NotNew);
        }
        Ok(match with_entry(&list, entry, stream_of(&json(&row.content)?)) {
            Ok(_) => StreamCheck::Allowed(list.streams.version),
            Err(NoRoom::Duplicate) => StreamCheck::Duplicate,
            Err(NoRoom::Full) => StreamCheck::Full,
        })
    }

    async fn changed(&self, source: Id, entries: &[Id]) -> Result<Vec<ChangedStream>, StoreError> {
        let connection = &self.0.scanner;
        let mut changed = Vec::new();
        for some in entries.chunks(LOOKED_FOR) {
            let mut sql = Sql::new(
                "SELECT e.id, c.id AS channel_id, c.version FROM playlist_entries e \
                 JOIN tv_channels c ON c.id = e.item_id WHERE e.in_use AND NOT e.ignored AND e.item_kind = ",
            );
            sql.bind(STREAMS).push(" AND e.change = ").bind(EntryChange::Changed.code());
            sql.push(" AND e.source_id = ").bind(source).push(" AND e.id IN (");
            sql.bind_all(some.iter().copied()).push(") ORDER BY e.id");
            let statement = sql.statement(connection.get_database_backend());
            for row in &connection.query_all_raw(statement).await.map_err(store_error)? {
                let get = |column: &str| row.try_get::<i64>("", column).map_err(store_error);
                let (entry, channel) = (get("id")?, get("channel_id")?);
                changed.push(ChangedStream { entry, channel, version: get("version")? });
            }
        }
        Ok(changed)
    }
}
