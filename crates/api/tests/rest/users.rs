//! Users from outside: what forms ask, who may do what to whom, what ends sessions, one's own password.

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp, on_both},
    client::{Answer, Asked, Client, new_user},
};

/// ana_1 with ana_app and eva_1, who has eva_app; and a rival with one of its own.
pub async fn families(app: &TestApp) -> Client<'_> {
    let admin = app.sign_in_as(RoleCode::Admin).await;
    admin.register("ana_1", "agent").await;
    admin.register("rival_1", "agent").await;
    let ana = app.sign_in("ana_1").await;
    ana.register("ana_app", "app").await;
    ana.register("eva_1", "agent").await;
    app.sign_in("eva_1").await.register("eva_app", "app").await;
    app.sign_in("rival_1").await.register("rival_app", "app").await;
    admin
}

async fn user(client: &Client<'_>, username: &str) -> Value {
    let answer = client.get(&format!("/api/users/{username}")).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

async fn patch(client: &Client<'_>, username: &str, change: &Value) -> Answer {
    client.patch(&format!("/api/users/{username}")).json(change).send().await
}

/// What a form that was read sends back.
fn form(user: &Value) -> Value {
    let mut form = json!({});
    for field in [
        "username",
        "fullName",
        "email",
        "phoneNumber",
        "address",
        "comment",
        "roleCode",
        "expirationDate",
        "status",
    ] {
        form[field] = user[field].clone();
    }
    form
}

async fn is_in(client: &Client<'_>) -> bool {
    match client.post("/api/auth/refresh").send().await.status {
        200 => true,
        401 => false,
        other => panic!("{other}"),
    }
}

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
            ("address", json!("Calle 1")),
            ("comment", json!(null)),
            ("version", json!(1)),
        ] {
            assert_eq!(created[field], value, "{field}");
        }
        assert!(!answer.text().contains("\"password\"") && !answer.text().contains("argon2"));
        assert_eq!(user(&admin, "ANA_1").await, created, "any spelling finds them");
        let mut form = form(&created);
        form["fullName"] = json!("Ana Núñez");
        form["status"] = json!("SUSPENDED");
        let changed = admin.put("/api/users/ana_1").json(&form).send().await;
        assert_eq!((changed.status, changed.header("etag")), (200, Some("\"2\"")));
        assert_eq!(changed.json()["fullName"], "Ana Núñez");
        let whole = admin.put("/api/users/ana_1").json(&changed.json()).send().await;
        assert_eq!(whole.status, 200, "what was read can be sent back: {}", whole.text());
        let row = admin.get("/api/users?search=nunez%20&roleCode=app&status=SUSPENDED").send().await.json();
        assert_eq!((&row["totalElements"], &row["content"][0]["username"]), (&json!(1), &json!("Ana_1")));
        assert_eq!(row["content"][0].as_object().unwrap().len(), 11, "rows carry what the list shows: {row}");
        assert_eq!(admin.delete("/api/users/ana_1").send().await.status, 204);
        assert_eq!(admin.get("/api/users/ana_1").send().await.status, 404);
    }

    async fn names_are_unique_in_every_spelling_and_never_change(app: &TestApp) {
        let admin = families(app).await;
        let taken = admin.post("/api/users").json(&new_user("ANA_1", "app")).send().await;
        assert_eq!((taken.status, taken.code()), (409, "CONFLICT".into()));
        assert_eq!(taken.json()["message"], "El nombre de usuario «ANA_1» ya existe.");
        let renamed = patch(&admin, "ana_1", &json!({"username": "ana_2"})).await;
        assert_eq!(renamed.told(), [("username".into(), "El nombre de usuario no se puede cambiar".into())]);
        assert_eq!(patch(&admin, "ana_1", &json!({"username": "ANA_1"})).await.status, 200);
    }

    async fn a_form_from_an_old_version_is_refused_and_shows_what_is_there(app: &TestApp) {
        let admin = families(app).await;
        let read = user(&admin, "ana_app").await;
        // Credits move the expiration, which the form holds.
        let sold = json!({"targetUsername": "ana_app", "amount": 1});
        assert_eq!(admin.post("/api/credits/add").json(&sold).send().await.status, 201);
        let current = user(&admin, "ana_app").await;
        let asked = [
            admin.put("/api/users/ana_app").json(&form(&read)),
            admin.patch("/api/users/ana_app").json(&json!({"fullName": "Otra"})),
            admin.delete("/api/users/ana_app"),
        ];
        for asked in asked {
            let answer = asked.header("if-match", "\"1\"").send().await;
            assert_eq!((answer.status, answer.code()), (412, "VERSION_CONFLICT".into()));
            assert_eq!(answer.json()["current"], current);
        }
        let now = admin.put("/api/users/ana_app").json(&form(&current)).header("if-match", "\"2\"").send().await;
        assert_eq!(now.status, 200);
    }

    async fn a_registration_with_a_key_is_done_once(app: &TestApp) {
        let admin = families(app).await;
        let ask = async |body: &Value| admin.post("/api/users").header("idempotency-key", "k").json(body).send().await;
        let first = ask(&new_user("nuevo_1", "app")).await;
        assert_eq!((first.status, first.header("idempotency-replayed")), (201, None));
        patch(&admin, "nuevo_1", &json!({"fullName": "Otro"})).await;
        let again = ask(&new_user("nuevo_1", "app")).await;
        assert_eq!((again.status, again.header("idempotency-replayed")), (201, Some("true")));
        assert_eq!(again.json(), first.json());
        let other = ask(&new_user("nuevo_2", "app")).await;
        assert_eq!((other.status, other.code()), (409, "IDEMPOTENCY_MISMATCH".into()));
        assert_eq!(admin.get("/api/users/nuevo_2").send().await.status, 404);
    }

    async fn an_expiration_is_kept_cleared_or_the_end_of_a_day(app: &TestApp) {
        let admin = families(app).await;
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
            // Left out, it stays; merged, too.
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
            assert_eq!(answer.told(), [("expirationDate".into(), "La fecha de vencimiento no es válida".into())], "{bad}");
        }
    }

    #[smoke]
    async fn outside_its_subtree_nobody_exists_for_an_agent(app: &TestApp) {
        let admin = families(app).await;
        let mint = json!({"targetUsername": "rival_app", "amount": 2});
        let movement = admin.post("/api/credits/add").json(&mint).send().await.json()["id"].clone();
        let ana = app.sign_in("ana_1").await;
        assert_eq!(ana.count("users").await, 3);
        let before = app.everything().await;
        for hidden in ["rival_app", "rival_1", "admin", "superadmin", "nobody", "agent"] {
            let edit = form(&new_user(hidden, "app"));
            let credits = json!({"targetUsername": hidden, "amount": 1});
            let mut change = edit.clone();
            change["status"] = json!("SUSPENDED");
            for asked in [
                ana.get(&format!("/api/users/{hidden}")),
                ana.put(&format!("/api/users/{hidden}")).json(&change),
                ana.patch(&format!("/api/users/{hidden}")).json(&json!({"fullName": "Mío"})),
                ana.patch(&format!("/api/users/{hidden}/toggle-status")),
                ana.post("/api/credits/add").json(&credits),
                ana.post("/api/credits/add-for-sale").json(&credits),
                ana.post("/api/credits/deduct-for-sale").json(&credits),
                ana.post("/api/credits/quote")
                    .json(&json!({"targetUsername": hidden, "amount": 1, "operationType": "ADD_CREDITS"})),
                ana.get(&format!("/api/credits?username={hidden}")),
                ana.get(&format!("/api/credits/history/{hidden}")),
                ana.get(&format!("/api/credits/history/{hidden}/recent")),
                ana.get(&format!("/api/credits/history/{hidden}/count")),
                ana.get(&format!("/api/credits/{movement}")),
            ] {
                let answer = asked.send().await;
                assert_eq!((answer.status, answer.code()), (404, "NOT_FOUND".into()), "{hidden}: {}", answer.text());
            }
            // (Roles are found by their names: of those there are some.)
            let hidden = if hidden == "agent" { "nunez" } else { hidden };
            let search = ana.get(&format!("/api/users?search={hidden}")).send().await.json();
            assert_eq!(search["totalElements"], 0, "{hidden}");
        }
        assert_eq!(ana.delete("/api/users/rival_app").send().await.status, 403, "agents remove nobody");
        assert_eq!(ana.get("/api/credits?search=rival").send().await.json()["totalElements"], 0);
        let english = ana.get("/api/users/rival_app").header("accept-language", "en").send().await.json();
        assert_eq!(english["message"], "User not found");
        assert_eq!(ana.get("/api/users/rival_app").send().await.json()["message"], "Usuario no encontrado");
        assert_eq!(app.everything().await, before);
        for seen in ["ana_1", "ana_app", "eva_1", "eva_app", "EVA_APP"] {
            assert_eq!(ana.get(&format!("/api/users/{seen}")).send().await.status, 200, "{seen}");
            assert_eq!(ana.get(&format!("/api/credits/history/{seen}/count")).send().await.status, 200, "{seen}");
        }
    }

    async fn an_agent_keeps_its_users_and_sets_neither_role_nor_expiration(app: &TestApp) {
        let admin = families(app).await;
        patch(&admin, "eva_app", &json!({"expirationDate": "2027-01-31"})).await;
        let ana = app.sign_in("ana_1").await;
        for (username, change, status) in [
            ("eva_app", json!({"fullName": "Eva Nueva", "status": "INACTIVE"}), 200),
            ("eva_app", json!({"status": "SUSPENDED"}), 403),
            ("eva_app", json!({"roleCode": "app", "expirationDate": "2027-01-31"}), 200),
            ("eva_app", json!({"roleCode": "agent"}), 403),
            ("eva_app", json!({"roleCode": "superadmin"}), 403),
            ("eva_app", json!({"expirationDate": null}), 403),
            ("eva_app", json!({"expirationDate": "2030-01-31"}), 403),
            ("eva_1", json!({"status": "INACTIVE"}), 200),
            ("eva_1", json!({"status": "ACTIVE"}), 200),
            ("eva_1", json!({"roleCode": "admin"}), 403),
            ("ana_1", json!({"fullName": "Yo"}), 403),
            ("ana_1", json!({"saleCredits": 99}), 403),
        ] {
            let before = user(&admin, username).await;
            let answer = patch(&ana, username, &change).await;
            assert_eq!(answer.status, status, "{username} {change}: {}", answer.text());
            if status == 403 {
                assert_eq!(user(&admin, username).await, before);
                let mut form = form(&before);
                for (field, value) in change.as_object().unwrap() {
                    form[field] = value.clone();
                }
                assert_eq!(ana.put(&format!("/api/users/{username}")).json(&form).send().await.status, 403);
                assert_eq!(user(&admin, username).await, before);
            }
        }
        // Their form without the expiration, as the panel of an agent sends it.
        let mut form = form(&user(&ana, "eva_app").await);
        form.as_object_mut().unwrap().remove("expirationDate");
        let answer = ana.put("/api/users/eva_app").json(&form).send().await;
        assert_eq!((answer.status, answer.json()["expirationDate"].clone()), (200, json!("2027-01-31T23:59:59.999Z")));
        let balances = patch(&ana, "eva_app", &json!({"credits": 99, "saleCredits": 99})).await;
        assert_eq!(balances.status, 200, "what the server adds is ignored");
        assert_eq!((&balances.json()["credits"], &balances.json()["saleCredits"]), (&json!(0), &json!(0)));
        for role in ["admin", "superadmin", "contentManager"] {
            assert_eq!(ana.post("/api/users").json(&new_user("nuevo_1", role)).send().await.status, 403, "{role}");
        }
        assert_eq!(user(&ana, "ana_app").await["registeredBy"], "ana_1");
    }

    async fn nobody_manages_those_above_nor_themselves(app: &TestApp) {
        let admin = families(app).await;
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        boss.register("boss_2", "superadmin").await;
        admin.register("admin_2", "admin").await;
        let before = app.everything().await;
        for (client, username, change) in [
            (&admin, "boss_2", json!({"fullName": "Otro"})),
            (&admin, "boss_2", json!({"status": "SUSPENDED"})),
            (&admin, "boss_2", json!({"roleCode": "app"})),
            (&admin, "ana_1", json!({"roleCode": "superadmin"})),
            (&admin, "admin", json!({"roleCode": "superadmin"})),
            (&admin, "admin", json!({"roleCode": "app"})),
            (&admin, "admin", json!({"status": "INACTIVE"})),
            (&boss, "superadmin", json!({"roleCode": "admin"})),
            (&boss, "superadmin", json!({"status": "SUSPENDED"})),
        ] {
            let answer = patch(client, username, &change).await;
            assert_eq!((answer.status, answer.code()), (403, "FORBIDDEN".into()), "{username} {change}");
        }
        for (client, username) in [(&admin, "boss_2"), (&admin, "admin"), (&boss, "superadmin")] {
            let path = format!("/api/users/{username}");
            assert_eq!(client.patch(&format!("{path}/toggle-status")).send().await.status, 403, "{username}");
            assert_eq!(client.delete(&path).send().await.status, 403, "{username}");
        }
        assert_eq!(admin.post("/api/users").json(&new_user("boss_3", "superadmin")).send().await.status, 403);
        // A role that one may not give is refused before anything that is wrong besides.
        assert_eq!(admin.post("/api/users").json(&json!({"roleCode": "superadmin"})).send().await.status, 403);
        assert_eq!(patch(&admin, "ana_1", &json!({"roleCode": "superadmin", "email": "x"})).await.status, 403);
        assert_eq!(app.everything().await, before);
        let own = json!({"fullName": "Yo misma", "email": "yo@example.com", "phoneNumber": "12345678"});
        assert_eq!(patch(&admin, "admin", &own).await.status, 200, "the rest of one's own is");
        assert_eq!(patch(&admin, "admin_2", &json!({"roleCode": "agent"})).await.status, 200, "equals manage each other");
        assert_eq!(patch(&boss, "boss_2", &json!({"roleCode": "app"})).await.status, 200);
    }

    async fn a_role_in_another_spelling_is_no_way_around(app: &TestApp) {
        let admin = families(app).await;
        let ana = app.sign_in("ana_1").await;
        let before = app.everything().await;
        for spelling in [" superadmin", "superadmin ", "Superadmin", "SUPERADMIN", "superadmin\u{200b}", "\tsuperadmin\n"] {
            for client in [&ana, &admin] {
                let created = client.post("/api/users").json(&new_user("nuevo_1", spelling)).send().await;
                let edited = patch(client, "ana_app", &json!({"roleCode": spelling})).await;
                for status in [created.status, edited.status] {
                    assert!([403, 422].contains(&status), "{spelling:?}: {status}");
                }
            }
        }
        for spelling in [" SUSPENDED", "suspended", "INACTIVE "] {
            let own = json!({"status": spelling, "email": "yo@example.com", "phoneNumber": "12345678"});
            let status = patch(&admin, "admin", &own).await.status;
            assert!([403, 422].contains(&status), "{spelling:?}: {status}");
        }
        assert_eq!(app.everything().await, before);
    }

    async fn some_superadmin_stays_active(app: &TestApp) {
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        boss.register("boss_2", "superadmin").await;
        let second = app.sign_in("boss_2").await;
        assert_eq!(second.patch("/api/users/superadmin/toggle-status").send().await.json()["status"], "INACTIVE");
        assert_eq!(boss.patch("/api/users/boss_2/toggle-status").send().await.status, 401, "who is inactive does nothing");
        assert_eq!(second.patch("/api/users/boss_2/toggle-status").send().await.status, 403);
        assert_eq!(user(&second, "boss_2").await["status"], "ACTIVE");
    }

    async fn a_status_is_toggled_as_the_specification_says(app: &TestApp) {
        let admin = families(app).await;
        let toggle = async |username: &str| admin.patch(&format!("/api/users/{username}/toggle-status")).send().await;
        assert_eq!(toggle("ana_app").await.json()["status"], "INACTIVE");
        for (language, message) in [
            ("es", "No se puede activar un usuario sin créditos."),
            ("en", "A user without credits cannot be activated."),
        ] {
            for asked in [
                admin.patch("/api/users/ana_app/toggle-status"),
                admin.patch("/api/users/ana_app").json(&json!({"status": "ACTIVE"})),
            ] {
                let answer = asked.header("accept-language", language).send().await;
                assert_eq!((answer.status, answer.code()), (409, "USER_WITHOUT_CREDITS".into()));
                assert_eq!(answer.json()["message"], message);
            }
        }
        let credits = json!({"targetUsername": "ana_app", "amount": 1});
        admin.post("/api/credits/add").json(&credits).send().await;
        assert_eq!(toggle("ana_app").await.json()["status"], "ACTIVE");
        admin.post("/api/credits/deduct").json(&credits).send().await;
        assert_eq!(patch(&admin, "ana_app", &json!({"status": "SUSPENDED"})).await.status, 200);
        assert_eq!(toggle("ana_app").await.json()["status"], "ACTIVE", "suspended users need no credits to come back");
        assert_eq!(toggle("eva_1").await.json()["status"], "INACTIVE");
        assert_eq!(toggle("eva_1").await.json()["status"], "ACTIVE", "nor do agents");
    }

    async fn sessions_end_where_rights_change(app: &TestApp) {
        let admin = families(app).await;
        for (change, stays) in [
            (json!({"fullName": "Otra"}), true),
            (json!({"expirationDate": "2027-01-31"}), true),
            (json!({"status": "SUSPENDED"}), false),
            (json!({"roleCode": "contentManager"}), false),
            (json!({"roleCode": "agent"}), false),
        ] {
            let (one, two) = (app.sign_in("eva_1").await, app.sign_in("eva_1").await);
            assert_eq!(patch(&admin, "eva_1", &change).await.status, 200);
            assert_eq!((is_in(&one).await, is_in(&two).await), (stays, stays), "{change}");
            if change["status"] == "SUSPENDED" {
                // Back again, the old session stays ended.
                patch(&admin, "eva_1", &json!({"status": "ACTIVE"})).await;
                assert!(!is_in(&one).await);
            }
        }
        assert!(is_in(&app.sign_in("ana_1").await).await);
    }

    async fn a_new_password_ends_the_other_sessions(app: &TestApp) {
        families(app).await;
        let (here, there) = (app.sign_in("eva_1").await, app.sign_in("eva_1").await);
        let rival = app.sign_in("rival_1").await;
        let change = json!({"currentPassword": PASSWORD, "newPassword": "Otra clave 2"});
        let answer = here.put("/api/users/me/password").json(&change).send().await;
        assert_eq!(answer.status, 204, "{}", answer.text());
        let cookie = answer.cookie().expect("the session has another key");
        let renewed = Client::new(app, Some((cookie.name().to_owned(), cookie.value().to_owned())));
        let (old, new) = (is_in(&here).await, is_in(&renewed).await);
        assert_eq!((new, old, is_in(&there).await, is_in(&rival).await), (true, false, false, true));
        let login = async |password: &str| {
            let credentials = json!({"username": "eva_1", "password": password});
            app.nobody().post("/api/auth/login").json(&credentials).send().await.status
        };
        assert_eq!((login(PASSWORD).await, login("Otra clave 2").await), (401, 200));
    }

    async fn a_wrong_current_password_is_told_and_does_not_sign_out(app: &TestApp) {
        let ana = families(app).await;
        let ask = async |body: &Value, language: &str| {
            ana.put("/api/users/me/password").header("accept-language", language).json(body).send().await
        };
        for (body, spanish, english) in [
            (
                json!({"currentPassword": "Otra cosa 1", "newPassword": "Nueva clave 2"}),
                vec![("currentPassword", "La contraseña actual no es correcta")],
                "The current password is not correct",
            ),
            (
                json!({"currentPassword": "", "newPassword": ""}),
                vec![("currentPassword", "La contraseña actual es requerida"), ("newPassword", "La nueva contraseña es requerida")],
                "The current password is required",
            ),
            (
                json!({"currentPassword": PASSWORD, "newPassword": "corta"}),
                vec![("newPassword", "La nueva contraseña no cumple con los requisitos")],
                "The new password does not meet the requirements",
            ),
            (
                json!({"currentPassword": PASSWORD, "newPassword": PASSWORD}),
                vec![("newPassword", "La nueva contraseña debe ser diferente a la actual")],
                "The new password must differ from the current one",
            ),
        ] {
            let told = ask(&body, "es").await.told();
            let expected: Vec<(String, String)> =
                spanish.iter().map(|(field, text)| ((*field).to_owned(), (*text).to_owned())).collect();
            assert_eq!(told, expected, "{body}");
            assert_eq!(ask(&body, "en").await.told()[0].1, english);
            assert!(is_in(&ana).await);
        }
        // Guessing on is slowed down, and still does not sign out.
        let guess = json!({"currentPassword": "Otra cosa 1", "newPassword": "Nueva clave 2"});
        let mut last = 0;
        for _ in 0..12 {
            last = ask(&guess, "es").await.status;
        }
        assert_eq!(last, 429);
        assert!(is_in(&ana).await);
    }

    async fn an_agent_resets_the_pin_of_a_customer_whose_sessions_end(app: &TestApp) {
        let admin = families(app).await;
        let ana = app.sign_in("ana_1").await;
        let customer = app.sign_in("ana_app").await;
        assert!(is_in(&customer).await);
        let answer = ana.post("/api/users/ANA_APP/password").json(&json!({})).send().await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let json = answer.json();
        let pin = json["password"].as_str().unwrap();
        assert!(pin.len() == 8 && pin.bytes().all(|byte| byte.is_ascii_digit()), "{pin}");
        assert!(!is_in(&customer).await && is_in(&ana).await);
        let sign_in = async |username: &str, password: &str| {
            let body = json!({"username": username, "password": password});
            app.nobody().post("/api/auth/login").json(&body).send().await.status
        };
        assert_eq!((sign_in("ana_app", PASSWORD).await, sign_in("ana_app", pin).await), (401, 200));
        let told = user(&admin, "ana_app").await;
        assert_eq!((&told["passwordChangedBy"], &told["passwordChangedDate"]), (&json!("ana_1"), &told["updatedDate"]));
        assert!(!app.everything().await.iter().any(|row| row.contains(pin)), "it is stored nowhere");

        let typed = ana.post("/api/users/eva_app/password").json(&json!({"password": "2580"})).send().await;
        assert_eq!((typed.status, typed.json()), (200, json!({"password": null})), "an agent's agent's customers are its own");
        assert_eq!(sign_in("eva_app", "2580").await, 200);

        // Staff get one that keeps their rules.
        let staff = admin.post("/api/users/ana_1/password").json(&json!({})).send().await.json();
        assert_eq!(sign_in("ana_1", staff["password"].as_str().unwrap()).await, 200);
        assert!(!is_in(&ana).await);
    }

    async fn passwords_of_others_are_not_everybodys_to_reset(app: &TestApp) {
        let admin = families(app).await;
        patch(&admin, "eva_app", &json!({"status": "SUSPENDED"})).await;
        admin.register("boss_1", "admin").await;
        let ana = app.sign_in("ana_1").await;
        let keys = app.everything().await;
        for (client, username, status, code) in [
            (&ana, "rival_app", 404, "NOT_FOUND"),
            (&ana, "nobody", 404, "NOT_FOUND"),
            (&ana, "eva_1", 403, "FORBIDDEN"),
            (&ana, "ana_1", 403, "FORBIDDEN"),
            (&ana, "eva_app", 403, "USER_SUSPENDED"),
            (&admin, "superadmin", 403, "FORBIDDEN"),
            (&admin, "admin", 403, "FORBIDDEN"),
        ] {
            let answer = client.post(&format!("/api/users/{username}/password")).json(&json!({})).send().await;
            assert_eq!((answer.status, answer.code()), (status, code.into()), "{username}");
        }
        for (body, code, spanish, english) in [
            (json!({"password": "123"}), "TOO_SHORT", "al menos 4 caracteres", "at least 4 characters"),
            (json!({"password": "x".repeat(129)}), "TOO_LONG", "los 128 caracteres", "more than 128 characters"),
            (json!({"password": 1234}), "WRONG_TYPE", "", ""),
        ] {
            for (language, expected) in [("es", spanish), ("en", english)] {
                let asked = ana.post("/api/users/ana_app/password").header("accept-language", language);
                let answer = asked.json(&body).send().await;
                assert_eq!((answer.status, answer.broken()), (422, vec![("password".into(), code.into())]));
                let told = answer.told()[0].1.clone();
                assert!(told.contains(expected) && !told.contains('{'), "{told}");
            }
        }
        let typo = ana.post("/api/users/ana_app/password").json(&json!({"pasword": "1234"})).send().await;
        assert_eq!(typo.broken(), [("pasword".into(), "UNKNOWN_FIELD".into())]);
        let plain = ana.post("/api/users/ana_app/password").body("text/plain", "{}").send().await;
        assert_eq!(plain.status, 415);
        assert_eq!(app.everything().await, keys, "nothing was written");
        // Another admin may, by the rule by which they may edit them.
        assert_eq!(admin.post("/api/users/boss_1/password").json(&json!({})).send().await.status, 200);
    }

    async fn roles_are_those_that_one_may_give(app: &TestApp) {
        families(app).await;
        for (username, expected) in [
            ("superadmin", vec!["app", "contentManager", "agent", "admin", "superadmin"]),
            ("admin", vec!["app", "contentManager", "agent", "admin"]),
            ("ana_1", vec!["app", "agent"]),
        ] {
            let roles = app.sign_in(username).await.get("/api/roles").send().await.json();
            let codes: Vec<&str> = roles.as_array().unwrap().iter().map(|role| role["code"].as_str().unwrap()).collect();
            assert_eq!(codes, expected, "{username}");
        }
        let admin = app.sign_in("superadmin").await;
        for (language, names) in [
            ("es", ["Usuario", "Gestor de contenido", "Agente", "Administrador", "Superadministrador"]),
            ("en", ["User", "Content manager", "Agent", "Admin", "Superadmin"]),
        ] {
            let roles = admin.get("/api/roles").header("accept-language", language).send().await.json();
            let told: Vec<&str> = roles.as_array().unwrap().iter().map(|role| role["name"].as_str().unwrap()).collect();
            assert_eq!(told, names);
        }
    }

    async fn whoever_the_ledger_knows_is_not_removed(app: &TestApp) {
        let admin = families(app).await;
        admin.post("/api/credits/add-for-sale").json(&json!({"targetUsername": "ana_1", "amount": 2})).send().await;
        let answer = admin.delete("/api/users/ana_1").send().await;
        assert_eq!((answer.status, answer.code()), (409, "IN_USE".into()));
        assert_eq!(answer.json()["message"], "No se puede eliminar: tiene 1 movimiento de crédito, 2 usuarios registrados.");
        assert_eq!(admin.get("/api/users/ana_1").send().await.status, 200);
    }
}

