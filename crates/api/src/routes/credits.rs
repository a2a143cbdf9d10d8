//! Credits: operations, reversals and movements (docs/spec/credits.md). The ledger by operation is
//! in `ledger`.

use actix_web::{
    HttpResponse,
    http::Method,
    web::{Bytes, Data, Json, Path},
};
use application::{CreditService, PostedOnce};
use chrono::{DateTime, Utc};
use domain_credits::{CreditRequest, Movement, OperationType, QuoteRequest, ReversalRequest, Warning};
use domain_kernel::{Action, Enumeration, ErrorKind, Page, Permission, Subject, Username};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::answer_headers::created_at;
use crate::{
    caller::AuthUser,
    extract::{Body, IdempotencyKey, ItemId, Pairs},
    language::Language,
    openapi::Api,
    problem::Problem,
};

/// Result of an operation that is not carried out.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct QuoteAnswer {
    operation_type: OperationType,
    /// Username of the target.
    target_username: String,
    /// Number of credits.
    amount: i64,
    /// Balance of the target before.
    balance_before: i64,
    /// Balance of the target after.
    balance_after: i64,
    /// Expiration of the target before; for app credits only.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    expiration_before: Option<DateTime<Utc>>,
    /// Expiration of the target after; for app credits only.
    #[serde(serialize_with = "domain_kernel::timestamp::serialize")]
    expiration_after: Option<DateTime<Utc>>,
    /// Whether the operation starts the subscription, because nothing was sold to the target
    /// before.
    starts_subscription: bool,
    /// User whose stock pays or is paid back; null if the issuer mints or burns.
    payer: Option<PayerQuote>,
    /// Warnings before the operation.
    warnings: Vec<WarningAnswer>,
}

/// Effect of an operation on the payer's stock.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PayerQuote {
    /// Username of the payer.
    username: Username,
    /// Stock of the payer before.
    balance_before: i64,
    /// Stock of the payer after.
    balance_after: i64,
}

/// Warning before an operation.
#[derive(Debug, Serialize, JsonSchema)]
struct WarningAnswer {
    /// Stable code for clients.
    code: Warning,
    /// Text for users, in the language of the request.
    message: &'static str,
}

/// A number of rows.
#[derive(Debug, Serialize, JsonSchema)]
struct Count {
    count: u64,
}

const MOVE: Permission = Permission::new(Subject("USER"), Action::Update);
pub(super) const READ: Permission = Permission::new(Subject("CREDIT_HISTORY"), Action::Read);

pub(crate) fn register(api: &mut Api) {
    let movement = api.schemas.response::<Movement>();
    let request = api.schemas.request::<CreditRequest>();
    post(api, "/credits/add", "addCredits", OperationType::AddCredits, add, &request, &movement);
    post(api, "/credits/deduct", "deductCredits", OperationType::DeductCredits, deduct, &request, &movement);
    post(
        api,
        "/credits/add-for-sale",
        "addCreditsForSale",
        OperationType::AddCreditsForSale,
        add_for_sale,
        &request,
        &movement,
    );
    post(
        api,
        "/credits/deduct-for-sale",
        "deductCreditsForSale",
        OperationType::DeductCreditsForSale,
        deduct_for_sale,
        &request,
        &movement,
    );
    register_quote_and_reversal(api, &movement);
    register_history(api, movement);
}

