//! The history of movements and the ledger, with its totals and file.

use serde_json::{Value, json};

use super::done;
use crate::{
    app::{TestApp, on_both},
    client::Client,
    users::agents_with_customers,
};

on_both! {
    async fn the_ledger_has_a_line_for_each_operation_with_totals_and_a_file(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        done(&admin, "add-for-sale", "ana_1", 50).await;
        let ana = app.sign_in("ana_1").await;
        let sale = done(&ana, "add", "ana_app", 3).await;
        done(&ana, "add-for-sale", "eva_1", 10).await;
        done(&admin, "add", "rival_app", 1).await;
        let of = async |client: &Client<'_>, query: &str| {
            let answer = client.get(&format!("/api/credits/ledger{query}")).send().await;
            assert_eq!(answer.status, 200, "{query}: {}", answer.text());
            answer.json()
        };
        let own = of(&ana, "").await;
        assert_eq!(own["totalElements"], 3);
        let line = &own["content"][1];
        let expected = json!({
            "id": line["id"], "operationId": sale["operationId"], "operationDate": "2026-11-20T10:00:00.000Z",
            "operationType": "ADD_CREDITS", "creditType": "SALE", "amount": -3, "balanceAfter": 47,
            "targetUser": {"username": "ana_app", "fullName": "Persona ana_app"},
            "accountUser": {"username": "ana_1", "fullName": "Persona ana_1"},
            "counterparty": {"username": "ana_app", "fullName": "Persona ana_app"},
            "performedByUser": {"username": "ana_1", "fullName": "Persona ana_1"},
            "reason": "Prueba", "expirationBefore": null, "expirationAfter": "2027-02-20T10:00:00.000Z",
            "reversesOperationId": null, "reversed": false, "imported": false,
            "reversibleUntil": "2026-11-20T11:00:00.000Z",
        });
        assert_eq!(*line, expected);
        let whole = of(&admin, "?_sort=operationDate,id").await;
        let amounts: Vec<_> = whole["content"].as_array().unwrap().iter().map(|line| line["amount"].clone()).collect();
        assert_eq!(amounts, [50, 3, 10, 1]);
        for (query, expected) in [
            ("?username=ana_1", 3),
            ("?username=ANA_APP", 1),
            ("?performedBy=admin", 2),
            ("?operation=ADD_CREDITS", 2),
            ("?operation=ADD_CREDITS&performedBy=ana_1", 1),
            ("?from=2026-11-20&to=2026-11-20", 4),
            ("?from=2026-11-21", 0),
            ("?to=2026-11-19", 0),
            ("?search=rival", 1),
        ] {
            assert_eq!(of(&admin, query).await["totalElements"], expected, "{query}");
            let totals = of(&admin, &format!("/totals{query}")).await;
            let operations: i64 = totals.as_array().unwrap().iter().map(|one| one["operations"].as_i64().unwrap()).sum();
            assert_eq!(operations, expected, "{query}");
        }
        assert_eq!(
            of(&ana, "/totals").await,
            json!([
                {"operationType": "ADD_CREDITS", "creditType": "SALE", "operations": 1, "added": 0, "deducted": 3},
                {"operationType": "ADD_CREDITS_FOR_SALE", "creditType": "SALE", "operations": 2, "added": 50, "deducted": 10},
            ])
        );
        for (query, field, code) in [
            ("from=ayer", "from", "INVALID_DATE"),
            ("from=2026-11-20&to=2026-11-19", "to", "TOO_SMALL"),
            ("operation=GIVE", "operation", "UNKNOWN_VALUE"),
            ("performedBy=%C3%B1", "performedBy", "INVALID_FORMAT"),
            ("color=red", "color", "UNKNOWN_FILTER"),
            ("_sort=reason", "_sort", "UNKNOWN_SORT_FIELD"),
        ] {
            for path in ["credits/ledger", "credits/ledger/totals", "spreadsheets/credits"] {
                for language in ["es", "en"] {
                    let requested = admin.get(&format!("/api/{path}?{query}"));
                    let answer = requested.header("accept-language", language).send().await;
                    assert_eq!((answer.status, answer.field_codes()), (422, vec![(field.into(), code.into())]), "{path} {query}");
                    assert!(!answer.field_messages()[0].1.contains('{'));
                }
            }
        }
        for path in ["credits/ledger", "credits/ledger/totals", "spreadsheets/credits"] {
            let hidden = ana.get(&format!("/api/{path}?username=rival_app")).send().await;
            assert_eq!((hidden.status, hidden.code()), (404, "NOT_FOUND".into()));
        }
        let columns = "operationDate,operationType,targetUser,accountUser,creditType,amount,balanceAfter,performedBy,reason,operationId";
        let query = format!("operation=ADD_CREDITS&language=en&columns={columns}");
        let file = ana.get(&format!("/api/spreadsheets/credits?{query}")).send().await;
        assert_eq!(file.header("content-type"), Some("text/csv; charset=utf-8"));
        let text = file.text();
        let rows: Vec<&str> = text.trim_start_matches('\u{FEFF}').lines().collect();
        assert_eq!(rows.len(), 2, "{text}");
        assert!(rows[0].starts_with("\"Date\",\"Operation\",\"User\",\"Account\""), "{text}");
        let number = sale["operationId"].to_string();
        assert_eq!(rows[1], format!("\"2026-11-20 10:00:00\",\"Add app credits\",\"ana_app\",\"ana_1\",\"Sale\",\"-3\",\"47\",\"ana_1\",\"Prueba\",\"{number}\""));
    }

    async fn the_history_is_paged_searched_and_limited_to_the_scope(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        done(&admin, "add-for-sale", "ana_1", 50).await;
        done(&admin, "add-for-sale", "rival_1", 50).await;
        let (ana, rival) = (app.sign_in("ana_1").await, app.sign_in("rival_1").await);
        for amount in 1..=6 {
            app.clock.forward(chrono::TimeDelta::minutes(1));
            done(&ana, "add", "eva_app", amount).await;
            done(&rival, "add", "rival_app", amount).await;
        }
        let get = async |client: &Client<'_>, path: &str| client.get(&format!("/api/credits{path}")).send().await.json();
        // Both sides of each sale, and created credits.
        for (client, path, total) in [
            (&admin, "?_size=1000", 26),
            (&ana, "?_size=1000", 13),
            (&rival, "?_size=1000", 13),
            (&ana, "?username=eva_app&_size=1000", 6),
            (&ana, "?username=ANA_1&_size=1000", 7),
            (&admin, "?search=rival_app&_size=1000", 6),
            (&admin, "?search=rival_1&_size=1000", 13),
            (&ana, "?search=rival&_size=1000", 0),
            (&ana, "/history/eva_app?_size=1000", 6),
            (&ana, "/history/eva_app?search=eva&_size=1000", 6),
            (&ana, "/history/eva_1?_size=1000", 0),
        ] {
            let page = get(client, path).await;
            assert_eq!((&page["totalElements"], page["content"].as_array().unwrap().len()), (&json!(total), total), "{path}");
        }
        let page = get(&ana, "?_page=1&_size=4&_sort=-amount").await;
        assert_eq!((&page["page"], &page["size"], &page["totalPages"]), (&json!(1), &json!(4), &json!(4)));
        let amounts = |json: &Value| json.as_array().unwrap().iter().map(|one| one["amount"].as_i64().unwrap()).collect::<Vec<_>>();
        assert_eq!(amounts(&page["content"]), [5, 4, 4, 3]);
        assert_eq!(amounts(&get(&ana, "/history/eva_app?_sort=operationDate").await["content"]), [1, 2, 3, 4, 5, 6]);
        let recent = get(&admin, "/history/rival_1/recent").await;
        assert_eq!(amounts(&recent), [6, 5, 4, 3, 2, 1, 50], "newest first");
        done(&admin, "add", "ana_app", 1).await;
        for _ in 0..11 {
            done(&admin, "add", "ana_app", 1).await;
        }
        assert_eq!(get(&ana, "/history/ana_app/recent").await.as_array().unwrap().len(), 10);
        assert_eq!(get(&ana, "/history/ana_app/count").await, json!({"count": 12}));
        assert_eq!(get(&ana, "?_page=99").await["content"], json!([]));
        for (path, field) in [("?_sort=reason", "_sort"), ("?creditType=SALE", "creditType"), ("/history/eva_app?username=x", "username")] {
            assert_eq!(ana.get(&format!("/api/credits{path}")).send().await.field_codes()[0].0, field, "{path}");
        }
    }
}
