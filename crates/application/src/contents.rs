//! Use cases of content, for staff and integrators, the same for every kind.

use std::{collections::HashMap, sync::Arc};

use domain_catalogue::{Content, Reference, Stored};
use domain_kernel::{Action, Actor, Code, DraftReader, Id, Page, Version, Violation, Violations};
use garde::Valid;
use ports::{
    ContentConflict, ContentRepositories, ContentRepository, Edit, IdempotencyKey, Inserted, References,
    Removed, Rows, StoreError, Written,
};
use serde_json::Value;

use crate::{
    Calendar, Error,
    body::{not_an_object, parse, read_active},
    idempotency::idempotency_key,
    merge::merged,
    read_query,
    versions::{outdated, require_version, retry_if_outdated},
};

/// Use cases of one kind of content.
pub struct ContentService<C: Content> {
    pub(crate) repository: Arc<dyn ContentRepository<C>>,
    pub(crate) references: Arc<dyn References>,
    pub(crate) calendar: Calendar,
    pub(crate) reader: DraftReader<C>,
}

macro_rules! services {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
        /// Use cases of all kinds of content.
        #[derive(Clone)]
        pub struct ContentServices {
            $(#[doc = $about] pub $field: Arc<ContentService<domain_catalogue::$type>>,)+
        }

        impl ContentServices {
            pub fn new(
                repositories: ContentRepositories,
                references: &Arc<dyn References>,
                calendar: &Calendar,
            ) -> Self {
                Self {
                    $($field: Arc::new(ContentService::new(
                        repositories.$field,
                        references.clone(),
                        calendar.clone(),
                    )),)+
                }
            }
        }
    };
}
domain_catalogue::for_each_kind!(services);

/// A created item, and whether the response is a repetition.
#[derive(Debug)]
pub struct Created<C> {
    /// The item.
    pub stored: Stored<C>,
    /// Whether the same request was answered before under this idempotency key.
    pub replayed: bool,
}

impl<C: Content> ContentService<C> {
    pub fn new(
        repository: Arc<dyn ContentRepository<C>>,
        references: Arc<dyn References>,
        calendar: Calendar,
    ) -> Self {
        Self { repository, references, calendar, reader: DraftReader::new() }
    }

    /// A page of the list. `pairs` are those of the query string.
    pub async fn list(&self, actor: &Actor, pairs: &[(String, String)]) -> Result<Page<Rows>, Error> {
        actor.require(C::KIND.permission(Action::Read))?;
        let query = read_query::<C>(&self.calendar, pairs)?;
        Ok(self.repository.list(&query).await?)
    }

    /// One item with all fields.
    pub async fn find(&self, actor: &Actor, id: Id) -> Result<Stored<C>, Error> {
        actor.require(C::KIND.permission(Action::Read))?;
        self.repository.find(id).await?.ok_or(Error::Missing { kind: C::KIND, id })
    }

    /// Adds an item. A repeated body with the same idempotency key gets the first response again.
    pub async fn create(&self, actor: &Actor, body: &[u8], key: Option<&str>) -> Result<Created<C>, Error> {
        actor.require(C::KIND.permission(Action::Create))?;
        let json = parse(body)?;
        let once = idempotency_key(actor, key, C::KIND.path(), &json);
        let content = match self.checked(json, None).await {
            Ok(content) => content,
            Err(refusal) => return self.replayed_or(once, refusal).await,
        };
        let references = content.references();
        let outcome = self.repository.insert(content, self.edit_by(actor), once).await;
        match self.unless_dangling(outcome, &references).await? {
            Inserted::New(stored) => Ok(Created { stored, replayed: false }),
            Inserted::Replayed(stored) => Ok(Created { stored, replayed: true }),
            Inserted::KeyReused => Err(Error::IdempotencyMismatch),
            Inserted::Conflict(other) => Err(conflicting(&other)),
        }
    }

