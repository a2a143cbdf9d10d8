//! The audit log, and the history of an item that is read from it (docs/spec/audit.md).

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
use domain_live::address::masked;
use domain_users::RESTORABLE_FIELDS;
use ports::{AuditFilter, AuditRepository, Edit, NewAuditEntry, StoreError};
use serde_json::{Map, Value, json};

use crate::{
    Calendar, ContentService, Error, ListShape, UserService,
    body::to_json,
    listing::{TimeRange, read_rest},
    read_list_query,
};

/// Permission to read the audit log.
pub const AUDIT_READ: Permission = Permission::new(Subject("AUDIT"), Action::Read);
/// Permission to see credentials in the URLs of lists and of live content.
const PLAYLIST_UPDATE: Permission = Permission::new(Subject("PLAYLIST"), Action::Update);
/// Maximum changes that are reverted to reconstruct a version.
pub(crate) const MOST_CHANGES: u32 = 10_000;
/// Maximum denied calls recorded per user and hour, and exports per key, kind and hour, so that
/// repeated calls do not fill the disk.
const MOST_IN_AN_HOUR: u32 = 20;
/// Recorded characters of a call.
const LONGEST_TITLE: usize = 300;
/// Filters besides those of every list.
const OWN_FILTERS: [&str; 5] = ["actor", "resource", "item", "from", "to"];

/// Use cases of the audit log.
pub struct AuditService {
    pub(crate) entries: Arc<dyn AuditRepository>,
    calendar: Calendar,
    calls: Mutex<HourlyCounts>,
}

/// Number of recorded calls of each caller in one hour.
#[derive(Default)]
struct HourlyCounts {
    hour: i64,
    of: HashMap<String, u32>,
}

impl HourlyCounts {
    /// Counts a call; returns whether it is recorded.
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

/// An earlier version of an item.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierVersion {
    /// Its version then.
    pub version: Version,
    /// Content in that version.
    pub content: Map<String, Value>,
}

impl AuditService {
    /// List parameters besides `actor`, `resource`, `item`, `from` and `to`.
    pub fn list_shape() -> ListShape {
        ListShape {
            page_size: 25,
            sorts: vec!["id", "occurredAt"],
            filters: &[("action", FilterKind::Code(AuditAction::CODES))],
        }
    }

    pub fn new(entries: Arc<dyn AuditRepository>, calendar: Calendar) -> Self {
        Self { entries, calendar, calls: Mutex::default() }
    }

