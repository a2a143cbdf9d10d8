//! Concerts (docs/spec/content-types.md#concerts).

use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, FilterKind, Id, Today};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    CategoryType, ConcertGenre, Content, Kind, Link, MediaFields, Reference, WebUrl,
    link::{self, MOST_LINKS, unique_ids},
    listing::{MISSING_OF_CONCERTS, filters, media_key, searched_text},
    rules::{an_id, unique, within_years_ahead},
};

/// A concert.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(Today))]
pub struct Concert {
    /// Title as shown to subscribers.
    #[garde(length(chars, min = 2, max = 200))]
    pub title: String,
    /// Year: 1900 to this year + 5.
    #[garde(range(min = 1900), custom(within_years_ahead(5)))]
    #[schemars(extend("x-maxYearsAhead" = 5))]
    pub year: i32,
    /// Length in minutes.
    #[garde(range(min = 1))]
    pub duration_minutes: i32,
    /// Performers: at least 2 characters; optional.
    #[garde(inner(length(chars, min = 2, max = 2000)))]
    #[schemars(length(min = 2, max = 2000))]
    pub actors: Option<String>,
    /// Genres, without repetitions.
    #[garde(length(max = 48), custom(unique))]
    #[serde(default)]
    pub genres: Vec<ConcertGenre>,
    /// Its category, of type MUSIC.
    #[garde(custom(an_id))]
    #[schemars(extend("minimum" = 1, "x-category" = "MUSIC"))]
    pub category_id: Id,
    /// For adults only.
    #[garde(skip)]
    #[serde(default)]
    pub adult_content: bool,
    /// Common fields of titles.
    #[garde(dive(&()))]
    #[serde(flatten)]
    pub media: MediaFields,
    /// Stream links: at least one.
    #[garde(length(min = 1, max = MOST_LINKS), dive(&()), custom(unique_ids))]
    pub links: Vec<Link>,
}

impl Content for Concert {
    const KIND: Kind = Kind::Concerts;
    const OMITTED_FROM_LIST: &'static [&'static str] = &["spanishSynopsis", "englishSynopsis", "links"];
    const SORTS: &'static [&'static str] = &["title", "year", "views", "active"];
    const FILTERS: &'static [(&'static str, FilterKind)] = filters![
        ("startsWith", FilterKind::Text),
        ("categoryId", FilterKind::References),
        ("active", FilterKind::Flag),
        ("year", FilterKind::Number),
        ("genre", FilterKind::Codes(ConcertGenre::CODES)),
        ("missing", MISSING_OF_CONCERTS),
        ("duplicated", FilterKind::Flag),
        ("linkUrl", FilterKind::Text),
        ("adultContent", FilterKind::Flag),
        ("kidsContent", FilterKind::Flag),
    ];
    const FOREIGN_KEYS: &'static [(&'static str, Kind)] = &[("categoryId", Kind::Categories)];

    const NATURAL_KEY: &'static [&'static str] = &["title", "year", "reference"];

    fn natural_key(&self) -> String {
        media_key(self.media.reference.as_deref(), &self.title, self.year)
    }

    fn search_text(&self) -> String {
        searched_text([self.title.clone(), self.year.to_string()], &self.genres)
    }

    fn active(&self) -> bool {
        self.media.active
    }

    fn references(&self) -> Vec<Reference> {
        vec![Reference::category("categoryId", self.category_id, CategoryType::Music)]
    }

    fn fill_server_fields(&mut self, previous: Option<&Self>, now: DateTime<Utc>) {
        link::fill_server_fields(&mut self.links, previous.map_or(&[], |previous| &previous.links), now);
    }

    fn sample() -> Self {
        Self {
            title: "Stop Making Sense".into(),
            year: 1984,
            duration_minutes: 88,
            actors: Some("Talking Heads".into()),
            genres: vec![ConcertGenre::Rock, ConcertGenre::Funk],
            category_id: 1,
            adult_content: false,
            media: MediaFields {
                spanish_synopsis: Some("Un traje enorme y una banda que crece canción a canción.".into()),
                english_synopsis: Some("A very big suit, and a band that grows song by song.".into()),
                cover_image_url: Some(WebUrl("https://images.example.com/cover.jpg".into())),
                background_image_url: Some(WebUrl("https://images.example.com/wide.jpg".into())),
                reference: Some("CON-1".into()),
                ..MediaFields::default()
            },
            links: vec![Link::sample()],
        }
    }
}
