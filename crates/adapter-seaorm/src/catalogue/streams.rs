//! The streams of channels. A channel's own URL is its column; the row of its first stream has the
//! settings of that URL, and applies while the URL is the same.

use std::collections::HashMap;

use async_trait::async_trait;
use domain_audit::AuditAction;
use domain_catalogue::{
    ChannelStream, ChannelStreams, Content as _, Failover, Stored, StreamHeader, StreamOrigin, TvChannel,
    UrlType,
};
use domain_kernel::{Enumeration, FieldDiff, Id, Kind, Version, checked};
use domain_live::{address::masked, entry::Entry};
use garde::Valid;
use ports::{Edit, ReplacedStreams, StoreError, StoredStream, StoredStreams, StreamRepository, Written};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, Iterable, JoinType, QueryFilter,
    QueryResult,
    sea_query::{Expr, ExprTrait, Func, OnConflict, Order, Query, SelectStatement},
};
use serde_json::{Map, Value, json};

use super::{
    SeaOrmContents,
    importing::MOST_VALUES,
    overwriting::{Overwrite, overwrite_all},
    recording::{content_diff, record_about},
    rows::broken,
    stream_rows::{
        are_replaced, present_rows, select_stream, store_replaced, stored_in, stream_in, without_rows,
    },
    tv_channels::{Column as ChannelColumn, Entity as TvChannels},
};
use crate::{
    Database,
    audit::{Record, record},
    db::{
        error::{db_error, is_serialization_failure, store_error},
        retries::tried,
        sql::{Sql, of},
        transaction::Transaction,
        values::{get, member, text_of},
    },
    entities::{
        channel_stream_lists::{self, Column as ListColumn, Entity as Lists},
        channel_streams::{ActiveModel, Column, Entity},
        playlist_entries::{Column as EntryColumn, Entity as Entries},
        playlist_sources::{Column as SourceColumn, Entity as Sources},
    },
    links::{LINK, link},
    playlists::STREAMS,
};

/// The store of the channels.
pub(super) type Channels = SeaOrmContents<TvChannels>;

/// The store of the streams of channels.
#[derive(Debug, Clone)]
pub struct SeaOrmStreams(pub Database);

/// Streams as read, and the number of the next one.
#[derive(Clone)]
pub(super) struct List {
    pub(super) streams: StoredStreams,
    pub(super) next_number: i64,
    /// Whether the row of the first stream is not the first one: a form has made its URL that of the channel.
    pub(super) is_first_elsewhere: bool,
}

/// The title of the source of an entry with this alias.
fn title_of_source(entry: &'static str) -> SelectStatement {
    Query::select()
        .expr(of("p", SourceColumn::Title))
        .from_as(Sources, "p")
        .and_where(of("p", SourceColumn::Id).eq(of(entry, EntryColumn::SourceId)))
        .take()
}

