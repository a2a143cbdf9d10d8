//! Sign-in, sessions and sign-out.

use chrono::TimeDelta;
use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp, on_both},
    client::{Answer, Client},
};

async fn sign_in(app: &TestApp, username: &str, password: &str) -> Answer {
    app.anonymous()
        .post("/api/auth/login")
        .json(&json!({"username": username, "password": password}))
        .send()
        .await
}

async fn tokio_yield() {
    actix_web::rt::task::yield_now().await;
}

async fn status(client: &Client<'_>) -> u16 {
    client.get("/api/movies").send().await.status
}

on_both! {
    async fn signing_in_returns_the_user_with_its_permissions(app: &TestApp) {
        let answer = sign_in(app, "CONTENTMANAGER", PASSWORD).await;
        let json = answer.json();
        assert_eq!(answer.status, 200, "{json}");
        assert_eq!((&json["success"], &json["errorCode"]), (&json!(true), &Value::Null));
        assert!(json["message"].as_str().is_some_and(|text| !text.is_empty()));
        let user = &json["user"];
        assert_eq!((&user["username"], &user["fullName"]), (&json!("contentManager"), &json!("Ana Núñez")));
        assert_eq!((&user["roleCode"], &user["roleName"]), (&json!("contentManager"), &json!("Gestor de contenido")));
        assert_eq!(user["timeZone"], json!("UTC"));
        let permissions = user["permissions"].as_array().unwrap();
        assert!(permissions.contains(&json!("MOVIE_DELETE")) && !permissions.contains(&json!("USER_READ")));
        assert!(!json.to_string().contains("hash"), "{json}");
    }

    async fn a_session_lasts_a_day_and_a_refresh_extends_it_with_the_same_key(app: &TestApp) {
        let ana = app.manager().await;
        app.clock.forward(TimeDelta::hours(23));
        let refreshed = ana.post("/api/auth/refresh").send().await;
        assert_eq!(refreshed.status, 200, "{}", refreshed.text());
        assert_eq!(refreshed.json()["user"]["username"], "contentManager");
        let cookie = refreshed.cookie().expect("the cookie is sent again");
        assert_eq!(Some(cookie.value()), ana.cookie.as_ref().map(|(_, value)| value.as_str()));
        app.clock.forward(TimeDelta::hours(24) - TimeDelta::milliseconds(1));
        assert_eq!(status(&ana).await, 200);
        app.clock.forward(TimeDelta::milliseconds(1));
        assert_eq!(status(&ana).await, 401);
        let late = ana.post("/api/auth/refresh").send().await;
        assert_eq!((late.status, late.json()["errorCode"].clone()), (401, json!("NOT_AUTHENTICATED")));
    }

    async fn a_session_without_a_refresh_ends_after_a_day(app: &TestApp) {
        let ana = app.manager().await;
        app.clock.forward(TimeDelta::hours(24) - TimeDelta::milliseconds(1));
        // Using a session does not refresh it.
        assert_eq!(status(&ana).await, 200);
        app.clock.forward(TimeDelta::milliseconds(1));
        let answer = ana.get("/api/movies").send().await;
        assert_eq!((answer.status, answer.code()), (401, "NOT_AUTHENTICATED".to_owned()));
    }

    async fn signing_out_ends_the_session_for_every_copy_of_the_cookie(app: &TestApp) {
        let ana = app.manager().await;
        let other = app.manager().await;
        let gone = ana.post("/api/auth/logout").send().await;
        assert_eq!((gone.status, gone.text().as_str()), (204, ""));
        assert!(gone.cookie().is_some_and(|cookie| cookie.value().is_empty()), "the cookie is removed");
        assert_eq!((status(&ana).await, status(&other).await), (401, 200));
        let again = ana.post("/api/auth/logout").send().await;
        assert_eq!(again.status, 204, "a second time succeeds");
        assert!(again.cookie().is_some_and(|cookie| cookie.value().is_empty()), "also of an ended session");
        assert_eq!(app.anonymous().post("/api/auth/logout").send().await.status, 204);
    }

    #[smoke]
    async fn signing_in_replaces_the_key_of_the_session(app: &TestApp) {
        let planted = app.sign_in_as(RoleCode::Admin).await;
        let credentials = json!({"username": "contentManager", "password": PASSWORD});
        let answer = planted.post("/api/auth/login").json(&credentials).send().await;
        let cookie = answer.cookie().unwrap();
        assert_ne!(Some(cookie.value()), planted.cookie.as_ref().map(|(_, value)| value.as_str()));
        assert_eq!(status(&planted).await, 401);
    }

    async fn suspending_deactivating_or_deleting_a_user_ends_access_at_once(app: &TestApp) {
        for status_code in ["SUSPENDED", "INACTIVE"] {
            let ana = app.manager().await;
            assert_eq!(status(&ana).await, 200);
            app.run(&format!("UPDATE users SET status = '{status_code}' WHERE username = 'contentManager'")).await;
            assert_eq!(status(&ana).await, 401);
            assert_eq!(ana.post("/api/auth/refresh").send().await.status, 401);
            app.run("UPDATE users SET status = 'ACTIVE' WHERE username = 'contentManager'").await;
        }
        let ana = app.manager().await;
        app.run("DELETE FROM users WHERE username = 'contentManager'").await;
        assert_eq!(status(&ana).await, 401);
    }

    async fn a_session_ends_seven_days_after_signing_in_despite_refreshes(app: &TestApp) {
        let ana = app.manager().await;
        for _ in 0..7 {
            app.clock.forward(TimeDelta::hours(23));
            let refreshed = ana.post("/api/auth/refresh").send().await;
            assert_eq!(refreshed.status, 200, "{}", refreshed.text());
        }
        let last = ana.post("/api/auth/refresh").send().await;
        let rest = actix_web::cookie::time::Duration::hours(7);
        let cookie = last.cookie().unwrap();
        assert_eq!(cookie.max_age(), Some(rest), "the cookie ends with the session");
        let same_site = Some(actix_web::cookie::SameSite::Lax);
        assert_eq!((cookie.http_only(), cookie.same_site(), cookie.path()), (Some(true), same_site, Some("/")));
        app.clock.forward(TimeDelta::hours(7) - TimeDelta::milliseconds(1));
        assert_eq!(status(&ana).await, 200);
        app.clock.forward(TimeDelta::milliseconds(1));
        assert_eq!(status(&ana).await, 401);
        assert_eq!(ana.post("/api/auth/refresh").send().await.status, 401);
    }

    async fn changes_of_an_account_during_password_verification_apply(app: &TestApp) {
        let other = app.sign_in_as(RoleCode::Admin).await;
        for (change, back, status, code) in [
            ("password_hash = 'another'", None, 401, "INVALID_CREDENTIALS"),
            ("status = 'SUSPENDED'", Some("status = 'ACTIVE'"), 401, "ACCOUNT_SUSPENDED"),
            ("status = 'INACTIVE'", Some("status = 'ACTIVE'"), 401, "ACCOUNT_INACTIVE"),
            ("role = 'agent'", Some("role = 'contentManager'"), 200, ""),
        ] {
            let hash = app.text("SELECT password_hash AS text FROM users WHERE username = 'contentManager'").await;
            let change = format!("UPDATE users SET {change} WHERE username = 'contentManager'");
            *app.passwords.after_next.lock().unwrap() = Some(change.clone());
            let answer = sign_in(app, "contentManager", PASSWORD).await;
            assert_eq!((answer.status, answer.json()["errorCode"].as_str().unwrap_or_default()), (status, code), "{change}");
            assert_eq!(answer.cookie().is_some(), status == 200, "{change}");
            if status == 200 {
                assert_eq!(answer.json()["user"]["roleCode"], "agent", "the current role");
            } else {
                let open = "SELECT CAST(count(*) AS text) AS text FROM sessions s JOIN users u ON u.id = s.user_id \
                            WHERE u.username = 'contentManager'";
                assert_eq!(app.text(open).await, "0", "{change}");
            }
            let back = back.map_or_else(|| format!("password_hash = '{hash}'"), str::to_owned);
            app.run(&format!("UPDATE users SET {back} WHERE username = 'contentManager'")).await;
        }
        assert_eq!(self::status(&other).await, 200);
    }

    async fn a_new_password_replaces_the_key_of_the_session(app: &TestApp) {
        let (ana, elsewhere) = (app.manager().await, app.manager().await);
        let body = json!({"currentPassword": PASSWORD, "newPassword": "Siguiente 2"});
        let answer = ana.put("/api/users/me/password").json(&body).send().await;
        assert_eq!(answer.status, 204, "{}", answer.text());
        let cookie = answer.cookie().expect("another key");
        assert_eq!((status(&ana).await, status(&elsewhere).await), (401, 401));
        let renewed = Client::new(app, Some((cookie.name().to_owned(), cookie.value().to_owned())));
        assert_eq!(status(&renewed).await, 200);
    }

    async fn users_see_and_end_their_own_sessions(app: &TestApp) {
        let (ana, tablet, phone) = (app.manager().await, app.manager().await, app.manager().await);
        let other = app.sign_in_as(RoleCode::Agent).await;
        let list = async |client: &Client<'_>| client.get("/api/auth/sessions").send().await.json();
        let mine = list(&ana).await;
        assert_eq!(mine.as_array().unwrap().len(), 3);
        let current: Vec<&Value> = mine.as_array().unwrap().iter().filter(|one| one["current"] == true).collect();
        assert_eq!(current.len(), 1);
        assert_eq!(current[0]["address"], "192.0.2.1");
        let keys: Vec<String> = [&ana, &tablet, &phone].map(|one| one.cookie.clone().unwrap().1).into();
        assert!(keys.iter().all(|key| !mine.to_string().contains(key)), "keys are not shown");
        let of_tablet = list(&tablet).await;
        let id = of_tablet.as_array().unwrap().iter().find(|one| one["current"] == true).unwrap()["id"].clone();
        let path = format!("/api/auth/sessions/{}", id.as_str().unwrap());
        let foreign = other.delete(&path).send().await;
        assert_eq!((foreign.status, foreign.code()), (404, "NOT_FOUND".to_owned()));
        assert_eq!(status(&tablet).await, 200);
        assert_eq!(ana.delete(&path).send().await.status, 204);
        assert_eq!((status(&ana).await, status(&tablet).await, status(&phone).await), (200, 401, 200));
        assert_eq!(ana.delete(&path).send().await.status, 404);
        assert_eq!(ana.delete("/api/auth/sessions").send().await.status, 204);
        assert_eq!((status(&ana).await, status(&phone).await), (200, 401));
        assert_eq!(list(&other).await.as_array().unwrap().len(), 1, "other users' sessions stay");
    }

    async fn the_last_use_of_a_session_is_kept_to_a_minute(app: &TestApp) {
        let ana = app.manager().await;
        let used = async || ana.get("/api/auth/sessions").send().await.json()[0]["lastUsedDate"].clone();
        let opened = used().await;
        app.clock.forward(TimeDelta::seconds(59));
        for _ in 0..50 {
            assert_eq!(used().await, opened, "nothing is written within a minute");
        }
        app.clock.forward(TimeDelta::seconds(1));
        let mut requested = 0;
        while used().await == opened {
            requested += 1;
            assert!(requested < 10_000, "the use is never written");
            tokio_yield().await;
        }
        assert_eq!(used().await, "2026-11-20T10:01:00.000Z");
    }

    async fn users_who_may_edit_a_user_list_and_end_its_sessions(app: &TestApp) {
        let (admin, agent) = (app.sign_in_as(RoleCode::Admin).await, app.sign_in_as(RoleCode::Agent).await);
        agent.register("below_1", "agent").await;
        let below = app.sign_in("below_1").await;
        let of = |name: &str| format!("/api/users/{name}/sessions");
        for (client, name, listed) in [
            (&admin, "BELOW_1", 200), (&agent, "below_1", 200), (&below, "agent", 404), (&agent, "contentManager", 404),
            (&admin, "superadmin", 403), (&admin, "nobody", 404), (&admin, "admin", 403),
        ] {
            assert_eq!(client.get(&of(name)).send().await.status, listed, "{name}");
            if listed != 200 {
                assert_eq!(client.delete(&of(name)).send().await.status, listed, "{name}");
            }
        }
        let listed = admin.get(&of("below_1")).send().await.json();
        assert_eq!((listed.as_array().unwrap().len(), &listed[0]["current"]), (1, &json!(false)));
        assert_eq!(below.get("/api/users").send().await.status, 200);
        assert_eq!(agent.delete(&of("below_1")).send().await.status, 204);
        assert_eq!(below.get("/api/users").send().await.status, 401);
        assert_eq!(admin.get(&of("below_1")).send().await.json(), json!([]));
    }

    async fn a_changed_role_applies_at_once(app: &TestApp) {
        let ana = app.manager().await;
        for (role, expected) in [("app", 403), ("agent", 403), ("admin", 200), ("contentManager", 200)] {
            app.run(&format!("UPDATE users SET role = '{role}' WHERE username = 'contentManager'")).await;
            assert_eq!(status(&ana).await, expected, "{role}");
            let refreshed = ana.post("/api/auth/refresh").send().await.json();
            assert_eq!(refreshed["user"]["roleCode"], role);
        }
    }
}

