//! What the catalogue lacks (docs/spec/completeness.md).

use actix_web::{
    http::Method,
    web::{Data, Json},
};
use application::{CompletenessService, KindCompleteness};
use domain_kernel::RoleCode::{Admin, ContentManager, Superadmin};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::{caller::AuthUser, openapi::Api, problem::Problem};

/// What items of a kind lack.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Completeness")]
struct CompletenessAnswer {
    /// The kind of content: `movies`, `tv-channels`, …
    kind: String,
    /// How many items there are.
    total: u64,
    /// How many lack what.
    missing: Vec<MissingAnswer>,
}

/// How many items lack something.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MissingPart")]
struct MissingAnswer {
    /// The value of the filter `missing` of the kind's list.
    part: String,
    /// The total of that list.
    count: u64,
}

impl From<KindCompleteness> for CompletenessAnswer {
    fn from(of: KindCompleteness) -> Self {
        let missing =
            of.missing.into_iter().map(|(part, count)| MissingAnswer { part: part.to_owned(), count });
        Self { kind: of.kind.path().to_owned(), total: of.total, missing: missing.collect() }
    }
}

pub(crate) fn register(api: &mut Api) {
    let answer = api.schemas.response::<CompletenessAnswer>();
    drop(
        api.route(Method::GET, "/completeness", "listCompleteness", list)
            .about("completeness", "Count what the catalogue lacks")
            .explained(
                "For each kind that the caller may change: how many items there are, and how many lack a cover, a synopsis in \
                 Spanish or English, a trailer, an active link, a logo or a guide. Each number is the total of the kind's list \
                 with the filter `missing`.",
            )
            .requires_role(&[Superadmin, Admin, ContentManager])
            .answers(200, "The kinds.", json!({"type": "array", "items": answer})),
    );
}

async fn list(
    caller: AuthUser,
    service: Data<CompletenessService>,
) -> Result<Json<Vec<CompletenessAnswer>>, Problem> {
    let all = service.list(&caller).await?;
    Ok(Json(all.into_iter().map(CompletenessAnswer::from).collect()))
}
