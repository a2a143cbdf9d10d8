//! Edits at one server of items that a bulk change at another one has not reached yet: each edit stays,
//! and is in conflict where it is of the field that the operation changes.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    bulk_operations::{ended, films},
    harness::{PASSWORD, TestDb, on_both_databases, rounds},
    live_edits::Two,
};

/// Slices of each operation: items of the last one are edited while the first ones are changed.
const SLICES: usize = 15;
/// Items of a slice of films, and of users.
const FILMS: usize = 150;
const USERS: usize = 100;
/// Attempts at edits that are made before the operation comes to the last slice.
const ATTEMPTS: usize = 5;

/// Columns that a copy of a film has as they are.
const OF_FILMS: &str = "version, views, created_date, updated_date, title, search_text, title_key, year, \
    duration_minutes, classification, genres, category_id, active, adult_content, mono_audio, english_only, \
    kids_content, links";
/// The same of a user.
const OF_USERS: &str = "full_name, full_name_key, search_text, email, phone_number, role, status, password_hash, \
    default_password, created_date, updated_date, registered_by_id, lineage";

/// `INSERT` of copies of a row, until there are so many of it: the texts of the numbered columns end with
/// the number of the copy.
fn copies(table: &str, columns: &str, numbered: &[&str], row: &str, count: usize) -> String {
    let values: Vec<String> = numbered.iter().map(|column| format!("{column} || '_' || n")).collect();
    format!(
        "WITH RECURSIVE numbers(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count}) \
         INSERT INTO {table} ({columns}, {}) SELECT {columns}, {} FROM {table}, numbers WHERE {row} ORDER BY n",
        numbered.join(", "),
        values.join(", "),
    )
}

/// Begins an operation that sets a field of all items of a list at the first server, and makes edits of
/// three of its last items at the other one at once, the first one of the same field. Requires that they
/// stay. `false` where the operation may have come to these items before the edits.
async fn are_kept(two: &Two, change: &Value, edits: &[(String, Value); 3], slice: usize) -> bool {
    let (admin, url) = two.first();
    let (status, begun) = two.send(0, Method::POST, "/operations", change).await;
    assert_eq!((status, &begun["total"]), (202, &json!(SLICES * slice)), "{begun}");
    let edit = |at: usize| two.send(1, Method::PATCH, &edits[at].0, &edits[at].1);
    let (first, second, third) = tokio::join!(edit(0), edit(1), edit(2));
    let (_, seen) = admin.get(url, &format!("/operations/{}", begun["id"])).await;
    // The last slice is read after the one before it was stored.
    let done = usize::try_from(seen["done"].as_u64().unwrap()).unwrap();
    let mut are_in_time = done + slice < SLICES * slice;
    let ended = ended(admin, url, &begun).await;
    assert_eq!(ended["state"], "FINISHED", "{ended}");
    let mut items = Vec::new();
    for ((status, answer), (path, edit)) in [first, second, third].iter().zip(edits) {
        let (_, item) = admin.get(url, path).await;
        if *status == 200 {
            for (field, value) in edit.as_object().unwrap() {
                assert_eq!(&item[field], value, "{edit} {ended}");
            }
        } else {
            // It waited too long for a lock.
            assert_eq!(*status, 503, "{answer}");
            are_in_time = false;
        }
        items.push(item);
    }
    if !are_in_time {
        return false;
    }
    let counts = (&ended["counts"]["changed"], &ended["counts"]["conflicts"]);
    assert_eq!(counts, (&json!(SLICES * slice - 1), &json!(1)), "{ended}");
    let (_, rows) = admin.get(url, &format!("/operations/{}/rows?verdict=CONFLICT", begun["id"])).await;
    let item = rows[0]["itemId"].to_string();
    assert!(edits[0].0.ends_with(&format!("/{}", item.trim_matches('"'))), "{rows}");
    for (field, value) in change["action"]["set"].as_object().unwrap() {
        for item in &items[1..] {
            assert_eq!(&item[field], value, "an edit of another field stays beside it: {ended}");
        }
    }
    true
}

