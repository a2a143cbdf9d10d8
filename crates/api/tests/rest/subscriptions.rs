//! Subscriptions that have not started, suspended users, and registrations with an idempotency key:
//! limits of agents.

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp, on_both},
    client::{Client, new_user},
    users::agents_with_customers,
};

async fn read(client: &Client<'_>, username: &str) -> Value {
    client.get(&format!("/api/users/{username}")).send().await.json()
}

async fn state(client: &Client<'_>, username: &str) -> Value {
    read(client, username).await["subscription"]["state"].clone()
}

on_both! {
    async fn a_customer_of_an_agent_plays_from_the_first_sale_on(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let ana = app.sign_in("ana_1").await;
        let program = app.program(&["SUBSCRIBERS_READ"]).await;
        let may_play = async || {
            let answer = program.get("/api/subscribers/ana_app").send().await.json();
            (answer["mayPlay"].clone(), answer["reason"].clone(), answer["subscription"]["state"].clone())
        };
        let not_started = || (json!(false), json!("NOT_STARTED"), json!("NOT_STARTED"));
        assert_eq!(may_play().await, not_started());
        let listed = ana.get("/api/users?search=ana_app").send().await.json();
        assert_eq!(listed["content"][0]["subscription"], json!({"state": "NOT_STARTED"}));
        assert_eq!(read(&admin, "ana_1").await["subscription"], Value::Null);

        let stock = json!({"targetUsername": "ana_1", "amount": 5});
        assert_eq!(admin.post("/api/credits/add-for-sale").json(&stock).send().await.status, 201);
        let sale = json!({"targetUsername": "ana_app", "amount": 1});
        let quote = json!({"targetUsername": "ana_app", "amount": 1, "operationType": "ADD_CREDITS"});
        let quoted = ana.post("/api/credits/quote").json(&quote).send().await.json();
        assert_eq!(quoted["startsSubscription"], true, "{quoted}");
        let sold = ana.post("/api/credits/add").json(&sale).send().await;
        assert_eq!(sold.status, 201, "{}", sold.text());
        assert_eq!(may_play().await, (json!(true), json!("CURRENT"), json!("CURRENT")));
        let reverse = format!("/api/credits/{}/reverse", sold.json()["id"]);
        assert_eq!(admin.post(&reverse).json(&json!({})).send().await.status, 201);
        assert_eq!(may_play().await, not_started());
    }

    async fn subscriptions_without_an_end_are_granted_by_admins_explicitly(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let ana = app.sign_in("ana_1").await;
        admin.register("admin_app", "app").await;
        assert_eq!(state(&admin, "admin_app").await, "NO_EXPIRATION");
        // A response can be sent back by both, and grants nothing.
        for client in [&admin, &ana] {
            let mut form = read(client, "ana_app").await;
            assert_eq!(form["expirationDate"], Value::Null);
            for with_state in [true, false] {
                if !with_state {
                    form.as_object_mut().unwrap().remove("subscription");
                }
                let answer = client.put("/api/users/ana_app").json(&form).send().await;
                assert_eq!(answer.status, 200, "{}", answer.text());
                assert_eq!(answer.json()["subscription"]["state"], "NOT_STARTED");
            }
        }
        let grant = json!({"subscription": {"state": "NO_EXPIRATION"}});
        let refused = ana.patch("/api/users/ana_app").json(&grant).send().await;
        assert_eq!((refused.status, refused.code()), (403, "FORBIDDEN".to_owned()));
        let granted = admin.patch("/api/users/ana_app").json(&grant).send().await;
        assert_eq!(granted.json()["subscription"]["state"], "NO_EXPIRATION", "{}", granted.text());
        let quote = json!({"targetUsername": "ana_app", "amount": 1, "operationType": "ADD_CREDITS"});
        let quoted = admin.post("/api/credits/quote").json(&quote).send().await.json();
        assert_eq!(quoted["warnings"][0]["code"], "GETS_END_DATE", "{quoted}");
        // An edit does not reset a started subscription.
        let back = json!({"subscription": {"state": "NOT_STARTED"}});
        let broken = admin.patch("/api/users/ana_app").json(&back).send().await.field_codes();
        assert_eq!(broken, [("subscription.state".to_owned(), "IMMUTABLE".to_owned())]);
        // A single null, or a date, is an explicit change.
        let cleared = admin.patch("/api/users/eva_app").json(&json!({"expirationDate": null})).send().await;
        assert_eq!(cleared.json()["subscription"]["state"], "NO_EXPIRATION", "{}", cleared.text());
        let dated = admin.patch("/api/users/rival_app").json(&json!({"expirationDate": "2030-01-31"})).send().await;
        assert_eq!(dated.json()["subscription"]["state"], "CURRENT", "{}", dated.text());
        app.verify_ledger().await;
    }

    async fn suspension_is_for_admins(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let ana = app.sign_in("ana_1").await;
        let suspend = json!({"status": "SUSPENDED"});
        let refused = ana.patch("/api/users/ana_app").json(&suspend).send().await;
        assert_eq!((refused.status, refused.code()), (403, "FORBIDDEN".to_owned()));
        let mut new = new_user("new_app", "app");
        new["status"] = json!("SUSPENDED");
        assert_eq!(ana.post("/api/users").json(&new).send().await.status, 403);
        assert_eq!(admin.patch("/api/users/ana_app").json(&suspend).send().await.status, 200);
        let form = read(&ana, "ana_app").await;
        for refused in [
            ana.patch("/api/users/ana_app/toggle-status").send().await,
            ana.patch("/api/users/ana_app").json(&json!({"status": "ACTIVE"})).send().await,
            ana.patch("/api/users/ana_app").json(&json!({"comment": "x"})).send().await,
            ana.put("/api/users/ana_app").json(&form).send().await,
        ] {
            assert_eq!((refused.status, refused.code()), (403, "USER_SUSPENDED".to_owned()));
        }
        let english = ana.patch("/api/users/ana_app/toggle-status").header("accept-language", "en").send().await;
        assert_eq!(
            english.json()["message"],
            "This user is suspended. Only an administrator can change that."
        );
        let toggled = admin.patch("/api/users/ana_app/toggle-status").send().await;
        assert_eq!(toggled.json()["status"], "ACTIVE");
    }

    async fn the_same_key_with_another_password_is_another_request(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let mut body = new_user("ana_1", "agent");
        let send = async |body: &Value| {
            admin.post("/api/users").header("idempotency-key", "k-1").json(body).send().await
        };
        let first = send(&body).await;
        assert_eq!(first.status, 201, "{}", first.text());
        let again = send(&body).await;
        assert_eq!((again.status, again.header("idempotency-replayed").is_some()), (201, true));
        body["password"] = json!("Otra contraseña 2");
        let other = send(&body).await;
        assert_eq!((other.status, other.code()), (409, "IDEMPOTENCY_MISMATCH".to_owned()));
        let credentials = json!({"username": "ana_1", "password": PASSWORD});
        assert_eq!(app.anonymous().post("/api/auth/login").json(&credentials).send().await.status, 200);
        assert!(!app.snapshot().await.join("\n").contains("Otra contraseña"));
    }
}
