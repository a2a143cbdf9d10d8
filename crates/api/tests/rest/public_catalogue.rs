//! The catalogue for integrators: active items, with URLs for players.

use domain_catalogue::Kind;
use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    every_kind::{draft, item},
    series::episode,
};

on_both! {
    async fn hidden_items_are_not_found_for_integrators(app: &TestApp) {
        let manager = app.manager().await;
        let program = app.program(&["CATALOGUE_READ", "EXPORT"]).await;
        for kind in Kind::ALL {
            let path = kind.path();
            let made = item(*kind, manager.create(path, &draft(&manager, *kind).await).await);
            let one = format!("/api/{path}/{}", made["id"]);
            let seen = program.get(&one).send().await;
            assert_eq!(seen.status, 200, "{path}");
            assert_eq!(seen.header("etag"), Some("\"1\""));
            let listed = program.get(&format!("/api/{path}")).send().await;
            let exported = program.get(&format!("/api/export/{path}")).send().await;
            let lines: Vec<Value> =
                exported.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            assert!(lines.contains(&seen.json()), "{path}: {lines:?}");
            let through_its_show = matches!(kind, Kind::Seasons | Kind::Episodes);
            assert_eq!(listed.status, if through_its_show { 403 } else { 200 }, "{path}");

            let status = manager.patch(&format!("{one}/status")).json(&json!({"active": false})).send().await;
            assert_eq!(status.status, 200, "{}", status.text());
            assert_eq!(program.get(&one).send().await.status, 404, "{path}");
            if !through_its_show {
                let listed = program.get(&format!("/api/{path}?_size=1000")).send().await.json();
                let ids: Vec<&Value> = listed["content"].as_array().unwrap().iter().map(|row| &row["id"]).collect();
                assert!(!ids.contains(&&made["id"]), "{path}");
                assert_eq!(program.get(&format!("/api/{path}?active=false")).send().await.status, 422);
            }
            let exported = program.get(&format!("/api/export/{path}")).send().await.text();
            assert!(!exported.lines().any(|line| {
                serde_json::from_str::<Value>(line).unwrap()["id"] == made["id"]
            }), "{path}");
            manager.patch(&format!("{one}/status")).json(&json!({"active": true})).send().await;
        }
    }

    async fn exports_by_keys_are_recorded_within_a_limit(app: &TestApp) {
        let program = app.program(&["EXPORT"]).await;
        let without = app.program(&["CATALOGUE_READ"]).await;
        for _ in 0..25 {
            assert_eq!(program.get("/api/export/movies").send().await.status, 200);
        }
        assert_eq!(program.get("/api/export/sports").send().await.status, 200);
        assert_eq!(without.get("/api/export/sports").send().await.status, 403);
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let of = async |kind: &str| {
            admin.get(&format!("/api/audit?action=EXPORTED&resource={kind}&_size=100")).send().await.json()
        };
        let (movies, sports) = (of("movies").await, of("sports").await);
        assert_eq!((&movies["totalElements"], &sports["totalElements"]), (&json!(20), &json!(1)), "the limit per hour");
        let entry = &sports["content"][0];
        assert_eq!((&entry["actor"], &entry["source"]), (&json!(null), &json!("REQUEST")));
        assert_eq!(entry["after"], json!({"format": "ndjson", "key": "TV"}));
    }

    async fn urls_are_complete_and_inactive_links_are_omitted(app: &TestApp) {
        let manager = app.manager().await;
        let program = app.program(&["CATALOGUE_READ"]).await;
        let mut channel = draft(&manager, Kind::TvChannels).await;
        channel["urlType"] = json!("INTERNAL");
        channel["url"] = json!("77");
        let channel = manager.create("tv-channels", &channel).await;
        let one = format!("/api/tv-channels/{}", channel["id"]);
        assert_eq!(program.get(&one).send().await.json()["url"], "", "without a base nothing can be played");
        let base = json!({"baseUrl": "https://live.example.com/tv/"});
        assert_eq!(manager.put("/api/channels-base-url").json(&base).send().await.status, 200);
        let seen = program.get(&one).send().await;
        assert_eq!(seen.json()["url"], "https://live.example.com/tv/77");
        let moved = json!({"baseUrl": "https://other.example.com/tv/"});
        assert_eq!(manager.put("/api/channels-base-url").json(&moved).send().await.status, 200);
        let elsewhere = program.get(&one).send().await;
        assert_eq!(elsewhere.json()["version"], seen.json()["version"]);
        assert_ne!(elsewhere.header("etag"), seen.header("etag"), "the tag depends on the URL");
        assert_eq!(manager.put("/api/channels-base-url").json(&base).send().await.status, 200);
        for query in ["active=false", "active=0", "active=no"] {
            let refused = program.get(&format!("/api/tv-channels?{query}")).send().await;
            assert_eq!(refused.field_codes(), [("active".to_owned(), "UNKNOWN_VALUE".to_owned())], "{query}");
        }
        let listed = program.get("/api/tv-channels").send().await.json();
        assert_eq!(listed["content"][0]["url"], "https://live.example.com/tv/77");
        assert_eq!(manager.get(&one).send().await.json()["url"], "77", "staff get the stored value");

        let mut film = manager.film().await;
        let mut off = film["links"][0].clone();
        off["id"] = json!("off");
        off["active"] = json!(false);
        film["links"].as_array_mut().unwrap().push(off);
        let film = manager.create("movies", &film).await;
        let seen = program.get(&format!("/api/movies/{}", film["id"])).send().await.json();
        assert_eq!(seen["links"].as_array().unwrap().len(), 1);
        assert_eq!(film["links"].as_array().unwrap().len(), 2);
    }

    async fn nothing_of_a_hidden_show_is_public(app: &TestApp) {
        let manager = app.manager().await;
        let program = app.program(&["CATALOGUE_READ", "EXPORT"]).await;
        let show = item(Kind::TvShows, manager.create("tv-shows", &draft(&manager, Kind::TvShows).await).await);
        let list = format!("/api/tv-shows/{}/episodes", show["id"]);
        let made = manager.post(&list).json(&episode(1, 1)).send().await.json();
        let one = format!("/api/episodes/{}", made["id"]);
        assert_eq!(program.get(&list).send().await.json()["totalElements"], 1);
        for client in [&program, &manager] {
            let other = client.get(&format!("{list}?tvShowId=999")).send().await;
            assert_eq!(other.field_codes(), [("tvShowId".to_owned(), "UNKNOWN_VALUE".to_owned())]);
        }
        assert_eq!(program.get(&format!("/api/tv-shows/{}/seasons", show["id"])).send().await.status, 200);
        assert_eq!(program.get(&one).send().await.status, 200);
        let hide = format!("/api/tv-shows/{}/status", show["id"]);
        manager.patch(&hide).json(&json!({"active": false})).send().await;
        assert_eq!(program.get(&list).send().await.status, 404);
        assert_eq!(program.get(&one).send().await.status, 404);
        assert_eq!(program.get("/api/export/episodes").send().await.text(), "");
    }
}

#[actix_web::test]
async fn an_export_has_all_its_parts() {
    let app = TestApp::new().await;
    let manager = app.manager().await;
    let show = item(Kind::TvShows, manager.create("tv-shows", &draft(&manager, Kind::TvShows).await).await);
    for season in 1..=3 {
        let episodes: Vec<Value> = (1..=400).map(|number| episode(season, number)).collect();
        let batch = format!("/api/tv-shows/{}/episodes/batch", show["id"]);
        let answer = manager.post(&batch).json(&json!({ "episodes": episodes })).send().await;
        assert_eq!(answer.status, 201, "{}", answer.text());
    }
    let exported = app.program(&["EXPORT"]).await.get("/api/export/episodes").send().await;
    assert_eq!(exported.header("content-type"), Some("application/x-ndjson"));
    let ids: Vec<i64> = exported
        .text()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_i64().unwrap())
        .collect();
    assert_eq!(ids.len(), 1200);
    assert!(ids.is_sorted_by(|one, other| one < other));
}
