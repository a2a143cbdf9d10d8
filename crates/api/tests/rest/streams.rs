//! Streams of channels: order, selection for players, and permissions.

use domain_kernel::RoleCode;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpSocket};

use crate::{
    app::{TestApp, on_both},
    client::Client,
    links::{channel, closed, probe, serve},
};

/// A URL of this socket, which does not respond.
fn address(socket: &TcpSocket) -> String {
    format!("http://{}/live/1.ts", socket.local_addr().unwrap())
}

/// A URL that plays, on another host.
async fn playing() -> String {
    let listener = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    actix_web::rt::spawn(serve(listener));
    format!("http://{address}/live/1.ts")
}

fn list(failover: &str, urls: &[&str]) -> Value {
    let stream = |url: &&str| json!({"urlType": "EXTERNAL", "url": url});
    json!({"failover": failover, "streams": urls.iter().map(stream).collect::<Vec<_>>()})
}

async fn put(client: &Client<'_>, path: &str, body: &Value) -> Value {
    let answer = client.put(path).json(body).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

/// Probes three failures over ten minutes.
async fn probe_all(app: &TestApp) {
    app.links.take_all_over().await.unwrap();
    for wait in [0, 1, 5, 15] {
        probe(app, wait).await;
    }
}

on_both! {
    #[smoke]
    async fn a_bulk_operation_reaches_all_streams_and_its_undo_restores_them(app: &TestApp) {
        let manager = app.sign_in_as(RoleCode::ContentManager).await;
        let id = channel(&manager, "https://old.example/1.m3u8").await;
        let path = format!("/api/tv-channels/{id}/streams");
        let mut body = list("AUTO", &["https://old.example/1.m3u8", "https://old.example/live/rosa/secreto/7.ts"]);
        body["streams"][1]["label"] = json!("Reserva");
        let before = put(&manager, &path, &body).await;
        let run = async |path: &str, body: &Value| {
            let begun = manager.post(path).json(body).send().await;
            assert_eq!(begun.status, 202, "{}", begun.text());
            app.run_operations().await;
            let one = format!("/api/operations/{}", begun.json()["id"]);
            let rows = manager.get(&format!("{one}/rows")).send().await.json();
            (one, rows[0].clone())
        };
        let action = json!({"type": "REPLACE", "fields": ["streams"], "find": "old.example", "replacement": "new.example"});
        let mut request = json!({"resource": "tv-channels", "ids": [id], "action": action, "dryRun": true});
        let (_, preview) = run("/api/operations", &request).await;
        assert_eq!(preview["verdict"], "CHANGED", "{preview}");
        assert_eq!(preview["before"]["streams"][1], "Reserva · https://old.example/live/***/***/7.ts");
        assert_eq!(preview["after"]["streams"][1], "Reserva · https://new.example/live/***/***/7.ts");
        assert_eq!(manager.get(&path).send().await.json()["streams"][1]["url"], before["streams"][1]["url"]);
        request["dryRun"] = json!(false);
        let (replaced, _) = run("/api/operations", &request).await;
        let urls = async || {
            let seen = manager.get(&path).send().await.json();
            (seen["streams"][0]["url"].clone(), seen["streams"][1]["url"].clone())
        };
        let new = (json!("https://new.example/1.m3u8"), json!("https://new.example/live/rosa/secreto/7.ts"));
        assert_eq!(urls().await, new);
        let stored = manager.get(&format!("/api/tv-channels/{id}")).send().await.json();
        assert_eq!(stored["url"], new.0, "the channel has the URL of its first stream");
        request["action"] = json!({"type": "SET", "set": {"linkQuality": "FHD"}});
        let (quality, _) = run("/api/operations", &request).await;
        assert_eq!(manager.get(&path).send().await.json()["streams"][1]["quality"], "FHD");
        let (_, undone) = run(&format!("{quality}/undo"), &json!(null)).await;
        assert_eq!(undone["verdict"], "CHANGED", "{undone}");
        let (_, undone) = run(&format!("{replaced}/undo"), &json!(null)).await;
        assert_eq!(undone["verdict"], "CHANGED", "{undone}");
        let restored = manager.get(&path).send().await.json();
        let fields = |streams: &Value| {
            let of = |at: usize| ["label", "quality", "url"].map(|name| streams["streams"][at][name].clone());
            [of(0), of(1)]
        };
        assert_eq!(fields(&restored), fields(&before));
        // A stream that was changed since stays.
        let (again, _) = run("/api/operations", &json!({"resource": "tv-channels", "ids": [id], "action": action})).await;
        put(&manager, &path, &list("AUTO", &["https://new.example/1.m3u8", "https://c.example/2.ts"])).await;
        let (_, kept) = run(&format!("{again}/undo"), &json!(null)).await;
        assert_eq!(kept["problems"][0]["code"], "CHANGED_SINCE", "{kept}");
        assert_eq!(urls().await.1, "https://c.example/2.ts");
    }

    async fn the_first_stream_is_the_channels_url_and_the_history_masks_credentials(app: &TestApp) {
        let manager = app.sign_in_as(RoleCode::ContentManager).await;
        let one = format!("/api/tv-channels/{}", channel(&manager, "https://a.example/1.m3u8").await);
        let path = format!("{one}/streams");
        let alone = manager.get(&path).send().await;
        assert_eq!(alone.header("etag"), Some("\"1\""));
        let alone = alone.json();
        assert_eq!((&alone["failover"], alone["streams"].as_array().unwrap().len()), (&json!("MANUAL"), 1));
        assert_eq!(alone["streams"][0]["url"], "https://a.example/1.m3u8");
        assert_eq!(alone["streams"][0]["state"], "UNKNOWN");

        let secret = "https://b.example/live/rosa/secreto/7.ts";
        let mut body = list("AUTO", &[secret, "https://a.example/1.m3u8"]);
        body["streams"][0]["headers"] = json!([{"name": "Authorization", "value": "Basic c2VjcmV0bw"}]);
        body["streams"][0]["label"] = json!("Reserva");
        let saved = put(&manager, &path, &body).await;
        assert_eq!((&saved["version"], &saved["played"]), (&json!(2), &json!(0)));
        assert_eq!(saved["streams"][0]["headers"], body["streams"][0]["headers"]);
        let stored = manager.get(&one).send().await.json();
        assert_eq!((&stored["url"], &stored["version"]), (&json!(secret), &json!(2)));

        assert_eq!(put(&manager, &path, &saved).await["streams"], saved["streams"], "a response can be sent back");

        let history = manager.get(&format!("{one}/history")).send().await.json();
        let change = &history["content"][1];
        assert_eq!(change["before"]["streams"], json!(["https://a.example/1.m3u8"]), "{change}");
        let text = change["after"]["streams"][0].as_str().unwrap();
        assert_eq!(text, "Reserva · https://b.example/live/***/***/7.ts · Authorization: ***");
        let first = manager.get(&format!("{one}/history/1")).send().await.json();
        assert_eq!(first["content"]["url"], "https://a.example/1.m3u8");
        assert_eq!(first["content"]["streams"], Value::Null, "it is no field of a channel");

        let outdated = manager.put(&path).header("if-match", "\"1\"").json(&list("MANUAL", &[secret])).send().await;
        assert_eq!(outdated.status, 412);
        assert_eq!(outdated.json()["current"]["streams"][1]["url"], "https://a.example/1.m3u8");
        let twice = manager.put(&path).json(&list("MANUAL", &[secret, secret])).send().await;
        assert_eq!((twice.status, &twice.json()["errors"][0]["code"]), (422, &json!("DUPLICATE")));
        assert_eq!(manager.get("/api/tv-channels/999/streams").send().await.status, 404);
    }

    async fn the_streams_of_an_earlier_version_are_restored_by_an_ordinary_edit(app: &TestApp) {
        let manager = app.sign_in_as(RoleCode::ContentManager).await;
        let one = format!("/api/tv-channels/{}", channel(&manager, "https://a.example/1.m3u8").await);
        let path = format!("{one}/streams");
        let mut body = list("AUTO", &["https://a.example/1.m3u8", "https://b.example/live/rosa/secreto/7.ts"]);
        body["streams"][1]["headers"] = json!([{"name": "Authorization", "value": "Basic c2VjcmV0bw"}]);
        body["streams"][1]["label"] = json!("Reserva");
        let before = put(&manager, &path, &body).await;
        put(&manager, &path, &list("MANUAL", &["https://c.example/1.m3u8"])).await;
        let earlier = async |version: u32| manager.get(&format!("{one}/history/{version}/streams")).send().await;
        let fields = |answer: &Value| {
            let of = |stream: &Value| ["label", "quality", "urlType", "url", "headers"].map(|name| stream[name].clone());
            let streams: Vec<_> = answer["streams"].as_array().unwrap().iter().map(of).collect();
            (answer["failover"].clone(), streams)
        };
        let second = earlier(2).await.json();
        assert_eq!((&second["version"], fields(&second)), (&json!(2), fields(&before)));
        let first = earlier(1).await.json();
        assert_eq!((&first["failover"], first["streams"].as_array().unwrap().len()), (&json!("MANUAL"), 1));
        assert_eq!(first["streams"][0]["url"], "https://a.example/1.m3u8");
        // The version that is current has the current streams.
        assert_eq!(earlier(3).await.json()["streams"][0]["url"], "https://c.example/1.m3u8");
        for unknown in [0, 4] {
            assert_eq!(earlier(unknown).await.status, 404, "{unknown}");
        }

        let restored = put(&manager, &path, &second).await;
        assert_eq!((&restored["version"], fields(&restored)), (&json!(4), fields(&before)));
        let stored = manager.get(&one).send().await.json();
        assert_eq!(stored["url"], "https://a.example/1.m3u8", "the channel has the URL of its first stream");

        // Changes of earlier servers are recorded as text alone.
        app.run("DELETE FROM channel_stream_versions").await;
        assert_eq!((earlier(3).await.status, earlier(4).await.status), (404, 200));
        assert_eq!(manager.get(&format!("{one}/history/3")).send().await.status, 200);
    }

    async fn with_auto_players_get_the_first_stream_that_is_not_down(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let program = app.program(&["CATALOGUE_READ", "EXPORT"]).await;
        let socket = closed();
        let (dead, alive) = (address(&socket), playing().await);
        let one = format!("/api/tv-channels/{}", channel(&admin, &dead).await);
        let path = format!("{one}/streams");
        put(&admin, &path, &list("AUTO", &[&dead, &alive])).await;
        let key = admin.create("integrator-keys", &json!({"name": "TV", "scopes": ["CATALOGUE_READ"]})).await;
        let profile = admin.create("live-profiles", &json!({"name": "Salón", "keyId": key["id"]})).await;
        let playlist_path = format!("/api/live/{}/playlist.m3u", profile["secret"].as_str().unwrap());
        let playlist = async || app.anonymous().get(&playlist_path).send().await;
        let before = playlist().await;
        assert!(before.text().contains(&dead), "{}", before.text());
        assert_eq!(program.get(&one).send().await.header("etag"), Some("\"2\""));

        probe_all(app).await;
        let seen = program.get(&one).send().await;
        assert_eq!((&seen.json()["url"], seen.header("etag")), (&json!(alive), Some("\"2-1\"")));
        let listed = program.get("/api/tv-channels").send().await.json();
        assert_eq!(listed["content"][0]["url"], json!(alive));
        let exported = program.get("/api/export/tv-channels").send().await.text();
        assert!(exported.contains(&alive) && !exported.contains(&dead), "{exported}");
        let tag = before.header("etag").unwrap().to_owned();
        let after = app.anonymous().get(&playlist_path).header("if-none-match", &tag).send().await;
        assert_eq!(after.status, 200, "another stream is another playlist");
        assert!(after.text().contains(&alive) && !after.text().contains(&dead), "{}", after.text());
        // The stored order is unchanged, also for staff.
        let stored = admin.get(&path).send().await.json();
        assert_eq!((&stored["played"], &stored["streams"][0]["url"]), (&json!(1), &json!(dead)));
        assert_eq!(admin.get(&one).send().await.json()["url"], json!(dead));

        put(&admin, &path, &list("MANUAL", &[&dead, &alive])).await;
        assert_eq!(program.get(&one).send().await.json()["url"], json!(dead));
        assert!(playlist().await.text().contains(&dead));
    }

    async fn channels_that_do_not_play_are_counted_and_omitted_from_profiles_with_the_option(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let socket = closed();
        let (dead, alive) = (address(&socket), playing().await);
        channel(&admin, &dead).await;
        let spare = format!("/api/tv-channels/{}/streams", channel(&admin, &format!("{dead}?2")).await);
        put(&admin, &spare, &list("MANUAL", &[&format!("{dead}?2"), &alive])).await;
        let key = admin.create("integrator-keys", &json!({"name": "TV", "scopes": ["CATALOGUE_READ"]})).await;
        let draft = json!({"name": "Salón", "keyId": key["id"], "onlyPlaying": true});
        let profile = admin.create("live-profiles", &draft).await;
        let playlist_path = format!("/api/live/{}/playlist.m3u", profile["secret"].as_str().unwrap());
        let count = async || app.anonymous().get(&playlist_path).send().await.text().matches("#EXTINF").count();
        assert_eq!(count().await, 2, "links that were never probed have not failed");

        app.links.take_all_over().await.unwrap();
        // Two links of one host: each probe of the host probes one of them.
        for wait in [0, 0, 1, 0, 5, 0, 15, 0] {
            probe(app, wait).await;
        }
        assert_eq!(count().await, 1);
        let summary = admin.get("/api/links/summary").send().await.json();
        let expected = json!([{"redundancy": "NONE", "count": 1}, {"redundancy": "SINGLE", "count": 1}]);
        assert_eq!(summary["channels"], expected);
        let without = admin.get("/api/links?redundancy=NONE").send().await.json();
        assert_eq!((&without["totalElements"], &without["content"][0]["position"]), (&json!(1), &json!(0)));
        let single = admin.get("/api/links?redundancy=SINGLE&_sort=probedAt").send().await.json();
        assert_eq!(single["totalElements"], 2);
    }

    async fn a_spare_stream_without_a_url_does_not_keep_a_channel_in_such_a_profile(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let socket = closed();
        let dead = address(&socket);
        let path = format!("/api/tv-channels/{}/streams", channel(&admin, &dead).await);
        let mut streams = list("AUTO", &[&dead, "42"]);
        // There is no base URL for its number.
        streams["streams"][1]["urlType"] = json!("INTERNAL");
        put(&admin, &path, &streams).await;
        let key = admin.create("integrator-keys", &json!({"name": "TV", "scopes": ["CATALOGUE_READ"]})).await;
        let draft = json!({"name": "Salón", "keyId": key["id"], "onlyPlaying": true});
        let profile = admin.create("live-profiles", &draft).await;
        let playlist_path = format!("/api/live/{}/playlist.m3u", profile["secret"].as_str().unwrap());
        let count = async || app.anonymous().get(&playlist_path).send().await.text().matches("#EXTINF").count();
        assert_eq!(count().await, 1);
        probe_all(app).await;
        let summary = admin.get("/api/links/summary").send().await.json();
        assert_eq!(summary["channels"][0], json!({"redundancy": "NONE", "count": 1}));
        assert_eq!(count().await, 0);
    }
}
