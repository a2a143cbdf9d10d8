//! The public view of the catalogue: active items, active links, and playable URLs.

use serde_json::{Value, json};

use crate::{Kind, UrlType};
use domain_kernel::Enumeration;

/// Creates the public view of a stored item, as JSON: without inactive links, with the base URL
/// before an INTERNAL channel's number, and with a null last editor
/// (docs/spec/integrations.md#catalogue). Without a base URL the address is empty: the channel
/// can't be played.
pub fn to_public_view(kind: Kind, item: &mut Value, channels_base_url: Option<&str>) {
    if let Some(fields) = item.as_object_mut() {
        fields.insert("updatedBy".to_owned(), Value::Null);
    }
    if let Some(links) = item.get_mut("links").and_then(Value::as_array_mut) {
        links.retain(|link| link["active"] == json!(true));
    }
    if kind == Kind::TvChannels && item["urlType"] == json!(UrlType::Internal.code()) {
        let address = to_address(item["url"].as_str().unwrap_or_default(), channels_base_url);
        item["url"] = json!(address.unwrap_or_default());
    }
}

/// The URL for players of an INTERNAL channel's number.
pub fn to_address(number: &str, channels_base_url: Option<&str>) -> Option<String> {
    let base = channels_base_url?;
    let separator = if base.ends_with(['/', '=']) { "" } else { "/" };
    Some(format!("{base}{separator}{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_internal_channels_are_appended_to_the_base_url() {
        let channel = |url_type: &str, url: &str| json!({"urlType": url_type, "url": url});
        for (base, kind, before, after) in [
            (Some("https://tv.example/live"), "INTERNAL", "42", "https://tv.example/live/42"),
            (Some("https://tv.example/live/"), "INTERNAL", "42", "https://tv.example/live/42"),
            (
                Some("https://tv.example/play?channel="),
                "INTERNAL",
                "42",
                "https://tv.example/play?channel=42",
            ),
            (None, "INTERNAL", "42", ""),
            (Some("https://tv.example"), "EXTERNAL", "https://b.example/x", "https://b.example/x"),
        ] {
            let mut item = channel(kind, before);
            to_public_view(Kind::TvChannels, &mut item, base);
            assert_eq!(item["url"], after);
        }
    }

    #[test]
    fn inactive_links_and_names_of_staff_are_not_public() {
        let mut item = json!({"updatedBy": "rosa", "links": [{"id": "a", "active": true}, {"id": "b", "active": false}]});
        to_public_view(Kind::Movies, &mut item, None);
        assert_eq!(item, json!({"updatedBy": null, "links": [{"id": "a", "active": true}]}));
    }
}
