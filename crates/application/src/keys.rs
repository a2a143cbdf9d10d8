//! Integrators' keys: admins make, look at and revoke them; whoever calls with one is let in, limited and counted.

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

/// The days of calls that are shown of a key.
const DAYS: u64 = 30;

/// The use cases of keys.
pub struct KeyService {
    keys: Arc<dyn KeyRepository>,
    secrets: Arc<dyn SecretSource>,
    calendar: Calendar,
    reader: DraftReader<NewKey>,
    meters: Mutex<HashMap<Id, Meter>>,
    uses: Mutex<HashMap<(Id, NaiveDate), KeyUse>>,
}

/// A new key, with its text: the only time that it is shown.
#[derive(Debug)]
pub struct KeyMade {
    /// What is known of it.
    pub key: Key,
    /// The key itself.
    pub text: String,
}

/// A key and how often it called lately.
#[derive(Debug)]
pub struct KeyWithDays {
    /// The key.
    pub key: Key,
    /// The days of the last month on which it called.
    pub days: Vec<KeyDay>,
}

impl KeyService {
    /// The parameters of the list.
    pub fn list_shape() -> ListShape {
        let sorts = vec!["id", "name", "createdDate", "lastUsedDate", "calls"];
        ListShape { page_size: 10, sorts, filters: &[] }
    }

    /// The use cases over their ports.
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

    /// Today in the time zone of the service: a key's state depends on it.
    pub fn today(&self) -> Today {
        self.calendar.today()
    }

    /// A page of the keys.
    pub async fn list(&self, actor: &Actor, pairs: &[(String, String)]) -> Result<Page<Vec<Key>>, Error> {
        Ok(self.keys.list(&self.read_list(actor, pairs)?).await?)
    }

    /// The query of a list, for whoever may read it.
    pub(crate) fn read_list(&self, actor: &Actor, pairs: &[(String, String)]) -> Result<ListQuery, Error> {
        require_admin(actor)?;
        Ok(read_list_query(&Self::list_shape(), pairs)?)
    }

    /// One key, and how often it called lately.
    pub async fn find(&self, actor: &Actor, id: Id) -> Result<KeyWithDays, Error> {
        require_admin(actor)?;
        let key = self.keys.find(id).await?.ok_or(missing(id))?;
        let today = self.calendar.now().date_naive();
        let from = today.checked_sub_days(Days::new(DAYS - 1)).unwrap_or(today);
        Ok(KeyWithDays { key, days: self.keys.days(id, from).await? })
    }

    /// Creates a key. Its text is shown now and never again.
    pub async fn create(&self, actor: &Actor, body: &[u8]) -> Result<KeyMade, Error> {
        require_admin(actor)?;
        let requested = self.reader.read(parse(body)?, &self.calendar.today())?.into_inner();
        let (text, hint) = Key::text_of(&self.secrets.draw());
        let new = KeyToKeep { requested, hash: hashed(&text), hint };
        let key = self.keys.insert(&new, &self.calendar.edit_by(actor)).await?;
        tracing::info!(actor = actor.username.as_str(), key = key.id, name = key.name, "key created");
        Ok(KeyMade { key, text })
    }

    /// Revokes a key for good, from its next call on.
    pub async fn revoke(&self, actor: &Actor, id: Id) -> Result<Key, Error> {
        require_admin(actor)?;
        let key = self.keys.revoke(id, &self.calendar.edit_by(actor)).await?.ok_or(missing(id))?;
        tracing::info!(actor = actor.username.as_str(), key = id, name = key.name, "key revoked");
        Ok(key)
    }

    /// Keeps a key that somebody made who is no active admin any more: the actor answers for it from now on.
    pub async fn keep(&self, actor: &Actor, id: Id) -> Result<Key, Error> {
        require_admin(actor)?;
        let key = self.keys.keep(id, &self.calendar.edit_by(actor)).await?.ok_or(missing(id))?;
        tracing::info!(actor = actor.username.as_str(), key = id, name = key.name, "key kept");
        Ok(key)
    }

    /// Lets in whoever calls with a key that works, within what it may call in a minute; counts the call either way.
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

    /// Writes down what was counted since the last time. What can't be written is kept for the next.
    pub async fn note_uses(&self) -> Result<(), StoreError> {
        let mut uses: Vec<KeyUse> = lock(&self.uses).drain().map(|(_, one)| one).collect();
        if uses.is_empty() {
            return Ok(());
        }
        // In the order of the keys: two nodes queue for the same rows instead of blocking each other.
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