#[actix_web::test]
async fn the_cookie_cannot_be_read_by_scripts_nor_sent_by_other_sites() {
    let app = TestApp::new().await;
    let answer = sign_in(&app, "admin", PASSWORD).await;
    let cookie = answer.cookie().unwrap();
    assert_eq!((cookie.name(), cookie.path()), ("cartelera", Some("/")));
    assert_eq!(cookie.http_only(), Some(true));
    assert_eq!(cookie.same_site(), Some(actix_web::cookie::SameSite::Lax));
    assert_eq!(cookie.max_age(), Some(actix_web::cookie::time::Duration::hours(24)));
    assert_ne!(cookie.secure(), Some(true), "there is no https here");
    assert_eq!(cookie.domain(), None);
}

#[actix_web::test]
async fn with_https_the_cookie_is_secure() {
    let app = TestApp::secure().await;
    let answer = sign_in(&app, "admin", PASSWORD).await;
    let cookie = answer.cookie().unwrap();
    assert_eq!((cookie.name(), cookie.secure(), cookie.path()), ("__Host-cartelera", Some(true), Some("/")));
    assert_eq!(status(&app.manager().await).await, 200);
}

#[actix_web::test]
async fn a_device_cookie_has_only_the_users_who_signed_in() {
    let app = TestApp::new().await;
    let answer = sign_in(&app, "admin", PASSWORD).await;
    let order = answer.header("set-cookie").unwrap();
    assert!(order.starts_with("cartelera="), "the session's cookie comes first: {order}");
    let first = answer.device_cookie().unwrap();
    assert_eq!((first.name(), first.http_only(), first.path()), ("cartelera-device", Some(true), Some("/")));
    assert_eq!(first.same_site(), Some(actix_web::cookie::SameSite::Lax));
    assert_eq!(first.max_age(), Some(actix_web::cookie::time::Duration::days(400)));
    assert!(first.value().ends_with("device:admin"), "a signature and the name: {}", first.value());
    let body = json!({"username": "agent", "password": PASSWORD});
    let again = app.anonymous().post("/api/auth/login").cookie(first.clone()).json(&body).send().await;
    assert!(again.device_cookie().unwrap().value().ends_with("device:agent,admin"));
    // It does not open a session under any name.
    for name in ["cartelera-device", "cartelera"] {
        let value = first.value().to_owned();
        let client = Client::new(&app, Some((name.to_owned(), value)));
        assert_eq!(status(&client).await, 401, "{name}");
    }
    assert!(sign_in(&app, "admin", "wrong").await.device_cookie().is_none());
    let secure = TestApp::secure().await;
    let cookie = sign_in(&secure, "admin", PASSWORD).await.device_cookie().unwrap();
    assert_eq!((cookie.name(), cookie.secure()), ("__Host-cartelera-device", Some(true)));
}

