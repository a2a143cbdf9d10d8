//! Permissions on users by role and subtree.

use domain_kernel::RoleCode;
use serde_json::json;

use super::{agents_with_customers, form, patch, user};
use crate::{
    app::{TestApp, on_both},
    client::new_user,
};

on_both! {
    #[smoke]
    async fn users_outside_of_the_subtree_are_not_found_for_an_agent(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let mint = json!({"targetUsername": "rival_app", "amount": 2});
        let movement = admin.post("/api/credits/add").json(&mint).send().await.json()["id"].clone();
        let ana = app.sign_in("ana_1").await;
        assert_eq!(ana.count("users").await, 3);
        let before = app.snapshot().await;
        for hidden in ["rival_app", "rival_1", "admin", "superadmin", "nobody", "agent"] {
            let edit = form(&new_user(hidden, "app"));
            let credits = json!({"targetUsername": hidden, "amount": 1});
            let mut change = edit.clone();
            change["status"] = json!("SUSPENDED");
            for requested in [
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
                let answer = requested.send().await;
                assert_eq!((answer.status, answer.code()), (404, "NOT_FOUND".into()), "{hidden}: {}", answer.text());
            }
            // Roles are found by their names, so users match.
            let hidden = if hidden == "agent" { "nunez" } else { hidden };
            let search = ana.get(&format!("/api/users?search={hidden}")).send().await.json();
            assert_eq!(search["totalElements"], 0, "{hidden}");
        }
        assert_eq!(ana.delete("/api/users/rival_app").send().await.status, 403, "agents can't delete users");
        assert_eq!(ana.get("/api/credits?search=rival").send().await.json()["totalElements"], 0);
        let english = ana.get("/api/users/rival_app").header("accept-language", "en").send().await.json();
        assert_eq!(english["message"], "User not found");
        assert_eq!(ana.get("/api/users/rival_app").send().await.json()["message"], "Usuario no encontrado");
        assert_eq!(app.snapshot().await, before);
        for seen in ["ana_1", "ana_app", "eva_1", "eva_app", "EVA_APP"] {
            assert_eq!(ana.get(&format!("/api/users/{seen}")).send().await.status, 200, "{seen}");
            assert_eq!(ana.get(&format!("/api/credits/history/{seen}/count")).send().await.status, 200, "{seen}");
        }
    }

    async fn an_agent_keeps_its_users_and_sets_neither_role_nor_expiration(app: &TestApp) {
        let admin = agents_with_customers(app).await;
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
        // The form without the expiration, as an agent's panel sends it.
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

    async fn users_can_not_change_higher_roles_or_themselves(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        boss.register("boss_2", "superadmin").await;
        admin.register("admin_2", "admin").await;
        let before = app.snapshot().await;
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
        // A role that the caller may not assign is refused before other violations.
        assert_eq!(admin.post("/api/users").json(&json!({"roleCode": "superadmin"})).send().await.status, 403);
        assert_eq!(patch(&admin, "ana_1", &json!({"roleCode": "superadmin", "email": "x"})).await.status, 403);
        assert_eq!(app.snapshot().await, before);
        let own = json!({"fullName": "Yo misma", "email": "yo@example.com", "phoneNumber": "12345678"});
        assert_eq!(patch(&admin, "admin", &own).await.status, 200, "other fields of the caller's own are allowed");
        assert_eq!(patch(&admin, "admin_2", &json!({"roleCode": "agent"})).await.status, 200, "equals manage each other");
        assert_eq!(patch(&boss, "boss_2", &json!({"roleCode": "app"})).await.status, 200);
    }

    async fn a_role_in_another_spelling_is_refused(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let ana = app.sign_in("ana_1").await;
        let before = app.snapshot().await;
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
        assert_eq!(app.snapshot().await, before);
    }

    async fn one_superadmin_stays_active(app: &TestApp) {
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        boss.register("boss_2", "superadmin").await;
        let second = app.sign_in("boss_2").await;
        assert_eq!(second.patch("/api/users/superadmin/toggle-status").send().await.json()["status"], "INACTIVE");
        assert_eq!(boss.patch("/api/users/boss_2/toggle-status").send().await.status, 401, "inactive users are signed out");
        assert_eq!(second.patch("/api/users/boss_2/toggle-status").send().await.status, 403);
        assert_eq!(user(&second, "boss_2").await["status"], "ACTIVE");
    }

    async fn the_listed_roles_are_those_that_the_caller_may_assign(app: &TestApp) {
        agents_with_customers(app).await;
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
            let reported: Vec<&str> = roles.as_array().unwrap().iter().map(|role| role["name"].as_str().unwrap()).collect();
            assert_eq!(reported, names);
        }
    }
}
