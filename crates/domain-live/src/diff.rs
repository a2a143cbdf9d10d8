//! Identity of entries between a list and the known entries of its source, and their differences
//! (docs/spec/live-tv.md#identity). Compares fingerprints: no list is in memory completely.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash, Hasher, RandomState},
    num::NonZero,
};

use domain_kernel::{enumeration, fold};

use crate::{
    address::{stable, without_path_tokens},
    entry::Entry,
};

/// Maximum percentage of entries in use that a refresh may lose; above it the refresh stops.
pub const MOST_LOST: usize = 30;
/// Maximum known entries shown as candidates of a new one.
const MOST_CANDIDATES: usize = 3;

enumeration! {
    /// Effect of a refresh on an entry.
    pub enum EntryChange {
        New = "NEW" ("Nueva", "New"),
        /// A known entry with a changed field.
        Changed = "CHANGED" ("Modificada", "Changed"),
        /// A known entry without changes.
        Unchanged = "UNCHANGED" ("Sin cambios", "Unchanged"),
        /// A known entry that is not in the list.
        Missing = "MISSING" ("Ausente", "Missing"),
        /// A repeated entry of the list.
        Duplicate = "DUPLICATE" ("Repetida", "Duplicate"),
        /// A rejected line.
        Refused = "REFUSED" ("Rechazada", "Refused"),
    }
}

enumeration! {
    /// Property that identified an entry, strongest first.
    pub enum Sign {
        Address = "ADDRESS" ("La dirección", "The address"),
        StableAddress = "STABLE_ADDRESS" ("La dirección sin claves ni tokens", "The address without credentials and tokens"),
        /// The URL without path tokens, and the name.
        PathAndName = "PATH_AND_NAME" ("La ruta y el nombre", "The path and the name"),
        /// The URL without path tokens, and the EPG ID.
        PathAndGuideId = "PATH_AND_GUIDE_ID" ("La ruta y el ID de EPG", "The path and the EPG ID"),
        GuideIdAndName = "GUIDE_ID_AND_NAME" ("El ID de EPG y el nombre", "The EPG ID and the name"),
        NameAndGroup = "NAME_AND_GROUP" ("El nombre y el grupo", "The name and the group"),
        Name = "NAME" ("El nombre", "The name"),
    }
}

const SIGNS: usize = 7;

/// Hashes of an entry's [`Sign`]s, for comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint {
    /// In the order of [`Sign`]; `None` for missing values.
    signs: [Option<NonZero<u64>>; SIGNS],
    guide_id: Option<NonZero<u64>>,
    content: u64,
}

/// Creates comparable fingerprints.
#[derive(Debug, Default)]
pub struct Fingerprints(RandomState);

impl Fingerprints {
    pub fn of(&self, entry: &Entry) -> Fingerprint {
        let hash = |parts: &[&str]| {
            let mut hasher = self.0.build_hasher();
            for part in parts {
                part.hash(&mut hasher);
            }
            NonZero::new(hasher.finish())
        };
        let name = name_key(&entry.name);
        let stable = stable(&entry.url);
        let path = without_path_tokens(&stable);
        let name_hash = if name.is_empty() { None } else { hash(&[&name]) };
        let group = entry.groups.first();
        Fingerprint {
            signs: [
                hash(&[&entry.url]),
                hash(&[&stable]),
                hash(&[&path, &name]),
                entry.guide_id().and_then(|id| hash(&[&path, id])),
                entry.guide_id().and_then(|id| hash(&[id, &name])),
                group.and_then(|group| hash(&[group, &name])),
                name_hash,
            ],
            guide_id: entry.guide_id().and_then(|id| hash(&[id])),
            content: self.0.hash_one((
                &entry.url,
                &entry.name,
                &entry.duration,
                &entry.groups,
                &entry.tags,
                &entry.directives,
                &entry.headers,
            )),
        }
    }
}

fn name_key(name: &str) -> String {
    if name.is_ascii() { name.to_ascii_lowercase() } else { fold(name) }
}

#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// Fingerprint of its last version.
    pub fingerprint: Fingerprint,
    /// Whether the last list lacked it.
    pub missing: bool,
}

/// Identification of an entry of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The known entry at `index`.
    Known {
        index: usize,
        by: Sign,
        unchanged: bool,
    },
    /// A repetition of the list's entry at this index.
    Duplicate {
        of: usize,
    },
    New,
}

