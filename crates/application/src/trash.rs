//! The trash: deleted content, until it is restored or expires (docs/spec/content.md#trash).

use std::sync::Arc;

use domain_catalogue::{Content, Kind, Stored, TrashEntry};
use domain_kernel::{Action, Actor, FilterKind, FilterValue, Id, ListQuery, Page, Violations};
use ports::{ItemKeys, TrashFilter, TrashRepository, Written};
use serde_json::Value;

use crate::{
    Calendar, ContentService, Error, ListShape,
    body::{parse, to_json},
    contents::conflicting,
    listing::read_dated_query,
    merge::merge,
    versions::outdated,
};

macro_rules! paths {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
        const PATHS: &[&str] = &[$($path,)+];
    };
}
domain_catalogue::for_each_kind!(paths);

/// Use cases of the trash of all kinds.
pub struct TrashService {
    trash: Arc<dyn TrashRepository>,
    calendar: Calendar,
}

impl TrashService {
    /// List parameters.
    pub fn list_shape() -> ListShape {
        ListShape {
            page_size: 25,
            sorts: vec!["id", "deletedDate", "title"],
            filters: &[
                ("kind", FilterKind::Code(PATHS)),
                ("deletedDateFrom", FilterKind::Moment),
                ("deletedDateTo", FilterKind::Moment),
            ],
        }
    }

    pub fn new(trash: Arc<dyn TrashRepository>, calendar: Calendar) -> Self {
        Self { trash, calendar }
    }

    /// A page of the deleted items of the kinds that the actor may delete. `pairs` are those of the
    /// query string.
    pub async fn list(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<TrashEntry>>, Error> {
        let (filter, query) = Self::read_list(&self.calendar, actor, pairs)?;
        Ok(self.trash.list(&filter, &query).await?)
    }

    /// Whether the trash is empty, for all kinds. Called by the operator's command, without a
    /// permission.
    pub async fn is_empty(&self) -> Result<bool, Error> {
        let filter = TrashFilter { kinds: Kind::ALL.to_vec() };
        let query = ListQuery { size: 1, ..ListQuery::default() };
        Ok(self.trash.list(&filter, &query).await?.content.is_empty())
    }

    /// Reads the list parameters, limited to the kinds that the actor may delete.
    pub(crate) fn read_list(
        calendar: &Calendar,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<(TrashFilter, ListQuery), Error> {
        let may = |kind: &Kind| actor.may(kind.permission(Action::Delete));
        let mut kinds: Vec<Kind> = Kind::ALL.iter().copied().filter(may).collect();
        if kinds.is_empty() {
            return Err(Error::Forbidden);
        }
        let query = read_dated_query(calendar, &Self::list_shape(), pairs)?;
        for filter in &query.filters {
            if let FilterValue::Code(path) = filter.value {
                kinds.retain(|kind| kind.path() == path);
            }
        }
        Ok((TrashFilter { kinds }, query))
    }
}

/// Numbers of seasons and episodes are unique, without an exception by the user.
fn key_in_use<C: Content>(other: &Stored<C>) -> Error {
    match conflicting(other) {
        Error::Conflicting { kind, id, title } if !C::KEY_ONCE => Error::KeyInUse { kind, id, title },
        error => error,
    }
}

/// If a list refers to a deleted item, the error has the complete list: one value is replaced, and
/// no other response has the others while the item is in the trash.
fn with_lists(error: Error, whole: &Value) -> Error {
    match error {
        Error::Invalid(Violations(mut violations)) => {
            for violation in &mut violations {
                let list = whole.get(&violation.field).filter(|value| value.is_array());
                if let Some(list) = list.filter(|_| violation.arguments.contains_key("id")) {
                    violation.arguments.insert("values".to_owned(), list.clone());
                }
            }
            Error::Invalid(Violations(violations))
        }
        other => other,
    }
}

impl<C: Content> ContentService<C> {
    /// Restores an item from the trash. The body has fields with new values, as in a merge, for a
    /// deleted category or a natural key in use. `duplicate` allows the natural key of another
    /// item, if the kind's keys are not unique.
    pub async fn restore(
        &self,
        actor: &Actor,
        id: Id,
        body: &[u8],
        duplicate: bool,
    ) -> Result<Stored<C>, Error> {
        actor.require(C::KIND.permission(Action::Delete))?;
        let patch = parse(body)?;
        let missing = || Error::Missing { kind: C::KIND, id };
        let item = self.repository.trashed(id).await?.ok_or_else(missing)?;
        let mut whole = to_json(&item.content)?;
        merge(&mut whole, patch);
        let checked = self.checked(whole.clone(), Some(&item.content)).await;
        let content = checked.map_err(|error| with_lists(error, &whole))?;
        if !duplicate {
            let keys = ItemKeys { whole: vec![content.natural_key()], ..ItemKeys::default() };
            if let Some(other) = self.repository.find_by_keys(keys, 1).await?.first() {
                return Err(key_in_use(other));
            }
        }
        let references = content.references();
        let outcome = self.repository.restore(id, content, self.edit_by(actor)).await;
        match self.unless_dangling(outcome, &references).await? {
            Written::Done(stored) => Ok(stored),
            Written::Missing => Err(missing()),
            Written::Outdated(current) => Err(outdated(&current)?),
            Written::Conflict(other) => Err(conflicting(&other)),
        }
    }
}
