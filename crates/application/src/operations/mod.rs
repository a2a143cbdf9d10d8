//! Bulk operations: the same change of many items of one kind, previewed, run in slices
//! concurrently with requests, and undone (docs/spec/bulk-operations.md).

mod contents;
mod moving;
mod permissions;
mod reports;
mod rows;
mod running;
mod slice;
mod undoing;
mod users;

use std::sync::Arc;

use domain_kernel::{
    Actor, Code, DraftReader, Enumeration, FilterKind, Id, Kind, ListQuery, Page, Violation, Violations,
};
use domain_operations::{
    BulkOperation, ItemKey, MAX_ITEMS, OperationRequest, OperationState, Resource, SLICE, STREAMS,
    SheetImport, SheetImportRequest, items_of_slice,
};
use ports::{Inserted, NewOperation, OperationFilter, OperationRepository};
use serde_json::{Map, Value};

use self::permissions::{require, require_editor};
pub use self::{moving::MovesBegun, rows::FailedRows};
use crate::{
    Calendar, ContentServices, Error, IssueService, ListShape, OperationRefusal, PlaylistRefusal,
    SheetImportService, UserService, body::parse, idempotency::idempotency_key, listing::read_dated_query,
    sheet_imports::may_import,
};

/// Topic of the texts.
const OPERATIONS: &str = "operations";

/// A started operation, and whether the response is a repetition.
#[derive(Debug)]
pub struct OperationBegun {
    /// The operation.
    pub operation: BulkOperation,
    /// Whether the same request was answered before under this idempotency key.
    pub replayed: bool,
}

/// Use cases of bulk operations.
pub struct OperationService {
    operations: Arc<dyn OperationRepository>,
    users: Arc<UserService>,
    issues: Arc<IssueService>,
    contents: ContentServices,
    imports: Arc<SheetImportService>,
    calendar: Calendar,
    requests: DraftReader<OperationRequest>,
    import_requests: DraftReader<SheetImportRequest>,
    /// Called when an operation starts in this process, so that the job runs without a poll.
    on_begin: Arc<dyn Fn() + Send + Sync>,
}

impl OperationService {
    pub fn new(
        operations: Arc<dyn OperationRepository>,
        users: Arc<UserService>,
        issues: Arc<IssueService>,
        contents: ContentServices,
        imports: Arc<SheetImportService>,
        calendar: Calendar,
        on_begin: Arc<dyn Fn() + Send + Sync>,
    ) -> Self {
        Self {
            operations,
            users,
            issues,
            contents,
            imports,
            calendar,
            requests: DraftReader::new(),
            import_requests: DraftReader::new(),
            on_begin,
        }
    }