#[actix_web::test]
async fn a_modified_cookie_is_refused() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    let (name, value) = ana.cookie.clone().unwrap();
    for forged in ["", "x", &value[1..], &format!("{value}x"), &value.to_lowercase(), "%00%ff"] {
        let mut thief = ana.clone();
        thief.cookie = Some((name.clone(), forged.to_owned()));
        assert_eq!(status(&thief).await, 401, "{forged}");
    }
    assert_eq!(status(&ana).await, 200);
}

#[actix_web::test]
async fn whether_a_user_exists_is_not_shown() {
    let app = TestApp::new().await;
    let wrong = sign_in(&app, "admin", "wrong").await;
    for name in ["nobody_here", "no such name!", "аdmin", "admin\u{200b}"] {
        let unknown = sign_in(&app, name, "wrong").await;
        if unknown.status == 422 {
            continue; // A name with invisible characters is no name.
        }
        assert_eq!((unknown.status, unknown.json()), (wrong.status, wrong.json()), "{name}");
    }
    let json = wrong.json();
    assert_eq!((wrong.status, json["code"].as_str()), (401, Some("INVALID_CREDENTIALS")));
    assert_eq!((&json["success"], &json["user"]), (&json!(false), &Value::Null));
    assert_eq!(json["errorCode"], "INVALID_CREDENTIALS");
    assert!(wrong.cookie().is_none());
}

