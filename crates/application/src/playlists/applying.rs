//! Applying what a run found: entries become rows of a file that is imported, so an operation carries them out with progress,
//! a result for each and an undo (docs/adr/0023-spreadsheet-imports.md).

use domain_catalogue::{Content, Kind, RadioGenre, RadioStation, TvChannel};
use domain_kernel::{Action, Actor, Cell, Enumeration, Id, Version, fold};
use domain_live::{
    channel::ChannelFields,
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

use super::{PlaylistService, changes::Item, playlist_permission};
use crate::{
    Error, OperationRefusal, PlaylistRefusal,
    contents::parse,
    made_sheets::{MadeSheet, SheetWriter, StoredRows, confirmed},
    operations::pairs_of,
    read_list_query,
    sheet_imports::VERSION_COLUMN,
};

/// Entries that are read at once.
const AT_ONCE: usize = 500;
/// Characters of the code of a radio station.
const LONGEST_CODE: usize = 50;

/// What is applied: entries that are named, or those that a filter shows. New ones become channels or radio stations, changed
/// ones change theirs; others, and ignored ones, are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApplyPlaylistEntries")]
#[garde(context(()))]
pub struct ApplyRequest {
    /// The entries.
    #[garde(inner(length(min = 1, max = MAX_NAMED_ITEMS)))]
    #[schemars(length(min = 1, max = MAX_NAMED_ITEMS))]
    pub ids: Option<Vec<Id>>,
    /// The entries that the list shows with these parameters: `search` and the list's filters.
    #[garde(custom(exactly_one_of(&self.ids)))]
    pub filter: Option<Map<String, Value>>,
    /// How many entries the user has confirmed: with another number nothing is begun.
    #[garde(skip)]
    pub expected_count: Option<i64>,
}

/// What rows of a kind have: the column of the kind, and what the list calls it.
const fn columns_of(kind: Kind) -> &'static [(&'static str, &'static str)] {
    match kind {
        Kind::RadioStations => &[
            ("id", "id"),
            ("code", "tvg-id"),
            ("stationName", "#EXTINF"),
            ("stationLogo", "tvg-logo"),
            ("country", "tvg-country"),
            ("genres", "group-title"),
            ("streamUrl", "URL"),
            (VERSION_COLUMN, VERSION_COLUMN),
        ],
        _ => &[
            ("id", "id"),
            ("channelNumber", "tvg-chno"),
            ("title", "#EXTINF"),
            ("categories", "group-title"),
            ("epgId", "tvg-id"),
            ("imageUrl", "tvg-logo"),
            ("urlType", "type"),
            ("url", "URL"),
            (VERSION_COLUMN, VERSION_COLUMN),
        ],
    }
}

fn text(value: Option<String>) -> Cell {
    value.map_or(Cell::Empty, Cell::Text)
}

/// The id and the version of an item as it is now: whoever changes it before its row is carried out keeps their change.
type ItemAsItIs = Option<(Id, Version)>;

fn channel_cells(item: ItemAsItIs, fields: ChannelFields, categories: &[Id], url_type: &str) -> Vec<Cell> {
    let categories: Vec<String> = categories.iter().map(ToString::to_string).collect();
    vec![
        item.map_or(Cell::Empty, |(id, _)| Cell::Integer(id)),
        fields.number.map_or(Cell::Empty, |number| Cell::Integer(number.into())),
        Cell::Text(fields.title),
        Cell::Text(categories.join(", ")),
        text(fields.epg_id),
        text(fields.image_url),
        Cell::Text(url_type.to_owned()),
        Cell::Text(fields.url),
        item.map_or(Cell::Empty, |(_, version)| Cell::Integer(version)),
    ]
}

/// A radio station out of a new entry.
fn new_radio_cells(source: &PlaylistSource, stored: &StoredEntry) -> Vec<Cell> {
    let fields = ChannelFields::of(&stored.entry);
    let code = fields.epg_id.filter(|id| id.chars().count() <= LONGEST_CODE);
    let country = stored.entry.tag("tvg-country").map(str::to_owned);
    let genre = genre_of(&stored.entry).map(Enumeration::code).map(str::to_owned);
    vec![
        Cell::Empty,
        Cell::Text(code.unwrap_or_else(|| format!("M3U-{}", stored.id))),
        Cell::Text(fields.title),
        text(fields.image_url),
        text(country.or_else(|| source.draft.radio_country.clone())),
        text(genre.or_else(|| source.draft.radio_genre.clone())),
        Cell::Text(fields.url),
        Cell::Empty,
    ]
}

/// The genre that one of an entry's groups names in either language.
fn genre_of(entry: &Entry) -> Option<RadioGenre> {
    let named = |group: &String| {
        let wanted = fold(group);
        RadioGenre::ALL.iter().copied().find(|genre| {
            let labels = genre.labels();
            [labels.spanish, labels.english, genre.code()].iter().any(|name| fold(name) == wanted)
        })
    };
    entry.groups.iter().find_map(named)
}

