//! All groups of probable duplicates of a kind, for a file (docs/spec/completeness.md#duplicates).

use std::collections::HashMap;

use domain_catalogue::{DuplicateReason, Kind};
use domain_kernel::{Action, Actor, Code, Enumeration, FilterKind, FilterValue, Id, Violation, Violations};
use domain_live::address::masked;
use ports::GroupedItems;
use serde_json::Value;

use super::{DuplicateItem, DuplicateService, reason_of, require_merge};
use crate::{ContentServices, Error, ListShape, playlist_permission, read_list_query};

macro_rules! by_kind {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
        const PATHS: &[&str] = &[$($path,)+];

        impl ContentServices {
            async fn duplicate_items_of(
                &self,
                kind: Kind,
                ids: &[Id],
            ) -> Result<HashMap<Id, DuplicateItem>, Error> {
                match kind {
                    $(Kind::$kind => Box::pin(self.$field.duplicate_items(ids)).await,)+
                }
            }
        }
    };
}
domain_catalogue::for_each_kind!(by_kind);

/// An item of a group, in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct DuplicateRow {
    /// Number of the group, from 1.
    pub group: u32,
    /// Common value of the items of the group, as in [`super::DuplicateGroup`].
    pub value: Option<String>,
    /// The common year, of items with a common title.
    pub year: Option<i32>,
    pub item: DuplicateItem,
}

/// The groups of a file.
#[derive(Debug)]
pub(crate) struct DuplicateFile {
    kind: Kind,
    reason: DuplicateReason,
    shows_credentials: bool,
    grouped: GroupedItems,
    /// Number of written items.
    done: usize,
    /// The group of the last written item, with its common value and year.
    last: (u32, Option<String>, Option<i32>),
}

impl DuplicateFile {
    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.grouped.items.len()
    }
}

impl DuplicateItem {
    /// The common value of the group whose first item is this one, and the year of a common title. Addresses
    /// are read separately.
    fn common(&self, reason: DuplicateReason) -> (Option<String>, Option<i32>) {
        if reason == DuplicateReason::TitleAndYear {
            let year = self.fields.get("year").and_then(Value::as_i64);
            return (Some(self.title.clone()), year.and_then(|year| i32::try_from(year).ok()));
        }
        (self.fields.get("imdbId").and_then(Value::as_str).map(str::to_owned), None)
    }
}

impl DuplicateService {
    /// Begins a file of all groups of a kind with the same reason. `pairs` are those of the query string.
    pub(crate) async fn begin_file(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
        most: u64,
    ) -> Result<DuplicateFile, Error> {
        const SHAPE: &[(&str, FilterKind)] =
            &[("kind", FilterKind::Code(PATHS)), ("reason", FilterKind::Code(DuplicateReason::CODES))];
        let query = read_list_query(&ListShape { filters: SHAPE, ..Self::list_shape() }, pairs)?;
        let kind = query.filters.iter().find_map(|filter| match filter.value {
            FilterValue::Code(code) if filter.field == "kind" => Kind::from_path(code),
            _ => None,
        });
        let kind = kind.ok_or_else(|| Violations(vec![Violation::new("kind", Code::Required)]))?;
        require_merge(actor, kind)?;
        let reason = reason_of(&query, kind)?;
        let grouped = self.duplicates.grouped(kind, reason, most).await?;
        let shows_credentials = actor.may(playlist_permission(Action::Update));
        Ok(DuplicateFile { kind, reason, shows_credentials, grouped, done: 0, last: (0, None, None) })
    }

    /// The next rows of a file; empty after the last. Items that were deleted meanwhile are left out.
    pub(crate) async fn next_rows(
        &self,
        file: &mut DuplicateFile,
        at_once: usize,
    ) -> Result<Vec<DuplicateRow>, Error> {
        while file.done < file.rows() {
            let end = file.rows().min(file.done + at_once);
            let part = file.grouped.items[file.done..end].to_vec();
            file.done = end;
            let mut ids: Vec<Id> = part.iter().map(|(_, id)| *id).collect();
            ids.sort_unstable();
            ids.dedup();
            let items = self.with_shows(self.contents.duplicate_items_of(file.kind, &ids).await?).await?;
            let mut addresses = self.addresses_from(file, &part).await?;
            let mut rows = Vec::new();
            for (group, id) in part {
                let item = items.get(&id);
                if group != file.last.0 {
                    let (value, year) = match (file.reason, item) {
                        (DuplicateReason::Address, _) => (addresses.remove(&group), None),
                        (_, None) => continue,
                        (reason, Some(item)) => item.common(reason),
                    };
                    file.last = (group, value, year);
                }
                if let Some(item) = item.cloned() {
                    let (_, value, year) = file.last.clone();
                    rows.push(DuplicateRow { group, value, year, item });
                }
            }
            if !rows.is_empty() {
                return Ok(rows);
            }
        }
        Ok(Vec::new())
    }

    /// Common addresses of the groups that begin in a part of a file.
    async fn addresses_from(
        &self,
        file: &DuplicateFile,
        part: &[(u32, Id)],
    ) -> Result<HashMap<u32, String>, Error> {
        if file.reason != DuplicateReason::Address {
            return Ok(HashMap::new());
        }
        let mut before = file.last.0;
        let mut groups = Vec::new();
        let mut first_items = Vec::new();
        for (group, first) in part {
            let index = usize::try_from(*group).ok().and_then(|number| number.checked_sub(1));
            let compared = index.and_then(|index| file.grouped.compared.get(index));
            if let Some(compared) = compared.filter(|_| *group != before) {
                groups.push(*group);
                first_items.push((*first, compared.as_str()));
            }
            before = *group;
        }
        let found = self.duplicates.addresses(file.kind, &first_items).await?;
        let shown = |url: String| if file.shows_credentials { url } else { masked(&url) };
        let named = groups.into_iter().zip(found);
        Ok(named.filter_map(|(group, url)| Some((group, shown(url?)))).collect())
    }
}
