//! A source of playlists: where a list comes from, how often, and what becomes of its entries.

use std::collections::{BTreeSet, HashSet};

use chrono::{DateTime, Utc};
use domain_kernel::{Code, Id, Version, WebUrl, enumeration, fault};
use garde::Validate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{address::masked, run::PlaylistRun};

/// Groups of a source that can have a category.
const MOST_GROUPS: usize = 5_000;

enumeration! {
    /// What a scheduled refresh may apply without a user.
    pub enum AutomaticApply {
        /// Everything waits for a user.
        Nothing = "NOTHING" ("Nada", "Nothing"),
        /// New addresses and tags of channels that come from the source. Names wait for a user.
        Changes = "CHANGES" ("Direcciones y etiquetas de lo que se usa", "Addresses and tags of entries in use"),
        /// The same with names, and new entries become channels.
        All = "ALL" ("Todo, también lo nuevo", "Everything, including new entries"),
    }
}

/// The category that the entries of a group get.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(()))]
pub struct GroupCategory {
    /// The group, as the list writes it.
    #[garde(length(chars, min = 1, max = 500))]
    pub group: String,
    /// A category of type TV_CHANNEL.
    #[garde(range(min = 1))]
    pub category_id: Id,
}

/// A source as a form sends it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase")]
#[garde(context(()))]
#[schemars(extend("x-readOnly" = ["lastRun", "nextRefreshDate"]))]
pub struct PlaylistSourceDraft {
    /// What staff know it by.
    #[garde(length(chars, min = 2, max = 100))]
    pub title: String,
    /// Where the list is fetched; without one, the list is uploaded. Credentials in it are shown to those who may change it.
    #[garde(dive(&()))]
    pub url: Option<WebUrl>,
    /// Hours between two refreshes; none without it.
    #[garde(inner(range(min = 1, max = 168)), custom(only_with(self.url.is_some())))]
    #[schemars(range(min = 1, max = 168))]
    pub refresh_hours: Option<u16>,
    /// What a scheduled refresh may apply without a user.
    #[garde(skip)]
    #[serde(default = "changes")]
    pub automatic: AutomaticApply,
    /// The category of channels whose group has none of its own.
    #[garde(inner(range(min = 1)))]
    #[schemars(extend("x-category" = "TV_CHANNEL"))]
    pub default_category_id: Option<Id>,
    /// Categories by group.
    #[garde(length(max = MOST_GROUPS), dive(&()), custom(groups_once))]
    #[serde(default)]
    pub categories: Vec<GroupCategory>,
    /// The number from which channels are numbered whose entry has none.
    #[garde(range(min = 0, max = 1_000_000))]
    #[serde(default = "one")]
    pub first_number: i32,
    /// The country of radio stations whose entry names none.
    #[garde(inner(length(chars, min = 1, max = 100)))]
    #[schemars(length(min = 1, max = 100))]
    pub radio_country: Option<String>,
    /// The genre of radio stations whose group names none, by its code.
    #[garde(inner(length(chars, min = 1, max = 50)))]
    #[schemars(length(min = 1, max = 50))]
    pub radio_genre: Option<String>,
    /// Whether it is refreshed.
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
    /// The draft as those see it who may not change it, and as the audit log keeps it.
    #[must_use]
    pub fn masked(&self) -> Self {
        let url = self.url.as_ref().map(|url| WebUrl(masked(&url.0)));
        Self { url, ..self.clone() }
    }

    /// The category of an entry in these groups, the first that has one.
    pub fn category_of(&self, groups: &[String]) -> Option<Id> {
        let of = |group: &String| self.categories.iter().find(|one| one.group == *group);
        groups.iter().find_map(of).map(|one| one.category_id).or(self.default_category_id)
    }

    /// The categories that it puts channels into, each once.
    pub fn category_ids(&self) -> Vec<Id> {
        let of_groups = self.categories.iter().map(|one| one.category_id);
        let ids: BTreeSet<Id> = of_groups.chain(self.default_category_id).collect();
        ids.into_iter().collect()
    }

    /// Puts one category in the place of another one; whether that changes the draft.
    pub fn exchange_category(&mut self, from: Id, to: Id) -> bool {
        let of_groups = self.categories.iter_mut().map(|one| &mut one.category_id);
        let named = of_groups.chain(self.default_category_id.as_mut()).filter(|id| **id == from);
        named.map(|id| *id = to).count() > 0
    }
}

/// A source as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaylistSource {
    /// The number it is known by.
    pub id: Id,
    /// How often it was changed, from 1.
    pub version: Version,
    /// The source as it was requested.
    pub draft: PlaylistSourceDraft,
    /// Who changed it last; scheduled refreshes apply in this name.
    pub updated_by: String,
    /// When it was made.
    pub created_date: DateTime<Utc>,
    /// When it was last changed.
    pub updated_date: DateTime<Utc>,
    /// When it is refreshed next.
    pub next_refresh_date: Option<DateTime<Utc>>,
    /// Its newest run.
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
    fn a_draft_says_what_is_wrong_with_it() {
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
    fn one_category_takes_the_place_of_another() {
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
