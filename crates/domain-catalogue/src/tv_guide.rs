//! TV guides: sources of programmes (XMLTV).

use domain_kernel::{FilterKind, Today};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Content, Kind, WebUrl, listing::filters, rules::yes};

/// A TV guide.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(Today))]
pub struct TvGuide {
    /// Its name.
    #[garde(length(chars, min = 3, max = 255))]
    pub title: String,
    /// URL of the file.
    #[garde(dive(&()))]
    pub url: WebUrl,
    /// Whether viewers see it.
    #[garde(skip)]
    #[serde(default = "yes")]
    pub active: bool,
    /// Whether the file is compressed.
    #[garde(skip)]
    #[serde(default)]
    pub gzip: bool,
}

impl Content for TvGuide {
    const KIND: Kind = Kind::TvGuides;
    const OMITTED_FROM_LIST: &'static [&'static str] = &[];
    const SORTS: &'static [&'static str] = &["title", "active"];
    const FILTERS: &'static [(&'static str, FilterKind)] =
        filters![("startsWith", FilterKind::Text), ("active", FilterKind::Flag),];

    const NATURAL_KEY: &'static [&'static str] = &["title"];

    fn natural_key(&self) -> String {
        self.title.to_lowercase()
    }

    fn search_text(&self) -> String {
        self.title.clone()
    }

    fn active(&self) -> bool {
        self.active
    }

    fn sample() -> Self {
        Self {
            title: "Guía nacional".into(),
            url: WebUrl("https://guides.example.com/national.xml.gz".into()),
            active: true,
            gzip: true,
        }
    }
}
