//! The life of an item of every kind.

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::{Client, category},
};

/// Each kind with a valid item, and a text field of it.
async fn kinds(ana: &Client<'_>) -> Vec<(&'static str, Value, &'static str)> {
    vec![("categories", category(), "description"), ("movies", ana.film().await, "title")]
}

/// Without the fields added by the server.
fn own(item: &Value) -> Value {
    let mut item = item.clone();
    for field in ["id", "version", "views", "createdDate", "updatedDate", "updatedBy"] {
        item.as_object_mut().unwrap().remove(field).unwrap();
    }
    item
}

on_both! {
    async fn an_item_is_created_read_replaced_changed_toggled_and_removed(app: &TestApp) {
        let ana = app.manager().await;
        for (kind, item, name) in kinds(&ana).await {
            let created = ana.post(&format!("/api/{kind}")).json(&item).send().await;
            let stored = created.json();
            let path = format!("/api/{kind}/{}", stored["id"]);
            assert_eq!((created.status, created.header("location")), (201, Some(path.as_str())));
            assert_eq!(created.header("etag"), Some("\"1\""));
            assert_eq!((&stored["version"], &stored["views"]), (&json!(1), &json!(0)));
            assert_eq!(own(&stored), item);
            assert_eq!(stored["createdDate"], "2026-11-20T10:00:00.000Z");

            let read = ana.get(&path).send().await;
            assert_eq!((read.status, read.header("etag"), read.json()), (200, Some("\"1\""), stored.clone()));

            // A response can be sent back.
            let mut draft = stored.clone();
            draft[name] = json!("Otro nombre");
            draft["views"] = json!(1_000_000);
            let replaced = ana.put(&path).header("if-match", "\"1\"").json(&draft).send().await;
            assert_eq!((replaced.status, replaced.header("etag")), (200, Some("\"2\"")), "{}", replaced.text());
            assert_eq!((&replaced.json()[name], &replaced.json()["views"]), (&json!("Otro nombre"), &json!(0)));

            let third = json!({name: "Tercero"});
            let changed = ana.patch(&path).header("if-match", "W/\"2\"").json(&third).send().await;
            let mut expected = own(&stored);
            expected[name] = json!("Tercero");
            assert_eq!((changed.status, own(&changed.json())), (200, expected));

            let hidden = ana.patch(&format!("{path}/status")).json(&json!({"active": false})).send().await;
            assert_eq!((hidden.status, hidden.header("etag")), (200, Some("\"4\"")));
            assert_eq!(hidden.json()["active"], false);
            let again = ana.patch(&format!("{path}/status")).json(&json!({"active": false})).send().await;
            assert_eq!((again.status, again.json()), (200, hidden.json()), "a repetition changes nothing");

            let removed = ana.delete(&path).header("if-match", "\"4\"").send().await;
            assert_eq!((removed.status, removed.text().as_str()), (204, ""));
            assert_eq!(ana.get(&path).send().await.status, 404);
            assert_eq!(ana.delete(&path).send().await.status, 404);
        }
    }

    async fn a_category_in_use_is_not_deleted_and_its_uses_are_counted(app: &TestApp) {
        let ana = app.manager().await;
        let film = ana.film().await;
        ana.create("movies", &film).await;
        ana.create("movies", &film).await;
        let path = format!("/api/categories/{}", film["categoryId"]);
        let spanish = ana.delete(&path).send().await;
        assert_eq!((spanish.status, spanish.code()), (409, "IN_USE".to_owned()));
        assert_eq!(spanish.json()["arguments"], json!({"movies": 2}));
        assert!(spanish.json()["message"].as_str().unwrap().contains("2 películas"), "{}", spanish.text());
        let english = ana.delete(&path).header("accept-language", "en").send().await;
        assert!(english.json()["message"].as_str().unwrap().contains("2 movies"), "{}", english.text());
        assert_eq!(ana.get(&path).send().await.status, 200);
    }

    async fn a_category_with_content_keeps_its_type(app: &TestApp) {
        let ana = app.manager().await;
        let film = ana.film().await;
        let stored = ana.create("movies", &film).await;
        let path = format!("/api/categories/{}", film["categoryId"]);
        let change = json!({"type": "SPORTS"});
        let kept = ana.patch(&path).json(&change).send().await;
        assert_eq!((kept.status, kept.field_codes()), (422, vec![("type".to_owned(), "FIXED_WHILE_USED".to_owned())]));
        assert_eq!(kept.json()["errors"][0]["message"], "No se puede cambiar mientras esté en uso (1)");
        assert_eq!(ana.patch(&path).json(&json!({"description": "Cine negro"})).send().await.status, 200);
        let of_film = format!("/api/movies/{}", stored["id"]);
        assert_eq!(ana.patch(&of_film).json(&json!({"year": 2000})).send().await.status, 200);
        assert_eq!(ana.delete(&of_film).send().await.status, 204);
        assert_eq!(ana.patch(&path).json(&change).send().await.status, 200, "nothing is in it");
    }

    async fn an_item_has_its_last_editor_but_not_for_integrators(app: &TestApp) {
        let (ana, rosa) = (app.manager().await, app.sign_in_as(RoleCode::Admin).await);
        let film = ana.film().await;
        let stored = ana.create("movies", &film).await;
        let path = format!("/api/movies/{}", stored["id"]);
        assert_eq!(stored["updatedBy"], "contentManager");
        let changed = rosa.patch(&path).header("if-match", "\"1\"").json(&json!({"year": 2001})).send().await;
        assert_eq!(changed.json()["updatedBy"], "admin");
        let late = ana.patch(&path).header("if-match", "\"1\"").json(&json!({"year": 2002})).send().await;
        assert_eq!((late.status, &late.json()["current"]["updatedBy"]), (412, &json!("admin")));
        let shown = ana.patch(&format!("{path}/status")).json(&json!({"active": false})).send().await;
        assert_eq!(shown.json()["updatedBy"], "contentManager");
        ana.patch(&format!("{path}/status")).json(&json!({"active": true})).send().await;
        let row = &ana.get("/api/movies").send().await.json()["content"][0];
        assert_eq!(row.get("updatedBy"), None);
        let key = app.program(&["CATALOGUE_READ", "EXPORT"]).await;
        assert_eq!(key.get(&path).send().await.json().get("updatedBy"), Some(&Value::Null));
        let exported = key.get("/api/export/movies").send().await.text();
        assert!(exported.contains("\"updatedBy\":null") && !exported.contains("contentManager"), "{exported}");
    }

    async fn a_repeated_create_has_the_first_response_after_its_category_was_deleted(app: &TestApp) {
        let ana = app.manager().await;
        let film = ana.film().await;
        let send = async || ana.post("/api/movies").header("idempotency-key", "k").json(&film).send().await;
        let first = send().await;
        assert_eq!(first.status, 201, "{}", first.text());
        let path = format!("/api/movies/{}", first.json()["id"]);
        assert_eq!(ana.delete(&path).send().await.status, 204);
        app.run("DELETE FROM trash").await;
        assert_eq!(ana.delete(&format!("/api/categories/{}", film["categoryId"])).send().await.status, 204);
        let again = send().await;
        assert_eq!((again.status, again.header("idempotency-replayed")), (201, Some("true")), "{}", again.text());
        assert_eq!(again.json(), first.json());
        let other = ana.post("/api/movies").header("idempotency-key", "other").json(&film).send().await;
        assert_eq!(other.field_codes(), [("categoryId".to_owned(), "UNKNOWN_REFERENCE".to_owned())]);
    }

    async fn content_of_a_category_is_counted_and_moved_to_another_of_its_type(app: &TestApp) {
        let ana = app.manager().await;
        let film = ana.film().await;
        let stored = ana.create("movies", &film).await;
        let one = format!("/api/categories/{}", film["categoryId"]);
        let mut draft = category();
        draft["description"] = json!("Otra");
        let other = ana.create("categories", &draft).await["id"].clone();
        draft["type"] = json!("SPORTS");
        let sports = ana.create("categories", &draft).await["id"].clone();
        let usage = ana.get(&format!("{one}/usage")).send().await.json();
        assert_eq!(usage, json!({"total": 1, "kinds": [{"kind": "movies", "count": 1}]}));
        let to = async |body: Value| ana.post(&format!("{one}/move")).json(&body).send().await;
        for (body, code) in [
            (json!({}), "REQUIRED"),
            (json!({"to": "x"}), "WRONG_TYPE"),
            (json!({"to": 9_999}), "UNKNOWN_REFERENCE"),
            (json!({"to": film["categoryId"]}), "UNKNOWN_REFERENCE"),
            (json!({"to": sports}), "WRONG_CATEGORY_TYPE"),
        ] {
            assert_eq!(to(body.clone()).await.field_codes(), [("to".to_owned(), code.to_owned())], "{body}");
        }
        assert_eq!(to(json!([])).await.status, 422);
        let once = async |to: &Value| {
            ana.post(&format!("{one}/move")).header("idempotency-key", "k").json(&json!({"to": to})).send().await
        };
        let begun = once(&other).await;
        assert_eq!((begun.status, &begun.json()["sources"]), (202, &json!(0)), "{}", begun.text());
        let operation = begun.json()["operations"][0].clone();
        assert_eq!((&operation["resource"], &operation["total"]), (&json!("movies"), &json!(1)), "{operation}");
        app.run_operations().await;
        let now = ana.get(&format!("/api/movies/{}", stored["id"])).send().await.json();
        assert_eq!((&now["categoryId"], &now["version"]), (&other, &json!(2)));
        assert_eq!(ana.get(&format!("{one}/usage")).send().await.json(), json!({"total": 0, "kinds": []}));
        let again = once(&other).await;
        assert_eq!((again.status, again.header("idempotency-replayed")), (202, Some("true")));
        assert_eq!(again.json()["operations"][0]["id"], operation["id"]);
        assert_eq!(once(&sports).await.code(), "IDEMPOTENCY_MISMATCH");
        // All of it is undone together.
        let undone = ana.post(&format!("/api/operations/{}/undo", operation["id"])).send().await;
        assert_eq!(undone.status, 202, "{}", undone.text());
        app.run_operations().await;
        assert_eq!(ana.get(&format!("{one}/usage")).send().await.json()["total"], 1);
        assert_eq!(to(json!({"to": other})).await.status, 202);
        app.run_operations().await;
        let empty = to(json!({"to": other})).await.json();
        assert_eq!(empty, json!({"operations": [], "sources": 0, "profiles": 0}), "nothing refers to it");
        assert_eq!(ana.delete(&one).send().await.status, 204);
        for path in [format!("{one}/usage"), "/api/tv-guides/99/usage".to_owned()] {
            assert_eq!(ana.get(&path).send().await.status, 404, "{path}");
        }
        assert_eq!(to(json!({"to": other})).await.status, 404);
    }

    #[smoke]
    async fn a_create_with_a_key_is_idempotent(app: &TestApp) {
        let ana = app.manager().await;
        for (kind, item, name) in kinds(&ana).await {
            let before = ana.count(kind).await;
            let path = format!("/api/{kind}");
            let create = async |item: &Value| {
                ana.post(&path).header("idempotency-key", &format!("key-{kind}")).json(item).send().await
            };
            let first = create(&item).await;
            let again = create(&item).await;
            assert_eq!((first.status, again.status), (201, 201));
            assert_eq!((first.header("idempotency-replayed"), again.header("idempotency-replayed")), (None, Some("true")));
            assert_eq!((first.json(), first.header("location")), (again.json(), again.header("location")));
            let mut other = item.clone();
            other[name] = json!("Otra cosa");
            let refused = create(&other).await;
            assert_eq!((refused.status, refused.code()), (409, "IDEMPOTENCY_MISMATCH".to_owned()));
            assert_eq!(ana.count(kind).await, before + 1);
        }
    }
}

