//! Profiles of published playlists: channels, recipient and order
//! (docs/spec/live-tv.md#playlists-that-are-given-out).

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
mod tests {
    use domain_kernel::DraftReader;
    use serde_json::{Value, json};

    use super::*;
    use crate::entry::Directive;

    fn faults(changes: Value) -> Vec<(String, &'static str)> {
        let mut draft = json!({"name": "Salón", "username": "ana"});
        for (name, value) in changes.as_object().unwrap() {
            draft[name] = value.clone();
        }
        let read = DraftReader::<LiveProfileDraft>::new().read(draft, &());
        let violations = read.err().map(|all| all.0).unwrap_or_default();
        violations.into_iter().map(|one| (one.field, one.code.as_str())).collect()
    }

    #[test]
    fn a_profile_is_for_a_subscriber_or_for_a_key() {
        assert_eq!(faults(json!({})), []);
        assert_eq!(faults(json!({"username": null, "keyId": 1})), []);
        for (changes, expected) in [
            (json!({"keyId": 1}), ("username", "CONTRADICTORY")),
            (json!({"username": null}), ("username", "REQUIRED")),
            (json!({"name": ""}), ("name", "REQUIRED")),
            (json!({"categories": [1, 1]}), ("categories", "DUPLICATE")),
            (json!({"order": "RANDOM"}), ("order", "UNKNOWN_VALUE")),
            (json!({"guideDays": 15}), ("guideDays", "TOO_LARGE")),
            (json!({"callsPerMinute": 0}), ("callsPerMinute", "TOO_SMALL")),
        ] {
            assert_eq!(faults(changes.clone()), [(expected.0.to_owned(), expected.1)], "{changes}");
        }
    }

    #[test]
    fn one_category_replaces_another_without_a_duplicate() {
        for (categories, changed, expected) in [
            (json!([7, 2]), true, vec![9, 2]),
            (json!([2, 7, 9]), true, vec![2, 9]),
            (json!([2]), false, vec![2]),
            (json!([]), false, vec![]),
        ] {
            let json = json!({"name": "Salón", "username": "ana", "categories": categories});
            let mut draft = DraftReader::<LiveProfileDraft>::new().read(json, &()).unwrap().into_inner();
            assert_eq!((draft.exchange_category(7, 9), draft.categories), (changed, expected));
        }
    }

    fn tags(pairs: &[(&str, &str)]) -> Vec<(TagName, String)> {
        pairs.iter().map(|(name, value)| (TagName::new(name), (*value).to_owned())).collect()
    }

    fn applied() -> Entry {
        Entry {
            name: " Siete ".into(),
            url: "http://h/7".into(),
            duration: Some("0".into()),
            groups: vec!["España".into(), "Cine".into()],
            tags: tags(&[
                ("tvg-id", "siete"),
                ("catchup", "default"),
                ("tvg-logo", "/siete.png"),
                ("tvg-chno", "07"),
            ]),
            directives: vec![Directive { name: "EXTVLCOPT".into(), value: "http-user-agent=x".into() }],
            headers: vec![("Referer".into(), "http://h/".into())],
            ..Entry::default()
        }
    }

    fn channel(fields: ChannelFields) -> ProfileChannel {
        ProfileChannel {
            fields,
            applied: Some(applied()),
            categories: vec!["Otra".into()],
            headers: None,
            shift_minutes: None,
        }
    }

    #[test]
    fn unchanged_entries_are_published_as_imported() {
        let unchanged = channel(ChannelFields::of(&applied()));
        assert_eq!(unchanged.entry(ChannelNumbering::Own, 1), applied());
    }

    #[test]
    fn changes_in_the_catalogue_are_published() {
        let fields = ChannelFields {
            title: "Mi canal".into(),
            url: "http://base/42".into(),
            epg_id: None,
            image_url: Some("https://h/7.png".into()),
            number: Some(501),
        };
        let expected = Entry {
            name: "Mi canal".into(),
            url: "http://base/42".into(),
            tags: tags(&[("catchup", "default"), ("tvg-logo", "https://h/7.png"), ("tvg-chno", "501")]),
            headers: Vec::new(),
            directives: Vec::new(),
            ..applied()
        };
        assert_eq!(channel(fields).entry(ChannelNumbering::Own, 1), expected);
    }

    #[test]
    fn another_stream_is_published_with_its_own_headers_and_without_those_of_the_first() {
        let own = vec![("User-Agent".to_owned(), "VLC".to_owned())];
        let reserve = ChannelFields { url: "http://b/7".into(), ..ChannelFields::of(&applied()) };
        let entry = ProfileChannel { headers: Some(own.clone()), ..channel(reserve) };
        let expected =
            Entry { url: "http://b/7".into(), headers: own.clone(), directives: Vec::new(), ..applied() };
        assert_eq!(entry.entry(ChannelNumbering::Own, 1), expected);
        let first = ProfileChannel { headers: Some(own.clone()), ..channel(ChannelFields::of(&applied())) };
        assert_eq!(first.entry(ChannelNumbering::Own, 1), Entry { headers: own, ..applied() });
    }

