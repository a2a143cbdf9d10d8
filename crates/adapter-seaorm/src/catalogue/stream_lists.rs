//! Reads the streams of channels. A channel's own URL is its column; the row of its first stream has
//! the settings of that URL, and applies while the URL is the same.

use std::collections::HashMap;

use domain_catalogue::{ChannelStream, ChannelStreams, Failover, StreamHeader, StreamOrigin, UrlType};
use domain_kernel::{Id, Kind, checked};
use domain_live::entry::Entry;
use ports::{StoreError, StoredStream, StoredStreams};
use sea_orm::{
    ConnectionTrait, JoinType, QueryResult,
    sea_query::{Expr, ExprTrait, Func, Order, Query, SelectStatement},
};

use super::{
    rows::broken,
    stream_rows::{select_stream, stream_in},
    tv_channels::{Column as ChannelColumn, Entity as TvChannels},
};
use crate::{
    Database,
    db::{
        error::store_error,
        sql::of,
        values::{get, member},
    },
    entities::{
        channel_stream_lists::{Column as ListColumn, Entity as Lists},
        channel_streams::{Column, Entity},
        links::Column as LinkColumn,
        playlist_entries::{Column as EntryColumn, Entity as Entries},
        playlist_sources::{Column as SourceColumn, Entity as Sources},
    },
    links::{link, select_links},
    playlists::STREAMS,
};

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
    let select = select_links()
        .exprs([LinkColumn::Stream, LinkColumn::Address].map(|column| of("l", column)))
        .and_where(of("l", LinkColumn::Owner).eq(Kind::TvChannels.path()))
        .and_where(of("l", LinkColumn::ItemId).is_in(ids))
        .take();
    let mut links = HashMap::new();
    for row in &connection.query_all(&select).await.map_err(store_error)? {
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
