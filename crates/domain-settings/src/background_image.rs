//! Background images of the streaming app (docs/spec/settings.md#background-images).

use domain_kernel::{Enumeration, FilterKind, Today, WebUrl, enumeration, within_years_ahead};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Entry;

enumeration! {
    /// Type of the advertised content.
    pub enum BackgroundType {
        Premiere = "estreno" ("Estreno", "Premiere"),
        ComingSoon = "proximamente" ("Próximamente", "Coming soon"),
        Series = "serie" ("Serie", "Series"),
        Documentary = "documental" ("Documental", "Documentary"),
        Sports = "deportes" ("Deportes", "Sports"),
    }
}

enumeration! {
    /// Age rating of the advertised content. `PG-13` is accepted and stored as `PG_13`.
    pub enum BackgroundClassification {
        G = "G" ("G: todos los públicos", "G: general audiences"),
        Pg = "PG" ("PG: se sugiere compañía adulta", "PG: parental guidance"),
        Pg13 = "PG_13" ("PG-13: mayores de 13 años", "PG-13: over 13"),
        R = "R" ("R: restringida", "R: restricted"),
        Nc17 = "NC_17" ("NC-17: solo adultos", "NC-17: adults only"),
    }
}

/// A background image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(Today))]
pub struct BackgroundImage {
    /// Type of the advertised content.
    #[garde(skip)]
    #[serde(rename = "type")]
    #[schemars(extend("x-initial" = "estreno"))]
    pub background_type: BackgroundType,
    /// Title displayed over the image: 1 to 200 characters.
    #[garde(length(chars, min = 1, max = 200))]
    pub title: String,
    /// Year of release: 1900 to this year + 5.
    #[garde(range(min = 1900), custom(within_years_ahead(5)))]
    #[schemars(extend("x-maxYearsAhead" = 5))]
    pub year: i32,
    /// Genres, as one text.
    #[garde(inner(length(chars, max = 100)))]
    #[schemars(length(max = 100))]
    pub genre: Option<String>,
    /// Length in minutes: 1 to 999.
    #[garde(inner(range(min = 1, max = 999)))]
    #[schemars(range(min = 1, max = 999))]
    pub duration: Option<i32>,
    /// Age rating.
    #[garde(skip)]
    pub classification: Option<BackgroundClassification>,
    /// Whether it is shown in children's mode.
    #[garde(skip)]
    #[serde(default)]
    pub is_kids_mode: bool,
    /// URL of the image: http or https.
    #[garde(dive(&()))]
    pub image_url: WebUrl,
}

impl Entry for BackgroundImage {
    const PATH: &'static str = "background-images";
    const NAME: &'static str = "BackgroundImage";
    const SORTS: &'static [&'static str] = &["title", "type", "year"];
    const FILTERS: &'static [(&'static str, FilterKind)] =
        &[("type", FilterKind::Code(BackgroundType::CODES)), ("isKidsMode", FilterKind::Flag)];

    fn search_text(&self) -> String {
        let labels = self.background_type.labels();
        let genre = self.genre.as_deref().unwrap_or_default();
        [&self.title, &self.year.to_string(), genre, labels.spanish, labels.english].join("\n")
    }

    fn sample() -> Self {
        Self {
            background_type: BackgroundType::ComingSoon,
            title: "Dune: parte dos".into(),
            year: 2024,
            genre: Some("Ciencia ficción".into()),
            duration: Some(166),
            classification: Some(BackgroundClassification::Pg13),
            is_kids_mode: false,
            image_url: WebUrl("https://images.example.com/dune/wide.jpg".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;
    use domain_kernel::{DraftReader, Violations};
    use serde_json::{Value, json};

    use super::*;

    fn read(field: &str, value: Value) -> Result<BackgroundImage, Vec<(String, &'static str)>> {
        let mut json = serde_json::to_value(BackgroundImage::sample()).unwrap();
        json[field] = value;
        let today = Today(NaiveDate::from_ymd_opt(2026, 11, 20).unwrap());
        DraftReader::<BackgroundImage>::new().read(json, &today).map(garde::Valid::into_inner).map_err(
            |Violations(found)| found.into_iter().map(|one| (one.field, one.code.as_str())).collect(),
        )
    }

    #[test]
    fn each_field_has_its_bounds_on_both_sides() {
        for (field, value) in [
            ("type", json!("deportes")),
            ("title", json!("M")),
            ("title", json!("ñ".repeat(200))),
            ("year", json!(1900)),
            ("year", json!(2031)),
            ("genre", json!(null)),
            ("genre", json!("ñ".repeat(100))),
            ("duration", json!(null)),
            ("duration", json!(1)),
            ("duration", json!(999)),
            ("classification", json!(null)),
            ("classification", json!("NC-17")),
            ("isKidsMode", json!(null)),
            ("imageUrl", json!("http://e.com/a.jpg")),
        ] {
            assert!(read(field, value.clone()).is_ok(), "{field} {value}");
        }
        for (field, value, code) in [
            ("type", json!("ESTRENO"), "UNKNOWN_VALUE"),
            ("type", json!(null), "REQUIRED"),
            ("title", json!("  "), "REQUIRED"),
            ("title", json!("ñ".repeat(201)), "TOO_LONG"),
            ("year", json!(1899), "TOO_SMALL"),
            ("year", json!(2032), "TOO_LARGE"),
            ("year", json!(null), "REQUIRED"),
            ("genre", json!("ñ".repeat(101)), "TOO_LONG"),
            ("duration", json!(0), "TOO_SMALL"),
            ("duration", json!(1000), "TOO_LARGE"),
            ("duration", json!(1.5), "WRONG_TYPE"),
            ("classification", json!("NR"), "UNKNOWN_VALUE"),
            ("isKidsMode", json!("yes"), "WRONG_TYPE"),
            ("imageUrl", json!("javascript:alert(1)"), "INVALID_SCHEME"),
            ("imageUrl", json!(""), "REQUIRED"),
            ("preview", json!("x"), "UNKNOWN_FIELD"),
        ] {
            assert_eq!(read(field, value.clone()), Err(vec![(field.to_owned(), code)]), "{field} {value}");
        }
    }

    #[test]
    fn a_hyphen_in_a_rating_is_stored_as_an_underscore_and_blank_texts_as_none() {
        let read = |field, value| read(field, value).unwrap();
        assert_eq!(
            read("classification", json!("PG-13")).classification,
            Some(BackgroundClassification::Pg13)
        );
        assert_eq!(read("genre", json!("  ")).genre, None);
        assert_eq!(read("title", json!("  Dune ")).title, "Dune");
    }
}
