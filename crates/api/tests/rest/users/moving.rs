//! Changes of the registering user over the API: permissions, forms, and the scopes afterwards.

use domain_kernel::RoleCode;
use serde_json::json;

use super::{agents_with_customers, patch, user};
use crate::{
    app::{TestApp, on_both},
    client::Client,
};

async fn sees(client: &Client<'_>, username: &str) -> bool {
    let status = client.get(&format!("/api/users/{username}")).send().await.status;
    let listed = client.get(&format!("/api/users?search={username}")).send().await.json();
    let history = client.get(&format!("/api/credits/history/{username}/count")).send().await.status;
    let found = (status == 200, listed["totalElements"] == 1, history == 200);
    assert!(found == (true, true, true) || found == (false, false, false), "{username}: {found:?}");
    status == 200
}

on_both! {
    #[smoke]
    async fn an_admin_moves_a_customer_and_the_scopes_follow_at_once(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let (ana, rival) = (app.sign_in("ana_1").await, app.sign_in("rival_1").await);
        assert!(sees(&ana, "ana_app").await && !sees(&rival, "ana_app").await);
        let before = user(&admin, "ana_app").await;
        let moved = patch(&admin, "ana_app", &json!({"registeredBy": "RIVAL_1"})).await;
        assert_eq!((moved.status, moved.json()["registeredBy"].clone()), (200, json!("rival_1")), "{}", moved.text());
        assert_eq!(moved.json()["version"], json!(before["version"].as_i64().unwrap() + 1));
        assert!(!sees(&ana, "ana_app").await && sees(&rival, "ana_app").await);
        let history = admin.get("/api/users/ana_app/history").send().await.json();
        let entry = &history["content"][0];
        assert_eq!((&entry["actor"], &entry["action"]), (&json!("admin"), &json!("UPDATED")));
        assert_eq!((&entry["before"], &entry["after"]), (&json!({"registeredBy": "ana_1"}), &json!({"registeredBy": "rival_1"})));
        // Without a registering user: for admins only.
        let moved = patch(&admin, "ana_app", &json!({"registeredBy": null})).await;
        assert_eq!((moved.status, moved.json()["registeredBy"].clone()), (200, json!(null)));
        assert!(!sees(&ana, "ana_app").await && !sees(&rival, "ana_app").await);
    }

    async fn an_earlier_version_restores_the_role_and_the_registering_user(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let (ana, rival) = (app.sign_in("ana_1").await, app.sign_in("rival_1").await);
        assert_eq!(patch(&admin, "ana_app", &json!({"registeredBy": "rival_1"})).await.status, 200);
        assert_eq!(patch(&admin, "ana_app", &json!({"roleCode": "agent"})).await.status, 200);
        let version = async |number: u32| {
            let path = format!("/api/users/ana_app/history/{number}");
            admin.get(&path).send().await.json()["content"].clone()
        };
        let (first, second) = (version(1).await, version(2).await);
        assert_eq!((&first["registeredBy"], &first["roleCode"]), (&json!("ana_1"), &json!("app")));
        assert_eq!((&second["registeredBy"], &second["roleCode"]), (&json!("rival_1"), &json!("app")));
        // Another agent than the present one is an admin's to choose.
        assert_eq!(patch(&rival, "ana_app", &first).await.status, 403);
        let restored = patch(&admin, "ana_app", &first).await;
        assert_eq!(restored.status, 200, "{}", restored.text());
        let restored = restored.json();
        assert_eq!((&restored["registeredBy"], &restored["role"]["code"]), (&json!("ana_1"), &json!("app")));
        assert!(sees(&ana, "ana_app").await && !sees(&rival, "ana_app").await);
    }

    async fn an_agent_moves_with_its_subtree(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let (ana, rival, eva) = (app.sign_in("ana_1").await, app.sign_in("rival_1").await, app.sign_in("eva_1").await);
        assert_eq!(patch(&admin, "eva_1", &json!({"registeredBy": "rival_1"})).await.status, 200);
        for username in ["eva_1", "eva_app"] {
            assert!(!sees(&ana, username).await && sees(&rival, username).await, "{username}");
        }
        assert!(sees(&eva, "eva_app").await);
        let circle = patch(&admin, "rival_1", &json!({"registeredBy": "eva_1"})).await;
        assert_eq!(circle.status, 422);
        assert_eq!(
            circle.field_messages(),
            [("registeredBy".into(), "No puede quedar por debajo de sí mismo ni de quien ya tiene por debajo".into())]
        );
        for (registrar, message) in [
            ("nobody", "El usuario no existe"),
            ("a b", "El usuario no existe"),
            ("eva_app", "Ese usuario no puede tener a otros por debajo"),
        ] {
            let refused = patch(&admin, "ana_app", &json!({"registeredBy": registrar})).await;
            assert_eq!(refused.field_messages(), [("registeredBy".into(), message.into())], "{registrar}");
        }
    }

    async fn sending_a_response_back_moves_no_user_and_if_match_applies(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let before = user(&admin, "ana_app").await;
        let same = admin.put("/api/users/ana_app").json(&before).send().await;
        assert_eq!((same.status, same.json()["registeredBy"].clone()), (200, json!("ana_1")));
        let mut without = before.clone();
        without.as_object_mut().unwrap().remove("registeredBy");
        let left_out = admin.put("/api/users/ana_app").json(&without).send().await;
        assert_eq!((left_out.status, left_out.json()["registeredBy"].clone()), (200, json!("ana_1")));
        let outdated = admin.patch("/api/users/ana_app").header("If-Match", "\"1\"").json(&json!({"registeredBy": "rival_1"})).send().await;
        assert_eq!((outdated.status, outdated.code()), (412, "VERSION_CONFLICT".into()));
        assert_eq!(user(&admin, "ana_app").await["registeredBy"], "ana_1");
        let mut whole = before.clone();
        whole["registeredBy"] = json!(null);
        let moved = admin.put("/api/users/ana_app").json(&whole).send().await;
        assert_eq!((moved.status, moved.json()["registeredBy"].clone()), (200, json!(null)), "{}", moved.text());
    }

    async fn moving_a_user_requires_an_admin_who_manages_it(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        boss.register("boss_2", "superadmin").await;
        let ana = app.sign_in("ana_1").await;
        let before = app.snapshot().await;
        for (client, username, registrar) in [
            (&ana, "ana_app", json!("eva_1")),
            (&ana, "eva_app", json!("ana_1")),
            (&ana, "eva_app", json!(null)),
            (&ana, "eva_app", json!("rival_1")),
            (&admin, "admin", json!("ana_1")),
            (&admin, "boss_2", json!("admin")),
            (&boss, "superadmin", json!("boss_2")),
        ] {
            let refused = patch(client, username, &json!({"registeredBy": registrar})).await;
            assert_eq!((refused.status, refused.code()), (403, "FORBIDDEN".into()), "{username} to {registrar}");
        }
        assert_eq!(patch(&ana, "rival_app", &json!({"registeredBy": "ana_1"})).await.status, 404);
        assert_eq!(app.snapshot().await, before);
        // Agents can send a response back, too.
        assert_eq!(patch(&ana, "eva_app", &json!({"registeredBy": "EVA_1"})).await.status, 200);
    }
}
