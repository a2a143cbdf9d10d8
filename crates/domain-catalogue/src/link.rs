//! Stream links of playable content: part of their item, and saved with it
//! (docs/spec/content.md#links).

use chrono::{DateTime, Utc};
use domain_kernel::{Code, enumeration, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{StreamUrl, rules::unique, rules::yes};

/// Maximum links of an item.
pub const MOST_LINKS: usize = 200;

enumeration! {
    /// Quality of a stream.
    pub enum LinkQuality {
        Sd = "SD" ("SD (480p)", "SD (480p)"),
        Hd = "HD" ("HD (720p)", "HD (720p)"),
        Fhd = "FHD" ("Full HD (1080p)", "Full HD (1080p)"),
        Uhd = "4K" ("4K (2160p)", "4K (2160p)"),
    }
}

enumeration! {
    /// A language of sound or subtitles. Accepted in any case, stored in upper case.
    pub enum Language, folds_case = true {
        Spanish = "SPANISH" ("Español", "Spanish"),
        English = "ENGLISH" ("Inglés", "English"),
        French = "FRENCH" ("Francés", "French"),
        German = "GERMAN" ("Alemán", "German"),
        Italian = "ITALIAN" ("Italiano", "Italian"),
        Portuguese = "PORTUGUESE" ("Portugués", "Portuguese"),
        Catalan = "CATALAN" ("Catalán", "Catalan"),
        Japanese = "JAPANESE" ("Japonés", "Japanese"),
        Korean = "KOREAN" ("Coreano", "Korean"),
        Mandarin = "MANDARIN" ("Mandarín", "Mandarin"),
        Russian = "RUSSIAN" ("Ruso", "Russian"),
        Arabic = "ARABIC" ("Árabe", "Arabic"),
        Hindi = "HINDI" ("Hindi", "Hindi"),
        Turkish = "TURKISH" ("Turco", "Turkish"),
        Dutch = "DUTCH" ("Neerlandés", "Dutch"),
        Swedish = "SWEDISH" ("Sueco", "Swedish"),
        Norwegian = "NORWEGIAN" ("Noruego", "Norwegian"),
        Danish = "DANISH" ("Danés", "Danish"),
    }
}

/// A link of an item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    /// Created by the client (a UUID), or by the server if it is missing.
    #[garde(inner(length(chars, min = 1, max = 64), custom(link_id)))]
    pub id: Option<String>,
    /// Quality.
    #[garde(skip)]
    pub quality: LinkQuality,
    /// URL of the stream.
    #[garde(dive)]
    pub url: StreamUrl,
    /// Languages of the sound.
    #[garde(length(min = 1, max = 18), custom(unique))]
    pub audio_languages: Vec<Language>,
    /// Languages of the subtitles. May be empty.
    #[garde(length(max = 18), custom(unique))]
    #[serde(default)]
    pub subtitle_languages: Vec<Language>,
    /// Whether viewers may play it.
    #[garde(skip)]
    #[serde(default = "yes")]
    pub active: bool,
    /// Time of the addition; set by the server if it is missing.
    #[garde(skip)]
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub created_date: Option<DateTime<Utc>>,
    /// Time of the last change; set by the server if it is missing.
    #[garde(skip)]
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    pub updated_date: Option<DateTime<Utc>>,
}

impl Link {
    /// A sample with every field.
    pub fn sample() -> Self {
        let then = DateTime::UNIX_EPOCH + chrono::TimeDelta::days(20_000);
        Self {
            id: Some("3da6a3f0-2993-4188-a5a4-0cbe3e2757c6".into()),
            quality: LinkQuality::Fhd,
            url: StreamUrl("https://cdn.example.com/the-matrix/1080.m3u8".into()),
            audio_languages: vec![Language::Spanish, Language::English],
            subtitle_languages: vec![Language::Spanish],
            active: true,
            created_date: Some(then),
            updated_date: Some(then),
        }
    }
}

fn link_id<T>(id: &str, _: &T) -> garde::Result {
    let fits = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if fits { Ok(()) } else { Err(fault(Code::InvalidFormat, &[])) }
}

/// Ids of an item's links are unique.
pub(crate) fn unique_ids<T>(links: &[Link], context: &T) -> garde::Result {
    let ids: Vec<&str> = links.iter().filter_map(|link| link.id.as_deref()).collect();
    unique(&ids, context)
}

