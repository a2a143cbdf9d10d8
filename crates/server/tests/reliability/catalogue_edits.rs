//! Concurrent edits of the catalogue by two servers: films are in categories of their type, no edit is
//! lost, and one that waits too long is refused whole.

use std::{collections::HashMap, time::Duration};

use reqwest::Method;
use sea_orm::{ConnectionTrait, DatabaseConnection, TransactionTrait};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::{
    bulk_operations,
    guides::number,
    harness::{Rng, TestDb, on_both_databases, rounds},
    live_edits::{Two, winner},
    operation_edits::beside_edits,
};

/// Statements of this database that wait for a lock.
const WAITING: &str = "SELECT count(*) AS number FROM pg_stat_activity \
                       WHERE datname = current_database() AND wait_event_type = 'Lock'";
/// Films in categories of another type.
const MISPLACED: &str = "SELECT count(*) AS number FROM movies m JOIN categories c ON c.id = m.category_id \
                         WHERE c.type <> 'MOVIE'";
/// Attempts at a race within the three seconds for which a server waits for a lock.
const ATTEMPTS: usize = 5;

fn film(category: &Value) -> Value {
    json!({
        "title": "Quimera", "year": 2000, "durationMinutes": 90, "classification": "G", "categoryId": category,
        "links": [{"quality": "HD", "url": "https://a.example/x.m3u8", "audioLanguages": ["SPANISH"]}],
    })
}

async fn new_category(two: &Two, name: &str) -> Value {
    let (admin, url) = two.first();
    let category = json!({"description": name, "englishDescription": name, "type": "MOVIE"});
    admin.post(url, "/categories", &category).await["id"].clone()
}

