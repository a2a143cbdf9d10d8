//! Source of playlists: origin of the list, refreshes and use of its entries.

use std::collections::{BTreeSet, HashSet};

use chrono::{DateTime, Utc};
use domain_kernel::{Code, Id, Version, WebUrl, enumeration, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{address::masked, adult::is_adult_group, run::PlaylistRun};

/// Maximum groups of a source with a category.
const MOST_GROUPS: usize = 5_000;

enumeration! {
    /// Changes that a scheduled refresh applies automatically.
    pub enum AutomaticApply {
        /// All changes wait for a user.
        Nothing = "NOTHING" ("Nada", "Nothing"),
        /// New URLs and tags of channels from the source. Names wait for a user.
        Changes = "CHANGES" ("Direcciones y etiquetas de lo que se usa", "Addresses and tags of entries in use"),
        /// The same with names; new entries become channels.
        All = "ALL" ("Todo, también lo nuevo", "Everything, including new entries"),
    }
}

/// Category of a group's entries, and whether they are for adults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(()))]
pub struct GroupCategory {
    /// Name of the group in the list.
    #[garde(length(chars, min = 1, max = 500))]
    pub group: String,
    /// Whether new channels of the group are for adults only; without it, the name of the group
    /// decides.
    #[garde(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adult: Option<bool>,
    /// ID of a category of type TV_CHANNEL; without it, the one of other groups.
    // The last field: the store finds the ID by the text at the end of the object.
    #[garde(inner(range(min = 1)))]
    #[schemars(range(min = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category_id: Option<Id>,
}

/// Source of playlists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(()))]
#[schemars(extend("x-readOnly" = ["lastRun", "nextRefreshDate"]))]
pub struct PlaylistSourceDraft {
    /// Internal name for staff.
    #[garde(length(chars, min = 2, max = 100))]
    pub title: String,
    /// URL of the list; without one, the list is uploaded. Its credentials are only shown to users
    /// who may change it.
    #[garde(dive(&()))]
    pub url: Option<WebUrl>,
    /// Interval between two refreshes, in hours; none without it.
    #[garde(inner(range(min = 1, max = 168)), custom(only_with(self.url.is_some())))]
    #[schemars(range(min = 1, max = 168))]
    pub refresh_hours: Option<u16>,
    /// Changes that a scheduled refresh applies automatically.
    #[garde(skip)]
    #[serde(default = "changes")]
    pub automatic: AutomaticApply,
    /// ID of the category of channels whose group has none.
    #[garde(inner(range(min = 1)))]
    #[schemars(extend("x-category" = "TV_CHANNEL"))]
    pub default_category_id: Option<Id>,
    /// Categories by group, and the groups for adults.
    #[garde(length(max = MOST_GROUPS), dive(&()), custom(groups_once))]
    #[serde(default)]
    pub categories: Vec<GroupCategory>,
    /// First number of channels without a number in the list.
    #[garde(range(min = 0, max = 1_000_000))]
    #[serde(default = "one")]
    pub first_number: i32,
    /// Country of radio stations without a country in the list.
    #[garde(inner(length(chars, min = 1, max = 100)))]
    #[schemars(length(min = 1, max = 100))]
    pub radio_country: Option<String>,
    /// Code of the genre of radio stations whose group has none.
    #[garde(inner(length(chars, min = 1, max = 50)))]
    #[schemars(length(min = 1, max = 50))]
    pub radio_genre: Option<String>,
    /// Whether the source is refreshed.
    #[garde(skip)]
    #[serde(default = "yes")]
    pub active: bool,
}

fn yes() -> bool {
    true
}

fn one() -> i32 {
    1
}

fn changes() -> AutomaticApply {
    AutomaticApply::Changes
}

fn only_with<T>(has_address: bool) -> impl FnOnce(&Option<u16>, &T) -> garde::Result {
    move |hours, _| match hours {
        Some(_) if !has_address => Err(fault(Code::Contradictory, &[])),
        _ => Ok(()),
    }
}

fn groups_once<T>(groups: &[GroupCategory], _: &T) -> garde::Result {
    let mut seen = HashSet::new();
    let once = groups.iter().all(|one| seen.insert(one.group.as_str()));
    if once { Ok(()) } else { Err(fault(Code::Duplicate, &[])) }
}

impl PlaylistSourceDraft {
    /// The draft with masked credentials, for the audit log and for users who may not change it.
    #[must_use]
    pub fn masked(&self) -> Self {
        let url = self.url.as_ref().map(|url| WebUrl(masked(&url.0)));
        Self { url, ..self.clone() }
    }

    /// Category of an entry in these groups: that of the first group with one.
    pub fn category_of(&self, groups: &[String]) -> Option<Id> {
        let of = |group: &String| self.of_group(group)?.category_id;
        groups.iter().find_map(of).or(self.default_category_id)
    }

    /// Whether an entry in these groups is for adults only: as decided for one of the groups, or else
    /// by its name.
    pub fn is_adult(&self, groups: &[String]) -> bool {
        let decided = |group: &str| self.of_group(group).and_then(|one| one.adult);
        groups.iter().any(|group| decided(group).unwrap_or_else(|| is_adult_group(group)))
    }

    /// Stored settings of a group.
    pub fn of_group(&self, group: &str) -> Option<&GroupCategory> {
        self.categories.iter().find(|one| one.group == group)
    }

    /// Distinct categories of its channels.
    pub fn category_ids(&self) -> Vec<Id> {
        let of_groups = self.categories.iter().filter_map(|one| one.category_id);
        let ids: BTreeSet<Id> = of_groups.chain(self.default_category_id).collect();
        ids.into_iter().collect()
    }

    /// Replaces one category by another; returns whether that changes the draft.
    pub fn exchange_category(&mut self, from: Id, to: Id) -> bool {
        let of_groups = self.categories.iter_mut().filter_map(|one| one.category_id.as_mut());
        let named = of_groups.chain(self.default_category_id.as_mut()).filter(|id| **id == from);
        named.map(|id| *id = to).count() > 0
    }
}

/// A stored source.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaylistSource {
    pub id: Id,
    /// Version of the source, from 1.
    pub version: Version,
    pub draft: PlaylistSourceDraft,
    /// User who made the last change; scheduled refreshes are applied as this user.
    pub updated_by: String,
    /// Time of creation.
    pub created_date: DateTime<Utc>,
    /// Time of the last change.
    pub updated_date: DateTime<Utc>,
    /// Time of the next refresh.
    pub next_refresh_date: Option<DateTime<Utc>>,
    /// Newest run.
    pub last_run: Option<PlaylistRun>,
}

