//! Bulk operations: the same change of many items of one kind, previewed, carried out in slices beside the requests, and
//! undone (docs/spec/bulk-operations.md).

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use chrono::{DateTime, Utc};
use domain_catalogue::{Content, Kind, Reference, Stored};
use domain_kernel::{
    Action, Actor, Code, Denied, DraftReader, Enumeration, FieldDiff, FilterKind, FilterValue, Id, ListQuery,
    MAX_PAGE_SIZE, Origin, Source, Username, Violation, Violations, difference, restore,
};
use domain_operations::{
    BulkChange, BulkOperation, FailureCode, MAX_ITEMS, OperationRequest, OperationRow, OperationState,
    SheetImportRequest, Verdict,
};
use domain_users::UserStatus;
use garde::Valid;
use ports::{
    Inserted, ItemChange, ItemWrite, NewOperation, OperationRepository, SliceItem, SliceOf, SliceWritten,
    StoreError, UserRepository, in_use,
};
use serde_json::{Map, Value};

use crate::{
    Calendar, ContentService, ContentServices, Error, ListShape, OperationRefusal, SheetImportService,
    contents::{once_only, parse, to_json},
    read_list_query, read_query,
    sheet_imports::may_import,
};

/// Operations that their list shows.
const SHOWN: u64 = 100;
/// Rows of a page, where no size is named.
const ROWS: u32 = 100;
/// How operations are called in texts.
const OPERATIONS: &str = "operations";

/// An operation, and whether it was begun before by the same request.
#[derive(Debug)]
pub struct OperationBegun {
    /// The operation.
    pub operation: BulkOperation,
    /// The same request came before, under the same idempotency key.
    pub replayed: bool,
}

/// How far the items that failed have been read.
#[derive(Debug)]
pub struct FailedRows {
    operation: Id,
    /// Verdicts that are still to be read; the last one is next.
    verdicts: Vec<Verdict>,
    offset: u64,
}

