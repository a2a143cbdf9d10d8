//! Fields of the channel or radio station created from an entry, and their updates from later
//! entries.

use domain_kernel::WebUrl;

use crate::{diff::EntryField, entry::Entry};

/// Maximum characters of a title.
const LONGEST_TITLE: usize = 255;
/// Maximum characters of an EPG ID.
const LONGEST_GUIDE_ID: usize = 1000;

/// Fields of a channel that come from its entry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChannelFields {
    pub title: String,
    pub url: String,
    pub epg_id: Option<String>,
    pub image_url: Option<String>,
    pub number: Option<i32>,
}

/// Title of a channel created from an entry.
pub(crate) fn title_of(entry: &Entry) -> &str {
    let name = entry.name.trim();
    let end = name.char_indices().nth(LONGEST_TITLE).map_or(name.len(), |(end, _)| end);
    name[..end].trim_end()
}

/// EPG ID of a channel created from an entry.
pub(crate) fn guide_id_of(entry: &Entry) -> Option<&str> {
    let id = entry.guide_id().map(str::trim);
    id.filter(|id| !id.is_empty() && id.chars().count() <= LONGEST_GUIDE_ID)
}

/// Logo of a channel created from an entry.
pub(crate) fn logo_of(entry: &Entry) -> Option<&str> {
    entry.tag("tvg-logo").filter(|logo| WebUrl::check(logo).is_ok())
}

impl ChannelFields {
    /// Fields of an entry, without values that are invalid for a channel.
    pub fn of(entry: &Entry) -> Self {
        Self {
            title: title_of(entry).to_owned(),
            url: entry.url.clone(),
            epg_id: guide_id_of(entry).map(str::to_owned),
            image_url: logo_of(entry).map(str::to_owned),
            number: entry.number().and_then(|number| i32::try_from(number).ok()),
        }
    }

    /// Fields changed by a user since `applied` was applied. A number without one in the list
    /// counts as the user's; so does an EPG ID that the channel keeps
    /// ([`ListedId`](crate::matching::ListedId)), regardless of its origin.
    pub fn own(&self, applied: &Entry, keeps_guide_id: bool) -> Vec<EntryField> {
        let applied = Self::of(applied);
        let mut own = self.differing(&applied);
        for (field, is_own) in
            [(EntryField::GuideId, keeps_guide_id), (EntryField::Number, applied.number.is_none())]
        {
            if is_own && !own.contains(&field) {
                own.push(field);
            }
        }
        own
    }

    /// Fields with different values.
    pub fn differing(&self, other: &Self) -> Vec<EntryField> {
        let pairs = [
            (EntryField::Name, self.title != other.title),
            (EntryField::Url, self.url != other.url),
            (EntryField::GuideId, self.epg_id != other.epg_id),
            (EntryField::Logo, self.image_url != other.image_url),
            (EntryField::Number, self.number != other.number),
        ];
        pairs.into_iter().filter_map(|(field, differs)| differs.then_some(field)).collect()
    }

    /// The channel with the differences between two versions of its entry applied, except for the
    /// fields in `own`.
    #[must_use]
    pub fn with_changes(&self, applied: &Entry, now: &Entry, own: &[EntryField]) -> Self {
        let (before, after) = (Self::of(applied), Self::of(now));
        let takes = |field, differs: bool| differs && !own.contains(&field);
        let mut result = self.clone();
        if takes(EntryField::Name, before.title != after.title) {
            result.title = after.title;
        }
        if takes(EntryField::Url, before.url != after.url) {
            result.url = after.url;
        }
        if takes(EntryField::GuideId, before.epg_id != after.epg_id) {
            result.epg_id = after.epg_id;
        }
        if takes(EntryField::Logo, before.image_url != after.image_url) {
            result.image_url = after.image_url;
        }
        if takes(EntryField::Number, after.number.is_some() && before.number != after.number) {
            result.number = after.number;
        }
        result
    }

