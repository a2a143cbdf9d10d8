//! Missing parts of the catalogue (docs/spec/completeness.md).

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

/// Missing parts of a kind.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Completeness")]
struct CompletenessAnswer {
    /// Kind of content: `movies`, `tv-channels`, …
    kind: String,
    /// Number of items.
    total: u64,
    /// Number of items by missing part.
    missing: Vec<MissingAnswer>,
}

/// Number of items without a part.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MissingPart")]
struct MissingAnswer {
    /// Value of the filter `missing` of the kind's list.
    part: String,
    /// Total of that list.
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
            .about("completeness", "Count items with missing parts")
            .explained(
                "For each kind that the caller may change: the number of items, and of those without a cover, a synopsis in \
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
