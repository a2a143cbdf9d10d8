//! TV shows (docs/spec/content-types.md#tv-shows). Episodes are separate content.

use chrono::{DateTime, NaiveDate, Utc};
use domain_kernel::{Enumeration, FilterKind, Id, Today, enumeration};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    CategoryType, Content, Kind, MediaFields, Reference, ShowClassification, ShowGenre, WebUrl,
    listing::{MISSING_OF_SHOWS, filters, media_key, searched_text},
    rules::{an_id, normalise_title_id, one_decimal, title_id, unique, within_years_ahead},
};

enumeration! {
    /// The production status of a show.
    pub enum ShowStatus, aliases = ["RUNNING" => "RETURNING_SERIES"] {
        ReturningSeries = "RETURNING_SERIES" ("En emisión", "Returning series"),
        Planned = "PLANNED" ("Planificada", "Planned"),
        InProduction = "IN_PRODUCTION" ("En producción", "In production"),
        Ended = "ENDED" ("Finalizada", "Ended"),
        Canceled = "CANCELED" ("Cancelada", "Canceled"),
        Pilot = "PILOT" ("Piloto", "Pilot"),
    }
}

/// A TV show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(Today))]
pub struct TvShow {
    /// Title as shown to subscribers.
    #[garde(length(chars, min = 2, max = 200))]
    pub title: String,
    /// Its id in the film database: `tt` and up to 10 digits.
    #[garde(custom(title_id))]
    #[schemars(extend("pattern" = "^tt[0-9]{1,10}$"))]
    pub imdb_id: Option<String>,
    /// Year: 1900 to this year + 5.
    #[garde(range(min = 1900), custom(within_years_ahead(5)))]
    #[schemars(extend("x-maxYearsAhead" = 5))]
    pub year: i32,
    /// Day of the first episode.
    #[garde(skip)]
    pub first_air_date: Option<NaiveDate>,
    /// Day of the last episode.
    #[garde(skip)]
    pub last_air_date: Option<NaiveDate>,
    /// Total number of seasons, including those not in the catalogue.
    #[garde(inner(range(min = 0)))]
    #[schemars(range(min = 0))]
    pub total_seasons: Option<i32>,
    /// Total number of episodes, including those not in the catalogue.
    #[garde(inner(range(min = 0)))]
    #[schemars(range(min = 0))]
    pub total_episodes: Option<i32>,
    /// Rating out of 10, in steps of 0.1.
    #[garde(inner(range(min = 0.0, max = 10.0)), custom(one_decimal))]
    #[schemars(range(min = 0.0, max = 10.0), extend("x-decimals" = 1))]
    pub rating: Option<f64>,
    /// Cast, as one text.
    #[garde(inner(length(chars, max = 2000)))]
    #[schemars(length(max = 2000))]
    pub actors: Option<String>,
    /// Creators, as one text.
    #[garde(inner(length(chars, max = 2000)))]
    #[schemars(length(max = 2000))]
    pub creators: Option<String>,
    /// Production status.
    #[garde(skip)]
    pub status: Option<ShowStatus>,
    /// Age rating.
    #[garde(skip)]
    pub classification: Option<ShowClassification>,
    /// Genres, without repetitions.
    #[garde(length(max = 24), custom(unique))]
    #[serde(default)]
    pub genres: Vec<ShowGenre>,
    /// Its category, of type TV_SHOW.
    #[garde(custom(an_id))]
    #[schemars(extend("minimum" = 1, "x-category" = "TV_SHOW"))]
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
}

impl Content for TvShow {
    const KIND: Kind = Kind::TvShows;
    const OMITTED_FROM_LIST: &'static [&'static str] = &["spanishSynopsis", "englishSynopsis"];
    const SORTS: &'static [&'static str] = &["title", "year", "totalEpisodes", "views", "active"];
    const FILTERS: &'static [(&'static str, FilterKind)] = filters![
        ("startsWith", FilterKind::Text),
        ("categoryId", FilterKind::References),
        ("active", FilterKind::Flag),
        ("year", FilterKind::Number),
        ("genre", FilterKind::Codes(ShowGenre::CODES)),
        ("classification", FilterKind::Code(ShowClassification::CODES)),
        ("missing", MISSING_OF_SHOWS),
        ("duplicated", FilterKind::Flag),
        ("imdbId", FilterKind::Text),
        ("adultContent", FilterKind::Flag),
        ("kidsContent", FilterKind::Flag),
        ("firstAirDateFrom", FilterKind::Day),
        ("firstAirDateTo", FilterKind::Day),
        ("lastAirDateFrom", FilterKind::Day),
        ("lastAirDateTo", FilterKind::Day),
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
        vec![Reference::category("categoryId", self.category_id, CategoryType::TvShow)]
    }

    fn fill_server_fields(&mut self, _: Option<&Self>, _: DateTime<Utc>) {
        normalise_title_id(&mut self.imdb_id);
    }

    fn sample() -> Self {
        Self {
            title: "Breaking Bad".into(),
            imdb_id: Some("tt0903747".into()),
            year: 2008,
            first_air_date: NaiveDate::from_ymd_opt(2008, 1, 20),
            last_air_date: NaiveDate::from_ymd_opt(2013, 9, 29),
            total_seasons: Some(5),
            total_episodes: Some(62),
            rating: Some(9.5),
            actors: Some("Bryan Cranston, Aaron Paul".into()),
            creators: Some("Vince Gilligan".into()),
            status: Some(ShowStatus::Ended),
            classification: Some(ShowClassification::TvMa),
            genres: vec![ShowGenre::Crimen, ShowGenre::Drama],
            category_id: 1,
            trailer_url: Some(WebUrl("https://vimeo.com/76979871".into())),
            adult_content: false,
            media: MediaFields {
                spanish_synopsis: Some("Un profesor de química se pasa al otro lado de la ley.".into()),
                english_synopsis: Some("A chemistry teacher crosses the law.".into()),
                cover_image_url: Some(WebUrl("https://images.example.com/cover.jpg".into())),
                background_image_url: Some(WebUrl("https://images.example.com/wide.jpg".into())),
                reference: Some("SER-1".into()),
                ..MediaFields::default()
            },
        }
    }
}
