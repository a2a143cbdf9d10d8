//! Categories of the other content types (docs/spec/content-types.md#categories).

use domain_kernel::{Enumeration, FilterKind, Today};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CategoryType, Content, Kind, listing::filters, rules::yes};

/// A category.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(Today))]
pub struct Category {
    /// Its name in Spanish.
    #[garde(length(chars, min = 2, max = 100))]
    pub description: String,
    /// Its name in English.
    #[garde(length(chars, min = 2, max = 100))]
    pub english_description: String,
    /// Type of the content in it.
    #[garde(skip)]
    #[serde(rename = "type")]
    #[schemars(extend("x-initial" = "MOVIE"))]
    pub category_type: CategoryType,
    /// Whether viewers see it.
    #[garde(skip)]
    #[serde(default = "yes")]
    pub active: bool,
}

impl Content for Category {
    const KIND: Kind = Kind::Categories;
    const OMITTED_FROM_LIST: &'static [&'static str] = &[];
    const SORTS: &'static [&'static str] = &["description", "englishDescription", "type", "active"];
    const FILTERS: &'static [(&'static str, FilterKind)] = filters![
        ("startsWith", FilterKind::Text),
        ("type", FilterKind::Code(CategoryType::CODES)),
        ("active", FilterKind::Flag),
    ];

    const FIXED_WHILE_USED: &'static [&'static str] = &["type"];

    const NATURAL_KEY: &'static [&'static str] = &["type", "description"];

    fn natural_key(&self) -> String {
        format!("{}\n{}", self.category_type.code(), self.description.to_lowercase())
    }

    fn search_text(&self) -> String {
        let labels = self.category_type.labels();
        [&self.description, &self.english_description, labels.spanish, labels.english].join("\n")
    }

    fn active(&self) -> bool {
        self.active
    }

    fn sample() -> Self {
        Self {
            description: "Acción".into(),
            english_description: "Action".into(),
            category_type: CategoryType::Movie,
            active: true,
        }
    }
}
