//! Views reported by streaming apps.

use actix_web::{HttpResponse, http::Method, web::Data};
use application::ViewService;
use domain_audience::{Played, Views};
use domain_kernel::{ErrorKind, KeyScope};
use schemars::JsonSchema;
use serde::Serialize;

use super::answer_headers::with_replay;
use crate::{
    caller::AuthApiKey,
    extract::{Body, IdempotencyKey},
    openapi::Api,
    problem::Problem,
};

/// Result of a batch of views.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ViewsAnswer {
    /// Number of counted views.
    counted: i64,
    /// Items that do not exist; their views are not counted.
    unknown: Vec<Played>,
}

pub(crate) fn register(api: &mut Api) {
    let request = api.schemas.request::<Views>();
    let answer = api.schemas.response::<ViewsAnswer>();
    drop(
        api.route(Method::POST, "/views", "countViews", count)
            .about("integrators", "Count views, of at most a thousand items")
            .explained("The batch is one transaction; `Idempotency-Key` is required, so that a repeated request does not count twice. Views of an episode count for its show as well. Items that do not exist are listed in the response and ignored.")
            .requires_scope(KeyScope::ViewsCount)
            .requires_idempotency_key()
            .takes(request)
            .answers(200, "Counted.", answer)
            .fails(&[ErrorKind::Conflict]),
    );
}

async fn count(
    program: AuthApiKey,
    service: Data<ViewService>,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    let counted = service.count(&program.0, &body.0, key.0.as_deref()).await?;
    let mut answer = with_replay(HttpResponse::Ok(), counted.replayed);
    let counts = counted.counts;
    Ok(answer.json(ViewsAnswer { counted: counts.counted, unknown: counts.unknown }))
}