/// A form with one field of another value, or without it.
fn with(field: &str, value: &Value) -> Value {
    let mut form = new_user("nuevo_1", "app");
    if *value == json!("left out") {
        form.as_object_mut().unwrap().remove(field);
    } else {
        form[field] = value.clone();
    }
    form
}

#[actix_web::test]
async fn every_rule_of_the_form_is_kept_and_told() {
    let app = TestApp::new().await;
    let admin = app.sign_in_as(RoleCode::Admin).await;
    admin.register("viejo_1", "app").await;
    let long = |length: usize| json!("x".repeat(length));
    for (field, value, code, spanish) in [
        ("username", json!("ab"), "TOO_SHORT", ""),
        ("username", long(51), "TOO_LONG", ""),
        ("username", json!("con espacio"), "INVALID_FORMAT", "Solo letras, números y guiones bajos"),
        ("username", json!("ñandú"), "INVALID_FORMAT", "Solo letras, números y guiones bajos"),
        ("username", json!("left out"), "REQUIRED", ""),
        ("fullName", json!("x"), "TOO_SHORT", ""),
        ("fullName", long(101), "TOO_LONG", ""),
        ("fullName", json!("left out"), "REQUIRED", ""),
        ("email", json!("nadie"), "INVALID_FORMAT", "Introduce un correo electrónico válido"),
        ("email", json!("left out"), "REQUIRED", ""),
        ("phoneNumber", json!("1234567"), "TOO_SHORT", ""),
        ("phoneNumber", json!("123456789012345678901"), "TOO_LONG", ""),
        (
            "phoneNumber",
            json!("seis cero cero"),
            "INVALID_FORMAT",
            "Solo números, espacios, guiones y paréntesis, con un + opcional al principio",
        ),
        ("phoneNumber", json!("left out"), "REQUIRED", ""),
        ("address", long(256), "TOO_LONG", ""),
        ("comment", long(1001), "TOO_LONG", ""),
        ("roleCode", json!("boss"), "UNKNOWN_VALUE", ""),
        ("roleCode", json!("left out"), "REQUIRED", ""),
        ("status", json!("DORMANT"), "UNKNOWN_VALUE", ""),
        ("fullName", json!(7), "WRONG_TYPE", ""),
        ("fullName", json!("a\u{0}b"), "CONTROL_CHARACTERS", ""),
        ("apodo", json!("x"), "UNKNOWN_FIELD", ""),
    ] {
        for language in ["es", "en"] {
            let ask = async |asked: Asked<'_>, body: &Value| {
                asked.header("accept-language", language).json(body).send().await
            };
            let created = ask(admin.post("/api/users"), &with(field, &value)).await;
            assert_eq!(created.broken(), [(field.to_owned(), code.to_owned())], "{field} {value}");
            let told = created.told()[0].1.clone();
            assert!(told.chars().count() > 5 && !told.contains(['{', '}']), "{told}");
            if language == "es" && !spanish.is_empty() {
                assert_eq!(told, spanish);
            }
            // The same of an edit, where it has the field.
            if field != "username" {
                let mut edit = with(field, &value);
                edit.as_object_mut().unwrap().remove("password");
                edit.as_object_mut().unwrap().remove("username");
                if edit.get("status").is_none() {
                    edit["status"] = json!("ACTIVE");
                }
                let edited = ask(admin.put("/api/users/viejo_1"), &edit).await;
                assert_eq!(edited.broken(), [(field.to_owned(), code.to_owned())], "{field} {value}");
            }
        }
    }
    let all =
        admin.post("/api/users").json(&json!({"username": "a", "password": "1", "extra": 1})).send().await;
    let fields: Vec<String> = all.broken().into_iter().map(|(field, _)| field).collect();
    for field in ["username", "fullName", "email", "phoneNumber", "password", "roleCode", "extra"] {
        assert!(fields.iter().any(|one| one == field), "{field} is missing of {fields:?}");
    }
    assert_eq!(admin.get("/api/users/nuevo_1").send().await.status, 404);
}

