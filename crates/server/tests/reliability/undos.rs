//! Undos of an operation that are requested at two servers at once: it is undone once, and an undo that
//! changed nothing is none.

use std::collections::HashSet;

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    bulk_operations::{ended, films},
    harness::{Client, TestDb, on_both_databases, rounds},
    imports::begun,
    live_edits::Two,
    user_imports::file,
};

const FILMS: usize = 20;
const CUSTOMERS: usize = 5;

/// Requests the undo at both servers at once; the undos that were begun, once they have ended.
async fn undone_at_both(two: &Two, operation: &Value) -> Vec<Value> {
    let (admin, url) = two.first();
    let (path, none) = (format!("/operations/{}/undo", operation["id"]), json!(null));
    let mut undos = Vec::new();
    for (status, answer) in two.post_both(&path, [&none, &none]).await {
        if status == 202 {
            let undo = ended(admin, url, &answer).await;
            assert_eq!((&undo["state"], &undo["undoOf"]), (&json!("FINISHED"), &operation["id"]), "{undo}");
            undos.push(undo);
        } else {
            assert_eq!((status, &answer["code"]), (409, &json!("CONFLICT")), "{answer}");
        }
    }
    undos
}

/// The one undo of an operation that was requested at both servers.
async fn undone_once(two: &Two, operation: &Value) -> Value {
    let undos = undone_at_both(two, operation).await;
    let [undo] = &undos[..] else { panic!("one of two is begun: {undos:?}") };
    let (admin, url) = two.first();
    let (_, undone) = admin.get(url, &format!("/operations/{}", operation["id"])).await;
    assert_eq!((&undone["undoneBy"], &undone["undoUntil"]), (&undo["id"], &json!(null)), "{undone}");
    undo.clone()
}

/// Gives all films a classification.
async fn classified(admin: &Client, url: &str, classification: &str) -> Value {
    let action = json!({"type": "SET", "set": {"classification": classification}});
    let body = json!({"resource": "movies", "filter": {}, "action": action});
    let operation = admin.post(url, "/operations", &body).await;
    ended(admin, url, &operation).await
}

/// Classification and version of all films.
async fn stored(db: &TestDb) -> HashSet<String> {
    let sql = "SELECT id, classification || ' ' || CAST(version AS text) FROM movies";
    let found = db.by_id::<String>(sql).await;
    assert_eq!(found.len(), FILMS);
    found.into_values().collect()
}

on_both_databases! {
    async fn an_operation_is_undone_once_by_two_servers(db: &TestDb) {
        let two = Two::start(db).await;
        let (admin, url) = two.first();
        let ids = films(admin, url, FILMS).await;
        let mut last = classified(admin, url, "R").await;
        assert_eq!(last["counts"]["changed"], FILMS, "{last}");
        // Each undoes the one before.
        let rounds = rounds(15);
        for round in 0..rounds {
            last = undone_once(&two, &last).await;
            assert_eq!(last["counts"]["changed"], FILMS, "round {round}: {last}");
            let classification = if round % 2 == 0 { "G" } else { "R" };
            assert_eq!(stored(db).await, [format!("{classification} {}", round + 3)].into(), "round {round}");
        }
        let histories = db.histories("movies").await;
        for id in ids {
            assert_eq!(histories[&id].len(), rounds + 2, "film {id}: {:?}", histories[&id]);
        }
        two.stop();
    }

    async fn an_undo_that_changed_nothing_leaves_one_to_two_servers(db: &TestDb) {
        let two = Two::start(db).await;
        let (admin, url) = two.first();
        let ids = films(admin, url, FILMS).await;
        let mut version = 1;
        for round in 0..rounds(10) {
            let operation = classified(admin, url, "R").await;
            assert_eq!(operation["counts"]["changed"], FILMS, "round {round}: {operation}");
            // Another value stays, and the undo changes nothing.
            for id in &ids {
                let path = format!("/movies/{id}");
                let (status, answer) = two.send(1, Method::PATCH, &path, &json!({"classification": "PG"})).await;
                assert_eq!(status, 200, "{answer}");
            }
            version += 2;
            let undos = undone_at_both(&two, &operation).await;
            assert!(!undos.is_empty(), "round {round}");
            for undo in &undos {
                let counts = (&undo["counts"]["changed"], &undo["counts"]["refused"]);
                assert_eq!(counts, (&json!(0), &json!(FILMS)), "round {round}: {undo}");
            }
            let (_, found) = admin.get(url, &format!("/operations/{}", operation["id"])).await;
            assert!(found["undoneBy"].is_null() && found["undoUntil"].is_string(), "round {round}: {found}");
            assert_eq!(stored(db).await, [format!("PG {version}")].into(), "round {round}");

            // With the operation's value again, it can be undone.
            classified(admin, url, "R").await;
            let undo = undone_once(&two, &operation).await;
            version += 2;
            assert_eq!(undo["counts"]["changed"], FILMS, "round {round}: {undo}");
            assert_eq!(stored(db).await, [format!("G {version}")].into(), "round {round}");
        }
        two.stop();
    }

    async fn an_import_of_users_is_undone_once_by_two_servers(db: &TestDb) {
        let two = Two::start(db).await;
        let (admin, url) = two.first();
        for round in 0..rounds(10) {
            let import = begun(admin, url, "/users/spreadsheet-imports", file(round, CUSTOMERS)).await;
            let added = ended(admin, url, &import).await;
            assert_eq!(added["counts"]["created"], CUSTOMERS + 1, "{added}");
            let undo = undone_once(&two, &added).await;
            assert_eq!(undo["counts"]["changed"], CUSTOMERS + 1, "round {round}: {undo}");
            // Each was added, booked and deactivated, and keeps its credits.
            let users = (0..CUSTOMERS).map(|number| (format!("cliente_{round}_{number}"), 2, 0));
            for (name, credits, sale_credits) in users.chain([(format!("agente_{round}"), 0, 50)]) {
                let (_, user) = admin.get(url, &format!("/users/{name}")).await;
                let seen = (&user["status"], &user["version"], &user["credits"], &user["saleCredits"]);
                let expected = (&json!("INACTIVE"), &json!(3), &json!(credits), &json!(sale_credits));
                assert_eq!(seen, expected, "round {round}: {user}");
            }
            let (_, ledger) = admin.get(url, "/credits/ledger?_size=1").await;
            assert_eq!(ledger["totalElements"], (CUSTOMERS + 1) * (round + 1));
        }
        two.stop();
    }
}
