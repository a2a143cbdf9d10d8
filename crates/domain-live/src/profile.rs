//! Profiles of published playlists: channels, recipient and order
//! (docs/spec/live-tv.md#published-playlists).

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain_kernel::{Code, Id, SecretFormat, Version, enumeration, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    channel::{ChannelFields, guide_id_of, logo_of, title_of},
    entry::{Entry, TagName},
    headers::header_of,
};

/// Format of a profile's secret.
pub const PROFILE_SECRET: SecretFormat = SecretFormat("pl_");
/// Default calls per minute.
const USUAL_RATE: u32 = 30;
/// Default days of guide.
const USUAL_DAYS: u8 = 7;
/// Maximum categories of a profile.
const MOST_CATEGORIES: usize = 500;

enumeration! {
    /// Order of the channels in a profile's playlist.
    pub enum ChannelOrder {
        Number = "NUMBER" ("Por número", "By number"),
        Title = "TITLE" ("Por nombre", "By name"),
    }
}

enumeration! {
    /// Numbering of the channels in a profile's playlist.
    pub enum ChannelNumbering {
        /// Numbers of the channels.
        Own = "OWN" ("Los de los canales", "The channels' own"),
        /// 1, 2, 3, … in the order of the playlist.
        Consecutive = "CONSECUTIVE" ("Correlativos desde 1", "Consecutive from 1"),
        None = "NONE" ("Sin números", "No numbers"),
    }
}

enumeration! {
    /// State of a profile's URL.
    pub enum ProfileState {
        Active = "ACTIVE" ("Activo", "Active"),
        /// Revoked; the profile can get a new URL.
        Revoked = "REVOKED" ("Revocado", "Revoked"),
    }
}

/// Profile of a published playlist, for either a subscriber or an integrator key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(()))]
#[schemars(extend("x-readOnly" = ["keyName", "hint", "state", "lastUsedDate", "calls", "revokedDate"]))]
pub struct LiveProfileDraft {
    /// Internal name for staff.
    #[garde(length(chars, min = 1, max = 100))]
    pub name: String,
    /// Username of the subscriber. The URL works only while the subscriber may play.
    #[garde(inner(length(chars, min = 1, max = 50)), custom(one_of(self.key_id)))]
    #[schemars(length(min = 1, max = 50))]
    pub username: Option<String>,
    /// ID of the integrator key. The URL works only while the key does.
    #[garde(inner(range(min = 1)))]
    pub key_id: Option<Id>,
    /// IDs of categories of type TV_CHANNEL, whose channels are included; empty for all channels.
    #[garde(length(max = MOST_CATEGORIES), custom(each_once))]
    #[serde(default)]
    #[schemars(extend("x-category" = "TV_CHANNEL"))]
    pub categories: Vec<Id>,
    /// Whether adult channels are included.
    #[garde(skip)]
    #[serde(default)]
    pub adult_content: bool,
    /// Whether channels with all streams down are excluded.
    #[garde(skip)]
    #[serde(default)]
    pub only_playing: bool,
    /// Order of the channels in the playlist.
    #[garde(skip)]
    #[serde(default = "by_number")]
    pub order: ChannelOrder,
    /// Numbering of the channels in the playlist.
    #[garde(skip)]
    #[serde(default = "own_numbers")]
    pub numbering: ChannelNumbering,
    /// Days of guide, including today.
    #[garde(range(min = 1, max = 14))]
    #[serde(default = "usual_days")]
    pub guide_days: u8,
    /// Maximum calls of the URL per minute, at each node.
    #[garde(range(min = 1, max = 600))]
    #[serde(default = "usual_rate")]
    pub calls_per_minute: u32,
}

impl LiveProfileDraft {
    /// Replaces one category by another, without duplicates; returns whether that changes the
    /// draft.
    pub fn exchange_category(&mut self, from: Id, to: Id) -> bool {
        let Some(place) = self.categories.iter().position(|id| *id == from) else { return false };
        if self.categories.contains(&to) {
            self.categories.remove(place);
        } else {
            self.categories[place] = to;
        }
        true
    }
}

fn by_number() -> ChannelOrder {
    ChannelOrder::Number
}

fn own_numbers() -> ChannelNumbering {
    ChannelNumbering::Own
}

fn usual_days() -> u8 {
    USUAL_DAYS
}

fn usual_rate() -> u32 {
    USUAL_RATE
}

/// Validates that exactly one of subscriber and key is set.
fn one_of<T>(key: Option<Id>) -> impl FnOnce(&Option<String>, &T) -> garde::Result {
    move |username, _| match (username, key) {
        (Some(_), Some(_)) => Err(fault(Code::Contradictory, &[])),
        (None, None) => Err(fault(Code::Required, &[])),
        _ => Ok(()),
    }
}

fn each_once<T>(ids: &[Id], _: &T) -> garde::Result {
    let twice = ids.iter().enumerate().any(|(index, id)| ids[..index].contains(id));
    if twice { Err(fault(Code::Duplicate, &[])) } else { Ok(()) }
}

/// A stored profile without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveProfile {
    pub id: Id,
    /// Version of the profile, from 1.
    pub version: Version,
    pub draft: LiveProfileDraft,
    /// Name of the integrator key.
    pub key_name: Option<String>,
    /// First characters of the secret.
    pub hint: String,
    /// User who made the last change.
    pub updated_by: String,
    /// Time of creation.
    pub created_date: DateTime<Utc>,
    /// Time of the last change.
    pub updated_date: DateTime<Utc>,
    /// Time when the URL was revoked.
    pub revoked_date: Option<DateTime<Utc>>,
    /// Time of the last call of the URL.
    pub last_used_date: Option<DateTime<Utc>>,
    /// Number of calls of the URL.
    pub calls: i64,
}

