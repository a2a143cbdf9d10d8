//! API keys: creation, use, limits, counts, expiry and revocation.

use chrono::TimeDelta;
use domain_kernel::RoleCode;
use serde_json::json;

use crate::{
    app::{TestApp, on_both},
    client::Client,
};

const LIST: &str = "/api/integrator-keys";

on_both! {
    async fn a_key_is_shown_once_and_stored_as_a_hash(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let draft = json!({
            "name": "Televisión del salón", "scopes": ["CATALOGUE_READ"], "expiresDate": "2026-12-31",
            "callsPerMinute": 100,
        });
        let made = admin.post(LIST).json(&draft).send().await;
        assert_eq!(made.status, 201, "{}", made.text());
        let text = made.json()["key"].as_str().unwrap().to_owned();
        assert!(text.starts_with("ck_") && text.len() == 46, "{text}");
        assert_eq!(made.json()["hint"], text[..8]);
        let one = admin.get(made.header("location").unwrap()).send().await;
        assert_eq!((one.json()["state"].clone(), one.json()["createdBy"].clone()), (json!("ACTIVE"), json!("admin")));
        let list = admin.get(&format!("{LIST}?search=television&_sort=name")).send().await;
        assert_eq!(list.json()["totalElements"], 1, "found without its accent");
        for answer in [&one, &list] {
            assert!(!answer.text().contains(&text), "the response has the key again");
        }
        assert!(!app.stored_keys().await.contains(&text), "the key is stored");
    }

    async fn a_key_works_until_its_last_day_is_over_or_it_is_revoked(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let draft = json!({"name": "TV", "scopes": ["CATALOGUE_READ"], "expiresDate": "2026-11-21"});
        let made = admin.create("integrator-keys", &draft).await;
        let program = Client::with_key(app, made["key"].as_str().unwrap());
        let movies = async || program.get("/api/movies").send().await.status;
        assert_eq!(movies().await, 200);
        app.clock.forward(TimeDelta::hours(37));
        assert_eq!(movies().await, 200, "23:00 of its last day");
        app.clock.forward(TimeDelta::hours(1));
        assert_eq!(movies().await, 401, "the day after");
        // The admin's session has ended.
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let made = admin.create("integrator-keys", &json!({"name": "TV", "scopes": ["CATALOGUE_READ"]})).await;
        let program = Client::with_key(app, made["key"].as_str().unwrap());
        assert_eq!(program.get("/api/movies").send().await.status, 200);
        let revoke = format!("{LIST}/{}/revoke", made["id"]);
        let first = admin.post(&revoke).send().await.json();
        assert_eq!(first["state"], "REVOKED");
        assert_eq!(admin.post(&revoke).send().await.json(), first, "revoking again changes nothing");
        let refused = program.get("/api/movies").send().await;
        assert_eq!((refused.status, refused.code()), (401, "NOT_AUTHENTICATED".to_owned()));
        assert_eq!(admin.post(&format!("{LIST}/999/revoke")).send().await.status, 404);
    }

    async fn calls_are_limited_and_counted(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let draft = json!({"name": "TV", "scopes": ["CATALOGUE_READ"], "callsPerMinute": 3});
        let made = admin.create("integrator-keys", &draft).await;
        let program = Client::with_key(app, made["key"].as_str().unwrap());
        for _ in 0..3 {
            assert_eq!(program.get("/api/movies").send().await.status, 200);
        }
        let refused = program.get("/api/movies").header("accept-language", "en").send().await;
        assert_eq!((refused.status, refused.code()), (429, "TOO_MANY_REQUESTS".to_owned()));
        assert_eq!(refused.header("retry-after"), Some("60"));
        app.clock.forward(TimeDelta::seconds(60));
        assert_eq!(program.get("/api/movies").send().await.status, 200);
        app.record_key_uses().await;
        app.record_key_uses().await;
        let reported = admin.get(&format!("{LIST}/{}", made["id"])).send().await.json();
        assert_eq!((reported["calls"].clone(), reported["refusedCalls"].clone()), (json!(4), json!(1)));
        assert_eq!(reported["lastUsedDate"], "2026-11-20T10:01:00.000Z");
        assert_eq!(reported["days"], json!([{"day": "2026-11-20", "calls": 4, "refused": 1}]));
    }
}