/// Result of [`identify`].
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Identification {
    /// One element per entry of the list.
    pub found: Vec<Found>,
    /// Known entries that the list lacks, including those that were missing before.
    pub missing: Vec<usize>,
    /// Pairs of a new and a missing entry that may be the same: (index in the list, index of the
    /// known entry).
    pub candidates: Vec<(usize, usize)>,
}

/// Identifies the entries of a list. A sign counts only if it is unique in the list and among the
/// known entries; each known entry is identified once.
pub fn identify(known: &[Known], list: &[Fingerprint]) -> Identification {
    let mut found = repeated(list);
    let mut recognised = vec![false; known.len()];
    let mut open = found.iter().filter(|one| **one == Found::New).count();
    for (at, by) in <Sign as domain_kernel::Enumeration>::ALL.iter().enumerate() {
        if open == 0 || !recognised.contains(&false) {
            break;
        }
        let single = |(index, one): (usize, &Fingerprint)| {
            (found[index] == Found::New || is_known(found[index])).then_some((one.signs[at]?.get(), index))
        };
        let in_list = unique(list.iter().enumerate().filter_map(single));
        // Present entries come before missing ones: a missing one may have the name of another
        // entry.
        for missing in [false, true] {
            let of_known = known.iter().enumerate().filter(|(_, one)| one.missing == missing);
            let of_known =
                unique(of_known.filter_map(|(index, one)| Some((one.fingerprint.signs[at]?.get(), index))));
            for (sign, index) in of_known {
                let Ok(place) = in_list.binary_search_by_key(&sign, |(sign, _)| *sign) else { continue };
                let entry = in_list[place].1;
                if !recognised[index] && found[entry] == Found::New {
                    recognised[index] = true;
                    open -= 1;
                    let unchanged = known[index].fingerprint.content == list[entry].content;
                    found[entry] = Found::Known { index, by: *by, unchanged };
                }
            }
        }
    }
    let missing: Vec<usize> = (0..known.len()).filter(|index| !recognised[*index]).collect();
    let candidates = candidates(known, list, &found, &missing);
    Identification { found, missing, candidates }
}

fn is_known(found: Found) -> bool {
    matches!(found, Found::Known { .. })
}

/// Entries that repeat an earlier one: the same URL, or the same URL apart from its token and the
/// same name.
fn repeated(list: &[Fingerprint]) -> Vec<Found> {
    let mut first: Vec<usize> = (0..list.len()).collect();
    let mut note = |key: fn(&Fingerprint) -> Option<(u64, u64)>| {
        let places = sorted(list.iter().enumerate().filter_map(|(index, one)| Some((key(one)?, index))));
        for same in places.chunk_by(|one, other| one.0 == other.0) {
            for (_, index) in same {
                first[*index] = first[*index].min(same[0].1);
            }
        }
    };
    note(|one| Some((one.signs[0]?.get(), 0)));
    note(|one| Some((one.signs[1]?.get(), one.signs[SIGNS - 1].map_or(1, NonZero::get))));
    let one = |(index, of): (usize, usize)| if of == index { Found::New } else { Found::Duplicate { of } };
    first.into_iter().enumerate().map(one).collect()
}

/// Sorted pairs of sign and index: a third of the memory of a map.
fn sorted<Key: Ord>(signs: impl Iterator<Item = (Key, usize)>) -> Vec<(Key, usize)> {
    let mut places = Vec::with_capacity(signs.size_hint().1.unwrap_or_default());
    places.extend(signs);
    places.sort_unstable();
    places
}

/// Signs of exactly one entry, sorted.
fn unique(signs: impl Iterator<Item = (u64, usize)>) -> Vec<(u64, usize)> {
    let places = sorted(signs);
    let runs = places.chunk_by(|one, other| one.0 == other.0);
    runs.filter_map(|run| if let [only] = run { Some(*only) } else { None }).collect()
}

/// Pairs of new and missing entries with the same EPG ID, name or URL without tokens.
fn candidates(
    known: &[Known],
    list: &[Fingerprint],
    found: &[Found],
    missing: &[usize],
) -> Vec<(usize, usize)> {
    let loose = |one: &Fingerprint| [one.guide_id, one.signs[SIGNS - 1], one.signs[1]];
    let mut by_sign: HashMap<(usize, NonZero<u64>), Vec<usize>> = HashMap::new();
    for index in missing {
        for (at, sign) in loose(&known[*index].fingerprint).into_iter().enumerate() {
            let Some(sign) = sign else { continue };
            let places = by_sign.entry((at, sign)).or_default();
            if places.len() < MOST_CANDIDATES {
                places.push(*index);
            }
        }
    }
    let mut pairs = Vec::new();
    for (entry, _) in found.iter().enumerate().filter(|(_, found)| **found == Found::New) {
        let mut of_entry: Vec<usize> = Vec::new();
        for (at, sign) in loose(&list[entry]).into_iter().enumerate() {
            let places = sign.and_then(|sign| by_sign.get(&(at, sign)));
            for index in places.into_iter().flatten() {
                if of_entry.len() < MOST_CANDIDATES && !of_entry.contains(index) {
                    of_entry.push(*index);
                }
            }
        }
        pairs.extend(of_entry.into_iter().map(|index| (entry, index)));
    }
    pairs
}

