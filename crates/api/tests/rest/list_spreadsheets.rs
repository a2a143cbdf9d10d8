//! Lists other than content as spreadsheets: a file has the rows that the caller sees in the list.

use std::io::Cursor;

use calamine::{Data, Reader, Xlsx};
use domain_kernel::RoleCode;
use serde_json::json;

use crate::{
    app::{TestApp, on_both},
    client::Client,
};

async fn file(client: &Client<'_>, list: &str, query: &str) -> String {
    let answer = client.get(&format!("/api/spreadsheets/{list}?{query}")).send().await;
    assert_eq!(answer.status, 200, "{list}?{query}: {}", answer.text());
    answer.text()
}

on_both! {
    async fn a_file_of_users_has_the_subtree_of_an_agent_and_all_users_for_admins(app: &TestApp) {
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        let agent = app.sign_in_as(RoleCode::Agent).await;
        agent.register("ana_1", "app").await;
        boss.register("eva_1", "app").await;
        boss.patch("/api/users/ana_1").json(&json!({"phoneNumber": "+34600111222", "fullName": "=Ana"})).send().await;
        let columns = "columns=username,fullName,phoneNumber,role&_sort=username&language=es";
        let own = file(&agent, "users", columns).await;
        let expected = "\u{feff}\"Usuario\";\"Nombre completo\";\"Teléfono\";\"Rol\"\r\n\
            \"ana_1\";\"'=Ana\";\"'+34600111222\";\"Usuario\"\r\n";
        assert_eq!(own, expected);
        let all = file(&boss, "users", &format!("{columns}&roleCode=app")).await;
        assert!(all.contains("\"ana_1\"") && all.contains("\"eva_1\"") && !all.contains("\"agent\""), "{all}");
        let found = file(&boss, "users", "columns=username&search=eva_1&language=en").await;
        assert_eq!(found, "\u{feff}\"User name\"\r\n\"eva_1\"\r\n");
        let registered = file(&boss, "users", "columns=username&registeredBy=agent&language=en").await;
        assert_eq!(registered, "\u{feff}\"User name\"\r\n\"ana_1\"\r\n");
        // In Excel a phone number is a text.
        let answer = boss.get("/api/spreadsheets/users?format=xlsx&columns=phoneNumber,credits&search=ana_1").send().await;
        let mut workbook: Xlsx<_> = calamine::open_workbook_from_rs(Cursor::new(answer.body.clone())).unwrap();
        let range = workbook.worksheet_range("Sheet1").unwrap();
        let rows: Vec<&[Data]> = range.rows().collect();
        assert_eq!(rows[1], [Data::String("+34600111222".into()), Data::Float(0.0)]);
        let manager = app.manager().await;
        assert_eq!(manager.get("/api/spreadsheets/users").send().await.status, 403);
    }

    async fn every_list_is_exported_with_the_permission_to_read_it_and_recorded(app: &TestApp) {
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        let agent = app.sign_in_as(RoleCode::Agent).await;
        agent.register("ana_1", "app").await;
        boss.register("eva_1", "app").await;
        for name in ["ana_1", "eva_1"] {
            let body = json!({"targetUsername": name, "amount": 2, "reason": "regalo"});
            assert_eq!(boss.post("/api/credits/add").json(&body).send().await.status, 201);
        }
        let report = json!({"title": "No carga", "contentType": "MOVIE", "content": "Metrópolis", "reportType": "NOT_LOADING"});
        boss.create("issue-reports", &report).await;
        boss.create("integrator-keys", &json!({"name": "TV", "scopes": ["CATALOGUE_READ"]})).await;
        let webhook = json!({"name": "TV", "url": "https://tv.example/hook", "events": ["ITEM_REMOVED"]});
        let webhook = boss.create("webhooks", &webhook).await;
        assert_eq!(boss.post(&format!("/api/webhooks/{}/test", webhook["id"])).send().await.status, 202);
        let of_webhook = format!("webhook={}&eventType=TEST", webhook["id"]);
        let mut film = boss.film().await;
        film["title"] = json!("Perdida");
        let film = boss.create("movies", &film).await;
        assert_eq!(boss.delete(&format!("/api/movies/{}", film["id"])).send().await.status, 204);
        let change = json!({"resource": "users", "ids": ["ana_1"], "action": {"type": "SET", "set": {"status": "ACTIVE"}}});
        let begun = boss.post("/api/operations").json(&change).send().await;
        assert_eq!(begun.status, 202, "{}", begun.text());
        app.run_operations().await;
        for (list, query, expected) in [
            ("users", "search=eva_1", "eva_1"),
            ("issue-reports", "status=REPORTADO", "Metrópolis"),
            ("trash", "kind=movies&search=perdida", "Perdida"),
            ("operations", "_sort=id", "Terminada"),
            ("webhook-deliveries", of_webhook.as_str(), "webhooks/"),
            ("credits", "username=eva_1", "regalo"),
            ("visits", "kind=SIGN_IN", "agent"),
            ("renewals", "window=DAYS_30", "Usuario"),
            ("integrator-keys", "search=tv", "TV"),
            ("audit", "resource=users&actor=agent", "ana_1"),
        ] {
            let text = file(&boss, list, &format!("{query}&language=es")).await;
            assert!(text.contains(expected), "{list}: {text}");
            let columns = boss.get(&format!("/api/spreadsheets/{list}/columns")).send().await.json();
            assert!(columns.as_array().unwrap().len() > 5, "{columns}");
        }
        let ledger = file(&agent, "credits", "language=en").await;
        assert!(ledger.contains("ana_1") && !ledger.contains("eva_1"), "{ledger}");
        let hidden = agent.get("/api/spreadsheets/credits?username=eva_1").send().await;
        assert_eq!(hidden.status, 404, "{}", hidden.text());
        // Users get their own operations, the kinds of the trash that they may delete, and the log
        // of a webhook only as admins.
        let manager = app.manager().await;
        let own = file(&manager, "operations", "language=en").await;
        assert_eq!(own.lines().count(), 1, "{own}");
        let trash = file(&manager, "trash", "language=en&columns=title,deletedBy").await;
        assert!(trash.contains("\"Perdida\",\"superadmin\""), "{trash}");
        for (client, list) in [(&manager, "webhook-deliveries"), (&agent, "trash"), (&agent, "operations")] {
            for path in [format!("{list}?webhook=1"), format!("{list}/columns")] {
                assert_eq!(client.get(&format!("/api/spreadsheets/{path}")).send().await.status, 403, "{path}");
            }
        }
        let unnamed = boss.get("/api/spreadsheets/webhook-deliveries").send().await;
        assert_eq!((unnamed.status, &unnamed.json()["errors"][0]["field"]), (422, &json!("webhook")));
        let log = boss.get("/api/audit?action=EXPORTED&_size=100").send().await.json();
        assert_eq!(log["totalElements"], 13, "{log}");
        let of_audit = log["content"].as_array().unwrap().iter().find(|entry| entry["resource"] == "audit").unwrap();
        assert_eq!(of_audit["after"], json!({"format": "csv", "rows": 1, "resource": "users", "actor": "agent"}));
        for (query, field) in [("columns=password", "columns"), ("_page=1", "_page"), ("format=pdf", "format"), ("nothing=1", "nothing")] {
            let refused = boss.get(&format!("/api/spreadsheets/users?{query}")).send().await;
            assert_eq!((refused.status, &refused.json()["errors"][0]["field"]), (422, &json!(field)), "{query}");
        }
    }

    async fn the_audit_log_has_refused_sign_ins_and_denied_calls(app: &TestApp) {
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        let manager = app.manager().await;
        for (username, password) in [("contentManager", "wrong"), ("a secret typed as a name", "x")] {
            let refused = boss.post("/api/auth/login").json(&json!({"username": username, "password": password})).send().await;
            assert_eq!(refused.status, 401);
        }
        for _ in 0..25 {
            assert_eq!(manager.get("/api/audit").send().await.status, 403);
        }
        let of = async |action: &str| boss.get(&format!("/api/audit?action={action}&_size=100")).send().await.json();
        let refused = of("SIGN_IN_REFUSED").await;
        assert_eq!(refused["totalElements"], 2, "{refused}");
        let (unknown, wrong) = (&refused["content"][0], &refused["content"][1]);
        assert_eq!((&unknown["item"], &unknown["title"], &unknown["after"]), (&json!(""), &json!(""), &json!({"reason": "UNKNOWN_USER"})));
        assert_eq!((&wrong["title"], &wrong["actor"], &wrong["after"]), (&json!("contentManager"), &json!(null), &json!({"reason": "WRONG_PASSWORD"})));
        let denied = of("DENIED").await;
        assert_eq!(denied["totalElements"], 20, "the limit of a user per hour");
        assert_eq!((&denied["content"][0]["title"], &denied["content"][0]["actor"]), (&json!("GET /api/audit"), &json!("contentManager")));
    }
}
