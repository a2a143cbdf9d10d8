//! The webhook events of playlists and guides, and current activity.

use chrono::TimeDelta;
use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
    guides::{guide, stored, upload},
    playlists::{read, source},
};

/// Events and data sent to a webhook.
struct Hook(String);

impl Hook {
    async fn new(admin: &Client<'_>, events: &[&str]) -> Self {
        let hook = json!({"name": "Directo", "url": "https://example.com/hook", "events": events});
        Self(format!("/api/webhooks/{}/deliveries?_sort=id", admin.create("webhooks", &hook).await["id"]))
    }

    async fn sent(&self, admin: &Client<'_>) -> Vec<(Value, Value)> {
        let log = admin.get(&self.0).send().await.json();
        let one = |one: &Value| (one["eventType"].clone(), one["data"].clone());
        log["content"].as_array().unwrap().iter().map(one).collect()
    }
}

on_both! {
    async fn a_changed_playlist_is_an_event_and_an_unchanged_one_is_none(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let hook = Hook::new(&admin, &["PLAYLIST_CHANGED"]).await;
        let list = source(&admin, json!({})).await;
        let siete = "#EXTM3U\n#EXTINF:-1,Siete\nhttp://tv.example/7.m3u8\n";
        let run = read(app, &admin, &list, siete, "").await;
        let id: i64 = list.rsplit('/').next().unwrap().parse().unwrap();
        let data = json!({"sourceId": id, "title": "España", "runId": run["id"], "new": 1, "changed": 0, "lost": 0});
        assert_eq!(hook.sent(&admin).await, [(json!("PLAYLIST_CHANGED"), data)]);
        read(app, &admin, &list, siete, "").await;
        assert_eq!(hook.sent(&admin).await.len(), 1);
    }

    async fn a_guide_that_becomes_stale_is_an_event_once(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let hook = Hook::new(&admin, &["GUIDE_STALE"]).await;
        let path = stored(&admin, "http://127.0.0.1:9/g.xml").await;
        app.report_stale_guides().await;
        assert_eq!(hook.sent(&admin).await, [], "its first fetch has not ended");
        let titles = ["Noticias"; 47];
        upload(app, &admin, &path, guide("siete", 20, 0, &titles)).await;
        for hours in [0, 12, 13] {
            app.clock.forward(TimeDelta::hours(hours));
            app.report_stale_guides().await;
        }
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let sent = hook.sent(&admin).await;
        assert_eq!(sent.len(), 1, "{sent:?}");
        assert_eq!((&sent[0].0, &sent[0].1["fault"]), (&json!("GUIDE_STALE"), &Value::Null));
        upload(app, &admin, &path, guide("siete", 22, 0, &titles)).await;
        app.report_stale_guides().await;
        app.clock.forward(TimeDelta::hours(25));
        app.report_stale_guides().await;
        let admin = app.sign_in_as(RoleCode::Admin).await;
        assert_eq!(hook.sent(&admin).await.len(), 2, "again, after it was fresh");
    }

    async fn current_activity_is_limited_by_the_users_permissions(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let manager = app.sign_in_as(RoleCode::ContentManager).await;
        let agent = app.sign_in_as(RoleCode::Agent).await;
        let source = source(&manager, json!({})).await;
        let upload = manager.post(&format!("{source}/upload?fileName=l.m3u"));
        let begun = upload.body("application/octet-stream", "#EXTM3U".to_owned()).send().await;
        assert_eq!(begun.status, 202, "{}", begun.text());
        let film = manager.create("movies", &manager.film().await).await;
        let change = json!({"resource": "movies", "ids": [film["id"]], "action": {"type": "DELETE"}});
        let operation = manager.post("/api/operations").json(&change).send().await;
        let seen = async |client: &Client<'_>| client.get("/api/activity").send().await.json();
        let kinds = |seen: &Value| {
            let jobs = seen["jobs"].as_array().unwrap().iter().map(|job| job["kind"].clone());
            jobs.collect::<Vec<_>>()
        };
        assert_eq!(operation.status, 202, "{}", operation.text());
        for client in [&admin, &manager] {
            let seen = seen(client).await;
            assert_eq!(kinds(&seen), ["OPERATION", "PLAYLIST_RUN"], "{seen}");
            assert_eq!((&seen["jobs"][0]["total"], &seen["links"]["down"]), (&json!(1), &json!(0)));
        }
        for state in ["WAITING", "RUNNING", "LINKING"] {
            app.run(&format!("UPDATE epg_matching SET state = '{state}'")).await;
            assert_eq!(kinds(&seen(&manager).await), ["OPERATION", "PLAYLIST_RUN", "MATCHING_RUN"], "{state}");
        }
        let seen_by_agent = seen(&agent).await;
        assert_eq!(kinds(&seen_by_agent), [] as [Value; 0]);
        assert_eq!((&seen_by_agent["links"], &seen_by_agent["reviews"]), (&Value::Null, &Value::Null));
        app.run("UPDATE epg_matching SET state = 'FAILED'").await;
        // A user who reads only before and after sees that there was a job, and of which kind.
        let ended = |seen: &Value| {
            let jobs = seen["ended"].as_array().unwrap().iter();
            jobs.map(|job| (job["kind"].clone(), job["title"].clone())).collect::<Vec<_>>()
        };
        assert_eq!(ended(&seen(&admin).await), []);
        app.run_operations().await;
        app.read_playlists().await;
        assert_eq!(kinds(&seen(&admin).await), [] as [Value; 0]);
        let (operation, run) = ((json!("OPERATION"), json!("movies")), (json!("PLAYLIST_RUN"), Value::Null));
        for client in [&admin, &manager] {
            assert_eq!(ended(&seen(client).await), [operation.clone(), run.clone()]);
        }
        assert_eq!(ended(&seen(&agent).await), []);
        let before = seen(&manager).await["ended"].clone();
        app.clock.forward(TimeDelta::seconds(1));
        let change = json!({"resource": "movies", "ids": [film["id"]], "action": {"type": "DELETE"}});
        assert_eq!(admin.post("/api/operations").json(&change).send().await.status, 202);
        app.run_operations().await;
        assert_ne!(seen(&admin).await["ended"], before);
        assert_eq!(seen(&manager).await["ended"], before, "another user's operation");
    }
}
