//! Seasons (docs/spec/content-types.md#seasons): data of a complete season. Its first episode
//! creates it.

use chrono::{DateTime, NaiveDate, Utc};
use domain_kernel::{FilterKind, Id, Today};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Content, Kind, Reference, WebUrl,
    listing::{MISSING_OF_SEASONS, filters},
    rules::{an_id, yes},
};

/// A season.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(Today))]
pub struct Season {
    /// Its show.
    #[garde(custom(an_id))]
    #[schemars(extend("minimum" = 1))]
    pub tv_show_id: Id,
    /// Number in the show, from 1; unique.
    #[garde(range(min = 1))]
    pub season_number: i32,
    /// Its name.
    #[garde(inner(length(chars, max = 200)))]
    #[schemars(length(max = 200))]
    pub title: Option<String>,
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
    /// Day of the first episode.
    #[garde(skip)]
    pub air_date: Option<NaiveDate>,
    /// Number of its episodes in the catalogue. Counted by the server; ignored on input.
    #[garde(skip)]
    #[serde(default)]
    #[schemars(extend("readOnly" = true))]
    pub episode_count: i64,
    /// Whether viewers see it.
    #[garde(skip)]
    #[serde(default = "yes")]
    pub active: bool,
}

impl Content for Season {
    const KIND: Kind = Kind::Seasons;
    const OMITTED_FROM_LIST: &'static [&'static str] = &["spanishSynopsis", "englishSynopsis"];
    const SORTS: &'static [&'static str] = &["seasonNumber", "title", "active"];
    const FILTERS: &'static [(&'static str, FilterKind)] = filters![
        ("startsWith", FilterKind::Text),
        ("tvShowId", FilterKind::Reference),
        ("active", FilterKind::Flag),
        ("missing", MISSING_OF_SEASONS),
        ("airDateFrom", FilterKind::Day),
        ("airDateTo", FilterKind::Day),
    ];
    const FOREIGN_KEYS: &'static [(&'static str, Kind)] = &[("tvShowId", Kind::TvShows)];

    const FIXED_WHILE_USED: &'static [&'static str] = &["tvShowId", "seasonNumber"];

    const NATURAL_KEY: &'static [&'static str] = &["tvShowId", "seasonNumber"];
    const KEY_ONCE: bool = true;

    fn natural_key(&self) -> String {
        format!("{}\n{}", self.tv_show_id, self.season_number)
    }

    fn search_text(&self) -> String {
        format!("{}\n{}", self.season_number, self.title.as_deref().unwrap_or_default())
    }

    fn fill_server_fields(&mut self, previous: Option<&Self>, _: DateTime<Utc>) {
        self.episode_count = previous.map_or(0, |previous| previous.episode_count);
    }

    fn active(&self) -> bool {
        self.active
    }

    fn references(&self) -> Vec<Reference> {
        vec![Reference::item("tvShowId", Kind::TvShows, self.tv_show_id)]
    }

    fn sample() -> Self {
        Self {
            tv_show_id: 1,
            season_number: 1,
            title: Some("Temporada 1".into()),
            spanish_synopsis: Some("Cómo empezó todo.".into()),
            english_synopsis: Some("How it all began.".into()),
            cover_image_url: Some(WebUrl("https://images.example.com/season-1.jpg".into())),
            air_date: NaiveDate::from_ymd_opt(2008, 1, 20),
            episode_count: 0,
            active: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn episodes_are_counted_by_the_server() {
        let mut written = Season { episode_count: 50, ..Season::sample() };
        written.fill_server_fields(None, DateTime::UNIX_EPOCH);
        assert_eq!(written.episode_count, 0);
        let stored = Season { episode_count: 3, ..Season::sample() };
        written.fill_server_fields(Some(&stored), DateTime::UNIX_EPOCH);
        assert_eq!(written.episode_count, 3);
    }
}
