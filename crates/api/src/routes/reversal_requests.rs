//! Agents' requests for reversals (docs/spec/credits.md#mistaken-sales).

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Bytes, Data, Json},
};
use application::ReversalRequestService;
use domain_credits::{Movement, RequestedReversal, ReversalRequest, ReversalStatus};
use domain_kernel::{Action, Enumeration, ErrorKind, Page, Permission, RoleCode, Subject};
use serde_json::json;

use super::{answer_headers::with_replay, credits::posted};
use crate::{
    caller::AuthUser,
    extract::{IdempotencyKey, ItemId, Pairs},
    openapi::Api,
    problem::Problem,
};

const READ: Permission = Permission::new(Subject("CREDIT_HISTORY"), Action::Read);

pub(crate) fn register(api: &mut Api) {
    let request = api.schemas.response::<RequestedReversal>();
    let movement = api.schemas.response::<Movement>();
    let body = api.schemas.request::<ReversalRequest>();
    let page = api.schemas.page_of("RequestedReversalPage", "A page of requests for reversals.", &request);
    drop(
        api.route(Method::POST, "/credits/{id}/reversal-requests", "requestReversal", request_reversal)
            .about("credits", "Request the reversal of a sale")
            .explained("For agents and their own sales. A sale can have one pending request.")
            .requires_role(&[RoleCode::Agent])
            .takes_effect_once()
            .takes(body.clone())
            .answers(201, "The request.", request.clone())
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    drop(
        api.route(Method::GET, "/credits/reversal-requests", "listReversalRequests", list)
            .about("credits", "List the requests for reversals, newest first")
            .explained("Agents get their own and those of their subtree.")
            .requires(READ)
            .pages(&ReversalRequestService::list_shape())
            .filter(
                "status",
                json!({"type": "string", "enum": ReversalStatus::CODES}),
                "Only requests with this status.",
            )
            .answers(200, "A page of rows.", page)
            .fails(&[ErrorKind::Invalid]),
    );
    drop(
        api.route(Method::POST, "/credits/reversal-requests/{id}/approve", "approveReversal", approve)
            .about("credits", "Approve a request, and reverse its sale")
            .explained("The reason is stored with the request and with the reversal.")
            .requires_admin()
            .takes_effect_once()
            .takes(body.clone())
            .answers(201, "The customer's movement of the reversal.", movement)
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    drop(
        api.route(Method::POST, "/credits/reversal-requests/{id}/decline", "declineReversal", decline)
            .about("credits", "Decline a request for a reversal")
            .explained("The reason is stored with the request.")
            .requires_admin()
            .takes(body)
            .answers(200, "The request.", request)
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
}

type Service = Data<ReversalRequestService>;

async fn request_reversal(
    caller: AuthUser,
    service: Service,
    id: ItemId,
    key: IdempotencyKey,
    body: Bytes,
) -> Result<HttpResponse, Problem> {
    let once = service.request(&caller, id.0, &body, key.0.as_deref()).await?;
    Ok(with_replay(HttpResponse::Created(), once.replayed).json(&once.request))
}

async fn list(
    caller: AuthUser,
    service: Service,
    pairs: Pairs,
) -> Result<Json<Page<Vec<RequestedReversal>>>, Problem> {
    Ok(Json(service.list(&caller, &pairs.0).await?))
}

async fn approve(
    caller: AuthUser,
    service: Service,
    id: ItemId,
    key: IdempotencyKey,
    body: Bytes,
) -> Result<HttpResponse, Problem> {
    Ok(posted(&service.approve(&caller, id.0, &body, key.0.as_deref()).await?))
}

async fn decline(
    caller: AuthUser,
    service: Service,
    id: ItemId,
    body: Bytes,
) -> Result<Json<RequestedReversal>, Problem> {
    Ok(Json(service.decline(&caller, id.0, &body).await?))
}
