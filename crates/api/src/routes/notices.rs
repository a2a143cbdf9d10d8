//! Notices (docs/spec/notices.md).

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

/// A pending matter for the caller.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Notice {
    /// Kind of the notice.
    kind: NoticeKind,
    /// Number of matters; for `OWN_LOW_STOCK`, the remaining credits.
    count: u64,
    /// Time of the newest matter; null for kinds without a date.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    newest: Option<DateTime<Utc>>,
    /// Whether the caller has not seen all matters.
    is_new: bool,
}

pub(crate) fn register(api: &mut Api) {
    let (notice, seen) = (api.schemas.response::<Notice>(), api.schemas.request::<SeenNotices>());
    drop(
        api.route(Method::GET, "/notices", "listNotices", list)
            .about("notices", "List the caller's notices")
            .explained("For agents, about their own stock and their subtree; for admins, about everything; for other roles, none. Snoozed customers are not counted.")
            .requires_role(&RoleCode::STAFF)
            .answers(
                200,
                "One notice for each kind with pending matters.",
                json!({"type": "array", "items": notice, "maxItems": NoticeKind::ALL.len()}),
            ),
    );
    drop(
        api.route(Method::PUT, "/notices/seen", "seeNotices", see)
            .about("notices", "Mark notices as seen by the caller")
            .explained("In the listed state. A notice is new again when its count grows; low stock and overdue backups, on the next day.")
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
