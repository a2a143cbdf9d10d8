//! Bulk operations over the API: start, progress, cancellation, undo and refusals.

use chrono::TimeDelta;
use domain_kernel::RoleCode;
use domain_operations::SHARED_SLICE;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
    series::{episode, show},
};

/// Films of one category, with ids in ascending order.
pub(crate) async fn films(client: &Client<'_>, count: usize) -> Vec<i64> {
    let mut ids = Vec::new();
    let mut film = client.film().await;
    for number in 0..count {
        film["title"] = json!(format!("Film {number}"));
        ids.push(client.create("movies", &film).await["id"].as_i64().unwrap());
    }
    ids
}

pub(crate) async fn category(client: &Client<'_>, category_type: &str) -> i64 {
    let name = format!("Otra {category_type}");
    let draft = json!({"description": name, "englishDescription": name, "type": category_type});
    client.create("categories", &draft).await["id"].as_i64().unwrap()
}

/// Adds an episode to the first season of a show; returns its ID.
pub(crate) async fn add_episode(client: &Client<'_>, show: &Value, number: i64) -> Value {
    let path = format!("/api/tv-shows/{show}/episodes");
    let answer = client.post(&path).json(&episode(1, number)).send().await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json()["id"].clone()
}

pub(crate) async fn begun(client: &Client<'_>, body: &Value) -> Value {
    let answer = client.post("/api/operations").json(body).send().await;
    assert_eq!(answer.status, 202, "{}", answer.text());
    answer.json()
}

