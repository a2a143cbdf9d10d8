//! Reversals by admins and agents, and requests for those that agents may not make.

use serde_json::{Value, json};

use super::{done, holds};
use crate::{
    app::{TestApp, on_both},
    client::Client,
    users::agents_with_customers,
};

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
}
