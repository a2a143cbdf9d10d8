//! Notices over the API: by role, seen state, and their webhook events.

use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
    users::agents_with_customers,
};

/// The notices, with a star for new ones.
async fn notices(client: &Client<'_>) -> Vec<String> {
    let answer = client.get("/api/notices").send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let text = |notice: &Value| {
        let star = if notice["isNew"] == true { "*" } else { "" };
        format!("{} {}{star}", notice["kind"].as_str().unwrap(), notice["count"])
    };
    answer.json().as_array().unwrap().iter().map(text).collect()
}

async fn see(client: &Client<'_>) {
    let shown = client.get("/api/notices").send().await.json();
    let notices: Vec<Value> = shown
        .as_array()
        .unwrap()
        .iter()
        .map(|notice| json!({"kind": notice["kind"], "count": notice["count"], "newest": notice["newest"]}))
        .collect();
    let answer = client.put("/api/notices/seen").json(&json!({"notices": notices})).send().await;
    assert_eq!(answer.status, 204, "{}", answer.text());
}

async fn ends(client: &Client<'_>, username: &str, date: &str) {
    let change = json!({"expirationDate": date});
    let answer = client.patch(&format!("/api/users/{username}")).json(&change).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
}

async fn stock(admin: &Client<'_>, username: &str, amount: i64) {
    let body = json!({"targetUsername": username, "amount": amount});
    assert_eq!(admin.post("/api/credits/add-for-sale").json(&body).send().await.status, 201);
}

on_both! {
    async fn each_user_gets_the_notices_of_its_scope_as_new_once(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        // Removes the notices about the overdue backup and the agents of the fixture.
        let made = "'2026-11-20T09:00:00.000+00:00'";
        app.run(&format!(
            "INSERT INTO backups (origin, state, created_date, finished_date) VALUES ('MANUAL', 'GOOD', {made}, {made})"
        ))
        .await;
        stock(&admin, "ana_1", 20).await;
        stock(&admin, "rival_1", 12).await;
        stock(&admin, "agent", 12).await;
        ends(&admin, "ana_app", "2026-11-25").await;
        ends(&admin, "eva_app", "2026-11-20T09:00:00Z").await;
        ends(&admin, "rival_app", "2026-11-24").await;
        let ana = app.sign_in("ana_1").await;
        assert_eq!(notices(&ana).await, ["AGENTS_LOW_STOCK 1*", "EXPIRING 1*", "EXPIRED 1*"]);
        assert_eq!(notices(&admin).await, ["AGENTS_LOW_STOCK 1*", "EXPIRING 2*", "EXPIRED 1*"]);
        let eva = app.sign_in("eva_1").await;
        assert_eq!(notices(&eva).await, ["OWN_LOW_STOCK 0*", "EXPIRED 1*"]);
        let rival = app.sign_in("rival_1").await;
        assert_eq!(notices(&rival).await, ["EXPIRING 1*"]);
        assert_eq!(notices(&app.manager().await).await, Vec::<String>::new(), "does not sell");

        see(&ana).await;
        assert_eq!(notices(&ana).await, ["AGENTS_LOW_STOCK 1", "EXPIRING 1", "EXPIRED 1"]);
        assert_eq!(notices(&eva).await, ["OWN_LOW_STOCK 0*", "EXPIRED 1*"], "seen by ana alone");
        // Another subscription is about to end, and one customer is snoozed.
        ends(&admin, "eva_app", "2026-11-26").await;
        assert_eq!(notices(&ana).await, ["AGENTS_LOW_STOCK 1", "EXPIRING 2*"]);
        let snooze = json!({"until": "2026-11-22"});
        assert_eq!(ana.put("/api/users/eva_app/snooze").json(&snooze).send().await.status, 204);
        assert_eq!(notices(&ana).await, ["AGENTS_LOW_STOCK 1", "EXPIRING 1"]);
        // A webhook was resumed after the notice was seen, and is paused again since.
        let webhook = json!({"name": "uno", "url": "https://example.com/uno", "events": ["ITEM_REMOVED"]});
        admin.create("webhooks", &webhook).await;
        for hour in ["08", "09"] {
            app.run(&format!("UPDATE webhooks SET failing_since = paused_date, paused_date = '2026-11-20T{hour}:00:00.000+00:00'")).await;
            assert!(notices(&admin).await.contains(&"WEBHOOKS_PAUSED 1*".to_owned()), "{hour}");
            see(&admin).await;
            assert!(notices(&admin).await.contains(&"WEBHOOKS_PAUSED 1".to_owned()), "{hour}");
        }
        app.clock.forward(chrono::TimeDelta::hours(15));
        let ana = app.sign_in("ana_1").await;
        assert_eq!(notices(&ana).await[0], "AGENTS_LOW_STOCK 1*", "the next day");
    }

    async fn low_stock_and_reversal_requests_are_webhook_events(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let hook = json!({
            "name": "Avisos", "url": "https://example.com/hook", "events": ["USER_LOW_STOCK", "REVERSAL_REQUESTED"],
        });
        let hook = admin.create("webhooks", &hook).await["id"].clone();
        let log = async || {
            let page = admin.get(&format!("/api/webhooks/{hook}/deliveries?_sort=id")).send().await.json();
            let event = |one: &Value| (one["eventType"].as_str().unwrap().to_owned(), one["entity"].clone(), one["data"].clone());
            page["content"].as_array().unwrap().iter().map(event).collect::<Vec<_>>()
        };
        stock(&admin, "ana_1", 14).await;
        let ana = app.sign_in("ana_1").await;
        let sell = async |amount: i64| {
            let sale = json!({"targetUsername": "ana_app", "amount": amount});
            let sold = ana.post("/api/credits/add").json(&sale).send().await;
            assert_eq!(sold.status, 201, "{}", sold.text());
            sold.json()["id"].clone()
        };
        sell(2).await;
        assert_eq!(log().await, [], "12 are not low");
        let sale = sell(1).await;
        sell(1).await;
        let low = ("USER_LOW_STOCK".to_owned(), json!("users/ana_1"), json!({"username": "ana_1", "saleCredits": 11}));
        assert_eq!(log().await, std::slice::from_ref(&low), "once, when it became low");
        let refused = json!({"targetUsername": "ana_app", "amount": 99});
        assert_eq!(ana.post("/api/credits/add").json(&refused).send().await.status, 409);
        assert_eq!(log().await.len(), 1);

        let requested = ana.post(&format!("/api/credits/{sale}/reversal-requests")).json(&json!({})).send().await;
        assert_eq!(requested.status, 201, "{}", requested.text());
        let events = log().await;
        assert_eq!((&events[0], events[1].0.as_str()), (&low, "REVERSAL_REQUESTED"));
        assert_eq!(events[1].2["requestedBy"], json!("ana_1"));
        assert!(notices(&admin).await.contains(&"REVERSAL_REQUESTS 1*".to_owned()));
        assert!(!notices(&ana).await.iter().any(|one| one.starts_with("REVERSAL")), "admins decide");
    }
}
