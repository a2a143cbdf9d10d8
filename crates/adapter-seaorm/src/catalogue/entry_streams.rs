//! Entries of playlists as further streams of channels. A trigger maintains whether the stream of
//! an entry exists.

use std::collections::BTreeMap;

use async_trait::async_trait;
use domain_audit::AuditAction;
use domain_catalogue::{ChannelStream, MOST_STREAMS, Stored, StreamHeader, StreamOrigin, TvChannel, UrlType};
use domain_kernel::{Enumeration, FieldDiff, Id};
use domain_live::{
    diff::{EntryChange, EntryField, StreamVerdict, keeping},
    entry::Entry,
    source::PlaylistSource,
};
use ports::{Edit, EntryStreamRepository, FollowedStream, StoreError, StoredStream, StreamAdded};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter,
    QuerySelect, Select, sea_query::LockType,
};
use serde_json::{Map, Value};

use super::streams::{Channels, List, accepted, headers_of, overwrite, read_one};
use crate::{
    Database,
    audit::record_one,
    db::{
        error::{db_error, is_serialization_failure, store_error},
        retries::tried,
        sql::Sql,
        transaction::Transaction,
    },
    entities::playlist_entries::{ActiveModel, Column, Entity, Model},
    playlists::{STREAMS, json, not_applying, record_of, text_of},
};

/// Maximum characters of a label.
const LONGEST_LABEL: usize = 100;
/// Entries per transaction that changes streams.
const AT_ONCE: usize = 50;
/// Entries per lookup.
const LOOKED_FOR: usize = 5_000;

/// Makes entries streams of channels.
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

/// The entries among these that have streams and were changed.
fn changed_streams(source: Id, entries: &[Id]) -> Select<Entity> {
    Entity::find()
        .filter(Column::SourceId.eq(source))
        .filter(Column::ItemKind.eq(STREAMS))
        .filter(Column::InUse.eq(true))
        .filter(Column::Change.eq(EntryChange::Changed.code()))
        .filter(Column::Ignored.eq(false))
        .filter(Column::Id.is_in(entries.iter().copied()))
}

