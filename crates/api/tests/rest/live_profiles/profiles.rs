//! Profiles: their references, secrets and limits, the end of their URLs, and sources with such a URL.

use chrono::TimeDelta;
use domain_kernel::RoleCode;
use serde_json::{Value, json};

use super::{LIST, address, playlist, profile};
use crate::{
    app::{PUBLIC_ORIGIN, TestApp, on_both},
    playlists::{counts, read, source},
};

on_both! {
    async fn the_playlist_of_a_profile_is_no_source_of_the_same_service(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let made = profile(&admin, json!({})).await;
        let own = made["address"].as_str().unwrap().to_owned();
        let inside = format!("http://10.0.0.7:8080{}?x=1", address(&made));
        for url in [&own, &inside, &own.replace("playlist.m3u", "guide.xml.gz")] {
            let refused = admin.post("/api/playlist-sources").json(&json!({"title": "Bucle", "url": url})).send().await;
            assert_eq!(refused.field_codes(), [("url".to_owned(), "OWN_PLAYLIST".to_owned())], "{url}");
        }
        let source = admin.create("playlist-sources", &json!({"title": "Otra", "url": "https://h.example/l.m3u"})).await;
        let path = format!("/api/playlist-sources/{}", source["id"]);
        let refused = admin.patch(&path).json(&json!({"url": own})).send().await;
        assert_eq!(refused.field_codes(), [("url".to_owned(), "OWN_PLAYLIST".to_owned())]);
        // A URL of another service with the same format.
        let other = json!({"url": format!("https://h.example/api/live/pl_{}/playlist.m3u", "x".repeat(43))});
        assert_eq!(admin.patch(&path).json(&other).send().await.status, 200);
        // A source may have stored the URL before such URLs were refused.
        app.run(&format!("UPDATE playlist_sources SET url = '{own}' WHERE id = {}", source["id"])).await;
        let paused = admin.patch(&path).json(&json!({"active": false})).send().await;
        assert_eq!((paused.status, &paused.json()["active"]), (200, &json!(false)));
        let renamed = json!({"title": "Bucle", "url": own, "active": false});
        assert_eq!(admin.put(&path).json(&renamed).send().await.status, 200);
        let refused = admin.patch(&path).json(&json!({"url": inside})).send().await;
        assert_eq!(refused.field_codes(), [("url".to_owned(), "OWN_PLAYLIST".to_owned())]);
    }

    async fn a_source_that_had_the_address_of_a_profile_before_reads_and_applies_nothing(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let own = profile(&admin, json!({})).await["address"].as_str().unwrap().to_owned();
        let source = source(&admin, json!({"url": "https://h.example/l.m3u", "refreshHours": 1, "automatic": "ALL"})).await;
        let run = read(app, &admin, &source, "#EXTM3U\n#EXTINF:-1,Uno\nhttps://h.example/1.ts\n", "").await;
        assert_eq!(counts(&run)[0], 1);
        app.run(&format!("UPDATE playlist_sources SET url = '{own}'")).await;
        let begun = admin.post(&format!("{source}/runs")).json(&json!({})).send().await;
        let all = json!({"filter": {}, "expectedCount": 1});
        let applied = admin.post(&format!("{source}/runs/{}/apply", run["id"])).json(&all).send().await;
        for refused in [&begun, &applied] {
            assert_eq!((refused.status, refused.code()), (409, "CONFLICT".to_owned()));
            assert!(refused.json()["message"].as_str().unwrap().contains("se duplicarían"), "{}", refused.text());
        }
        // Nor does what the schedule begins.
        app.clock.forward(TimeDelta::hours(2));
        app.read_playlists().await;
        let last = admin.get(&source).send().await.json()["lastRun"].clone();
        assert_eq!((&last["state"], &last["fault"]), (&json!("FAILED"), &json!("OWN_PLAYLIST")));
        let channels = admin.get("/api/tv-channels").send().await.json();
        assert_eq!(channels["totalElements"], 0);
    }

    async fn a_secret_is_shown_once_and_stored_as_a_hash(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let made = profile(&admin, json!({"name": "Televisión del salón"})).await;
        let secret = made["secret"].as_str().unwrap();
        assert!(secret.starts_with("pl_") && secret.len() == 46, "{secret}");
        assert_eq!(made["hint"], secret[..8]);
        assert_eq!(made["address"], format!("http://cartelera.example/api/live/{secret}/playlist.m3u"));
        let one = admin.get(&format!("{LIST}/{}", made["id"])).send().await;
        assert_eq!((&one.json()["state"], &one.json()["keyName"]), (&json!("ACTIVE"), &json!("TV")));
        let list = admin.get(&format!("{LIST}?search=television&_sort=name")).send().await;
        assert_eq!(list.json()["totalElements"], 1, "found without its accent");
        for text in [one.text(), list.text(), app.audited().await] {
            assert!(!text.contains(secret), "the secret is reported again");
        }
        let kept = app.text("SELECT secret_hash || hint AS text FROM live_profiles").await;
        assert!(!kept.contains(secret), "the secret is kept");
    }

    async fn unknown_replaced_and_revoked_urls_are_not_found(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let made = profile(&admin, json!({})).await;
        let one = format!("{LIST}/{}", made["id"]);
        let unknown = app.anonymous().get(&format!("/api/live/pl_{}/playlist.m3u", "x".repeat(43))).send().await;
        let gone = (404, unknown.text());
        let answer = async |made: &Value| {
            let answer = playlist(app, made).await;
            (answer.status, answer.text())
        };
        assert_eq!(answer(&json!({"secret": "anything"})).await, gone);
        assert_eq!(answer(&made).await.0, 200);

        let next = admin.post(&format!("{one}/rotate-secret")).send().await.json();
        assert_ne!(next["secret"], made["secret"]);
        assert_eq!(answer(&made).await, gone, "the former address");
        assert_eq!(answer(&next).await.0, 200);

        let revoked = admin.post(&format!("{one}/revoke")).send().await.json();
        assert_eq!(revoked["state"], "REVOKED");
        assert_eq!(answer(&next).await, gone);
        assert_eq!(admin.post(&format!("{one}/revoke")).send().await.json(), revoked, "revoking again changes nothing");
        let back = admin.post(&format!("{one}/rotate-secret")).send().await.json();
        assert_eq!((&back["state"], answer(&back).await.0), (&json!("ACTIVE"), 200));

        let key = format!("/api/integrator-keys/{}/revoke", made["keyId"]);
        assert_eq!(admin.post(&key).send().await.status, 200);
        assert_eq!(answer(&back).await, gone, "its key no longer works");
        assert_eq!(admin.delete(&one).send().await.status, 204);
        assert_eq!(admin.post(&format!("{one}/rotate-secret")).send().await.status, 404);
        assert_eq!(admin.post(&format!("{one}/revoke")).send().await.status, 404);
    }

    async fn a_subscribers_playlist_requires_the_permission_to_play(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        admin.register("ana_app", "app").await;
        let draft = json!({"name": "Ana", "username": "Ana_App"});
        let made = admin.create("live-profiles", &draft).await;
        assert_eq!((&made["username"], &made["keyName"]), (&json!("ana_app"), &json!(null)));
        let sale = json!({"targetUsername": "ana_app", "amount": 1});
        assert_eq!(admin.post("/api/credits/add").json(&sale).send().await.status, 201);
        assert_eq!(playlist(app, &made).await.status, 200);

        app.clock.forward(TimeDelta::days(40));
        let refused = app.anonymous().get(&address(&made)).header("accept-language", "en").send().await;
        assert_eq!((refused.status, refused.code()), (403, "MAY_NOT_PLAY".to_owned()));
        assert_eq!(refused.json()["arguments"], json!({"reason": "EXPIRED"}));
        assert!(!refused.text().contains(made["secret"].as_str().unwrap()));
        let admin = app.sign_in_as(RoleCode::Admin).await;
        assert_eq!(admin.post("/api/credits/add").json(&sale).send().await.status, 201);
        assert_eq!(playlist(app, &made).await.status, 200);
        assert_eq!(admin.patch("/api/users/ana_app/toggle-status").send().await.status, 200);
        assert_eq!(playlist(app, &made).await.json()["arguments"], json!({"reason": "INACTIVE"}));
    }

    async fn calls_are_limited_by_the_minute_and_counted(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let made = profile(&admin, json!({"callsPerMinute": 2})).await;
        for status in [200, 200, 429] {
            assert_eq!(playlist(app, &made).await.status, status);
        }
        app.clock.forward(TimeDelta::seconds(60));
        assert_eq!(playlist(app, &made).await.status, 200);
        app.record_key_uses().await;
        app.record_key_uses().await;
        let one = admin.get(&format!("{LIST}/{}", made["id"])).send().await.json();
        assert_eq!((&one["calls"], &one["lastUsedDate"]), (&json!(3), &json!("2026-11-20T10:01:00.000Z")));
        assert_eq!(one["version"], 1, "a call is no change");
    }

    async fn references_of_a_profile_must_exist(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let made = profile(&admin, json!({})).await;
        let revoked = profile(&admin, json!({})).await;
        admin.post(&format!("/api/integrator-keys/{}/revoke", revoked["keyId"])).send().await;
        let film = json!({"description": "Cine", "englishDescription": "Films", "type": "MOVIE"});
        let film = admin.create("categories", &film).await["id"].clone();
        for (draft, field, code) in [
            (json!({"name": "x", "keyId": 999}), "keyId", "UNKNOWN_REFERENCE"),
            (json!({"name": "x", "keyId": revoked["keyId"]}), "keyId", "UNKNOWN_REFERENCE"),
            (json!({"name": "x", "username": "nobody_1"}), "username", "UNKNOWN_REFERENCE"),
            (json!({"name": "x", "username": "agent"}), "username", "UNKNOWN_REFERENCE"),
            (json!({"name": "x"}), "username", "REQUIRED"),
            (json!({"name": "x", "keyId": made["keyId"], "categories": [999]}), "categories[0]", "UNKNOWN_REFERENCE"),
            (json!({"name": "x", "keyId": made["keyId"], "categories": [film]}), "categories[0]", "WRONG_CATEGORY_TYPE"),
        ] {
            let refused = admin.post(LIST).json(&draft).send().await;
            assert_eq!(refused.status, 422, "{draft}: {}", refused.text());
            let error = &refused.json()["errors"][0];
            assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!(code)), "{draft}");
        }
    }

    async fn a_profile_changed_meanwhile_is_not_overwritten(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let made = profile(&admin, json!({})).await;
        let one = format!("{LIST}/{}", made["id"]);
        let draft = json!({"name": "Otro", "keyId": made["keyId"]});
        let first = admin.put(&one).header("if-match", "\"1\"").json(&draft).send().await;
        assert_eq!((first.status, first.header("etag")), (200, Some("\"2\"")));
        let late = admin.put(&one).header("if-match", "\"1\"").json(&draft).send().await;
        assert_eq!((late.status, &late.json()["current"]["name"]), (412, &json!("Otro")));
        assert_eq!(admin.delete(&one).header("if-match", "\"1\"").send().await.status, 412);
        assert_eq!(playlist(app, &made).await.status, 200, "its address stays");
    }
}

#[actix_web::test]
async fn the_url_of_a_playlist_has_the_public_origin() {
    let app = TestApp::secure().await;
    let admin = app.sign_in_as(RoleCode::Admin).await;
    let made = profile(&admin, json!({})).await;
    assert_eq!(made["address"], format!("{PUBLIC_ORIGIN}{}", address(&made)));
    let rotate = format!("{LIST}/{}/rotate-secret", made["id"]);
    let next = admin.post(&rotate).send().await.json();
    assert_ne!(next["address"], made["address"]);
    assert_eq!(next["address"], format!("{PUBLIC_ORIGIN}{}", address(&next)));
    // The guide of the playlist has the same origin.
    let header = playlist(&app, &next).await.text();
    let guide = next["address"].as_str().unwrap().replace("playlist.m3u", "guide.xml.gz");
    assert!(header.lines().next().unwrap().contains(&guide), "{header}");
}
