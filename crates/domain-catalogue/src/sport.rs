//! Sports events (docs/spec/content-types.md#sports): like documentaries, with adult content and an
//! optional classification.

use chrono::{DateTime, NaiveDate, Utc};
use domain_kernel::{Enumeration, FilterKind, Id, Today};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    CategoryType, Content, DocumentaryClassification, Kind, Link, MediaFields, Reference, SportGenre, WebUrl,
    link::{self, MOST_LINKS, unique_ids},
    listing::{MISSING_OF_MEDIA, filters, media_key, searched_text},
    rules::{an_id, unique},
};

/// A sports event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(Today))]
pub struct Sport {
    /// Title as shown to subscribers.
    #[garde(length(chars, min = 3, max = 200))]
    pub title: String,
    /// Year: 1900 to 2100.
    #[garde(range(min = 1900, max = 2100))]
    pub year: i32,
    /// Day of the event.
    #[garde(skip)]
    pub release_date: Option<NaiveDate>,
    /// Length in minutes: 1 to 999.
    #[garde(range(min = 1, max = 999))]
    pub duration_minutes: i32,
    /// Age rating.
    #[garde(skip)]
    pub classification: Option<DocumentaryClassification>,
    /// Genres, without repetitions.
    #[garde(length(max = 30), custom(unique))]
    #[serde(default)]
    pub genres: Vec<SportGenre>,
    /// Its category, of type SPORTS.
    #[garde(custom(an_id))]
    #[schemars(extend("minimum" = 1, "x-category" = "SPORTS"))]
    pub category_id: Id,
    /// Trailer: YouTube, Vimeo or a video file.
    #[garde(dive(&()))]
    pub trailer_url: Option<WebUrl>,
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

impl Content for Sport {
    const KIND: Kind = Kind::Sports;
    const OMITTED_FROM_LIST: &'static [&'static str] = &["spanishSynopsis", "englishSynopsis", "links"];
    const SORTS: &'static [&'static str] = &["title", "year", "views", "active"];
    const FILTERS: &'static [(&'static str, FilterKind)] = filters![
        ("startsWith", FilterKind::Text),
        ("categoryId", FilterKind::References),
        ("active", FilterKind::Flag),
        ("year", FilterKind::Number),
        ("genre", FilterKind::Codes(SportGenre::CODES)),
        ("classification", FilterKind::Code(DocumentaryClassification::CODES)),
        ("missing", MISSING_OF_MEDIA),
        ("duplicated", FilterKind::Flag),
        ("linkUrl", FilterKind::Text),
        ("adultContent", FilterKind::Flag),
        ("kidsContent", FilterKind::Flag),
        ("releaseDateFrom", FilterKind::Day),
        ("releaseDateTo", FilterKind::Day),
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
        vec![Reference::category("categoryId", self.category_id, CategoryType::Sports)]
    }

    fn fill_server_fields(&mut self, previous: Option<&Self>, now: DateTime<Utc>) {
        link::fill_server_fields(&mut self.links, previous.map_or(&[], |previous| &previous.links), now);
    }

    fn sample() -> Self {
        Self {
            title: "Final de la Copa Mundial 2010".into(),
            year: 2010,
            release_date: NaiveDate::from_ymd_opt(2010, 7, 11),
            duration_minutes: 120,
            classification: Some(DocumentaryClassification::G),
            genres: vec![SportGenre::Futbol],
            category_id: 1,
            trailer_url: Some(WebUrl("https://vimeo.com/76979871".into())),
            adult_content: false,
            media: MediaFields {
                spanish_synopsis: Some("Países Bajos contra España, con gol en la prórroga.".into()),
                english_synopsis: Some("The Netherlands against Spain, decided in extra time.".into()),
                cover_image_url: Some(WebUrl("https://images.example.com/cover.jpg".into())),
                background_image_url: Some(WebUrl("https://images.example.com/wide.jpg".into())),
                reference: Some("DEP-1".into()),
                ..MediaFields::default()
            },
            links: vec![Link::sample()],
        }
    }
}