    /// Starts an operation, which a job runs. A repeated request with the same idempotency key gets
    /// the first response again.
    pub async fn begin(
        &self,
        actor: &Actor,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<OperationBegun, Error> {
        require_editor(actor)?;
        let json = parse(body)?;
        let once = idempotency_key(actor, key, OPERATIONS, &json);
        let request = self.requests.read(json, &())?.into_inner();
        let resource = request
            .resource()
            .ok_or_else(|| Violations(vec![Violation::new("resource", Code::UnknownValue)]))?;
        require(actor, resource, Some(&request.action))?;
        let mut faults = request.faults(resource);
        faults.extend(match resource {
            Resource::Content(kind) => {
                let fields = self.contents.fields(kind);
                let has_streams = kind == Kind::TvChannels;
                request.action.faults(|name| fields.contains(&name) || has_streams && name == STREAMS)
            }
            Resource::Users => request.action.faults_for_users(),
            Resource::Reports => request.action.faults_for_reports(),
        });
        if !faults.is_empty() {
            return Err(Violations(faults).into());
        }
        // The first request may have changed what the filter selects.
        if let Some(first) = self.answered(once.as_ref()).await? {
            return Ok(first);
        }
        let ids = match (request.ids, request.filter) {
            (Some(mut ids), _) => {
                // User names that differ only in case are the same user.
                ids.sort_by_cached_key(ItemKey::folded);
                ids.dedup_by_key(|item| item.folded());
                ids
            }
            (None, filter) => {
                let filter = filter.unwrap_or_default();
                self.matching(actor, resource, &filter, request.action.restores()).await?
            }
        };
        let count = i64::try_from(ids.len()).unwrap_or(i64::MAX);
        if request.expected_count.is_some_and(|expected| expected != count) {
            return Err(Error::Operation(OperationRefusal::CountChanged(count)));
        }
        if ids.is_empty() {
            return Err(Error::Operation(OperationRefusal::Nothing));
        }
        let items_of_slice = items_of_slice(resource, Some(&request.action));
        let operation = NewOperation {
            resource,
            change: Some(request.action),
            undo_of: None,
            import: None,
            dry_run: request.dry_run,
            created_by: actor.username.to_string(),
            created_date: self.calendar.now(),
            origin: actor.origin,
            items: ids,
            items_of_slice,
        };
        self.record(operation, once).await
    }

    /// Starts the import of an uploaded file.
    pub async fn begin_import(
        &self,
        actor: &Actor,
        resource: Resource,
        sheet: Id,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<OperationBegun, Error> {
        may_import(actor, resource)?;
        let json = parse(body)?;
        let once = idempotency_key(actor, key, &format!("{OPERATIONS} of {sheet}"), &json);
        let request = self.import_requests.read(json, &())?.into_inner();
        if let Some(first) = self.answered(once.as_ref()).await? {
            return Ok(first);
        }
        let import =
            self.imports.import_of(actor, resource, sheet, request.columns, request.defaults).await?;
        let operation = NewOperation {
            resource,
            change: None,
            undo_of: None,
            import: Some(import),
            dry_run: request.dry_run,
            created_by: actor.username.to_string(),
            created_date: self.calendar.now(),
            origin: actor.origin,
            items: Vec::new(),
            items_of_slice: SLICE,
        };
        self.record(operation, once).await
    }

    /// Starts the import of stored rows that were generated by the server.
    pub(crate) async fn begin_rows(
        &self,
        actor: &Actor,
        resource: Resource,
        import: SheetImport,
    ) -> Result<BulkOperation, Error> {
        may_import(actor, resource)?;
        Ok(self.record(self.of_rows(actor, resource, import), None).await?.operation)
    }

    /// Starts operations that apply the changes of a playlist run: one per kind, all or none.
    /// Rejected during another apply of the same entries.
    pub(crate) async fn begin_rows_of_run(
        &self,
        actor: &Actor,
        run: Id,
        imports: Vec<(Resource, SheetImport)>,
        entries: u64,
    ) -> Result<Vec<BulkOperation>, Error> {
        let mut operations = Vec::with_capacity(imports.len());
        for (resource, import) in imports {
            may_import(actor, resource)?;
            operations.push(self.of_rows(actor, resource, import));
        }
        let begun = self.operations.insert_of_run(run, operations, entries).await?;
        let begun = begun.ok_or(Error::Playlist(PlaylistRefusal::Applying))?;
        (self.on_begin)();
        for BulkOperation { id, total, created_by, .. } in &begun {
            tracing::info!(actor = created_by, operation = id, items = total, run, "bulk operation begun");
        }
        Ok(begun)
    }

    /// An operation that imports stored rows.
    fn of_rows(&self, actor: &Actor, resource: Resource, import: SheetImport) -> NewOperation {
        NewOperation {
            resource,
            change: None,
            undo_of: None,
            import: Some(import),
            dry_run: false,
            created_by: actor.username.to_string(),
            created_date: self.calendar.now(),
            origin: actor.origin,
            items: Vec::new(),
            items_of_slice: SLICE,
        }
    }

    /// Items of the list with these parameters; of the trash's list for a restoration.
    async fn matching(
        &self,
        actor: &Actor,
        resource: Resource,
        filter: &Map<String, Value>,
        restores: bool,
    ) -> Result<Vec<ItemKey>, Error> {
        let pairs = pairs_of(filter)?;
        let limit = MAX_ITEMS as u64 + 1;
        let numbers = |ids: Vec<Id>| ids.into_iter().map(ItemKey::Number).collect();
        let found: Result<Vec<ItemKey>, Error> = match resource {
            Resource::Content(kind) if restores => {
                self.contents.matching_trashed(kind, &pairs, limit).await.map(numbers)
            }
            Resource::Content(kind) => self.contents.matching_ids(kind, &pairs, limit).await.map(numbers),
            Resource::Users => self.users.matching_names(actor, &pairs, limit).await,
            Resource::Reports => self.issues.matching_ids(&pairs, limit).await.map(numbers),
        };
        let ids = found.map_err(in_filter)?;
        if ids.len() > MAX_ITEMS {
            return Err(
                Violations(vec![Violation::new("filter", Code::TooMany).with("max", MAX_ITEMS)]).into()
            );
        }
        Ok(ids)
    }

    pub(super) async fn record(
        &self,
        operation: NewOperation,
        once: Option<ports::IdempotencyKey>,
    ) -> Result<OperationBegun, Error> {
        let (by, items, dry_run) = (operation.created_by.clone(), operation.items.len(), operation.dry_run);
        let begun = begun_of(self.operations.insert(operation, once).await?)?;
        if !begun.replayed {
            (self.on_begin)();
            let operation = begun.operation.id;
            tracing::info!(actor = by, operation, items, dry_run, "bulk operation begun");
        }
        Ok(begun)
    }

    /// The first response to the same request, if any.
    async fn answered(&self, once: Option<&ports::IdempotencyKey>) -> Result<Option<OperationBegun>, Error> {
        let Some(once) = once else { return Ok(None) };
        self.operations.answered(once).await?.map(begun_of).transpose()
    }

    /// List parameters.
    pub fn list_shape() -> ListShape {
        ListShape {
            page_size: 25,
            sorts: vec!["id"],
            filters: &[
                ("resource", FilterKind::Code(Resource::PATHS)),
                ("state", FilterKind::Code(OperationState::CODES)),
                ("createdBy", FilterKind::Text),
                ("createdDateFrom", FilterKind::Moment),
                ("createdDateTo", FilterKind::Moment),
            ],
        }
    }

    /// A page of the operations, newest first. Admins see all, others their own. `pairs` are those
    /// of the query string.
    pub async fn list(
        &self,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<Page<Vec<BulkOperation>>, Error> {
        let (filter, query) = Self::read_list(&self.calendar, actor, pairs)?;
        Ok(self.operations.list(&filter, &query).await?)
    }

    /// Reads the list parameters, limited to the operations that the actor may see.
    pub(crate) fn read_list(
        calendar: &Calendar,
        actor: &Actor,
        pairs: &[(String, String)],
    ) -> Result<(OperationFilter, ListQuery), Error> {
        require_editor(actor)?;
        let shape = Self::list_shape();
        let query = read_dated_query(calendar, &shape, pairs)?;
        if query.search.is_some() {
            let allowed: Vec<&str> = shape.filters.iter().map(|(name, _)| *name).collect();
            let fault = Violation::new("search", Code::UnknownFilter).with("allowed", allowed);
            return Err(Violations(vec![fault]).into());
        }
        let name = actor.username.as_str();
        let created_by = (!actor.role.passes_every_check()).then(|| name.to_owned());
        Ok((OperationFilter { created_by }, query))
    }

    /// One operation: any for admins, otherwise the actor's own.
    pub async fn find(&self, actor: &Actor, id: Id) -> Result<BulkOperation, Error> {
        require_editor(actor)?;
        let missing = || Error::NoSuch { what: OPERATIONS, id };
        let operation = self.operations.find(id).await?.ok_or_else(missing)?;
        let visible = actor.role.passes_every_check() || operation.created_by == actor.username.as_str();
        if visible { Ok(operation) } else { Err(missing()) }
    }

    /// Cancels an operation. Its changes remain, and can be undone.
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
}

/// List parameters of a filter: without paging and sorting.
pub(crate) fn pairs_of(filter: &Map<String, Value>) -> Result<Vec<(String, String)>, Violations> {
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
    if faults.is_empty() { Ok(pairs) } else { Err(Violations(faults)) }
}

/// The faults of a list's parameters, as those of the filter that names them.
pub(crate) fn in_filter(error: Error) -> Error {
    match error {
        Error::Invalid(Violations(mut all)) => {
            for violation in &mut all {
                violation.field = format!("filter.{}", violation.field);
            }
            Violations(all).into()
        }
        other => other,
    }
}

/// The operation that was recorded, or why it was not.
fn begun_of(inserted: Inserted<BulkOperation, ports::AlreadyUndone>) -> Result<OperationBegun, Error> {
    match inserted {
        Inserted::New(operation) => Ok(OperationBegun { operation, replayed: false }),
        Inserted::Replayed(operation) => Ok(OperationBegun { operation, replayed: true }),
        Inserted::KeyReused => Err(Error::IdempotencyMismatch),
        Inserted::Conflict(ports::AlreadyUndone) => Err(Error::Operation(OperationRefusal::Undone)),
    }
}