#[actix_web::test]
async fn passwords_are_short_for_subscribers_and_good_for_staff() {
    let app = TestApp::new().await;
    let admin = app.sign_in_as(RoleCode::Admin).await;
    for (role, password, code) in [
        ("app", "123", Some("TOO_SHORT")),
        ("app", "1234", None),
        ("agent", "Abcdef1", Some("TOO_SHORT")),
        ("agent", "abcdefg1", Some("WEAK_PASSWORD")),
        ("agent", "Abcdefg1", None),
        ("contentManager", "ABCDEFG1", Some("WEAK_PASSWORD")),
        ("admin", "Abcdefgh", Some("WEAK_PASSWORD")),
        ("app", &"x".repeat(129), Some("TOO_LONG")),
        ("app", &"x".repeat(128), None),
    ] {
        let mut form = new_user(&format!("u_{role}_{}", password.len()), role);
        form["password"] = json!(password);
        let answer = admin.post("/api/users").json(&form).send().await;
        match code {
            None => assert_eq!(answer.status, 201, "{role} {password}: {}", answer.text()),
            Some(code) => {
                assert_eq!(answer.broken(), [("password".to_owned(), code.to_owned())], "{role} {password}");
            }
        }
    }
}

#[actix_web::test]
async fn lists_of_users_take_their_filters_and_no_others() {
    let app = TestApp::new().await;
    let admin = families(&app).await;
    patch(&admin, "ana_app", &json!({"expirationDate": "2026-11-20T09:59:59.000Z"})).await;
    patch(&admin, "eva_app", &json!({"expirationDate": "2026-11-30"})).await;
    patch(&admin, "rival_app", &json!({"expirationDate": "2026-12-01"})).await;
    let names = async |client: &Client<'_>, query: &str| {
        let json = client.get(&format!("/api/users?_sort=username&{query}")).send().await.json();
        let rows = json["content"].as_array().unwrap_or_else(|| panic!("{query}: {json}"));
        assert_eq!(json["totalElements"], rows.len());
        rows.iter().map(|row| row["username"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&admin, "expired=true").await, ["ana_app"]);
    assert_eq!(names(&admin, "aboutToExpire=true").await, ["eva_app"]);
    assert_eq!(names(&admin, "expired=false&roleCode=agent").await, ["agent", "ana_1", "eva_1", "rival_1"]);
    let eva = app.sign_in("eva_1").await;
    assert_eq!(
        (names(&eva, "expired=true").await, names(&eva, "aboutToExpire=true").await),
        (vec![], vec!["eva_app".to_owned()])
    );
    assert_eq!(names(&eva, "_sort=-expirationDate,+fullName").await, ["eva_app"]);
    for (query, field) in [
        ("expired=true&aboutToExpire=true", "aboutToExpire"),
        ("expired=si", "expired"),
        ("roleCode=boss", "roleCode"),
        ("_sort=password", "_sort"),
        ("passwordHash=x", "passwordHash"),
    ] {
        let answer = admin.get(&format!("/api/users?{query}")).send().await;
        assert_eq!(answer.broken()[0].0, field, "{query}");
    }
}
