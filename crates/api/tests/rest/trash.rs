//! Deletion, restoration, and the history of an item over the API.

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
};

async fn read(client: &Client<'_>, path: &str) -> Value {
    let answer = client.get(path).send().await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.json()
}

async fn category(client: &Client<'_>, name: &str, category_type: &str) -> i64 {
    let draft = json!({"description": name, "englishDescription": name, "type": category_type});
    client.create("categories", &draft).await["id"].as_i64().unwrap()
}

async fn delete(client: &Client<'_>, path: &str) {
    let answer = client.delete(path).send().await;
    assert_eq!(answer.status, 204, "{}", answer.text());
}

fn actions(page: &Value) -> Vec<&str> {
    page["content"].as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect()
}

on_both! {
    async fn a_film_is_restored_with_another_category_if_its_own_was_deleted(app: &TestApp) {
        let manager = app.manager().await;
        let mut film = manager.film().await;
        let passing = category(&manager, "Pasajera", "MOVIE").await;
        film["categoryId"] = json!(passing);
        let stored = manager.create("movies", &film).await;
        let path = format!("/api/movies/{}", stored["id"]);
        delete(&manager, &path).await;
        assert_eq!(manager.get(&path).send().await.status, 404);
        let trash = read(&manager, "/api/trash").await;
        let entry = &trash["content"][0];
        assert_eq!((&entry["kind"], &entry["itemId"], &entry["deletedBy"]), (&json!("movies"), &stored["id"], &json!("contentManager")));
        assert_eq!(entry["keptUntil"], "2026-12-20T10:00:00.000Z");
        for (query, total) in [("deletedDateFrom=2026-11-20&deletedDateTo=2026-11-20", 1), ("deletedDateFrom=2026-11-21", 0)] {
            assert_eq!(read(&manager, &format!("/api/trash?{query}")).await["totalElements"], total, "{query}");
        }
        // Nothing refers to the category now.
        delete(&manager, &format!("/api/categories/{passing}")).await;
        let restore = format!("{path}/restore");
        let refused = manager.post(&restore).json(&json!({})).send().await;
        assert_eq!(refused.status, 422, "{}", refused.text());
        assert_eq!((&refused.json()["errors"][0]["field"], &refused.json()["errors"][0]["code"]), (&json!("categoryId"), &json!("UNKNOWN_REFERENCE")));
        assert_eq!(read(&manager, "/api/trash?kind=movies").await["totalElements"], 1, "it is still there");
        let other = category(&manager, "Otra", "MOVIE").await;
        let restored = manager.post(&restore).json(&json!({"categoryId": other})).send().await;
        assert_eq!(restored.status, 200, "{}", restored.text());
        let restored = restored.json();
        assert_eq!((&restored["id"], &restored["version"], &restored["categoryId"]), (&stored["id"], &json!(2), &json!(other)));
        assert_eq!((&restored["links"], &restored["createdDate"]), (&stored["links"], &stored["createdDate"]));
        assert_eq!(read(&manager, &path).await, restored);
        assert_eq!(manager.post(&restore).json(&json!({})).send().await.status, 404, "not in the trash any more");
        // The recorded history.
        let history = read(&manager, &format!("{path}/history")).await;
        assert_eq!(actions(&history), ["RESTORED", "DELETED", "CREATED"]);
        assert_eq!(history["content"][0]["after"], json!({"categoryId": other}));
        assert_eq!(history["content"][0]["actor"], "contentManager");
    }

    async fn a_film_whose_natural_key_is_in_use_is_restored_after_confirmation(app: &TestApp) {
        let manager = app.manager().await;
        let film = manager.film().await;
        let stored = manager.create("movies", &film).await;
        let path = format!("/api/movies/{}", stored["id"]);
        delete(&manager, &path).await;
        let other = manager.create("movies", &film).await;
        let refused = manager.post(&format!("{path}/restore")).json(&json!({})).send().await;
        assert_eq!((refused.status, &refused.json()["arguments"]["id"]), (409, &other["id"]), "{}", refused.text());
        assert!(refused.json()["message"].as_str().unwrap().starts_with("Ya hay otro igual en el catálogo"), "{}", refused.text());
        let renamed = manager.post(&format!("{path}/restore")).json(&json!({"year": 1950})).send().await;
        assert_eq!(renamed.status, 200, "another key: {}", renamed.text());
        delete(&manager, &path).await;
        assert_eq!(manager.patch(&format!("/api/movies/{}", other["id"])).json(&json!({"year": 1950})).send().await.status, 200);
        let restored = manager.post(&format!("{path}/restore?duplicate=true")).json(&json!({})).send().await;
        assert_eq!(restored.status, 200, "{}", restored.text());
    }

    async fn a_channel_is_called_by_its_title_in_the_trash(app: &TestApp) {
        let manager = app.manager().await;
        let category = category(&manager, "Canales", "TV_CHANNEL").await;
        let draft = json!({
            "channelNumber": 5, "title": "Cinco", "tvGuideId": null, "epgId": null, "active": true, "categories": [category],
            "urlType": "EXTERNAL", "url": "http://h.example/5", "adultContent": false, "kidsContent": false,
        });
        let path = format!("/api/tv-channels/{}", manager.create("tv-channels", &draft).await["id"]);
        delete(&manager, &path).await;
        assert_eq!(read(&manager, "/api/trash?kind=tv-channels").await["content"][0]["title"], "Cinco");
        manager.create("tv-channels", &draft).await;
        let refused = manager.post(&format!("{path}/restore")).json(&json!({})).send().await;
        assert_eq!((refused.status, &refused.json()["arguments"]["title"]), (409, &json!("Cinco")), "{}", refused.text());
    }

    async fn restoring_a_channel_reports_deleted_categories_and_keeps_the_others(app: &TestApp) {
        let manager = app.manager().await;
        let mut ids = Vec::new();
        for name in ["Uno", "Dos", "Tres"] {
            ids.push(category(&manager, name, "TV_CHANNEL").await);
        }
        let draft = json!({
            "channelNumber": 5, "title": "Cinco", "tvGuideId": null, "epgId": null, "active": true, "categories": ids,
            "urlType": "EXTERNAL", "url": "http://h.example/5", "adultContent": false, "kidsContent": false,
        });
        let path = format!("/api/tv-channels/{}", manager.create("tv-channels", &draft).await["id"]);
        delete(&manager, &path).await;
        delete(&manager, &format!("/api/categories/{}", ids[1])).await;
        let refused = manager.post(&format!("{path}/restore")).json(&json!({})).send().await;
        assert_eq!(refused.status, 422, "{}", refused.text());
        let errors = refused.json()["errors"].clone();
        assert_eq!((&errors[0]["field"], &errors[0]["code"]), (&json!("categories"), &json!("UNKNOWN_REFERENCE")));
        assert_eq!(errors[0]["arguments"], json!({"id": ids[1], "values": ids}));
        let others = json!({"categories": [ids[0], ids[2]]});
        let restored = manager.post(&format!("{path}/restore")).json(&others).send().await;
        assert_eq!(restored.status, 200, "{}", restored.text());
        assert_eq!(restored.json()["categories"], others["categories"]);
    }

    async fn an_earlier_version_is_read_from_the_history_and_restored_by_an_ordinary_edit(app: &TestApp) {
        let manager = app.manager().await;
        let film = manager.film().await;
        let first = manager.create("movies", &film).await;
        let path = format!("/api/movies/{}", first["id"]);
        for change in [json!({"title": "Dos", "year": 1950}), json!({"genres": ["DRAMA"], "active": false}), json!({"title": "Cuatro"})] {
            assert_eq!(manager.patch(&path).json(&change).send().await.status, 200);
        }
        let version = async |number: u32| read(&manager, &format!("{path}/history/{number}")).await["content"].clone();
        let (one, two, four) = (version(1).await, version(2).await, version(4).await);
        assert_eq!((&one["title"], &one["year"], &one["genres"], &one["active"]), (&first["title"], &first["year"], &first["genres"], &first["active"]));
        assert_eq!((&two["title"], &two["year"], &two["genres"]), (&json!("Dos"), &json!(1950), &first["genres"]));
        assert_eq!((&four["title"], &four["active"]), (&json!("Cuatro"), &json!(false)));
        for unknown in ["0", "5", "99"] {
            assert_eq!(manager.get(&format!("{path}/history/{unknown}")).send().await.status, 404);
        }
        let restored = manager.put(&path).header("if-match", "\"4\"").json(&one).send().await;
        assert_eq!(restored.status, 200, "{}", restored.text());
        let restored = restored.json();
        assert_eq!((&restored["title"], &restored["version"], &restored["links"]), (&first["title"], &json!(5), &first["links"]));
        // A change without an audit entry: the version before it can't be shown.
        app.run("DELETE FROM audit_entries WHERE version = 3").await;
        assert_eq!(manager.get(&format!("{path}/history/3")).send().await.status, 200);
        assert_eq!(manager.get(&format!("{path}/history/2")).send().await.status, 404);
    }

    async fn the_audit_log_has_user_action_and_address_and_refuses_unknown_filters(app: &TestApp) {
        let (manager, admin) = (app.manager().await, app.sign_in_as(RoleCode::Admin).await);
        let film = manager.film().await;
        let stored = manager.create("movies", &film).await;
        let path = format!("/api/movies/{}", stored["id"]);
        admin.patch(&path).json(&json!({"title": "Otro"})).send().await;
        let log = read(&admin, "/api/audit?resource=movies").await;
        assert_eq!(actions(&log), ["UPDATED", "CREATED"]);
        let newest = &log["content"][0];
        assert_eq!((&newest["actor"], &newest["source"], &newest["item"]), (&json!("admin"), &json!("REQUEST"), &json!(stored["id"].to_string())));
        assert_eq!((&newest["before"], &newest["after"]), (&json!({"title": film["title"]}), &json!({"title": "Otro"})));
        let total = async |query: &str| read(&admin, &format!("/api/audit?{query}")).await["totalElements"].clone();
        assert_eq!(total("resource=movies&actor=CONTENTMANAGER").await, 1);
        assert_eq!(total("resource=movies&action=UPDATED").await, 1);
        assert_eq!(total("resource=sessions&item=CONTENTmanager").await, 1, "usernames ignore case");
        assert_eq!(total("resource=movies&from=2026-11-20&to=2026-11-20").await, 2);
        assert_eq!(total("resource=movies&from=2026-11-21").await, 0);
        for (query, field, code) in [
            ("resource=films", "resource", "UNKNOWN_VALUE"),
            ("item=7", "resource", "REQUIRED"),
            ("from=yesterday", "from", "INVALID_DATE"),
            ("search=x", "search", "UNKNOWN_FILTER"),
            ("color=red", "color", "UNKNOWN_FILTER"),
        ] {
            let answer = admin.get(&format!("/api/audit?{query}")).send().await;
            assert_eq!(answer.status, 422, "{query}");
            let error = &answer.json()["errors"][0];
            assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!(code)), "{query}");
        }
    }
}
