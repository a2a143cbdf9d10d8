//! Rows of imported files: new and changed items of entries.

use std::collections::HashMap;

use domain_catalogue::{Content, Kind, RadioGenre, RadioStation, Stored, TvChannel, UrlType};
use domain_kernel::{Cell, Enumeration, Id, Version, fold};
use domain_live::{
    channel::ChannelFields,
    diff::{EntryField, keeping},
    entry::Entry,
    source::PlaylistSource,
};
use ports::{ItemKeys, StoredEntry};

use super::{PlaylistService, guide_ids::OtherId, items::Item};
use crate::{
    Error,
    sheet_imports::{STREAMS_COLUMN, VERSION_COLUMN},
};

/// Maximum characters of a radio station's code.
const LONGEST_CODE: usize = 50;

/// Entries of a row, each with what is applied of it.
pub(super) type RowEntries = Vec<(Id, Entry)>;

/// Columns of a kind's rows, and the entry's name for them.
pub(super) const fn columns_of(kind: Kind) -> &'static [(&'static str, &'static str)] {
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
            ("adultContent", "group-title"),
            (VERSION_COLUMN, VERSION_COLUMN),
            (STREAMS_COLUMN, STREAMS_COLUMN),
        ],
    }
}

fn text(value: Option<String>) -> Cell {
    value.map_or(Cell::Empty, Cell::Text)
}

/// ID and current version of an item: a concurrent change by a user is a conflict of its row.
type ItemAsItIs = Option<(Id, Version)>;

fn channel_cells(
    item: ItemAsItIs,
    fields: ChannelFields,
    categories: &[Id],
    url_type: &str,
    adult: bool,
) -> Vec<Cell> {
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
        Cell::Flag(adult),
        item.map_or(Cell::Empty, |(_, version)| Cell::Integer(version)),
        Cell::Empty,
    ]
}

/// Columns of a channel whose streams alone change.
pub(super) fn row_of_streams(channel: Id, version: Version, entries: &[Id]) -> Vec<Cell> {
    let mut cells = vec![Cell::Empty; columns_of(Kind::TvChannels).len()];
    cells[0] = Cell::Integer(channel);
    if let [.., of_version, _] = &mut cells[..] {
        *of_version = Cell::Integer(version);
    }
    with_streams(&mut cells, entries);
    cells
}

/// Adds the entries that are streams of its channel to a row.
pub(super) fn with_streams(cells: &mut [Cell], entries: &[Id]) {
    let ids: Vec<String> = entries.iter().map(ToString::to_string).collect();
    if let [.., streams] = cells {
        *streams = Cell::Text(ids.join(", "));
    }
}

/// The channel of a row, if it exists already.
pub(super) fn channel_of(cells: &[Cell]) -> Option<Id> {
    match cells.first() {
        Some(Cell::Integer(id)) => Some(*id),
        _ => None,
    }
}

/// The same channel with other fields. A URL of the list is no number of an internal channel.
fn changed_channel(channel: &Stored<TvChannel>, fields: ChannelFields) -> Vec<Cell> {
    let content = &channel.content;
    let url_type = if fields.url == content.url { content.url_type } else { UrlType::External };
    let item = Some((channel.id, channel.version));
    channel_cells(item, fields, &content.categories, url_type.code(), content.adult_content)
}

fn changed_station(station: &Stored<RadioStation>, fields: ChannelFields) -> Vec<Cell> {
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

/// Code of the radio station created from a new entry.
fn code_of(stored: &StoredEntry) -> String {
    let code = ChannelFields::of(&stored.entry).epg_id.filter(|id| id.chars().count() <= LONGEST_CODE);
    code.unwrap_or_else(|| format!("M3U-{}", stored.id))
}

/// Columns of a radio station created from a new entry.
fn new_station(source: &PlaylistSource, stored: &StoredEntry) -> Vec<Cell> {
    let fields = ChannelFields::of(&stored.entry);
    let country = stored.entry.tag("tvg-country").map(str::to_owned);
    let genre = genre_of(&stored.entry).map(Enumeration::code).map(str::to_owned);
    vec![
        Cell::Empty,
        Cell::Text(code_of(stored)),
        Cell::Text(fields.title),
        text(fields.image_url),
        text(country.or_else(|| source.draft.radio_country.clone())),
        text(genre.or_else(|| source.draft.radio_genre.clone())),
        Cell::Text(fields.url),
        Cell::Empty,
    ]
}

/// Genre with the name of one of an entry's groups in either language.
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

/// Origin of an apply, and treatment of fields changed by a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ApplyMode {
    /// Automatic: they are kept, and the list's values are still shown.
    Automatic {
        /// Whether names are applied, too: otherwise they wait for a user.
        takes_names: bool,
    },
    /// By a user: they are kept, as a decision.
    KeepEdited,
    /// By a user: they get the list's values. Kept EPG IDs of channels stay.
    ReplaceEdited,
}

impl ApplyMode {
    pub(super) const fn is_automatic(self) -> bool {
        matches!(self, Self::Automatic { .. })
    }

    pub(super) const fn takes_names(self) -> bool {
        !matches!(self, Self::Automatic { takes_names: false })
    }
}

