//! Integrators' keys: admins create, list and revoke them; calls with a key are authenticated,
//! rate-limited and counted.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use chrono::{Days, NaiveDate};
use domain_integrations::{Key, KeyState, Meter, NewKey, reads_as_key};
use domain_kernel::{Actor, DraftReader, Id, Integrator, ListQuery, Page, Today};
use ports::{KeyDay, KeyRepository, KeyToKeep, KeyUse, SecretSource, StoreError};
use sha2::{Digest, Sha256};

use crate::{Calendar, Error, ListShape, body::parse, read_list_query};

/// Number of days of calls shown for a key.
const DAYS: u64 = 30;

/// Use cases of keys.
pub struct KeyService {
    keys: Arc<dyn KeyRepository>,
    secrets: Arc<dyn SecretSource>,
    calendar: Calendar,
    reader: DraftReader<NewKey>,
    meters: Mutex<HashMap<Id, Meter>>,
    uses: Mutex<HashMap<(Id, NaiveDate), KeyUse>>,
}

/// A new key with its text, which is shown only once.
#[derive(Debug)]
pub struct KeyMade {
    /// Its stored data.
    pub key: Key,
    /// The key itself.
    pub text: String,
}

/// A key with its recent calls.
#[derive(Debug)]
pub struct KeyWithDays {
    /// The key.
    pub key: Key,
    /// Days of the last month with calls.
    pub days: Vec<KeyDay>,
}

impl KeyService {
    /// List parameters.
    pub fn list_shape() -> ListShape {
        let sorts = vec!["id", "name", "createdDate", "lastUsedDate", "calls"];
        ListShape { page_size: 10, sorts, filters: &[] }
    }

    pub fn new(keys: Arc<dyn KeyRepository>, secrets: Arc<dyn SecretSource>, calendar: Calendar) -> Self {
        Self {
            keys,
            secrets,
            calendar,
            reader: DraftReader::new(),
            meters: Mutex::default(),
            uses: Mutex::default(),
        }
    }

    /// Today in the service's time zone: the state of a key depends on it.
    pub fn today(&self) -> Today {
        self.calendar.today()
    }

    /// A page of the keys.
    pub async fn list(&self, actor: &Actor, pairs: &[(String, String)]) -> Result<Page<Vec<Key>>, Error> {
        Ok(self.keys.list(&self.read_list(actor, pairs)?).await?)
    }

    /// Reads the list parameters, after a check of the permission.
    pub(crate) fn read_list(&self, actor: &Actor, pairs: &[(String, String)]) -> Result<ListQuery, Error> {
        require_admin(actor)?;
        Ok(read_list_query(&Self::list_shape(), pairs)?)
    }

    /// One key with its recent calls.
    pub async fn find(&self, actor: &Actor, id: Id) -> Result<KeyWithDays, Error> {
        require_admin(actor)?;
        let key = self.keys.find(id).await?.ok_or(missing(id))?;
        let today = self.calendar.now().date_naive();
        let from = today.checked_sub_days(Days::new(DAYS - 1)).unwrap_or(today);
        Ok(KeyWithDays { key, days: self.keys.days(id, from).await? })
    }

    /// Creates a key. Its text is only returned here.
    pub async fn create(&self, actor: &Actor, body: &[u8]) -> Result<KeyMade, Error> {
        require_admin(actor)?;
        let requested = self.reader.read(parse(body)?, &self.calendar.today())?.into_inner();
        let (text, hint) = Key::text_of(&self.secrets.draw());
        let new = KeyToKeep { requested, hash: hashed(&text), hint };
        let key = self.keys.insert(&new, &self.calendar.edit_by(actor)).await?;
        tracing::info!(actor = actor.username.as_str(), key = key.id, name = key.name, "key created");
        Ok(KeyMade { key, text })
    }

    /// Revokes a key permanently, from its next call.
    pub async fn revoke(&self, actor: &Actor, id: Id) -> Result<Key, Error> {
        require_admin(actor)?;
        let key = self.keys.revoke(id, &self.calendar.edit_by(actor)).await?.ok_or(missing(id))?;
        tracing::info!(actor = actor.username.as_str(), key = id, name = key.name, "key revoked");
        Ok(key)
    }

    /// Keeps a key whose creator is no longer an active admin: the actor becomes responsible for
    /// it.
    pub async fn keep(&self, actor: &Actor, id: Id) -> Result<Key, Error> {
        require_admin(actor)?;
        let key = self.keys.keep(id, &self.calendar.edit_by(actor)).await?.ok_or(missing(id))?;
        tracing::info!(actor = actor.username.as_str(), key = id, name = key.name, "key kept");
        Ok(key)
    }

    /// Authenticates a valid key within its limit of calls per minute. Accepted and rejected calls
    /// are counted.
    pub async fn admit(&self, text: &str) -> Result<Integrator, Error> {
        if !reads_as_key(text) {
            return Err(Error::NotAuthenticated);
        }
        let key = self.keys.find_by_hash(&hashed(text)).await?.ok_or(Error::NotAuthenticated)?;
        if key.state(self.calendar.today()) != KeyState::Active {
            return Err(Error::NotAuthenticated);
        }
        let now = self.calendar.now();
        let admitted =
            lock(&self.meters).entry(key.id).or_default().admit(now, key.calls_per_minute).map_err(|wait| {
                tracing::warn!(key = key.id, name = key.name, "key rate limit exceeded");
                Error::Throttled(wait)
            });
        let (calls, refused) = if admitted.is_ok() { (1, 0) } else { (0, 1) };
        let day = now.date_naive();
        let mut uses = lock(&self.uses);
        let of =
            uses.entry((key.id, day)).or_insert(KeyUse { key: key.id, day, calls: 0, refused: 0, last: now });
        of.calls += calls;
        of.refused += refused;
        of.last = of.last.max(now);
        drop(uses);
        admitted.map(|()| key.integrator())
    }

    /// Stores the counts since the last call. After an error they are kept for the next call.
    pub async fn note_uses(&self) -> Result<(), StoreError> {
        let mut uses: Vec<KeyUse> = lock(&self.uses).drain().map(|(_, one)| one).collect();
        if uses.is_empty() {
            return Ok(());
        }
        // In the order of the keys: two nodes wait for the same rows instead of a deadlock.
        uses.sort_by_key(|one| (one.key, one.day));
        let outcome = self.keys.note(&uses).await;
        if outcome.is_err() {
            let mut kept = lock(&self.uses);
            for one in uses {
                let of = kept.entry((one.key, one.day)).or_insert(KeyUse { calls: 0, refused: 0, ..one });
                of.calls += one.calls;
                of.refused += one.refused;
                of.last = of.last.max(one.last);
            }
        }
        outcome
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn require_admin(actor: &Actor) -> Result<(), Error> {
    if actor.role.passes_every_check() { Ok(()) } else { Err(Error::Forbidden) }
}

fn missing(id: Id) -> Error {
    Error::NoSuch { what: "integrator-keys", id }
}

pub(crate) fn hashed(text: &str) -> String {
    format!("{:x}", Sha256::digest(text))
}