    #[test]
    fn headers_of_directives_and_attributes_are_not_repeated_after_the_url() {
        let mut came_in = applied();
        came_in.tags.extend(tags(&[("http-cookie", "a=b")]));
        let going_out = |headers: Vec<(String, String)>, came_in: &Entry| {
            let channel = channel(ChannelFields::of(came_in));
            let channel =
                ProfileChannel { applied: Some(came_in.clone()), headers: Some(headers), ..channel };
            channel.entry(ChannelNumbering::Own, 1)
        };
        assert_eq!(going_out(came_in.player_headers(), &came_in), came_in);
        let edited = vec![("User-Agent".to_owned(), "y".to_owned()), ("Cookie".to_owned(), "a=b".to_owned())];
        assert_eq!(going_out(edited.clone(), &came_in).headers, edited[..1]);
        // A list with the header in both forms keeps both.
        came_in.headers.push(("User-Agent".into(), "x".into()));
        assert_eq!(going_out(came_in.player_headers(), &came_in), came_in);
    }

    #[test]
    fn the_shift_of_a_channel_replaces_that_of_its_entry() {
        for (came_in, minutes, expected) in [
            (Some("+1"), None, Some("+1")),
            (Some("+1"), Some(60), Some("+1")),
            (Some("1"), Some(0), Some("0")),
            (Some("1"), Some(-90), Some("-1.5")),
            (None, Some(0), None),
            (None, Some(120), Some("2")),
            (None, Some(1), Some("0.0167")),
            (None, Some(-1_440), Some("-24")),
        ] {
            let mut entry = applied();
            entry.tags.extend(came_in.map(|text| (TagName::new("tvg-shift"), text.to_owned())));
            let channel = channel(ChannelFields::of(&entry));
            let channel = ProfileChannel { applied: Some(entry), shift_minutes: minutes, ..channel };
            let goes_out = channel.entry(ChannelNumbering::Own, 1);
            assert_eq!(goes_out.tag("tvg-shift"), expected);
            if let Some(minutes) = minutes {
                assert_eq!(goes_out.guide_shift(), i64::from(minutes) * 60);
            }
        }
    }

    #[test]
    fn headers_in_attributes_do_not_go_to_another_address() {
        let mut came_in = applied();
        came_in.tags.extend(tags(&[("http-cookie", "session=1"), ("HTTP-User-Agent", "x"), ("x-own", "a")]));
        let fields = ChannelFields { url: "http://b/7".into(), ..ChannelFields::of(&came_in) };
        for own in [None, Some(vec![("Cookie".to_owned(), "session=1".to_owned())])] {
            let headers = own.clone().unwrap_or_default();
            let channel =
                ProfileChannel { applied: Some(came_in.clone()), headers: own, ..channel(fields.clone()) };
            let mut expected =
                Entry { url: "http://b/7".into(), headers, directives: Vec::new(), ..applied() };
            expected.tags.extend(tags(&[("x-own", "a")]));
            assert_eq!(channel.entry(ChannelNumbering::Own, 1), expected);
        }
    }

    #[test]
    fn a_channel_of_no_playlist_has_its_categories_as_groups() {
        let fields = ChannelFields {
            title: "Ocho".into(),
            url: "http://h/8".into(),
            epg_id: Some("ocho".into()),
            image_url: None,
            number: Some(8),
        };
        let categories = vec!["Cine; series".into()];
        let entry = ProfileChannel { fields, applied: None, categories, headers: None, shift_minutes: None }
            .entry(ChannelNumbering::Own, 1);
        let expected = Entry {
            name: "Ocho".into(),
            url: "http://h/8".into(),
            groups: vec!["Cine, series".into()],
            tags: tags(&[("tvg-id", "ocho"), ("tvg-chno", "8")]),
            ..Entry::default()
        };
        assert_eq!(entry, expected);
    }

    #[test]
    fn an_id_of_two_guides_is_unchanged_in_one_of_them() {
        for (guide, shared, expected) in
            [(Some(2), None, "7"), (Some(2), Some(2), "7"), (Some(3), Some(2), "7@3"), (None, Some(2), "7")]
        {
            assert_eq!(guide_id_in_profile("7".into(), guide, shared), expected);
        }
    }

    #[test]
    fn a_published_id_is_read_as_the_id_of_its_guide_if_channels_have_it() {
        let shared = SharedIds::of(vec![("7".into(), 2), ("7".into(), 3)]);
        for (listed, expected) in
            [("7@3", "7"), ("7@2", "7"), ("7@4", "7@4"), ("8@3", "8@3"), ("7", "7"), ("", "")]
        {
            let mut entry = Entry { tags: tags(&[("x-own", "a"), ("tvg-id", listed)]), ..Entry::default() };
            shared.restore(&mut entry);
            assert_eq!(entry.tags, tags(&[("x-own", "a"), ("tvg-id", expected)]), "{listed}");
        }
        let mut without = Entry::default();
        shared.restore(&mut without);
        assert_eq!(without, Entry::default());
    }

    #[test]
    fn numbers_are_the_channels_consecutive_or_none() {
        for (numbering, expected) in [
            (ChannelNumbering::Own, Some("07")),
            (ChannelNumbering::Consecutive, Some("3")),
            (ChannelNumbering::None, None),
        ] {
            let entry = channel(ChannelFields::of(&applied())).entry(numbering, 3);
            assert_eq!(entry.tag("tvg-chno"), expected, "{numbering:?}");
        }
    }
}
