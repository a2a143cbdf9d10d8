//! Imports of users whose server is killed, or that two servers start at once: each user is added
//! once, balances are booked once, and an undo deactivates each user once.

use std::{fmt::Write, time::Duration};

use serde_json::json;
use tokio::time::sleep;

use crate::{
    bulk_operations::{ended, until_running},
    harness::{Client, Rng, Server, TestDb, on_both_databases, rounds},
    imports::{begun, recognised},
    live_edits::Two,
};

/// More than the items of two slices.
const CUSTOMERS: usize = 250;

/// Customers of an agent who is the last row of the file.
pub(crate) fn file(round: usize, customers: usize) -> String {
    let mut csv =
        String::from("username;email;phoneNumber;role;credits;saleCredits;expirationDate;registeredBy\n");
    for number in 0..customers {
        let _ = writeln!(
            csv,
            "cliente_{round}_{number};a@example.com;600 000 000;app;2;;2030-01-31;agente_{round}"
        );
    }
    let _ = writeln!(csv, "agente_{round};b@example.com;600 000 001;agent;;50;;");
    csv
}

on_both_databases! {
    async fn users_of_a_file_are_added_and_booked_once_after_a_kill(db: &TestDb) {
        let mut server = Server::start(db);
        let admin = Client::sign_in(&server.url, "admin").await;
        let mut rng = Rng(58);
        for round in 0..rounds(2) {
            let begun = begun(&admin, &server.url, "/users/spreadsheet-imports", file(round, CUSTOMERS)).await;
            until_running(&admin, &server.url, &begun).await;
            sleep(Duration::from_millis(rng.below(40))).await;
            server.kill();
            server = Server::start_after_kill(db).await;
            let ended = ended(&admin, &server.url, &begun).await;
            assert_eq!(ended["counts"]["created"], CUSTOMERS + 1, "{ended}");
            let (_, agent) = admin.get(&server.url, &format!("/users/agente_{round}")).await;
            assert_eq!(agent["saleCredits"], 50, "{agent}");
            for number in [0, 99, 100, CUSTOMERS - 1] {
                let (_, user) = admin.get(&server.url, &format!("/users/cliente_{round}_{number}")).await;
                assert_eq!((&user["credits"], &user["registeredBy"]), (&json!(2), &json!(format!("agente_{round}"))));
            }
            // One operation of the ledger per user.
            let (_, ledger) = admin.get(&server.url, "/credits/ledger?_size=1").await;
            assert_eq!(ledger["totalElements"], (CUSTOMERS + 1) * (round + 1));
        }
        server.stop(Duration::from_secs(30));
    }

    async fn the_undo_of_an_import_goes_on_after_a_kill_and_deactivates_each_user_once(db: &TestDb) {
        let mut server = Server::start(db);
        let admin = Client::sign_in(&server.url, "admin").await;
        let mut rng = Rng(60);
        for round in 0..rounds(1) {
            let import = begun(&admin, &server.url, "/users/spreadsheet-imports", file(round, CUSTOMERS)).await;
            let added = ended(&admin, &server.url, &import).await;
            assert_eq!(added["counts"]["created"], CUSTOMERS + 1, "{added}");
            let undo = format!("/operations/{}/undo", import["id"]);
            let undo = admin.post(&server.url, &undo, &json!(null)).await;
            until_running(&admin, &server.url, &undo).await;
            sleep(Duration::from_millis(rng.below(40))).await;
            server.kill();
            server = Server::start_after_kill(db).await;
            let undone = ended(&admin, &server.url, &undo).await;
            assert_eq!((&undone["state"], &undone["counts"]["changed"]), (&json!("FINISHED"), &json!(CUSTOMERS + 1)), "{undone}");
            // Users with movements are kept with their balances: added, booked and deactivated, each once.
            let (_, agent) = admin.get(&server.url, &format!("/users/agente_{round}")).await;
            let seen = (&agent["status"], &agent["version"], &agent["saleCredits"]);
            assert_eq!(seen, (&json!("INACTIVE"), &json!(3), &json!(50)), "{agent}");
            let sql = format!(
                "SELECT id, status || ' ' || CAST(version AS text) || ' ' || CAST(credits AS text) FROM users \
                 WHERE registered_by_id = (SELECT id FROM users WHERE username_key = 'agente_{round}')"
            );
            let customers = db.by_id::<String>(&sql).await;
            assert_eq!(customers.len(), CUSTOMERS);
            for (id, seen) in customers {
                assert_eq!(seen, "INACTIVE 3 2", "user {id}");
            }
            let (_, ledger) = admin.get(&server.url, "/credits/ledger?_size=1").await;
            assert_eq!(ledger["totalElements"], (CUSTOMERS + 1) * (round + 1));
        }
        server.stop(Duration::from_secs(30));
    }

    async fn a_file_that_two_servers_begin_at_once_adds_and_books_each_row_once(db: &TestDb) {
        let two = Two::start(db).await;
        let (admin, url) = two.first();
        let path = "/users/spreadsheet-imports";
        for round in 0..rounds(2) {
            // Both sort the agent, who is last, before the agent's customers.
            let uploaded = admin.upload(url, path, file(round, CUSTOMERS)).await;
            let columns = recognised(&uploaded);
            let both = two.post_both(&format!("{path}/{}/run", uploaded["id"]), [&columns, &columns]).await;
            let mut created = 0;
            for (status, begun) in both {
                assert_eq!(status, 202, "{begun}");
                let ended = ended(admin, url, &begun).await;
                assert_eq!(ended["state"], "FINISHED", "{ended}");
                created += ended["counts"]["created"].as_u64().unwrap();
                let (_, rows) = admin.get(url, &format!("/operations/{}/rows?_size=1000", begun["id"])).await;
                let mut seen: Vec<u64> =
                    rows.as_array().unwrap().iter().map(|row| row["sheetRow"].as_u64().unwrap()).collect();
                seen.sort_unstable();
                assert!(seen.into_iter().eq(2..CUSTOMERS as u64 + 3), "each row of the file occurs once");
            }
            assert_eq!(created, CUSTOMERS as u64 + 1);
            for number in [0, 99, 100, CUSTOMERS - 1] {
                let (_, user) = admin.get(url, &format!("/users/cliente_{round}_{number}")).await;
                let agent = format!("agente_{round}");
                assert_eq!((&user["credits"], &user["registeredBy"]), (&json!(2), &json!(agent)), "{user}");
            }
            let (_, ledger) = admin.get(url, "/credits/ledger?_size=1").await;
            assert_eq!(ledger["totalElements"], (CUSTOMERS + 1) * (round + 1));
        }
        two.stop();
    }
}
