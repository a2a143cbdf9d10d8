//! Entry of a playlist: name, URL and attributes.

use std::{borrow::Cow, fmt};

use domain_kernel::fold;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor},
};

/// Known attribute names, which need no allocation per entry.
const KNOWN: &[&str] = &[
    "catchup",
    "catchup-days",
    "catchup-source",
    "group-title",
    "http-referrer",
    "http-user-agent",
    "radio",
    "timeshift",
    "tvg-chno",
    "tvg-country",
    "tvg-id",
    "tvg-language",
    "tvg-logo",
    "tvg-name",
    "tvg-rec",
    "tvg-shift",
];

/// Attribute name, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TagName(Cow<'static, str>);

impl TagName {
    pub fn new(name: &str) -> Self {
        let known = KNOWN.iter().find(|known| known.eq_ignore_ascii_case(name));
        match known {
            Some(known) => Self(Cow::Borrowed(*known)),
            None => Self(Cow::Owned(name.to_ascii_lowercase())),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Serialize for TagName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for TagName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;

        impl Visitor<'_> for Name {
            type Value = TagName;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the name of an attribute")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<TagName, E> {
                Ok(TagName::new(name))
            }
        }

        deserializer.deserialize_str(Name)
    }
}

/// A line of the list for the following URL: `#EXTVLCOPT`, `#KODIPROP`, `#EXTHTTP` and similar
/// ones.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Directive {
    /// Name in capitals, without `#`.
    pub name: String,
    /// Text after the colon.
    pub value: String,
}

/// An entry of a playlist. The header's attributes are the defaults of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Entry {
    /// Line of the URL, from 1. Not stored, so that the order of a list does not matter.
    #[serde(skip)]
    pub line: u32,
    pub name: String,
    /// URL without the part after `|`.
    pub url: String,
    /// Duration in seconds, as in the list; `None` for the usual `-1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<String>,
    /// Distinct groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// Other attributes, in the order of the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<(TagName, String)>,
    /// Directives, in the order of the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directives: Vec<Directive>,
    /// HTTP headers after the URL (`|User-Agent=…&Referer=…`), as in the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
}

impl Entry {
    /// Value of a non-empty attribute.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let found = self.tags.iter().find(|(tag, _)| tag.as_str() == name)?;
        Some(found.1.as_str()).filter(|value| !value.is_empty())
    }

    pub fn guide_id(&self) -> Option<&str> {
        self.tag("tvg-id")
    }

    /// Offset of its programmes in seconds: `tvg-shift` in hours, at most a day, rounded to
    /// minutes. 0 for an invalid number.
    pub fn guide_shift(&self) -> i64 {
        let hours = self.tag("tvg-shift").and_then(|text| text.trim().replace(',', ".").parse::<f64>().ok());
        let minutes = hours.filter(|hours| hours.abs() <= 24.0).map_or(0.0, |hours| (hours * 60.0).round());
        // At most 1,440: no truncation.
        #[expect(clippy::cast_possible_truncation, reason = "at most 1,440")]
        let minutes = minutes as i64;
        minutes * 60
    }

    /// Folded name and number, which identify a channel among entries.
    pub fn name_and_number(&self) -> Option<String> {
        self.number().map(|number| format!("{number} {}", fold(&self.name)))
    }

    /// Channel number of the list: 1 to 9 digits.
    pub fn number(&self) -> Option<u32> {
        let text = self.tag("tvg-chno")?;
        let is_number = text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| is_number)
    }

    pub fn is_radio(&self) -> bool {
        self.tag("radio").is_some_and(|value| value.eq_ignore_ascii_case("true") || value == "1")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_attributes_are_in_lower_case() {
        assert_eq!(TagName::new("TVG-ID").as_str(), "tvg-id");
        assert_eq!(TagName::new("X-Own").as_str(), "x-own");
    }

    #[test]
    fn the_shift_of_a_guide_is_in_hours() {
        for (text, minutes) in [
            ("1", 60),
            ("+1", 60),
            ("-3", -180),
            ("-3.5", -210),
            ("5,75", 345),
            (" 2 ", 120),
            ("0", 0),
            ("", 0),
            ("24", 1_440),
            ("25", 0),
            ("NaN", 0),
            ("inf", 0),
            ("una", 0),
        ] {
            let tags = vec![(TagName::new("tvg-shift"), text.to_owned())];
            assert_eq!(Entry { tags, ..Entry::default() }.guide_shift(), minutes * 60, "{text}");
        }
        assert_eq!(Entry::default().guide_shift(), 0);
    }

    #[test]
    fn empty_attributes_are_ignored() {
        let tags = [("tvg-id", ""), ("tvg-chno", "7"), ("radio", "TRUE")];
        let tags = tags.map(|(name, value)| (TagName::new(name), value.to_owned())).to_vec();
        let entry = Entry { tags, ..Entry::default() };
        assert_eq!(entry.guide_id(), None);
        assert_eq!(entry.number(), Some(7));
        assert!(entry.is_radio());
    }
}
