//! Passwords, and the ends of sessions.

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use super::{agents_with_customers, is_in, patch, user};
use crate::{
    app::{PASSWORD, TestApp, on_both},
    client::{Client, new_user},
};

on_both! {
    async fn sessions_end_when_permissions_change(app: &TestApp) {
        let admin = agents_with_customers(app).await;
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
                // After reactivation, the old session stays ended.
                patch(&admin, "eva_1", &json!({"status": "ACTIVE"})).await;
                assert!(!is_in(&one).await);
            }
        }
        assert!(is_in(&app.sign_in("ana_1").await).await);
    }

    async fn an_app_user_who_gets_another_role_needs_another_password(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let sign_in = async |password: &str| {
            let credentials = json!({"username": "ana_app", "password": password});
            app.anonymous().post("/api/auth/login").json(&credentials).send().await.status
        };
        let reset = async |password: &str| {
            let answer = admin.post("/api/users/ana_app/password").json(&json!({"password": password})).send().await;
            assert_eq!(answer.status, 200, "{}", answer.text());
        };
        reset("1234").await;
        assert_eq!(patch(&admin, "ana_app", &json!({"status": "ACTIVE", "fullName": "Ana"})).await.status, 200);
        assert_eq!(sign_in("1234").await, 200);
        assert_eq!(patch(&admin, "ana_app", &json!({"roleCode": "agent"})).await.status, 200);
        assert_eq!(sign_in("1234").await, 401);
        reset("Otra clave 2").await;
        assert_eq!(sign_in("Otra clave 2").await, 200);
        // Between other roles, and back to that of app users, the password stays.
        for role in ["contentManager", "app"] {
            assert_eq!(patch(&admin, "ana_app", &json!({"roleCode": role})).await.status, 200);
            assert_eq!(sign_in("Otra clave 2").await, 200, "{role}");
        }
    }

    async fn a_new_password_ends_the_other_sessions(app: &TestApp) {
        agents_with_customers(app).await;
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
            app.anonymous().post("/api/auth/login").json(&credentials).send().await.status
        };
        assert_eq!((login(PASSWORD).await, login("Otra clave 2").await), (401, 200));
    }

    async fn a_wrong_current_password_is_reported_and_does_not_sign_out(app: &TestApp) {
        let ana = agents_with_customers(app).await;
        let send = async |body: &Value, language: &str| {
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
            let reported = send(&body, "es").await.field_messages();
            let expected: Vec<(String, String)> =
                spanish.iter().map(|(field, text)| ((*field).to_owned(), (*text).to_owned())).collect();
            assert_eq!(reported, expected, "{body}");
            assert_eq!(send(&body, "en").await.field_messages()[0].1, english);
            assert!(is_in(&ana).await);
        }
        // Further guesses are throttled, and still do not end the session.
        let guess = json!({"currentPassword": "Otra cosa 1", "newPassword": "Nueva clave 2"});
        let mut last = 0;
        for _ in 0..12 {
            last = send(&guess, "es").await.status;
        }
        assert_eq!(last, 429);
        assert!(is_in(&ana).await);
    }

    async fn an_agent_resets_the_pin_of_a_customer_whose_sessions_end(app: &TestApp) {
        let admin = agents_with_customers(app).await;
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
            app.anonymous().post("/api/auth/login").json(&body).send().await.status
        };
        assert_eq!((sign_in("ana_app", PASSWORD).await, sign_in("ana_app", pin).await), (401, 200));
        let reported = user(&admin, "ana_app").await;
        assert_eq!((&reported["passwordChangedBy"], &reported["passwordChangedDate"]), (&json!("ana_1"), &reported["updatedDate"]));
        assert!(!app.snapshot().await.iter().any(|row| row.contains(pin)), "it is stored nowhere");

        let typed = ana.post("/api/users/eva_app/password").json(&json!({"password": "2580"})).send().await;
        assert_eq!((typed.status, typed.json()), (200, json!({"password": null})), "customers of sub-agents are in the subtree");
        assert_eq!(sign_in("eva_app", "2580").await, 200);

        // The generated password of staff satisfies their rules.
        let staff = admin.post("/api/users/ana_1/password").json(&json!({})).send().await.json();
        assert_eq!(sign_in("ana_1", staff["password"].as_str().unwrap()).await, 200);
        assert!(!is_in(&ana).await);
    }

    async fn resetting_a_password_requires_the_permission(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        patch(&admin, "eva_app", &json!({"status": "SUSPENDED"})).await;
        admin.register("boss_1", "admin").await;
        let ana = app.sign_in("ana_1").await;
        let keys = app.snapshot().await;
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
                let requested = ana.post("/api/users/ana_app/password").header("accept-language", language);
                let answer = requested.json(&body).send().await;
                assert_eq!((answer.status, answer.field_codes()), (422, vec![("password".into(), code.into())]));
                let reported = answer.field_messages()[0].1.clone();
                assert!(reported.contains(expected) && !reported.contains('{'), "{reported}");
            }
        }
        let typo = ana.post("/api/users/ana_app/password").json(&json!({"pasword": "1234"})).send().await;
        assert_eq!(typo.field_codes(), [("pasword".into(), "UNKNOWN_FIELD".into())]);
        let plain = ana.post("/api/users/ana_app/password").body("text/plain", "{}").send().await;
        assert_eq!(plain.status, 415);
        assert_eq!(app.snapshot().await, keys, "nothing was written");
        // Another admin may, by the same rule as for edits.
        assert_eq!(admin.post("/api/users/boss_1/password").json(&json!({})).send().await.status, 200);
    }
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
                assert_eq!(
                    answer.field_codes(),
                    [("password".to_owned(), code.to_owned())],
                    "{role} {password}"
                );
            }
        }
    }
}
