//! Films (docs/spec/content-types.md#movies).

use chrono::{DateTime, NaiveDate, Utc};
use domain_kernel::{Enumeration, FilterKind, Id, Today};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    CategoryType, Content, Kind, Link, MediaFields, MovieClassification, MovieGenre, Reference, WebUrl,
    link::{self, MOST_LINKS, unique_ids},
    listing::{MISSING_OF_MEDIA, filters, media_key, searched_text},
    rules::{an_id, normalise_title_id, one_decimal, title_id, unique, within_years_ahead},
};

/// A film.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(Today))]
pub struct Movie {
    /// Title as shown to subscribers.
    #[garde(length(chars, min = 2, max = 200))]
    pub title: String,
    /// Its id in the film database: `tt` and up to 10 digits.
    #[garde(custom(title_id))]
    #[schemars(extend("pattern" = "^tt[0-9]{1,10}$"))]
    pub imdb_id: Option<String>,
    /// Year of release: 1900 to this year + 5.
    #[garde(range(min = 1900), custom(within_years_ahead(5)))]
    #[schemars(extend("x-maxYearsAhead" = 5))]
    pub year: i32,
    /// Day of release.
    #[garde(skip)]
    pub release_date: Option<NaiveDate>,
    /// Length in minutes.
    #[garde(range(min = 1))]
    pub duration_minutes: i32,
    /// Rating out of 10, in steps of 0.1.
    #[garde(inner(range(min = 0.0, max = 10.0)), custom(one_decimal))]
    #[schemars(range(min = 0.0, max = 10.0), extend("x-decimals" = 1))]
    pub rating: Option<f64>,
    /// Cast, as one text.
    #[garde(inner(length(chars, max = 2000)))]
    #[schemars(length(max = 2000))]
    pub actors: Option<String>,
    /// Age rating.
    #[garde(skip)]
    pub classification: MovieClassification,
    /// Genres, without repetitions.
    #[garde(length(max = 21), custom(unique))]
    #[serde(default)]
    pub genres: Vec<MovieGenre>,
    /// Its category, of type MOVIE.
    #[garde(custom(an_id))]
    #[schemars(extend("minimum" = 1, "x-category" = "MOVIE"))]
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

impl Content for Movie {
    const KIND: Kind = Kind::Movies;
    const OMITTED_FROM_LIST: &'static [&'static str] = &["spanishSynopsis", "englishSynopsis", "links"];
    const SORTS: &'static [&'static str] = &["title", "year", "views", "active"];
    const FILTERS: &'static [(&'static str, FilterKind)] = filters![
        ("startsWith", FilterKind::Text),
        ("categoryId", FilterKind::References),
        ("active", FilterKind::Flag),
        ("year", FilterKind::Number),
        ("genre", FilterKind::Codes(MovieGenre::CODES)),
        ("classification", FilterKind::Code(MovieClassification::CODES)),
        ("missing", MISSING_OF_MEDIA),
        ("duplicated", FilterKind::Flag),
        ("linkUrl", FilterKind::Text),
        ("imdbId", FilterKind::Text),
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
        vec![Reference::category("categoryId", self.category_id, CategoryType::Movie)]
    }

    fn fill_server_fields(&mut self, previous: Option<&Self>, now: DateTime<Utc>) {
        normalise_title_id(&mut self.imdb_id);
        link::fill_server_fields(&mut self.links, previous.map_or(&[], |previous| &previous.links), now);
    }

    fn sample() -> Self {
        Self {
            title: "The Matrix".into(),
            imdb_id: Some("tt0133093".into()),
            year: 1999,
            release_date: NaiveDate::from_ymd_opt(1999, 3, 31),
            duration_minutes: 136,
            rating: Some(8.7),
            actors: Some("Keanu Reeves, Laurence Fishburne, Carrie-Anne Moss".into()),
            classification: MovieClassification::R,
            genres: vec![MovieGenre::Action, MovieGenre::SciFi],
            category_id: 1,
            trailer_url: Some(WebUrl("https://www.youtube.com/watch?v=vKQi3bBA1y8".into())),
            adult_content: false,
            media: MediaFields {
                spanish_synopsis: Some("Un programador descubre que su mundo es una simulación.".into()),
                english_synopsis: Some("A programmer finds out that his world is a simulation.".into()),
                cover_image_url: Some(WebUrl("https://images.example.com/the-matrix/cover.jpg".into())),
                background_image_url: Some(WebUrl("https://images.example.com/the-matrix/wide.jpg".into())),
                reference: Some("WB-1999-0331".into()),
                ..MediaFields::default()
            },
            links: vec![Link::sample()],
        }
    }
}
