//! HTTP headers that players send for an entry's URL. Lists have them after the URL, in
//! `#EXTVLCOPT` and `#EXTHTTP` lines, and in attributes.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use crate::entry::Entry;

/// The header for an option of VLC, or for an attribute.
pub fn header_of(option: &str) -> Option<&'static str> {
    match option.trim().to_ascii_lowercase().as_str() {
        "http-user-agent" => Some("User-Agent"),
        "http-referrer" | "http-referer" => Some("Referer"),
        "http-cookie" => Some("Cookie"),
        _ => None,
    }
}

/// Characters that are percent-encoded in a value after `|`.
const SEPARATORS: &AsciiSet = &CONTROLS.add(b'%').add(b'&').add(b'|');

/// A value encoded for use after `|`, which players decode.
fn encoded(value: &str) -> String {
    utf8_percent_encode(value.trim(), SEPARATORS).to_string()
}

/// A decoded value after `|`, as players send it.
pub fn sent_value(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

impl Entry {
    /// Distinct headers for its URL, with values encoded for use after `|`. Headers after the URL
    /// precede `#EXTVLCOPT`, then `#EXTHTTP`, then attributes.
    pub fn player_headers(&self) -> Vec<(String, String)> {
        let behind = self.headers.iter().cloned();
        let of_option = |name: &str, value: &str| Some((header_of(name)?.to_owned(), encoded(value)));
        let named = |name: &'static str| self.directives.iter().filter(move |one| one.name == name);
        let options = named("EXTVLCOPT").filter_map(|one| {
            let (name, value) = one.value.split_once('=')?;
            of_option(name, value)
        });
        let objects = named("EXTHTTP").flat_map(|one| {
            let object = serde_json::from_str::<BTreeMap<String, serde_json::Value>>(&one.value);
            let text = |(name, value): (String, serde_json::Value)| Some((name, encoded(value.as_str()?)));
            object.unwrap_or_default().into_iter().filter_map(text)
        });
        let attributes = self.tags.iter().filter_map(|(name, value)| of_option(name.as_str(), value));
        let mut headers: Vec<(String, String)> = Vec::new();
        for (name, value) in behind.chain(options).chain(objects).chain(attributes) {
            let is_new = headers.iter().all(|(known, _)| !known.eq_ignore_ascii_case(&name));
            if is_new && !value.is_empty() {
                headers.push((name, value));
            }
        }
        headers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{Directive, TagName};

    fn entry(headers: &[(&str, &str)], directives: &[(&str, &str)], tags: &[(&str, &str)]) -> Entry {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Entry {
            headers: headers.iter().map(owned).collect(),
            directives: directives.iter().map(owned).map(|(name, value)| Directive { name, value }).collect(),
            tags: tags.iter().map(|(name, value)| (TagName::new(name), (*value).to_owned())).collect(),
            ..Entry::default()
        }
    }

    fn sent(entry: &Entry) -> Vec<(String, String)> {
        entry.player_headers().into_iter().map(|(name, value)| (name, sent_value(&value))).collect()
    }

    #[test]
    fn headers_are_read_from_urls_directives_and_attributes() {
        let agent = |value: &str| vec![("User-Agent".to_owned(), value.to_owned())];
        for (entry, expected) in [
            (entry(&[("User-Agent", "Kodi%20x")], &[], &[]), agent("Kodi x")),
            (
                entry(&[], &[("EXTVLCOPT", "http-user-agent=VLC/3, 50% a&b|c=d")], &[]),
                agent("VLC/3, 50% a&b|c=d"),
            ),
            (entry(&[], &[("EXTHTTP", r#"{"User-Agent":"VLC","n":1}"#)], &[]), agent("VLC")),
            (entry(&[], &[], &[("HTTP-User-Agent", "VLC"), ("tvg-id", "a")]), agent("VLC")),
            (entry(&[], &[("EXTVLCOPT", "network-caching=1000"), ("EXTHTTP", "no object")], &[]), vec![]),
            (entry(&[], &[("KODIPROP", "http-user-agent=VLC")], &[("http-user-agent", "")]), vec![]),
        ] {
            assert_eq!(sent(&entry), expected, "{entry:?}");
        }
        let several = entry(
            &[],
            &[("EXTVLCOPT", "http-referrer=https://r.example/"), ("EXTHTTP", r#"{"cookie":"a=b"}"#)],
            &[],
        );
        let names: Vec<String> = several.player_headers().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["Referer", "cookie"]);
    }

    #[test]
    fn headers_after_the_url_come_first() {
        let directives = [("EXTHTTP", r#"{"user-agent":"C"}"#), ("EXTVLCOPT", "http-user-agent=B")];
        let tags = [("http-user-agent", "D")];
        for (headers, expected) in [(vec![("user-agent", "A")], "A"), (vec![], "B")] {
            let found = entry(&headers, &directives, &tags).player_headers();
            assert_eq!(found.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>(), [expected]);
        }
    }

    #[test]
    fn a_value_is_decoded_as_players_do() {
        for (text, expected) in [
            ("Kodi%20x", "Kodi x"),
            ("100%", "100%"),
            ("%zz%4", "%zz%4"),
            ("%C3%B1", "ñ"),
            ("a+b", "a+b"),
            ("https://r.example/?a=1%26b=2", "https://r.example/?a=1&b=2"),
        ] {
            assert_eq!(sent_value(text), expected);
        }
    }
}
