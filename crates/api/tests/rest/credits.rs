//! Credits over the API: operations, refusals with their messages, previews, history, reversals.

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::{Answer, Client},
    users::agents_with_customers,
};

async fn give(client: &Client<'_>, operation: &str, target: &str, amount: i64) -> Answer {
    let body = json!({"targetUsername": target, "amount": amount, "reason": "Prueba"});
    client.post(&format!("/api/credits/{operation}")).json(&body).send().await
}

async fn done(client: &Client<'_>, operation: &str, target: &str, amount: i64) -> Value {
    let answer = give(client, operation, target, amount).await;
    assert_eq!(answer.status, 201, "{operation} {target}: {}", answer.text());
    let movement = answer.json();
    assert_eq!(answer.header("location"), Some(format!("/api/credits/{}", movement["id"]).as_str()));
    movement
}

/// Credits, stock and expiration.
async fn holds(client: &Client<'_>, username: &str) -> Value {
    let user = client.get(&format!("/api/users/{username}")).send().await.json();
    json!([user["credits"], user["saleCredits"], user["expirationDate"]])
}

on_both! {
    #[smoke]
    async fn movements_are_marked_as_reversible_by_the_agent(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        done(&admin, "add-for-sale", "ana_1", 50).await;
        done(&admin, "add", "eva_app", 1).await;
        let ana = app.sign_in("ana_1").await;
        done(&ana, "add", "ana_app", 3).await;
        let until = async || {
            let lines = ana.get("/api/credits/ledger?operation=ADD_CREDITS").send().await.json();
            let of = |line: &Value| (line["targetUser"]["username"].clone(), line["reversibleUntil"].clone());
            lines["content"].as_array().unwrap().iter().map(of).collect::<Vec<_>>()
        };
        let own = (json!("ana_app"), json!("2026-11-20T11:00:00.000Z"));
        assert_eq!(until().await, [own, (json!("eva_app"), Value::Null)]);
        let moved = admin.patch("/api/users/ana_app").json(&json!({"registeredBy": "rival_1"})).send().await;
        assert_eq!(moved.status, 200, "{}", moved.text());
        assert_eq!(until().await, [(json!("ana_app"), Value::Null), (json!("eva_app"), Value::Null)]);
    }

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

    async fn an_operation_returns_its_movement(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let movement = done(&admin, "add", "ana_app", 3).await;
        let expected = json!({
            "id": movement["id"], "operationId": movement["operationId"],
            "operationDate": "2026-11-20T10:00:00.000Z",
            "targetUser": {"username": "ana_app", "fullName": "Persona ana_app"},
            "performedByUser": {"username": "admin", "fullName": "Ana Núñez"},
            "operationType": "ADD_CREDITS", "creditType": "NORMAL", "amount": 3, "balanceBefore": 0, "balanceAfter": 3,
            "reason": "Prueba", "expirationBefore": null, "expirationAfter": "2027-02-20T10:00:00.000Z",
            "reversesOperationId": null, "reversed": false, "imported": false,
        });
        assert_eq!(movement, expected);
        assert_eq!(admin.get(&format!("/api/credits/{}", movement["id"])).send().await.json(), expected);
        assert_eq!(holds(&admin, "ana_app").await, json!([3, 0, "2027-02-20T10:00:00.000Z"]));
        done(&admin, "deduct", "ana_app", 1).await;
        done(&admin, "add-for-sale", "ana_1", 50).await;
        done(&admin, "deduct-for-sale", "ana_1", 20).await;
        let ana = app.sign_in("ana_1").await;
        done(&ana, "add", "eva_app", 2).await;
        done(&ana, "add-for-sale", "eva_1", 10).await;
        done(&ana, "deduct-for-sale", "EVA_1", 4).await;
        assert_eq!(holds(&admin, "ana_app").await, json!([2, 0, "2027-01-20T10:00:00.000Z"]));
        assert_eq!(holds(&ana, "ana_1").await, json!([0, 22, null]));
        assert_eq!(holds(&ana, "eva_1").await, json!([0, 6, null]));
        assert_eq!(holds(&ana, "eva_app").await, json!([2, 0, "2027-01-20T10:00:00.000Z"]));
    }

    async fn a_refused_operation_is_reported_and_moves_nothing(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        done(&admin, "add-for-sale", "ana_1", 5).await;
        done(&admin, "add", "ana_app", 2).await;
        let ana = app.sign_in("ana_1").await;
        let before = app.snapshot().await;
        for (client, operation, target, amount, status, code, spanish) in [
            (&ana, "add", "ana_app", 6, 409, "INSUFFICIENT_SALE_CREDITS", "No hay créditos para venta suficientes (saldo: 5)."),
            (&ana, "add-for-sale", "eva_1", 6, 409, "INSUFFICIENT_SALE_CREDITS", "No hay créditos para venta suficientes (saldo: 5)."),
            (&ana, "deduct-for-sale", "eva_1", 1, 409, "INSUFFICIENT_SALE_CREDITS", "No hay créditos para venta suficientes (saldo: 0)."),
            (&admin, "deduct", "ana_app", 3, 409, "INSUFFICIENT_CREDITS", "No hay créditos suficientes (saldo: 2)."),
            (&ana, "deduct", "ana_app", 1, 403, "FORBIDDEN", ""),
            (&ana, "add-for-sale", "ana_1", 1, 403, "FORBIDDEN", ""),
            (&admin, "add", "superadmin", 1, 403, "FORBIDDEN", ""),
            (&admin, "add", "admin", 1, 403, "FORBIDDEN", ""),
            (&admin, "add", "nadie_1", 1, 404, "NOT_FOUND", "Usuario no encontrado"),
            (&admin, "add", "x", 1, 404, "NOT_FOUND", "Usuario no encontrado"),
        ] {
            let answer = give(client, operation, target, amount).await;
            assert_eq!((answer.status, answer.code()), (status, code.to_owned()), "{operation} {target} {amount}");
            if !spanish.is_empty() {
                assert_eq!(answer.json()["message"], spanish);
            }
        }
        for (operation, target, field, message) in [
            ("add", "ana_1", "targetUsername", "Esta operación no es para este tipo de usuario"),
            ("add", "contentManager", "targetUsername", "Esta operación no es para este tipo de usuario"),
            ("add-for-sale", "ana_app", "targetUsername", "Esta operación no es para este tipo de usuario"),
        ] {
            assert_eq!(give(&admin, operation, target, 1).await.field_messages(), [(field.to_owned(), message.to_owned())]);
        }
        for (operation, amount, spanish, english) in [
            ("add", json!(0), "Por favor, introduce una cantidad válida", "Please enter a valid amount"),
            ("add", json!(-1), "Por favor, introduce una cantidad válida", "Please enter a valid amount"),
            ("add", json!(1.5), "Por favor, introduce una cantidad válida", "Please enter a valid amount"),
            ("add", json!("2"), "Por favor, introduce una cantidad válida", "Please enter a valid amount"),
            ("add", json!(null), "Por favor, introduce una cantidad válida", "Please enter a valid amount"),
            ("add", json!(1201), "La cantidad no puede superar 1200", ""),
            ("add-for-sale", json!(1_000_001), "La cantidad no puede superar 1000000", ""),
        ] {
            let body = json!({"targetUsername": "ana_app", "amount": amount});
            for (language, message) in [("es", spanish), ("en", english)] {
                let requested = admin.post(&format!("/api/credits/{operation}")).header("accept-language", language);
                let reported = requested.json(&body).send().await.field_messages();
                assert_eq!((reported.len(), reported[0].0.as_str()), (1, "amount"), "{amount}");
                let plain = reported[0].1.replace(['.', ',', '\u{a0}', '\u{202f}'], "");
                assert!(message.is_empty() || plain == message.replace(',', ""), "{amount}: {}", reported[0].1);
            }
        }
        let long = json!({"targetUsername": "ana_app", "amount": 1, "reason": "x".repeat(501)});
        let reported = admin.post("/api/credits/add").json(&long).send().await.field_messages();
        assert_eq!(reported, [("reason".to_owned(), "El motivo no puede superar los 500 caracteres".to_owned())]);
        assert_eq!(app.snapshot().await, before);
    }

    async fn the_performer_is_the_signed_in_user(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let body = json!({"targetUsername": "ana_app", "amount": 1, "performedByUser": "superadmin"});
        let answer = admin.post("/api/credits/add").json(&body).send().await;
        assert_eq!(answer.field_codes(), [("performedByUser".to_owned(), "UNKNOWN_FIELD".to_owned())]);
    }

    async fn a_preview_equals_the_operation(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        done(&admin, "add-for-sale", "ana_1", 14).await;
        let ana = app.sign_in("ana_1").await;
        let late = json!({"expirationDate": "2026-01-31T10:00:00.000Z", "status": "SUSPENDED"});
        assert_eq!(admin.patch("/api/users/ana_app").json(&late).send().await.status, 200);
        let before = app.snapshot().await;
        let order = json!({"operationType": "ADD_CREDITS", "targetUsername": "ana_app", "amount": 3});
        let quote = ana.post("/api/credits/quote").json(&order).send().await;
        assert_eq!(quote.status, 200, "{}", quote.text());
        let quote = quote.json();
        assert_eq!(
            quote,
            json!({
                "operationType": "ADD_CREDITS", "targetUsername": "ana_app", "amount": 3, "balanceBefore": 0,
                "balanceAfter": 3, "expirationBefore": "2026-01-31T10:00:00.000Z", "expirationAfter": "2026-04-30T10:00:00.000Z",
                "payer": {"username": "ana_1", "balanceBefore": 14, "balanceAfter": 11}, "startsSubscription": false,
                "warnings": [
                    {"code": "STILL_EXPIRED", "message": "La suscripción seguirá vencida."},
                    {"code": "TARGET_NOT_ACTIVE", "message": "La cuenta no está activa: los créditos no la activan."},
                    {"code": "LOW_STOCK", "message": "Te quedarán menos de 12 créditos para venta."},
                ],
            })
        );
        assert_eq!(app.snapshot().await, before, "a preview moves nothing");
        let movement = done(&ana, "add", "ana_app", 3).await;
        for field in ["balanceBefore", "balanceAfter", "expirationBefore", "expirationAfter"] {
            assert_eq!(movement[field], quote[field], "{field}");
        }
        for (client, operation, amount, status) in
            [(&ana, "DEDUCT_CREDITS", 1, 403), (&ana, "ADD_CREDITS", 12, 409), (&admin, "DEDUCT_CREDITS", 4, 409), (&admin, "ADD_CREDITS", 0, 422)]
        {
            let order = json!({"operationType": operation, "targetUsername": "ana_app", "amount": amount});
            assert_eq!(client.post("/api/credits/quote").json(&order).send().await.status, status, "{operation} {amount}");
        }
    }

    #[smoke]
    async fn an_operation_with_a_key_is_idempotent(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let send = async |key: &str, operation: &str, amount: i64| {
            let body = json!({"targetUsername": "ana_app", "amount": amount});
            admin.post(&format!("/api/credits/{operation}")).header("idempotency-key", key).json(&body).send().await
        };
        let first = send("k", "add", 2).await;
        assert_eq!((first.status, first.header("idempotency-replayed")), (201, None));
        let again = send("k", "add", 2).await;
        assert_eq!((again.status, again.header("idempotency-replayed")), (201, Some("true")));
        assert_eq!((again.json(), again.header("location")), (first.json(), first.header("location")));
        for (operation, amount) in [("add", 3), ("deduct", 2)] {
            let other = send("k", operation, amount).await;
            assert_eq!((other.status, other.code()), (409, "IDEMPOTENCY_MISMATCH".into()), "{operation}");
        }
        assert_eq!(send("k2", "add", 2).await.status, 201);
        assert_eq!(holds(&admin, "ana_app").await[0], 4);
        let back = async |key: &str| {
            let path = format!("/api/credits/{}/reverse", first.json()["id"]);
            admin.post(&path).header("idempotency-key", key).send().await
        };
        let (one, two) = (back("r").await, back("r").await);
        assert_eq!((one.status, two.status, two.json()), (201, 201, one.json()));
        assert_eq!(back("r2").await.status, 409);
        for bad in ["", "con espacio", &"x".repeat(201)] {
            assert_eq!(send(bad, "add", 1).await.status, 422, "{bad}");
        }
        assert_eq!(holds(&admin, "ana_app").await[0], 2);
    }

    async fn a_sale_for_another_end_than_was_confirmed_is_refused(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let quote = json!({"operationType": "ADD_CREDITS", "targetUsername": "ana_app", "amount": 1});
        let quote = admin.post("/api/credits/quote").json(&quote).send().await.json();
        let send = async |key: &str, end: &Value| {
            let expected = json!({"expirationDate": end});
            let body = json!({"targetUsername": "ana_app", "amount": 1, "expected": expected});
            admin.post("/api/credits/add").header("idempotency-key", key).json(&body).send().await
        };
        let seen = &quote["expirationBefore"];
        let sold = send("k", seen).await;
        assert_eq!(sold.status, 201, "{}", sold.text());
        let movement = sold.json();
        let now = &movement["expirationAfter"];
        let refused = send("other", seen).await;
        assert_eq!((refused.status, refused.code().as_str()), (409, "EXPIRATION_CHANGED"));
        assert_eq!(&refused.json()["arguments"]["expirationDate"], now);
        assert_eq!(refused.json()["message"], "El vencimiento ha cambiado mientras tanto y no se ha hecho nada. Revísalo de nuevo.");
        // A completed sale has its first answer, regardless of the expected values now.
        for end in [seen, now, &json!("2020-01-01T00:00:00.000Z")] {
            let again = send("k", end).await;
            assert_eq!((again.status, again.header("idempotency-replayed")), (201, Some("true")));
            assert_eq!(again.json(), movement);
        }
        assert_eq!(send("other", now).await.status, 201);
        assert_eq!(holds(&admin, "ana_app").await[0], 2);
    }

    async fn an_admin_reverses_an_operation_once(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        done(&admin, "add-for-sale", "ana_1", 10).await;
        let ana = app.sign_in("ana_1").await;
        let before = (holds(&admin, "ana_1").await, holds(&admin, "ana_app").await);
        let sale = done(&ana, "add", "ana_app", 4).await;
        let path = format!("/api/credits/{}/reverse", sale["id"]);
        let eva = app.sign_in("eva_1").await;
        assert_eq!(eva.post(&path).json(&json!({})).send().await.status, 404, "outside of its subtree");
        let back = admin.post(&path).json(&json!({"reason": "Error"})).send().await;
        assert_eq!(back.status, 201, "{}", back.text());
        let back = back.json();
        assert_eq!((&back["operationType"], &back["reason"]), (&json!("DEDUCT_CREDITS"), &json!("Error")));
        assert_eq!(back["reversesOperationId"], sale["operationId"]);
        let columns = "columns=operationId,reversesOperationId&language=en";
        let file = admin.get(&format!("/api/spreadsheets/credits?{columns}")).send().await.text();
        assert!(file.contains("\"Operation no.\",\"Reverses no.\""), "{file}");
        let row = format!("\"{}\",\"{}\"", back["operationId"], sale["operationId"]);
        assert!(file.lines().any(|line| line == row), "{file}");
        assert!(file.contains(&format!("\"{}\",\"\"", sale["operationId"])), "{file}");
        assert_eq!((holds(&admin, "ana_1").await, holds(&admin, "ana_app").await), before);
        assert_eq!(admin.get(&format!("/api/credits/{}", sale["id"])).send().await.json()["reversed"], true);
        for (id, message) in [
            (&sale["id"], "Este movimiento ya se revirtió."),
            (&back["id"], "Una reversión no se puede revertir."),
        ] {
            let answer = admin.post(&format!("/api/credits/{id}/reverse")).send().await;
            assert_eq!((answer.status, answer.code()), (409, "CONFLICT".into()));
            assert_eq!(answer.json()["message"], message);
        }
        let missing = admin.post("/api/credits/4711/reverse").send().await;
        assert_eq!((missing.status, missing.json()["message"].clone()), (404, json!("Movimiento no encontrado")));
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

    async fn a_suspended_agent_sells_nothing(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        done(&admin, "add-for-sale", "ana_1", 10).await;
        let ana = app.sign_in("ana_1").await;
        done(&ana, "add", "ana_app", 1).await;
        assert_eq!(admin.patch("/api/users/ana_1/toggle-status").send().await.json()["status"], "INACTIVE");
        let answer = give(&ana, "add", "ana_app", 1).await;
        assert_eq!((answer.status, answer.code()), (401, "NOT_AUTHENTICATED".into()));
        assert_eq!(holds(&admin, "ana_1").await, json!([0, 9, null]));
    }

    async fn an_agent_reverses_its_own_sale_within_an_hour(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        done(&admin, "add-for-sale", "ana_1", 20).await;
        let ana = app.sign_in("ana_1").await;
        let reverse = async |client: &Client<'_>, movement: &Value| {
            client.post(&format!("/api/credits/{}/reverse", movement["id"])).json(&json!({"reason": "Error"})).send().await
        };
        let sale = done(&ana, "add", "ana_app", 4).await;
        let back = reverse(&ana, &sale).await;
        assert_eq!(back.status, 201, "{}", back.text());
        assert_eq!((&back.json()["reversesOperationId"], &back.json()["reason"]), (&sale["operationId"], &json!("Error")));
        assert_eq!((holds(&ana, "ana_1").await, holds(&ana, "ana_app").await), (json!([0, 20, null]), json!([0, 0, null])));

        let moved = done(&ana, "add", "ana_app", 4).await;
        done(&admin, "add", "ana_app", 1).await;
        let old = done(&ana, "add", "eva_app", 2).await;
        let handed = done(&ana, "add-for-sale", "eva_1", 2).await;
        let created = done(&admin, "add", "eva_app", 1).await;
        app.clock.forward(chrono::TimeDelta::minutes(61));
        let late = done(&ana, "add", "ana_app", 1).await;
        done(&admin, "add", "ana_app", 1).await;
        for (movement, status, code, spanish, english) in [
            (&late, 409, "MOVED_SINCE", "han cambiado desde la venta", "have changed since the sale"),
            (&moved, 409, "REVERSAL_TOO_LATE", "más de 60 minutos", "More than 60 minutes"),
            (&old, 409, "REVERSAL_TOO_LATE", "más de 60 minutos", "More than 60 minutes"),
            (&handed, 403, "FORBIDDEN", "", ""),
            (&created, 403, "FORBIDDEN", "", ""),
        ] {
            for (language, message) in [("es", spanish), ("en", english)] {
                let path = format!("/api/credits/{}/reverse", movement["id"]);
                let answer = ana.post(&path).header("accept-language", language).json(&json!({})).send().await;
                assert_eq!((answer.status, answer.code()), (status, code.into()), "{movement}");
                assert!(answer.json()["message"].as_str().unwrap().contains(message), "{}", answer.text());
            }
        }
        assert_eq!(reverse(&admin, &old).await.status, 201);
    }

    async fn a_declined_request_does_not_approve_the_next_one(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        done(&admin, "add-for-sale", "ana_1", 20).await;
        let ana = app.sign_in("ana_1").await;
        let sale = done(&ana, "add", "ana_app", 4).await;
        let path = format!("/api/credits/{}/reversal-requests", sale["id"]);
        let first = ana.post(&path).json(&json!({})).send().await.json();
        let decide = async |verdict: &str| {
            let path = format!("/api/credits/reversal-requests/{}/{verdict}", first["id"]);
            admin.post(&path).json(&json!({})).send().await.status
        };
        assert_eq!(decide("decline").await, 200);
        let second = ana.post(&path).json(&json!({})).send().await.json();
        assert_eq!(decide("approve").await, 409);
        let list = admin.get("/api/credits/reversal-requests").send().await.json();
        assert_eq!((&list["content"][0]["id"], &list["content"][0]["status"]), (&second["id"], &json!("PENDING")), "{list}");
        let customer = admin.get("/api/users/ana_app").send().await.json();
        assert_eq!(customer["credits"], 4);
    }

    async fn an_agent_requests_reversals_that_it_may_not_make(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        done(&admin, "add-for-sale", "ana_1", 20).await;
        let (ana, eva) = (app.sign_in("ana_1").await, app.sign_in("eva_1").await);
        let sale = done(&ana, "add", "ana_app", 4).await;
        let second = done(&ana, "add", "eva_app", 2).await;
        let request_reversal = async |client: &Client<'_>, movement: &Value| {
            let path = format!("/api/credits/{}/reversal-requests", movement["id"]);
            client.post(&path).json(&json!({"reason": "Era para otra persona"})).send().await
        };
        let decide = async |client: &Client<'_>, request: &Value, verdict: &str| {
            let path = format!("/api/credits/reversal-requests/{}/{verdict}", request["id"]);
            client.post(&path).json(&json!({"reason": "Revisado"})).send().await
        };
        let list = async |client: &Client<'_>, query: &str| {
            let answer = client.get(&format!("/api/credits/reversal-requests{query}")).send().await;
            assert_eq!(answer.status, 200, "{}", answer.text());
            answer.json()
        };
        let requested = request_reversal(&ana, &sale).await;
        assert_eq!(requested.status, 201, "{}", requested.text());
        let requested = requested.json();
        assert_eq!(requested, json!({
            "id": requested["id"], "status": "PENDING", "reason": "Era para otra persona", "note": null,
            "requestedBy": {"username": "ana_1", "fullName": "Persona ana_1"}, "requestedDate": "2026-11-20T10:00:00.000Z",
            "movementId": sale["id"], "operationId": sale["operationId"], "operationDate": "2026-11-20T10:00:00.000Z",
            "targetUser": {"username": "ana_app", "fullName": "Persona ana_app"}, "amount": 4,
            "decidedBy": null, "decidedDate": null,
        }));
        for (language, message) in [("es", "falta que un administrador decida"), ("en", "an admin has yet to decide")] {
            let path = format!("/api/credits/{}/reversal-requests", sale["id"]);
            let again = ana.post(&path).header("accept-language", language).send().await;
            assert_eq!((again.status, again.code()), (409, "CONFLICT".into()));
            assert!(again.text().contains(message), "{}", again.text());
        }
        assert_eq!(request_reversal(&eva, &sale).await.status, 404);
        assert_eq!(request_reversal(&admin, &second).await.status, 403);
        assert_eq!(decide(&ana, &requested, "approve").await.status, 403);
        assert_eq!(decide(&admin, &json!({"id": 4711}), "approve").await.status, 404);
        assert_eq!(decide(&admin, &json!({"id": 4711}), "decline").await.status, 404);
        let keyed = async |client: &Client<'_>, path: &str, reason: &str| {
            let path = format!("/api/credits/{path}");
            let answer = client.post(&path).header("idempotency-key", "k-1").json(&json!({"reason": reason})).send().await;
            (answer.status, answer.header("idempotency-replayed").is_some(), answer.json()["id"].clone())
        };
        let path = format!("{}/reversal-requests", second["id"]);
        let (_, _, second_id) = keyed(&ana, &path, "a").await;
        assert_eq!(keyed(&ana, &path, "a").await, (201, true, second_id.clone()), "the response was lost");
        assert_eq!(keyed(&ana, &path, "b").await.0, 409, "another request under the key");
        let second = json!({"id": second_id, "movementId": second["id"]});
        assert_eq!(list(&admin, "?status=PENDING").await["totalElements"], 2);
        assert_eq!((&list(&ana, "").await["totalElements"], &list(&eva, "").await["totalElements"]), (&json!(2), &json!(0)));

        let path = format!("reversal-requests/{}/approve", requested["id"]);
        let (status, replayed, movement) = keyed(&admin, &path, "Revisado").await;
        assert_eq!((status, replayed), (201, false));
        assert_eq!(keyed(&admin, &path, "Revisado").await, (201, true, movement.clone()), "the response was lost");
        let approved = admin.get(&format!("/api/credits/{movement}")).send().await.json();
        assert_eq!((&approved["reversesOperationId"], &approved["reason"]), (&sale["operationId"], &json!("Revisado")));
        let declined = decide(&admin, &second, "decline").await;
        assert_eq!((declined.status, &declined.json()["status"], &declined.json()["note"]), (200, &json!("DECLINED"), &json!("Revisado")));
        assert_eq!(holds(&ana, "ana_1").await, json!([0, 18, null]));
        let all = list(&ana, "").await;
        let states: Vec<_> = all["content"].as_array().unwrap().iter().map(|one| (&one["status"], &one["decidedBy"]["username"])).collect();
        assert_eq!(states, [(&json!("DECLINED"), &json!("admin")), (&json!("APPROVED"), &json!("admin"))]);
        for request in [&requested, &second] {
            for verdict in ["approve", "decline"] {
                let late = decide(&admin, request, verdict).await;
                assert_eq!((late.status, late.code()), (409, "CONFLICT".into()));
                assert_eq!(late.json()["message"], "Esta solicitud ya está decidida.");
            }
        }
        // A sale whose request was declined can be requested again; any reversal of it completes
        // the request.
        let again = request_reversal(&ana, &json!({"id": second["movementId"]})).await;
        assert_eq!(again.status, 201, "{}", again.text());
        assert_eq!(admin.post(&format!("/api/credits/{}/reverse", second["movementId"])).send().await.status, 201);
        assert_eq!(list(&admin, "?status=PENDING").await["totalElements"], 0);
        assert_eq!(request_reversal(&ana, &json!({"id": second["movementId"]})).await.status, 409);
    }

    async fn content_managers_and_subscribers_are_refused(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let id = done(&admin, "add", "ana_app", 1).await["id"].clone();
        for role in [RoleCode::ContentManager, RoleCode::App] {
            let client = app.sign_in_as(role).await;
            for operation in ["add", "deduct", "add-for-sale", "deduct-for-sale"] {
                assert_eq!(give(&client, operation, "ana_app", 1).await.status, 403);
            }
            for path in [String::new(), format!("/{id}"), "/history/ana_app".into(), "/history/ana_app/recent".into()] {
                assert_eq!(client.get(&format!("/api/credits{path}")).send().await.status, 403, "{path}");
            }
            assert_eq!(client.post(&format!("/api/credits/{id}/reverse")).send().await.status, 403);
        }
        assert_eq!(holds(&admin, "ana_app").await[0], 1);
    }
}
