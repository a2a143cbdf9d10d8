//! Episodes (docs/spec/content-types.md#episodes): each is of one show, with a unique season and
//! number.

use chrono::{DateTime, NaiveDate, Utc};
use domain_kernel::{FilterKind, Id, Today};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Content, Kind, Link, Reference, WebUrl,
    link::{self, MOST_LINKS, unique_ids},
    listing::{MISSING_OF_EPISODES, filters},
    rules::{an_id, normalise_title_id, one_decimal, title_id, yes},
};

/// An episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(Today))]
pub struct Episode {
    /// Its show.
    #[garde(custom(an_id))]
    #[schemars(extend("minimum" = 1))]
    pub tv_show_id: Id,
    /// Its id in the film database: `tt` and up to 10 digits.
    #[garde(custom(title_id))]
    #[schemars(extend("pattern" = "^tt[0-9]{1,10}$"))]
    pub imdb_id: Option<String>,
    /// Its season, from 1.
    #[garde(range(min = 1))]
    pub season_number: i32,
    /// Its number in the season, from 1.
    #[garde(range(min = 1))]
    pub episode_number: i32,
    /// Title as shown to subscribers.
    #[garde(length(chars, min = 2, max = 200))]
    pub title: String,
    /// Day of the first broadcast.
    #[garde(skip)]
    pub air_date: Option<NaiveDate>,
    /// Length in minutes.
    #[garde(range(min = 1))]
    pub duration_minutes: i32,
    /// Rating out of 10, in steps of 0.1.
    #[garde(inner(range(min = 0.0, max = 10.0)), custom(one_decimal))]
    #[schemars(range(min = 0.0, max = 10.0), extend("x-decimals" = 1))]
    pub rating: Option<f64>,
    /// Synopsis in Spanish.
    #[garde(inner(length(chars, max = 10_000)))]
    #[schemars(length(max = 10_000), extend("x-severalLines" = true))]
    pub spanish_synopsis: Option<String>,
    /// Synopsis in English.
    #[garde(inner(length(chars, max = 10_000)))]
    #[schemars(length(max = 10_000), extend("x-severalLines" = true))]
    pub english_synopsis: Option<String>,
    /// Image.
    #[garde(dive(&()))]
    pub cover_image_url: Option<WebUrl>,
    /// Whether viewers see it.
    #[garde(skip)]
    #[serde(default = "yes")]
    pub active: bool,
    /// Stream links: at least one.
    #[garde(length(min = 1, max = MOST_LINKS), dive(&()), custom(unique_ids))]
    pub links: Vec<Link>,
}

impl Content for Episode {
    const KIND: Kind = Kind::Episodes;
    // The screen of episodes shows two lines of the Spanish synopsis, so lists include it.
    const OMITTED_FROM_LIST: &'static [&'static str] = &["englishSynopsis", "links"];
    const SORTS: &'static [&'static str] =
        &["title", "seasonNumber", "episodeNumber", "airDate", "views", "active"];
    const FILTERS: &'static [(&'static str, FilterKind)] = filters![
        ("startsWith", FilterKind::Text),
        ("tvShowId", FilterKind::Reference),
        ("seasonNumber", FilterKind::Number),
        // Search on the screen of a show's episodes.
        ("titleOrNumber", FilterKind::Text),
        ("active", FilterKind::Flag),
        ("missing", MISSING_OF_EPISODES),
        ("duplicated", FilterKind::Flag),
        ("linkUrl", FilterKind::Text),
        ("airDateFrom", FilterKind::Day),
        ("airDateTo", FilterKind::Day),
    ];
    const FOREIGN_KEYS: &'static [(&'static str, Kind)] = &[("tvShowId", Kind::TvShows)];

    const NATURAL_KEY: &'static [&'static str] = &["tvShowId", "seasonNumber", "episodeNumber"];
    const KEY_ONCE: bool = true;

    fn natural_key(&self) -> String {
        format!("{}\n{}\n{}", self.tv_show_id, self.season_number, self.episode_number)
    }

    fn search_text(&self) -> String {
        format!("{}\nS{}E{}", self.title, self.season_number, self.episode_number)
    }

    fn operation_title(&self) -> String {
        format!("S{}E{}: {}", self.season_number, self.episode_number, self.title)
    }

    fn active(&self) -> bool {
        self.active
    }

    fn references(&self) -> Vec<Reference> {
        vec![Reference::item("tvShowId", Kind::TvShows, self.tv_show_id)]
    }

    fn fill_server_fields(&mut self, previous: Option<&Self>, now: DateTime<Utc>) {
        normalise_title_id(&mut self.imdb_id);
        link::fill_server_fields(&mut self.links, previous.map_or(&[], |previous| &previous.links), now);
    }

    fn sample() -> Self {
        Self {
            tv_show_id: 1,
            imdb_id: Some("tt0959621".into()),
            season_number: 1,
            episode_number: 1,
            title: "Pilot".into(),
            air_date: NaiveDate::from_ymd_opt(2008, 1, 20),
            duration_minutes: 58,
            rating: Some(9.0),
            spanish_synopsis: Some("Walter White toma una decisión.".into()),
            english_synopsis: Some("Walter White takes a decision.".into()),
            cover_image_url: Some(WebUrl("https://images.example.com/pilot.jpg".into())),
            active: true,
            links: vec![Link::sample()],
        }
    }
}
