//! Activity of a user over the API, for callers who may see the user.

use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
    users::agents_with_customers,
};

async fn read(client: &Client<'_>, path: &str) -> (u16, Value) {
    let answer = client.get(&format!("/api/users/{path}")).send().await;
    (answer.status, answer.json())
}

async fn record(app: &TestApp) {
    app.clock.forward(chrono::TimeDelta::days(3));
    let program = app.program(&["VISITS_RECORD", "ISSUES_REPORT"]).await;
    let visit = |username: &str, at: &str, device: &str| {
        json!({
            "kind": "VISIT", "username": username, "occurredAt": at, "address": "203.0.113.7", "device": device,
            "content": {"contentType": "MOVIE", "title": "Abre los ojos"},
        })
    };
    let visits = json!({"visits": [
        visit("ANA_app", "2026-11-21T10:00:00Z", "Android TV"),
        visit("ana_app", "2026-11-23T09:00:00Z", "Android TV"),
        visit("ana_app", "2026-11-22T09:00:00Z", "iPhone"),
        visit("rival_app", "2026-11-23T09:30:00Z", "Roku"),
    ]});
    let recorded = program.post("/api/visits").header("idempotency-key", "v").json(&visits).send().await;
    assert_eq!(recorded.status, 200, "{}", recorded.text());
    for (reporter, title) in [("Ana_App", "Se corta"), ("rival_app", "No carga"), ("ana_app2", "Sin audio")] {
        let report = json!({
            "title": title, "contentType": "MOVIE", "content": "Abre los ojos", "reportType": "NOT_LOADING",
            "reporter": reporter,
        });
        assert_eq!(program.post("/api/issue-reports").json(&report).send().await.status, 201);
    }
}

on_both! {
    async fn the_activity_of_a_user_is_readable_within_the_scope(app: &TestApp) {
        agents_with_customers(app).await;
        record(app).await;
        let admin = app.sign_in("admin").await;
        let ana = app.sign_in("ana_1").await;

        let (status, visits) = read(&ana, "ana_app/visits").await;
        assert_eq!((status, &visits["totalElements"]), (200, &json!(3)));
        let first = &visits["content"][0];
        assert_eq!((&first["occurredAt"], &first["content"]["title"]), (&json!("2026-11-23T09:00:00.000Z"), &json!("Abre los ojos")));
        assert_eq!(first["address"], json!(null), "addresses need the permission to read all visits");
        assert_eq!(read(&admin, "ana_app/visits").await.1["content"][0]["address"], json!("203.0.113.7"));

        let (_, devices) = read(&ana, "ana_app/devices").await;
        assert_eq!(devices, json!([
            {"device": "Android TV", "lastSeen": "2026-11-23T09:00:00.000Z", "visits": 2},
            {"device": "iPhone", "lastSeen": "2026-11-22T09:00:00.000Z", "visits": 1},
        ]));

        let (_, reports) = read(&ana, "ana_app/reports").await;
        assert_eq!((&reports["totalElements"], &reports["content"][0]["title"]), (&json!(1), &json!("Se corta")));
        for internal in ["notes", "assignedTo", "priority", "reporter"] {
            assert!(reports["content"][0].get(internal).is_none(), "{internal} is for staff");
        }
        for part in ["visits", "devices", "reports"] {
            assert_eq!(read(&ana, &format!("rival_app/{part}")).await.0, 404, "{part}");
            assert_eq!(read(&ana, &format!("nobody/{part}")).await.0, 404, "{part}");
            let manager = app.manager().await;
            assert_eq!(read(&manager, &format!("ana_app/{part}")).await.0, 403, "{part}");
        }
        let (_, page) = read(&ana, "ana_app/visits?_size=1&_page=2").await;
        assert_eq!((&page["totalPages"], &page["content"][0]["occurredAt"]), (&json!(3), &json!("2026-11-21T10:00:00.000Z")));
    }

    async fn a_reused_username_has_no_activity_of_the_previous_user(app: &TestApp) {
        agents_with_customers(app).await;
        record(app).await;
        let admin = app.sign_in("admin").await;
        let shown = async || {
            let mut shown = Vec::new();
            for part in ["visits", "devices", "reports", "history"] {
                shown.push(admin.get(&format!("/api/users/ana_app/{part}")).send().await.text());
            }
            shown.join(" ")
        };
        let change = json!({"fullName": "La De Antes"});
        assert_eq!(admin.patch("/api/users/ana_app").json(&change).send().await.status, 200);
        let before = shown().await;
        for text in ["Android TV", "Se corta", "La De Antes"] {
            assert!(before.contains(text), "{text} in {before}");
        }
        app.clock.forward(chrono::TimeDelta::minutes(1));
        assert_eq!(admin.delete("/api/users/ana_app").send().await.status, 204);
        app.clock.forward(chrono::TimeDelta::minutes(1));
        let again = json!({
            "username": "ana_app", "fullName": "Otra Persona", "email": "otra@example.com", "phoneNumber": "+34 600 000 001",
            "password": "Otra-Clave-2026", "roleCode": "app",
        });
        let again = admin.post("/api/users").json(&again).send().await;
        assert_eq!(again.status, 201, "{}", again.text());
        let after = shown().await;
        for text in ["Android TV", "Se corta", "La De Antes"] {
            assert!(!after.contains(text), "{text} in {after}");
        }
        assert!(after.contains("CREATED"), "{after}");
    }

    async fn a_user_has_the_playback_permission_of_apps(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let playback = async |name: &str| read(&admin, name).await.1["playback"].clone();
        assert_eq!(playback("ana_app").await, json!({"mayPlay": false, "reason": "NOT_STARTED"}));
        let change = json!({"expirationDate": "2026-12-01"});
        assert_eq!(admin.patch("/api/users/ana_app").json(&change).send().await.status, 200);
        assert_eq!(playback("ana_app").await, json!({"mayPlay": true, "reason": "CURRENT"}));
        assert_eq!(admin.patch("/api/users/ana_app/toggle-status").send().await.status, 200);
        assert_eq!(playback("ana_app").await, json!({"mayPlay": false, "reason": "INACTIVE"}));
        assert_eq!(playback("ana_1").await, json!(null), "staff have no playback");
        // A response can be sent back.
        let mut whole = read(&admin, "ana_app").await.1;
        whole["fullName"] = json!("Otra Persona");
        let sent = admin.put("/api/users/ana_app").json(&whole).send().await;
        assert_eq!(sent.status, 200, "{}", sent.text());
    }
}
