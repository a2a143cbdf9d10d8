//! Renewals over the API: windows and counts, quotes for several customers, and sales by
//! idempotency key.

use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::{Answer, Client},
    users::agents_with_customers,
};

async fn ends(client: &Client<'_>, username: &str, date: &str) {
    let change = json!({"expirationDate": date});
    let answer = client.patch(&format!("/api/users/{username}")).json(&change).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
}

async fn names(client: &Client<'_>, query: &str) -> Vec<String> {
    let answer = client.get(&format!("/api/renewals?{query}")).send().await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.text());
    let page = answer.json();
    page["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["username"].as_str().unwrap().to_owned())
        .collect()
}

async fn quote(client: &Client<'_>, customers: &Value) -> Answer {
    client.post("/api/renewals/quote").json(&json!({"customers": customers})).send().await
}

on_both! {
    async fn customers_are_listed_by_when_they_end_within_the_callers_subtree(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        // The clock is at 20 November, 10:00.
        ends(&admin, "ana_app", "2026-11-20").await;
        ends(&admin, "eva_app", "2026-11-20T09:00:00Z").await;
        ends(&admin, "rival_app", "2026-11-23").await;
        let ana = app.sign_in("ana_1").await;
        for (query, of_admin, of_ana) in [
            ("window=EXPIRED", vec!["eva_app"], vec!["eva_app"]),
            ("window=TODAY", vec!["ana_app"], vec!["ana_app"]),
            ("window=DAYS_3", vec!["ana_app", "rival_app"], vec!["ana_app"]),
            ("window=DAYS_3&_sort=-expirationDate", vec!["rival_app", "ana_app"], vec!["ana_app"]),
            ("window=DAYS_30&search=rival", vec!["rival_app"], vec![]),
            ("window=DAYS_30&_page=1&_size=1", vec!["rival_app"], vec![]),
        ] {
            assert_eq!(names(&admin, query).await, of_admin, "{query}");
            assert_eq!(names(&ana, query).await, of_ana, "{query}");
        }
        let counts = async |client: &Client<'_>, query: &str| {
            let counts = client.get(&format!("/api/renewals/counts{query}")).send().await.json();
            counts.as_array().unwrap().iter().map(|one| one["count"].as_u64().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(counts(&admin, "").await, [1, 1, 2, 2, 2]);
        assert_eq!(counts(&ana, "").await, [1, 1, 1, 1, 1]);
        assert_eq!(counts(&admin, "?search=rival").await, [0, 0, 1, 1, 1]);
        assert_eq!(admin.patch("/api/users/ana_app").json(&json!({"language": "en"})).send().await.status, 200);
        let row = admin.get("/api/renewals?window=TODAY").send().await.json()["content"][0].clone();
        assert_eq!(
            row,
            json!({
                "username": "ana_app", "fullName": "Persona ana_app", "email": row["email"], "phoneNumber": row["phoneNumber"],
                "internationalNumber": {"digits": "34600000000", "assumed": false}, "language": "en",
                "status": "ACTIVE", "credits": 0, "expirationDate": "2026-11-20T23:59:59.999Z", "expired": false,
                "registeredBy": "ana_1", "lastContact": null, "snoozedUntil": null,
            })
        );
        for (query, field, code) in [
            ("", "window", "REQUIRED"),
            ("window=SOON", "window", "UNKNOWN_VALUE"),
            ("window=TODAY&_sort=credits", "_sort", "UNKNOWN_SORT_FIELD"),
        ] {
            let answer = ana.get(&format!("/api/renewals?{query}")).send().await;
            assert_eq!((answer.status, answer.field_codes()), (422, vec![(field.into(), code.into())]), "{query}");
        }
    }

    async fn a_quote_has_the_result_or_the_refusal_of_each_sale(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        ends(&admin, "ana_app", "2026-11-30T10:00:00Z").await;
        ends(&admin, "eva_app", "2026-08-31T10:00:00Z").await;
        let stock = json!({"targetUsername": "ana_1", "amount": 5});
        assert_eq!(admin.post("/api/credits/add-for-sale").json(&stock).send().await.status, 201);
        // The end of another agent's customer is not shown.
        ends(&admin, "rival_app", "2026-12-31T10:00:00Z").await;
        let ana = app.sign_in("ana_1").await;
        let before = app.snapshot().await;
        let customers = json!([
            {"username": "ana_app", "months": 3},
            {"username": "rival_app", "months": 1},
            {"username": "eva_app", "months": 1},
            {"username": "eva_1", "months": 1},
        ]);
        let answer = quote(&ana, &customers).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(
            answer.json(),
            json!({
                "stockBefore": 5, "stockAfter": 1,
                "customers": [
                    {"username": "ana_app", "fullName": null, "months": 3, "expirationBefore": "2026-11-30T10:00:00.000Z",
                     "expirationAfter": "2027-02-28T10:00:00.000Z", "refusal": null,
                     "warnings": [{"code": "LOW_STOCK", "message": "Te quedarán menos de 12 créditos para venta."}]},
                    {"username": "rival_app", "fullName": null, "months": 1, "expirationBefore": null, "expirationAfter": null, "warnings": [],
                     "refusal": {"code": "NOT_FOUND", "message": "Usuario no encontrado"}},
                    {"username": "eva_app", "fullName": null, "months": 1, "expirationBefore": "2026-08-31T10:00:00.000Z",
                     "expirationAfter": "2026-09-30T10:00:00.000Z", "refusal": null,
                     "warnings": [
                         {"code": "STILL_EXPIRED", "message": "La suscripción seguirá vencida."},
                         {"code": "LOW_STOCK", "message": "Te quedarán menos de 12 créditos para venta."},
                     ]},
                    {"username": "eva_1", "fullName": null, "months": 1, "expirationBefore": null, "expirationAfter": null, "warnings": [],
                     "refusal": {"code": "WRONG_ROLE", "message": "Esta operación no es para este tipo de usuario"}},
                ],
            })
        );
        assert_eq!(app.snapshot().await, before, "a quote moves nothing");
        let short = quote(&ana, &json!([{"username": "ana_app", "months": 6}])).await.json();
        assert_eq!((&short["stockBefore"], &short["stockAfter"]), (&json!(5), &json!(5)));
        // Who cannot be renewed still has the end that there is.
        assert_eq!(short["customers"][0]["expirationBefore"], "2026-11-30T10:00:00.000Z");
        assert_eq!(
            short["customers"][0]["refusal"],
            json!({"code": "INSUFFICIENT_SALE_CREDITS", "message": "No hay créditos para venta suficientes (saldo: 5)."})
        );
        let by_admin = quote(&admin, &json!([{"username": "ana_app", "months": 6}])).await.json();
        assert_eq!((&by_admin["stockBefore"], &by_admin["stockAfter"]), (&Value::Null, &Value::Null));
        for (customers, code) in [
            (json!([]), "TOO_FEW"),
            (json!([{"username": "ana_app", "months": 1}, {"username": "ANA_APP", "months": 1}]), "DUPLICATE"),
            (json!([{"username": "ana_app", "months": 1201}]), "TOO_LARGE"),
        ] {
            let answer = quote(&ana, &customers).await;
            assert_eq!((answer.status, answer.field_codes()[0].1.as_str()), (422, code));
        }
    }

    async fn a_filter_is_evaluated_by_its_quote_and_another_number_than_was_confirmed_is_not_quoted(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        ends(&admin, "ana_app", "2026-11-21").await;
        ends(&admin, "rival_app", "2026-11-22").await;
        let ana = app.sign_in("ana_1").await;
        let of_all = async |client: &Client<'_>, request: Value| {
            client.post("/api/renewals/quote").json(&request).send().await
        };
        let request = json!({"filter": {"window": "DAYS_7"}, "months": 2, "expectedCount": 2});
        let quoted = of_all(&admin, request.clone()).await;
        assert_eq!(quoted.status, 200, "{}", quoted.text());
        let lines = quoted.json()["customers"].clone();
        let line = |index: usize| (&lines[index]["username"], &lines[index]["fullName"], &lines[index]["months"]);
        assert_eq!(line(0), (&json!("ana_app"), &json!("Persona ana_app"), &json!(2)));
        assert_eq!(line(1), (&json!("rival_app"), &json!("Persona rival_app"), &json!(2)));
        assert_eq!(lines.as_array().unwrap().len(), 2);

        // Of an agent the filter finds its own customers alone.
        let changed = of_all(&ana, request.clone()).await;
        assert_eq!((changed.status, changed.code()), (409, "COUNT_CHANGED".to_owned()));
        assert_eq!(changed.json()["arguments"], json!({"count": 1}));
        // Another tab sells meanwhile: who ends later does not match any more.
        let sale = json!({"targetUsername": "ana_app", "amount": 2});
        assert_eq!(admin.post("/api/credits/add").json(&sale).send().await.status, 201);
        assert_eq!(of_all(&admin, request).await.code(), "COUNT_CHANGED");

        let searched = json!({"filter": {"window": "DAYS_7", "search": "rival", "snoozed": false}});
        let one = of_all(&admin, searched).await.json();
        assert_eq!((&one["customers"][0]["username"], &one["customers"][0]["months"]), (&json!("rival_app"), &json!(1)));
        for (filter, field, code) in [
            (json!({}), "filter.window", "REQUIRED"),
            (json!({"window": "SOON"}), "filter.window", "UNKNOWN_VALUE"),
            (json!({"window": "DAYS_7", "status": "ACTIVE"}), "filter.status", "UNKNOWN_FILTER"),
            (json!({"window": "DAYS_7", "_size": 1000}), "filter._size", "UNKNOWN_FIELD"),
        ] {
            let answer = of_all(&admin, json!({"filter": filter})).await;
            assert_eq!((answer.status, answer.field_codes()), (422, vec![(field.into(), code.into())]), "{filter}");
        }
    }

    async fn what_was_sold_is_found_by_its_keys(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        ends(&admin, "ana_app", "2026-11-30T10:00:00Z").await;
        let stock = json!({"targetUsername": "ana_1", "amount": 3});
        assert_eq!(admin.post("/api/credits/add-for-sale").json(&stock).send().await.status, 201);
        let ana = app.sign_in("ana_1").await;
        let sell = async |target: &str, key: &str| {
            let body = json!({"targetUsername": target, "amount": 2});
            ana.post("/api/credits/add").header("idempotency-key", key).json(&body).send().await
        };
        let sold = sell("ana_app", "key-1").await;
        assert_eq!(sold.status, 201);
        assert_eq!(sell("eva_app", "key-2").await.status, 409);
        let find = async |client: &Client<'_>| {
            let keys = json!({"keys": ["key-2", "key-1", "key-3"]});
            let answer = client.post("/api/renewals/sales").json(&keys).send().await;
            assert_eq!(answer.status, 200, "{}", answer.text());
            answer.json()
        };
        assert_eq!(find(&ana).await, json!([{"key": "key-1", "movement": sold.json()}]));
        assert_eq!(find(&admin).await, json!([]), "keys are the caller's own");
        let answer = ana.post("/api/renewals/sales").json(&json!({"keys": []})).send().await;
        assert_eq!(answer.field_codes(), [("keys".to_owned(), "TOO_FEW".to_owned())]);
    }

    async fn admins_write_the_messages_that_sellers_read(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let ana = app.sign_in("ana_1").await;
        let messages = async || ana.get("/api/renewals/messages").send().await.json();
        let first = messages().await;
        assert_eq!(first.as_array().unwrap().len(), 1, "there is a default message");
        assert!(first[0]["spanish"].as_str().unwrap().contains("{expires}"));
        let draft = json!({"name": "Último día", "spanish": "{name}, vence el {end}.", "english": "{name}, it ends on {end}."});
        let made = admin.create("renewal-messages", &draft).await;
        let found = messages().await;
        assert_eq!(found[1], json!({"id": made["id"], "name": "Último día", "spanish": draft["spanish"], "english": draft["english"]}));
        let searched = admin.get("/api/renewal-messages?search=ultimo").send().await.json();
        assert_eq!(searched["totalElements"], 1);
        assert_eq!(ana.post("/api/renewal-messages").json(&draft).send().await.status, 403);
        let wrong = json!({"name": "Aviso", "spanish": "Hola, {nombre}", "english": "Hello"});
        let answer = admin.post("/api/renewal-messages").json(&wrong).send().await;
        assert_eq!(
            answer.field_messages(),
            [("spanish".to_owned(), "Variable desconocida. Puedes usar {name}, {username}, {end}, {expires}, {months}".to_owned())]
        );
        assert_eq!(admin.delete(&format!("/api/renewal-messages/{}", made["id"])).send().await.status, 204);
        assert_eq!(messages().await, first);
    }
}
