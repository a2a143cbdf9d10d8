//! Bulk operations whose server is killed, beside edits of the same items.

use std::{collections::HashMap, time::Duration};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::harness::{Client, Rng, Server, TestDb, on_both_databases, rounds};

/// More than the items of a slice of changes.
pub(crate) const FILMS: usize = 300;
/// More than the items of a slice of deletions.
const DELETED: usize = 200;
const CUSTOMERS: usize = 300;
/// Maximum page size.
const PAGE: usize = 1000;

/// So many films of a category of their own.
pub(crate) async fn films(admin: &Client, url: &str, count: usize) -> Vec<i64> {
    let category = json!({"description": "Cine", "englishDescription": "Cinema", "type": "MOVIE"});
    let category = admin.post(url, "/categories", &category).await;
    let mut ids = Vec::new();
    for number in 0..count {
        let film = json!({
            "title": format!("Film {number}"), "year": 2000, "durationMinutes": 90, "classification": "G",
            "categoryId": category["id"],
            "links": [{"quality": "HD", "url": "https://a.example/x.m3u8", "audioLanguages": ["SPANISH"]}],
        });
        ids.push(admin.post(url, "/movies", &film).await["id"].as_i64().unwrap());
    }
    ids
}

/// Waits until some of its items are done.
pub(crate) async fn until_running(admin: &Client, url: &str, operation: &Value) {
    let path = format!("/operations/{}", operation["id"]);
    let begun = async {
        while admin.get(url, &path).await.1["done"] == 0 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_mins(1), begun).await.expect("the operation begins");
}

