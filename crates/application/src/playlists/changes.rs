//! Results of a run for users: entries with their differences, and groups.

use std::{collections::HashMap, mem};

use domain_catalogue::{Content, Kind, RadioStation, Stored, TvChannel};
use domain_kernel::{Action, Actor, FilterKind, FilterValue, Id, ListQuery, Page, fold};
use domain_live::{
    address::masked,
    adult::is_adult_group,
    channel::ChannelFields,
    diff::{EntryChange, EntryField, FieldChange, changes},
    entry::Entry,
    headers::header_of,
};
use domain_operations::{MAX_ITEMS, exactly_one_of};
use garde::Validate;
use ports::{EntryCandidate, EntryCounts, EntryGroup, StoredEntry};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    PlaylistService, RUNS, guide_ids::OtherId, items::Item, not_running, playlist_permission,
    runs::source_and_run,
};
use crate::{
    Error, ListShape, PlaylistRefusal, body::parse, generated_sheets::confirmed, operations::pairs_of,
    read_list_query,
};

/// Maximum entries named by one request to ignore them.
const MOST_IGNORED: usize = 10_000;
const CHANGES: &[&str] = &["NEW", "CHANGED", "UNCHANGED", "MISSING"];
/// Topic of entries in texts.
pub(super) const ENTRIES: &str = "playlist-entries";
const MASK: &str = "***";

/// An entry with its differences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryRow {
    /// The entry. Its URL is masked for users who may not change sources.
    pub stored: StoredEntry,
    /// Fields that differ from the values applied to its channel.
    pub fields: Vec<FieldChange>,
    /// Existing channel or radio station for a new entry: applying gives it the URL and values for
    /// empty fields.
    pub changes: Option<ChangedItem>,
}

/// An item that a new entry changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedItem {
    pub kind: Kind,
    pub id: Id,
    /// Title of the item.
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupRow {
    pub group: EntryGroup,
    pub category_id: Option<Id>,
    /// Category with the same name.
    pub suggestion: Option<Id>,
    /// Whether the group was decided to be for adults.
    pub adult: Option<bool>,
    /// Whether the name of the group is one of content for adults.
    pub adult_suggestion: bool,
}

/// Entries to ignore or to restore: by ID or by filter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "IgnorePlaylistEntries")]
#[garde(context(()))]
pub struct IgnoreRequest {
    /// IDs of the entries.
    #[garde(inner(length(min = 1, max = MOST_IGNORED)))]
    #[schemars(length(min = 1, max = MOST_IGNORED))]
    pub ids: Option<Vec<Id>>,
    /// List parameters that select the entries: `search` and filters. Without `ignored`, those that
    /// the request changes.
    #[garde(custom(exactly_one_of(&self.ids)))]
    pub filter: Option<Map<String, Value>>,
    /// Number of entries confirmed by the user; a different number is rejected.
    #[garde(skip)]
    pub expected_count: Option<i64>,
    /// Whether the entries are ignored.
    #[garde(skip)]
    pub ignored: bool,
}

/// Merge of a new entry into a missing one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MergePlaylistEntries")]
#[garde(context(()))]
pub struct MergeEntriesRequest {
    /// ID of the missing entry, which gets the values of the new one.
    #[garde(range(min = 1))]
    pub missing_id: Id,
}

impl Item {
    fn named(&self) -> ChangedItem {
        match self {
            Self::Channel(one) => {
                ChangedItem { kind: TvChannel::KIND, id: one.id, name: one.content.title.clone() }
            }
            Self::Radio(one) => {
                ChangedItem { kind: RadioStation::KIND, id: one.id, name: one.content.station_name.clone() }
            }
        }
    }
}

