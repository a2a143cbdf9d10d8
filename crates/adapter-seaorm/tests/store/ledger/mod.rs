//! Tests of the credit ledger, on the same few users.

mod history;
mod orders;
mod reversals;
mod sales;
mod verification;

use domain_credits::Movement;
use domain_kernel::RoleCode;

use crate::{
    fixture::{ROOT, TestUsers},
    support::TestDb,
};

/// An admin, the agents ana_1 (stock 100) and its sub-agent eva_1 (stock 20), an app user of each,
/// and a rival with one.
pub(crate) async fn test_users(db: &TestDb) -> TestUsers {
    let users = [
        (ROOT, "admin_1", RoleCode::Admin),
        (ROOT, "ana_1", RoleCode::Agent),
        ("ana_1", "ana_app", RoleCode::App),
        ("ana_1", "eva_1", RoleCode::Agent),
        ("eva_1", "eva_app", RoleCode::App),
        (ROOT, "rival_1", RoleCode::Agent),
        ("rival_1", "rival_app", RoleCode::App),
        (ROOT, "manager_1", RoleCode::ContentManager),
    ];
    let fixture = TestUsers::with(db, &users).await;
    fixture.stock("ana_1", 100).await;
    fixture.stock("eva_1", 20).await;
    fixture
}

/// Both legs of an operation: account, user, delta, before, after; the target's first.
pub(crate) async fn legs(db: &TestDb, movement: &Movement) -> Vec<(String, i64, Option<i64>, Option<i64>)> {
    let operation = movement.operation_id;
    let sql = format!(
        "SELECT e.account || coalesce(' of ' || u.username, '') AS account, e.delta, e.balance_before, e.balance_after \
         FROM entries e LEFT JOIN users u ON u.id = e.user_id WHERE e.operation_id = {operation} ORDER BY e.leg"
    );
    let read = |row: &sea_orm::QueryResult| {
        (
            row.try_get("", "account").unwrap(),
            row.try_get("", "delta").unwrap(),
            row.try_get("", "balance_before").unwrap(),
            row.try_get("", "balance_after").unwrap(),
        )
    };
    db.rows(&sql).await.iter().map(read).collect()
}