/// What a slice does to its items.
pub(crate) enum SliceChange<'a> {
    /// The change of a bulk operation.
    Make(&'a BulkChange),
    /// Gives each item back what another operation changed of it.
    Undo(&'a HashMap<Id, FieldDiff>),
    /// The same for an import, which added items too.
    UndoImport(&'a ImportUndo),
    /// Moves the items to the trash.
    Delete,
    /// Takes the items out of the trash.
    Restore,
}

/// What is undone of an import, or of its undoing.
pub(crate) struct ImportUndo {
    diffs: HashMap<Id, FieldDiff>,
    /// The items that the import added.
    added: HashSet<Id>,
    /// Whether those come back from the trash; else they move there.
    restores: bool,
    /// Whether the import itself is undone.
    is_first: bool,
    /// When what is undone ended.
    ended: Option<DateTime<Utc>>,
}

impl ImportUndo {
    /// Whether somebody changed an item since the import added it, or its restoration brought it back: then it stays.
    fn was_changed<C>(&self, item: &Stored<C>) -> bool {
        if self.is_first {
            item.version != 1
        } else {
            self.ended.is_some_and(|ended| item.updated_date > ended)
        }
    }
}

impl<C: Content> ContentService<C> {
    /// The ids of what the list shows with these parameters; at most so many.
    async fn matching_ids(&self, pairs: &[(String, String)], limit: u64) -> Result<Vec<Id>, Error> {
        // In the order of ids: what a slice changes does not move what follows.
        let query = ListQuery { sort: Vec::new(), ..read_query::<C>(&self.calendar, pairs)? };
        Ok(self.repository.matching_ids(&query, limit).await?)
    }

    /// Does a slice: in a dry run nothing but its rows is written.
    async fn run_slice(
        &self,
        actor: &Actor,
        slice: SliceOf,
        items: &[Id],
        change: SliceChange<'_>,
        dry_run: bool,
    ) -> Result<SliceWritten, Error> {
        let mut stored = self.items_of_slice(items, &change).await?;
        let mut validated = Vec::with_capacity(items.len());
        for (position, id) in (slice.first_position..).zip(items) {
            let mut row = OperationRow {
                position,
                item: *id,
                title: String::new(),
                verdict: Verdict::Missing,
                before: Map::new(),
                after: Map::new(),
                problems: Vec::new(),
                sheet_row: None,
            };
            let change = match stored.remove(id) {
                None => None,
                Some(current) => {
                    let title = current.content.search_text();
                    title.lines().next().unwrap_or_default().clone_into(&mut row.title);
                    self.change_of(current, &change, &mut row)?
                }
            };
            validated.push(SliceItem { row, change });
        }
        self.refuse_dangling(&mut validated).await?;
        if dry_run {
            self.refuse_used(&mut validated).await?;
            for item in &mut validated {
                item.change = None;
            }
        }
        Ok(self.repository.write_slice(slice, validated, self.edit_by(actor)).await?)
    }

    /// The items as they are; those to be restored, as they were deleted.
    async fn items_of_slice(
        &self,
        items: &[Id],
        change: &SliceChange<'_>,
    ) -> Result<HashMap<Id, Stored<C>>, Error> {
        let is_restored = |id: &Id| match change {
            SliceChange::Restore => true,
            SliceChange::UndoImport(undo) => undo.restores && undo.added.contains(id),
            SliceChange::Make(_) | SliceChange::Undo(_) | SliceChange::Delete => false,
        };
        let (restored, others): (Vec<Id>, Vec<Id>) = items.iter().partition(|id| is_restored(id));
        let mut stored = Vec::with_capacity(items.len());
        for id in restored {
            stored.extend(self.repository.trashed(id).await?);
        }
        if !others.is_empty() {
            stored.extend(self.repository.find_all(&others).await?);
        }
        Ok(stored.into_iter().map(|item| (item.id, item)).collect())
    }

    /// What happens to an item, if anything does; the row says which.
    fn change_of(
        &self,
        current: Stored<C>,
        change: &SliceChange<'_>,
        row: &mut OperationRow,
    ) -> Result<Option<ItemChange<C>>, Error> {
        match change {
            SliceChange::Make(_) | SliceChange::Undo(_) => {
                let after = self.changed(&current.content, change, row)?;
                let (version, before) = (current.version, current.content);
                Ok(after.map(|after| ItemChange::Write(Box::new(ItemWrite { version, before, after }))))
            }
            SliceChange::UndoImport(undo) if !undo.added.contains(&row.item) => {
                self.change_of(current, &SliceChange::Undo(&undo.diffs), row)
            }
            SliceChange::UndoImport(undo) if undo.restores => {
                self.change_of(current, &SliceChange::Restore, row)
            }
            SliceChange::UndoImport(undo) if undo.was_changed(&current) => {
                row.verdict = Verdict::Refused;
                row.problems = vec![Violation::new("", Code::ChangedSince)];
                Ok(None)
            }
            SliceChange::Delete | SliceChange::UndoImport(_) => {
                row.verdict = Verdict::Changed;
                Ok(Some(ItemChange::Delete(current.version)))
            }
            SliceChange::Restore => match self.validated(to_json(&current.content)?, &current.content) {
                Ok(content) => {
                    row.verdict = Verdict::Changed;
                    Ok(Some(ItemChange::Restore(Box::new(content))))
                }
                Err(violations) => {
                    row.verdict = Verdict::Refused;
                    row.problems = violations.shortened().0;
                    Ok(None)
                }
            },
        }
    }

    /// Refuses to delete what other content refers to. The store does so too: this is for dry runs.
    async fn refuse_used(&self, items: &mut [SliceItem<C>]) -> Result<(), Error> {
        for item in items {
            if !matches!(item.change, Some(ItemChange::Delete(_))) {
                continue;
            }
            let usage = self.repository.usage(item.row.item).await?.unwrap_or_default();
            if !usage.is_empty() {
                item.row.verdict = Verdict::Refused;
                item.row.problems = vec![in_use(&usage)];
            }
        }
        Ok(())
    }

    /// The item after the change, if it differs and keeps its rules; the row says which.
    fn changed(
        &self,
        current: &C,
        change: &SliceChange<'_>,
        row: &mut OperationRow,
    ) -> Result<Option<Valid<C>>, Error> {
        let Value::Object(before) = to_json(current)? else {
            return Err(StoreError::Broken("content that is no object".into()).into());
        };
        let mut wanted = before.clone();
        match change {
            SliceChange::Make(change) => change.apply(row.item, &mut wanted),
            // They change no content.
            SliceChange::Delete | SliceChange::Restore | SliceChange::UndoImport(_) => {}
            SliceChange::Undo(diffs) => {
                let changed_since = diffs.get(&row.item).map(|diff| restore(diff, &mut wanted));
                let problem = |field| Violation::new(field, Code::ChangedSince);
                row.problems = changed_since.unwrap_or_default().into_iter().map(problem).collect();
            }
        }
        if difference(&before, &wanted).before.is_empty() {
            row.verdict = if row.problems.is_empty() { Verdict::Unchanged } else { Verdict::Refused };
            return Ok(None);
        }
        match self.validated(wanted.into(), current) {
            Ok(content) => {
                let Value::Object(after) = to_json(&*content)? else { return Ok(None) };
                let diff = difference(&before, &after);
                if diff.before.is_empty() {
                    row.verdict = Verdict::Unchanged;
                    return Ok(None);
                }
                row.verdict = Verdict::Changed;
                (row.before, row.after) = (diff.before, diff.after);
                Ok(Some(content))
            }
            Err(violations) => {
                row.verdict = Verdict::Refused;
                row.problems = violations.shortened().0;
                Ok(None)
            }
        }
    }

    fn validated(&self, json: Value, current: &C) -> Result<Valid<C>, Violations> {
        let today = self.calendar.today();
        let mut content = self.reader.read(json, &today)?.into_inner();
        content.fill_server_fields(Some(current), self.calendar.now());
        domain_kernel::checked(content, &today)
    }

    /// Refuses the changes that refer to what does not exist or is of another type. Each reference is looked up once: many
    /// items get the same category.
    pub(crate) async fn refuse_dangling(&self, items: &mut [SliceItem<C>]) -> Result<(), Error> {
        let mut seen: Vec<(Reference, Option<Violation>)> = Vec::new();
        for item in items {
            let references = match &item.change {
                Some(ItemChange::Write(write)) => write.after.references(),
                Some(ItemChange::Restore(content) | ItemChange::Create(content)) => content.references(),
                Some(ItemChange::Delete(_)) | None => continue,
            };
            let mut violations = Vec::new();
            for reference in references {
                let known = seen.iter().find(|(known, _)| *known == reference);
                let fault = if let Some((_, fault)) = known {
                    fault.clone()
                } else {
                    let fault = self.fault_of(&reference).await?;
                    seen.push((reference, fault.clone()));
                    fault
                };
                violations.extend(fault);
            }
            if !violations.is_empty() {
                item.change = None;
                item.row.verdict = Verdict::Refused;
                item.row.problems = violations;
                item.row.before.clear();
                item.row.after.clear();
            }
        }
        Ok(())
    }
}

macro_rules! by_kind {
    ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {
        impl ContentServices {
            /// The fields that items of the kind have.
            fn fields(&self, kind: Kind) -> Vec<&str> {
                match kind {
                    $(Kind::$kind => self.$field.reader.fields().collect(),)+
                }
            }

            async fn matching_ids(
                &self,
                kind: Kind,
                pairs: &[(String, String)],
                limit: u64,
            ) -> Result<Vec<Id>, Error> {
                match kind {
                    $(Kind::$kind => Box::pin(self.$field.matching_ids(pairs, limit)).await,)+
                }
            }

            async fn run_slice(
                &self,
                kind: Kind,
                actor: &Actor,
                slice: SliceOf,
                items: &[Id],
                change: SliceChange<'_>,
                dry_run: bool,
            ) -> Result<SliceWritten, Error> {
                match kind {
                    $(Kind::$kind => {
                        Box::pin(self.$field.run_slice(actor, slice, items, change, dry_run)).await
                    })+
                }
            }
        }
    };
}
domain_catalogue::for_each_kind!(by_kind);

/// The use cases of bulk operations.
pub struct OperationService {
    operations: Arc<dyn OperationRepository>,
    users: Arc<dyn UserRepository>,
    contents: ContentServices,
    imports: Arc<SheetImportService>,
    calendar: Calendar,
    requests: DraftReader<OperationRequest>,
    import_requests: DraftReader<SheetImportRequest>,
}

impl OperationService {
    /// The use cases over their ports.
    pub fn new(
        operations: Arc<dyn OperationRepository>,
        users: Arc<dyn UserRepository>,
        contents: ContentServices,
        imports: Arc<SheetImportService>,
        calendar: Calendar,
    ) -> Self {
        Self {
            operations,
            users,
            contents,
            imports,
            calendar,
            requests: DraftReader::new(),
            import_requests: DraftReader::new(),
        }
    }

    /// Begins an operation: a job carries it out. With an idempotency key, the same request again is answered as the first
    /// time.
    pub async fn begin(
        &self,
        actor: &Actor,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<OperationBegun, Error> {
        require_editor(actor)?;
        let json = parse(body)?;
        let once = once_only(actor, key, OPERATIONS, &json);
        let request = self.requests.read(json, &())?.into_inner();
        let kind =
            request.kind().ok_or_else(|| Violations(vec![Violation::new("resource", Code::UnknownValue)]))?;
        require(actor, kind, Some(&request.action))?;
        let fields = self.contents.fields(kind);
        let faults = request.action.faults(|name| fields.contains(&name));
        if !faults.is_empty() {
            return Err(Violations(faults).into());
        }
        let ids = match (request.ids, request.filter) {
            (Some(mut ids), _) => {
                ids.sort_unstable();
                ids.dedup();
                ids
            }
            (None, filter) => self.matching(kind, &filter.unwrap_or_default()).await?,
        };
        let count = i64::try_from(ids.len()).unwrap_or(i64::MAX);
        if request.expected_count.is_some_and(|expected| expected != count) {
            return Err(Error::Operation(OperationRefusal::CountChanged(count)));
        }
        if ids.is_empty() {
            return Err(Error::Operation(OperationRefusal::Nothing));
        }
        let operation = NewOperation {
            kind,
            change: Some(request.action),
            undo_of: None,
            import: None,
            dry_run: request.dry_run,
            created_by: actor.username.to_string(),
            created_date: self.calendar.now(),
            origin: actor.origin,
            items: ids,
        };
        self.record(operation, once).await
    }

    /// Begins to import a file that was uploaded.
    pub async fn begin_import(
        &self,
        actor: &Actor,
        kind: Kind,
        sheet: Id,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<OperationBegun, Error> {
        may_import(actor, kind)?;
        let json = parse(body)?;
        let once = once_only(actor, key, &format!("{OPERATIONS} of {sheet}"), &json);
        let request = self.import_requests.read(json, &())?.into_inner();
        let import = self.imports.import_of(actor, kind, sheet, request.columns).await?;
        let operation = NewOperation {
            kind,
            change: None,
            undo_of: None,
            import: Some(import),
            dry_run: request.dry_run,
            created_by: actor.username.to_string(),
            created_date: self.calendar.now(),
            origin: actor.origin,
            items: Vec::new(),
        };
        self.record(operation, once).await
    }

    async fn matching(&self, kind: Kind, filter: &Map<String, Value>) -> Result<Vec<Id>, Error> {
        let mut pairs = Vec::new();
        let mut faults = Vec::new();
        for (name, value) in filter {
            match value {
                _ if name.starts_with('_') => {
                    faults.push(Violation::new(format!("filter.{name}"), Code::UnknownField));
                }
                Value::Null => {}
                Value::String(text) => pairs.push((name.clone(), text.clone())),
                Value::Bool(_) | Value::Number(_) => pairs.push((name.clone(), value.to_string())),
                Value::Array(_) | Value::Object(_) => {
                    let fault = Violation::new(format!("filter.{name}"), Code::WrongType);
                    faults.push(fault.with("expected", "string"));
                }
            }
        }
        if !faults.is_empty() {
            return Err(Violations(faults).into());
        }
        let found = self.contents.matching_ids(kind, &pairs, MAX_ITEMS as u64 + 1).await;
        let ids = found.map_err(|error| match error {
            Error::Invalid(Violations(mut all)) => {
                for violation in &mut all {
                    violation.field = format!("filter.{}", violation.field);
                }
                Violations(all).into()
            }
            other => other,
        })?;
        if ids.len() > MAX_ITEMS {
            return Err(
                Violations(vec![Violation::new("filter", Code::TooMany).with("max", MAX_ITEMS)]).into()
            );
        }
        Ok(ids)
    }

    async fn record(
        &self,
        operation: NewOperation,
        once: Option<ports::IdempotencyKey>,
    ) -> Result<OperationBegun, Error> {
        let (by, items, dry_run) = (operation.created_by.clone(), operation.items.len(), operation.dry_run);
        match self.operations.insert(operation, once).await? {
            Inserted::New(operation) => {
                tracing::info!(actor = by, operation = operation.id, items, dry_run, "bulk operation begun");
                Ok(OperationBegun { operation, replayed: false })
            }
            Inserted::Replayed(operation) => Ok(OperationBegun { operation, replayed: true }),
            Inserted::KeyReused => Err(Error::IdempotencyMismatch),
            Inserted::Conflict(ports::AlreadyUndone) => Err(Error::Operation(OperationRefusal::Undone)),
        }
    }

    /// The newest operations: admins see everybody's, others their own.
    pub async fn list(&self, actor: &Actor) -> Result<Vec<BulkOperation>, Error> {
        require_editor(actor)?;
        let name = actor.username.as_str();
        let of = if actor.role.passes_every_check() { None } else { Some(name) };
        Ok(self.operations.newest(of, SHOWN).await?)
    }

    /// One operation: an admin's, or the actor's own.
    pub async fn find(&self, actor: &Actor, id: Id) -> Result<BulkOperation, Error> {
        require_editor(actor)?;
        let missing = || Error::NoSuch { what: OPERATIONS, id };
        let operation = self.operations.find(id).await?.ok_or_else(missing)?;
        let visible = actor.role.passes_every_check() || operation.created_by == actor.username.as_str();
        if visible { Ok(operation) } else { Err(missing()) }
    }

    /// The parameters of an operation's rows.
    fn rows_shape() -> ListShape {
        ListShape {
            page_size: ROWS,
            sorts: vec!["position"],
            filters: &[("verdict", FilterKind::Code(Verdict::CODES))],
        }
    }

    /// A page of the rows of an operation, in the order of its items. Needs the permission to read the items.
    pub async fn rows(
        &self,
        actor: &Actor,
        id: Id,
        pairs: &[(String, String)],
    ) -> Result<Vec<OperationRow>, Error> {
        let operation = self.find(actor, id).await?;
        actor.require(operation.kind.permission(Action::Read))?;
        let query = read_list_query(&Self::rows_shape(), pairs)?;
        let verdict = query.filters.iter().find_map(|filter| match filter.value {
            FilterValue::Code(code) => Verdict::from_code(code),
            _ => None,
        });
        Ok(self.operations.rows(id, verdict, query.offset(), query.size.into()).await?)
    }

    /// Begins to read the items that an operation did not change although it was to: refused, in conflict, missing.
    pub async fn failures(&self, actor: &Actor, id: Id) -> Result<FailedRows, Error> {
        let operation = self.find(actor, id).await?;
        actor.require(operation.kind.permission(Action::Read))?;
        Ok(FailedRows {
            operation: id,
            verdicts: vec![Verdict::Missing, Verdict::Conflict, Verdict::Refused],
            offset: 0,
        })
    }

    /// The next of them; none after the last.
    pub async fn next_failures(&self, failed: &mut FailedRows) -> Result<Vec<OperationRow>, Error> {
        while let Some(verdict) = failed.verdicts.last().copied() {
            let (id, limit) = (failed.operation, MAX_PAGE_SIZE.into());
            let rows = self.operations.rows(id, Some(verdict), failed.offset, limit).await?;
            if !rows.is_empty() {
                failed.offset += limit;
                return Ok(rows);
            }
            failed.verdicts.pop();
            failed.offset = 0;
        }
        Ok(Vec::new())
    }

    /// Stops an operation. What it did remains, and can be undone.
    pub async fn cancel(&self, actor: &Actor, id: Id) -> Result<BulkOperation, Error> {
        let operation = self.find(actor, id).await?;
        self.require_for(actor, &operation).await?;
        let edit = self.calendar.edit_by(actor);
        if !self.operations.end(id, OperationState::Cancelled, None, &edit).await? {
            return Err(Error::Operation(OperationRefusal::Ended));
        }
        tracing::info!(actor = actor.username.as_str(), operation = id, "bulk operation cancelled");
        self.find(actor, id).await
    }

    /// Begins an operation that gives items back the values that another one changed, where nobody changed them since.
    pub async fn undo(&self, actor: &Actor, id: Id) -> Result<BulkOperation, Error> {
        let operation = self.find(actor, id).await?;
        self.require_for(actor, &operation).await?;
        self.require_for_undoing(actor, &operation).await?;
        let now = self.calendar.now();
        let refused = |refusal| Err(Error::Operation(refusal));
        match operation.undo_until() {
            _ if operation.undone_by.is_some() => return refused(OperationRefusal::Undone),
            _ if operation.state.is_unfinished() => return refused(OperationRefusal::Unfinished),
            None => return refused(OperationRefusal::Nothing),
            Some(until) if until <= now => return refused(OperationRefusal::TooLate),
            Some(_) => {}
        }
        let undo = NewOperation {
            kind: operation.kind,
            change: None,
            undo_of: Some(id),
            import: None,
            dry_run: false,
            created_by: actor.username.to_string(),
            created_date: now,
            origin: actor.origin,
            items: self.operations.changed_items(id).await?,
        };
        Ok(self.record(undo, None).await?.operation)
    }

    /// Does one slice of an operation that is unfinished; answers whether there was one. Called by the one job that carries
    /// operations out. Where the store is away, the slice is done later; an operation that can't go on for another reason
    /// fails, so that it does not hold up the others.
    pub async fn step(&self) -> Result<bool, Error> {
        let Some(operation) = self.operations.next().await? else { return Ok(false) };
        match self.run_slice_of(&operation).await {
            Ok(()) => {}
            Err(Error::Denied(denied)) => {
                tracing::warn!(operation = operation.id, %denied, "bulk operation failed");
                self.fail(&operation, FailureCode::Forbidden).await?;
            }
            Err(error) if error.code() == Code::Internal => {
                tracing::error!(operation = operation.id, %error, "bulk operation failed");
                self.fail(&operation, FailureCode::Internal).await?;
            }
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    async fn fail(&self, operation: &BulkOperation, failure: FailureCode) -> Result<bool, Error> {
        let edit = self.calendar.edit_of_server();
        Ok(self.operations.end(operation.id, OperationState::Failed, Some(failure), &edit).await?)
    }

    async fn run_slice_of(&self, operation: &BulkOperation) -> Result<(), Error> {
        let actor = self.actor_of(operation).await?;
        let slice = SliceOf {
            operation: operation.id,
            number: operation.slices_done,
            first_position: operation.counts.done(),
        };
        if let Some(import) = &operation.import {
            return self.imports.run_slice(&actor, operation, import, slice).await.map(drop);
        }
        let items = self.operations.slice(slice.operation, slice.number).await?;
        let items = items.ok_or_else(|| StoreError::Broken("an operation lacks a slice".into()))?;
        let diffs;
        let import_undo;
        let change = if let Some(deletes) = self.deletes(operation).await? {
            if deletes { SliceChange::Delete } else { SliceChange::Restore }
        } else if let Some(change) = &operation.change {
            SliceChange::Make(change)
        } else {
            let undone = operation.undo_of.unwrap_or_default();
            diffs = self.operations.changes_of(undone, &items).await?.into_iter().collect();
            if let Some((root, restores)) = self.import_of(operation).await? {
                let ended = self.operations.find(undone).await?.and_then(|undone| undone.finished_date);
                let added = self.imports.added_items(root.id, &items).await?;
                let is_first = undone == root.id;
                import_undo = ImportUndo { diffs, added, restores, is_first, ended };
                SliceChange::UndoImport(&import_undo)
            } else {
                SliceChange::Undo(&diffs)
            }
        };
        let (kind, dry_run) = (operation.kind, operation.dry_run);
        self.contents.run_slice(kind, &actor, slice, &items, change, dry_run).await.map(drop)
    }

    /// Whoever began the operation, if they still may carry it out.
    async fn actor_of(&self, operation: &BulkOperation) -> Result<Actor, Error> {
        let denied = || Error::Denied(Denied(operation.kind.permission(Action::Update)));
        let username = Username::parse(&operation.created_by).ok_or_else(denied)?;
        let user = self.users.find_credentials(&username).await?;
        let user = user.filter(|user| user.status == UserStatus::Active).ok_or_else(denied)?;
        let origin = Origin { operation: Some(operation.id), ..Origin::of(Source::BulkOperation) };
        let actor = user.actor(origin);
        self.require_for(&actor, operation).await?;
        Ok(actor)
    }

    /// The permission of an operation; whoever undoes a deletion, or the undoing of one, may delete.
    async fn require_for(&self, actor: &Actor, operation: &BulkOperation) -> Result<(), Error> {
        if self.deletes(operation).await?.is_some() {
            return Ok(actor.require(operation.kind.permission(Action::Delete))?);
        }
        if operation.import.is_some() {
            return may_import(actor, operation.kind);
        }
        if let Some(undone) = operation.undo_of
            && let Some(undone) = self.operations.find(undone).await?
        {
            self.require_for_undoing(actor, &undone).await?;
        }
        require(actor, operation.kind, operation.change.as_ref())
    }

    /// Whoever undoes an import that added items deletes them.
    async fn require_for_undoing(&self, actor: &Actor, operation: &BulkOperation) -> Result<(), Error> {
        match self.import_of(operation).await? {
            Some((root, _)) if root.counts.created > 0 => {
                Ok(actor.require(operation.kind.permission(Action::Delete))?)
            }
            _ => Ok(()),
        }
    }

    /// The import that an operation is, or undoes, or whose undoing it undoes; and whether what the import added is there
    /// after the operation.
    async fn import_of(&self, operation: &BulkOperation) -> Result<Option<(BulkOperation, bool)>, Error> {
        let mut current = operation.clone();
        let mut is_there = true;
        while let Some(id) = current.undo_of {
            let found = self.operations.find(id).await?;
            current = found.ok_or_else(|| StoreError::Broken("an undo of nothing".into()))?;
            is_there = !is_there;
        }
        Ok(current.import.is_some().then_some((current, is_there)))
    }

    /// Whether an operation deletes (`true`) or undoes a deletion (`false`); `None` where it does neither.
    async fn deletes(&self, operation: &BulkOperation) -> Result<Option<bool>, Error> {
        let mut deletes = true;
        let mut undone;
        let mut current = operation;
        loop {
            match (&current.change, current.undo_of) {
                (Some(change), _) => return Ok(change.deletes().then_some(deletes)),
                (None, None) => return Ok(None),
                (None, Some(id)) => {
                    let found = self.operations.find(id).await?;
                    undone = found.ok_or_else(|| StoreError::Broken("an undo of nothing".into()))?;
                    current = &undone;
                    deletes = !deletes;
                }
            }
        }
    }
}

/// Operations are for those who may change some kind of content.
fn require_editor(actor: &Actor) -> Result<(), Error> {
    let may = |kind: &Kind| actor.may(kind.permission(Action::Update));
    if Kind::ALL.iter().any(may) { Ok(()) } else { Err(Error::Forbidden) }
}

/// The permission is that of the change of one item.
fn require(actor: &Actor, kind: Kind, change: Option<&BulkChange>) -> Result<(), Error> {
    let action = match change {
        Some(change) if change.deletes() => Action::Delete,
        Some(change) if change.only_toggles() => Action::ToggleStatus,
        _ => Action::Update,
    };
    Ok(actor.require(kind.permission(action))?)
}
