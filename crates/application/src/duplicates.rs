//! Probable duplicates, and merging two of them (docs/spec/completeness.md#duplicates).

mod file;

use std::{collections::HashMap, sync::Arc};

use domain_catalogue::{Content, DuplicateReason, Kind, Stored, duplicate_reasons, together};
use domain_kernel::{
    Action, Actor, Code, Enumeration, FilterKind, FilterValue, Id, ListQuery, Page, Version, Violation,
    Violations,
};
use domain_live::address::masked;
use garde::Valid;
use ports::{DuplicateIds, DuplicateRepository, ItemMerge, MergeConflict, StoreError, Written};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(crate) use self::file::DuplicateFile;
pub use self::file::DuplicateRow;
use crate::{
    ContentService, ContentServices, Error, ListShape,
    body::{parse, to_json},
    contents::conflicting,
    playlist_permission, read_list_query,
    versions::outdated,
};

/// Maximum items shown of a group; the others follow after some were merged.
const MOST_ITEMS: u32 = 20;

/// Number of groups of a kind with the same reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DuplicateCount {
    /// The kind.
    pub kind: Kind,
    /// Why the items are probable duplicates.
    pub reason: DuplicateReason,
    /// Number of groups.
    pub count: u64,
}

/// An item of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct DuplicateItem {
    /// Its id.
    pub id: Id,
    /// Its version.
    pub version: Version,
    /// Display name.
    pub title: String,
    /// Fields that distinguish the items.
    pub fields: Map<String, Value>,
    /// View count.
    pub views: i64,
    /// Title of the show of an episode.
    pub show_title: Option<String>,
}

/// Probable duplicates.
#[derive(Debug, Clone, PartialEq)]
pub struct DuplicateGroup {
    /// What the items have in common: an id of the film database, the title as the first item has
    /// it, or an address, with masked credentials for users who may not change playlists. `None` for
    /// an address that was changed meanwhile.
    pub value: Option<String>,
    /// The common year, of items with a common title.
    pub year: Option<i32>,
    /// The first items of the group, oldest first.
    pub items: Vec<DuplicateItem>,
    /// Number of items in the group.
    pub total: u64,
}

/// Two items, and the result of their merge.
#[derive(Debug, Clone, PartialEq)]
pub struct MergePreview<C> {
    /// The current item that is kept.
    pub kept: Stored<C>,
    /// The item that moves to the trash.
    pub merged: Stored<C>,
    /// The kept item after the merge, with the views of both.
    pub together: Stored<C>,
}

/// The item that another is merged into, as a request names both.
#[derive(Debug, Clone, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MergeRequest {
    /// The version of the item that is kept.
    pub version: Version,
    /// The id of the item that goes to the trash.
    #[schemars(range(min = 1))]
    pub merged_id: Id,
    /// Its version.
    pub merged_version: Version,
}

/// Use cases of duplicates.
pub struct DuplicateService {
    duplicates: Arc<dyn DuplicateRepository>,
    contents: ContentServices,
}

fn may_merge(actor: &Actor, kind: Kind) -> bool {
    actor.may(kind.permission(Action::Update)) && actor.may(kind.permission(Action::Delete))
}

fn require_merge(actor: &Actor, kind: Kind) -> Result<(), Error> {
    actor.require(kind.permission(Action::Update))?;
    actor.require(kind.permission(Action::Delete))?;
    Ok(())
}

/// A group as the actor sees it.
fn group_of(
    ids: DuplicateIds,
    items: Vec<DuplicateItem>,
    reason: DuplicateReason,
    shows_credentials: bool,
) -> DuplicateGroup {
    let value = match reason {
        DuplicateReason::ImdbId => ids.value,
        // The folded title is for comparison only.
        DuplicateReason::TitleAndYear => items.first().map(|item| item.title.clone()).or(ids.value),
        DuplicateReason::Address if shows_credentials => ids.value,
        DuplicateReason::Address => ids.value.as_deref().map(masked),
    };
    DuplicateGroup { value, year: ids.year, items, total: ids.total }
}

impl DuplicateService {
    /// List parameters of a kind's groups.
    pub fn list_shape() -> ListShape {
        ListShape {
            page_size: 20,
            sorts: Vec::new(),
            filters: &[("reason", FilterKind::Code(DuplicateReason::CODES))],
        }
    }