pub(crate) async fn read(client: &Client<'_>, path: &str) -> Value {
    let answer = client.get(path).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

pub(crate) async fn rows(client: &Client<'_>, operation: &Value) -> Value {
    read(client, &format!("/api/operations/{}/rows", operation["id"])).await
}

fn set(values: Value) -> Value {
    json!({"type": "SET", "set": values})
}

/// Changed, unchanged, refused, conflicts, missing.
pub(crate) fn counts(operation: &Value) -> [i64; 5] {
    ["changed", "unchanged", "refused", "conflicts", "missing"]
        .map(|name| operation["counts"][name].as_i64().unwrap())
}

on_both! {
    async fn the_rows_of_episodes_have_their_season_and_number(app: &TestApp) {
        let manager = app.manager().await;
        let show = show(&manager).await;
        let ids = [add_episode(&manager, &show, 1).await, add_episode(&manager, &show, 2).await];
        let body = json!({"resource": "episodes", "ids": ids, "action": set(json!({"active": false}))});
        let operation = begun(&manager, &body).await;
        app.run_operations().await;
        let rows = rows(&manager, &operation).await;
        let titles: Vec<&Value> = rows.as_array().unwrap().iter().map(|row| &row["title"]).collect();
        assert_eq!(titles, ["S1E1: Episode 1x1", "S1E2: Episode 1x2"]);
    }

    async fn films_get_another_category_after_a_preview_and_an_undo_restores_it(app: &TestApp) {
        let manager = app.manager().await;
        let ids = films(&manager, 3).await;
        let film = |id: i64| format!("/api/movies/{id}");
        let before = read(&manager, &film(ids[0])).await;
        let other = category(&manager, "MOVIE").await;
        let body = json!({"resource": "movies", "ids": ids, "action": set(json!({"categoryId": other}))});
        let mut preview = body.clone();
        preview["dryRun"] = json!(true);
        let preview = begun(&manager, &preview).await;
        assert_eq!((&preview["state"], &preview["total"], &preview["done"]), (&json!("WAITING"), &json!(3), &json!(0)));
        app.run_operations().await;
        let path = |operation: &Value| format!("/api/operations/{}", operation["id"]);
        let preview = read(&manager, &path(&preview)).await;
        assert_eq!((&preview["state"], counts(&preview)), (&json!("FINISHED"), [3, 0, 0, 0, 0]));
        let shown = rows(&manager, &preview).await;
        assert_eq!(shown[0]["before"], json!({"categoryId": before["categoryId"]}));
        assert_eq!(shown[0]["after"], json!({"categoryId": other}));
        assert_eq!((&shown[0]["title"], &shown[0]["verdict"]), (&json!("Film 0"), &json!("CHANGED")));
        assert_eq!(read(&manager, &film(ids[0])).await, before, "a preview changes nothing");
        assert_eq!(read(&manager, "/api/operations").await["totalElements"], 0, "a preview is not listed");
        let undone = manager.post(&format!("{}/undo", path(&preview))).send().await;
        assert_eq!(undone.status, 409, "a preview can't be undone");
        let operation = begun(&manager, &body).await;
        app.run_operations().await;
        let operation = read(&manager, &path(&operation)).await;
        assert_eq!(counts(&operation), [3, 0, 0, 0, 0]);
        assert_eq!(operation["undoUntil"], "2026-11-21T10:00:00.000Z");
        let after = read(&manager, &film(ids[0])).await;
        assert_eq!((&after["categoryId"], &after["version"]), (&json!(other), &json!(2)));
        assert_eq!(after["updatedBy"], "contentManager");
        // One is edited by a user: it keeps its category, and the undo reports it.
        let edited = manager.patch(&film(ids[1])).json(&json!({"categoryId": before["categoryId"]})).send().await;
        assert_eq!(edited.status, 200);
        let third = category(&manager, "MOVIE").await;
        assert_eq!(manager.patch(&film(ids[2])).json(&json!({"categoryId": third})).send().await.status, 200);
        let undo = manager.post(&format!("{}/undo", path(&operation))).send().await;
        assert_eq!(undo.status, 202, "{}", undo.text());
        app.run_operations().await;
        let undo = read(&manager, &path(&undo.json())).await;
        assert_eq!((counts(&undo), &undo["undoOf"]), ([1, 1, 1, 0, 0], &operation["id"]));
        assert_eq!(read(&manager, &film(ids[0])).await["categoryId"], before["categoryId"]);
        assert_eq!(read(&manager, &film(ids[2])).await["categoryId"], third);
        let left = rows(&manager, &undo).await;
        assert_eq!(left[2]["problems"][0]["field"], "categoryId");
        assert_eq!(left[2]["problems"][0]["message"], "Alguien lo cambió después: se queda como está");
        let operation = read(&manager, &path(&operation)).await;
        assert_eq!((&operation["undoneBy"], &operation["undoUntil"]), (&undo["id"], &json!(null)));
        let again = manager.post(&format!("{}/undo", path(&operation))).send().await;
        assert_eq!((again.status, &again.json()["message"]), (409, &json!("La operación ya se ha deshecho.")));
    }

    async fn what_a_user_edits_after_an_operation_began_stays_and_is_a_conflict(app: &TestApp) {
        let manager = app.manager().await;
        let ids = films(&manager, 3).await;
        let film = |id: i64| format!("/api/movies/{id}");
        let other = category(&manager, "MOVIE").await;
        let draft = json!({"description": "Tercera", "englishDescription": "Third", "type": "MOVIE"});
        let third = manager.create("categories", &draft).await["id"].as_i64().unwrap();
        let body = json!({"resource": "movies", "ids": ids, "action": set(json!({"categoryId": other}))});
        let operation = begun(&manager, &body).await;
        for (id, edit) in [(ids[0], json!({"categoryId": third})), (ids[1], json!({"year": 1999}))] {
            assert_eq!(manager.patch(&film(id)).json(&edit).send().await.status, 200);
        }
        app.run_operations().await;
        let operation = read(&manager, &format!("/api/operations/{}", operation["id"])).await;
        assert_eq!(counts(&operation), [2, 0, 0, 1, 0], "another field does not matter");
        assert_eq!(rows(&manager, &operation).await[0]["verdict"], "CONFLICT");
        let categories = [read(&manager, &film(ids[0])).await, read(&manager, &film(ids[1])).await];
        assert_eq!(categories.map(|film| film["categoryId"].as_i64().unwrap()), [third, other]);
    }

    async fn items_of_a_list_are_changed_and_violations_are_reported(app: &TestApp) {
        let manager = app.manager().await;
        let ids = films(&manager, 12).await;
        let filter = json!({"search": "film 1", "active": true});
        let action = json!({"type": "REPLACE", "fields": ["title"], "find": "Film 1", "replacement": ""});
        let mut body = json!({"resource": "movies", "filter": filter, "action": action, "expectedCount": 2});
        let refused = manager.post("/api/operations").json(&body).send().await;
        // "Film 1", "Film 10" and "Film 11".
        assert_eq!((refused.status, refused.code().as_str()), (409, "COUNT_CHANGED"));
        assert_eq!(refused.json()["arguments"], json!({"count": 3}));
        body["expectedCount"] = json!(3);
        let operation = begun(&manager, &body).await;
        app.run_operations().await;
        let operation = read(&manager, &format!("/api/operations/{}", operation["id"])).await;
        assert_eq!(counts(&operation), [0, 0, 3, 0, 0]);
        let refused = rows(&manager, &operation).await;
        assert_eq!(refused[0]["itemId"], ids[1]);
        assert_eq!(refused[0]["problems"][0]["code"], "REQUIRED");
        assert_eq!(refused[1]["problems"][0]["code"], "TOO_SHORT");
        assert_eq!(refused[0]["before"], json!({}));
        let missing = category(&manager, "MUSIC").await;
        let body = json!({"resource": "movies", "ids": [ids[0], 999_999],
            "action": set(json!({"categoryId": missing}))});
        let operation = begun(&manager, &body).await;
        app.run_operations().await;
        let seen = rows(&manager, &operation).await;
        assert_eq!((&seen[0]["verdict"], &seen[1]["verdict"]), (&json!("REFUSED"), &json!("MISSING")));
        assert_eq!(seen[0]["problems"][0]["code"], "WRONG_CATEGORY_TYPE");
        let english = manager.get(&format!("/api/operations/{}/rows?verdict=REFUSED&_size=1", operation["id"]));
        let english = english.header("accept-language", "en").send().await.json();
        assert_eq!(english[0]["problems"][0]["message"], "The category is not of type MOVIE");
        assert_eq!(english.as_array().unwrap().len(), 1);
        let path = format!("/api/operations/{}/failures", operation["id"]);
        let file = manager.get(&path).send().await;
        assert_eq!(file.header("content-type"), Some("text/csv; charset=utf-8"));
        assert_eq!(file.text(), format!(
            "\u{feff}\"ID\";\"Título\";\"Resultado\";\"Campo\";\"Motivo\"\r\n\
             \"{}\";\"Film 0\";\"Rechazado\";\"Categoría\";\"La categoría no es del tipo MOVIE\"\r\n\
             \"999999\";\"\";\"No existe\";\"\";\"\"\r\n",
            ids[0]
        ));
        let file = manager.get(&format!("{path}?language=en")).send().await.text();
        assert!(file.starts_with("\u{feff}\"ID\",\"Title\",\"Result\""), "{file}");
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let log = admin.get("/api/audit?action=EXPORTED&resource=operations").send().await.json();
        assert_eq!(log["totalElements"], 2, "{log}");
        let entry = &log["content"][0];
        assert_eq!((&entry["actor"], &entry["item"]), (&json!("contentManager"), &json!(operation["id"].to_string())));
        assert_eq!(entry["after"], json!({"format": "csv", "kind": "movies"}));
    }

    async fn a_repeated_request_starts_one_operation(app: &TestApp) {
        let manager = app.manager().await;
        let ids = films(&manager, 1).await;
        let other = json!({"resource": "movies", "ids": ids, "action": set(json!({"kidsContent": false}))});
        begun(&manager, &other).await;
        app.run_operations().await;
        // It changes the items that match its filter.
        let body = json!({
            "resource": "movies", "filter": {"kidsContent": "false"}, "expectedCount": 1,
            "action": set(json!({"kidsContent": true})),
        });
        let send = async |body: &Value| {
            manager.post("/api/operations").header("idempotency-key", "k").json(body).send().await
        };
        let first = send(&body).await;
        app.run_operations().await;
        let second = send(&body).await;
        assert_eq!((second.status, second.header("idempotency-replayed")), (202, Some("true")));
        assert_eq!(second.json()["id"], first.json()["id"]);
        assert_eq!(second.json()["state"], "FINISHED");
        assert_eq!(send(&other).await.code(), "IDEMPOTENCY_MISMATCH");
    }

    async fn a_cancelled_operation_keeps_its_changes_and_they_can_be_undone(app: &TestApp) {
        let manager = app.manager().await;
        let ids = films(&manager, SHARED_SLICE + 1).await;
        let body = json!({"resource": "movies", "ids": ids, "action": set(json!({"active": false}))});
        let operation = begun(&manager, &body).await;
        let path = format!("/api/operations/{}", operation["id"]);
        assert!(app.step().await, "one slice");
        let running = read(&manager, &path).await;
        assert_eq!((&running["state"], &running["done"]), (&json!("RUNNING"), &json!(SHARED_SLICE)));
        let early = manager.post(&format!("{path}/undo")).send().await;
        assert_eq!((early.status, early.code().as_str()), (409, "CONFLICT"));
        let cancelled = manager.post(&format!("{path}/cancel")).send().await;
        assert_eq!((cancelled.status, &cancelled.json()["state"]), (200, &json!("CANCELLED")));
        assert_eq!(manager.post(&format!("{path}/cancel")).send().await.status, 409);
        assert!(!app.step().await);
        assert_eq!(read(&manager, &format!("/api/movies/{}", ids[SHARED_SLICE - 1])).await["active"], false);
        assert_eq!(read(&manager, &format!("/api/movies/{}", ids[SHARED_SLICE])).await["active"], true);
        assert_eq!(manager.post(&format!("{path}/undo")).send().await.status, 202);
        app.run_operations().await;
        let hidden = read(&manager, "/api/movies?active=false").await;
        assert_eq!(hidden["totalElements"], 0);
    }
}

#[actix_web::test]
async fn after_a_day_nothing_is_undone() {
    let app = TestApp::new().await;
    let manager = app.manager().await;
    let ids = films(&manager, 1).await;
    let body = json!({"resource": "movies", "ids": ids, "action": set(json!({"active": false}))});
    let operation = begun(&manager, &body).await;
    app.run_operations().await;
    app.clock.forward(TimeDelta::hours(24));
    let manager = app.manager().await;
    let late = manager.post(&format!("/api/operations/{}/undo", operation["id"])).send().await;
    assert_eq!(
        (late.status, late.json()["message"].as_str()),
        (409, Some("Una operación se puede deshacer durante 24 horas."))
    );
}

#[actix_web::test]
async fn an_operation_is_visible_to_its_user_and_admins_and_fails_without_the_permission() {
    let app = TestApp::new().await;
    let admin = app.sign_in_as(RoleCode::Admin).await;
    let manager = app.manager().await;
    let ids = films(&manager, 1).await;
    let body = json!({"resource": "movies", "ids": ids, "action": set(json!({"active": false}))});
    let of_admin = begun(&admin, &body).await;
    app.run_operations().await;
    let of_manager = begun(&manager, &body).await;
    let hidden = manager.get(&format!("/api/operations/{}", of_admin["id"])).send().await;
    assert_eq!((hidden.status, hidden.code().as_str()), (404, "NOT_FOUND"));
    for part in ["rows", "failures"] {
        let hidden = manager.get(&format!("/api/operations/{}/{part}", of_admin["id"])).send().await;
        assert_eq!(hidden.status, 404, "{part}");
    }
    for change in ["cancel", "undo"] {
        let hidden = manager.post(&format!("/api/operations/{}/{change}", of_admin["id"])).send().await;
        assert_eq!(hidden.status, 404, "{change}");
    }
    assert_eq!(read(&manager, "/api/operations").await["totalElements"], 1);
    assert_eq!(read(&admin, "/api/operations").await["totalElements"], 2);
    let named = format!("/api/operations?createdBy={}", of_admin["createdBy"].as_str().unwrap());
    assert_eq!(read(&manager, &named).await["totalElements"], 0, "a filter stays within the caller's own");
    // The user was suspended before the operation ran.
    app.run("UPDATE users SET status = 'SUSPENDED' WHERE username = 'contentManager'").await;
    app.run_operations().await;
    let failed = read(&admin, &format!("/api/operations/{}", of_manager["id"])).await;
    assert_eq!((&failed["state"], &failed["failure"]), (&json!("FAILED"), &json!("FORBIDDEN")));
}

#[actix_web::test]
async fn an_operation_can_be_listed_after_many_later_ones() {
    let app = TestApp::new().await;
    let manager = app.manager().await;
    let ids = films(&manager, 1).await;
    let mut begun_ids = Vec::new();
    for kids in [true, false, true] {
        let body = json!({"resource": "movies", "ids": ids, "action": set(json!({"kidsContent": kids}))});
        begun_ids.push(begun(&manager, &body).await["id"].clone());
        app.run_operations().await;
    }
    let newest = read(&manager, "/api/operations").await;
    let shown = (&newest["totalElements"], &newest["size"], &newest["content"][0]["id"]);
    assert_eq!(shown, (&json!(3), &json!(25), &begun_ids[2]));
    let oldest = read(&manager, "/api/operations?_page=2&_size=1").await;
    assert_eq!((&oldest["content"][0]["id"], &oldest["totalPages"]), (&begun_ids[0], &json!(3)));
    let first = read(&manager, "/api/operations?_sort=finishedDate&_size=1").await;
    assert_eq!((&first["content"][0]["id"], &first["totalPages"]), (&begun_ids[0], &json!(3)));
    let of = async |query: &str| {
        read(&manager, &format!("/api/operations?{query}")).await["totalElements"].clone()
    };
    assert_eq!(of("resource=movies&state=FINISHED&createdBy=CONTENTMANAGER").await, 3);
    assert_eq!((of("resource=concerts").await, of("state=RUNNING").await), (json!(0), json!(0)));
    let today = of("createdDateFrom=2026-11-20&createdDateTo=2026-11-20").await;
    assert_eq!((today, of("createdDateTo=2026-11-19").await), (json!(3), json!(0)));
    for (query, code) in [
        ("resource=films", "UNKNOWN_VALUE"),
        ("state=DONE", "UNKNOWN_VALUE"),
        ("createdDateFrom=yesterday", "INVALID_DATE"),
        ("search=x", "UNKNOWN_FILTER"),
        ("_size=0", "TOO_SMALL"),
        ("_sort=changed", "UNKNOWN_SORT_FIELD"),
    ] {
        let refused = manager.get(&format!("/api/operations?{query}")).send().await;
        let field = query.split('=').next().unwrap_or_default().to_owned();
        assert_eq!((refused.status, refused.field_codes()), (422, vec![(field, code.to_owned())]));
    }
    let file = manager.get("/api/spreadsheets/operations?columns=id&resource=concerts").send().await;
    assert_eq!((file.status, file.text().lines().count()), (200, 1), "a file has the rows of the list");
}

#[actix_web::test]
async fn an_invalid_request_is_refused_by_field() {
    let app = TestApp::new().await;
    let manager = app.manager().await;
    let ids = films(&manager, 1).await;
    let request = |action: Value| json!({"resource": "movies", "ids": ids, "action": action});
    let filtered = |filter: Value| json!({"resource": "movies", "filter": filter, "action": set(json!({"active": true}))});
    for (body, field, code) in [
        (json!({}), "resource", "REQUIRED"),
        (request(json!({"type": "SET"})), "action.set", "REQUIRED"),
        (request(set(json!({"title": "x"}))), "action.set.title", "UNKNOWN_VALUE"),
        (request(json!({"type": "ERASE"})), "action.type", "UNKNOWN_VALUE"),
        (request(json!({"type": "REPLACE", "fields": ["title"], "find": ""})), "action.find", "REQUIRED"),
        (filtered(json!({"titel": "x"})), "filter.titel", "UNKNOWN_FILTER"),
        (filtered(json!({"active": "x"})), "filter.active", "UNKNOWN_VALUE"),
        (filtered(json!({"_page": 1})), "filter._page", "UNKNOWN_FIELD"),
        (filtered(json!({"active": [true]})), "filter.active", "WRONG_TYPE"),
    ] {
        let answer = manager.post("/api/operations").json(&body).send().await;
        let codes = answer.field_codes();
        assert!(codes.contains(&(field.to_owned(), code.to_owned())), "{body}: {codes:?}");
    }
    let nothing =
        manager.post("/api/operations").json(&filtered(json!({"search": "no such film"}))).send().await;
    assert_eq!((nothing.status, nothing.code().as_str()), (409, "CONFLICT"));
}
