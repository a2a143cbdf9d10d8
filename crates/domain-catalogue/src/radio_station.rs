//! Radio stations (docs/spec/content-types.md#radio-stations).

use domain_kernel::{Enumeration, FilterKind, Today};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Content, Kind, RadioGenre, StreamUrl, WebUrl,
    listing::{MISSING_OF_STATIONS, filters, searched_text},
    rules::{unique, yes},
};

/// A radio station.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(Today))]
pub struct RadioStation {
    /// Its code.
    #[garde(length(chars, min = 1, max = 50))]
    pub code: String,
    /// Its name.
    #[garde(length(chars, min = 1, max = 255))]
    pub station_name: String,
    /// Its logo.
    #[garde(dive(&()))]
    pub station_logo: Option<WebUrl>,
    /// Country of the station.
    #[garde(length(chars, min = 1, max = 100))]
    pub country: String,
    /// Genres: at least one, without repetitions.
    #[garde(length(min = 1, max = 28), custom(unique))]
    pub genres: Vec<RadioGenre>,
    /// Its audio stream.
    #[garde(dive(&()))]
    pub stream_url: StreamUrl,
    /// Whether viewers see it.
    #[garde(skip)]
    #[serde(default = "yes")]
    pub active: bool,
}

impl Content for RadioStation {
    const KIND: Kind = Kind::RadioStations;
    const OMITTED_FROM_LIST: &'static [&'static str] = &[];
    const SORTS: &'static [&'static str] = &["stationName", "country", "code", "active"];
    const FILTERS: &'static [(&'static str, FilterKind)] = filters![
        ("startsWith", FilterKind::Text),
        ("active", FilterKind::Flag),
        ("genre", FilterKind::Codes(RadioGenre::CODES)),
        ("country", FilterKind::Text),
        ("code", FilterKind::Text),
        ("streamUrl", FilterKind::Text),
        ("missing", MISSING_OF_STATIONS),
        ("duplicated", FilterKind::Flag),
    ];

    const NATURAL_KEY: &'static [&'static str] = &["code"];

    fn natural_key(&self) -> String {
        self.code.to_lowercase()
    }

    fn search_text(&self) -> String {
        searched_text([self.station_name.clone(), self.country.clone()], &self.genres)
    }

    fn active(&self) -> bool {
        self.active
    }

    fn sample() -> Self {
        Self {
            code: "RN1".into(),
            station_name: "Radio del Mar".into(),
            station_logo: Some(WebUrl("https://images.example.com/radio-del-mar.png".into())),
            country: "España".into(),
            genres: vec![RadioGenre::News, RadioGenre::Jazz],
            stream_url: StreamUrl("https://radio.example.com/mar.aac".into()),
            active: true,
        }
    }
}
