//! Applies the changes of a run: entries become rows of an imported file, so that an operation has
//! progress, results and undo (docs/adr/0023-spreadsheet-imports.md).

use std::collections::{HashMap, HashSet};

use domain_catalogue::{Content, RadioStation, TvChannel};
use domain_kernel::{Action, Actor, Cell, Id};
use domain_live::{
    diff::EntryChange,
    entry::Entry,
    run::PlaylistRun,
    source::{AutomaticApply, PlaylistSource},
};
use domain_operations::{BulkOperation, MAX_ITEMS, MAX_NAMED_ITEMS, Resource, exactly_one_of};
use garde::Validate;
use ports::StoredEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    PlaylistService,
    guide_ids::OtherId,
    not_running, playlist_permission,
    rows::{ApplyMode, NextNumber, RowEntries, changed_row, columns_of},
    streams::WaitingStreams,
};
use crate::{
    Error, OperationRefusal, PlaylistRefusal,
    body::parse,
    generated_sheets::{GeneratedSheet, SheetWriter, StoredRows, confirmed},
    panics::catch_panic,
    read_list_query,
};

/// Entries per read.
const AT_ONCE: usize = 500;
/// Attempts of an automatic apply, each in conflict with another one that has ended meanwhile.
const APPLY_ATTEMPTS: usize = 3;

/// Entries to apply: by ID or by filter. New ones become channels or radio stations, changed ones
/// update theirs; others, and ignored ones, are skipped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApplyPlaylistEntries")]
#[garde(context(()))]
pub struct ApplyRequest {
    /// IDs of the entries.
    #[garde(inner(length(min = 1, max = MAX_NAMED_ITEMS)))]
    #[schemars(length(min = 1, max = MAX_NAMED_ITEMS))]
    pub ids: Option<Vec<Id>>,
    /// List parameters that select the entries: `search` and filters.
    #[garde(custom(exactly_one_of(&self.ids)))]
    pub filter: Option<Map<String, Value>>,
    /// Number of entries confirmed by the user; a different number is rejected.
    #[garde(skip)]
    pub expected_count: Option<i64>,
    /// Whether fields changed by a user also get the list's values. Otherwise they are kept. EPG
    /// IDs accepted by a user are always kept, and IDs of rejected guide channels, or of ones with
    /// another name, are never applied.
    #[garde(skip)]
    #[serde(default)]
    pub replace_edited: bool,
}

impl PlaylistService {
    /// Applies entries: starts an operation for channels, with their streams, and one for radio
    /// stations, if there are any.
    pub async fn apply(
        &self,
        actor: &Actor,
        source: Id,
        run: Id,
        body: &[u8],
    ) -> Result<Vec<BulkOperation>, Error> {
        actor.require(playlist_permission(Action::Update))?;
        let request = self.apply_requests.read(parse(body)?, &())?.into_inner();
        let stored = self.whole(source).await?;
        self.require_other_playlist(&stored).await?;
        not_running(&stored)?;
        let run = self.current_run(source, run).await?;
        let ids = self.requested_ids(source, request.ids, request.filter, false).await?;
        let mode = if request.replace_edited { ApplyMode::ReplaceEdited } else { ApplyMode::KeepEdited };
        self.apply_ids(actor, &stored, &run, &confirmed(ids, request.expected_count)?, mode).await
    }

    /// Applies the changes that the source allows a refresh to apply, as the user who last changed
    /// the source.
    async fn apply_automatically(&self, source: &PlaylistSource, run: &PlaylistRun) -> Result<(), Error> {
        let changes = match source.draft.automatic {
            AutomaticApply::Nothing => return Ok(()),
            AutomaticApply::Changes => "CHANGED",
            AutomaticApply::All => "CHANGED,NEW",
        };
        self.require_other_playlist(source).await?;
        let pairs = [("change".to_owned(), changes.to_owned())];
        let query = read_list_query(&Self::changes_shape(), &pairs)?;
        let ids = self.ids_of(source.id, &query, false, MAX_ITEMS as u64).await?;
        if ids.is_empty() {
            return Ok(());
        }
        let actor = self.operations.actor_named(&source.updated_by).await?;
        actor.require(playlist_permission(Action::Update))?;
        let takes_names = source.draft.automatic == AutomaticApply::All;
        self.apply_ids(&actor, source, run, &ids, ApplyMode::Automatic { takes_names }).await.map(drop)
    }

    /// Applies the changes of a run, and again after another apply that has ended meanwhile. `false` during
    /// another apply. The attempts are limited, because the next run of the source waits for them.
    pub(super) async fn apply_unless_applying(
        &self,
        source: &PlaylistSource,
        run: &PlaylistRun,
    ) -> Result<bool, Error> {
        for _ in 0..APPLY_ATTEMPTS {
            match catch_panic(self.apply_automatically(source, run)).await {
                Err(Error::Playlist(PlaylistRefusal::Applying)) => {}
                applied => return applied.map(|()| true),
            }
            if self.stores.entries.is_applying(source.id).await? {
                return Ok(false);
            }
        }
        Err(Error::Playlist(PlaylistRefusal::Applying))
    }