async fn until_waiting(connection: &DatabaseConnection, count: i64) {
    let waiting = async {
        while number(connection, WAITING).await < count {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_mins(1), waiting).await.expect("a statement waits");
}

/// The type changes after the other server has read the category, and before it writes the film.
async fn a_film_is_refused_whose_category_has_changed_since_it_was_checked(
    two: &Two,
    connection: &DatabaseConnection,
) {
    for attempt in 0..ATTEMPTS {
        let category = new_category(two, &format!("Cambiada {attempt}")).await;
        let (path, change, film) =
            (format!("/categories/{category}"), json!({"type": "SPORTS"}), film(&category));
        let held = connection.begin().await.unwrap();
        held.execute_unprepared("LOCK TABLE movies IN EXCLUSIVE MODE").await.unwrap();
        let changing = async {
            until_waiting(connection, 1).await;
            let changed = two.send(0, Method::PATCH, &path, &change).await;
            held.commit().await.unwrap();
            changed
        };
        let ((added, film), (changed, category)) =
            tokio::join!(two.send(1, Method::POST, "/movies", &film), changing);
        assert_eq!(number(connection, MISPLACED).await, 0, "{film} {category}");
        if added == 503 {
            continue;
        }
        assert_eq!((added, changed), (422, 200), "{film} {category}");
        assert_eq!(film["errors"][0]["code"], "WRONG_CATEGORY_TYPE", "{film}");
        return;
    }
    panic!("the lock was held for three seconds each time");
}

/// The type is to change after the other server has written the film, and before it commits.
async fn a_type_stays_while_a_film_is_being_written(two: &Two, connection: &DatabaseConnection) {
    for attempt in 0..ATTEMPTS {
        let category = new_category(two, &format!("Usada {attempt}")).await;
        let (path, change, film) =
            (format!("/categories/{category}"), json!({"type": "SPORTS"}), film(&category));
        let held = connection.begin().await.unwrap();
        // Audit entries are written last.
        held.execute_unprepared("LOCK TABLE audit_entries IN EXCLUSIVE MODE").await.unwrap();
        let changing = async {
            until_waiting(connection, 1).await;
            two.send(0, Method::PATCH, &path, &change).await
        };
        let releasing = async {
            until_waiting(connection, 2).await;
            held.commit().await.unwrap();
        };
        let ((added, film), (changed, category), ()) =
            tokio::join!(two.send(1, Method::POST, "/movies", &film), changing, releasing);
        assert_eq!(number(connection, MISPLACED).await, 0, "{film} {category}");
        if [added, changed].contains(&503) {
            continue;
        }
        assert_eq!(winner([added, changed]).1, 422, "{film} {category}");
        return;
    }
    panic!("the lock was held for three seconds each time");
}

/// The same at random times, for films that are added and films that are moved from another
/// category.
async fn a_category_changes_its_type_or_gets_films(two: &Two, connection: &DatabaseConnection) {
    let other = new_category(two, "Otra").await;
    for round in 0..rounds(20) {
        let category = new_category(two, &format!("Cine {round}")).await;
        let (_, old) = two.send(1, Method::POST, "/movies", &film(&other)).await;
        let (of_category, of_old) = (format!("/categories/{category}"), format!("/movies/{}", old["id"]));
        let (change, new, into) =
            (json!({"type": "SPORTS"}), film(&category), json!({"categoryId": category}));
        let (changed, added, moved) = tokio::join!(
            two.send(0, Method::PATCH, &of_category, &change),
            two.send(1, Method::POST, "/movies", &new),
            two.send(1, Method::PATCH, &of_old, &into),
        );
        let statuses = [changed.0, added.0, moved.0];
        let is_expected = |status: &u16| *status < 300 || [409, 412, 422].contains(status);
        assert!(statuses.iter().all(is_expected), "round {round}: {changed:?} {added:?} {moved:?}");
        assert_eq!(number(connection, MISPLACED).await, 0, "round {round}: {statuses:?}");
        assert_ne!(changed.0 < 300, added.0 < 300 || moved.0 < 300, "round {round}: {statuses:?}");
    }
}

/// Films are edited at one server while an operation moves them to another category and back.
async fn an_edit_beside_a_move_is_kept(db: &TestDb, two: &Two) {
    let (admin, url) = two.first();
    let ids = bulk_operations::films(admin, url, bulk_operations::FILMS).await;
    let (_, first) = admin.get(url, &format!("/movies/{}", ids[0])).await;
    let (mut here, mut there) = (first["categoryId"].clone(), new_category(two, "Nueva").await);
    // The last edit of each film, and its number of changes.
    let mut edits: HashMap<i64, String> = HashMap::new();
    let mut changes: HashMap<i64, i64> = HashMap::new();
    let mut rng = Rng(59);
    for round in 0..rounds(2) {
        let (path, target) = (format!("/categories/{here}/move"), json!({"to": there}));
        let moving = async {
            // A film that is edited at the same moment is in conflict, and moved by the next operation.
            loop {
                let (status, begun) = two.send(0, Method::POST, &path, &target).await;
                assert_eq!(status, 202, "{begun}");
                let Some(operation) = begun["operations"].get(0) else { break };
                let ended = bulk_operations::ended(admin, url, operation).await;
                assert_eq!(ended["state"], "FINISHED", "{ended}");
                let rows = format!("/operations/{}/rows?verdict=CHANGED&_size=1000", ended["id"]);
                for row in admin.get(url, &rows).await.1.as_array().unwrap() {
                    *changes.entry(row["itemId"].as_i64().unwrap()).or_default() += 1;
                }
            }
        };
        let ((), acknowledged) = beside_edits(moving, 0, async |number| {
            let id = ids[usize::try_from(rng.below(ids.len() as u64)).unwrap()];
            let reference = format!("{round}-{number}");
            let (path, edit) = (format!("/movies/{id}"), json!({"reference": reference}));
            let (status, answer) = two.send(1, Method::PATCH, &path, &edit).await;
            // The film was locked for three seconds.
            if status == 503 {
                return None;
            }
            assert_eq!(status, 200, "{answer}");
            Some((id, reference))
        })
        .await;
        for (id, reference) in acknowledged {
            edits.insert(id, reference);
            *changes.entry(id).or_default() += 1;
        }
        (here, there) = (there, here);
    }
    assert!(!edits.is_empty(), "films were edited meanwhile");
    let sql = "SELECT id, CAST(category_id AS text) || ' ' || CAST(version AS text) || ' ' || coalesce(reference, '') \
               FROM movies";
    let stored = db.by_id::<String>(sql).await;
    for id in &ids {
        let reference = edits.get(id).map_or("", String::as_str);
        let version = 1 + changes.get(id).copied().unwrap_or_default();
        assert_eq!(stored[id], format!("{here} {version} {reference}"), "film {id}");
    }
}

on_both_databases! {
    async fn a_film_is_never_in_a_category_of_another_type(db: &TestDb) {
        let two = Two::start(db).await;
        let connection = db.connect().await;
        // SQLite has no locks of tables, and does not report who waits for its only lock.
        if !db.is_sqlite() {
            a_film_is_refused_whose_category_has_changed_since_it_was_checked(&two, &connection).await;
            a_type_stays_while_a_film_is_being_written(&two, &connection).await;
        }
        a_category_changes_its_type_or_gets_films(&two, &connection).await;
        connection.close().await.unwrap();
        two.stop();
    }

    async fn an_edit_beside_a_move_of_the_category_is_kept(db: &TestDb) {
        let two = Two::start(db).await;
        an_edit_beside_a_move_is_kept(db, &two).await;
        two.stop();
    }

    async fn an_edit_that_another_process_holds_up_changes_nothing_and_can_be_repeated(db: &TestDb) {
        let two = Two::start(db).await;
        let (admin, url) = two.first();
        let category = new_category(&two, "Cine").await;
        let (path, change) = (format!("/categories/{category}"), json!({"description": "Películas"}));
        let connection = db.connect().await;
        let held = connection.begin().await.unwrap();
        // SQLite locks the database, PostgreSQL the rows.
        held.execute_unprepared("UPDATE categories SET type = type").await.unwrap();
        let (status, answer) = two.send(0, Method::PATCH, &path, &change).await;
        assert_eq!((status, &answer["code"]), (503, &json!("UNAVAILABLE")), "{answer}");
        let (_, found) = admin.get(url, &path).await;
        assert_eq!(found["description"], "Cine", "{found}");
        held.rollback().await.unwrap();
        connection.close().await.unwrap();
        let (status, answer) = two.send(1, Method::PATCH, &path, &change).await;
        assert_eq!((status, &answer["version"]), (200, &json!(2)), "{answer}");
        two.stop();
    }
}
