//! Probable duplicates, and the merged content of two of them
//! (docs/spec/completeness.md#duplicates).

use domain_kernel::{enumeration, for_each_kind};
use serde_json::{Value, from_value, to_value};

use crate::{Content, Kind};

enumeration! {
    /// Why items are probable duplicates.
    pub enum DuplicateReason {
        /// Id in the film database.
        ImdbId = "IMDB_ID" ("Mismo ID de IMDB", "Same IMDB ID"),
        /// Title, without case and accents, and year.
        TitleAndYear = "TITLE_AND_YEAR" ("Mismo título y año", "Same title and year"),
        /// URL of a link or of a stream.
        Address = "ADDRESS" ("Misma dirección", "Same address"),
    }
}

macro_rules! compared {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal
        [$($code:literal $labels:tt played $views:tt reported $reports:tt watched $visits:tt counted $dashboards:tt
            linked $links:tt compared($($reason:ident)*) $($rest:tt)*)?];)+) => {
        /// Reasons that apply to a kind; empty for kinds that are not compared.
        pub const fn duplicate_reasons(kind: Kind) -> &'static [DuplicateReason] {
            match kind {
                $(Kind::$kind => &[$($(DuplicateReason::$reason,)*)?],)+
            }
        }
    };
}
for_each_kind!(compared);

/// The merged content of two items, as JSON: the first one with missing values from the second, and
/// the links of both without repeated URLs.
pub fn together(mut kept: Value, merged: &Value) -> Value {
    let keeps_guide = keeps_guide(&kept, merged);
    let (Some(fields), Some(others)) = (kept.as_object_mut(), merged.as_object()) else { return kept };
    for (name, other) in others {
        if keeps_guide && GUIDE.contains(&name.as_str()) {
            continue;
        }
        let field = fields.entry(name.clone()).or_insert(Value::Null);
        if name == "links" {
            add_links(field, other);
        } else if field.is_null() || field.as_array().is_some_and(Vec::is_empty) {
            field.clone_from(other);
        }
    }
    kept
}

/// The merged content of two items of a kind ([`together`]).
///
/// # Errors
///
/// If content is no JSON of its kind.
pub fn merged_content<C: Content>(kept: &C, merged: &C) -> Result<C, serde_json::Error> {
    from_value(together(to_value(kept)?, &to_value(merged)?))
}

/// The guide of a channel, and the channel's ID in it.
const GUIDE: [&str; 2] = ["tvGuideId", "epgId"];

/// Whether one of a channel's guide and its ID in the guide differs from that of the other channel:
/// the missing one would belong to another guide, or to another channel.
fn keeps_guide(kept: &Value, merged: &Value) -> bool {
    GUIDE.iter().any(|name| !kept[*name].is_null() && kept[*name] != merged[*name])
}

/// Adds the links whose URLs are new. An id that another link has is omitted: the server sets one.
fn add_links(links: &mut Value, others: &Value) {
    let (Some(links), Some(others)) = (links.as_array_mut(), others.as_array()) else { return };
    for other in others {
        if links.iter().any(|link| link["url"] == other["url"]) {
            continue;
        }
        let mut added = other.clone();
        if links.iter().any(|link| !link["id"].is_null() && link["id"] == other["id"]) {
            added["id"] = Value::Null;
        }
        links.push(added);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn missing_values_are_those_of_the_other_item() {
        let kept = json!({"title": "A", "rating": null, "genres": [], "year": 1950, "active": false});
        let merged = json!({"title": "B", "rating": 8.1, "genres": ["DRAMA"], "year": 1951, "active": true, "reference": "x"});
        let expected = json!({
            "title": "A", "rating": 8.1, "genres": ["DRAMA"], "year": 1950, "active": false, "reference": "x",
        });
        assert_eq!(together(kept, &merged), expected);
    }

    #[test]
    fn a_channel_gets_the_guide_and_the_id_of_one_and_the_same_channel_of_a_guide() {
        for (kept, merged, expected) in [
            (json!([null, null]), json!([1, "a"]), json!([1, "a"])),
            (json!([1, null]), json!([1, "a"]), json!([1, "a"])),
            (json!([null, "a"]), json!([1, "a"]), json!([1, "a"])),
            (json!([2, null]), json!([1, "a"]), json!([2, null])),
            (json!([null, "b"]), json!([1, "a"]), json!([null, "b"])),
        ] {
            let channel = |of: &Value| json!({"tvGuideId": of[0], "epgId": of[1]});
            assert_eq!(together(channel(&kept), &channel(&merged)), channel(&expected), "{kept} {merged}");
        }
    }

    #[test]
    fn links_of_both_are_merged_with_unique_urls_and_ids() {
        let kept = json!({"links": [{"id": "1", "url": "x", "quality": "HD"}]});
        let merged = json!({"links": [
            {"id": "1", "url": "y"}, {"id": "2", "url": "x", "quality": "SD"}, {"id": "3", "url": "z"},
            {"id": "4", "url": "z"},
        ]});
        let expected = json!({"links": [
            {"id": "1", "url": "x", "quality": "HD"}, {"id": null, "url": "y"}, {"id": "3", "url": "z"},
        ]});
        assert_eq!(together(kept, &merged), expected);
    }
}