/// Whether a refresh with this loss needs a user's confirmation.
pub fn loses_too_much(in_use: usize, lost: usize) -> bool {
    lost * 100 > in_use * MOST_LOST
}

enumeration! {
    /// A field of an entry that can change.
    pub enum EntryField {
        Name = "NAME" ("Nombre", "Name"),
        Url = "URL" ("Dirección", "Address"),
        Groups = "GROUPS" ("Grupos", "Groups"),
        GuideId = "GUIDE_ID" ("ID de EPG", "EPG ID"),
        Number = "NUMBER" ("Número", "Number"),
        Logo = "LOGO" ("Logo", "Logo"),
        Radio = "RADIO" ("Radio", "Radio"),
        /// All other attributes of the list.
        Tags = "TAGS" ("Otras etiquetas", "Other tags"),
    }
}

/// Values of a field before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    pub field: EntryField,
    pub before: String,
    /// Value in the list.
    pub after: String,
    /// Whether the list's value is shown and not applied: a user has changed this field, or the
    /// channel keeps its EPG ID.
    pub own: bool,
}

/// Differences between two entries. `edited` are the fields changed by a user.
pub fn changes(before: &Entry, after: &Entry, edited: &[EntryField]) -> Vec<FieldChange> {
    let (before, after) = (fields(before), fields(after));
    let pairs = before.into_iter().zip(after).filter(|((_, before), (_, after))| before != after);
    pairs
        .map(|((field, before), (_, after))| FieldChange {
            field,
            before,
            after,
            own: edited.contains(&field),
        })
        .collect()
}

/// The entry to apply: `now`, with the fields in `own` as in `applied`.
#[must_use]
pub fn keeping(applied: &Entry, now: &Entry, own: &[EntryField]) -> Entry {
    let mut kept = now.clone();
    let mut keep_tag = |name: &str| {
        let before = applied.tags.iter().find(|(tag, _)| tag.as_str() == name);
        match (kept.tags.iter().position(|(tag, _)| tag.as_str() == name), before) {
            (Some(at), Some((_, before))) => kept.tags[at].1.clone_from(before),
            (Some(at), None) => drop(kept.tags.remove(at)),
            (None, before) => kept.tags.extend(before.cloned()),
        }
    };
    for field in own {
        match field {
            EntryField::GuideId => keep_tag("tvg-id"),
            EntryField::Number => keep_tag("tvg-chno"),
            EntryField::Logo => keep_tag("tvg-logo"),
            _ => {}
        }
    }
    if own.contains(&EntryField::Name) {
        kept.name.clone_from(&applied.name);
    }
    if own.contains(&EntryField::Url) {
        kept.url.clone_from(&applied.url);
    }
    kept
}

const NAMED_TAGS: &[&str] = &["tvg-id", "tvg-chno", "tvg-logo", "radio"];

fn fields(entry: &Entry) -> [(EntryField, String); 8] {
    let tag = |name: &str| entry.tag(name).unwrap_or_default().to_owned();
    let others = entry.tags.iter().filter(|(name, _)| !NAMED_TAGS.contains(&name.as_str()));
    let mut lines: Vec<String> = others.map(|(name, value)| format!("{}={value}", name.as_str())).collect();
    lines.sort_unstable();
    lines.extend(entry.duration.iter().map(|duration| format!("duration={duration}")));
    lines.extend(entry.directives.iter().map(|one| format!("#{}:{}", one.name, one.value)));
    lines.extend(entry.headers.iter().map(|(name, value)| format!("|{name}={value}")));
    [
        (EntryField::Name, entry.name.clone()),
        (EntryField::Url, entry.url.clone()),
        (EntryField::Groups, entry.groups.join(";")),
        (EntryField::GuideId, tag("tvg-id")),
        (EntryField::Number, tag("tvg-chno")),
        (EntryField::Logo, tag("tvg-logo")),
        (EntryField::Radio, entry.is_radio().to_string()),
        (EntryField::Tags, lines.join("\n")),
    ]
}

#[cfg(test)]
mod tests;