fn without_credentials(mut entry: Entry) -> Entry {
    entry.url = masked(&entry.url);
    for (name, value) in &mut entry.tags {
        if header_of(name.as_str()).is_some() {
            MASK.clone_into(value);
        } else if value.contains("://") {
            *value = masked(value);
        }
    }
    for directive in &mut entry.directives {
        MASK.clone_into(&mut directive.value);
    }
    for (_, value) in &mut entry.headers {
        MASK.clone_into(value);
    }
    entry
}

impl PlaylistService {
    /// List parameters of a run's changes.
    pub fn changes_shape() -> ListShape {
        ListShape {
            page_size: 25,
            sorts: vec!["id"],
            filters: &[
                ("change", FilterKind::Codes(CHANGES)),
                ("group", FilterKind::Text),
                ("grouped", FilterKind::Flag),
                ("ignored", FilterKind::Flag),
                ("radio", FilterKind::Flag),
                ("duplicate", FilterKind::Flag),
            ],
        }
    }

    /// A page of a run's changes: entries with their differences. A later run replaces them.
    pub async fn changes(
        &self,
        actor: &Actor,
        source: Id,
        run: Id,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<EntryRow>>, Error> {
        let query = self.read_changes(actor, source, run, pairs).await?;
        let mut page = self.stores.entries.list(source, &query).await?;
        let rows = self.entries_seen(actor, mem::take(&mut page.content)).await?;
        Ok(page.map(|_| rows))
    }

    /// Numbers of the entries by their differences, without filters.
    pub async fn change_counts(&self, actor: &Actor, source: Id, run: Id) -> Result<EntryCounts, Error> {
        actor.require(playlist_permission(Action::Read))?;
        self.current_run(source, run).await?;
        Ok(self.stores.entries.counts(source).await?)
    }

    /// Reads the parameters of the list of a run's changes.
    async fn read_changes(
        &self,
        actor: &Actor,
        source: Id,
        run: Id,
        pairs: &[(String, String)],
    ) -> Result<ListQuery, Error> {
        actor.require(playlist_permission(Action::Read))?;
        let query = read_list_query(&Self::changes_shape(), pairs)?;
        self.current_run(source, run).await?;
        Ok(query)
    }

    /// Reads the parameters of the list's file: `source`, `run` and those of the list. Returns the source and
    /// the query.
    pub(crate) async fn read_changes_of(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<(Id, ListQuery), Error> {
        actor.require(playlist_permission(Action::Read))?;
        let (source, run, others) = source_and_run(pairs)?;
        Ok((source, self.read_changes(actor, source, run, &others).await?))
    }

    /// Entries with their differences, as the actor sees them.
    pub(crate) async fn entries_seen(
        &self,
        actor: &Actor,
        entries: Vec<StoredEntry>,
    ) -> Result<Vec<EntryRow>, Error> {
        let items = self.items_of(&entries).await?;
        let shows_all = actor.may(playlist_permission(Action::Update));
        let is_new = |stored: &&StoredEntry| stored.change == EntryChange::New;
        let new: Vec<&StoredEntry> = entries.iter().filter(is_new).collect();
        let of_new: Vec<ChannelFields> = new.iter().map(|stored| ChannelFields::of(&stored.entry)).collect();
        let alike = self.items_called_alike(&new, &of_new).await?;
        let other_id = |stored: &StoredEntry| match stored.change {
            EntryChange::Changed => OtherId::of_changed(stored, items.get(&stored.item?)?, false),
            _ => None,
        };
        let kept = self.keeping_ids(entries.iter().filter_map(other_id).collect()).await?;
        let row = |stored: StoredEntry| {
            let changed = (stored.change == EntryChange::New).then(|| ChannelFields::of(&stored.entry));
            let changed = changed.and_then(|fields| alike.of(&stored, &fields)).map(Item::named);
            let mut fields = Vec::new();
            if let (EntryChange::Changed, Some(applied)) = (stored.change, &stored.applied) {
                let item = stored.item.and_then(|item| items.get(&item));
                let own =
                    item.map_or_else(Vec::new, |item| own_fields(item, applied, kept.contains(&stored.id)));
                fields = changes(applied, &stored.entry, &own);
            }
            if shows_all {
                return EntryRow { stored, fields, changes: changed };
            }
            let applied = stored.applied.map(without_credentials);
            let candidate =
                |one: EntryCandidate| EntryCandidate { entry: without_credentials(one.entry), ..one };
            let candidates = stored.candidates.into_iter().map(candidate).collect();
            let entry = without_credentials(stored.entry);
            let stored = StoredEntry { entry, applied, candidates, ..stored };
            for change in &mut fields {
                hide(change);
            }
            EntryRow { stored, fields, changes: changed }
        };
        Ok(entries.into_iter().map(row).collect())
    }

    /// An entry as the newest finished run has read it.
    pub async fn entry_of_run(&self, actor: &Actor, run: Id, id: Id) -> Result<Entry, Error> {
        actor.require(playlist_permission(Action::Read))?;
        let source = self.stores.runs.source_of(run).await?;
        let source = source.ok_or(Error::NoSuch { what: RUNS, id: run })?;
        self.current_run(source, run).await?;
        let found = self.stores.entries.find_all(source, &[id]).await?.pop();
        found.map(|stored| stored.entry).ok_or(Error::NoSuch { what: ENTRIES, id })
    }

    /// Items created from these entries.
    pub(super) async fn items_of(&self, entries: &[StoredEntry]) -> Result<HashMap<(Kind, Id), Item>, Error> {
        let of = |wanted: Kind| -> Vec<Id> {
            let items = entries.iter().filter_map(|entry| entry.item);
            items.filter(|(kind, _)| *kind == wanted).map(|(_, id)| id).collect()
        };
        let mut items = HashMap::new();
        let (channels, stations) = (of(TvChannel::KIND), of(RadioStation::KIND));
        if !channels.is_empty() {
            let found = self.contents.tv_channels.repository.find_all(&channels).await?;
            let item = |one: Stored<TvChannel>| ((TvChannel::KIND, one.id), Item::Channel(Box::new(one)));
            items.extend(found.into_iter().map(item));
        }
        if !stations.is_empty() {
            let found = self.contents.radio_stations.repository.find_all(&stations).await?;
            let item = |one: Stored<RadioStation>| ((RadioStation::KIND, one.id), Item::Radio(Box::new(one)));
            items.extend(found.into_iter().map(item));
        }
        Ok(items)
    }

    /// Ignores or restores entries. Returns the number of changed ones.
    pub async fn ignore(&self, actor: &Actor, source: Id, body: &[u8]) -> Result<u64, Error> {
        actor.require(playlist_permission(Action::Update))?;
        let request = self.ignore_requests.read(parse(body)?, &())?.into_inner();
        let stored = self.whole(source).await?;
        let ids = self.requested_ids(source, request.ids, request.filter, !request.ignored).await?;
        let ids = confirmed(ids, request.expected_count)?;
        let edit = self.calendar.edit_by(actor);
        Ok(self.stores.entries.ignore(&stored, &ids, request.ignored, &edit).await?)
    }

    /// Merges a new entry into a missing one: the channel is kept, and the differences are shown.
    pub async fn merge_entries(&self, actor: &Actor, source: Id, new: Id, body: &[u8]) -> Result<(), Error> {
        actor.require(playlist_permission(Action::Update))?;
        let request = self.merge_requests.read(parse(body)?, &())?.into_inner();
        let stored = self.whole(source).await?;
        not_running(&stored)?;
        if self.stores.entries.is_applying(source).await? {
            return Err(Error::Playlist(PlaylistRefusal::Applying));
        }
        let edit = self.calendar.edit_by(actor);
        let merged = self.stores.entries.merge(&stored, new, request.missing_id, &edit).await?;
        if merged { Ok(()) } else { Err(Error::NoSuch { what: ENTRIES, id: new }) }
    }

    /// Groups of a source with their categories, and categories with the same name in either
    /// language.
    pub async fn groups(&self, actor: &Actor, source: Id) -> Result<Vec<GroupRow>, Error> {
        actor.require(playlist_permission(Action::Read))?;
        let stored = self.whole(source).await?;
        let groups = self.stores.entries.groups(source).await?;
        let names: Vec<String> =
            groups.iter().map(|one| one.group.clone()).filter(|name| !name.is_empty()).collect();
        let categories = self.contents.categories.repository.find_named(names).await?;
        let suggestion = |group: &str| {
            let wanted = fold(group);
            let fits = |category: &&Stored<domain_catalogue::Category>| {
                let category = &category.content;
                category.category_type == domain_catalogue::CategoryType::TvChannel
                    && [&category.description, &category.english_description]
                        .into_iter()
                        .any(|name| fold(name) == wanted)
            };
            categories.iter().find(fits).map(|category| category.id)
        };
        let row = |group: EntryGroup| {
            let of = stored.draft.of_group(&group.group);
            GroupRow {
                category_id: of.and_then(|one| one.category_id),
                suggestion: suggestion(&group.group),
                adult: of.and_then(|one| one.adult),
                adult_suggestion: is_adult_group(&group.group),
                group,
            }
        };
        Ok(groups.into_iter().map(row).collect())
    }

    /// IDs of a request: named, or selected by its filter. A filter without `ignored` gets this value.
    pub(super) async fn requested_ids(
        &self,
        source: Id,
        ids: Option<Vec<Id>>,
        filter: Option<Map<String, Value>>,
        ignored: bool,
    ) -> Result<Vec<Id>, Error> {
        if let Some(ids) = ids {
            return Ok(ids);
        }
        let pairs = pairs_of(&filter.unwrap_or_default())?;
        let query = read_list_query(&Self::changes_shape(), &pairs)?;
        // One more than allowed, so that the excess is noticed.
        self.ids_of(source, &query, ignored, MAX_ITEMS as u64 + 1).await
    }

    /// IDs of the entries selected by a filter.
    pub(super) async fn ids_of(
        &self,
        source: Id,
        query: &ListQuery,
        ignored: bool,
        most: u64,
    ) -> Result<Vec<Id>, Error> {
        let mut query = query.clone();
        if !query.filters.iter().any(|filter| filter.field == "ignored") {
            let value = FilterValue::Flag(ignored);
            query.filters.push(domain_kernel::Filter { field: "ignored".to_owned(), value });
        }
        Ok(self.stores.entries.matching(source, &query, most).await?)
    }
}

/// Fields changed in the channel itself, among those that an entry changes.
fn own_fields(item: &Item, applied: &Entry, keeps_guide_id: bool) -> Vec<EntryField> {
    item.fields(applied).own(applied, keeps_guide_id)
}

/// Masks credentials in a change: URLs, headers and other tags have them.
fn hide(change: &mut FieldChange) {
    match change.field {
        EntryField::Url | EntryField::Logo => {
            change.before = masked(&change.before);
            change.after = masked(&change.after);
        }
        EntryField::Tags => {
            MASK.clone_into(&mut change.before);
            MASK.clone_into(&mut change.after);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use domain_live::entry::{Directive, TagName};

    use super::*;

    #[test]
    fn headers_are_masked_wherever_an_entry_has_them() {
        let tag = |name: &str, value: &str| (TagName::new(name), value.to_owned());
        let entry = |secret: &str| Entry {
            tags: vec![tag("http-cookie", secret), tag("tvg-id", "siete")],
            directives: vec![Directive { name: "EXTVLCOPT".to_owned(), value: secret.to_owned() }],
            headers: vec![("Cookie".to_owned(), secret.to_owned())],
            ..Entry::default()
        };
        assert_eq!(without_credentials(entry("session=1")), entry(MASK));
    }
}
