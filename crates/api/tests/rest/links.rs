//! The states of a link from a new channel to down and up again.

use chrono::TimeDelta;
use domain_kernel::RoleCode;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpSocket},
};

use crate::{
    app::{TestApp, on_both},
    client::Client,
};

/// A socket that refuses connections until it listens. It is bound, so that no other process gets
/// its port.
pub(crate) fn closed() -> TcpSocket {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    socket
}

/// Serves packets of MPEG-TS at the socket's address from now on.
pub(crate) fn open(socket: TcpSocket) {
    actix_web::rt::spawn(serve(socket.listen(8).unwrap()));
}

/// A host that serves packets of MPEG-TS from now on.
pub(crate) async fn serve(listener: TcpListener) {
    let mut packet = [0; 188];
    packet[..4].copy_from_slice(&[0x47, 0x01, 0x00, 0x10]);
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 4_096]).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 3760\r\n\r\n").await;
        let _ = stream.write_all(&packet.repeat(20)).await;
    }
}

/// Runs the job after some minutes.
pub(crate) async fn probe(app: &TestApp, minutes: i64) {
    app.clock.forward(TimeDelta::minutes(minutes));
    for host in app.links.due_hosts().await.unwrap() {
        assert!(app.links.probe_next(&host).await.unwrap());
    }
}

/// A channel with this address, in a category of its own.
pub(crate) async fn channel(manager: &Client<'_>, url: &str) -> Value {
    let name = format!("Noticias {}", url.len());
    let category = json!({"description": name, "englishDescription": name, "type": "TV_CHANNEL"});
    let category = manager.create("categories", &category).await["id"].clone();
    let channel = json!({
        "channelNumber": 7, "title": "Canal Siete", "categories": [category], "urlType": "EXTERNAL", "url": url,
    });
    manager.create("tv-channels", &channel).await["id"].clone()
}

