//! The ledger of credits by operations: listed and summed (docs/spec/credits.md#ledger).

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
        .about("credits", "A page of the ledger: one line per operation, newest first")
        .explained("Agents see an operation from their own stock where it moved, otherwise from the balance of whom it was done to; with `username` every line is seen from that user. `search` looks for users, on both sides and as performers; agents find others than their own by their names only.")
        .requires(READ)
        .lists(&shape);
    drop(narrowed(listed).answers(200, "The page.", page).fails(&[ErrorKind::Missing, ErrorKind::Invalid]));
    let search = || json!({"type": "string", "maxLength": 200});
    let summed = api
        .route(Method::GET, "/credits/ledger/totals", "totalLedger", ledger_totals)
        .about("credits", "What the operations of the ledger add up to")
        .explained("One row for each operation type and kind of balance, of all that the filters and the search keep.")
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
        .filter("username", name(), "Only operations that moved a balance of this user, seen from it.")
        .filter("performedBy", name(), "Only what this user did.")
        .filter("operation", json!({"type": "string", "enum": OperationType::CODES}), "Only these.")
        .query("from", time(), "From this day of the service's time zone on, or from this time on.")
        .query("to", time(), "Up to this day with all of it, or before this time.")
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