#[actix_web::test]
async fn an_idempotency_key_is_printable_and_limited() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    for key in ["", "two words", "ñ", &"x".repeat(201)] {
        let answer =
            ana.post("/api/categories").header("idempotency-key", key).json(&category()).send().await;
        assert_eq!(
            answer.field_codes(),
            vec![("Idempotency-Key".to_owned(), "INVALID_FORMAT".to_owned())],
            "{key}"
        );
    }
    assert_eq!(ana.count("categories").await, 0);
    let longest = "x".repeat(200);
    let answer =
        ana.post("/api/categories").header("idempotency-key", &longest).json(&category()).send().await;
    assert_eq!(answer.status, 201);
}

#[actix_web::test]
async fn null_removes_optional_fields_and_resets_fields_with_defaults() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    let stored = ana.create("movies", &ana.film().await).await;
    let path = format!("/api/movies/{}", stored["id"]);
    let patch = async |patch: Value| ana.patch(&path).json(&patch).send().await;
    let changed =
        patch(json!({"trailerUrl": null, "rating": null, "genres": null, "active": null})).await.json();
    assert_eq!((&changed["trailerUrl"], &changed["rating"]), (&Value::Null, &Value::Null));
    assert_eq!((&changed["genres"], &changed["active"]), (&json!([]), &json!(true)));
    assert_eq!(changed["imdbId"], stored["imdbId"], "omitted fields stay");
    for (field, code) in [("title", "REQUIRED"), ("links", "REQUIRED"), ("categoryId", "REQUIRED")] {
        assert_eq!(
            patch(json!({field: null})).await.field_codes(),
            vec![(field.to_owned(), code.to_owned())]
        );
    }
    assert_eq!(patch(json!({"reference": "  "})).await.json()["reference"], Value::Null);
    let nothing = patch(json!({})).await;
    assert_eq!(nothing.status, 200);
    let merge = ana.patch(&path).body("application/merge-patch+json", r#"{"year": 2001}"#).send().await;
    assert_eq!((merge.status, merge.json()["year"].clone()), (200, json!(2001)));
}

