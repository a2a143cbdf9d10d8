//! Bringing content in from files, in batches. The operator of the machine runs this: no permission is needed.

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

/// Ids inside files are the files' own; this says which ids they have here. A kind that was not imported in the
/// same run has no entry, and its ids mean those of this store.
#[derive(Debug, Default)]
pub struct IdMap {
    ours: HashMap<Kind, HashMap<Id, Id>>,
    /// What this run has stored already, by the hash of its natural key: the first of two alike stands.
    stored: HashMap<Kind, HashMap<u64, Id>>,
}

fn hashed(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

impl IdMap {
    /// From here on, ids of this kind are looked up.
    pub fn expect(&mut self, kind: Kind) {
        self.ours.entry(kind).or_default();
    }

    fn remember(&mut self, kind: Kind, theirs: Option<Id>, ours: Id) {
        if let Some(theirs) = theirs {
            self.ours.entry(kind).or_default().insert(theirs, ours);
        }
    }

    /// Our id for one of theirs; `None` where the kind came in the same run and this one did not.
    pub(crate) fn ours(&self, kind: Kind, theirs: Id) -> Option<Id> {
        match self.ours.get(&kind) {
            Some(known) => known.get(&theirs).copied(),
            None => Some(theirs),
        }
    }

    /// Our ids in the place of theirs; the field whose id is not known, where there is one.
    fn translate<C: Content>(&self, json: &mut Value) -> Option<&'static str> {
        for (field, kind) in C::FOREIGN_KEYS {
            let Some(known) = self.ours.get(kind) else { continue };
            let ids = match json.get_mut(field) {
                Some(Value::Array(ids)) => ids.iter_mut().collect(),
                Some(id) => vec![id],
                None => Vec::new(),
            };
            for id in ids {
                if let Some(theirs) = id.as_i64() {
                    match known.get(&theirs) {
                        Some(ours) => *id = Value::from(*ours),
                        None => return Some(field),
                    }
                }
            }
        }
        None
    }
}

/// One line of a file.
#[derive(Debug)]
pub struct ImportedLine {
    /// Its number, from 1.
    pub number: u64,
    /// What it says; a text where it is not JSON.
    pub json: Result<Value, String>,
}

/// What taking a line over changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It was not there.
    Created,
    /// It was there and differed.
    Updated,
    /// It was there, just so.
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

/// What became of a line.
#[derive(Debug)]
pub enum LineOutcome {
    /// Stored, or as it was.
    Accepted(Change),
    /// Not JSON.
    Malformed(String),
    /// Rules are broken.
    Refused(Violations),
}

/// Lines with their numbers: what was read of them, and what became of those that are refused.
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

/// What became of each line of a batch, by the line's number.
type Outcomes = Result<Vec<(u64, LineOutcome)>, Error>;

impl<C: Content> ContentService<C> {
    async fn is_empty(&self) -> Result<bool, Error> {
        Ok(self.repository.matching_ids(&ListQuery::default(), 1).await?.is_empty())
    }

    /// Imports a batch of lines. Lines that break rules are refused one by one; the rest of the batch is stored
    /// together.
    pub async fn import(&self, lines: Vec<ImportedLine>, ids: &mut IdMap) -> Outcomes {
        let mut outcomes = Vec::with_capacity(lines.len());
        let mut batch = Vec::with_capacity(lines.len());
        let mut accepted = Vec::with_capacity(lines.len());
        let mut known = Vec::new();
        // Where in the batch each natural key stands, and those that stand there already.
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
            let theirs = json.get("id").and_then(Value::as_i64);
            match self.importable(json, ids, &mut known).await? {
                Ok(item) => {
                    let key = hashed(&item.content.natural_key());
                    if let Some(first) = ids.stored.get(&C::KIND).and_then(|stored| stored.get(&key)) {
                        let first = *first;
                        ids.remember(C::KIND, theirs, first);
                        outcomes.push((line.number, LineOutcome::Accepted(Change::Unchanged)));
                    } else if let Some(first) = placed.get(&key) {
                        again.push((line.number, theirs, *first));
                    } else {
                        placed.insert(key, accepted.len());
                        batch.push(item);
                        accepted.push((line.number, theirs, key));
                    }
                }
                Err(violations) => outcomes.push((line.number, LineOutcome::Refused(violations))),
            }
        }
        let stored = self.repository.import(batch, self.calendar.now()).await?;
        let mut stored_ids = Vec::with_capacity(stored.len());
        for ((number, theirs, key), outcome) in accepted.into_iter().zip(stored) {
            let (ImportOutcome::Created(ours)
            | ImportOutcome::Updated(ours)
            | ImportOutcome::Unchanged(ours)) = outcome;
            ids.remember(C::KIND, theirs, ours);
            ids.stored.entry(C::KIND).or_default().insert(key, ours);
            stored_ids.push(ours);
            outcomes.push((number, LineOutcome::Accepted(outcome.into())));
        }
        for (number, theirs, first) in again {
            if let Some(first) = stored_ids.get(first).copied() {
                ids.remember(C::KIND, theirs, first);
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
            // As exact as the clock: what both databases keep alike.
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
            /// Whether there is no item of any kind. What is in the trash is not counted.
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
