//! Items that are deleted together over the API, and that come back from the trash together.

use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    operations::{add_episode, begun, category, counts, films, read, rows},
    series::show,
};

on_both! {
    async fn films_are_deleted_together_restored_and_deleted_again(app: &TestApp) {
        let manager = app.manager().await;
        let ids = films(&manager, 3).await;
        let status = async |id: i64| manager.get(&format!("/api/movies/{id}")).send().await.status;
        let path = |operation: &Value| format!("/api/operations/{}", operation["id"]);
        let done = async |operation: Value| {
            app.run_operations().await;
            read(&manager, &path(&operation)).await
        };
        let undo = async |operation: &Value| {
            let answer = manager.post(&format!("{}/undo", path(operation))).send().await;
            assert_eq!(answer.status, 202, "{}", answer.text());
            done(answer.json()).await
        };
        let body = json!({"resource": "movies", "ids": ids, "action": {"type": "DELETE"}});
        let mut preview = body.clone();
        preview["dryRun"] = json!(true);
        let preview = done(begun(&manager, &preview).await).await;
        assert_eq!((counts(&preview), status(ids[0]).await), ([3, 0, 0, 0, 0], 200), "a preview deletes nothing");
        let deletion = done(begun(&manager, &body).await).await;
        assert_eq!((counts(&deletion), status(ids[0]).await), ([3, 0, 0, 0, 0], 404));
        assert_eq!(read(&manager, "/api/trash?kind=movies").await["totalElements"], 3);
        // One is restored by a user meanwhile.
        let restored = manager.post(&format!("/api/movies/{}/restore", ids[1])).json(&json!({})).send().await;
        assert_eq!(restored.status, 200, "{}", restored.text());
        let undone = undo(&deletion).await;
        assert_eq!((counts(&undone), status(ids[0]).await), ([2, 0, 0, 0, 1], 200));
        // One is edited in the meantime: it stays when the undo is undone.
        let edited = manager.patch(&format!("/api/movies/{}", ids[2])).json(&json!({"title": "Otra"})).send().await;
        assert_eq!(edited.status, 200, "{}", edited.text());
        let again = undo(&undone).await;
        assert_eq!(counts(&again), [1, 0, 1, 0, 0], "undoing the undo deletes the others again");
        let kept = rows(&manager, &again).await;
        let kept = kept.as_array().unwrap().iter().find(|row| row["verdict"] == "REFUSED").unwrap();
        assert_eq!((&kept["itemId"], &kept["problems"][0]["code"]), (&json!(ids[2]), &json!("CHANGED_SINCE")));
        assert_eq!((status(ids[0]).await, status(ids[1]).await, status(ids[2]).await), (404, 200, 200));
    }

    #[smoke]
    async fn items_of_the_trash_are_restored_together_and_conflicts_are_reported(app: &TestApp) {
        let manager = app.manager().await;
        let ids = films(&manager, 4).await;
        let other = category(&manager, "MOVIE").await;
        let moved = manager.patch(&format!("/api/movies/{}", ids[1])).json(&json!({"categoryId": other})).send().await;
        assert_eq!(moved.status, 200, "{}", moved.text());
        for path in ids.iter().map(|id| format!("/api/movies/{id}")).chain([format!("/api/categories/{other}")]) {
            assert_eq!(manager.delete(&path).send().await.status, 204, "{path}");
        }
        let mut film = manager.film().await;
        film["title"] = json!("Film 0");
        let conflicting = manager.create("movies", &film).await;
        let status = async |id: i64| manager.get(&format!("/api/movies/{id}")).send().await.status;
        let done = async |body: &Value| {
            let operation = begun(&manager, body).await;
            app.run_operations().await;
            read(&manager, &format!("/api/operations/{}", operation["id"])).await
        };
        let restore = |of: Value, dry_run: bool| {
            let mut body = json!({"resource": "movies", "action": {"type": "RESTORE"}, "dryRun": dry_run});
            for (name, value) in of.as_object().unwrap() {
                body[name] = value.clone();
            }
            body
        };
        let filter = json!({"filter": {"search": "film", "deletedDateFrom": "2026-11-20"}, "expectedCount": 4});
        let mut restored = Value::Null;
        for dry_run in [true, false] {
            restored = done(&restore(filter.clone(), dry_run)).await;
            assert_eq!(counts(&restored), [2, 0, 2, 0, 0], "{dry_run}: {restored}");
            let rows = rows(&manager, &restored).await;
            let problem = |row: usize| &rows[row]["problems"][0];
            assert_eq!(problem(0)["code"], "DUPLICATE");
            let message = problem(0)["message"].as_str().unwrap();
            assert!(message.ends_with(&format!("«Film 0» (ID {})", conflicting["id"])), "{message}");
            assert_eq!((&problem(1)["field"], &problem(1)["code"]), (&json!("categoryId"), &json!("UNKNOWN_REFERENCE")));
            let expected = if dry_run { 404 } else { 200 };
            assert_eq!((status(ids[2]).await, status(ids[3]).await, status(ids[0]).await), (expected, expected, 404));
        }
        assert_eq!(read(&manager, "/api/trash?kind=movies").await["totalElements"], 2);
        let undo = manager.post(&format!("/api/operations/{}/undo", restored["id"])).send().await;
        assert_eq!(undo.status, 202, "{}", undo.text());
        app.run_operations().await;
        let undo = read(&manager, &format!("/api/operations/{}", undo.json()["id"])).await;
        assert_eq!((counts(&undo), status(ids[2]).await), ([2, 0, 0, 0, 0], 404));
        let named = done(&restore(json!({"ids": [ids[3], 999_999]}), false)).await;
        assert_eq!((counts(&named), status(ids[3]).await), ([1, 0, 0, 0, 1], 200));
        let active = restore(json!({"filter": {"active": true}}), false);
        let refused = manager.post("/api/operations").json(&active).send().await;
        assert_eq!(refused.field_codes(), [("filter.active".to_owned(), "UNKNOWN_FILTER".to_owned())]);
    }

    async fn an_item_deleted_again_by_a_user_stays_in_the_trash(app: &TestApp) {
        let manager = app.manager().await;
        let ids = films(&manager, 2).await;
        let body = json!({"resource": "movies", "ids": ids, "action": {"type": "DELETE"}});
        let deletion = begun(&manager, &body).await;
        app.run_operations().await;
        let one = format!("/api/movies/{}", ids[0]);
        let restored = manager.post(&format!("{one}/restore")).json(&json!({})).send().await;
        assert_eq!(restored.status, 200, "{}", restored.text());
        assert_eq!(manager.delete(&one).send().await.status, 204);
        let undo = manager.post(&format!("/api/operations/{}/undo", deletion["id"])).send().await.json();
        app.run_operations().await;
        let undo = read(&manager, &format!("/api/operations/{}", undo["id"])).await;
        assert_eq!(counts(&undo), [1, 0, 1, 0, 0]);
        assert_eq!(rows(&manager, &undo).await[0]["problems"][0]["code"], "CHANGED_SINCE");
        assert_eq!(manager.get(&one).send().await.status, 404);
    }

    async fn a_show_whose_episodes_were_changed_since_is_not_deleted_by_an_undo(app: &TestApp) {
        let manager = app.manager().await;
        let mut ids = Vec::new();
        let mut episodes = Vec::new();
        for _ in 0..3 {
            let id = show(&manager).await;
            episodes.push(add_episode(&manager, &id, 1).await);
            ids.push(id);
        }
        let done = async |begun: Value| {
            app.run_operations().await;
            read(&manager, &format!("/api/operations/{}", begun["id"])).await
        };
        let undo = async |operation: &Value| {
            let answer = manager.post(&format!("/api/operations/{}/undo", operation["id"])).send().await;
            assert_eq!(answer.status, 202, "{}", answer.text());
            done(answer.json()).await
        };
        let body = json!({"resource": "tv-shows", "ids": ids, "action": {"type": "DELETE"}});
        let deletion = done(begun(&manager, &body).await).await;
        let restoration = undo(&deletion).await;
        assert_eq!(counts(&restoration), [3, 0, 0, 0, 0]);
        // An episode of the first show is edited, the second show gets another one.
        let edited = manager.patch(&format!("/api/episodes/{}", episodes[0])).json(&json!({"title": "Otra"})).send().await;
        assert_eq!(edited.status, 200, "{}", edited.text());
        add_episode(&manager, &ids[1], 2).await;
        let again = undo(&restoration).await;
        assert_eq!(counts(&again), [1, 0, 2, 0, 0]);
        let status = async |id: &Value| manager.get(&format!("/api/tv-shows/{id}")).send().await.status;
        assert_eq!((status(&ids[0]).await, status(&ids[1]).await, status(&ids[2]).await), (200, 200, 404));
    }

    async fn referenced_items_are_not_deleted_and_a_preview_counts_the_references(app: &TestApp) {
        let manager = app.manager().await;
        let ids = films(&manager, 2).await;
        let used = read(&manager, &format!("/api/movies/{}", ids[0])).await["categoryId"].clone();
        let free = category(&manager, "MOVIE").await;
        for dry_run in [true, false] {
            let body = json!({"resource": "categories", "ids": [used, free], "action": {"type": "DELETE"}, "dryRun": dry_run});
            let operation = begun(&manager, &body).await;
            app.run_operations().await;
            let operation = read(&manager, &format!("/api/operations/{}", operation["id"])).await;
            assert_eq!(counts(&operation), [1, 0, 1, 0, 0], "{dry_run}");
            let rows = rows(&manager, &operation).await;
            let refused = rows.as_array().unwrap().iter().find(|row| row["verdict"] == "REFUSED").unwrap();
            assert_eq!(refused["problems"][0]["code"], "IN_USE");
            let message = refused["problems"][0]["message"].as_str().unwrap();
            assert!(message.contains("2 películas"), "{message}");
        }
    }
}
