//! Commands that write beside a server: acknowledged edits at the server are kept, and so is what the
//! command writes.

use std::{
    collections::HashMap,
    fmt::Write,
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::block_in_place;

use crate::harness::{Client, PASSWORD, Rng, Server, TestDb, on_both_databases, rounds, run, spawn};

const CATEGORIES: usize = 300;
/// The field that is edited, and its value in the file.
const NAME: &str = "englishDescription";
const IMPORTED: &str = "Cinema";

/// Categories that are active, or not.
fn categories(active: bool) -> String {
    (0..CATEGORIES).fold(String::new(), |mut lines, number| {
        let category = json!({
            "description": format!("Cine {number}"), "englishDescription": IMPORTED, "type": "MOVIE", "active": active,
        });
        let _ = writeln!(lines, "{category}");
        lines
    })
}

/// An edit that the server acknowledges, or refuses because of another write.
async fn is_edited(admin: &Client, url: &str, path: &str, edit: &Value) -> bool {
    let (status, answer) = admin.send(url, Method::PATCH, path, None, Some(edit)).await.unwrap();
    match status.as_u16() {
        200 => true,
        412 | 503 => false,
        other => panic!("{path}: {other} {answer}"),
    }
}

/// The history of a category, in the order of its versions.
async fn history_of(admin: &Client, url: &str, path: &str) -> Vec<Value> {
    let (_, page) = admin.get(url, &format!("{path}/history?_size=1000")).await;
    let mut entries = page["content"].as_array().unwrap_or_else(|| panic!("{path}: {page}")).clone();
    entries.sort_by_key(|entry| entry["version"].as_i64());
    entries
}

/// Each change was made to what the one before it left, and the last one to what is stored.
fn assert_chain(entries: &[Value], stored: &Value) {
    // As the first import created it.
    let mut values = HashMap::from([(NAME.to_owned(), json!(IMPORTED)), ("active".to_owned(), json!(true))]);
    for (version, entry) in (1..).zip(entries) {
        assert_eq!(entry["version"], version, "{entry}");
        for (field, before) in entry["before"].as_object().into_iter().flatten() {
            assert_eq!(values.get(field), Some(before), "{field}: {entry}");
        }
        values.extend(entry["after"].as_object().cloned().unwrap_or_default());
    }
    for (field, value) in &values {
        assert_eq!(stored[field], *value, "{field}: {stored}");
    }
}

on_both_databases! {
    async fn an_import_and_the_edits_beside_it_are_both_kept(db: &TestDb) {
        let server = Server::start(db);
        let (admin, url) = (Client::sign_in(&server.url, "admin").await, server.url.as_str());
        let file = db.folder().join("categories.ndjson");
        let arguments = ["import", file.to_str().unwrap()];
        fs::write(&file, categories(true)).unwrap();
        let first = run(db, &arguments, "");
        assert!(first.success, "{first:?}");
        let (_, page) = admin.get(url, "/categories?_size=1000").await;
        let ids: Vec<i64> =
            page["content"].as_array().unwrap().iter().map(|one| one["id"].as_i64().unwrap()).collect();
        assert_eq!(ids.len(), CATEGORIES, "{page}");
        let mut rng = Rng(71);
        for round in 0..rounds(3) {
            let active = round % 2 != 0;
            fs::write(&file, categories(active)).unwrap();
            let mut import = spawn(db, &arguments);
            let mut edits: Vec<Vec<String>> = vec![Vec::new(); CATEGORIES];
            let ended = loop {
                let at = usize::try_from(rng.below(CATEGORIES as u64)).unwrap();
                let name = format!("Cinema {round} {}", edits[at].len());
                let edit = json!({"englishDescription": name});
                if is_edited(&admin, url, &format!("/categories/{}", ids[at]), &edit).await {
                    edits[at].push(name);
                }
                if let Some(ended) = import.try_wait().unwrap() {
                    break ended;
                }
            };
            assert!(ended.success(), "round {round}: {ended}");
            assert!(edits.iter().any(|edits| !edits.is_empty()), "round {round}: no edit beside the import");
            let last = format!("Cinema {round}");
            assert!(is_edited(&admin, url, &format!("/categories/{}", ids[0]), &json!({"englishDescription": last})).await);
            edits[0].push(last);
            let sql = "SELECT id, CASE WHEN active THEN 'active ' ELSE 'inactive ' END || english_description FROM categories";
            let imported = format!("{} {IMPORTED}", if active { "active" } else { "inactive" });
            let all = db.by_id::<String>(sql).await;
            for (at, id) in ids.iter().enumerate() {
                // The import gives a category the values of the file, and a later edit stays.
                if edits[at].is_empty() {
                    assert_eq!(all[id], imported, "round {round}: category {id}");
                    continue;
                }
                let path = format!("/categories/{id}");
                let (_, stored) = admin.get(url, &path).await;
                // No edit puts back what the import has changed.
                assert_eq!(stored["active"], active, "round {round}: {stored}");
                let history = history_of(&admin, url, &path).await;
                assert_chain(&history, &stored);
                let names: Vec<&str> = history.iter().filter_map(|entry| entry["after"][NAME].as_str()).collect();
                for edit in &edits[at] {
                    assert!(names.contains(&edit.as_str()), "round {round}: {edit} {names:?}");
                }
            }
        }
        server.stop(Duration::from_secs(30));
    }

    async fn a_password_is_set_and_the_edits_of_its_user_beside_it_are_kept(db: &TestDb) {
        let server = Server::start(db);
        let (admin, url) = (Client::sign_in(&server.url, "admin").await, server.url.clone());
        for round in 0..rounds(2) {
            let name = format!("vendedora_{round}");
            let user = json!({
                "username": name, "fullName": "Ana", "email": "ana@example.com", "phoneNumber": "+34 600 000 000",
                "password": "Contrasena 2", "roleCode": "agent",
            });
            admin.post(&url, "/users", &user).await;
            let has_ended = Arc::new(AtomicBool::new(false));
            let editing = {
                let (admin, url, path) = (admin.clone(), url.clone(), format!("/users/{name}"));
                let has_ended = Arc::clone(&has_ended);
                tokio::spawn(async move {
                    let mut acknowledged = "Ana".to_owned();
                    for number in 0.. {
                        let full_name = format!("Ana {number}");
                        if is_edited(&admin, &url, &path, &json!({"fullName": full_name})).await {
                            acknowledged = full_name;
                        }
                        if has_ended.load(Ordering::Relaxed) {
                            break;
                        }
                    }
                    acknowledged
                })
            };
            let set = block_in_place(|| run(db, &["reset-password", &name], PASSWORD));
            has_ended.store(true, Ordering::Relaxed);
            let acknowledged = editing.await.unwrap();
            assert!(set.success, "{set:?}");
            assert_ne!(acknowledged, "Ana", "round {round}: no edit beside the command");
            let (_, stored) = admin.get(&url, &format!("/users/{name}")).await;
            assert_eq!(stored["fullName"], acknowledged, "round {round}: {stored}");
            // With the new password.
            Client::sign_in(&url, &name).await;
        }
        server.stop(Duration::from_secs(30));
    }
}
