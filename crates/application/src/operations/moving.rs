//! Moving all that refers to a category or a guide to another one: an operation for each kind of
//! content (docs/spec/content.md#deletion).

use domain_catalogue::Content;
use domain_kernel::{Actor, Id, Kind};
use domain_operations::BulkOperation;
use serde_json::{Value, json};

use super::OperationService;
use crate::{ContentService, Error, OperationRefusal};

/// The started operations, and what was changed at once.
#[derive(Debug)]
pub struct MovesBegun {
    /// One for each kind of content.
    pub operations: Vec<BulkOperation>,
    /// Number of playlist sources that refer to the other category.
    pub sources: u64,
}

impl OperationService {
    /// Starts the operations that make all content of a category or a guide refer to another one of
    /// the same type. Playlist sources and live profiles refer to it at once.
    pub async fn begin_moves<C: Content>(
        &self,
        actor: &Actor,
        contents: &ContentService<C>,
        id: Id,
        body: &[u8],
    ) -> Result<MovesBegun, Error> {
        let (kinds, target) = contents.moves_to(actor, id, body).await?;
        let mut operations = Vec::with_capacity(kinds.len());
        for kind in kinds {
            let request = self.request_of_move(C::KIND, kind, id, target);
            match self.begin(actor, request.to_string().as_bytes(), None).await {
                Ok(begun) => operations.push(begun.operation),
                // Nothing of this kind refers to it any more.
                Err(Error::Operation(OperationRefusal::Nothing)) => {}
                Err(error) => return Err(error),
            }
        }
        let sources = contents.move_outside(actor, id, target).await?;
        Ok(MovesBegun { operations, sources })
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