/// Sets ids and dates of links. An existing link (by id, otherwise by URL) keeps its values. A
/// generated id is derived from the URL, so that the same draft gives the same ids. Ids remain
/// unique.
pub(crate) fn fill_server_fields(links: &mut [Link], previous: &[Link], now: DateTime<Utc>) {
    for index in 0..links.len() {
        let Link { id, url, .. } = &links[index];
        let used = |id: &str| links.iter().any(|link| link.id.as_deref() == Some(id));
        let known = previous.iter().find(|known| match id {
            Some(id) => known.id.as_ref() == Some(id),
            None => known.url == *url && !known.id.as_deref().is_some_and(used),
        });
        let made = |place: usize| {
            Uuid::new_v5(&Uuid::NAMESPACE_URL, format!("{place} {}", url.0).as_bytes()).to_string()
        };
        let id = id.clone().or_else(|| known.and_then(|known| known.id.clone()));
        // Among one more candidates than links, one is free.
        let id = id.or_else(|| (index..=index + links.len()).map(made).find(|id| !used(id)));
        let link = &mut links[index];
        link.id = id;
        link.created_date = link.created_date.or(known.and_then(|known| known.created_date)).or(Some(now));
        if link.updated_date.is_none() {
            let as_before = Link { updated_date: known.and_then(|known| known.updated_date), ..link.clone() };
            link.updated_date = if known == Some(&as_before) { as_before.updated_date } else { Some(now) };
        }
    }
}

#[cfg(test)]
mod tests {
    use domain_kernel::Enumeration;

    use super::*;

    fn bare(url: &str) -> Link {
        Link {
            id: None,
            created_date: None,
            updated_date: None,
            url: StreamUrl(url.into()),
            ..Link::sample()
        }
    }

    #[test]
    fn links_get_ids_and_dates_once_and_keep_them() {
        let first = DateTime::UNIX_EPOCH;
        let later = first + chrono::TimeDelta::days(1);
        let draft =
            vec![bare("https://a.example/1"), bare("https://a.example/1"), bare("https://a.example/2")];

        let mut links = draft.clone();
        fill_server_fields(&mut links, &[], first);
        assert_eq!(links[0].created_date, Some(first));
        assert_ne!(links[0].id, links[1].id);

        let mut again = draft.clone();
        fill_server_fields(&mut again, &links, later);
        assert_eq!(again, links, "the same draft a day later changes nothing");

        let mut changed = draft;
        changed[2].active = false;
        fill_server_fields(&mut changed, &links, later);
        assert_eq!((changed[2].created_date, changed[2].updated_date), (Some(first), Some(later)));
    }

    #[test]
    fn generated_ids_are_unique() {
        let url = "https://a.example/1";
        let mut stored = vec![bare(url), bare(url), bare(url)];
        fill_server_fields(&mut stored, &[], DateTime::UNIX_EPOCH);
        let ids = |links: &[Link]| links.iter().filter_map(|link| link.id.clone()).collect::<Vec<_>>();
        let [first, second, third] = [0, 1, 2].map(|place: usize| stored[place].clone());

        let mut at_the_place = vec![first.clone(), third.clone(), bare(url)];
        fill_server_fields(&mut at_the_place, &[first.clone(), third], DateTime::UNIX_EPOCH);
        assert!(unique_ids(&at_the_place, &()).is_ok(), "{:?}", ids(&at_the_place));

        let mut before_its_id = vec![bare(url), first.clone()];
        fill_server_fields(&mut before_its_id, &stored, DateTime::UNIX_EPOCH);
        assert_eq!(ids(&before_its_id), [second.id, first.id].map(Option::unwrap));
    }

    #[test]
    fn a_link_needs_a_sound_language_and_a_stream_address() {
        let broken = Link { audio_languages: vec![], url: StreamUrl("data:x".into()), ..Link::sample() };
        let found = domain_kernel::checked(broken, &()).unwrap_err().0;
        let fields: Vec<_> = found.iter().map(|v| (v.field.as_str(), v.code.as_str())).collect();
        assert!(fields.contains(&("audioLanguages", "TOO_SHORT")), "{fields:?}");
        assert!(fields.contains(&("url", "INVALID_SCHEME")), "{fields:?}");
        assert!(domain_kernel::checked(Link { subtitle_languages: vec![], ..Link::sample() }, &()).is_ok());
    }

    #[test]
    fn languages_are_stored_in_capitals() {
        assert_eq!(Language::from_code("spanish"), Some(Language::Spanish));
        assert_eq!(LinkQuality::from_code("fhd"), None);
    }
}