async fn locked_entry(transaction: &Transaction, source: Id, entry: Id) -> Result<Option<Model>, DbErr> {
    let find = Entity::find_by_id(entry).filter(Column::SourceId.eq(source));
    find.lock(LockType::Update).one(transaction).await
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

/// The list with the stream of an entry as the last one. An existing stream with its URL becomes
/// the entry's.
fn with_entry(before: &List, entry: Id, stream: ChannelStream) -> Result<List, StreamAdded> {
    let mut list = before.clone();
    let streams = &mut list.streams.streams;
    if let Some(known) = streams.iter_mut().find(|known| known.stream.address() == stream.address()) {
        if known.entry.is_some() {
            return Err(StreamAdded::Duplicate);
        }
        known.origin = StreamOrigin::Playlist;
        known.entry = Some(entry);
        return Ok(list);
    }
    if streams.len() >= MOST_STREAMS {
        return Err(StreamAdded::Full);
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

/// The list with the entry's current values in its stream. A label set by a user stays. `None`
/// without such a stream.
fn with_changes(before: &List, id: Id, applied: &Entry, now: &Entry) -> Option<List> {
    let mut list = before.clone();
    let stream = stream_of(now);
    let is_duplicate = list
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
    known.url_type = stream.url_type;
    known.url = stream.url;
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

impl SeaOrmEntryStreams {
    async fn try_add(
        &self,
        source: &PlaylistSource,
        entry: Id,
        channel: Id,
        edit: &Edit,
    ) -> Result<StreamAdded, DbErr> {
        let transaction = self.0.begin().await?;
        let Some((current, before)) = locked_list(&transaction, channel).await? else {
            return Ok(StreamAdded::NoChannel);
        };
        let row = locked_entry(&transaction, source.id, entry).await?;
        let is_new =
            |row: &Model| row.change == EntryChange::New.code() && row.missing_since.is_none() && !row.radio;
        let Some(row) = row.filter(is_new) else { return Ok(StreamAdded::NotNew) };
        let free = Entity::find_by_id(entry).filter(not_applying()).count(&transaction).await?;
        if free == 0 {
            return Ok(StreamAdded::NotNew);
        }
        let content: Entry = json(&row.content).map_err(db_error)?;
        let list = match with_entry(&before, entry, stream_of(&content)) {
            Ok(list) => list,
            Err(refused) => return Ok(refused),
        };
        let written = ActiveModel {
            change: Set(EntryChange::Unchanged.code().to_owned()),
            ignored: Set(false),
            in_use: Set(true),
            item_kind: Set(Some(STREAMS.to_owned())),
            item_id: Set(Some(channel)),
            applied: Set(Some(row.content)),
            candidates: Set(None),
            sheet_id: Set(None),
            sheet_row: Set(None),
            row_content: Set(None),
            ..<ActiveModel as Default>::default()
        };
        write_entry(&transaction, entry, written).await?;
        overwrite(&transaction, &current, &before, list, edit).await?;
        let after = Map::from_iter([
            ("entry".to_owned(), Value::String(content.name)),
            ("channel".to_owned(), Value::String(format!("{} ({channel})", current.content.title))),
        ]);
        let diff = FieldDiff { after, ..FieldDiff::default() };
        record_one(&transaction, edit, record_of(AuditAction::Updated, source, diff)).await?;
        transaction.commit().await?;
        Ok(StreamAdded::Done)
    }

    async fn try_follow(
        &self,
        source: Id,
        entries: &[Id],
        takes_names: bool,
        edit: &Edit,
    ) -> Result<Vec<FollowedStream>, DbErr> {
        let transaction = self.0.begin().await?;
        // Channels are locked before entries, in the order of IDs, as by edits of streams.
        let of_streams = changed_streams(source, entries).select_only().columns([Column::ItemId, Column::Id]);
        let pairs: Vec<(Option<i64>, Id)> = of_streams.into_tuple().all(&transaction).await?;
        let mut by_channel: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
        for (channel, entry) in pairs {
            by_channel.entry(channel.unwrap_or_default()).or_default().push(entry);
        }
        let mut done = Vec::new();
        for (channel, ids) in by_channel {
            let Some((current, before)) = locked_list(&transaction, channel).await? else { continue };
            let mut list = before.clone();
            let mut rows = Vec::new();
            for id in ids {
                let Some(row) = locked_entry(&transaction, source, id).await? else { continue };
                let listed: Entry = json(&row.content).map_err(db_error)?;
                let applied: Entry =
                    json(row.applied.as_deref().unwrap_or(&row.content)).map_err(db_error)?;
                let now = if takes_names {
                    listed.clone()
                } else {
                    keeping(&applied, &listed, &[EntryField::Name])
                };
                if !takes_names && now == applied {
                    continue;
                }
                let mut verdict = StreamVerdict::Removed;
                let row = if let Some(followed) = with_changes(&list, id, &applied, &now) {
                    let differs = followed.streams.draft() != list.streams.draft();
                    verdict = if differs { StreamVerdict::Changed } else { StreamVerdict::Unchanged };
                    list = followed;
                    let change = if now == listed { EntryChange::Unchanged } else { EntryChange::Changed };
                    ActiveModel {
                        applied: Set(Some(if now == listed { row.content } else { text_of(&now)? })),
                        change: Set(change.code().to_owned()),
                        ..<ActiveModel as Default>::default()
                    }
                } else {
                    list.streams.streams.retain(|stream| stream.entry != Some(id));
                    ActiveModel {
                        in_use: Set(false),
                        item_kind: Set(None),
                        item_id: Set(None),
                        change: Set(EntryChange::New.code().to_owned()),
                        ..<ActiveModel as Default>::default()
                    }
                };
                rows.push((id, row));
                let (name, title) = (listed.name, current.content.title.clone());
                done.push(FollowedStream { entry: id, name, channel, title, verdict });
            }
            // Entries first, because the trigger compares their values.
            for (id, row) in rows {
                write_entry(&transaction, id, row).await?;
            }
            if list.streams.draft() != before.streams.draft() {
                overwrite(&transaction, &current, &before, list, edit).await?;
            }
        }
        transaction.commit().await?;
        Ok(done)
    }
}

#[async_trait]
impl EntryStreamRepository for SeaOrmEntryStreams {
    async fn add(
        &self,
        source: &PlaylistSource,
        entry: Id,
        channel: Id,
        edit: &Edit,
    ) -> Result<StreamAdded, StoreError> {
        tried(is_serialization_failure, || self.try_add(source, entry, channel, edit))
            .await
            .map_err(store_error)
    }

    async fn changed(&self, source: Id, entries: &[Id]) -> Result<Vec<Id>, StoreError> {
        let mut changed = Vec::new();
        for some in entries.chunks(LOOKED_FOR) {
            let ids = changed_streams(source, some).select_only().column(Column::Id);
            let ids: Vec<Id> = ids.into_tuple().all(&self.0.scanner).await.map_err(store_error)?;
            changed.extend(ids);
        }
        Ok(changed)
    }

    async fn follow(
        &self,
        source: Id,
        entries: &[Id],
        takes_names: bool,
        edit: &Edit,
    ) -> Result<Vec<FollowedStream>, StoreError> {
        let mut done = Vec::new();
        for some in entries.chunks(AT_ONCE) {
            let followed =
                tried(is_serialization_failure, || self.try_follow(source, some, takes_names, edit)).await;
            done.extend(followed.map_err(store_error)?);
        }
        Ok(done)
    }
}