on_both! {
    async fn a_link_goes_down_after_three_failures_and_comes_up_again(app: &TestApp) {
        let manager = app.sign_in_as(RoleCode::ContentManager).await;
        let socket = closed();
        let address = socket.local_addr().unwrap();
        let id = channel(&manager, &format!("http://{address}/live/rosa/secreto/7.ts")).await;
        app.links.take_all_over().await.unwrap();
        let link = async || manager.get("/api/links").send().await.json()["content"][0].clone();
        let fresh = link().await;
        assert_eq!((&fresh["itemId"], &fresh["state"], &fresh["probe"]), (&id, &json!("UNKNOWN"), &Value::Null));
        assert!(!fresh.to_string().contains("secreto"), "{fresh}");

        let mut states = Vec::new();
        for wait in [0, 1, 5, 15] {
            probe(app, wait).await;
            states.push(link().await["state"].clone());
        }
        assert_eq!(states, ["SUSPECT", "SUSPECT", "SUSPECT", "DOWN"]);
        let down = link().await;
        assert_eq!(down["probe"]["outcome"], "CONNECT");
        let summary = manager.get("/api/links/summary").send().await.json();
        assert_eq!(summary["states"], json!([{"state": "DOWN", "count": 1}]));
        assert_eq!(summary["hosts"], json!([{
            "host": "127.0.0.1", "links": 1, "failing": 1, "incident": false,
            "days": [{"day": "2026-11-20", "good": 0, "failed": 4}],
        }]));

        open(socket);
        let path = format!("/api/links/{}", down["id"]);
        assert_eq!(manager.post(&format!("{path}/probe")).send().await.status, 202);
        probe(app, 0).await;
        assert_eq!(link().await["state"], "RECOVERING");
        probe(app, 5).await;
        let up = link().await;
        assert_eq!((&up["state"], &up["probe"]["format"]), (&json!("UP"), &json!("MPEG_TS")));
        let changes = manager.get(&format!("{path}/changes")).send().await.json();
        let moves: Vec<_> = changes.as_array().unwrap().iter().map(|one| (&one["from"], &one["to"])).collect();
        assert_eq!(moves, [(&json!("RECOVERING"), &json!("UP")), (&json!("SUSPECT"), &json!("DOWN"))]);
        assert_eq!(manager.get("/api/links/999/changes").send().await.status, 404);
        assert_eq!(manager.get("/api/links/999/days").send().await.status, 404);
        assert_eq!(manager.get("/api/links?state=UP,DOWN").send().await.json()["totalElements"], 1);
        assert_eq!(manager.get("/api/links?state=DEAD").send().await.status, 422);

        app.clock.forward(TimeDelta::days(1));
        probe(app, 0).await;
        let last_days = async || {
            // The former session has ended.
            let manager = app.sign_in_as(RoleCode::ContentManager).await;
            let days = manager.get(&format!("{path}/days")).send().await.json();
            assert_eq!(days.as_array().unwrap().len(), 30, "{days}");
            days
        };
        let days = last_days().await;
        assert_eq!(days[28], json!({"day": "2026-11-20", "good": 2, "failed": 4}));
        assert_eq!(days[29], json!({"day": "2026-11-21", "good": 1, "failed": 0}));
        assert_eq!((&days[0]["good"], &days[0]["failed"]), (&json!(0), &json!(0)));
        app.clock.forward(TimeDelta::days(29));
        assert_eq!(last_days().await[0], json!({"day": "2026-11-21", "good": 1, "failed": 0}));
    }

    async fn a_link_that_is_not_probed_is_refused(app: &TestApp) {
        let manager = app.sign_in_as(RoleCode::ContentManager).await;
        let id = channel(&manager, "https://a.example/7.m3u8").await;
        app.links.take_all_over().await.unwrap();
        let link = manager.get("/api/links").send().await.json()["content"][0].clone();
        let path = format!("/api/links/{}/probe", link["id"]);
        assert_eq!(manager.post(&path).send().await.status, 202);
        let off = manager.patch(&format!("/api/tv-channels/{id}")).json(&json!({"active": false})).send().await;
        assert_eq!(off.status, 200, "{}", off.text());
        app.links.take_all_over().await.unwrap();
        let refused = manager.post(&path).send().await;
        assert_eq!((refused.status, &refused.json()["code"]), (409, &json!("CONFLICT")));
        assert_eq!(manager.post("/api/links/999/probe").send().await.status, 404);
        assert_eq!(manager.get("/api/links/summary").send().await.json()["probed"], true);
    }

    async fn a_report_starts_a_probe_of_the_link_and_shows_its_result(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let events = ["LINK_DOWN", "LINK_UP", "CHANNEL_WITHOUT_LINK"];
        let hook = json!({"name": "Enlaces", "url": "https://example.com/hook", "events": events});
        let hook = admin.create("webhooks", &hook).await["id"].clone();
        let socket = closed();
        let address = socket.local_addr().unwrap();
        let id = channel(&admin, &format!("http://{address}/7.ts")).await;
        app.links.take_all_over().await.unwrap();
        probe(app, 0).await;
        let report = async |kind: &str| {
            let report = json!({"title": "No se ve", "contentType": "TV", "contentId": id, "reportType": kind});
            let made = admin.create("issue-reports", &report).await;
            made["id"].clone()
        };
        let requested = async || app.link_reports.request_reported().await.unwrap();

        report("SUBTITLES").await;
        let first = report("NOT_LOADING").await;
        assert_eq!(requested().await, 0, "it was probed a moment ago");
        for wait in [1, 5, 15] {
            probe(app, wait).await;
        }
        // The link is down now, and due in half an hour.
        app.clock.forward(TimeDelta::minutes(6));
        assert_eq!(requested().await, 0, "the report is older than the probe");
        let second = report("NOT_LOADING").await;
        assert_eq!((requested().await, requested().await), (1, 0), "once");

        open(socket);
        probe(app, 0).await;
        probe(app, 5).await;
        for report in [first, second] {
            let links = admin.get(&format!("/api/issue-reports/{report}/links")).send().await.json();
            assert_eq!((&links[0]["state"], &links[0]["addressSince"]), (&json!("UP"), &Value::Null), "{links}");
            assert_eq!(links[0]["cameUp"], links[0]["since"]);
            assert_eq!(links.as_array().unwrap().len(), 1);
        }
        let log = admin.get(&format!("/api/webhooks/{hook}/deliveries?_sort=id")).send().await.json();
        let log = log["content"].as_array().unwrap();
        let mut sent: Vec<_> = log.iter().map(|one| one["eventType"].as_str().unwrap()).collect();
        // The first two are of one transaction, in no order.
        sent[..2].sort_unstable();
        assert_eq!(sent, ["CHANNEL_WITHOUT_LINK", "LINK_DOWN", "LINK_UP"]);
        assert_eq!(log[0]["entity"], json!(format!("tv-channels/{id}")));
        assert_eq!((&log[0]["data"]["state"], &log[0]["data"]["outcome"]), (&json!("DOWN"), &json!("CONNECT")));

        let changed = json!({"url": "https://cdn.example.com/7.m3u8"});
        assert_eq!(admin.patch(&format!("/api/tv-channels/{id}")).json(&changed).send().await.status, 200);
        app.links.take_all_over().await.unwrap();
        let third = report("VIDEO").await;
        let links = admin.get(&format!("/api/issue-reports/{third}/links")).send().await.json();
        assert_eq!((&links[0]["state"], &links[0]["addressSince"]), (&json!("UNKNOWN"), &links[0]["since"]));
        assert_eq!(admin.get("/api/issue-reports/99/links").send().await.status, 404);
    }

    async fn no_link_is_down_if_all_hosts_fail_together(app: &TestApp) {
        let manager = app.sign_in_as(RoleCode::ContentManager).await;
        // Labels that are too long: the names are refused without a name server.
        for length in 64..68 {
            channel(&manager, &format!("http://{}.example/live.ts", "a".repeat(length))).await;
        }
        app.links.take_all_over().await.unwrap();
        for wait in [0, 1, 5, 5, 5, 5, 5] {
            probe(app, wait).await;
        }
        let summary = manager.get("/api/links/summary").send().await.json();
        assert_eq!(summary["states"], json!([{"state": "SUSPECT", "count": 4}]));
        let links = manager.get("/api/links?outcome=NAME").send().await.json();
        assert_eq!(links["totalElements"], 4);
    }
}
