//! Moving all that refers to a category or a guide to another one: an operation for each kind of
//! content (docs/spec/content.md#deletion).

use domain_catalogue::Content;
use domain_kernel::{Action, Actor, Id, Kind};
use domain_operations::BulkOperation;
use ports::{Inserted, Moves, NewMoves, StoreError};
use serde_json::{Value, json};

use super::{OperationService, permissions::require_editor};
use crate::{ContentService, Error, OperationRefusal, body::parse, idempotency::idempotency_key};

/// The started operations, and what was changed at once.
#[derive(Debug)]
pub struct MovesBegun {
    /// One for each kind of content.
    pub operations: Vec<BulkOperation>,
    /// Number of playlist sources that refer to the other category.
    pub sources: u64,
    /// Number of live profiles that refer to the other category.
    pub profiles: u64,
    /// Whether the same request was answered before under this idempotency key.
    pub replayed: bool,
}

impl OperationService {
    /// Starts the operations that make all content of a category or a guide refer to another one of
    /// the same type. Playlist sources and live profiles refer to it at once. All of it begins, or
    /// nothing. A repeated request with the same idempotency key gets the first response again.
    pub async fn begin_moves<C: Content>(
        &self,
        actor: &Actor,
        contents: &ContentService<C>,
        id: Id,
        body: &[u8],
        key: Option<&str>,
    ) -> Result<MovesBegun, Error> {
        actor.require(C::KIND.permission(Action::Update))?;
        let json = parse(body)?;
        let once = idempotency_key(actor, key, &format!("move of {} {id}", C::KIND.path()), &json);
        // Since the first request, what refers to it has changed, and it may have been deleted.
        if let Some(once) = &once
            && let Some(first) = self.operations.answered_moves(once).await?
        {
            return moves_of(first);
        }
        let (kinds, target) = contents.moves_to(actor, id, &json).await?;
        let mut operations = Vec::with_capacity(kinds.len());
        for kind in kinds {
            require_editor(actor)?;
            let request = self.request_of_move(C::KIND, kind, id, target);
            let (resource, request) = self.read_request(actor, request)?;
            match self.new_operation(actor, resource, request).await {
                Ok(operation) => operations.push(operation),
                // Nothing of this kind refers to it any more.
                Err(Error::Operation(OperationRefusal::Nothing)) => {}
                Err(error) => return Err(error),
            }
        }
        let category = (C::KIND == Kind::Categories).then_some((id, target));
        let moves = NewMoves { category, operations, edit: self.calendar.edit_by(actor) };
        let outcome = self.operations.insert_moves(moves, once).await;
        if let Err(StoreError::Dangling(_)) = outcome {
            contents.check_target(id, target).await?;
        }
        let begun = moves_of(outcome?)?;
        if !begun.replayed && !begun.operations.is_empty() {
            self.several_begun(&begun.operations, None);
        }
        Ok(begun)
    }

    /// The request for the operation on the items of a kind that refer to a category or a guide.
    fn request_of_move(&self, of: Kind, kind: Kind, from: Id, to: Id) -> Value {
        let has_several = of == Kind::Categories && self.contents.fields(kind).contains(&"categories");
        let filter = if of == Kind::Categories { "categoryId" } else { "tvGuideId" };
        let action = if has_several {
            json!({"type": "REMOVE", "list": "categories", "values": [from], "replaceWith": to})
        } else {
            json!({"type": "SET", "set": {filter: to}})
        };
        json!({"resource": kind.path(), "filter": {filter: from}, "action": action})
    }
}

/// The moves that were recorded, or why they were not.
fn moves_of(inserted: Inserted<Moves>) -> Result<MovesBegun, Error> {
    let (moves, replayed) = match inserted {
        Inserted::New(moves) => (moves, false),
        Inserted::Replayed(moves) => (moves, true),
        Inserted::KeyReused => return Err(Error::IdempotencyMismatch),
        Inserted::Conflict(never) => match never {},
    };
    let Moves { operations, sources, profiles } = moves;
    Ok(MovesBegun { operations, sources, profiles, replayed })
}
