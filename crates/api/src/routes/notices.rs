//! What wants attention (docs/spec/notices.md).

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Data, Json},
};
use application::NoticeService;
use chrono::{DateTime, Utc};
use domain_kernel::{Enumeration, RoleCode};
use domain_users::{NoticeKind, SeenNotices};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::{caller::AuthUser, extract::Body, openapi::Api, problem::Problem};

/// Something that wants attention.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Notice {
    /// What it is about.
    kind: NoticeKind,
    /// How many there are; the credits that are left for `OWN_LOW_STOCK`.
    count: u64,
    /// When the newest came; null where they have no date.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    newest: Option<DateTime<Utc>>,
    /// Whether the reader has not seen all of it.
    is_new: bool,
}

pub(crate) fn register(api: &mut Api) {
    let (notice, seen) = (api.schemas.response::<Notice>(), api.schemas.request::<SeenNotices>());
    drop(
        api.route(Method::GET, "/notices", "listNotices", list)
            .about("notices", "List what wants the caller's attention")
            .explained("Agents get their own stock and what is in their subtree, admins everything; whoever does not sell gets none. Customers who are snoozed do not count.")
            .requires_role(&RoleCode::STAFF)
            .answers(
                200,
                "One for each kind of which there is something.",
                json!({"type": "array", "items": notice, "maxItems": NoticeKind::ALL.len()}),
            ),
    );
    drop(
        api.route(Method::PUT, "/notices/seen", "seeNotices", see)
            .about("notices", "Store which notices the caller has seen")
            .explained("As they were listed. A notice is new again when there is more of it; low stock and overdue backups, on the next day.")
            .requires_role(&RoleCode::STAFF)
            .takes(seen)
            .answers_nothing(204, "Stored."),
    );
}

type Service = Data<NoticeService>;

async fn list(caller: AuthUser, service: Service) -> Result<Json<Vec<Notice>>, Problem> {
    let notice = |notice: application::Notice| Notice {
        kind: notice.count.kind,
        count: notice.count.count,
        newest: notice.count.newest,
        is_new: notice.is_new,
    };
    Ok(Json(service.list(&caller).await?.into_iter().map(notice).collect()))
}

async fn see(caller: AuthUser, service: Service, body: Body) -> Result<HttpResponse, Problem> {
    service.see(&caller, &body.0).await?;
    Ok(HttpResponse::NoContent().finish())
}
