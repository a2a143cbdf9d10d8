//! A channel is deactivated while none of its links plays, and activated again afterwards, unless a
//! user has activated it.

use std::sync::Arc;

use adapter_seaorm::SeaOrmLinkSwitches;
use application::{Calendar, LinkSwitchService};
use domain_kernel::RoleCode;
use serde_json::{Value, json};
use tokio::net::TcpSocket;

use crate::{
    app::{TestApp, on_both},
    client::Client,
    links::{channel, closed, open, probe},
};

fn switches(app: &TestApp, switches_off: bool) -> LinkSwitchService {
    let calendar = Calendar::new(app.clock.clone(), chrono_tz::UTC);
    let store = Arc::new(SeaOrmLinkSwitches(app.database.clone()));
    LinkSwitchService::new(store, app.links.clone(), calendar, switches_off)
}

/// A channel whose link is down, and the socket of the link.
async fn dead_channel(app: &TestApp, admin: &Client<'_>) -> (Value, TcpSocket) {
    let socket = closed();
    let id = channel(admin, &format!("http://{}/7.ts", socket.local_addr().unwrap())).await;
    app.links.take_all_over().await.unwrap();
    for wait in [0, 1, 5, 15] {
        probe(app, wait).await;
    }
    (id, socket)
}

on_both! {
    async fn a_channel_is_inactive_while_its_link_is_down_and_its_history_has_the_source(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let (id, socket) = dead_channel(app, &admin).await;
        let item = async || admin.get(&format!("/api/tv-channels/{id}")).send().await.json();
        let link = async || admin.get("/api/links").send().await.json()["content"][0].clone();
        let switched_off = async || admin.get("/api/activity").send().await.json()["links"]["switchedOff"].clone();

        switches(app, false).run().await.unwrap();
        assert_eq!((&item().await["active"], switched_off().await), (&json!(true), json!(0)), "the option is off by default");
        let service = switches(app, true);
        service.run().await.unwrap();
        let off = item().await;
        assert_eq!((&off["active"], &off["version"], &off["updatedBy"]), (&json!(false), &json!(2), &Value::Null));
        service.run().await.unwrap();
        assert_eq!((&item().await["version"], switched_off().await), (&json!(2), json!(1)), "once");
        assert!(admin.get("/api/activity").send().await.json()["links"]["lastSwitch"].is_string());
        // The link is still probed, and has the reason why the channel is inactive.
        app.links.take_all_over().await.unwrap();
        let down = link().await;
        assert_eq!((&down["active"], &down["switchedOff"], &down["state"]), (&json!(true), &json!(true), &json!("DOWN")));

        open(socket);
        probe(app, 30).await;
        service.run().await.unwrap();
        assert_eq!((&link().await["state"], &item().await["active"]), (&json!("RECOVERING"), &json!(false)));
        probe(app, 5).await;
        // Turning the option off reactivates the channels that it deactivated.
        switches(app, false).run().await.unwrap();
        let on = item().await;
        assert_eq!((&on["active"], &on["version"], switched_off().await), (&json!(true), &json!(3), json!(0)));
        app.links.take_all_over().await.unwrap();
        assert_eq!(link().await["switchedOff"], false);
        let log = admin.get("/api/audit?resource=tv-channels&action=UPDATED").send().await.json();
        let entries: Vec<_> = log["content"].as_array().unwrap().iter().map(|one| (&one["actor"], &one["source"])).collect();
        assert_eq!(entries, [(&Value::Null, &json!("SERVER")), (&Value::Null, &json!("SERVER"))], "{log}");
    }

    async fn a_channel_renamed_while_inactive_is_activated_again(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let (id, socket) = dead_channel(app, &admin).await;
        let path = format!("/api/tv-channels/{id}");
        let service = switches(app, true);
        service.run().await.unwrap();
        let renamed = admin.patch(&path).json(&json!({"title": "Canal Ocho"})).send().await;
        assert_eq!((renamed.status, &renamed.json()["active"]), (200, &json!(false)));
        service.sweep().await.unwrap();
        app.links.take_all_over().await.unwrap();
        open(socket);
        for wait in [30, 5] {
            probe(app, wait).await;
        }
        service.run().await.unwrap();
        let item = admin.get(&path).send().await.json();
        let seen = (&item["active"], &item["version"], &item["title"]);
        assert_eq!(seen, (&json!(true), &json!(4), &json!("Canal Ocho")));
    }

    async fn a_channel_activated_by_a_user_stays_active_until_its_link_is_probed(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let (id, socket) = dead_channel(app, &admin).await;
        let path = format!("/api/tv-channels/{id}");
        let active = async || admin.get(&path).send().await.json()["active"].clone();
        let switched_off = async || admin.get("/api/activity").send().await.json()["links"]["switchedOff"].clone();
        let service = switches(app, true);
        service.run().await.unwrap();
        assert_eq!((active().await, switched_off().await), (json!(false), json!(1)));
        // Before the next probe.
        assert_eq!(admin.patch(&path).json(&json!({"active": true})).send().await.status, 200);
        for _ in 0..2 {
            service.run().await.unwrap();
            assert_eq!((active().await, switched_off().await), (json!(true), json!(0)), "other tabs get a new version");
        }
        // It is probed at once, without the delay of a link that is down.
        probe(app, 1).await;
        service.run().await.unwrap();
        assert_eq!((active().await, switched_off().await), (json!(false), json!(1)));
        // The next probe succeeds.
        assert_eq!(admin.patch(&path).json(&json!({"active": true})).send().await.status, 200);
        service.run().await.unwrap();
        open(socket);
        probe(app, 1).await;
        service.run().await.unwrap();
        assert_eq!(active().await, true);
    }

    async fn a_channel_deactivated_by_a_user_stays_inactive(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let (id, socket) = dead_channel(app, &admin).await;
        let path = format!("/api/tv-channels/{id}");
        let service = switches(app, true);
        service.run().await.unwrap();
        let off = |version: &str| {
            let request = admin.patch(&format!("{path}/status")).header("if-match", version);
            request.json(&json!({"active": false}))
        };
        assert_eq!(off("\"1\"").send().await.status, 412);
        let kept = off("\"2\"").send().await;
        let seen = kept.json();
        assert_eq!((kept.status, &seen["active"], &seen["version"], &seen["updatedBy"]), (200, &json!(false), &json!(3), &json!("admin")));
        let again = off("\"3\"").send().await.json();
        assert_eq!(again["version"], 3, "once");
        let switched_off = admin.get("/api/activity").send().await.json()["links"]["switchedOff"].clone();
        assert_eq!(switched_off, 0);
        app.links.take_all_over().await.unwrap();
        let link = admin.get("/api/links").send().await.json()["content"][0].clone();
        assert_eq!((&link["active"], &link["switchedOff"]), (&json!(false), &json!(false)));
        open(socket);
        for wait in [30, 5, 360] {
            probe(app, wait).await;
            service.run().await.unwrap();
        }
        assert_eq!(admin.get(&path).send().await.json()["active"], false);
        let log = admin.get("/api/audit?resource=tv-channels&action=UPDATED").send().await.json();
        assert_eq!(log["content"][0]["actor"], "admin", "{log}");
    }

    async fn channels_deactivated_in_bulk_stay_inactive(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let (id, socket) = dead_channel(app, &admin).await;
        let service = switches(app, true);
        service.run().await.unwrap();
        let action = json!({"type": "SET", "set": {"active": false}});
        let change = json!({"resource": "tv-channels", "ids": [id], "action": action});
        for _ in 0..2 {
            assert_eq!(admin.post("/api/operations").json(&change).send().await.status, 202);
            app.run_operations().await;
        }
        open(socket);
        for wait in [30, 5, 360] {
            app.links.take_all_over().await.unwrap();
            probe(app, wait).await;
            service.run().await.unwrap();
        }
        let kept = admin.get(&format!("/api/tv-channels/{id}")).send().await.json();
        let seen = (&kept["active"], &kept["version"], &kept["updatedBy"]);
        assert_eq!(seen, (&json!(false), &json!(3), &json!("admin")), "once");
    }

    async fn a_channel_reactivated_before_a_probe_stays_active_until_its_link_is_probed(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let (id, _socket) = dead_channel(app, &admin).await;
        let path = format!("/api/tv-channels/{id}");
        let service = switches(app, true);
        service.run().await.unwrap();
        // Before the next probe.
        for active in [false, true] {
            let changed = admin.patch(&format!("{path}/status")).json(&json!({"active": active})).send().await;
            assert_eq!((changed.status, &changed.json()["active"]), (200, &json!(active)));
        }
        let active = async || admin.get(&path).send().await.json()["active"].clone();
        for _ in 0..2 {
            service.run().await.unwrap();
            assert_eq!(active().await, true);
            app.links.take_all_over().await.unwrap();
        }
        probe(app, 1).await;
        service.run().await.unwrap();
        assert_eq!(active().await, false);
    }

    async fn a_channel_activated_by_a_user_since_is_not_changed(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let (id, socket) = dead_channel(app, &admin).await;
        let service = switches(app, true);
        service.run().await.unwrap();
        for active in [true, false] {
            let path = format!("/api/tv-channels/{id}");
            let changed = admin.patch(&path).json(&json!({"active": active})).send().await;
            assert_eq!((changed.status, &changed.json()["active"]), (200, &json!(active)));
        }
        // The user's decision stays: an inactive channel, whose link is not probed.
        service.run().await.unwrap();
        app.links.take_all_over().await.unwrap();
        open(socket);
        for wait in [30, 5, 360] {
            probe(app, wait).await;
            service.run().await.unwrap();
        }
        let item = admin.get(&format!("/api/tv-channels/{id}")).send().await.json();
        assert_eq!((&item["active"], &item["version"]), (&json!(false), &json!(4)));
        let link = admin.get("/api/links").send().await.json()["content"][0].clone();
        assert_eq!((&link["active"], &link["switchedOff"]), (&json!(false), &json!(false)));
        service.sweep().await.unwrap();
        assert_eq!(app.number("SELECT count(*) AS number FROM link_switches").await, 0);
    }

    async fn a_channel_with_a_stream_that_is_not_down_or_with_another_url_stays_active(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let (id, socket) = dead_channel(app, &admin).await;
        let address = socket.local_addr().unwrap();
        let path = format!("/api/tv-channels/{id}");
        // The URL was corrected and not probed yet.
        let mended = json!({"url": format!("http://{address}/8.ts")});
        assert_eq!(admin.patch(&path).json(&mended).send().await.status, 200);
        let service = switches(app, true);
        service.run().await.unwrap();
        assert_eq!(admin.get(&path).send().await.json()["active"], true);
        // Also down, with a further stream that was never probed.
        let stream = |name: &str| json!({"urlType": "EXTERNAL", "url": format!("http://{address}/{name}.ts")});
        for wait in [0, 1, 5, 15] {
            probe(app, wait).await;
        }
        let streams = json!({"streams": [stream("8"), stream("9")]});
        assert_eq!(admin.put(&format!("{path}/streams")).json(&streams).send().await.status, 200);
        app.links.take_all_over().await.unwrap();
        service.run().await.unwrap();
        assert_eq!(admin.get(&path).send().await.json()["active"], true);
    }
}
