//! The audit log, and the history of an item as it is in there (docs/spec/audit.md).

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};

use chrono::{DateTime, Utc};
use domain_audit::{AuditAction, AuditEntry, resources};
use domain_catalogue::Content;
use domain_kernel::{
    Action, Actor, Code, Enumeration, FilterKind, Id, ListQuery, Origin, Page, Permission, Source, Subject,
    Username, Version, Violation, Violations,
};
use ports::{AuditFilter, AuditRepository, Edit, NewAuditEntry, StoreError};
use serde_json::{Map, Value};

use crate::{
    Calendar, ContentService, Error, ListShape, UserService,
    body::to_json,
    listing::{TimeRange, read_rest},
    read_list_query,
};

/// The right to read the audit log.
pub const AUDIT_READ: Permission = Permission::new(Subject("AUDIT"), Action::Read);
/// Changes that are undone to show a version, at most.
const MOST_CHANGES: u32 = 10_000;
/// Refused calls that are recorded of one user in an hour: whoever tries everything fills no disk.
const MOST_DENIALS: u32 = 20;
/// Characters of a call that are recorded.
const LONGEST_TITLE: usize = 300;
/// Filters that are no list's common ones.
const OWN_FILTERS: [&str; 5] = ["actor", "resource", "item", "from", "to"];

/// The use cases of the audit log.
pub struct AuditService {
    entries: Arc<dyn AuditRepository>,
    calendar: Calendar,
    denials: Mutex<Denials>,
}

/// How many refused calls were recorded of each user in one hour.
#[derive(Default)]
struct Denials {
    hour: i64,
    of: HashMap<String, u32>,
}

impl Denials {
    /// Counts a refused call; answers whether it is to be recorded.
    fn count(&mut self, username: &Username, now: DateTime<Utc>) -> bool {
        let hour = now.timestamp() / 3600;
        if hour != self.hour {
            *self = Self { hour, of: HashMap::new() };
        }
        let count = self.of.entry(username.key()).or_default();
        *count = count.saturating_add(1);
        *count <= MOST_DENIALS
    }
}

/// An item as it was.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierVersion {
    /// Its version then.
    pub version: Version,
    /// Its content then.
    pub content: Map<String, Value>,
}

impl AuditService {
    /// The parameters of the list, beside `actor`, `resource`, `item`, `from` and `to`.
    pub fn list_shape() -> ListShape {
        ListShape {
            page_size: 25,
            sorts: vec!["id", "occurredAt"],
            filters: &[("action", FilterKind::Code(AuditAction::CODES))],
        }
    }

    /// The use cases over a store.
    pub fn new(entries: Arc<dyn AuditRepository>, calendar: Calendar) -> Self {
        Self { entries, calendar, denials: Mutex::default() }
    }

    /// Records that a call of a user was refused for want of the permission: the first few of each user in an hour. An
    /// entry that can't be written changes no answer.
    pub async fn record_denial(
        &self,
        username: &Username,
        address: Option<IpAddr>,
        (method, path): (&str, &str),
    ) {
        let now = self.calendar.now();
        if !self.denials.lock().unwrap_or_else(PoisonError::into_inner).count(username, now) {
            return;
        }
        let title = format!("{method} {path}").chars().take(LONGEST_TITLE).collect();
        let entry = NewAuditEntry {
            action: AuditAction::Denied,
            resource: "requests",
            item: String::new(),
            title,
            after: Map::new(),
        };
        let origin = Origin { address, ..Origin::of(Source::Request) };
        let edit = Edit { by: Some(username.clone()), at: now, origin };
        if let Err(error) = self.entries.add(entry, edit).await {
            tracing::error!(%error, "failed to record a refused call");
        }
    }

