//! Entries as further streams of existing channels (docs/spec/live-tv.md#applying). Streams of a
//! channel are applied by one row of an operation, with its content if that changes too.

use std::collections::{BTreeMap, HashMap};

use domain_catalogue::{Content, Kind, MOST_STREAMS, TvChannel};
use domain_kernel::{Action, Actor, Cell, Code, Id, Version, Violation, Violations};
use domain_live::{
    diff::{EntryChange, EntryField, keeping},
    entry::Entry,
    source::PlaylistSource,
};
use domain_operations::{BulkOperation, Resource};
use garde::Validate;
use ports::{ChangedStream, StoredEntry, StreamCheck};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    PlaylistService,
    changes::ENTRIES,
    not_running, playlist_permission,
    rows::{RowEntries, channel_of, columns_of, row_of_streams, with_streams},
};
use crate::{
    Error, PlaylistRefusal,
    body::parse,
    generated_sheets::{GeneratedSheet, SheetWriter},
};

/// Channels whose rows are made at once.
const AT_ONCE: usize = 500;

/// Channel that gets an entry as a further stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AddEntryToStreams")]
#[garde(context(()))]
pub struct AddStreamRequest {
    /// ID of the channel.
    #[garde(range(min = 1))]
    pub channel_id: Id,
}

/// Maximum entries that become streams by one request.
const MOST_ADDED: usize = 500;

/// Entries that become further streams, each with its channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AddEntriesToStreams")]
#[garde(context(()))]
pub struct AddStreamsRequest {
    /// The entries, each once.
    #[garde(length(min = 1, max = MOST_ADDED), dive)]
    #[schemars(length(min = 1, max = MOST_ADDED))]
    pub streams: Vec<AddedStream>,
}

/// An entry and the channel that gets it as a further stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AddedStream")]
#[garde(context(()))]
pub struct AddedStream {
    /// ID of the entry.
    #[garde(range(min = 1))]
    #[schemars(range(min = 1))]
    pub entry_id: Id,
    /// ID of the channel.
    #[garde(range(min = 1))]
    #[schemars(range(min = 1))]
    pub channel_id: Id,
}

/// Entries that become streams, by channel.
type Added = BTreeMap<Id, (Version, RowEntries)>;

/// Reason why an entry of a list can't become a stream of its channel.
fn violation(index: usize, check: StreamCheck) -> Option<Violation> {
    let at = |field: &str, code| Violation::new(format!("streams[{index}].{field}"), code);
    match check {
        StreamCheck::Allowed(_) => None,
        StreamCheck::NoChannel => Some(at("channelId", Code::UnknownReference)),
        StreamCheck::NotNew => Some(at("entryId", Code::ChangedSince)),
        StreamCheck::Duplicate => Some(at("entryId", Code::Duplicate)),
        StreamCheck::Full => Some(at("channelId", Code::TooMany).with("max", MOST_STREAMS)),
    }
}

/// Changed streams without a row, by channel: its version and the entries.
pub(super) struct WaitingStreams(BTreeMap<Id, (Version, Vec<Id>)>);

impl WaitingStreams {
    pub(super) fn of(changed: Vec<ChangedStream>) -> Self {
        let mut channels = BTreeMap::new();
        for ChangedStream { entry, channel, version } in changed {
            let (_, entries) = channels.entry(channel).or_insert_with(|| (version, Vec::new()));
            entries.push(entry);
        }
        Self(channels)
    }
}

/// The fields of a stream's entry that are applied, without its name unless `takes_names`; `None` if
/// nothing is applied.
fn applied_of(stored: &StoredEntry, takes_names: bool) -> Option<Entry> {
    if stored.ignored || stored.change != EntryChange::Changed {
        return None;
    }
    if takes_names {
        return Some(stored.entry.clone());
    }
    let applied = stored.applied.as_ref().unwrap_or(&stored.entry);
    let now = keeping(applied, &stored.entry, &[EntryField::Name]);
    (now != *applied).then_some(now)
}

impl PlaylistService {
    /// Starts an operation that makes a new entry the last stream of a channel.
    pub async fn add_stream(
        &self,
        actor: &Actor,
        source: Id,
        entry: Id,
        body: &[u8],
    ) -> Result<Vec<BulkOperation>, Error> {
        actor.require(playlist_permission(Action::Update))?;
        actor.require(Kind::TvChannels.permission(Action::Update))?;
        let request = self.stream_requests.read(parse(body)?, &())?.into_inner();
        let stored = self.whole(source).await?;
        not_running(&stored)?;
        let found = self.stores.entries.find_all(source, &[entry]).await?.pop();
        let found = found.ok_or(Error::NoSuch { what: ENTRIES, id: entry })?;
        let channel = request.channel_id;
        let refused = |refusal| Err(Error::Playlist(refusal));
        let check = self.stores.streams.check_all(source, &[(entry, channel)]).await?.pop();
        let version = match check.unwrap_or(StreamCheck::NotNew) {
            StreamCheck::Allowed(version) => version,
            StreamCheck::NoChannel => return Err(Error::Missing { kind: Kind::TvChannels, id: channel }),
            StreamCheck::NotNew => return refused(PlaylistRefusal::NotNew),
            StreamCheck::Duplicate => return refused(PlaylistRefusal::DuplicateStream),
            StreamCheck::Full => return refused(PlaylistRefusal::Full),
        };
        self.begin_streams(actor, &stored, Added::from([(channel, (version, vec![(entry, found.entry)]))]))
            .await
    }