/// Row of a channel or a radio station with the differences of its entry, and the applied entry;
/// `None` without differences.
pub(super) fn changed_row(
    stored: &StoredEntry,
    item: &Item,
    mode: ApplyMode,
    keeps_guide_id: bool,
) -> Option<(Vec<Cell>, Entry)> {
    let applied = stored.applied.as_ref().unwrap_or(&stored.entry);
    let before = item.fields(applied);
    let mut own = before.own(applied, keeps_guide_id);
    let differing = before.differing(&ChannelFields::of(&stored.entry));
    own.retain(|field| differing.contains(field));
    if mode == ApplyMode::ReplaceEdited {
        own.retain(|field| keeps_guide_id && *field == EntryField::GuideId);
    }
    if !mode.takes_names() && differing.contains(&EntryField::Name) && !own.contains(&EntryField::Name) {
        own.push(EntryField::Name);
    }
    let entry =
        if mode.is_automatic() { keeping(applied, &stored.entry, &own) } else { stored.entry.clone() };
    if mode.is_automatic() && entry == *applied {
        return None;
    }
    let fields = before.with_changes(applied, &stored.entry, &own);
    let cells = match item {
        Item::Channel(channel) => changed_channel(channel, fields),
        Item::Radio(station) => changed_station(station, fields),
    };
    Some((cells, entry))
}

/// Numbers of new channels whose entries have none.
pub(super) struct NextNumber(pub(super) i32);

impl NextNumber {
    /// Fields of a new entry's channel, with a number.
    fn fields_of(&mut self, entry: &Entry) -> ChannelFields {
        let mut fields = ChannelFields::of(entry);
        if fields.number.is_none() {
            fields.number = Some(self.0);
            self.0 = self.0.saturating_add(1);
        }
        fields
    }
}

/// Key of a channel, as in imports: its number and name.
fn key_of_channel(fields: &ChannelFields) -> Option<String> {
    fields.number.map(|number| format!("{number}\n{}", fields.title.to_lowercase()))
}

impl PlaylistService {
    /// Rows of new entries, in their order. An existing channel or station gets the URL and values
    /// for empty fields, if a user applies: `None` for automatic applies.
    pub(super) async fn new_rows(
        &self,
        source: &PlaylistSource,
        entries: &[&StoredEntry],
        numbers: &mut NextNumber,
        mode: ApplyMode,
    ) -> Result<Vec<Option<Vec<Cell>>>, Error> {
        let fields: Vec<ChannelFields> = entries
            .iter()
            .map(|stored| {
                if stored.entry.is_radio() {
                    ChannelFields::of(&stored.entry)
                } else {
                    numbers.fields_of(&stored.entry)
                }
            })
            .collect();
        let there = self.items_called_alike(entries, &fields).await?;
        let other_id = |(stored, fields): (&&StoredEntry, &ChannelFields)| {
            OtherId::of_new(stored, there.of(stored, fields)?, fields)
        };
        let kept = self.keeping_ids(entries.iter().zip(&fields).filter_map(other_id).collect()).await?;
        let row = |(stored, mut fields): (&&StoredEntry, ChannelFields)| {
            let Some(item) = there.of(stored, &fields) else {
                let category = source.draft.category_of(&stored.entry.groups);
                return Some(if stored.entry.is_radio() {
                    new_station(source, stored)
                } else {
                    let adult = source.draft.is_adult(&stored.entry.groups);
                    channel_cells(None, fields, category.as_slice(), "EXTERNAL", adult)
                });
            };
            if kept.contains(&stored.id) {
                fields.epg_id = None;
            }
            let filled = item.fields(&stored.entry).filled_from(fields);
            (!mode.is_automatic()).then(|| match item {
                Item::Channel(channel) => changed_channel(channel, filled),
                Item::Radio(station) => changed_station(station, filled),
            })
        };
        Ok(entries.iter().zip(fields).map(row).collect())
    }

    /// Existing channels and stations for new entries: with their number and name, or with their
    /// code.
    pub(super) async fn items_called_alike(
        &self,
        entries: &[&StoredEntry],
        fields: &[ChannelFields],
    ) -> Result<CalledAlike, Error> {
        let is_radio = |stored: &&StoredEntry| stored.entry.is_radio();
        let stations: Vec<String> =
            entries.iter().filter(|one| is_radio(one)).map(|one| code_of(one).to_lowercase()).collect();
        let of_channels = entries.iter().zip(fields).filter(|(one, _)| !is_radio(one));
        let channels: Vec<String> = of_channels.filter_map(|(_, fields)| key_of_channel(fields)).collect();
        let mut alike = CalledAlike::default();
        let keys = |whole: Vec<String>| ItemKeys { whole, ..ItemKeys::default() };
        if !channels.is_empty() {
            let most = channels.len() as u64 * 2;
            for one in self.contents.tv_channels.repository.find_by_keys(keys(channels), most).await? {
                alike.channels.insert(one.content.natural_key(), Item::Channel(Box::new(one)));
            }
        }
        if !stations.is_empty() {
            let most = stations.len() as u64 * 2;
            for one in self.contents.radio_stations.repository.find_by_keys(keys(stations), most).await? {
                alike.stations.insert(one.content.natural_key(), Item::Radio(Box::new(one)));
            }
        }
        Ok(alike)
    }
}

/// Channels by number and name, and stations by code.
#[derive(Default)]
pub(super) struct CalledAlike {
    channels: HashMap<String, Item>,
    stations: HashMap<String, Item>,
}

impl CalledAlike {
    /// The existing item for a new entry with these fields.
    pub(super) fn of(&self, stored: &StoredEntry, fields: &ChannelFields) -> Option<&Item> {
        if stored.entry.is_radio() {
            return self.stations.get(&code_of(stored).to_lowercase());
        }
        self.channels.get(&key_of_channel(fields)?)
    }
}