/// The query of channels and their streams; a channel without a list is one row. `followed` is the
/// entry of a stream while it is the channel's: a row that does not apply may have one that became
/// a stream of another channel. `a` is the entry that was applied to the channel, which has the
/// headers of its URL unless the first stream has a row. All tables are read by their primary keys,
/// streams by `channel_streams_by_position`, applied entries by `playlist_entries_by_item`.
fn select_lists(channels: &[Id], only_lists: bool) -> SelectStatement {
    let channel = |column: ChannelColumn| of("c", column);
    let stream = |column: Column| of("s", column);
    let followed = |column: EntryColumn| of("followed", column);
    let of_channel = |entry: &'static str| of(entry, EntryColumn::ItemId).eq(channel(ChannelColumn::Id));
    let applied = Query::select()
        .expr(of("e", EntryColumn::Id))
        .from_as(Entries, "e")
        .and_where(of_channel("e"))
        .and_where(of("e", EntryColumn::ItemKind).eq(Kind::TvChannels.path()))
        .and_where(of("e", EntryColumn::InUse))
        .and_where(of("e", EntryColumn::Applied).is_not_null())
        .order_by(("e", EntryColumn::Id), Order::Asc)
        .limit(1)
        .take();
    let is_stream = stream(Column::ChannelId).eq(channel(ChannelColumn::Id));
    let is_followed = followed(EntryColumn::Id)
        .eq(stream(Column::EntryId))
        .and(of_channel("followed"))
        .and(followed(EntryColumn::ItemKind).is_in([Kind::TvChannels.path(), STREAMS]));
    let position = Expr::from(Func::coalesce([stream(Column::Position), 0.into()]));
    let is_applied = position.eq(0).and(of("a", EntryColumn::Id).eq(applied));
    let is_list = of("f", ListColumn::ChannelId).eq(channel(ChannelColumn::Id));
    let mut select = Query::select()
        .exprs(
            [
                ChannelColumn::Id,
                ChannelColumn::Version,
                ChannelColumn::Title,
                ChannelColumn::UrlType,
                ChannelColumn::Url,
            ]
            .map(channel),
        )
        .exprs([ListColumn::Failover, ListColumn::NextNumber].map(|column| of("f", column)))
        .exprs([Column::Number, Column::Origin].map(stream))
        .expr_as(followed(EntryColumn::Id), "entry_id")
        .expr_as(Expr::from(title_of_source("followed")), "source")
        .expr_as(of("a", EntryColumn::Id), "applied_entry")
        .expr(of("a", EntryColumn::Applied))
        .expr_as(Expr::from(title_of_source("a")), "applied_source")
        .from_as(TvChannels, "c")
        .join_as(JoinType::LeftJoin, Entity, "s", is_stream)
        .join_as(JoinType::LeftJoin, Entries, "followed", is_followed)
        .join_as(JoinType::LeftJoin, Entries, "a", is_applied)
        .join_as(if only_lists { JoinType::Join } else { JoinType::LeftJoin }, Lists, "f", is_list)
        .and_where(channel(ChannelColumn::Id).is_in(channels.iter().copied()))
        .order_by(("c", ChannelColumn::Id), Order::Asc)
        .order_by(("s", Column::Position), Order::Asc)
        .take();
    select_stream(&mut select, "s");
    select
}

/// The headers of an entry that are valid in a form. A playlist may have others, which players get
/// unchanged if the entry is the channel's own.
pub(super) fn headers_of(entry: &Entry) -> Vec<StreamHeader> {
    accepted(entry.player_headers())
}

/// Headers that are valid in a form.
pub(super) fn accepted(headers: Vec<(String, String)>) -> Vec<StreamHeader> {
    let headers = headers.into_iter().map(|(name, value)| StreamHeader { name, value });
    headers.filter(|header| checked(header.clone(), &()).is_ok()).collect()
}

/// The channel's own URL, if its first stream has no row.
fn own_address(row: &QueryResult, url_type: UrlType, url: String) -> Result<StoredStream, StoreError> {
    let applied: Option<String> = get(row, "applied")?;
    let applied = applied.as_deref().map(serde_json::from_str::<Entry>).transpose().map_err(broken)?;
    let entry = applied.filter(|entry| entry.url == url && url_type == UrlType::External);
    let is_applied = entry.is_some();
    let headers = entry.map(|entry| headers_of(&entry)).unwrap_or_default();
    Ok(StoredStream {
        number: get::<Option<i64>>(row, "number")?.unwrap_or_default(),
        stream: ChannelStream { label: None, quality: None, url_type, url, headers },
        origin: if is_applied { StreamOrigin::Playlist } else { StreamOrigin::Typed },
        entry: get::<Option<Id>>(row, "applied_entry")?.filter(|_| is_applied),
        source: get::<Option<String>>(row, "applied_source")?.filter(|_| is_applied),
        has_details: false,
        link: None,
    })
}