    pub fn new(duplicates: Arc<dyn DuplicateRepository>, contents: ContentServices) -> Self {
        Self { duplicates, contents }
    }

    /// Numbers of groups, for the kinds that the actor may merge.
    pub async fn count(&self, actor: &Actor) -> Result<Vec<DuplicateCount>, Error> {
        let compared = |kind: &&Kind| !duplicate_reasons(**kind).is_empty();
        let kinds: Vec<Kind> =
            Kind::ALL.iter().filter(compared).copied().filter(|kind| may_merge(actor, *kind)).collect();
        if kinds.is_empty() {
            return Err(Error::Forbidden);
        }
        let mut counts = Vec::new();
        for kind in kinds {
            for reason in duplicate_reasons(kind) {
                let count = self.duplicates.count(kind, *reason).await?;
                counts.push(DuplicateCount { kind, reason: *reason, count });
            }
        }
        Ok(counts)
    }

    /// A page of a kind's groups with the same reason. `pairs` are those of the query string.
    pub async fn list<C: Content>(
        &self,
        contents: &ContentService<C>,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<DuplicateGroup>>, Error> {
        require_merge(actor, C::KIND)?;
        let query = read_list_query(&Self::list_shape(), pairs)?;
        let reason = reason_of(&query, C::KIND)?;
        let page = self.duplicates.groups(C::KIND, reason, &query, MOST_ITEMS).await?;
        let ids: Vec<Id> = page.content.iter().flat_map(|group| group.ids.iter().copied()).collect();
        let mut items = self.with_shows(contents.duplicate_items(&ids).await?).await?;
        let shows_credentials = actor.may(playlist_permission(Action::Update));
        Ok(page.map(|groups| {
            let group = |ids: DuplicateIds| {
                let of_group = ids.ids.iter().filter_map(|id| items.remove(id)).collect();
                group_of(ids, of_group, reason, shows_credentials)
            };
            groups.into_iter().map(group).collect()
        }))
    }

    /// Adds the titles of shows to their episodes, by one statement.
    async fn with_shows(
        &self,
        mut items: HashMap<Id, DuplicateItem>,
    ) -> Result<HashMap<Id, DuplicateItem>, Error> {
        let mut ids: Vec<Id> = items.values().filter_map(DuplicateItem::show_id).collect();
        ids.sort_unstable();
        ids.dedup();
        let shows = self.contents.tv_shows.titles_of(&ids).await?;
        for item in items.values_mut() {
            item.show_title = item.show_id().and_then(|id| shows.get(&id).cloned());
        }
        Ok(items)
    }
}

impl DuplicateItem {
    /// The show of an episode.
    pub fn show_id(&self) -> Option<Id> {
        self.fields.get("tvShowId").and_then(Value::as_i64)
    }
}

/// The required reason among the filters of a list, one that the kind is compared for.
fn reason_of(query: &ListQuery, kind: Kind) -> Result<DuplicateReason, Violations> {
    let reason = query.filters.iter().find_map(|filter| match filter.value {
        FilterValue::Code(code) if filter.field == "reason" => DuplicateReason::from_code(code),
        _ => None,
    });
    let fault = |code| Violations(vec![Violation::new("reason", code)]);
    let reason = reason.ok_or_else(|| fault(Code::Required))?;
    if duplicate_reasons(kind).contains(&reason) { Ok(reason) } else { Err(fault(Code::UnknownValue)) }
}

impl<C: Content> ContentService<C> {
    async fn duplicate_items(&self, ids: &[Id]) -> Result<HashMap<Id, DuplicateItem>, Error> {
        let item = |stored: Stored<C>| {
            let Value::Object(fields) = to_json(&stored.content)? else {
                return Err(StoreError::Broken("content is not an object".into()).into());
            };
            let title = stored.content.name();
            let (id, version, views) = (stored.id, stored.version, stored.views);
            Ok((id, DuplicateItem { id, version, title, fields, views, show_title: None }))
        };
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        self.repository.find_all(ids).await?.into_iter().map(item).collect()
    }