impl PlaylistService {
    /// Applies entries: begins an operation for channels, and one for radio stations where there are any. Streams of channels get at
    /// once what has changed in their entries.
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
        let run = self.current_run(source, run).await?;
        let most = MAX_ITEMS as u64 + 1;
        let ids = match (request.ids, request.filter) {
            (Some(ids), _) => ids,
            (None, filter) => {
                let pairs = pairs_of(&filter.unwrap_or_default())?;
                let query = read_list_query(&Self::changes_shape(), &pairs)?;
                self.ids_of(source, &query, most).await?
            }
        };
        self.apply_ids(actor, &stored, &run, &confirmed(ids, request.expected_count)?).await
    }

    /// Applies what the source's setting lets a refresh apply by itself, in the name of whoever changed the source last.
    pub(super) async fn apply_automatically(
        &self,
        source: &PlaylistSource,
        run: &PlaylistRun,
    ) -> Result<(), Error> {
        let changes = match source.draft.automatic {
            AutomaticApply::Nothing => return Ok(()),
            AutomaticApply::Changes => "CHANGED",
            AutomaticApply::All => "CHANGED,NEW",
        };
        let pairs = [("change".to_owned(), changes.to_owned())];
        let query = read_list_query(&Self::changes_shape(), &pairs)?;
        let ids = self.ids_of(source.id, &query, MAX_ITEMS as u64).await?;
        if ids.is_empty() {
            return Ok(());
        }
        let actor = self.operations.actor_named(&source.updated_by).await?;
        actor.require(playlist_permission(Action::Update))?;
        self.apply_ids(&actor, source, run, &ids).await.map(drop)
    }

    async fn apply_ids(
        &self,
        actor: &Actor,
        source: &PlaylistSource,
        run: &PlaylistRun,
        ids: &[Id],
    ) -> Result<Vec<BulkOperation>, Error> {
        if self.stores.entries.is_applying(source.id).await? {
            return Err(Error::Playlist(PlaylistRefusal::Applying));
        }
        let highest = self.stores.entries.highest_number(source.id).await?;
        let mut next_number =
            highest.map_or(source.draft.first_number, |highest| source.draft.first_number.max(highest + 1));
        let mut kinds = [TvChannel::KIND, RadioStation::KIND].map(|kind| {
            let (resource, name) = (Resource::Content(kind), source.draft.title.as_str());
            let of = MadeSheet { resource, name, columns: columns_of(kind) };
            (resource, SheetWriter::new(of, &*self.stores.sheets, actor, &self.calendar))
        });
        let mut streams = Vec::new();
        for some in ids.chunks(AT_ONCE) {
            let entries = self.stores.entries.find_all(source.id, some).await?;
            let items = self.items_of(&entries).await?;
            for stored in entries.iter().filter(|stored| !stored.ignored) {
                if stored.stream_of.is_some() {
                    streams.extend((stored.change == EntryChange::Changed).then_some(stored.id));
                    continue;
                }
                let item = stored.item.and_then(|item| items.get(&item));
                let cells = match (stored.change, item) {
                    (EntryChange::New, _) if stored.entry.is_radio() => new_radio_cells(source, stored),
                    (EntryChange::New, _) => {
                        let mut fields = ChannelFields::of(&stored.entry);
                        if fields.number.is_none() {
                            fields.number = Some(next_number);
                            next_number = next_number.saturating_add(1);
                        }
                        let category = source.draft.category_of(&stored.entry.groups);
                        channel_cells(None, fields, category.as_slice(), "EXTERNAL")
                    }
                    (EntryChange::Changed, Some(item)) => changed_cells(stored, item),
                    _ => continue,
                };
                let is_radio = match stored.item {
                    Some((kind, _)) if stored.change == EntryChange::Changed => kind == RadioStation::KIND,
                    _ => stored.entry.is_radio(),
                };
                let (_, rows) = &mut kinds[usize::from(is_radio)];
                self.expect(source.id, rows.add(cells, (stored.id, stored.entry.clone())).await?).await?;
            }
        }
        let followed = self.follow_streams(actor, source.id, &streams).await?;
        let mut imports = Vec::new();
        for (resource, mut rows) in kinds {
            self.expect(source.id, rows.rest().await?).await?;
            if let Some(import) = rows.finish().await? {
                imports.push((resource, import));
            }
        }
        match (imports.is_empty(), followed) {
            (true, 0) => Err(Error::Operation(OperationRefusal::Nothing)),
            (true, _) => Ok(Vec::new()),
            (false, _) => self.operations.begin_rows_of_run(actor, run.id, imports).await,
        }
    }

    /// Records which entry of the source each row stands for, unless somebody else applies it.
    async fn expect(&self, source: Id, slice: Option<StoredRows<(Id, Entry)>>) -> Result<(), Error> {
        let Some(StoredRows { sheet, rows }) = slice else { return Ok(()) };
        let entries = rows.into_iter().map(|(row, (id, entry))| (id, row, entry)).collect();
        if self.stores.entries.expect_rows(source, sheet, entries).await? {
            Ok(())
        } else {
            Err(Error::Playlist(PlaylistRefusal::Applying))
        }
    }
}

/// A channel or a radio station with what differs in its entry.
fn changed_cells(stored: &StoredEntry, item: &Item) -> Vec<Cell> {
    let applied = stored.applied.as_ref().unwrap_or(&stored.entry);
    let fields = item.fields(applied).with_changes(applied, &stored.entry);
    match item {
        Item::Channel(channel) => {
            let content = &channel.content;
            channel_cells(
                Some((channel.id, channel.version)),
                fields,
                &content.categories,
                content.url_type.code(),
            )
        }
        Item::Radio(station) => {
            let content = &station.content;
            let genres: Vec<&str> = content.genres.iter().map(|genre| genre.code()).collect();
            vec![
                Cell::Integer(station.id),
                Cell::Text(content.code.clone()),
                Cell::Text(fields.title),
                text(fields.image_url),
                Cell::Text(content.country.clone()),
                Cell::Text(genres.join(", ")),
                Cell::Text(fields.url),
                Cell::Integer(station.version),
            ]
        }
    }
}
