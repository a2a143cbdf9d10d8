//! Entries of playlists as further streams of channels. A trigger maintains whether the stream of an entry
//! exists.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use domain_catalogue::{ChannelStream, MOST_STREAMS, StreamOrigin, UrlType};
use domain_kernel::{Code, Enumeration, Id, Violation};
use domain_live::{diff::EntryChange, entry::Entry};
use domain_operations::STREAMS as STREAMS_FIELD;
use ports::{ChangedStream, EntryStreamRepository, StoreError, StoredStream, StreamCheck};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, JoinType, QueryFilter,
    sea_query::{ExprTrait, Order, Query},
};

use super::{
    stream_lists::{List, accepted, headers_of, read},
    tv_channels::{Column as ChannelColumn, Entity as TvChannels},
};
use crate::{
    Database,
    db::{error::store_error, sql::of},
    entities::playlist_entries::{Column, Entity},
    playlists::{STREAMS, json, not_applying},
};

/// Maximum characters of a label.
const LONGEST_LABEL: usize = 100;
/// Maximum entries that one statement finds.
pub(super) const LOOKED_FOR: usize = 5_000;

/// Finds entries that are, or can become, streams of channels.
#[derive(Debug, Clone)]
pub struct SeaOrmEntryStreams(pub Database);

fn label_of(entry: &Entry) -> Option<String> {
    let label: String = entry.name.trim().chars().take(LONGEST_LABEL).collect();
    Some(label.trim_end().to_owned()).filter(|label| !label.is_empty())
}

pub(super) fn stream_of(entry: &Entry) -> ChannelStream {
    ChannelStream {
        label: label_of(entry),
        quality: None,
        url_type: UrlType::External,
        url: entry.url.clone(),
        headers: headers_of(entry),
    }
}

/// Reason why an entry does not become a stream of a channel.
#[derive(Clone, Copy)]
pub(super) enum NoRoom {
    /// The channel has the address from another entry.
    Duplicate,
    /// It has as many streams as it may have.
    Full,
}

impl NoRoom {
    pub(super) fn violation(self) -> Violation {
        match self {
            Self::Duplicate => Violation::new(STREAMS_FIELD, Code::Duplicate),
            Self::Full => Violation::new(STREAMS_FIELD, Code::TooMany).with("max", MOST_STREAMS),
        }
    }
}

/// A list with the stream of an entry as its last one. An existing stream with the same address gets the entry
/// instead.
pub(super) fn with_entry(before: &List, entry: Id, stream: ChannelStream) -> Result<List, NoRoom> {
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

/// The list with the entry's current values in its stream. A label set by a user is kept, and so is an address
/// of a bulk change, unless that of the entry has changed. `None` without such a stream.
pub(super) fn with_changes(before: &List, id: Id, applied: &Entry, now: &Entry) -> Option<List> {
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

/// The new entries among these without an unfinished apply, except for radio stations.
async fn new_entries(
    connection: &impl ConnectionTrait,
    source: Id,
    ids: &[Id],
) -> Result<HashMap<Id, Entry>, StoreError> {
    let find = Entity::find()
        .filter(Column::Id.is_in(ids.iter().copied()))
        .filter(Column::SourceId.eq(source))
        .filter(Column::Change.eq(EntryChange::New.code()))
        .filter(Column::MissingSince.is_null())
        .filter(Column::Radio.eq(false))
        .filter(not_applying());
    let rows = find.all(connection).await.map_err(store_error)?;
    rows.into_iter().map(|row| Ok((row.id, json(&row.content)?))).collect()
}

#[async_trait]
impl EntryStreamRepository for SeaOrmEntryStreams {
    async fn check_all(&self, source: Id, added: &[(Id, Id)]) -> Result<Vec<StreamCheck>, StoreError> {
        let connection = &self.0.reader;
        let (ids, channels): (Vec<Id>, Vec<Id>) = added.iter().copied().unzip();
        let lists = read(connection, &channels, false).await?;
        let mut lists: HashMap<Id, List> =
            lists.into_iter().map(|list| (list.streams.channel, list)).collect();
        let entries = new_entries(connection, source, &ids).await?;
        let mut allowed = HashSet::new();
        let check = |(entry, channel): &(Id, Id)| {
            let Some(list) = lists.get_mut(channel) else { return StreamCheck::NoChannel };
            let Some(content) = entries.get(entry) else { return StreamCheck::NotNew };
            if allowed.contains(entry) {
                return StreamCheck::Duplicate;
            }
            match with_entry(list, *entry, stream_of(content)) {
                Ok(longer) => {
                    *list = longer;
                    allowed.insert(*entry);
                    StreamCheck::Allowed(list.streams.version)
                }
                Err(NoRoom::Duplicate) => StreamCheck::Duplicate,
                Err(NoRoom::Full) => StreamCheck::Full,
            }
        };
        Ok(added.iter().map(check).collect())
    }

    async fn changed(&self, source: Id, entries: &[Id]) -> Result<Vec<ChangedStream>, StoreError> {
        let connection = &self.0.scanner;
        let mut changed = Vec::new();
        for some in entries.chunks(LOOKED_FOR) {
            let entry = |column: Column| of("e", column);
            let is_channel = of("c", ChannelColumn::Id).eq(entry(Column::ItemId));
            let select = Query::select()
                .expr(entry(Column::Id))
                .expr_as(of("c", ChannelColumn::Id), "channel_id")
                .expr(of("c", ChannelColumn::Version))
                .from_as(Entity, "e")
                .join_as(JoinType::Join, TvChannels, "c", is_channel)
                .and_where(entry(Column::InUse))
                .and_where(entry(Column::Ignored).not())
                .and_where(entry(Column::ItemKind).eq(STREAMS))
                .and_where(entry(Column::Change).eq(EntryChange::Changed.code()))
                .and_where(entry(Column::SourceId).eq(source))
                .and_where(entry(Column::Id).is_in(some.iter().copied()))
                .order_by(("e", Column::Id), Order::Asc)
                .take();
            for row in &connection.query_all(&select).await.map_err(store_error)? {
                let get = |column: &str| row.try_get::<i64>("", column).map_err(store_error);
                let (entry, channel) = (get("id")?, get("channel_id")?);
                changed.push(ChangedStream { entry, channel, version: get("version")? });
            }
        }
        Ok(changed)
    }
}