    async fn titles_of(&self, ids: &[Id]) -> Result<HashMap<Id, String>, Error> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let found = self.repository.find_all(ids).await?;
        Ok(found.into_iter().map(|stored| (stored.id, stored.content.name())).collect())
    }

    /// Result of merging another item into one, without a change.
    pub async fn preview_merge(
        &self,
        actor: &Actor,
        id: Id,
        merged_id: Id,
    ) -> Result<MergePreview<C>, Error> {
        require_merge(actor, C::KIND)?;
        let (kept, merged) = self.both(id, merged_id).await?;
        let content = self.content_of_both(&kept, &merged).await?.into_inner();
        let together = Stored { content, views: kept.views + merged.views, ..kept.clone() };
        Ok(MergePreview { kept, merged, together })
    }

    /// Merges another item into one. Missing values and additional links are copied; views are
    /// added, and reports are reassigned. The other item moves to the trash.
    pub async fn merge_duplicate(&self, actor: &Actor, id: Id, body: &[u8]) -> Result<Stored<C>, Error> {
        require_merge(actor, C::KIND)?;
        let request: MergeRequest =
            serde_json::from_value(parse(body)?).map_err(|error| Error::Malformed(error.to_string()))?;
        let (kept, merged) = self.both(id, request.merged_id).await?;
        for (item, version) in [(&kept, request.version), (&merged, request.merged_version)] {
            if item.version != version {
                return Err(outdated(item)?);
            }
        }
        let content = self.content_of_both(&kept, &merged).await?;
        let references = content.references();
        let merge =
            ItemMerge { kept: (id, kept.version), merged: (request.merged_id, request.merged_version) };
        let outcome = self.repository.merge(merge, content, self.edit_by(actor)).await;
        match self.unless_dangling(outcome, &references).await? {
            Written::Done(stored) => Ok(stored),
            Written::Missing => Err(Error::Missing { kind: C::KIND, id: request.merged_id }),
            Written::Outdated(current) => Err(outdated(&current)?),
            Written::Conflict(MergeConflict::Duplicate(other)) => Err(conflicting(&other)),
            Written::Conflict(MergeConflict::Invalid(violation)) => Err(Violations(vec![violation]).into()),
        }
    }

    async fn both(&self, id: Id, merged_id: Id) -> Result<(Stored<C>, Stored<C>), Error> {
        let missing = |id| Error::Missing { kind: C::KIND, id };
        if merged_id == id {
            return Err(Violations(vec![Violation::new("mergedId", Code::Duplicate)]).into());
        }
        let kept = self.repository.find(id).await?.ok_or_else(|| missing(id))?;
        let merged = self.repository.find(merged_id).await?.ok_or_else(|| missing(merged_id))?;
        Ok((kept, merged))
    }

    async fn content_of_both(&self, kept: &Stored<C>, merged: &Stored<C>) -> Result<Valid<C>, Error> {
        let together = together(to_json(&kept.content)?, &to_json(&merged.content)?);
        self.checked(together, Some(&kept.content)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_has_the_common_value_and_an_address_without_credentials_for_who_may_not_see_them() {
        let item = DuplicateItem {
            show_title: None,
            id: 3,
            version: 1,
            title: "El niño".into(),
            fields: Map::new(),
            views: 0,
        };
        let url = "https://ana:clave@a.example/7.m3u8?token=abc";
        for (reason, value, year, shows_credentials, expected) in [
            (DuplicateReason::ImdbId, "tt0420238", None, false, "tt0420238"),
            (DuplicateReason::TitleAndYear, "el nino", Some(1927), false, "El niño"),
            (DuplicateReason::Address, url, None, true, url),
            (DuplicateReason::Address, url, None, false, "https://***@a.example/7.m3u8?token=***"),
        ] {
            let ids = DuplicateIds { value: Some(value.into()), year, ids: vec![3], total: 2 };
            let group = group_of(ids, vec![item.clone()], reason, shows_credentials);
            assert_eq!((group.value.as_deref(), group.year, group.total), (Some(expected), year, 2));
        }
        // Changed between two statements.
        let ids = DuplicateIds { value: None, year: None, ids: vec![3], total: 2 };
        assert_eq!(group_of(ids, vec![item], DuplicateReason::Address, false).value, None);
    }
}
