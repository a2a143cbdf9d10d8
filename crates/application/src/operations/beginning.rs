//! The request for an operation: read, checked, and turned into what is stored.

use domain_kernel::{Actor, Code, Id, Kind, Violation, Violations};
use domain_operations::{ItemKey, MAX_ITEMS, OperationRequest, Resource, STREAMS, items_of_slice};
use ports::NewOperation;
use serde_json::{Map, Value};

use super::{OperationService, in_filter, pairs_of, permissions::require};
use crate::{Error, OperationRefusal};

impl OperationService {
    /// Reads a request of a user who may make such a change to one item.
    pub(super) fn read_request(
        &self,
        actor: &Actor,
        json: Value,
    ) -> Result<(Resource, OperationRequest), Error> {
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
        Ok((resource, request))
    }

    /// The operation that a request begins, with the items that are selected now.
    pub(super) async fn new_operation(
        &self,
        actor: &Actor,
        resource: Resource,
        request: OperationRequest,
    ) -> Result<NewOperation, Error> {
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
        Ok(NewOperation {
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
        })
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
}
