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
    Action, Actor, Code, Enumeration, FieldDiff, FilterKind, Id, Integrator, Kind, ListQuery, Origin, Page,
    Permission, Source, Subject, Username, Version, Violation, Violations,
};
use domain_users::RESTORABLE_FIELDS;
use ports::{AuditFilter, AuditRepository, Edit, NewAuditEntry, StoreError};
use serde_json::{Map, Value, json};

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
/// Refused calls that are recorded of one user in an hour, and exports of one kind by one key: whoever tries everything
/// fills no disk.
const MOST_IN_AN_HOUR: u32 = 20;
/// Characters of a call that are recorded.
const LONGEST_TITLE: usize = 300;
/// Filters that are no list's common ones.
const OWN_FILTERS: [&str; 5] = ["actor", "resource", "item", "from", "to"];

/// The use cases of the audit log.
pub struct AuditService {
    entries: Arc<dyn AuditRepository>,
    calendar: Calendar,
    calls: Mutex<HourlyCounts>,
}

/// How many calls were recorded of each caller in one hour.
#[derive(Default)]
struct HourlyCounts {
    hour: i64,
    of: HashMap<String, u32>,
}

impl HourlyCounts {
    /// Counts a call; answers whether it is to be recorded.
    fn count(&mut self, caller: String, now: DateTime<Utc>) -> bool {
        let hour = now.timestamp() / 3600;
        if hour != self.hour {
            *self = Self { hour, of: HashMap::new() };
        }
        let count = self.of.entry(caller).or_default();
        *count = count.saturating_add(1);
        *count <= MOST_IN_AN_HOUR
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
        Self { entries, calendar, calls: Mutex::default() }
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
        if !self.is_to_be_recorded(username.key(), now) {
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

    fn is_to_be_recorded(&self, caller: String, now: DateTime<Utc>) -> bool {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).count(caller, now)
    }

    /// Records that somebody takes a file that is no list's, before it begins.
    pub(crate) async fn record_export(
        &self,
        actor: &Actor,
        resource: &'static str,
        (item, title): (String, String),
        after: Map<String, Value>,
    ) -> Result<(), Error> {
        let entry = NewAuditEntry { action: AuditAction::Exported, resource, item, title, after };
        Ok(self.entries.add(entry, self.calendar.edit_by(actor)).await?)
    }

    /// Records that a program takes all of a kind, before that begins: the first few times of each key and kind in an hour.
    pub async fn record_export_by_key(
        &self,
        by: &Integrator,
        address: Option<IpAddr>,
        kind: Kind,
    ) -> Result<(), Error> {
        let now = self.calendar.now();
        if !self.is_to_be_recorded(format!("{} {}", by.once_name(), kind.path()), now) {
            return Ok(());
        }
        let after = [("format", json!("ndjson")), ("key", json!(by.name))];
        let entry = NewAuditEntry {
            action: AuditAction::Exported,
            resource: kind.path(),
            item: String::new(),
            title: String::new(),
            after: after.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        };
        let origin = Origin { address, ..Origin::of(Source::Request) };
        Ok(self.entries.add(entry, Edit { by: None, at: now, origin }).await?)
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
            // Of what the command line imported before it recorded that, there is no entry.
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

    /// The form of a user whom the actor sees as it was in an earlier version, without what has operations of its own
    /// ([`RESTORABLE_FIELDS`]): as it is, with the changes since undone. There is no such version where it is not in the
    /// history, or where a change since is not recorded.
    pub async fn version_of_user(
        &self,
        users: &UserService,
        actor: &Actor,
        username: &str,
        version: Version,
    ) -> Result<EarlierVersion, Error> {
        let current = users.find(actor, username).await?;
        let missing = || Error::NoSuch { what: "versions", id: version };
        if version < 1 || version > current.version {
            return Err(missing());
        }
        let Value::Object(mut content) = to_json(&current.as_edit())? else {
            return Err(StoreError::Broken("a form that is no object".into()).into());
        };
        content.retain(|name, _| RESTORABLE_FIELDS.contains(&name.as_str()));
        let item = current.username.key();
        let changes = self.entries.changes_after("users", &item, version - 1, MOST_CHANGES).await?;
        // Movements of credits count as versions, too, and are not in this history: versions need not be complete, but
        // whatever changed a field since must be there.
        let mut is_recorded = version == current.version;
        for change in changes {
            // Who had the name before is another user.
            if change.action == AuditAction::Deleted {
                break;
            }
            let Some(changed) = change.version else { continue };
            // Somebody may have written since the user was read.
            if changed > current.version {
                continue;
            }
            is_recorded |= changed <= version + 1;
            let FieldDiff { mut before, after } = change.diff;
            for (name, value) in &mut content {
                let Some(after) = after.get(name) else { continue };
                if *after != *value {
                    return Err(missing());
                }
                if changed > version {
                    *value = before.remove(name).unwrap_or_default();
                }
            }
            if changed <= version {
                break;
            }
        }
        if is_recorded { Ok(EarlierVersion { version, content }) } else { Err(missing()) }
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
