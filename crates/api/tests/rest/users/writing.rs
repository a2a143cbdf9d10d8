//! Users over the API: registration, changes and deletion.

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use super::{agents_with_customers, form, patch, user};
use crate::{
    app::{TestApp, on_both},
    client::new_user,
};

on_both! {
    async fn a_user_is_registered_read_changed_and_removed(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let answer = admin.post("/api/users").json(&new_user("Ana_1", "app")).send().await;
        assert_eq!((answer.status, answer.header("location")), (201, Some("/api/users/Ana_1")));
        assert_eq!(answer.header("etag"), Some("\"1\""));
        let created = answer.json();
        for (field, value) in [
            ("username", json!("Ana_1")),
            ("fullName", json!("Persona Ana_1")),
            ("role", json!({"code": "app", "name": "Usuario"})),
            ("roleCode", json!("app")),
            ("credits", json!(0)),
            ("saleCredits", json!(0)),
            ("expirationDate", json!(null)),
            ("signIns", json!(0)),
            ("status", json!("ACTIVE")),
            ("registeredBy", json!("admin")),
            ("language", json!(null)),
            ("address", json!("Calle 1")),
            ("comment", json!(null)),
            ("version", json!(1)),
        ] {
            assert_eq!(created[field], value, "{field}");
        }
        assert!(!answer.text().contains("\"password\"") && !answer.text().contains("argon2"));
        assert_eq!(user(&admin, "ANA_1").await, created, "usernames ignore case");
        let mut form = form(&created);
        form["fullName"] = json!("Ana Núñez");
        form["language"] = json!("en");
        form["status"] = json!("SUSPENDED");
        let changed = admin.put("/api/users/ana_1").json(&form).send().await;
        assert_eq!((changed.status, changed.header("etag")), (200, Some("\"2\"")));
        assert_eq!((&changed.json()["fullName"], &changed.json()["language"]), (&json!("Ana Núñez"), &json!("en")));
        let whole = admin.put("/api/users/ana_1").json(&changed.json()).send().await;
        assert_eq!(whole.status, 200, "a response can be sent back: {}", whole.text());
        let row = admin.get("/api/users?search=nunez%20&roleCode=app&status=SUSPENDED").send().await.json();
        assert_eq!((&row["totalElements"], &row["content"][0]["username"]), (&json!(1), &json!("Ana_1")));
        assert_eq!(row["content"][0].as_object().unwrap().len(), 12, "rows have the fields of the list: {row}");
        assert_eq!(admin.delete("/api/users/ana_1").send().await.status, 204);
        assert_eq!(admin.get("/api/users/ana_1").send().await.status, 404);
    }

    async fn names_are_unique_in_every_spelling_and_never_change(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let conflict = admin.post("/api/users").json(&new_user("ANA_1", "app")).send().await;
        assert_eq!((conflict.status, conflict.code()), (409, "CONFLICT".into()));
        assert_eq!(conflict.json()["message"], "El nombre de usuario «ANA_1» ya existe.");
        let renamed = patch(&admin, "ana_1", &json!({"username": "ana_2"})).await;
        assert_eq!(renamed.field_messages(), [("username".into(), "El nombre de usuario no se puede cambiar".into())]);
        assert_eq!(patch(&admin, "ana_1", &json!({"username": "ANA_1"})).await.status, 200);
    }

    async fn a_form_with_an_old_version_is_refused_with_the_current_state(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let read = user(&admin, "ana_app").await;
        // Credits change the expiration, which is part of the form.
        let sold = json!({"targetUsername": "ana_app", "amount": 1});
        assert_eq!(admin.post("/api/credits/add").json(&sold).send().await.status, 201);
        let current = user(&admin, "ana_app").await;
        let requested = [
            admin.put("/api/users/ana_app").json(&form(&read)),
            admin.patch("/api/users/ana_app").json(&json!({"fullName": "Otra"})),
            admin.delete("/api/users/ana_app"),
        ];
        for requested in requested {
            let answer = requested.header("if-match", "\"1\"").send().await;
            assert_eq!((answer.status, answer.code()), (412, "VERSION_CONFLICT".into()));
            assert_eq!(answer.json()["current"], current);
        }
        let now = admin.put("/api/users/ana_app").json(&form(&current)).header("if-match", "\"2\"").send().await;
        assert_eq!(now.status, 200);
    }

    async fn a_registration_with_a_key_is_idempotent(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let send = async |body: &Value| admin.post("/api/users").header("idempotency-key", "k").json(body).send().await;
        let first = send(&new_user("nuevo_1", "app")).await;
        assert_eq!((first.status, first.header("idempotency-replayed")), (201, None));
        patch(&admin, "nuevo_1", &json!({"fullName": "Otro"})).await;
        let again = send(&new_user("nuevo_1", "app")).await;
        assert_eq!((again.status, again.header("idempotency-replayed")), (201, Some("true")));
        assert_eq!(again.json(), first.json());
        let other = send(&new_user("nuevo_2", "app")).await;
        assert_eq!((other.status, other.code()), (409, "IDEMPOTENCY_MISMATCH".into()));
        assert_eq!(admin.get("/api/users/nuevo_2").send().await.status, 404);
    }

    async fn an_expiration_is_kept_cleared_or_the_end_of_a_day(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let mut sent = form(&user(&admin, "ana_app").await);
        for (value, expected) in [
            (json!("2027-01-31"), json!("2027-01-31T23:59:59.999Z")),
            (json!("2027-02-01T10:30:00+02:00"), json!("2027-02-01T08:30:00.000Z")),
            (json!(null), json!(null)),
            (json!("2024-02-29"), json!("2024-02-29T23:59:59.999Z")),
        ] {
            sent["expirationDate"] = value.clone();
            let answer = admin.put("/api/users/ana_app").json(&sent).send().await;
            assert_eq!((answer.status, answer.json()["expirationDate"].clone()), (200, expected.clone()), "{value}");
            // Omitted from a replacement or a patch, it stays.
            let mut without = sent.clone();
            without.as_object_mut().unwrap().remove("expirationDate");
            let answer = admin.put("/api/users/ana_app").json(&without).send().await;
            assert_eq!((answer.status, answer.json()["expirationDate"].clone()), (200, expected.clone()));
            let answer = patch(&admin, "ana_app", &json!({"comment": "x"})).await;
            assert_eq!((answer.status, answer.json()["expirationDate"].clone()), (200, expected));
        }
        assert_eq!(user(&admin, "ana_app").await["credits"], 0, "credits are not touched");
        for bad in ["mañana", "2027-02-30", "2027-01-31T10:00:00", "0"] {
            let answer = patch(&admin, "ana_app", &json!({"expirationDate": bad})).await;
            assert_eq!(answer.field_messages(), [("expirationDate".into(), "La fecha de vencimiento no es válida".into())], "{bad}");
        }
    }

    async fn a_status_changed_since_is_not_toggled_with_if_match(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let seen = user(&admin, "ana_1").await;
        assert_eq!(patch(&admin, "ana_1", &json!({"status": "SUSPENDED"})).await.status, 200);
        let tag = format!("\"{}\"", seen["version"]);
        let toggled = admin.patch("/api/users/ana_1/toggle-status").header("if-match", &tag).send().await;
        assert_eq!((toggled.status, &toggled.json()["current"]["status"]), (412, &json!("SUSPENDED")));
        assert_eq!(user(&admin, "ana_1").await["status"], "SUSPENDED");
        let tag = format!("\"{}\"", toggled.json()["current"]["version"]);
        let toggled = admin.patch("/api/users/ana_1/toggle-status").header("if-match", &tag).send().await;
        assert_eq!((toggled.status, &toggled.json()["status"]), (200, &json!("ACTIVE")));
    }

    async fn a_status_is_toggled_as_the_specification_says(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let toggle = async |username: &str| admin.patch(&format!("/api/users/{username}/toggle-status")).send().await;
        assert_eq!(toggle("ana_app").await.json()["status"], "INACTIVE");
        for (language, message) in [
            ("es", "No se puede activar un usuario sin créditos."),
            ("en", "A user without credits cannot be activated."),
        ] {
            for requested in [
                admin.patch("/api/users/ana_app/toggle-status"),
                admin.patch("/api/users/ana_app").json(&json!({"status": "ACTIVE"})),
            ] {
                let answer = requested.header("accept-language", language).send().await;
                assert_eq!((answer.status, answer.code()), (409, "USER_WITHOUT_CREDITS".into()));
                assert_eq!(answer.json()["message"], message);
            }
        }
        let credits = json!({"targetUsername": "ana_app", "amount": 1});
        admin.post("/api/credits/add").json(&credits).send().await;
        assert_eq!(toggle("ana_app").await.json()["status"], "ACTIVE");
        admin.post("/api/credits/deduct").json(&credits).send().await;
        assert_eq!(patch(&admin, "ana_app", &json!({"status": "SUSPENDED"})).await.status, 200);
        assert_eq!(toggle("ana_app").await.json()["status"], "ACTIVE", "suspended users need no credits for activation");
        assert_eq!(toggle("eva_1").await.json()["status"], "INACTIVE");
        assert_eq!(toggle("eva_1").await.json()["status"], "ACTIVE", "nor do agents");
    }

    async fn an_earlier_version_is_read_from_the_history_and_restored_by_an_ordinary_edit(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let (ana, path) = (app.sign_in("ana_1").await, "/api/users/ana_app");
        let change = json!({"fullName": "Dos", "language": "en", "comment": "Paga en efectivo"});
        assert_eq!(patch(&ana, "ana_app", &change).await.status, 200);
        let credits = json!({"targetUsername": "ana_app", "amount": 2});
        assert_eq!(admin.post("/api/credits/add").json(&credits).send().await.status, 201);
        let change = json!({"email": "otra@example.com", "status": "INACTIVE", "expirationDate": "2027-03-31"});
        assert_eq!(patch(&admin, "ana_app", &change).await.status, 200);
        let version = async |number: u32| ana.get(&format!("{path}/history/{number}")).send().await.json();
        let first = json!({
            "fullName": "Persona ana_app", "email": "persona@example.com", "phoneNumber": "+34 600 000 000",
            "language": null, "address": "Calle 1", "comment": null, "roleCode": "app", "status": "ACTIVE", "registeredBy": "ana_1",
        });
        assert_eq!(version(1).await, json!({"version": 1, "content": first}));
        let (two, four) = (version(2).await["content"].clone(), version(4).await["content"].clone());
        assert_eq!((&two["fullName"], &two["email"], &two["status"]), (&json!("Dos"), &first["email"], &json!("ACTIVE")));
        assert_eq!(two["language"], "en");
        assert_eq!((&four["comment"], &four["email"], &four["status"]), (&json!("Paga en efectivo"), &json!("otra@example.com"), &json!("INACTIVE")));
        let history = ana.get(&format!("{path}/history")).send().await.json();
        let created = &history["content"][2];
        assert_eq!((&created["action"], &created["version"], &created["before"]), (&json!("CREATED"), &json!(1), &json!({})));
        assert_eq!(created["after"], json!({
            "fullName": "Persona ana_app", "email": "persona@example.com", "phoneNumber": "+34 600 000 000",
            "address": "Calle 1", "status": "ACTIVE", "roleCode": "app", "registeredBy": "ana_1", "subscriptionStarted": false,
        }));
        for unknown in ["0", "5", "x"] {
            assert_eq!(ana.get(&format!("{path}/history/{unknown}")).send().await.status, 404, "{unknown}");
        }
        let (rival, manager) = (app.sign_in("rival_1").await, app.manager().await);
        for (client, status) in [(&admin, 200), (&rival, 404), (&manager, 403)] {
            assert_eq!(client.get(&format!("{path}/history/1")).send().await.status, status);
        }
        // Restoring is an ordinary edit: based on the version that was read, of the fields of the
        // form.
        let restored = ana.patch(path).header("if-match", "\"4\"").json(&first).send().await;
        assert_eq!(restored.status, 200, "{}", restored.text());
        let restored = restored.json();
        for field in first.as_object().unwrap().keys() {
            assert_eq!(restored[field], first[field], "{field}");
        }
        assert_eq!((&restored["credits"], &restored["expirationDate"]), (&json!(2), &json!("2027-03-31T23:59:59.999Z")));
        let again = ana.patch(path).header("if-match", "\"4\"").json(&first).send().await;
        assert_eq!(again.status, 412);
        // A change without an audit entry: the version before it can't be shown.
        app.run("DELETE FROM audit_entries WHERE item = 'ana_app' AND version = 2").await;
        assert_eq!(ana.get(&format!("{path}/history/4")).send().await.status, 200);
        assert_eq!(ana.get(&format!("{path}/history/1")).send().await.status, 404);
    }

    async fn users_with_ledger_entries_are_not_deleted(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        admin.post("/api/credits/add-for-sale").json(&json!({"targetUsername": "ana_1", "amount": 2})).send().await;
        let answer = admin.delete("/api/users/ana_1").send().await;
        assert_eq!((answer.status, answer.code()), (409, "IN_USE".into()));
        assert_eq!(answer.json()["message"], "No se puede eliminar: tiene 1 movimiento de crédito, 2 usuarios registrados.");
        assert_eq!(admin.get("/api/users/ana_1").send().await.status, 200);
    }
}