#[actix_web::test]
async fn the_rules_of_a_key_are_reported_in_both_languages() {
    let app = TestApp::new().await;
    let admin = app.sign_in_as(RoleCode::Admin).await;
    let draft = json!({
        "name": "", "scopes": ["EVERYTHING"], "expiresDate": "2026-11-19", "callsPerMinute": 0, "key": "mine",
    });
    let spanish = admin.post(LIST).json(&draft).send().await;
    let mut fields: Vec<String> = spanish.field_codes().into_iter().map(|(field, _)| field).collect();
    fields.sort();
    assert_eq!(fields, ["callsPerMinute", "expiresDate", "key", "name", "scopes[0]"]);
    let english = admin.post(LIST).header("accept-language", "en").json(&draft).send().await;
    assert_ne!(spanish.field_messages(), english.field_messages());
    assert_eq!(admin.count("integrator-keys").await, 0);
}

#[actix_web::test]
async fn an_invalid_key_is_refused() {
    let app = TestApp::new().await;
    for key in ["", "ck_", "ck_0000000000000000000000000000000000000000009", "x".repeat(5000).as_str()] {
        let answer = Client::with_key(&app, key).get("/api/movies").send().await;
        assert_eq!((answer.status, answer.header("www-authenticate")), (401, Some("Bearer")), "{key}");
        let message = answer.json()["message"].as_str().unwrap().to_owned();
        assert!(message.contains("clave") && !message.contains("sesión"), "{message}");
    }
    let missing = app.anonymous().post("/api/views").json(&json!({})).send().await;
    assert_eq!((missing.status, missing.header("www-authenticate")), (401, Some("Bearer")));
    let unscoped = app.program(&["CATALOGUE_READ"]).await.post("/api/views").json(&json!({})).send().await;
    assert_eq!(unscoped.status, 403);
    assert!(unscoped.json()["message"].as_str().unwrap().contains("VIEWS_COUNT"), "{}", unscoped.text());
    let made = app.program(&["CATALOGUE_READ"]).await;
    let basic = app.anonymous().get("/api/movies").header("authorization", "Basic YTpi").send().await;
    assert_eq!(basic.status, 401);
    // A key does not extend the permissions of a session, nor a session those of a key.
    assert_eq!(made.get("/api/users").send().await.status, 403);
}

on_both! {
    async fn a_key_whose_creator_is_no_admin_any_more_is_kept_or_revoked(app: &TestApp) {
        let owner = app.sign_in_as(RoleCode::Superadmin).await;
        owner.register("maker_1", "admin").await;
        let maker = app.sign_in("maker_1").await;
        let made = maker.create("integrator-keys", &json!({"name": "TV", "scopes": ["CATALOGUE_READ"]})).await;
        let program = Client::with_key(app, made["key"].as_str().unwrap());
        let needs_review = async || {
            let page = owner.get("/api/integrator-keys").send().await.json();
            page["content"][0]["needsReview"].clone()
        };
        assert_eq!(needs_review().await, false);
        for change in [json!({"status": "SUSPENDED"}), json!({"status": "INACTIVE"}), json!({"roleCode": "agent"})] {
            let answer = owner.patch("/api/users/maker_1").json(&change).send().await;
            assert_eq!(answer.status, 200, "{}", answer.text());
            assert_eq!(needs_review().await, true, "{change}");
            // It works until an admin decides.
            assert_eq!(program.get("/api/movies").send().await.status, 200);
            let back = json!({"status": "ACTIVE", "roleCode": "admin"});
            assert_eq!(owner.patch("/api/users/maker_1").json(&back).send().await.status, 200);
            assert_eq!(needs_review().await, false);
        }
        owner.patch("/api/users/maker_1").json(&json!({"roleCode": "agent"})).send().await;
        let path = format!("/api/integrator-keys/{}", made["id"]);
        let kept = owner.post(&format!("{path}/keep")).send().await.json();
        assert_eq!((&kept["keptBy"], &kept["needsReview"]), (&json!("superadmin"), &json!(false)));
        assert_eq!(program.get("/api/movies").send().await.status, 200);
        assert_eq!(owner.post("/api/integrator-keys/999/keep").send().await.status, 404);
        let revoked = owner.post(&format!("{path}/revoke")).send().await.json();
        assert_eq!(revoked["needsReview"], false);
        let still = owner.post(&format!("{path}/keep")).send().await.json();
        assert_eq!(still["state"], "REVOKED");
        assert_eq!(program.get("/api/movies").send().await.status, 401);
    }

    async fn a_key_whose_creator_was_deleted_needs_review(app: &TestApp) {
        let owner = app.sign_in_as(RoleCode::Superadmin).await;
        owner.register("maker_1", "admin").await;
        let maker = app.sign_in("maker_1").await;
        maker.create("integrator-keys", &json!({"name": "TV", "scopes": ["CATALOGUE_READ"]})).await;
        let deleted = owner.delete("/api/users/maker_1").send().await;
        assert_eq!(deleted.status, 204, "{}", deleted.text());
        let page = owner.get(LIST).send().await.json();
        assert_eq!(page["content"][0]["needsReview"], true, "{page}");
    }
}