    /// An existing channel updated from a new entry: the URL, and values for empty fields.
    #[must_use]
    pub fn filled_from(self, entry: Self) -> Self {
        let (epg_id, image_url) = (self.epg_id.or(entry.epg_id), self.image_url.or(entry.image_url));
        Self { url: entry.url, epg_id, image_url, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::TagName;

    fn entry(name: &str, url: &str, tags: &[(&str, &str)]) -> Entry {
        let tags = tags.iter().map(|(name, value)| (TagName::new(name), (*value).to_owned())).collect();
        Entry { name: name.into(), url: url.into(), tags, ..Entry::default() }
    }

    #[test]
    fn values_invalid_for_a_channel_are_dropped() {
        let tags = [("tvg-logo", "/siete.png"), ("tvg-id", "  "), ("tvg-chno", "99999999999")];
        let fields = ChannelFields::of(&entry(&"x".repeat(300), "http://h/7", &tags));
        assert_eq!(fields.title.len(), 255);
        assert_eq!((fields.image_url, fields.epg_id, fields.number), (None, None, None));
    }

    #[test]
    fn a_channel_gets_changes_except_for_fields_changed_by_a_user() {
        let before = entry("Siete", "http://h/7", &[("tvg-id", "siete"), ("tvg-chno", "7")]);
        let after = entry("Siete HD", "http://h/7?t=2", &[("tvg-id", "siete.es"), ("tvg-chno", "8")]);
        let current = ChannelFields::of(&before);
        assert_eq!(current.own(&before, false), []);
        assert_eq!(current.with_changes(&before, &after, &[]), ChannelFields::of(&after));
        let renamed = ChannelFields { title: "Mi canal".into(), ..current };
        let own = renamed.own(&before, false);
        assert_eq!(own, [EntryField::Name]);
        let expected = ChannelFields { title: "Mi canal".into(), ..ChannelFields::of(&after) };
        assert_eq!(renamed.with_changes(&before, &after, &own), expected);
        assert_eq!(renamed.with_changes(&before, &after, &[]), ChannelFields::of(&after));
    }

    #[test]
    fn an_id_that_the_channel_keeps_stays_though_the_list_gave_it() {
        let before = entry("Siete", "http://h/7", &[("tvg-id", "siete.es")]);
        let after = entry("Siete", "http://h/7", &[("tvg-id", "7.xx")]);
        let current = ChannelFields::of(&before);
        let own = current.own(&before, true);
        assert_eq!(own, [EntryField::GuideId, EntryField::Number]);
        assert_eq!(current.with_changes(&before, &after, &own).epg_id.as_deref(), Some("siete.es"));
        assert_eq!(current.with_changes(&before, &after, &[]).epg_id.as_deref(), Some("7.xx"));
    }

    #[test]
    fn an_existing_channel_gets_the_url_and_empty_fields() {
        let (logo, other) = ("http://h/7.png", "http://h/siete.png");
        let listed =
            entry("SIETE", "http://h/7", &[("tvg-id", "7.xx"), ("tvg-logo", logo), ("tvg-chno", "7")]);
        let bare = entry("SIETE", "http://h/7", &[("tvg-chno", "7")]);
        let own = |epg_id: Option<&str>, image_url: Option<&str>| ChannelFields {
            title: "Siete".into(),
            url: "http://own/7".into(),
            epg_id: epg_id.map(str::to_owned),
            image_url: image_url.map(str::to_owned),
            number: Some(7),
        };
        let with = |url: &str, fields: ChannelFields| ChannelFields { url: url.into(), ..fields };
        for (before, from, after) in [
            (own(Some("siete.es"), Some(other)), &listed, own(Some("siete.es"), Some(other))),
            (own(None, None), &listed, own(Some("7.xx"), Some(logo))),
            (own(Some("siete.es"), Some(other)), &bare, own(Some("siete.es"), Some(other))),
        ] {
            assert_eq!(before.filled_from(ChannelFields::of(from)), with("http://h/7", after));
        }
    }

    #[test]
    fn a_number_that_the_list_did_not_give_stays() {
        let (before, after) =
            (entry("Siete", "http://h/7", &[]), entry("Siete", "http://h/7", &[("tvg-chno", "8")]));
        let current = ChannelFields { number: Some(501), ..ChannelFields::of(&before) };
        let own = current.own(&before, false);
        assert_eq!(current.with_changes(&before, &after, &own).number, Some(501));
    }
}
