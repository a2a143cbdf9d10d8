//! Moving the references to a category or a guide to another one (docs/spec/content.md#deletion).

use actix_web::{HttpResponse, http::Method, web::Data};
use application::{ContentService, MoveTarget, OperationService};
use domain_catalogue::Content;
use domain_kernel::{Action, ErrorKind};
use schemars::JsonSchema;
use serde::Serialize;

use super::{answer_headers::with_replay, contents::noun, operations::OperationAnswer};
use crate::{
    caller::AuthUser,
    extract::{Body, IdempotencyKey, ItemId},
    openapi::Api,
    problem::Problem,
};

/// Operations that move the content of a category or a guide to another.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MovesAnswer {
    /// One operation for each type of content that refers to it.
    operations: Vec<OperationAnswer>,
    /// Number of playlist sources that refer to the other category now.
    sources: u64,
    /// Number of live profiles that refer to the other category now.
    profiles: u64,
}

/// Moving the references to a category or a guide to another one.
pub(crate) fn register<C: Content>(api: &mut Api) {
    let (kind, path, name) = (C::KIND, C::KIND.path(), C::KIND.singular());
    let target = api.schemas.request::<MoveTarget>();
    let begun = api.schemas.response::<MovesAnswer>();
    drop(
        api.route(Method::POST, &format!("/{path}/{{id}}/move"), &format!("move{name}Content"), move_to::<C>)
            .about(path, &format!("Move the content of {} to another", noun(name)))
            .explained(
                "Starts a bulk operation for each type of content that refers to it; categories must have the same \
                 type. Needs the permission to update each changed type. Playlist sources and live profiles refer to \
                 the other category at once, and still do after the operations are undone. All of it begins, or nothing.",
            )
            .requires(kind.permission(Action::Update))
            .takes_effect_once()
            .takes(target)
            .answers(202, "The started operations.", begun)
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
}

async fn move_to<C: Content>(
    caller: AuthUser,
    service: Data<OperationService>,
    contents: Data<ContentService<C>>,
    id: ItemId,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let begun = service.begin_moves(&caller, &contents, id.0, &body.0, key.0.as_deref()).await?;
    let operations = begun.operations.into_iter().map(OperationAnswer::from).collect();
    Ok(with_replay(HttpResponse::Accepted(), begun.replayed).json(MovesAnswer {
        operations,
        sources: begun.sources,
        profiles: begun.profiles,
    }))
}