impl LiveProfile {
    /// State of the URL.
    pub fn state(&self) -> ProfileState {
        if self.revoked_date.is_some() { ProfileState::Revoked } else { ProfileState::Active }
    }
}

/// EPG ID of a channel in a profile's guide: its own, unless channels of several guides share it.
/// `shared` is the guide whose channels keep a shared ID.
pub fn guide_id_in_profile(epg_id: String, guide: Option<Id>, shared: Option<Id>) -> String {
    match (guide, shared) {
        (Some(guide), Some(kept)) if guide != kept => id_in_guide(&epg_id, guide),
        _ => epg_id,
    }
}

/// Reverse of [`guide_id_in_profile`]: original IDs by the published ones, for IDs shared by
/// channels of several guides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SharedIds(HashMap<String, String>);

impl SharedIds {
    /// From pairs of an ID and each guide in which channels have it.
    pub fn of(ids: Vec<(String, Id)>) -> Self {
        Self(ids.into_iter().map(|(id, guide)| (id_in_guide(&id, guide), id)).collect())
    }

    /// Sets an entry's ID to that of its channel.
    pub fn restore(&self, entry: &mut Entry) {
        if self.0.is_empty() {
            return;
        }
        let own = guide_id_of(entry).and_then(|id| self.0.get(id)).cloned();
        if own.is_some() {
            set_tag(entry, "tvg-id", own);
        }
    }
}

fn id_in_guide(epg_id: &str, guide: Id) -> String {
    format!("{epg_id}@{guide}")
}

/// A channel of a profile, with the data of its playlist entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileChannel {
    /// Fields of the catalogue, with the URL for players.
    pub fields: ChannelFields,
    /// The entry applied last.
    pub applied: Option<Entry>,
    /// Names of its categories: the groups of a channel without a playlist.
    pub categories: Vec<String>,
    /// Headers of the stream; `None` for the entry's.
    pub headers: Option<Vec<(String, String)>>,
    /// Shift that a user gave its programmes, in minutes; `None` for the entry's.
    pub shift_minutes: Option<i32>,
}

impl ProfileChannel {
    /// Entry of the playlist: imported tags, directives and headers, with later changes of the
    /// catalogue. `position` is from 1.
    pub fn entry(self, numbering: ChannelNumbering, position: u32) -> Entry {
        let Self { fields, applied, categories, headers, shift_minutes } = self;
        // In M3U, a semicolon separates groups.
        let groups = || categories.iter().map(|name| name.replace(';', ",")).collect();
        let mut entry = applied.unwrap_or_else(|| Entry { groups: groups(), ..Entry::default() });
        // Compared without allocations: most channels are unchanged. An unchanged logo needs no
        // check.
        let logo = fields.image_url.as_deref();
        let has_other_logo = logo != entry.tag("tvg-logo") && logo != logo_of(&entry);
        let has_other_id = fields.epg_id.as_deref() != guide_id_of(&entry);
        if fields.title != title_of(&entry) {
            entry.name = fields.title;
        }
        if fields.url != entry.url {
            entry.url = fields.url;
            // Directives and headers of another URL, which may have passwords, are not sent to this
            // one.
            entry.directives.clear();
            entry.headers.clear();
            entry.tags.retain(|(name, _)| header_of(name.as_str()).is_none());
        }
        if let Some(own) = headers {
            let behind = std::mem::take(&mut entry.headers);
            // Not every player reads headers after a URL: those in directives and attributes are
            // not repeated there.
            let named = entry.player_headers();
            let is_written = |header: &(String, String)| behind.contains(header) || !named.contains(header);
            entry.headers = own.into_iter().filter(is_written).collect();
        }
        if has_other_id {
            set_tag(&mut entry, "tvg-id", fields.epg_id);
        }
        if has_other_logo {
            set_tag(&mut entry, "tvg-logo", fields.image_url);
        }
        if let Some(minutes) = shift_minutes
            && entry.guide_shift() != i64::from(minutes) * 60
        {
            set_tag(&mut entry, "tvg-shift", Some(hours(minutes)));
        }
        let number = match numbering {
            ChannelNumbering::Own => fields.number.map(i64::from),
            ChannelNumbering::Consecutive => Some(position.into()),
            ChannelNumbering::None => None,
        };
        if entry.number().map(i64::from) != number || number.is_none() {
            set_tag(&mut entry, "tvg-chno", number.map(|number| number.to_string()));
        }
        entry
    }
}

/// Hours as in `tvg-shift`: `1`, `-1.5`. Read again, they are these minutes.
fn hours(minutes: i32) -> String {
    let text = format!("{:.4}", f64::from(minutes) / 60.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Replaces a tag's value, appends the tag, or removes it.
fn set_tag(entry: &mut Entry, name: &str, value: Option<String>) {
    let Some(value) = value else { return entry.tags.retain(|(tag, _)| tag.as_str() != name) };
    match entry.tags.iter_mut().find(|(tag, _)| tag.as_str() == name) {
        Some((_, present)) => *present = value,
        None => entry.tags.push((TagName::new(name), value)),
    }
}

#[cfg(test)]
mod tests;
