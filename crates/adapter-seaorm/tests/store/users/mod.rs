//! The store of users: scope, lists and searches, inserting, updating, removing.

mod inserting;
mod listing;
mod moving;
mod passwords;
mod removing;
mod searching;
mod slices;
mod updating;

use domain_kernel::RoleCode;

use crate::{
    fixture::{ROOT, TestUsers},
    support::TestDb,
};

/// The agents ana_1 > eva_1 > leo_1, each with an app user, and a rival with an app user.
async fn agents_with_customers(db: &TestDb) -> TestUsers {
    let users = [
        (ROOT, "ana_1", RoleCode::Agent),
        ("ana_1", "ana_app", RoleCode::App),
        ("ana_1", "eva_1", RoleCode::Agent),
        ("eva_1", "eva_app", RoleCode::App),
        ("eva_1", "leo_1", RoleCode::Agent),
        ("leo_1", "leo_app", RoleCode::App),
        (ROOT, "rival_1", RoleCode::Agent),
        ("rival_1", "rival_app", RoleCode::App),
    ];
    TestUsers::with(db, &users).await
}