fn listed(row: &QueryResult, number: i64) -> Result<StoredStream, StoreError> {
    let entry: Option<Id> = get(row, "entry_id")?;
    let origin: StreamOrigin = member(&get::<String>(row, "origin")?)?;
    let is_followed = origin != StreamOrigin::Playlist || entry.is_some();
    Ok(StoredStream {
        number,
        stream: stream_in(row)?,
        origin: if is_followed { origin } else { StreamOrigin::Typed },
        entry,
        source: get(row, "source")?,
        has_details: true,
        link: None,
    })
}

/// The streams of channels by their IDs; `only_lists` omits channels with nothing but a URL.
pub(super) async fn read(
    connection: &impl ConnectionTrait,
    channels: &[Id],
    only_lists: bool,
) -> Result<Vec<List>, StoreError> {
    if channels.is_empty() {
        return Ok(Vec::new());
    }
    let select = select_lists(channels, only_lists);
    let mut lists: Vec<List> = Vec::new();
    for row in &connection.query_all(&select).await.map_err(store_error)? {
        let channel: Id = get(row, "id")?;
        if lists.last().is_none_or(|list| list.streams.channel != channel) {
            let failover: Option<String> = get(row, "failover")?;
            let failover = failover.as_deref().map_or(Ok(Failover::Manual), member)?;
            let version = get(row, "version")?;
            let next_number = get::<Option<i64>>(row, "next_number")?.unwrap_or(1);
            let title = get(row, "title")?;
            let streams = StoredStreams { channel, version, title, failover, streams: Vec::new() };
            lists.push(List { streams, next_number, is_first_elsewhere: false });
        }
        let Some(list) = lists.last_mut() else { continue };
        let number: Option<i64> = get(row, "number")?;
        let is_first = get::<Option<i32>>(row, "position")?.unwrap_or_default() == 0;
        let stream = number.map(|number| listed(row, number)).transpose()?;
        let stream = if is_first {
            let (url_type, url) = (member(&get::<String>(row, "url_type")?)?, get::<String>(row, "url")?);
            match stream.filter(|stream| stream.stream.address() == (url_type, &url)) {
                Some(stream) => stream,
                None => own_address(row, url_type, url)?,
            }
        } else {
            let stream = stream.ok_or_else(|| broken("a stream without a number"))?;
            // A form has made this stream's URL that of the channel.
            let first = list.streams.streams.first_mut();
            if let Some(first) = first.filter(|first| first.stream.address() == stream.stream.address()) {
                *first = stream;
                list.is_first_elsewhere = true;
                continue;
            }
            stream
        };
        list.streams.streams.push(stream);
    }
    add_links(connection, &mut lists).await?;
    Ok(lists)
}

/// Adds the results of probes.
async fn add_links(connection: &impl ConnectionTrait, lists: &mut [List]) -> Result<(), StoreError> {
    let ids: Vec<Id> = lists.iter().map(|list| list.streams.channel).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let mut sql = Sql::new(format!(
        "SELECT {LINK}, l.stream, l.address FROM links l WHERE l.owner = 'tv-channels' AND l.item_id IN ("
    ));
    sql.bind_all(ids).push(")");
    let statement = sql.statement(connection.get_database_backend());
    let mut links = HashMap::new();
    for row in &connection.query_all_raw(statement).await.map_err(store_error)? {
        let link = link(row)?;
        links.insert((link.item, get::<i64>(row, "stream")?), (link, get::<String>(row, "address")?));
    }
    for list in lists {
        for stream in &mut list.streams.streams {
            stream.link = links.remove(&(list.streams.channel, stream.number));
        }
    }
    Ok(())
}

pub(super) async fn read_one(
    connection: &impl ConnectionTrait,
    channel: Id,
) -> Result<Option<List>, StoreError> {
    Ok(read(connection, &[channel], false).await?.pop())
}

/// The streams of the existing ones of these channels, as in a form.
pub(super) async fn drafts_of(
    database: &Database,
    ids: &[Id],
) -> Result<Vec<(Id, ChannelStreams)>, StoreError> {
    let lists = read(&database.scanner, ids, false).await?;
    Ok(lists.into_iter().map(|list| (list.streams.channel, list.streams.draft())).collect())
}

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