/// An operation, once it has ended.
pub(crate) async fn ended(admin: &Client, url: &str, operation: &Value) -> Value {
    let path = format!("/operations/{}", operation["id"]);
    let ended = async {
        loop {
            let (_, seen) = admin.get(url, &path).await;
            if !["WAITING", "RUNNING"].contains(&seen["state"].as_str().unwrap()) {
                break seen;
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_mins(2), ended).await.expect("the operation goes on")
}

/// Invariants of an ended operation, its rows and the films.
async fn assert_whole(admin: &Client, url: &str, operation: &Value, expected: &mut HashMap<i64, i64>) {
    assert_eq!(operation["state"], "FINISHED", "{operation}");
    let path = format!("/operations/{}/rows?_size={PAGE}", operation["id"]);
    let (_, rows) = admin.get(url, &path).await;
    let rows = rows.as_array().unwrap();
    assert_eq!(operation["total"], rows.len());
    for (position, row) in rows.iter().enumerate() {
        assert_eq!(row["position"], position);
        if row["verdict"] == "CHANGED" {
            *expected.entry(row["itemId"].as_i64().unwrap()).or_default() += 1;
        }
    }
    for (name, verdict) in [("changed", "CHANGED"), ("conflicts", "CONFLICT"), ("unchanged", "UNCHANGED")] {
        let count = rows.iter().filter(|row| row["verdict"] == verdict).count();
        assert_eq!(operation["counts"][name], count, "{name}: {operation}");
    }
}

/// Customers of the agent north_1, beside the agent south_1.
async fn customers(db: &TestDb, admin: &Client, url: &str) {
    for agent in ["north_1", "south_1"] {
        let user = json!({
            "username": agent, "fullName": "Agent", "email": "agent@example.com", "phoneNumber": "+34 600 123 456",
            "password": "Cartelera-2026", "roleCode": "agent",
        });
        admin.post(url, "/users", &user).await;
    }
    let insert = |number: usize| {
        let name = format!("customer_{number}");
        let moment = "2026-11-20T09:00:00.000+00:00";
        format!(
            "INSERT INTO users (username, username_key, full_name, role, status, created_date, updated_date, \
             registered_by_id, lineage) SELECT '{name}', '{name}', 'Customer', 'app', 'ACTIVE', '{moment}', '{moment}', \
             a.id, a.lineage || a.id || '/' FROM users a WHERE a.username_key = 'north_1';"
        )
    };
    db.execute(&(0..CUSTOMERS).map(insert).collect::<String>()).await;
}

/// Number of an agent's users in its list.
async fn customers_of(admin: &Client, url: &str, agent: &str) -> usize {
    let mut count = 0;
    for page in 0.. {
        let (_, found) = admin.get(url, &format!("/users?roleCode=app&_size=100&_page={page}")).await;
        let rows = found["content"].as_array().unwrap();
        count += rows.iter().filter(|row| row["registeredBy"] == agent).count();
        if rows.is_empty() {
            break;
        }
    }
    count
}

on_both_databases! {
    async fn an_operation_goes_on_after_a_kill_and_loses_no_edit(db: &TestDb) {
        let mut server = Server::start(db);
        let admin = Client::sign_in(&server.url, "admin").await;
        let ids = films(&admin, &server.url, FILMS).await;
        let mut changes: HashMap<i64, i64> = HashMap::new();
        let mut edits: HashMap<i64, Option<(usize, i64)>> = HashMap::new();
        let mut rng = Rng(23);
        let mut undoing = None;
        for round in 0..rounds(2) {
            // Every second operation undoes the one before.
            let begun = if let Some(id) = undoing.take() {
                admin.post(&server.url, &format!("/operations/{id}/undo"), &json!(null)).await
            } else {
                let action = json!({"type": "SET", "set": {"kidsContent": true}});
                let body = json!({"resource": "movies", "filter": {}, "action": action});
                admin.post(&server.url, "/operations", &body).await
            };
            if round % 2 == 0 {
                undoing = Some(begun["id"].clone());
            }
            let editing = {
                let (admin, url, id) = (admin.clone(), server.url.clone(), ids[ids.len() - 1 - round]);
                tokio::spawn(async move {
                    let mut acknowledged = None;
                    for number in 0_usize.. {
                        let body = json!({"reference": number.to_string()});
                        let path = format!("/movies/{id}");
                        match admin.send(&url, Method::PATCH, &path, None, Some(&body)).await {
                            Ok((status, film)) if status.is_success() => {
                                acknowledged = Some((number, film["version"].as_i64().unwrap()));
                            }
                            _ => break,
                        }
                    }
                    (id, acknowledged)
                })
            };
            until_running(&admin, &server.url, &begun).await;
            sleep(Duration::from_millis(rng.below(40))).await;
            server.kill();
            let (id, edit) = editing.await.unwrap();
            edits.insert(id, edit);
            server = Server::start_after_kill(db).await;
            let ended = ended(&admin, &server.url, &begun).await;
            assert_whole(&admin, &server.url, &ended, &mut changes).await;
        }
        let versions = db.by_id::<i64>("SELECT id, version FROM movies").await;
        for id in &ids {
            match edits.get(id) {
                // An edit without an answer may be stored as well.
                Some(Some((number, version))) => {
                    let (_, film) = admin.get(&server.url, &format!("/movies/{id}")).await;
                    assert!(film["version"].as_i64().unwrap() >= *version);
                    let stored: usize = film["reference"].as_str().unwrap().parse().unwrap();
                    assert!([*number, number + 1].contains(&stored), "{film}, acknowledged {number}");
                }
                // The kill came before the answer to the first one.
                Some(None) => {
                    let without = 1 + changes.get(id).copied().unwrap_or_default();
                    assert!([without, without + 1].contains(&versions[id]), "film {id}: {}", versions[id]);
                }
                None => assert_eq!(versions[id], 1 + changes.get(id).copied().unwrap_or_default(), "film {id}"),
            }
        }
        server.stop(Duration::from_secs(30));
    }

    async fn a_move_of_users_and_its_undo_go_on_after_a_kill_and_move_each_once(db: &TestDb) {
        let mut server = Server::start(db);
        let admin = Client::sign_in(&server.url, "admin").await;
        customers(db, &admin, &server.url).await;
        let action = json!({"type": "SET", "set": {"registeredBy": "south_1"}});
        let body = json!({"resource": "users", "filter": {"roleCode": "app"}, "action": action});
        let mut undoing: Option<Value> = None;
        for (agent, others) in [("south_1", "north_1"), ("north_1", "south_1")] {
            let begun = match &undoing {
                None => admin.post(&server.url, "/operations", &body).await,
                Some(id) => admin.post(&server.url, &format!("/operations/{id}/undo"), &json!(null)).await,
            };
            undoing = Some(begun["id"].clone());
            until_running(&admin, &server.url, &begun).await;
            server.kill();
            server = Server::start_after_kill(db).await;
            let ended = ended(&admin, &server.url, &begun).await;
            assert_eq!((&ended["state"], &ended["counts"]["changed"]), (&json!("FINISHED"), &json!(CUSTOMERS)), "{ended}");
            let (_, rows) = admin.get(&server.url, &format!("/operations/{}/rows?_size={PAGE}", begun["id"])).await;
            assert_eq!(rows.as_array().unwrap().len(), CUSTOMERS);
            assert_eq!(customers_of(&admin, &server.url, agent).await, CUSTOMERS);
            assert_eq!(customers_of(&admin, &server.url, others).await, 0);
        }
        // Each was changed twice, and each change is recorded.
        for number in [0, CUSTOMERS - 1] {
            let (_, customer) = admin.get(&server.url, &format!("/users/customer_{number}")).await;
            assert_eq!(customer["version"], 3, "{customer}");
            let (_, history) = admin.get(&server.url, &format!("/users/customer_{number}/history")).await;
            assert_eq!(history["totalElements"], 2, "{history}");
        }
        server.stop(Duration::from_secs(30));
    }

    async fn a_deletion_and_its_undo_go_on_after_a_kill_and_restore_everything(db: &TestDb) {
        let mut server = Server::start(db);
        let admin = Client::sign_in(&server.url, "admin").await;
        let ids = films(&admin, &server.url, DELETED).await;
        let body = json!({"resource": "movies", "filter": {}, "action": {"type": "DELETE"}});
        let mut undoing: Option<Value> = None;
        for in_list in [0, DELETED] {
            let begun = match &undoing {
                None => admin.post(&server.url, "/operations", &body).await,
                Some(id) => admin.post(&server.url, &format!("/operations/{id}/undo"), &json!(null)).await,
            };
            undoing = Some(begun["id"].clone());
            until_running(&admin, &server.url, &begun).await;
            server.kill();
            server = Server::start_after_kill(db).await;
            let ended = ended(&admin, &server.url, &begun).await;
            assert_eq!((&ended["state"], &ended["counts"]["changed"]), (&json!("FINISHED"), &json!(DELETED)), "{ended}");
            let (_, listed) = admin.get(&server.url, "/movies").await;
            assert_eq!(listed["totalElements"], in_list);
            let (_, trash) = admin.get(&server.url, "/trash").await;
            assert_eq!(trash["totalElements"], DELETED - in_list);
        }
        let length = if db.is_sqlite() { "json_array_length" } else { "jsonb_array_length" };
        let links = db.by_id::<i64>(&format!("SELECT id, CAST({length}(links) AS bigint) FROM movies")).await;
        let histories = db.histories("movies").await;
        for id in &ids {
            assert_eq!(links[id], 1, "links of {id}");
            assert_eq!(histories[id], ["CREATED", "DELETED", "RESTORED"], "each once: {id}");
        }
        server.stop(Duration::from_secs(30));
    }
}
