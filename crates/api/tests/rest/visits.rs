//! The history of visits over the API: recorded sign-ins, lists, days and files.

use chrono::TimeDelta;
use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp, on_both},
    client::Client,
};

/// Sign-ins of two users, from two browsers, an hour apart.
async fn sign_ins(app: &TestApp) {
    for (name, device) in
        [("agent", "Firefox"), ("contentManager", "=HYPERLINK(\"http://x\")"), ("AGENT", "Safari")]
    {
        let credentials = json!({"username": name, "password": PASSWORD});
        let requested = app.anonymous().post("/api/auth/login").header("user-agent", device);
        assert_eq!(requested.json(&credentials).send().await.status, 200);
        app.clock.forward(TimeDelta::hours(1));
    }
}

async fn rows(client: &Client<'_>, query: &str) -> Vec<Value> {
    let answer = client.get(&format!("/api/visits?{query}")).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["content"].as_array().unwrap().clone()
}

async fn users(client: &Client<'_>, query: &str) -> Vec<String> {
    let rows = rows(client, query).await;
    rows.iter().map(|row| row["username"].as_str().unwrap().to_owned()).collect()
}

on_both! {
    async fn a_sign_in_is_recorded_with_address_and_browser(app: &TestApp) {
        sign_ins(app).await;
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let all = rows(&admin, "").await;
        assert_eq!(all.len(), 4);
        assert_eq!(all[0]["username"], "admin");
        assert_eq!(all[0]["device"], Value::Null, "without a header there is no device");
        let first = &all[3];
        let expected = json!({
            "id": first["id"], "occurredAt": "2026-11-20T10:00:00.000Z", "kind": "SIGN_IN", "username": "agent",
            "fullName": "Ana Núñez", "registered": true, "address": "192.0.2.1", "device": "Firefox", "content": null,
            "source": null,
        });
        assert_eq!(*first, expected);
        // With the user's own spelling of the username.
        assert_eq!(all[1]["username"], "agent");
        let agent = admin.get("/api/users/agent").send().await.json();
        assert_eq!(agent["signIns"], 2);
    }

    async fn refused_sign_ins_are_not_recorded_as_visits(app: &TestApp) {
        for (name, password) in [("agent", "wrong"), ("nobody", PASSWORD), ("suspended", PASSWORD)] {
            let credentials = json!({"username": name, "password": password});
            assert_eq!(app.anonymous().post("/api/auth/login").json(&credentials).send().await.status, 401);
        }
        let admin = app.sign_in_as(RoleCode::Admin).await;
        assert_eq!(users(&admin, "").await, ["admin"]);
    }

    #[smoke]
    async fn lists_are_filtered_by_user_kind_time_and_search(app: &TestApp) {
        sign_ins(app).await;
        let admin = app.sign_in_as(RoleCode::Admin).await;
        for (query, found) in [
            ("username=AGENT", vec!["agent", "agent"]), ("username=age", vec![]), ("kind=VISIT", vec![]),
            ("kind=SIGN_IN&_size=1", vec!["admin"]), ("search=safari", vec!["agent"]), ("search=nunez&username=agent", vec!["agent", "agent"]),
            ("from=2026-11-20T11:00:00Z&to=2026-11-20T12:00:00Z", vec!["contentManager"]), ("from=2026-11-21", vec![]),
            ("from=2026-11-20&to=2026-11-20&_sort=occurredAt&_size=2", vec!["agent", "contentManager"]),
        ] {
            assert_eq!(users(&admin, query).await, found, "{query}");
        }
        let page = admin.get("/api/visits?_size=3&_page=1").send().await.json();
        assert_eq!((&page["totalElements"], &page["totalPages"]), (&json!(4), &json!(2)));
    }

    async fn invalid_filters_are_reported_in_both_languages(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        for (language, text) in [
            ("es", "El final no puede ser anterior al principio"), ("en", "The end can't be before the beginning"),
        ] {
            for path in ["visits", "visits/per-day", "spreadsheets/visits", "audit", "spreadsheets/audit"] {
                let requested = admin.get(&format!("/api/{path}?from=2026-11-20&to=2026-11-19")).header("accept-language", language);
                assert_eq!(requested.send().await.field_messages(), [("to".to_owned(), text.to_owned())], "{path}");
            }
        }
        let refused = admin.get("/api/visits?from=yesterday&colour=red").send().await;
        let expected = [("from", "INVALID_DATE"), ("colour", "UNKNOWN_FILTER")];
        assert_eq!(refused.field_codes(), expected.map(|(field, code)| (field.to_owned(), code.to_owned())));
        let year = admin.get("/api/visits/per-day?from=2025-01-01&to=2026-06-01").send().await;
        assert_eq!(year.field_codes(), [("to".to_owned(), "TOO_LARGE".to_owned())]);
    }

    async fn days_without_visits_are_included_in_the_counts(app: &TestApp) {
        sign_ins(app).await;
        app.clock.forward(TimeDelta::days(1));
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let days = admin.get("/api/visits/per-day?from=2026-11-19&to=2026-11-22").send().await.json();
        let expected = json!([
            {"day": "2026-11-19", "signIns": 0, "visits": 0}, {"day": "2026-11-20", "signIns": 3, "visits": 0},
            {"day": "2026-11-21", "signIns": 1, "visits": 0}, {"day": "2026-11-22", "signIns": 0, "visits": 0},
        ]);
        assert_eq!(days, expected);
        let usual = admin.get("/api/visits/per-day?username=agent").send().await.json();
        let usual = usual.as_array().unwrap();
        assert_eq!((usual.len(), &usual[29]["day"], &usual[28]["signIns"]), (30, &json!("2026-11-21"), &json!(2)));
        let visits = admin.get("/api/visits/per-day?kind=VISIT").send().await.json();
        assert!(visits.as_array().unwrap().iter().all(|day| day["signIns"] == 0));
    }

    async fn a_file_is_quoted_and_has_no_formulas(app: &TestApp) {
        sign_ins(app).await;
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let answer = admin.get("/api/spreadsheets/visits?username=contentmanager").send().await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), Some("text/csv; charset=utf-8"));
        assert_eq!(answer.header("content-disposition"), Some("attachment; filename=\"visits.csv\""));
        let expected = "\u{FEFF}\"Fecha y hora\";\"Tipo\";\"Usuario\";\"Nombre\";\"Dirección IP\";\"Dispositivo\";\
            \"Tipo de contenido\";\"ID del contenido\";\"Contenido\";\"Origen\"\r\n\
            \"2026-11-20 11:00:00\";\"Inicio de sesión\";\"contentManager\";\"Ana Núñez\";\"192.0.2.1\";\
            \"'=HYPERLINK(\"\"http://x\"\")\";\"\";\"\";\"\";\"\"\r\n";
        assert_eq!(answer.text(), expected);
        let english = admin.get("/api/spreadsheets/visits").header("accept-language", "en").send().await.text();
        let by_link = admin.get("/api/spreadsheets/visits?language=en").header("accept-language", "es").send().await.text();
        assert_eq!(by_link, english);
        assert!(english.starts_with("\u{FEFF}\"Date and time\",\"Type\",\"User name\""), "{english}");
        assert_eq!(english.lines().count(), 5);
        assert!(english.contains("\"Sign-in\""));
        let none = admin.get("/api/spreadsheets/visits?username=nobody").send().await.text();
        assert_eq!(none.lines().count(), 1, "a file without visits still has its headings");
    }

    async fn a_long_file_is_complete(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let rows: Vec<String> = (0..2300).map(|number| format!(
            "('2026-11-1{}T10:00:00+00:00', 'VISIT', 'viewer_{number}', 'viewer_{number}', 'viewer_{number}')", number % 9
        )).collect();
        let insert = "INSERT INTO visits (occurred_at, kind, username, username_key, search_text) VALUES ";
        app.run(&format!("{insert}{}", rows.join(", "))).await;
        let text = admin.get("/api/spreadsheets/visits?kind=VISIT&columns=username").send().await.text();
        let mut names: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(names.len(), 2300);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 2300, "no duplicates");
    }
}
