//! Credits and credits for sale: movements, refusals with their messages, previews, idempotency.

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use super::{done, give, holds};
use crate::{
    app::{TestApp, on_both},
    users::agents_with_customers,
};

on_both! {
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
