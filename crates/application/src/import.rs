//! Imports content from files, in batches. Called by the operator's command, without a permission.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    pin::Pin,
};

use chrono::{DateTime, SubsecRound, Utc};
use domain_catalogue::{Content, Kind, Reference};
use domain_kernel::{Code, DraftReader, Id, ListQuery, Violation, Violations, checked};
use garde::Validate;
use ports::{ImportOutcome, ImportedItem};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{ContentService, ContentServices, Error};

/// Maps ids of the files to ids of this store. The ids of a kind without an entry, which was not
/// imported in the same run, are those of this store.
#[derive(Debug, Default)]
pub struct IdMap {
    by_file_id: HashMap<Kind, HashMap<Id, Id>>,
    /// Items stored by this run, by the hash of their natural key: the first of several is kept.
    stored: HashMap<Kind, HashMap<u64, Id>>,
}

fn hashed(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

impl IdMap {
    /// From now on, ids of this kind are mapped.
    pub fn expect(&mut self, kind: Kind) {
        self.by_file_id.entry(kind).or_default();
    }

    fn remember(&mut self, kind: Kind, file_id: Option<Id>, stored_id: Id) {
        if let Some(file_id) = file_id {
            self.by_file_id.entry(kind).or_default().insert(file_id, stored_id);
        }
    }

    /// The id in this store for an id of a file; `None` if the kind was imported in this run
    /// without this item.
    pub(crate) fn stored_id(&self, kind: Kind, file_id: Id) -> Option<Id> {
        match self.by_file_id.get(&kind) {
            Some(known) => known.get(&file_id).copied(),
            None => Some(file_id),
        }
    }

    /// Replaces ids of a file by those of this store; returns a field whose id is unknown.
    fn translate<C: Content>(&self, json: &mut Value) -> Option<&'static str> {
        for (field, kind) in C::FOREIGN_KEYS {
            let Some(known) = self.by_file_id.get(kind) else { continue };
            let ids = match json.get_mut(field) {
                Some(Value::Array(ids)) => ids.iter_mut().collect(),
                Some(id) => vec![id],
                None => Vec::new(),
            };
            for id in ids {
                if let Some(file_id) = id.as_i64() {
                    match known.get(&file_id) {
                        Some(stored_id) => *id = Value::from(*stored_id),
                        None => return Some(field),
                    }
                }
            }
        }
        None
    }
}

/// A line of a file.
#[derive(Debug)]
pub struct ImportedLine {
    /// Number of the line, from 1.
    pub number: u64,
    /// Content of the line; the error text if it is not JSON.
    pub json: Result<Value, String>,
}

/// Change made by the import of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Created,
    Updated,
    Unchanged,
}

impl From<ImportOutcome> for Change {
    fn from(outcome: ImportOutcome) -> Self {
        match outcome {
            ImportOutcome::Created(_) => Self::Created,
            ImportOutcome::Updated(_) => Self::Updated,
            ImportOutcome::Unchanged(_) => Self::Unchanged,
        }
    }
}

/// Outcome of a line.
#[derive(Debug)]
pub enum LineOutcome {
    /// Stored or unchanged.
    Accepted(Change),
    /// Not JSON.
    Malformed(String),
    /// Rules are broken.
    Refused(Violations),
}

/// Lines with their numbers: read ones, and outcomes of the rejected ones.
type LinesRead<T> = (Vec<(u64, T)>, Vec<(u64, LineOutcome)>);

/// Reads lines as drafts.
pub(crate) fn read_lines<T>(reader: &DraftReader<T>, lines: Vec<ImportedLine>) -> LinesRead<T>
where
    T: DeserializeOwned + JsonSchema + Validate<Context = ()>,
{
    let mut outcomes = Vec::new();
    let mut read = Vec::with_capacity(lines.len());
    for line in lines {
        let mut json = match line.json {
            Ok(json) => json,
            Err(reason) => {
                outcomes.push((line.number, LineOutcome::Malformed(reason)));
                continue;
            }
        };
        reader.tidy(&mut json);
        match reader.read(json, &()) {
            Ok(draft) => read.push((line.number, draft.into_inner())),
            Err(violations) => outcomes.push((line.number, LineOutcome::Refused(violations))),
        }
    }
    (read, outcomes)
}

/// Outcomes of the lines of a batch, by line number.
type Outcomes = Result<Vec<(u64, LineOutcome)>, Error>;

impl<C: Content> ContentService<C> {
    async fn is_empty(&self) -> Result<bool, Error> {
        Ok(self.repository.matching_ids(&ListQuery::default(), 1).await?.is_empty())
    }

