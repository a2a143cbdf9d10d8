//! Replaces the streams of channels.

use async_trait::async_trait;
use domain_audit::AuditAction;
use domain_catalogue::{
    ChannelStream, ChannelStreams, Content as _, Failover, Stored, StreamOrigin, TvChannel,
};
use domain_kernel::{Enumeration, FieldDiff, Id, Version};
use domain_live::address::masked;
use garde::Valid;
use ports::{Edit, ReplacedStreams, StoreError, StoredStream, StoredStreams, StreamRepository, Written};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, DbErr, EntityTrait, Iterable, QueryFilter,
    sea_query::OnConflict,
};
use serde_json::{Map, Value, json};

use super::{
    SeaOrmContents,
    importing::MOST_VALUES,
    overwriting::{Overwrite, overwrite_all},
    recording::{content_diff, record_about},
    stream_lists::{List, read, read_one},
    stream_rows::{are_replaced, present_rows, store_replaced, stored_in, without_rows},
    tv_channels::Entity as TvChannels,
};
use crate::{
    Database,
    audit::{Record, record},
    db::{
        error::{db_error, is_serialization_failure, store_error},
        retries::tried,
        transaction::Transaction,
        values::text_of,
    },
    entities::{
        channel_stream_lists::{self, Column as ListColumn, Entity as Lists},
        channel_streams::{ActiveModel, Column, Entity},
    },
};

/// The store of the channels.
pub(super) type Channels = SeaOrmContents<TvChannels>;

/// The store of the streams of channels.
#[derive(Debug, Clone)]
pub struct SeaOrmStreams(pub Database);

/// Streams that replace those of a locked channel, which has its new version already.
pub(super) struct ListWrite<'a> {
    pub(super) before: &'a List,
    pub(super) after: &'a List,
    /// Whether the row of the first stream stays as it is: the channel has another address by now.
    pub(super) keeps_first: bool,
}

impl ListWrite<'_> {
    fn channel(&self) -> Id {
        self.after.streams.channel
    }

    fn is_replaced(&self) -> bool {
        are_replaced(&self.before.streams, &self.after.streams)
    }

    /// Whether the rows are as written; the row of a first stream that does not apply may differ.
    fn has_rows(&self, rows: &ReplacedStreams) -> bool {
        let draft = self.after.streams.draft();
        let is_first_same = self.keeps_first || rows.first.as_ref() == draft.streams.first();
        let further = draft.streams.get(1..).unwrap_or_default();
        rows.failover == draft.failover && is_first_same && rows.further == further
    }
}

/// Replaces the stored lists of channels, each once: by one statement for each table, or one for 3,000 streams.
pub(super) async fn write_lists(transaction: &Transaction, writes: &[ListWrite<'_>]) -> Result<(), DbErr> {
    if writes.is_empty() {
        return Ok(());
    }
    keep_replaced(transaction, writes).await?;
    let row_of = |write: &ListWrite<'_>| {
        let List { streams, next_number, .. } = write.after;
        channel_stream_lists::ActiveModel {
            channel_id: Set(streams.channel),
            failover: Set(streams.failover.code().to_owned()),
            next_number: Set(*next_number),
        }
    };
    let replaced = OnConflict::column(ListColumn::ChannelId)
        .update_columns([ListColumn::Failover, ListColumn::NextNumber])
        .to_owned();
    let insert = Lists::insert_many(writes.iter().map(row_of)).on_conflict(replaced);
    insert.exec_without_returning(transaction).await?;
    remove_rows(transaction, writes).await?;
    add_rows(transaction, writes).await
}