#[actix_web::test]
async fn the_reason_of_a_refusal_requires_the_right_password() {
    let app = TestApp::new().await;
    for (name, code) in [("inactive", "ACCOUNT_INACTIVE"), ("suspended", "ACCOUNT_SUSPENDED")] {
        let wrong = sign_in(&app, name, "wrong").await;
        assert_eq!((wrong.status, wrong.code()), (401, "INVALID_CREDENTIALS".to_owned()));
        let right = sign_in(&app, name, PASSWORD).await;
        assert_eq!((right.status, right.code()), (401, code.to_owned()));
        assert_eq!(right.json()["errorCode"], code);
        assert!(right.cookie().is_none());
    }
}

#[actix_web::test]
async fn invalid_credentials_are_validated_with_the_response_of_sign_in() {
    let app = TestApp::new().await;
    for (body, status, code) in [
        (r#"{"username": "admin""#, 400, "MALFORMED"),
        ("{}", 422, "VALIDATION_FAILED"),
        (r#"{"username": "admin", "password": 5}"#, 422, "VALIDATION_FAILED"),
        (r#"{"username": "admin", "password": "x", "remember": true}"#, 422, "VALIDATION_FAILED"),
    ] {
        let answer = app.anonymous().post("/api/auth/login").body("application/json", body).send().await;
        let json = answer.json();
        assert_eq!((answer.status, json["code"].as_str()), (status, Some(code)), "{body}");
        assert_eq!((&json["success"], &json["errorCode"]), (&json!(false), &json!(code)), "{body}");
    }
    let form = app.anonymous().post("/api/auth/login").body("text/plain", "username=admin").send().await;
    assert_eq!((form.status, form.json()["success"].clone()), (415, json!(false)));
}

#[actix_web::test]
async fn subscribers_can_sign_in_and_do_nothing_else() {
    let app = TestApp::new().await;
    let client = app.sign_in_as(RoleCode::App).await;
    for path in ["/api/movies", "/api/movies/1", "/api/categories", "/api/lookup/search?title=matrix"] {
        let answer = client.get(path).send().await;
        assert_eq!((answer.status, answer.code()), (403, "FORBIDDEN".to_owned()), "{path}");
    }
    assert_eq!(client.post("/api/auth/refresh").send().await.json()["user"]["permissions"], json!([]));
}

#[actix_web::test]
async fn the_sign_in_screen_shows_the_default_account_until_its_password_is_changed() {
    let app = TestApp::new().await;
    let hint = async || app.anonymous().get("/api/auth/info").send().await.json();
    assert_eq!(hint().await, json!({"defaultAccount": false}));
    app.run("UPDATE users SET default_password = true WHERE username = 'superadmin'").await;
    assert_eq!(hint().await, json!({"defaultAccount": true}));
    for closed in ["status = 'INACTIVE'", "status = 'ACTIVE', password_hash = NULL"] {
        app.run(&format!("UPDATE users SET {closed} WHERE username = 'superadmin'")).await;
        assert_eq!(hint().await, json!({"defaultAccount": false}), "{closed}: signing in is impossible");
    }
}