    /// A page of the log, newest first. `pairs` are those of the query string.
    pub async fn list(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<AuditEntry>>, Error> {
        let (filter, query) = self.read_list(actor, pairs)?;
        Ok(self.entries.list(&filter, &query).await?)
    }

    /// Which entries a list has, for whoever may read them.
    pub(crate) fn read_list(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<(AuditFilter, ListQuery), Error> {
        actor.require(AUDIT_READ)?;
        Ok(self.read(pairs)?)
    }

    /// A page of what happened to an item, newest first; also of one that was deleted.
    pub async fn history<C: Content>(
        &self,
        contents: &ContentService<C>,
        actor: &Actor,
        id: Id,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<AuditEntry>>, Error> {
        actor.require(C::KIND.permission(Action::Read))?;
        let shape = ListShape { filters: &[], ..Self::list_shape() };
        let query = read_list_query(&shape, pairs)?;
        let resource = Some(C::KIND.path().to_owned());
        let filter = AuditFilter { resource, item: Some(id.to_string()), ..AuditFilter::default() };
        let page = self.entries.list(&filter, &query).await?;
        if page.total_elements == 0 {
            // Of what an import added, nothing is recorded.
            contents.find(actor, id).await?;
        }
        Ok(page.map(|entries| without_addresses(actor, entries)))
    }

    /// A page of what happened to a user whom the actor sees, newest first: since they were registered, as another user may
    /// have had the name before, and without what others write about the actor.
    pub async fn history_of_user(
        &self,
        users: &UserService,
        actor: &Actor,
        username: &str,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<AuditEntry>>, Error> {
        let user = users.find(actor, username).await?;
        let shape = ListShape { filters: &[], ..Self::list_shape() };
        let query = read_list_query(&shape, pairs)?;
        let filter = AuditFilter {
            resource: Some("users".to_owned()),
            item: Some(user.username.key()),
            from: Some(user.created_date),
            without_notes: user.username == actor.username,
            ..AuditFilter::default()
        };
        let page = self.entries.list(&filter, &query).await?;
        Ok(page.map(|entries| without_addresses(actor, entries)))
    }

    /// An item as it was in an earlier version: as it is, with the changes since undone. There is no such version where one
    /// of these changes is not recorded.
    pub async fn version_of<C: Content>(
        &self,
        contents: &ContentService<C>,
        actor: &Actor,
        id: Id,
        version: Version,
    ) -> Result<EarlierVersion, Error> {
        let current = contents.find(actor, id).await?;
        let missing = || Error::NoSuch { what: "versions", id: version };
        if version < 1 || version > current.version {
            return Err(missing());
        }
        let Value::Object(mut content) = to_json(&current.content)? else {
            return Err(StoreError::Broken("content that is no object".into()).into());
        };
        let resource = C::KIND.path();
        let changes = self.entries.changes_after(resource, &id.to_string(), version, MOST_CHANGES).await?;
        let mut reached = current.version;
        for change in changes {
            // Somebody may have written since the item was read.
            let is_newer = change.version.is_some_and(|changed| changed > current.version);
            if change.action == AuditAction::Deleted || is_newer {
                continue;
            }
            if change.version != Some(reached) {
                return Err(missing());
            }
            // What was recorded beside the content is no part of it: the streams of a channel.
            let before = change.diff.before.into_iter().filter(|(name, _)| content.contains_key(name));
            let before: Vec<_> = before.collect();
            content.extend(before);
            reached -= 1;
        }
        if reached == version { Ok(EarlierVersion { version, content }) } else { Err(missing()) }
    }

    fn read(&self, pairs: &[(String, String)]) -> Result<(AuditFilter, ListQuery), Violations> {
        let mut violations = Vec::new();
        let TimeRange { from, to } = TimeRange::read(&self.calendar, pairs, &mut violations);
        let mut filter = AuditFilter { from, to, ..AuditFilter::default() };
        let mut rest = Vec::new();
        for (name, value) in pairs {
            let text = value.trim();
            match name.as_str() {
                "from" | "to" => {}
                "actor" | "resource" | "item" if text.is_empty() => {}
                "actor" => match Username::parse(text) {
                    Some(actor) => filter.actor = Some(actor),
                    None => violations.push(Violation::new("actor", Code::InvalidFormat)),
                },
                "resource" if resources().contains(&text) => filter.resource = Some(text.to_owned()),
                "resource" => {
                    let fault = Violation::new("resource", Code::UnknownValue);
                    violations.push(fault.with("allowed", resources()));
                }
                "search" => {
                    let fault = Violation::new("search", Code::UnknownFilter);
                    violations.push(fault.with("allowed", OWN_FILTERS.to_vec()));
                }
                "item" if text.contains('\0') => {
                    violations.push(Violation::new("item", Code::ControlCharacters));
                }
                "item" => filter.item = Some(text.to_owned()),
                _ => rest.push((name.clone(), value.clone())),
            }
        }
        // Users are recorded by the keys of their names.
        if let (Some("users" | "sessions" | "credits"), Some(item)) =
            (filter.resource.as_deref(), &mut filter.item)
            && let Some(username) = Username::parse(item)
        {
            *item = username.key();
        }
        if filter.item.is_some() && filter.resource.is_none() {
            violations.push(Violation::new("resource", Code::Required));
        }
        let query = read_rest(&Self::list_shape(), &rest, &OWN_FILTERS, violations)?;
        filter.action = query.filters.iter().find_map(|one| match one.value {
            domain_kernel::FilterValue::Code(code) => AuditAction::from_code(code),
            _ => None,
        });
        Ok((filter, query))
    }
}

/// From which address somebody works is for admins alone.
fn without_addresses(actor: &Actor, mut entries: Vec<AuditEntry>) -> Vec<AuditEntry> {
    if !actor.may(AUDIT_READ) {
        for entry in &mut entries {
            entry.origin.address = None;
        }
    }
    entries
}
