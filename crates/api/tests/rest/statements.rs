//! Monthly statements over the API: totals, permissions and files.

use chrono::TimeDelta;
use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
    users::agents_with_customers,
};

async fn give(client: &Client<'_>, operation: &str, target: &str, amount: i64) -> Value {
    let body = json!({"targetUsername": target, "amount": amount});
    let answer = client.post(&format!("/api/credits/{operation}")).json(&body).send().await;
    assert_eq!(answer.status, 201, "{operation} {target}: {}", answer.text());
    answer.json()
}

async fn statement(client: &Client<'_>, of: &str) -> Value {
    let answer = client.get(&format!("/api/statements/{of}")).send().await;
    assert_eq!(answer.status, 200, "{of}: {}", answer.text());
    answer.json()
}

/// Opening stock, lines other than 0, closing stock.
fn summary(statement: &Value) -> (i64, Vec<(&str, i64)>, i64) {
    let lines = statement["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 11);
    let moved = lines.iter().filter(|line| line["movements"] != 0);
    let moved: Vec<_> =
        moved.map(|line| (line["concept"].as_str().unwrap(), line["amount"].as_i64().unwrap())).collect();
    let (opening, closing) = (statement["opening"].as_i64().unwrap(), statement["closing"].as_i64().unwrap());
    assert_eq!(opening + moved.iter().map(|(_, amount)| amount).sum::<i64>(), closing);
    (opening, moved, closing)
}

on_both! {
    async fn a_statement_adds_up_month_by_month_and_so_does_its_file(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        give(&admin, "add-for-sale", "ana_1", 50).await;
        let ana = app.sign_in("ana_1").await;
        let sale = give(&ana, "add", "ana_app", 3).await;
        give(&ana, "add-for-sale", "eva_1", 10).await;
        app.clock.forward(TimeDelta::days(14));
        // A new month: new sessions are needed.
        let (admin, ana) = (app.sign_in_as(RoleCode::Admin).await, app.sign_in("ana_1").await);
        admin.post(&format!("/api/credits/{}/reverse", sale["id"])).json(&json!({})).send().await;
        give(&ana, "deduct-for-sale", "eva_1", 4).await;

        let november = statement(&ana, "ana_1?month=2026-11").await;
        assert_eq!(
            summary(&november),
            (0, vec![("RECEIVED_FROM_ADMINS", 50), ("SOLD_TO_CUSTOMERS", -3), ("GIVEN_TO_AGENTS", -10)], 37)
        );
        assert_eq!((&november["complete"], &november["moreRows"]), (&json!(true), &json!(false)));
        assert_eq!(november["from"], "2026-11-01T00:00:00.000Z");
        assert_eq!(november["to"], "2026-12-01T00:00:00.000Z");
        assert_eq!(november["user"], json!({"username": "ana_1", "fullName": "Persona ana_1"}));
        assert_eq!(november["rows"], json!([
            {"user": {"username": "ana_app", "fullName": "Persona ana_app"}, "creditType": "NORMAL",
             "sold": 3, "received": 0, "reversed": 0, "net": 3},
            {"user": {"username": "eva_1", "fullName": "Persona eva_1"}, "creditType": "SALE",
             "sold": 10, "received": 0, "reversed": 0, "net": 10},
        ]));
        let december = statement(&admin, "ANA_1").await;
        assert_eq!((&december["month"], &december["complete"]), (&json!("2026-12"), &json!(false)));
        assert_eq!(summary(&december), (37, vec![("TAKEN_BACK_FROM_AGENTS", 4), ("REVERSED_IN", 3)], 44));
        assert_eq!(summary(&statement(&admin, "ana_1?month=2026-10").await), (0, vec![], 0));
        assert_eq!(summary(&statement(&ana, "eva_1").await), (10, vec![("RETURNED_TO_AGENTS", -4)], 6));

        let answer = ana.get("/api/statements/ana_1/export?month=2026-11&language=en").send().await;
        assert_eq!(answer.header("content-type"), Some("text/csv; charset=utf-8"));
        assert_eq!(answer.header("content-disposition"), Some("attachment; filename=\"ana_1-2026-11.csv\""));
        let text = answer.text();
        let rows: Vec<&str> = text.trim_start_matches('\u{FEFF}').lines().collect();
        assert_eq!(rows, [
            "\"Month\",\"Agent\",\"Concept\",\"User name\",\"Name\",\"Movements\",\"Credits\"",
            "\"2026-11\",\"ana_1\",\"Opening stock\",\"\",\"\",\"\",\"0\"",
            "\"2026-11\",\"ana_1\",\"Received from admins\",\"\",\"\",\"1\",\"50\"",
            "\"2026-11\",\"ana_1\",\"Sold to customers\",\"ana_app\",\"Persona ana_app\",\"1\",\"-3\"",
            "\"2026-11\",\"ana_1\",\"Given to agents below\",\"eva_1\",\"Persona eva_1\",\"1\",\"-10\"",
            "\"2026-11\",\"ana_1\",\"Closing stock\",\"\",\"\",\"\",\"37\"",
        ]);
        let spanish = ana.get("/api/statements/ana_1/export?language=es").send().await.text();
        assert!(spanish.contains("\"Existencias iniciales\";\"\";\"\";\"\";\"37\""), "{spanish}");
        let log = admin.get("/api/audit?action=EXPORTED&resource=credits&item=ANA_1").send().await.json();
        let recorded: Vec<_> = log["content"].as_array().unwrap().iter().map(|entry| (&entry["actor"], &entry["after"])).collect();
        let by_ana = |month: &str| (json!("ana_1"), json!({"format": "csv", "month": month}));
        let (december, november) = (by_ana("2026-12"), by_ana("2026-11"));
        assert_eq!(recorded, [(&december.0, &december.1), (&november.0, &november.1)]);
    }

    async fn statements_of_users_outside_of_the_scope_and_of_other_roles_are_not_found(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let (ana, eva) = (app.sign_in("ana_1").await, app.sign_in("eva_1").await);
        for (client, of) in [(&ana, "rival_1"), (&ana, "admin"), (&eva, "ana_1"), (&admin, "nobody"), (&admin, "%C3%B1")] {
            for path in ["", "/export"] {
                let answer = client.get(&format!("/api/statements/{of}{path}")).send().await;
                assert_eq!((answer.status, answer.code()), (404, "NOT_FOUND".into()), "{of}");
            }
        }
        for (query, field, code) in [
            ("ana_app", "username", "WRONG_ROLE"),
            ("ana_1?month=noviembre", "month", "INVALID_DATE"),
            ("ana_1?month=2026-13", "month", "INVALID_DATE"),
            ("ana_1?month=2026-1", "month", "INVALID_DATE"),
            ("ana_1?month=0000-01", "month", "INVALID_DATE"),
            ("ana_1?month=2026-12", "month", "TOO_LARGE"),
            ("ana_1?year=2026", "year", "UNKNOWN_FILTER"),
        ] {
            for language in ["es", "en"] {
                let requested = ana.get(&format!("/api/statements/{query}"));
                let answer = requested.header("accept-language", language).send().await;
                assert_eq!((answer.status, answer.field_codes()), (422, vec![(field.into(), code.into())]), "{query}");
                assert!(!answer.field_messages()[0].1.contains('{'));
            }
        }
    }
}