#[actix_web::test]
async fn links_that_are_sent_replace_the_whole_list_and_keep_their_ids_and_dates() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    let stored = ana.create("movies", &ana.film().await).await;
    let path = format!("/api/movies/{}", stored["id"]);
    let bare = json!({"quality": "4K", "url": "rtmp://s.example/live", "audioLanguages": ["french"]});
    let mut links = stored["links"].as_array().unwrap().clone();
    links.push(bare);
    app.clock.forward(chrono::TimeDelta::hours(1));
    let changed = ana.patch(&path).json(&json!({"links": links})).send().await.json();
    assert_eq!(changed["links"][0], stored["links"][0]);
    let added = &changed["links"][1];
    assert_eq!(
        (&added["audioLanguages"], &added["createdDate"]),
        (&json!(["FRENCH"]), &json!("2026-11-20T11:00:00.000Z"))
    );
    let only = ana.patch(&path).json(&json!({"links": [added]})).send().await.json();
    assert_eq!(only["links"], json!([added]));
}

#[actix_web::test]
async fn omitted_fields_have_their_defaults() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    let film = ana.film().await;
    let bare = json!({
        "title": "  Solaris ", "year": 1972, "durationMinutes": 167, "classification": "PG-13",
        "categoryId": film["categoryId"],
        "links": [{"quality": "FHD", "url": "https://s.example/1.m3u8", "audioLanguages": ["RUSSIAN"]}],
    });
    let stored = ana.create("movies", &bare).await;
    assert_eq!((&stored["title"], &stored["classification"]), (&json!("Solaris"), &json!("PG_13")));
    assert_eq!((&stored["active"], &stored["genres"]), (&json!(true), &json!([])));
    for flag in ["adultContent", "monoAudio", "englishOnly", "kidsContent"] {
        assert_eq!(stored[flag], false, "{flag}");
    }
    for field in ["imdbId", "rating", "actors", "spanishSynopsis", "coverImageUrl", "trailerUrl", "reference"]
    {
        assert_eq!(stored[field], Value::Null, "{field}");
    }
}

#[actix_web::test]
async fn missing_items_are_not_found() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    let film = ana.film().await;
    for id in ["999", "0", "-1", "abc", "1.0", "1e3", "99999999999999999999", "%00", "1%2F2"] {
        let path = format!("/api/movies/{id}");
        for answer in [
            ana.get(&path).send().await,
            ana.put(&path).json(&film).send().await,
            ana.patch(&path).json(&json!({})).send().await,
            ana.patch(&format!("{path}/status")).json(&json!({"active": true})).send().await,
            ana.delete(&path).send().await,
        ] {
            assert_eq!((answer.status, answer.code()), (404, "NOT_FOUND".to_owned()), "{path}");
        }
    }
}