/// Films get another category at one server, while the category, the year and the title of the last ones
/// are edited at the other.
async fn edits_of_films_are_kept(two: &Two, ids: &[i64], round: usize) -> bool {
    let (admin, url) = two.first();
    let mut categories = Vec::new();
    for name in ["Nueva", "Otra"] {
        let name = format!("{name} {round}");
        let category = json!({"description": name, "englishDescription": name, "type": "MOVIE"});
        categories.push(admin.post(url, "/categories", &category).await["id"].clone());
    }
    let action = json!({"type": "SET", "set": {"categoryId": categories[0]}});
    let change = json!({"resource": "movies", "filter": {"active": "true"}, "action": action});
    let [.., third, second, first] = ids else { panic!("{ids:?}") };
    let edits = [
        (first, json!({"categoryId": categories[1]})),
        (second, json!({"year": 1950 + round % 50})),
        (third, json!({"title": format!("Editada {round}")})),
    ];
    are_kept(two, &change, &edits.map(|(id, edit)| (format!("/movies/{id}"), edit)), FILMS).await
}

/// Customers are moved beneath another agent at one server, while the agent, the name and the e-mail
/// address of the last ones are edited at the other.
async fn edits_of_users_are_kept(two: &Two, count: usize, round: usize) -> bool {
    let (admin, url) = two.first();
    let agents = ["nuevo", "otro"].map(|name| format!("{name}_{round}"));
    for agent in &agents {
        admin.post(url, "/users", &user(agent, "agent")).await;
    }
    let action = json!({"type": "SET", "set": {"registeredBy": agents[0]}});
    let change = json!({"resource": "users", "filter": {"roleCode": "app"}, "action": action});
    let edits = [
        (count, json!({"registeredBy": agents[1]})),
        (count - 1, json!({"fullName": format!("Editado {round}")})),
        (count - 2, json!({"email": format!("{round}@example.com")})),
    ];
    are_kept(two, &change, &edits.map(|(number, edit)| (format!("/users/cliente_{number}"), edit)), USERS)
        .await
}

fn user(name: &str, role: &str) -> Value {
    json!({
        "username": name, "fullName": "Ana", "email": "ana@example.com", "phoneNumber": "+34 600 123 456",
        "password": PASSWORD, "roleCode": role,
    })
}

/// Repeats a scenario until its edits were made in time, as often as there are rounds.
async fn repeat(mut scenario: impl AsyncFnMut(usize) -> bool) {
    let (mut in_time, rounds) = (0, rounds(1));
    for round in 0..rounds + ATTEMPTS - 1 {
        in_time += usize::from(scenario(round).await);
        if in_time == rounds {
            return;
        }
    }
    panic!("the edits of {in_time} rounds were made before the operation came to the last slice");
}

on_both_databases! {
    async fn an_edit_of_an_item_that_a_bulk_change_at_another_server_has_not_reached_stays(db: &TestDb) {
        let two = Two::start(db).await;
        let (admin, url) = two.first();
        films(admin, url, 1).await;
        let numbered = ["natural_key"];
        db.execute(&copies("movies", OF_FILMS, &numbered, "title = 'Film 0'", SLICES * FILMS)).await;
        let mut ids: Vec<i64> = db.by_id::<i64>("SELECT id, version FROM movies").await.into_keys().collect();
        ids.sort_unstable();
        repeat(async |round| edits_of_films_are_kept(&two, &ids, round).await).await;

        admin.post(url, "/users", &user("cliente", "app")).await;
        let (numbered, count) = (["username", "username_key"], SLICES * USERS);
        db.execute(&copies("users", OF_USERS, &numbered, "username = 'cliente'", count)).await;
        repeat(async |round| edits_of_users_are_kept(&two, count, round).await).await;
        two.stop();
    }
}