    /// Automatic applies don't recreate items deleted by a user, and don't change channels of other
    /// origins.
    async fn apply_ids(
        &self,
        actor: &Actor,
        source: &PlaylistSource,
        run: &PlaylistRun,
        ids: &[Id],
        mode: ApplyMode,
    ) -> Result<Vec<BulkOperation>, Error> {
        if self.stores.entries.is_applying(source.id).await? {
            return Err(Error::Playlist(PlaylistRefusal::Applying));
        }
        let changed = self.stores.streams.changed(source.id, ids).await?;
        let streams: HashSet<Id> = changed.iter().map(|stream| stream.entry).collect();
        let mut waiting = WaitingStreams::of(changed);
        let mut expected = 0;
        let highest = self.stores.entries.highest_number(source.id).await?;
        let first = source.draft.first_number;
        let mut numbers = NextNumber(highest.map_or(first, |highest| first.max(highest.saturating_add(1))));
        let mut kinds = [TvChannel::KIND, RadioStation::KIND].map(|kind| {
            let (resource, name) = (Resource::Content(kind), source.draft.title.as_str());
            let of = GeneratedSheet { resource, name, columns: columns_of(kind) };
            (resource, SheetWriter::new(of, &*self.stores.sheets, actor, &self.calendar))
        });
        for some in ids.chunks(AT_ONCE) {
            let entries = self.stores.entries.find_all(source.id, some).await?;
            let items = self.items_of(&entries).await?;
            let is_stream = |stored: &StoredEntry| stored.stream_of.is_some() || streams.contains(&stored.id);
            let wanted = || entries.iter().filter(|stored| !stored.ignored && !is_stream(stored));
            let is_new = |stored: &&StoredEntry| {
                stored.change == EntryChange::New && (!mode.is_automatic() || stored.applied.is_none())
            };
            let new: Vec<&StoredEntry> = wanted().filter(is_new).collect();
            let made = self.new_rows(source, &new, &mut numbers, mode).await?;
            let mut made: HashMap<Id, Vec<Cell>> =
                new.iter().zip(made).filter_map(|(stored, cells)| Some((stored.id, cells?))).collect();
            let changed = wanted().filter(|stored| stored.change == EntryChange::Changed);
            let replaces = mode == ApplyMode::ReplaceEdited;
            let other_id =
                |stored: &StoredEntry| OtherId::of_changed(stored, items.get(&stored.item?)?, replaces);
            let kept = self.keeping_ids(changed.filter_map(other_id).collect()).await?;
            let mut rows = Vec::new();
            for stored in wanted() {
                let item = stored.item.and_then(|item| items.get(&item));
                let row = match (stored.change, item) {
                    (EntryChange::Changed, Some(item)) => {
                        changed_row(stored, item, mode, kept.contains(&stored.id))
                    }
                    _ => made.remove(&stored.id).map(|cells| (cells, stored.entry.clone())),
                };
                let Some((cells, entry)) = row else { continue };
                let is_radio = match stored.item {
                    Some((kind, _)) if stored.change == EntryChange::Changed => kind == RadioStation::KIND,
                    _ => stored.entry.is_radio(),
                };
                rows.push((is_radio, cells, vec![(stored.id, entry)]));
            }
            let of_channels = rows.iter_mut().filter(|(is_radio, ..)| !is_radio);
            let of_channels = of_channels.map(|(_, cells, entries)| (cells, entries)).collect();
            self.join_streams(source.id, &mut waiting, of_channels, mode.takes_names()).await?;
            for (is_radio, cells, entries) in rows {
                let (_, rows) = &mut kinds[usize::from(is_radio)];
                expected += self.expect(source.id, rows.add(cells, entries).await?).await?;
            }
        }
        while let Some(rows) = self.next_rows(source.id, &mut waiting, mode.takes_names()).await? {
            for (cells, entries) in rows {
                let (_, rows) = &mut kinds[0];
                expected += self.expect(source.id, rows.add(cells, entries).await?).await?;
            }
        }
        let mut imports = Vec::new();
        for (resource, mut rows) in kinds {
            expected += self.expect(source.id, rows.rest().await?).await?;
            if let Some(import) = rows.finish().await? {
                imports.push((resource, import));
            }
        }
        if imports.is_empty() {
            return Err(Error::Operation(OperationRefusal::Nothing));
        }
        self.operations.begin_rows_of_run(actor, run.id, imports, expected).await
    }

    /// Records the entries of each row, unless another apply has one. Returns their number.
    pub(super) async fn expect(
        &self,
        source: Id,
        slice: Option<StoredRows<RowEntries>>,
    ) -> Result<u64, Error> {
        let Some(StoredRows { sheet, rows }) = slice else { return Ok(0) };
        let of_row =
            |(row, entries): (i64, RowEntries)| entries.into_iter().map(move |(id, entry)| (id, row, entry));
        let entries: Vec<(Id, i64, Entry)> = rows.into_iter().flat_map(of_row).collect();
        let count = entries.len() as u64;
        if self.stores.entries.expect_rows(source, sheet, entries).await? {
            Ok(count)
        } else {
            Err(Error::Playlist(PlaylistRefusal::Applying))
        }
    }
}
