//! URLs entered by users. Never `javascript:`, `data:` or `file:` (docs/spec/content.md#addresses); stored as
//! entered.

use crate::{Code, fault};

/// Maximum length of a URL, in characters.
pub const LONGEST_ADDRESS: usize = 2048;

/// Declares a type of URL by its allowed schemes, with validation and schema.
#[macro_export]
macro_rules! address {
    ($(#[doc = $doc:literal])+ $name:ident, $rule:ident, [$($scheme:literal),+], $example:literal) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, garde::Validate)]
        #[serde(transparent)]
        #[garde(transparent)]
        pub struct $name(#[garde(custom($rule))] pub String);

        impl $name {
            /// Allowed schemes.
            pub const SCHEMES: &'static [&'static str] = &[$($scheme),+];

            /// Whether a text is a valid URL of this type.
            pub fn check(text: &str) -> garde::Result {
                $crate::check_address(text, Self::SCHEMES)
            }
        }

        fn $rule<T>(text: &str, _: &T) -> garde::Result {
            $name::check(text)
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
                $crate::schemars::json_schema!({
                    "type": "string",
                    "format": "uri",
                    "maxLength": $crate::LONGEST_ADDRESS,
                    "description": concat!($($doc),+).trim(),
                    "x-schemes": $name::SCHEMES,
                    "examples": [$example],
                })
            }
        }
    };
}

crate::address! {
    /// URL of an image, a trailer or a guide: http or https.
    WebUrl, web_address, ["http", "https"], "https://images.example.com/dune.jpg"
}

/// Whether a text is a URL with a host and one of these schemes.
pub fn check_address(text: &str, schemes: &[&str]) -> garde::Result {
    if text.chars().count() > LONGEST_ADDRESS {
        return Err(fault(Code::TooLong, &[("max", &LONGEST_ADDRESS)]));
    }
    // The parser tolerates blanks and backslashes; players don't.
    let clean = !text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\');
    let parsed = url::Url::parse(text).ok().filter(|_| clean);
    let Some(url) = parsed else {
        return Err(fault(Code::InvalidUrl, &[]));
    };
    if !schemes.contains(&url.scheme()) {
        return Err(fault(Code::InvalidScheme, &[("allowed", &schemes.join(", "))]));
    }
    let has_host = url.host_str().is_some_and(|host| !host.is_empty());
    let says_so = text[url.scheme().len()..].starts_with("://");
    if has_host && says_so { Ok(()) } else { Err(fault(Code::InvalidUrl, &[])) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(result: garde::Result) -> String {
        result
            .map_or_else(|error| error.message().split('\u{1f}').next().unwrap().to_owned(), |()| "ok".into())
    }

    #[test]
    fn web_addresses_are_http_or_https_with_a_host() {
        for (text, expected) in [
            ("https://example.com/a.jpg", "ok"),
            ("http://example.com:8080/a?b=c#d", "ok"),
            ("https://ejemplo.españa/ñ.jpg", "ok"),
            ("HTTPS://EXAMPLE.COM/", "ok"),
            ("http://[::1]/x", "ok"),
            ("javascript:alert(1)", "INVALID_SCHEME"),
            ("data:image/png;base64,AA", "INVALID_SCHEME"),
            ("file:///etc/passwd", "INVALID_SCHEME"),
            ("rtmp://example.com/live", "INVALID_SCHEME"),
            ("vbscript:x", "INVALID_SCHEME"),
            ("java\tscript:alert(1)", "INVALID_URL"),
            ("//example.com/a.jpg", "INVALID_URL"),
            ("/a.jpg", "INVALID_URL"),
            ("example.com", "INVALID_URL"),
            ("https:example.com", "INVALID_URL"),
            ("https://", "INVALID_URL"),
            ("https://a b.com", "INVALID_URL"),
            ("https://example.com/a b", "INVALID_URL"),
            ("https:\\\\example.com", "INVALID_URL"),
            ("", "INVALID_URL"),
        ] {
            assert_eq!(code(web_address(text, &())), expected, "{text}");
        }
    }

    #[test]
    fn an_address_has_at_most_2048_characters() {
        let of_length = |length: usize| format!("https://e.com/{}", "x".repeat(length - 14));
        assert_eq!(code(web_address(&of_length(2048), &())), "ok");
        assert_eq!(code(web_address(&of_length(2049), &())), "TOO_LONG");
    }
}