    /// The first response to the same request, even if it would be rejected now because a category
    /// was deleted since; otherwise the rejection.
    pub(crate) async fn replayed_or(
        &self,
        once: Option<IdempotencyKey>,
        refusal: Error,
    ) -> Result<Created<C>, Error> {
        let Some(once) = once else { return Err(refusal) };
        match self.repository.answered(&once).await? {
            Some(Inserted::Replayed(stored)) => Ok(Created { stored, replayed: true }),
            Some(Inserted::KeyReused) => Err(Error::IdempotencyMismatch),
            _ => Err(refusal),
        }
    }

    /// Replaces an item.
    pub async fn replace(
        &self,
        actor: &Actor,
        id: Id,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<Stored<C>, Error> {
        actor.require(C::KIND.permission(Action::Update))?;
        let draft = self.read_draft(parse(body)?).await?;
        retry_if_outdated(expected, async || {
            let found = self.repository.find(id).await?;
            let current = found.ok_or(Error::Missing { kind: C::KIND, id })?;
            require_version(expected, current.version, || outdated(&current))?;
            self.replace_version(actor, &current, draft.clone()).await
        })
        .await
    }

    /// Replaces the version that was read, and no other, by a draft. Fields set by the server keep
    /// their values if the draft omits them.
    pub(crate) async fn replace_version(
        &self,
        actor: &Actor,
        current: &Stored<C>,
        draft: Valid<C>,
    ) -> Result<Stored<C>, Error> {
        let content = self.filled(draft, Some(&current.content))?;
        let references = content.references();
        let edit = self.edit_by(actor);
        let outcome = self.repository.replace(current.id, content, Some(current.version), edit).await;
        self.written(current.id, self.unless_dangling(outcome, &references).await?)
    }

    /// Merges changes into an item (RFC 7396); the complete result must be valid. After a
    /// concurrent change, the merge restarts from the new values, so that no change is lost.
    pub async fn merge(
        &self,
        actor: &Actor,
        id: Id,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<Stored<C>, Error> {
        actor.require(C::KIND.permission(Action::Update))?;
        let patch = parse(body)?;
        if !patch.is_object() {
            return Err(not_an_object());
        }
        retry_if_outdated(expected, async || {
            let found = self.repository.find(id).await?;
            let current = found.ok_or(Error::Missing { kind: C::KIND, id })?;
            require_version(expected, current.version, || outdated(&current))?;
            self.merge_into(actor, &current, patch.clone()).await
        })
        .await
    }

    /// Merges changes into the version that was read, and writes over no other.
    pub(crate) async fn merge_into(
        &self,
        actor: &Actor,
        current: &Stored<C>,
        patch: Value,
    ) -> Result<Stored<C>, Error> {
        let draft = self.read_draft(merged(&current.content, patch)?).await?;
        self.replace_version(actor, current, draft).await
    }

    /// Activates or deactivates an item for viewers. The body is `{"active": true}`.
    pub async fn set_active(
        &self,
        actor: &Actor,
        id: Id,
        body: &[u8],
        expected: Option<Version>,
    ) -> Result<Stored<C>, Error> {
        actor.require(C::KIND.permission(Action::ToggleStatus))?;
        let active = read_active(&parse(body)?)?;
        self.written(id, self.repository.set_active(id, active, expected, self.edit_by(actor)).await?)
    }

    /// Moves an item without references to it into the trash.
    pub async fn delete(&self, actor: &Actor, id: Id, expected: Option<Version>) -> Result<(), Error> {
        actor.require(C::KIND.permission(Action::Delete))?;
        match self.repository.delete(id, expected, self.edit_by(actor)).await? {
            Removed::Done => Ok(()),
            Removed::Missing => Err(Error::Missing { kind: C::KIND, id }),
            Removed::Outdated(current) => Err(outdated(&current)?),
            Removed::Conflict(counts) => Err(Error::InUse(C::KIND, counts)),
        }
    }

    pub(crate) fn edit_by(&self, actor: &Actor) -> Edit {
        self.calendar.edit_by(actor)
    }

    /// A valid draft whose references exist.
    pub(crate) async fn checked(&self, json: Value, previous: Option<&C>) -> Result<Valid<C>, Error> {
        Ok(self.filled(self.read_draft(json).await?, previous)?)
    }

    /// The same, before the server's fields are filled.
    pub(crate) async fn read_draft(&self, json: Value) -> Result<Valid<C>, Error> {
        let draft = self.reader.read(json, &self.calendar.today())?;
        self.check_references(&draft.references()).await?;
        Ok(draft)
    }

    /// A draft with the server's fields. It is validated again after a change by them.
    pub(crate) fn filled(&self, draft: Valid<C>, previous: Option<&C>) -> Result<Valid<C>, Violations> {
        let mut content = (*draft).clone();
        content.fill_server_fields(previous, self.calendar.now());
        if content == *draft { Ok(draft) } else { domain_kernel::checked(content, &self.calendar.today()) }
    }

    /// A reference may be deleted between the check and the write; the repeated check has the
    /// better error.
    pub(crate) async fn unless_dangling<T>(
        &self,
        outcome: Result<T, StoreError>,
        references: &[Reference],
    ) -> Result<T, Error> {
        if let Err(StoreError::Dangling(_)) = outcome {
            self.check_references(references).await?;
        }
        Ok(outcome?)
    }

    async fn check_references(&self, references: &[Reference]) -> Result<(), Error> {
        let violations = self.faults_of(references).await?;
        if violations.is_empty() { Ok(()) } else { Err(Violations(violations).into()) }
    }

    /// The violation of a reference, if any.
    pub(crate) async fn fault_of(&self, reference: &Reference) -> Result<Option<Violation>, Error> {
        Ok(self.faults_of(std::slice::from_ref(reference)).await?.pop())
    }

    /// Violations of references. Categories are read together, because a channel may have many.
    async fn faults_of(&self, references: &[Reference]) -> Result<Vec<Violation>, Error> {
        let of_category = references.iter().filter(|reference| reference.category_type.is_some());
        let categories: Vec<Id> = of_category.map(|reference| reference.id).collect();
        let types = if categories.is_empty() {
            HashMap::new()
        } else {
            self.references.category_types(&categories).await?
        };
        let mut faults = Vec::new();
        for reference in references {
            let exists = match reference.category_type {
                Some(_) => types.contains_key(&reference.id),
                None => self.references.exists(reference.kind, reference.id).await?,
            };
            if !exists {
                faults.push(Violation::new(reference.field, Code::UnknownReference).with("id", reference.id));
            } else if let Some(expected) = reference.category_type
                && types.get(&reference.id) != Some(&expected)
            {
                let expected = domain_kernel::Enumeration::code(expected);
                let fault = Violation::new(reference.field, Code::WrongCategoryType);
                faults.push(fault.with("expected", expected).with("id", reference.id));
            }
        }
        Ok(faults)
    }

    fn written(&self, id: Id, outcome: Written<Stored<C>, ContentConflict<C>>) -> Result<Stored<C>, Error> {
        match outcome {
            Written::Done(stored) => Ok(stored),
            Written::Missing => Err(Error::Missing { kind: C::KIND, id }),
            Written::Outdated(current) => Err(outdated(&current)?),
            Written::Conflict(ContentConflict::Duplicate(other)) => Err(conflicting(&other)),
            Written::Conflict(ContentConflict::Used { fields, count }) => {
                let fixed = |field| Violation::new(field, Code::FixedWhileUsed).with("count", count);
                Err(Violations(fields.into_iter().map(fixed).collect()).into())
            }
        }
    }
}

pub(crate) fn conflicting<C: Content>(other: &Stored<C>) -> Error {
    Error::Conflicting { kind: C::KIND, id: other.id, title: other.content.name() }
}
