//! An entry of a playlist: a name, an address and what the list says about them.

use std::{borrow::Cow, fmt};

use domain_kernel::fold;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor},
};

/// Names of attributes that are known: they are not allocated for each entry.
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

/// The name of an attribute, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TagName(Cow<'static, str>);

impl TagName {
    /// The name in lower case.
    pub fn new(name: &str) -> Self {
        let known = KNOWN.iter().find(|known| known.eq_ignore_ascii_case(name));
        match known {
            Some(known) => Self(Cow::Borrowed(*known)),
            None => Self(Cow::Owned(name.to_ascii_lowercase())),
        }
    }

    /// The name.
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

/// A line of the list that belongs to the address after it: `#EXTVLCOPT`, `#KODIPROP`, `#EXTHTTP` and others like them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Directive {
    /// Its name, in capitals and without `#`.
    pub name: String,
    /// What stands behind the colon.
    pub value: String,
}

/// An entry of a playlist. Its attributes are those of the entry and, where it lacks them, those of the list's header.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Entry {
    /// The line of its address, from 1. It is not kept: a list that is shuffled is the same.
    #[serde(skip)]
    pub line: u32,
    /// Its name.
    pub name: String,
    /// Its address, without what stands behind `|`.
    pub url: String,
    /// Seconds, as they are written; `None` is the usual `-1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<String>,
    /// Its groups, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// Its other attributes in the order of the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<(TagName, String)>,
    /// Its directives in the order of the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directives: Vec<Directive>,
    /// HTTP headers behind the address (`|User-Agent=…&Referer=…`), as they are written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
}

impl Entry {
    /// The value of an attribute, unless it is empty.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let found = self.tags.iter().find(|(tag, _)| tag.as_str() == name)?;
        Some(found.1.as_str()).filter(|value| !value.is_empty())
    }

    /// Its id in guides.
    pub fn guide_id(&self) -> Option<&str> {
        self.tag("tvg-id")
    }

    /// Seconds by which its programmes are later than its guide says: hours in `tvg-shift`, at most a day, in whole minutes.
    /// What is no number says nothing.
    pub fn guide_shift(&self) -> i64 {
        let hours = self.tag("tvg-shift").and_then(|text| text.trim().replace(',', ".").parse::<f64>().ok());
        let minutes = hours.filter(|hours| hours.abs() <= 24.0).map_or(0.0, |hours| (hours * 60.0).round());
        // At most 1,440: nothing is lost.
        #[expect(clippy::cast_possible_truncation, reason = "at most 1,440")]
        let minutes = minutes as i64;
        minutes * 60
    }

    /// Its folded name and its number, where the list has one: what two entries of one channel have in common.
    pub fn name_and_number(&self) -> Option<String> {
        self.number().map(|number| format!("{number} {}", fold(&self.name)))
    }

    /// Its number, where the list has one: 1 to 9 digits.
    pub fn number(&self) -> Option<u32> {
        let text = self.tag("tvg-chno")?;
        let is_number = text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| is_number)
    }

    /// Whether it is a radio station.
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
    fn an_empty_attribute_says_nothing() {
        let tags = [("tvg-id", ""), ("tvg-chno", "7"), ("radio", "TRUE")];
        let tags = tags.map(|(name, value)| (TagName::new(name), value.to_owned())).to_vec();
        let entry = Entry { tags, ..Entry::default() };
        assert_eq!(entry.guide_id(), None);
        assert_eq!(entry.number(), Some(7));
        assert!(entry.is_radio());
    }
}