    /// Imports a batch of lines. Invalid lines are rejected one by one; the others are stored
    /// together.
    pub async fn import(&self, lines: Vec<ImportedLine>, ids: &mut IdMap) -> Outcomes {
        let mut outcomes = Vec::with_capacity(lines.len());
        let mut batch = Vec::with_capacity(lines.len());
        let mut accepted = Vec::with_capacity(lines.len());
        let mut known = Vec::new();
        // Position of each natural key in the batch, and lines that repeat one.
        let mut placed: HashMap<u64, usize> = HashMap::new();
        let mut again = Vec::new();
        for line in lines {
            let json = match line.json {
                Ok(json) => json,
                Err(reason) => {
                    outcomes.push((line.number, LineOutcome::Malformed(reason)));
                    continue;
                }
            };
            let file_id = json.get("id").and_then(Value::as_i64);
            match self.importable(json, ids, &mut known).await? {
                Ok(item) => {
                    let key = hashed(&item.content.natural_key());
                    if let Some(first) = ids.stored.get(&C::KIND).and_then(|stored| stored.get(&key)) {
                        let first = *first;
                        ids.remember(C::KIND, file_id, first);
                        outcomes.push((line.number, LineOutcome::Accepted(Change::Unchanged)));
                    } else if let Some(first) = placed.get(&key) {
                        again.push((line.number, file_id, *first));
                    } else {
                        placed.insert(key, accepted.len());
                        batch.push(item);
                        accepted.push((line.number, file_id, key));
                    }
                }
                Err(violations) => outcomes.push((line.number, LineOutcome::Refused(violations))),
            }
        }
        let stored = self.repository.import(batch, self.calendar.now()).await?;
        let mut stored_ids = Vec::with_capacity(stored.len());
        for ((number, file_id, key), outcome) in accepted.into_iter().zip(stored) {
            let (ImportOutcome::Created(stored_id)
            | ImportOutcome::Updated(stored_id)
            | ImportOutcome::Unchanged(stored_id)) = outcome;
            ids.remember(C::KIND, file_id, stored_id);
            ids.stored.entry(C::KIND).or_default().insert(key, stored_id);
            stored_ids.push(stored_id);
            outcomes.push((number, LineOutcome::Accepted(outcome.into())));
        }
        for (number, file_id, first) in again {
            if let Some(first) = stored_ids.get(first).copied() {
                ids.remember(C::KIND, file_id, first);
                outcomes.push((number, LineOutcome::Accepted(Change::Unchanged)));
            }
        }
        outcomes.sort_by_key(|(number, _)| *number);
        Ok(outcomes)
    }

    async fn importable(
        &self,
        mut json: Value,
        ids: &IdMap,
        known: &mut Vec<Reference>,
    ) -> Result<Result<ImportedItem<C>, Violations>, Error> {
        let views = json.get("views").and_then(Value::as_i64).unwrap_or(0).max(0);
        let date = |name: &str| -> Option<DateTime<Utc>> {
            // Rounded to the precision of the clock, which both databases store.
            json.get(name)?.as_str()?.parse::<DateTime<Utc>>().ok().map(|date| date.trunc_subsecs(3))
        };
        let (created_date, updated_date) = (date("createdDate"), date("updatedDate"));
        if let Some(field) = ids.translate::<C>(&mut json) {
            return Ok(Err(Violations(vec![Violation::new(field, Code::UnknownReference)])));
        }
        self.reader.tidy(&mut json);
        let today = self.calendar.today();
        let content = match self.reader.read(json, &today) {
            Ok(content) => content.into_inner(),
            Err(violations) => return Ok(Err(violations)),
        };
        for reference in content.references() {
            if !known.contains(&reference) {
                if let Some(violation) = self.fault_of(&reference).await? {
                    return Ok(Err(Violations(vec![violation])));
                }
                known.push(reference);
            }
        }
        Ok(checked(content, &today).map(|content| ImportedItem {
            content,
            views,
            created_date,
            updated_date,
        }))
    }
}

macro_rules! by_kind {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
        impl ContentServices {
            /// Whether no kind has an item, not counting the trash.
            pub async fn is_empty(&self) -> Result<bool, Error> {
                $(if !self.$field.is_empty().await? {
                    return Ok(false);
                })+
                Ok(true)
            }

            /// [`ContentService::import`] of a kind, boxed for the reason of [`crate::Job`].
            pub fn import<'a>(
                &'a self,
                kind: Kind,
                lines: Vec<ImportedLine>,
                ids: &'a mut IdMap,
            ) -> Pin<Box<dyn Future<Output = Outcomes> + 'a>> {
                match kind {
                    $(Kind::$kind => Box::pin(self.$field.import(lines, ids)),)+
                }
            }
        }
    };
}
domain_catalogue::for_each_kind!(by_kind);