/// Stores the streams that other ones replace.
async fn keep_replaced(transaction: &Transaction, writes: &[ListWrite<'_>]) -> Result<(), DbErr> {
    let (replaced, same): (Vec<&ListWrite<'_>>, Vec<&ListWrite<'_>>) =
        writes.iter().partition(|write| write.is_replaced());
    let mut replaced: Vec<Id> = replaced.into_iter().map(ListWrite::channel).collect();
    if !same.is_empty() {
        let ids: Vec<Id> = same.iter().map(|write| write.channel()).collect();
        let rows = present_rows(transaction, &ids).await.map_err(db_error)?;
        let differs =
            |write: &&ListWrite<'_>| !write.has_rows(rows.get(&write.channel()).unwrap_or(&without_rows()));
        replaced.extend(same.into_iter().filter(differs).map(ListWrite::channel));
    }
    store_replaced(transaction, &replaced).await
}

/// Removes the rows that lists replace: found by the beginning of `channel_streams_by_position`.
async fn remove_rows(transaction: &Transaction, writes: &[ListWrite<'_>]) -> Result<(), DbErr> {
    let whole = writes.iter().filter(|write| !write.keeps_first);
    let whole: Vec<Id> = whole.map(ListWrite::channel).collect();
    let removed = Condition::any()
        .add(Column::Position.gt(0))
        .add_option((!whole.is_empty()).then(|| Column::ChannelId.is_in(whole)));
    let delete = Entity::delete_many()
        .filter(Column::ChannelId.is_in(writes.iter().map(ListWrite::channel)))
        .filter(removed);
    delete.exec(transaction).await.map(drop)
}

async fn add_rows(transaction: &Transaction, writes: &[ListWrite<'_>]) -> Result<(), DbErr> {
    let rows = writes.iter().flat_map(|write| {
        let (channel, kept) = (write.channel(), usize::from(write.keeps_first));
        write.after.streams.streams.iter().zip(0_i32..).skip(kept).map(move |row| (channel, row))
    });
    let row_of = |(channel, (stored, position)): (Id, (&StoredStream, i32))| {
        let stream = &stored.stream;
        Ok::<_, DbErr>(ActiveModel {
            channel_id: Set(channel),
            number: Set(stored.number),
            position: Set(position),
            label: Set(stream.label.clone()),
            quality: Set(stream.quality.map(|quality| quality.code().to_owned())),
            url_type: Set(stream.url_type.code().to_owned()),
            url: Set(stream.url.clone()),
            headers: Set(text_of(&stream.headers)?),
            origin: Set(stored.origin.code().to_owned()),
            entry_id: Set(stored.entry),
        })
    };
    let rows: Vec<ActiveModel> = rows.map(row_of).collect::<Result<_, _>>()?;
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let some = rows.by_ref().take(MOST_VALUES / Column::iter().count());
        Entity::insert_many(some).exec_without_returning(transaction).await?;
    }
    Ok(())
}

/// The streams of a draft with their numbers: a stream with a known URL keeps its number.
pub(super) fn numbered(before: &List, streams: Vec<ChannelStream>) -> (Vec<StoredStream>, i64) {
    let mut next_number = before.next_number;
    let stored = streams.into_iter().map(|stream| {
        let known = before.streams.streams.iter().find(|known| known.stream.address() == stream.address());
        if let Some(known) = known {
            return StoredStream { stream, has_details: true, ..known.clone() };
        }
        next_number += 1;
        StoredStream {
            number: next_number - 1,
            stream,
            origin: StreamOrigin::Typed,
            entry: None,
            source: None,
            has_details: true,
            link: None,
        }
    });
    (stored.collect(), next_number)
}

/// The streams in the audit log, without credentials.
pub(super) fn recorded<'a>(
    failover: Failover,
    streams: impl Iterator<Item = &'a ChannelStream>,
) -> Map<String, Value> {
    let all: Vec<String> = streams.map(|stream| stream.line(masked)).collect();
    Map::from_iter([("failover".to_owned(), json!(failover.code())), ("streams".to_owned(), json!(all))])
}

/// The fields of streams that differ, masked: also where the difference itself is masked.
pub(super) fn stream_diff(before: &StoredStreams, after: &StoredStreams) -> FieldDiff {
    let fields = |of: &StoredStreams| recorded(of.failover, of.streams.iter().map(|stored| &stored.stream));
    let (mut old, mut new) = (fields(before), fields(after));
    if before.failover == after.failover {
        old.remove("failover");
        new.remove("failover");
    }
    if before.draft().streams == after.draft().streams {
        old.remove("streams");
        new.remove("streams");
    }
    FieldDiff { before: old, after: new }
}

/// A locked channel with the content and the streams that replace its own.
pub(super) struct StreamWrite {
    pub(super) current: Stored<TvChannel>,
    pub(super) content: TvChannel,
    pub(super) before: List,
    pub(super) list: List,
}

/// Replaces the content and streams of channels, each once, which get another version, and adds an audit entry of
/// each: a slice needs few statements, whatever the number of its channels. `further` are lists before and after of
/// channels that have their new version already; the rows of their first streams are not written, unless they are
/// among those of the further ones. They get no audit entry.
pub(super) async fn overwrite_streams(
    transaction: &Transaction,
    writes: &[StreamWrite],
    further: &[(List, List)],
    edit: &Edit,
) -> Result<(), DbErr> {
    let of_content = |write: &StreamWrite| {
        let mut content = write.content.clone();
        if let Some(first) = write.list.streams.streams.first() {
            (content.url_type, content.url) = (first.stream.url_type, first.stream.url.clone());
        }
        Overwrite { id: write.current.id, content, views: 0 }
    };
    let contents: Vec<Overwrite<TvChannel>> = writes.iter().map(of_content).collect();
    let changed = overwrite_all::<TvChannels>(transaction, &contents, edit).await?;
    let whole = writes.iter().map(|write| (&write.before, &write.list, false));
    let further = further.iter().map(|(before, after)| (before, after, !before.is_first_elsewhere));
    let lists = whole.chain(further);
    let lists = lists.map(|(before, after, keeps_first)| ListWrite { before, after, keeps_first });
    let lists: Vec<ListWrite<'_>> = lists.collect();
    write_lists(transaction, &lists).await?;
    let record_of = |write: &StreamWrite| {
        let changed = changed.get(&write.current.id);
        let changed = changed.ok_or_else(|| DbErr::Custom("a locked row is missing".into()))?;
        let mut diff = content_diff(&write.current.content, &changed.content);
        let of_streams = stream_diff(&write.before.streams, &write.list.streams);
        diff.before.extend(of_streams.before);
        diff.after.extend(of_streams.after);
        let (title, version) = (changed.content.name(), changed.version);
        Ok::<_, DbErr>(record_about::<TvChannel>(AuditAction::Updated, changed.id, title, version, diff))
    };
    let records: Vec<Record> = writes.iter().map(record_of).collect::<Result<_, _>>()?;
    record(transaction, edit, records).await
}

impl SeaOrmStreams {
    async fn try_replace(
        &self,
        channel: Id,
        draft: &ChannelStreams,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<StoredStreams>, DbErr> {
        let transaction = self.0.begin().await?;
        let Some(current) = Channels::locked(&transaction, channel).await? else {
            return Ok(Written::Missing);
        };
        let before = read_one(&transaction, channel).await.map_err(db_error)?;
        let Some(before) = before else { return Ok(Written::Missing) };
        if expected.is_some_and(|version| version != current.version) {
            return Ok(Written::Outdated(before.streams));
        }
        let (streams, next_number) = numbered(&before, draft.streams.clone());
        let streams = StoredStreams { streams, failover: draft.failover, ..before.streams.clone() };
        let list = List { streams, next_number, is_first_elsewhere: false };
        let write = StreamWrite { content: current.content.clone(), current, before, list };
        overwrite_streams(&transaction, &[write], &[], edit).await?;
        let after = read_one(&transaction, channel).await.map_err(db_error)?;
        let after = after.ok_or_else(|| DbErr::Custom("a locked row is missing".into()))?;
        transaction.commit().await?;
        Ok(Written::Done(after.streams))
    }
}

#[async_trait]
impl StreamRepository for SeaOrmStreams {
    async fn find(&self, channel: Id) -> Result<Option<StoredStreams>, StoreError> {
        Ok(read_one(&self.0.reader, channel).await?.map(|list| list.streams))
    }

    async fn find_lists(&self, channels: &[Id]) -> Result<Vec<StoredStreams>, StoreError> {
        let lists = read(&self.0.scanner, channels, true).await?;
        Ok(lists.into_iter().map(|list| list.streams).collect())
    }

    async fn stored_in(&self, channel: Id, version: Version) -> Result<ReplacedStreams, StoreError> {
        stored_in(&self.0.reader, channel, version).await
    }

    async fn replace(
        &self,
        channel: Id,
        streams: Valid<ChannelStreams>,
        expected: Option<Version>,
        edit: &Edit,
    ) -> Result<Written<StoredStreams>, StoreError> {
        tried(is_serialization_failure, || self.try_replace(channel, &streams, expected, edit))
            .await
            .map_err(store_error)
    }
}
