//! The settings of the streaming app, with their lists: background images and alert messages
//! (docs/spec/settings.md). Staff change them; the app reads them with a key.

use std::sync::Arc;

use domain_kernel::{
    Action, Actor, DraftReader, Id, KeyScope, ListQuery, MAX_PAGE_SIZE, Page, Permission, Principal, Sort,
    Subject, Version,
};
use domain_settings::{AppSettings, Entry, RenewalMessage, SETTINGS, StoredAppSettings, StoredEntry};
use garde::Valid;
use ports::{AppSettingsRepository, EntryRepository, Inserted, Removed, StoreError, Written};
use serde_json::Value;

use crate::{
    Calendar, Error, ListShape,
    body::parse,
    idempotency::idempotency_key,
    merge::merged,
    read_list_query,
    versions::{outdated, require_version, retry_if_outdated},
};

const READ: Permission = Permission::new(SETTINGS, Action::Read);
const UPDATE: Permission = Permission::new(SETTINGS, Action::Update);

/// Use cases of the app settings.
pub struct AppSettingsService {
    settings: Arc<dyn AppSettingsRepository>,
    calendar: Calendar,
    reader: DraftReader<AppSettings>,
}

impl AppSettingsService {
    pub fn new(settings: Arc<dyn AppSettingsRepository>, calendar: Calendar) -> Self {
        Self { settings, calendar, reader: DraftReader::new() }
    }

    pub async fn find(&self, by: &Principal) -> Result<StoredAppSettings, Error> {
        by.require(READ, KeyScope::SettingsRead)?;
        Ok(self.settings.find().await?)
    }

    /// Replaces the settings.
    pub async fn replace(
        &self,
        actor: &Actor,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<StoredAppSettings, Error> {
        actor.require(UPDATE)?;
        let settings = self.reader.read(parse(body)?, &())?;
        match self.settings.replace(settings, expected, &self.calendar.edit_by(actor)).await? {
            Written::Done(stored) => {
                tracing::info!(actor = actor.username.as_str(), "app settings changed");
                Ok(stored)
            }
            Written::Outdated(current) => Err(outdated(&current)?),
            // Migrations insert the only row.
            Written::Missing => Err(StoreError::Broken("the app settings are missing".into()).into()),
            Written::Conflict(never) => match never {},
        }
    }
}

/// Use cases of one of the lists.
pub struct EntryService<E: Entry> {
    entries: Arc<dyn EntryRepository<E>>,
    calendar: Calendar,
    reader: DraftReader<E>,
}

/// A created entry, and whether the response is a repetition.
#[derive(Debug)]
pub struct EntryCreated<E> {
    /// The entry.
    pub kept: StoredEntry<E>,
    /// Whether the same request was answered before under this idempotency key.
    pub replayed: bool,
}

impl<E: Entry> EntryService<E> {
    /// List parameters.
    pub fn list_shape() -> ListShape {
        let sorts =
            ["id", "createdDate", "updatedDate"].into_iter().chain(E::SORTS.iter().copied()).collect();
        ListShape { page_size: 10, sorts, filters: E::FILTERS }
    }

    pub fn new(entries: Arc<dyn EntryRepository<E>>, calendar: Calendar) -> Self {
        Self { entries, calendar, reader: DraftReader::new() }
    }

    /// A page of the list. `pairs` are those of the query string.
    pub async fn list(
        &self,
        by: &Principal,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<StoredEntry<E>>>, Error> {
        by.require(READ, KeyScope::SettingsRead)?;
        let query = read_list_query(&Self::list_shape(), pairs)?;
        Ok(self.entries.list(&query).await?)
    }

    /// One entry.
    pub async fn find(&self, by: &Principal, id: Id) -> Result<StoredEntry<E>, Error> {
        by.require(READ, KeyScope::SettingsRead)?;
        self.seen(id).await
    }

    async fn seen(&self, id: Id) -> Result<StoredEntry<E>, Error> {
        self.entries.find(id).await?.ok_or(Error::NoSuch { what: E::PATH, id })
    }

    /// Adds an entry. A repeated body with the same idempotency key gets the first response again.
    pub async fn create(
        &self,
        actor: &Actor,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<EntryCreated<E>, Error> {
        actor.require(UPDATE)?;
        let json = parse(body)?;
        let once = idempotency_key(actor, key, E::PATH, &json);
        let entry = self.checked(json)?;
        match self.entries.insert(entry, &self.calendar.edit_by(actor), once).await? {
            Inserted::New(kept) => Ok(EntryCreated { kept, replayed: false }),
            Inserted::Replayed(kept) => Ok(EntryCreated { kept, replayed: true }),
            Inserted::KeyReused => Err(Error::IdempotencyMismatch),
        }
    }

    /// Replaces an entry.
    pub async fn replace(
        &self,
        actor: &Actor,
        id: Id,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<StoredEntry<E>, Error> {
        actor.require(UPDATE)?;
        self.seen(id).await?;
        let entry = self.checked(parse(body)?)?;
        Self::written(id, self.entries.replace(id, entry, expected, &self.calendar.edit_by(actor)).await?)
    }

    /// Merges changes into an entry (RFC 7396); the complete result must be valid. After a
    /// concurrent change, the merge restarts from the new values.
    pub async fn merge(
        &self,
        actor: &Actor,
        id: Id,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<StoredEntry<E>, Error> {
        actor.require(UPDATE)?;
        let patch = parse(body)?;
        retry_if_outdated(expected, async || {
            let current = self.seen(id).await?;
            require_version(expected, current.version, || outdated(&current))?;
            let whole = merged(&current.entry, patch.clone())?;
            let entry = self.checked(whole)?;
            let outcome =
                self.entries.replace(id, entry, Some(current.version), &self.calendar.edit_by(actor)).await?;
            Self::written(id, outcome)
        })
        .await
    }

    /// Deletes an entry.
    pub async fn delete(&self, actor: &Actor, id: Id, expected: Option<Version>) -> Result<(), Error> {
        actor.require(UPDATE)?;
        match self.entries.delete(id, expected, &self.calendar.edit_by(actor)).await? {
            Removed::Done => Ok(()),
            Removed::Missing => Err(Error::NoSuch { what: E::PATH, id }),
            Removed::Outdated(current) => Err(outdated(&current)?),
        }
    }

    fn checked(&self, json: Value) -> Result<Valid<E>, Error> {
        Ok(self.reader.read(json, &self.calendar.today())?)
    }

    fn written(id: Id, outcome: Written<StoredEntry<E>>) -> Result<StoredEntry<E>, Error> {
        match outcome {
            Written::Done(kept) => Ok(kept),
            Written::Missing => Err(Error::NoSuch { what: E::PATH, id }),
            Written::Outdated(current) => Err(outdated(&current)?),
        }
    }
}

impl EntryService<RenewalMessage> {
    /// The alert messages for sellers, by name. Sellers read them, admins edit them.
    pub async fn for_sellers(&self, actor: &Actor) -> Result<Vec<StoredEntry<RenewalMessage>>, Error> {
        actor.require(Permission::new(Subject("USER"), Action::Update))?;
        let sort = vec![Sort { field: "name".into(), descending: false }];
        let query = ListQuery { size: MAX_PAGE_SIZE, sort, ..ListQuery::default() };
        Ok(self.entries.list(&query).await?.content)
    }
}