#[cfg(test)]
mod tests {
    use domain_kernel::DraftReader;
    use serde_json::{Value, json};

    use super::*;

    fn faults(changes: Value) -> Vec<(String, &'static str)> {
        let mut draft = json!({"title": "España", "url": "https://h.example/l.m3u", "refreshHours": 6});
        for (name, value) in changes.as_object().unwrap() {
            draft[name] = value.clone();
        }
        let read = DraftReader::<PlaylistSourceDraft>::new().read(draft, &());
        let violations = read.err().map(|all| all.0).unwrap_or_default();
        violations.into_iter().map(|one| (one.field, one.code.as_str())).collect()
    }

    #[test]
    fn an_invalid_draft_has_violations() {
        assert_eq!(faults(json!({})), []);
        for (changes, expected) in [
            (json!({"refreshHours": 169}), ("refreshHours", "TOO_LARGE")),
            (json!({"refreshHours": 0}), ("refreshHours", "TOO_SMALL")),
            (json!({"url": null}), ("refreshHours", "CONTRADICTORY")),
            (json!({"url": "ftp://h.example/l"}), ("url", "INVALID_SCHEME")),
            (json!({"automatic": "SOME"}), ("automatic", "UNKNOWN_VALUE")),
            (json!({"firstNumber": -1}), ("firstNumber", "TOO_SMALL")),
            (
                json!({"categories": [{"group": "a", "categoryId": 1}, {"group": "a", "categoryId": 2}]}),
                ("categories", "DUPLICATE"),
            ),
        ] {
            assert_eq!(faults(changes.clone()), [(expected.0.to_owned(), expected.1)], "{changes}");
        }
        assert_eq!(faults(json!({"url": null, "refreshHours": null})), [], "the list is uploaded");
    }

    #[test]
    fn a_group_has_its_category_or_that_of_the_others() {
        let json = json!({
            "title": "España",
            "categories": [{"group": "Cine", "categoryId": 7}],
            "defaultCategoryId": 1,
        });
        let draft = DraftReader::<PlaylistSourceDraft>::new().read(json, &()).unwrap().into_inner();
        assert_eq!(draft.automatic, AutomaticApply::Changes);
        assert_eq!(draft.category_of(&["Otro".into(), "Cine".into()]), Some(7));
        assert_eq!(draft.category_of(&["Otro".into()]), Some(1));
        assert_eq!(draft.category_of(&[]), Some(1));
    }

    #[test]
    fn a_group_is_for_adults_by_its_name_unless_it_was_decided() {
        let groups = json!([
            {"group": "Cine", "adult": true},
            {"group": "Adult Swim", "adult": false, "categoryId": 7},
            {"group": "XXX", "categoryId": 7},
        ]);
        let json = json!({"title": "España", "categories": groups, "defaultCategoryId": 1});
        let draft = DraftReader::<PlaylistSourceDraft>::new().read(json, &()).unwrap().into_inner();
        let cases: [(&[&str], bool); 7] = [
            (&["Cine"], true),
            (&["Adult Swim"], false),
            (&["XXX"], true),
            (&["Adultos"], true),
            (&["Noticias"], false),
            (&["Noticias", "Adultos"], true),
            (&[], false),
        ];
        for (groups, adult) in cases {
            let groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
            assert_eq!(draft.is_adult(&groups), adult, "{groups:?}");
        }
        assert_eq!(draft.category_of(&["Cine".into()]), Some(1), "it has no category of its own");
        assert_eq!(draft.category_ids(), [1, 7]);
        let stored = serde_json::to_string(&draft.categories[1]).unwrap();
        assert!(stored.ends_with("\"categoryId\":7}"), "the store looks for this text: {stored}");
    }

    #[test]
    fn one_category_replaces_another() {
        let groups = json!([{"group": "Cine", "categoryId": 7}, {"group": "Otro", "categoryId": 2}]);
        let json = json!({"title": "España", "categories": groups, "defaultCategoryId": 7});
        let mut draft = DraftReader::<PlaylistSourceDraft>::new().read(json, &()).unwrap().into_inner();
        assert!(!draft.exchange_category(1, 9));
        assert!(draft.exchange_category(7, 9));
        assert_eq!(draft.default_category_id, Some(9));
        assert_eq!(draft.category_of(&["Cine".into()]), Some(9));
        assert_eq!(draft.category_of(&["Otro".into()]), Some(2));
    }

    #[test]
    fn credentials_of_the_address_are_masked() {
        let json = json!({"title": "x y", "url": "https://ana:clave@h.example/get.php?password=clave"});
        let draft = DraftReader::<PlaylistSourceDraft>::new().read(json, &()).unwrap().into_inner();
        assert_eq!(draft.masked().url.unwrap().0, "https://***@h.example/get.php?password=***");
    }
}
