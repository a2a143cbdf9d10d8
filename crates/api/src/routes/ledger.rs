//! The ledger of credits by operation: lines and totals (docs/spec/credits.md#ledger).

use actix_web::{http::Method, web::Json};
use application::CreditService;
use domain_credits::{LedgerLine, LedgerTotal, OperationType};
use domain_kernel::{Enumeration, ErrorKind, Page};
use serde_json::json;

use super::credits::{Credits, READ};
use crate::{
    caller::AuthUser,
    extract::Pairs,
    openapi::{Api, Operation},
    problem::Problem,
};

pub(crate) fn register(api: &mut Api) {
    let line = api.schemas.response::<LedgerLine>();
    let page = api.schemas.page_of("LedgerPage", "A page of the ledger.", &line);
    let total = api.schemas.response::<LedgerTotal>();
    let shape = CreditService::ledger_shape();
    let listed = api
        .route(Method::GET, "/credits/ledger", "listLedger", ledger)
        .about("credits", "List the ledger, one line per operation, newest first")
        .explained("For agents, a line has the change of their own stock, or else that of the target's balance; with `username`, that of this user's balance. `search` applies to the users of both sides and to performers; agents find users outside of their subtree only by username.")
        .requires(READ)
        .lists(&shape);
    drop(narrowed(listed).answers(200, "The page.", page).fails(&[ErrorKind::Missing, ErrorKind::Invalid]));
    let search = || json!({"type": "string", "maxLength": 200});
    let summed = api
        .route(Method::GET, "/credits/ledger/totals", "totalLedger", ledger_totals)
        .about("credits", "Get the totals of the ledger")
        .explained("One row for each operation type and kind of balance, of the operations that match filters and search.")
        .requires(READ)
        .query("search", search(), "Substring to look for.");
    drop(
        narrowed(summed)
            .answers(200, "The totals.", json!({"type": "array", "items": total, "maxItems": 8}))
            .fails(&[ErrorKind::Missing, ErrorKind::Invalid]),
    );
}

fn narrowed(operation: Operation<'_>) -> Operation<'_> {
    let time = || json!({"type": "string", "examples": ["2026-11-20", "2026-11-20T10:00:00Z"]});
    let name = || json!({"type": "string", "maxLength": 50});
    operation
        .filter("username", name(), "Only operations that changed a balance of this user.")
        .filter("performedBy", name(), "Only operations by this user.")
        .filter(
            "operation",
            json!({"type": "string", "enum": OperationType::CODES}),
            "Only operations of this type.",
        )
        .query("from", time(), "From this day, in the service's time zone, or from this time.")
        .query("to", time(), "To this day (inclusive), or before this time.")
}

async fn ledger(
    caller: AuthUser,
    service: Credits,
    pairs: Pairs,
) -> Result<Json<Page<Vec<LedgerLine>>>, Problem> {
    Ok(Json(service.ledger(&caller, &pairs.0).await?))
}

async fn ledger_totals(
    caller: AuthUser,
    service: Credits,
    pairs: Pairs,
) -> Result<Json<Vec<LedgerTotal>>, Problem> {
    Ok(Json(service.ledger_totals(&caller, &pairs.0).await?))
}
