//! Views reported by streaming apps: in batches, summed up or one by one.

use domain_kernel::{Id, Kind, enumeration, for_each_kind};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! played_type {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal
        [$($code:literal $labels:tt played($($variant:ident)?) $($rest:tt)*)?];)+) => {
        enumeration! {
            /// Type of a playable item. An episode counts for its show as well.
            pub enum PlayedType {
                $($($($variant = $code $labels,)?)?)+
            }
        }

        impl PlayedType {
            /// Kind of the content.
            pub const fn kind(self) -> Kind {
                match self {
                    $($($(Self::$variant => Kind::$kind,)?)?)+
                }
            }
        }
    };
}
for_each_kind!(played_type);

/// A played item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Played {
    /// Type of the item.
    pub content_type: PlayedType,
    /// Id of the item.
    pub content_id: Id,
}

/// Number of views of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// Type of the item.
    #[garde(skip)]
    pub content_type: PlayedType,
    /// Id of the item.
    #[garde(range(min = 1))]
    pub content_id: Id,
    /// Number of views.
    #[garde(range(min = 1, max = 1_000_000))]
    #[serde(default = "once")]
    pub count: i64,
}

fn once() -> i64 {
    1
}

impl View {
    /// The played item.
    pub const fn played(&self) -> Played {
        Played { content_type: self.content_type, content_id: self.content_id }
    }
}

/// A batch of views.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
pub struct Views {
    /// One to a thousand entries; items may repeat.
    #[garde(length(min = 1, max = 1000), dive)]
    pub views: Vec<View>,
}

#[cfg(test)]
mod tests {
    use domain_kernel::DraftReader;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_batch_reports_all_that_is_wrong_with_it_by_its_place() {
        let reader = DraftReader::<Views>::new();
        let good = reader.read(json!({"views": [{"contentType": "MOVIE", "contentId": 7}]}), &()).unwrap();
        assert_eq!(good.views[0].count, 1);
        let bad = json!({"views": [
            {"contentType": "MOVIE", "contentId": 7, "count": 0},
            {"contentType": "FILM", "contentId": 7},
            {"contentType": "RADIO", "contentId": "7", "seconds": 3},
        ]});
        let mut found: Vec<_> = reader.read(bad, &()).unwrap_err().0;
        found.sort_by(|one, other| one.field.cmp(&other.field));
        let found: Vec<_> = found.iter().map(|one| (one.field.as_str(), one.code.as_str())).collect();
        let expected = [
            ("views[0].count", "TOO_SMALL"),
            ("views[1].contentType", "UNKNOWN_VALUE"),
            ("views[2].contentId", "WRONG_TYPE"),
            ("views[2].seconds", "UNKNOWN_FIELD"),
        ];
        assert_eq!(found, expected);
        for size in [0, 1001] {
            let views = vec![json!({"contentType": "MOVIE", "contentId": 7}); size];
            let found = reader.read(json!({ "views": views }), &()).unwrap_err().0;
            assert_eq!(found[0].field, "views", "{size}");
        }
    }
}
