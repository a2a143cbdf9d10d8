//! Common fields of films, documentaries, concerts, sports events and TV shows
//! (docs/spec/content.md#common-fields).

use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{WebUrl, rules::yes};

/// Common fields of titles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct MediaFields {
    /// Synopsis in Spanish.
    #[garde(inner(length(chars, max = 10_000)))]
    #[schemars(length(max = 10_000), extend("x-severalLines" = true))]
    pub spanish_synopsis: Option<String>,
    /// Synopsis in English.
    #[garde(inner(length(chars, max = 10_000)))]
    #[schemars(length(max = 10_000), extend("x-severalLines" = true))]
    pub english_synopsis: Option<String>,
    /// Poster.
    #[garde(dive)]
    pub cover_image_url: Option<WebUrl>,
    /// Background image, wide.
    #[garde(dive)]
    pub background_image_url: Option<WebUrl>,
    /// Reference code of the operator or supplier.
    #[garde(inner(length(chars, max = 100)))]
    #[schemars(length(max = 100))]
    pub reference: Option<String>,
    /// Whether viewers see it.
    #[garde(skip)]
    #[serde(default = "yes")]
    pub active: bool,
    /// Sound in one channel.
    #[garde(skip)]
    #[serde(default)]
    pub mono_audio: bool,
    /// Only in English.
    #[garde(skip)]
    #[serde(default)]
    pub english_only: bool,
    /// Fit for children.
    #[garde(skip)]
    #[serde(default)]
    pub kids_content: bool,
}

impl Default for MediaFields {
    /// Initial values of a form: active, all other fields empty or off.
    fn default() -> Self {
        Self {
            spanish_synopsis: None,
            english_synopsis: None,
            cover_image_url: None,
            background_image_url: None,
            reference: None,
            active: true,
            mono_audio: false,
            english_only: false,
            kids_content: false,
        }
    }
}