fn register_quote_and_reversal(api: &mut Api, movement: &Value) {
    let (request, answer) = (api.schemas.request::<QuoteRequest>(), api.schemas.response::<QuoteAnswer>());
    drop(
        api.route(Method::POST, "/credits/quote", "quoteCredits", quote)
            .about("credits", "Preview an operation")
            .explained("Makes the checks of the operation, with the same errors. Nothing is stored.")
            .requires(MOVE)
            .takes(request)
            .answers(200, "The result of the operation, which is not carried out.", answer)
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
    let reversal = api.schemas.request::<ReversalRequest>();
    drop(
        api.route(Method::POST, "/credits/{id}/reverse", "reverseCredits", reverse)
            .about("credits", "Reverse an operation, once")
            .explained("Restores the balances of both sides. The expiration is restored, or moved back by the same months if it was changed since. An agent can reverse its own sale within 60 minutes, unless the customer's credits or expiration were changed since. The body is optional.")
            .requires(MOVE)
            .takes_effect_once()
            .may_take(reversal)
            .answers(201, "The target's movement.", movement.clone())
            .answers_header(201, "Location", "The address of the entity.")
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
}

fn register_history(api: &mut Api, movement: Value) {
    let page = api.schemas.page_of("MovementPage", "A page of the credit history.", &movement);
    let shape = CreditService::list_shape();
    drop(
        api.route(Method::GET, "/credits", "listCredits", list)
            .about("credits", "List the credit history, newest first")
            .explained("Agents get their own and those of their subtree. `search` applies to targets and performers; users outside of the subtree are found only by username.")
            .requires(READ)
            .lists(&shape)
            .filter("username", json!({"type": "string"}), "Only movements of this user.")
            .answers(200, "A page of rows.", page.clone())
            .fails(&[ErrorKind::Missing, ErrorKind::Invalid]),
    );
    drop(
        api.route(Method::GET, "/credits/{id}", "getCredits", find)
            .about("credits", "Get a movement")
            .requires(READ)
            .answers(200, "The movement.", movement.clone())
            .fails(&[ErrorKind::Missing]),
    );
    drop(
        api.route(Method::GET, "/credits/history/{username}", "listCreditsOf", list_of)
            .about("credits", "List the credit history of a user, newest first")
            .requires(READ)
            .lists(&shape)
            .answers(200, "A page of rows.", page)
            .fails(&[ErrorKind::Missing, ErrorKind::Invalid]),
    );
    drop(
        api.route(Method::GET, "/credits/history/{username}/recent", "recentCreditsOf", recent)
            .about("credits", "List the latest movements of a user, at most ten")
            .requires(READ)
            .answers(200, "Newest first.", json!({"type": "array", "items": movement, "maxItems": 10}))
            .fails(&[ErrorKind::Missing]),
    );
    let count_of = api.schemas.response::<Count>();
    drop(
        api.route(Method::GET, "/credits/history/{username}/count", "countCreditsOf", count)
            .about("credits", "Count the movements of a user")
            .requires(READ)
            .answers(200, "The number.", count_of)
            .fails(&[ErrorKind::Missing]),
    );
}

fn post<H, A>(
    api: &mut Api,
    path: &str,
    id: &str,
    operation: OperationType,
    handler: H,
    request: &Value,
    movement: &Value,
) where
    H: actix_web::Handler<A>,
    A: actix_web::FromRequest + 'static,
    H::Output: actix_web::Responder + 'static,
{
    let bounded = json!({"allOf": [request, {"type": "object", "properties": {"amount": {"maximum": operation.largest_amount()}}}]});
    let route = api.route(Method::POST, path, id, handler).about("credits", operation.labels().english);
    let route =
        if operation == OperationType::DeductCredits { route.requires_admin() } else { route.requires(MOVE) };
    drop(
        route
            .explained(if operation.is_for_sale() {
                "For agents. Admins mint and burn; an agent transfers between its own stock and those of its sub-agents."
            } else {
                "For app users: one credit is one month. Admins mint and burn; an agent pays from its own stock."
            })
            .takes_effect_once()
            .takes(bounded)
            .answers(201, "The target's movement.", movement.clone())
            .answers_header(201, "Location", "The address of the entity.")
            .fails(&[ErrorKind::Missing, ErrorKind::Conflict]),
    );
}

pub(super) type Credits = Data<CreditService>;

pub(super) fn posted(once: &PostedOnce) -> HttpResponse {
    created_at(format_args!("credits/{}", once.movement.id), once.replayed).json(&once.movement)
}

async fn moved(
    caller: &AuthUser,
    service: &CreditService,
    operation: OperationType,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    Ok(posted(&service.post(caller, operation, &body.0, key.0.as_deref()).await?))
}

async fn add(
    caller: AuthUser,
    service: Credits,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    moved(&caller, &service, OperationType::AddCredits, key, body).await
}

async fn deduct(
    caller: AuthUser,
    service: Credits,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    moved(&caller, &service, OperationType::DeductCredits, key, body).await
}

async fn add_for_sale(
    caller: AuthUser,
    service: Credits,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    moved(&caller, &service, OperationType::AddCreditsForSale, key, body).await
}

async fn deduct_for_sale(
    caller: AuthUser,
    service: Credits,
    key: IdempotencyKey,
    body: Body,
) -> Result<HttpResponse, Problem> {
    moved(&caller, &service, OperationType::DeductCreditsForSale, key, body).await
}

async fn reverse(
    caller: AuthUser,
    service: Credits,
    id: ItemId,
    key: IdempotencyKey,
    body: Bytes,
) -> Result<HttpResponse, Problem> {
    Ok(posted(&service.reverse(&caller, id.0, &body, key.0.as_deref()).await?))
}

async fn quote(
    caller: AuthUser,
    service: Credits,
    language: Language,
    body: Body,
) -> Result<Json<QuoteAnswer>, Problem> {
    let (request, quote) = service.quote(&caller, &body.0).await?;
    let payer = quote.payer_before.zip(quote.transfer.payer_stock).map(|(before, after)| PayerQuote {
        username: caller.username.clone(),
        balance_before: before,
        balance_after: after,
    });
    let warnings = quote
        .warnings
        .iter()
        .map(|warning| WarningAnswer { code: *warning, message: warning.labels().in_language(language.0) });
    Ok(Json(QuoteAnswer {
        operation_type: request.operation_type,
        target_username: request.target_username,
        amount: request.amount,
        balance_before: quote.before.balance,
        balance_after: quote.transfer.target.balance,
        expiration_before: quote.before.expiration,
        expiration_after: quote.transfer.target.expiration,
        starts_subscription: quote.starts_subscription,
        payer,
        warnings: warnings.collect(),
    }))
}

async fn list(
    caller: AuthUser,
    service: Credits,
    pairs: Pairs,
) -> Result<Json<Page<Vec<Movement>>>, Problem> {
    Ok(Json(service.history(&caller, &pairs.0).await?))
}

async fn find(caller: AuthUser, service: Credits, id: ItemId) -> Result<Json<Movement>, Problem> {
    Ok(Json(service.find(&caller, id.0).await?))
}

async fn list_of(
    caller: AuthUser,
    service: Credits,
    username: Path<String>,
    pairs: Pairs,
) -> Result<Json<Page<Vec<Movement>>>, Problem> {
    Ok(Json(service.history_of(&caller, &username, &pairs.0).await?))
}

async fn recent(
    caller: AuthUser,
    service: Credits,
    username: Path<String>,
) -> Result<Json<Vec<Movement>>, Problem> {
    Ok(Json(service.recent(&caller, &username).await?))
}

async fn count(caller: AuthUser, service: Credits, username: Path<String>) -> Result<Json<Count>, Problem> {
    Ok(Json(Count { count: service.count(&caller, &username).await? }))
}