    /// Records a call that was denied for a missing permission, with a limit per user and hour. A
    /// failure to write the entry does not change the response.
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
            tracing::error!(%error, "failed to record a denied call");
        }
    }

    fn is_to_be_recorded(&self, caller: String, now: DateTime<Utc>) -> bool {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).count(caller, now)
    }

    /// Records the start of an export other than a list's.
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

    /// Records the start of an export of all items of a kind by a key, with a limit per key, kind
    /// and hour.
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
        let page = self.entries.list(&filter, &query).await?;
        Ok(page.map(|entries| without_credentials(actor, entries)))
    }

    /// Reads the filters of the list, after a check of the permission.
    pub(crate) fn read_list(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<(AuditFilter, ListQuery), Error> {
        actor.require(AUDIT_READ)?;
        Ok(self.read(pairs)?)
    }

    /// A page of an item's history, newest first. Also for deleted items.
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
            // Imports by the command line before it recorded them have no entry.
            contents.find(actor, id).await?;
        }
        Ok(page.map(|entries| without_credentials(actor, without_addresses(actor, entries))))
    }

    /// A page of the history of a user whom the actor sees, newest first. Begins at the
    /// registration, because an earlier user may have had the same name, and omits what others
    /// record about the actor.
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

    /// An item in an earlier version: the current item without the changes since then. The version
    /// does not exist if one of these changes is not recorded.
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
            return Err(StoreError::Broken("content is not an object".into()).into());
        };
        let resource = C::KIND.path();
        let changes = self.entries.changes_after(resource, &id.to_string(), version, MOST_CHANGES).await?;
        let mut reached = current.version;
        for change in changes {
            // A concurrent write may have followed the read of the item.
            let is_newer = change.version.is_some_and(|changed| changed > current.version);
            if change.action == AuditAction::Deleted || is_newer {
                continue;
            }
            if change.version != Some(reached) {
                return Err(missing());
            }
            // Values recorded besides the content are removed: the streams of a channel.
            let before = change.diff.before.into_iter().filter(|(name, _)| content.contains_key(name));
            let before: Vec<_> = before.collect();
            content.extend(before);
            reached -= 1;
        }
        if reached == version { Ok(EarlierVersion { version, content }) } else { Err(missing()) }
    }

    /// The form of a user whom the actor sees in an earlier version, without the end of the
    /// subscription ([`RESTORABLE_FIELDS`]): the current form without the changes since then. The
    /// version does not exist if it is not in the history, or if a change since then is not
    /// recorded.
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
            return Err(StoreError::Broken("a form is not an object".into()).into());
        };
        content.retain(|name, _| RESTORABLE_FIELDS.contains(&name.as_str()));
        let item = current.username.key();
        let changes = self.entries.changes_after("users", &item, version - 1, MOST_CHANGES).await?;
        // Credit movements also increase the version and are not in this history. Gaps are
        // accepted, but each change of a field must be recorded.
        let mut is_recorded = version == current.version;
        for change in changes {
            // An earlier user of the same name is another user.
            if change.action == AuditAction::Deleted {
                break;
            }
            let Some(changed) = change.version else { continue };
            // A concurrent write may have followed the read of the user.
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

/// Masks credentials in the URLs of channels, radio stations and guides for users who may not change
/// playlists. Versions are restored from the stored values.
fn without_credentials(actor: &Actor, mut entries: Vec<AuditEntry>) -> Vec<AuditEntry> {
    const KINDS: [Kind; 3] = [Kind::TvChannels, Kind::RadioStations, Kind::TvGuides];
    if actor.may(PLAYLIST_UPDATE) {
        return entries;
    }
    for entry in &mut entries {
        if KINDS.iter().any(|kind| kind.path() == entry.resource) {
            mask_url(&mut entry.diff.before);
            mask_url(&mut entry.diff.after);
        }
    }
    entries
}

fn mask_url(fields: &mut Map<String, Value>) {
    if let Some(Value::String(url)) = fields.get_mut("url") {
        *url = masked(url);
    }
}

/// Addresses are visible to admins only.
fn without_addresses(actor: &Actor, mut entries: Vec<AuditEntry>) -> Vec<AuditEntry> {
    if !actor.may(AUDIT_READ) {
        for entry in &mut entries {
            entry.origin.address = None;
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use domain_kernel::RoleCode;

    use super::*;

    fn url_after(permissions: &'static [Permission], resource: &str) -> Value {
        let username = Username::parse("someone").unwrap();
        let actor = Actor {
            username,
            role: RoleCode::ContentManager,
            permissions,
            origin: Origin::of(Source::Request),
        };
        let url = json!("https://ana:clave@h.example/7.m3u8?password=clave");
        let after = Map::from_iter([("url".to_owned(), url), ("title".to_owned(), json!("Canal"))]);
        let entry = AuditEntry {
            id: 1,
            occurred_at: DateTime::UNIX_EPOCH,
            actor: None,
            origin: Origin::of(Source::Request),
            action: AuditAction::Updated,
            resource: resource.to_owned(),
            item: "1".into(),
            title: "Canal".into(),
            version: Some(2),
            diff: FieldDiff { before: after.clone(), after },
        };
        let mut entries = without_credentials(&actor, vec![entry]);
        let FieldDiff { before, after } = entries.remove(0).diff;
        assert_eq!(before, after);
        assert_eq!(after["title"], "Canal");
        after["url"].clone()
    }

    #[test]
    fn credentials_of_live_urls_are_for_users_who_may_change_playlists() {
        let plain = "https://ana:clave@h.example/7.m3u8?password=clave";
        for resource in ["tv-channels", "radio-stations", "tv-guides"] {
            assert_eq!(url_after(&[], resource), "https://***@h.example/7.m3u8?password=***", "{resource}");
            assert_eq!(url_after(&[PLAYLIST_UPDATE], resource), plain, "{resource}");
        }
        assert_eq!(url_after(&[], "webhooks"), plain, "it has its own rules");
    }
}