    /// Starts an operation that makes new entries the last streams of channels. Refused as a whole,
    /// with the place of each entry that can't become one.
    pub async fn add_streams(
        &self,
        actor: &Actor,
        source: Id,
        body: &[u8],
    ) -> Result<Vec<BulkOperation>, Error> {
        actor.require(playlist_permission(Action::Update))?;
        actor.require(Kind::TvChannels.permission(Action::Update))?;
        let AddStreamsRequest { streams } = self.streams_requests.read(parse(body)?, &())?.into_inner();
        let stored = self.whole(source).await?;
        not_running(&stored)?;
        let ids: Vec<Id> = streams.iter().map(|one| one.entry_id).collect();
        let found = self.stores.entries.find_all(source, &ids).await?;
        let mut entries: HashMap<Id, Entry> = found.into_iter().map(|one| (one.id, one.entry)).collect();
        let requested: Vec<(Id, Id)> = streams.iter().map(|one| (one.entry_id, one.channel_id)).collect();
        let checks = self.stores.streams.check_all(source, &requested).await?;
        let (mut added, mut violations) = (Added::new(), Vec::new());
        for (index, ((entry_id, channel_id), check)) in requested.into_iter().zip(checks).enumerate() {
            let version = match check {
                StreamCheck::Allowed(version) => version,
                refused => {
                    violations.extend(violation(index, refused));
                    continue;
                }
            };
            // Removed since the entries were found.
            let Some(entry) = entries.remove(&entry_id) else {
                violations.extend(violation(index, StreamCheck::NotNew));
                continue;
            };
            let (_, of_channel) = added.entry(channel_id).or_insert_with(|| (version, Vec::new()));
            of_channel.push((entry_id, entry));
        }
        if !violations.is_empty() {
            return Err(Violations(violations).into());
        }
        self.begin_streams(actor, &stored, added).await
    }

    /// Starts the operation with a row for each channel.
    async fn begin_streams(
        &self,
        actor: &Actor,
        stored: &PlaylistSource,
        added: Added,
    ) -> Result<Vec<BulkOperation>, Error> {
        let source = stored.id;
        let run = self.stores.runs.newest_finished(source).await?;
        let run = run.ok_or(Error::Playlist(PlaylistRefusal::NotNew))?;
        let resource = Resource::Content(TvChannel::KIND);
        let of = GeneratedSheet { resource, name: &stored.draft.title, columns: columns_of(TvChannel::KIND) };
        let mut rows = SheetWriter::new(of, &*self.stores.sheets, actor, &self.calendar);
        let mut expected = 0;
        for (channel, (version, entries)) in added {
            let ids: Vec<Id> = entries.iter().map(|(id, _)| *id).collect();
            let cells = row_of_streams(channel, version, &ids);
            expected += self.expect(source, rows.add(cells, entries).await?).await?;
        }
        expected += self.expect(source, rows.rest().await?).await?;
        let import = rows.finish().await?.map(|import| (resource, import));
        self.operations.begin_rows_of_run(actor, run.id, import.into_iter().collect(), expected).await
    }

    /// Adds the streams of channels that have rows for another change to those rows.
    pub(super) async fn join_streams(
        &self,
        source: Id,
        waiting: &mut WaitingStreams,
        rows: Vec<(&mut Vec<Cell>, &mut RowEntries)>,
        takes_names: bool,
    ) -> Result<(), Error> {
        let mut joined = Vec::new();
        for (cells, entries) in rows {
            if let Some((_, streams)) = channel_of(cells).and_then(|channel| waiting.0.remove(&channel)) {
                joined.push((cells, entries, streams));
            }
        }
        let ids: Vec<Id> = joined.iter().flat_map(|(_, _, streams)| streams).copied().collect();
        let mut applied = self.applied_entries(source, &ids, takes_names).await?;
        for (cells, entries, streams) in joined {
            let of_row: RowEntries =
                streams.into_iter().filter_map(|id| Some((id, applied.remove(&id)?))).collect();
            if !of_row.is_empty() {
                let ids: Vec<Id> = of_row.iter().map(|(id, _)| *id).collect();
                with_streams(cells, &ids);
                entries.extend(of_row);
            }
        }
        Ok(())
    }

    /// The next rows of channels whose streams alone change; `None` after the last.
    pub(super) async fn next_rows(
        &self,
        source: Id,
        waiting: &mut WaitingStreams,
        takes_names: bool,
    ) -> Result<Option<Vec<(Vec<Cell>, RowEntries)>>, Error> {
        let mut channels = Vec::new();
        while channels.len() < AT_ONCE
            && let Some(next) = waiting.0.pop_first()
        {
            channels.push(next);
        }
        if channels.is_empty() {
            return Ok(None);
        }
        let ids: Vec<Id> = channels.iter().flat_map(|(_, (_, entries))| entries).copied().collect();
        let mut applied = self.applied_entries(source, &ids, takes_names).await?;
        let mut rows = Vec::with_capacity(channels.len());
        for (channel, (version, entries)) in channels {
            let of_row: RowEntries =
                entries.into_iter().filter_map(|id| Some((id, applied.remove(&id)?))).collect();
            if !of_row.is_empty() {
                let ids: Vec<Id> = of_row.iter().map(|(id, _)| *id).collect();
                rows.push((row_of_streams(channel, version, &ids), of_row));
            }
        }
        Ok(Some(rows))
    }

    async fn applied_entries(
        &self,
        source: Id,
        ids: &[Id],
        takes_names: bool,
    ) -> Result<HashMap<Id, Entry>, Error> {
        let mut applied = HashMap::with_capacity(ids.len());
        for some in ids.chunks(AT_ONCE) {
            for stored in self.stores.entries.find_all(source, some).await? {
                applied.extend(applied_of(&stored, takes_names).map(|entry| (stored.id, entry)));
            }
        }
        Ok(applied)
    }
}
