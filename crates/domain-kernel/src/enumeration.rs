//! Closed lists of codes with their labels in both languages. A list is defined once, in the domain; the
//! OpenAPI document carries the labels as `x-labels`, from which the panel and the search read them.

use serde_json::{Map, Value, json};

/// Language of the user interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Locale {
    /// The default.
    #[default]
    Spanish,
    English,
}

impl Locale {
    /// `es` or `en`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Spanish => "es",
            Self::English => "en",
        }
    }
}

/// Labels of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Labels {
    pub spanish: &'static str,
    pub english: &'static str,
}

impl Labels {
    /// Label in the requested language.
    pub const fn in_language(&self, locale: Locale) -> &'static str {
        match locale {
            Locale::Spanish => self.spanish,
            Locale::English => self.english,
        }
    }
}

/// A closed list of codes. Made by [`enumeration!`](crate::enumeration).
pub trait Enumeration: Copy + 'static {
    /// Every member, in the order of the specification.
    const ALL: &'static [Self];
    /// Every code, in the same order.
    const CODES: &'static [&'static str];
    /// Aliases of a member, accepted and stored as the member's code.
    const ALIASES: &'static [(&'static str, &'static str)] = &[];
    /// Whether codes are accepted in any case and stored in capitals.
    const FOLDS_CASE: bool = false;
    /// Stored and serialized code.
    fn code(self) -> &'static str;
    fn labels(self) -> Labels;
    /// The member with this code; a hyphen counts as an underscore (`PG-13` is stored as `PG_13`).
    fn from_code(code: &str) -> Option<Self> {
        Self::ALL.get(place_of(code, Self::CODES, Self::ALIASES, Self::FOLDS_CASE)?).copied()
    }
}

/// Position of the code, or the code of the alias, in the list. Not generic, to limit the code size of many
/// lists.
fn place_of(code: &str, codes: &[&str], aliases: &[(&str, &str)], folds_case: bool) -> Option<usize> {
    let place = |wanted: &str| codes.iter().position(|code| *code == wanted);
    if let Some(place) = place(code) {
        return Some(place);
    }
    let wanted = code.replace('-', "_");
    if let Some((_, code)) = aliases.iter().find(|(alias, _)| *alias == wanted) {
        return place(code);
    }
    let wanted = if folds_case { wanted.to_uppercase() } else { wanted };
    place(&wanted)
}

/// The schema of an enumeration: its codes, and its labels as `x-labels`.
pub fn enumeration_schema<E: Enumeration>(description: &str) -> schemars::Schema {
    let labels: Vec<Labels> = E::ALL.iter().map(|member| member.labels()).collect();
    schema_of(description, E::CODES, &labels, E::ALIASES, E::FOLDS_CASE)
}

/// Not generic, to limit the code size of many lists.
fn schema_of(
    description: &str,
    codes: &[&str],
    labels: &[Labels],
    aliases: &[(&str, &str)],
    folds_case: bool,
) -> schemars::Schema {
    let labels: Map<String, Value> = codes
        .iter()
        .zip(labels)
        .map(|(code, labels)| ((*code).to_owned(), json!({ "es": labels.spanish, "en": labels.english })))
        .collect();
    schemars::json_schema!({
        "type": "string",
        "description": description.trim(),
        "enum": codes,
        "x-labels": labels,
        "x-foldsCase": folds_case,
        "x-aliases": aliases.iter().map(|(alias, _)| *alias).collect::<Vec<_>>(),
    })
}

/// Declares an enumeration: `Variant = "CODE" ("Spanish", "English")`, one a line.
#[macro_export]
macro_rules! enumeration {
    (
        $(#[doc = $about:literal])+
        pub enum $name:ident $(, folds_case = $folds:literal)? $(, aliases = [$($alias:literal => $meant:literal),+])? {
            $( $(#[doc = $doc:literal])* $variant:ident = $code:literal ($spanish:literal, $english:literal) ),+ $(,)?
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $( $(#[doc = $doc])* #[doc = concat!("`", $code, "`: ", $english, ".")] $variant ),+
        }

        impl $crate::Enumeration for $name {
            const ALL: &'static [Self] = &[$(Self::$variant),+];
            $(const FOLDS_CASE: bool = $folds;)?
            $(const ALIASES: &'static [(&'static str, &'static str)] = &[$(($alias, $meant)),+];)?
            const CODES: &'static [&'static str] = &[$($code),+];
            fn code(self) -> &'static str {
                match self { $(Self::$variant => $code),+ }
            }
            fn labels(self) -> $crate::Labels {
                match self { $(Self::$variant => $crate::Labels { spanish: $spanish, english: $english }),+ }
            }
        }

        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($crate::Enumeration::code(*self))
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let code = <std::borrow::Cow<'de, str> as $crate::serde::Deserialize>::deserialize(deserializer)?;
                <Self as $crate::Enumeration>::from_code(&code)
                    .ok_or_else(|| <D::Error as $crate::serde::de::Error>::custom("unknown value"))
            }
        }

        impl $crate::schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            // Two types of the same name have different schemas.
            fn schema_id() -> std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($name)).into()
            }
            fn json_schema(_: &mut $crate::schemars::SchemaGenerator) -> $crate::schemars::Schema {
                $crate::enumeration_schema::<Self>(concat!($($about),+))
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::enumeration! {
        /// A test list.
        pub enum Rating {
            /// All ages.
            All = "G" ("Todos", "Everybody"),
            /// Older children.
            Teens = "PG_13" ("Mayores de 13", "Over 13"),
        }
    }

    crate::enumeration! {
        /// A list with an alias of a member.
        pub enum Voice, folds_case = true, aliases = ["BOTH" => "DUAL"] {
            /// One.
            One = "ONE" ("Una", "One"),
            /// Two.
            Dual = "DUAL" ("Dos", "Two"),
        }
    }

    #[test]
    fn a_member_is_found_by_its_code_in_any_case_and_by_its_alias() {
        let found = ["ONE", "dual", "BOTH", "one", "both", "three"].map(Voice::from_code);
        let expected = [Some(Voice::One), Some(Voice::Dual), Some(Voice::Dual), Some(Voice::One), None, None];
        assert_eq!(found, expected);
        assert_eq!(Rating::from_code("pg_13"), None);
        let schema = serde_json::to_value(enumeration_schema::<Voice>("A list.")).unwrap();
        assert_eq!((&schema["x-foldsCase"], &schema["x-aliases"]), (&json!(true), &json!(["BOTH"])));
        assert_eq!(schema["x-labels"]["DUAL"], json!({"es": "Dos", "en": "Two"}));
    }

    #[test]
    fn members_travel_as_their_codes_and_a_hyphen_reads_as_an_underscore() {
        assert_eq!(serde_json::to_string(&Rating::Teens).unwrap(), "\"PG_13\"");
        assert_eq!(serde_json::from_str::<Rating>("\"PG-13\"").unwrap(), Rating::Teens);
        assert!(serde_json::from_str::<Rating>("\"PG 13\"").is_err());
        assert!(serde_json::from_str::<Rating>("13").is_err());
    }

    #[test]
    fn the_schema_carries_codes_and_labels() {
        let schema = serde_json::to_value(enumeration_schema::<Rating>(" A test list.")).unwrap();
        assert_eq!(schema["enum"], serde_json::json!(["G", "PG_13"]));
        assert_eq!(schema["x-labels"]["PG_13"]["es"], "Mayores de 13");
        assert_eq!(schema["description"], "A test list.");
    }
}
