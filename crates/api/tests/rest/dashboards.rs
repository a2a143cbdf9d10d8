//! Dashboards: the figures equal the totals of the lists.

use domain_issues::IssueContentType;
use domain_kernel::{Enumeration, RoleCode};
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
    users::agents_with_customers,
};

async fn post(client: &Client<'_>, path: &str, body: &Value) -> Value {
    let answer = client.post(path).json(body).send().await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    answer.json()
}

async fn total(client: &Client<'_>, query: &str) -> Value {
    client.get(&format!("/api/users?{query}")).send().await.json()["totalElements"].clone()
}

/// Sold credits, expired subscriptions, subscriptions about to end, and reversals.
async fn sold_credits(app: &TestApp) -> Client<'_> {
    let admin = agents_with_customers(app).await;
    for (target, amount) in [("ana_1", 100), ("eva_1", 30), ("rival_1", 200)] {
        post(&admin, "/api/credits/add-for-sale", &json!({"targetUsername": target, "amount": amount})).await;
    }
    for (agent, operation, target, amount) in [
        ("ana_1", "add", "ana_app", 3),
        ("ana_1", "add", "eva_app", 4),
        ("ana_1", "add-for-sale", "eva_1", 10),
        ("ana_1", "deduct-for-sale", "eva_1", 5),
        ("eva_1", "add", "eva_app", 2),
        ("rival_1", "add", "rival_app", 20),
    ] {
        let body = json!({"targetUsername": target, "amount": amount});
        post(&app.sign_in(agent).await, &format!("/api/credits/{operation}"), &body).await;
    }
    let wrong = post(
        &app.sign_in("rival_1").await,
        "/api/credits/add",
        &json!({"targetUsername": "rival_app", "amount": 9}),
    )
    .await;
    post(&admin, &format!("/api/credits/{}/reverse", wrong["id"]), &json!({})).await;
    for (username, date) in
        [("ana_app", "2026-11-20T09:59:59.000Z"), ("eva_app", "2026-11-30"), ("rival_app", "2026-11-01")]
    {
        let change = json!({"expirationDate": date});
        assert_eq!(admin.patch(&format!("/api/users/{username}")).json(&change).send().await.status, 200);
    }
    admin
}

on_both! {
    async fn the_figures_of_an_agent_are_its_stock_and_its_users(app: &TestApp) {
        let admin = sold_credits(app).await;
        let ana = app.sign_in("ana_1").await;
        let cards = ana.get("/api/agent/dashboard").send().await.json();
        for (card, value) in [
            ("totalSaleCredits", 88),
            ("totalAppCredits", 9),
            ("totalRegisteredUsers", 3),
            ("totalRegisteredAgents", 1),
            ("expiredUsers", 1),
            ("usersAboutToExpire", 1),
        ] {
            assert_eq!(cards[card], value, "{card}: {cards}");
        }
        assert_eq!(cards["totalRegisteredUsers"], total(&ana, "").await);
        assert_eq!(cards["totalRegisteredAgents"], total(&ana, "roleCode=agent").await);
        assert_eq!(cards["expiredUsers"], total(&ana, "expired=true").await);
        assert_eq!(cards["usersAboutToExpire"], total(&ana, "aboutToExpire=true").await);
        assert_eq!(cards["totalSaleCredits"], ana.get("/api/users/ana_1").send().await.json()["saleCredits"]);
        let months = cards["monthly"].as_array().unwrap();
        assert_eq!((months.len(), &months[0]["month"], &months[11]["month"]), (12, &json!("2025-12"), &json!("2026-11")));
        assert_eq!(months[11], json!({"month": "2026-11", "registrations": 3, "creditsSold": 12}));
        assert_eq!(cards["expiringNext"].as_array().unwrap().len(), 1);
        assert_eq!(cards["expiringNext"][0]["username"], "eva_app");
        let eva = app.sign_in("eva_1").await.get("/api/agent/dashboard").send().await.json();
        assert_eq!((&eva["totalSaleCredits"], &eva["totalAppCredits"], &eva["totalRegisteredUsers"]), (&json!(33), &json!(6), &json!(1)));
        drop(admin);
    }

    #[smoke]
    async fn the_figures_of_an_admin_are_of_all_users(app: &TestApp) {
        let admin = sold_credits(app).await;
        let cards = admin.get("/api/admin/dashboard").send().await.json();
        assert_eq!(cards["totalUsers"], total(&admin, "").await);
        assert_eq!(cards["totalAgents"], total(&admin, "roleCode=agent").await);
        assert_eq!(cards["expiredUsers"], total(&admin, "expired=true").await);
        assert_eq!(cards["usersAboutToExpire"], total(&admin, "aboutToExpire=true").await);
        assert_eq!((&cards["expiredUsers"], &cards["usersAboutToExpire"]), (&json!(2), &json!(1)));
        let top: Vec<(&str, i64)> = cards["topSellingAgents"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (one["username"].as_str().unwrap(), one["totalSales"].as_i64().unwrap()))
            .collect();
        assert_eq!(top, [("rival_1", 20), ("ana_1", 12), ("eva_1", 2)], "reversals and stock that was returned are deducted");
        let counts = cards["contentCounts"].as_object().unwrap();
        let mut names: Vec<&str> = counts.keys().map(String::as_str).collect();
        names.sort_unstable();
        let mut counted: Vec<&str> = ports::ContentCounts::KINDS.iter().map(|(name, _)| *name).collect();
        counted.sort_unstable();
        assert_eq!(names, counted);
        for name in ["concerts", "documentaries", "episodes", "movies", "series", "sports"] {
            assert!(names.contains(&name), "{name}");
        }
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        assert_eq!(boss.get("/api/admin/dashboard").send().await.json(), cards);
    }

    async fn only_active_content_is_counted(app: &TestApp) {
        let manager = app.manager().await;
        let film = manager.film().await;
        let id = manager.create("movies", &film).await["id"].clone();
        let mut other = film.clone();
        other["title"] = json!("Otra película");
        manager.create("movies", &other).await;
        let movies = async || manager.get("/api/content-manager/dashboard").send().await.json()["contentCounts"]["movies"].clone();
        assert_eq!(movies().await, 2);
        let off = json!({"active": false});
        assert_eq!(manager.patch(&format!("/api/movies/{id}/status")).json(&off).send().await.status, 200);
        assert_eq!(movies().await, 1);
        let seen = manager.get("/api/content-manager/dashboard").send().await.json();
        let issues = seen["unresolvedIssues"].as_object().unwrap();
        for kind in IssueContentType::CODES {
            assert_eq!(issues[*kind], 0, "{kind}");
        }
    }

    async fn each_role_has_its_own_dashboard(app: &TestApp) {
        for (path, roles) in [
            ("agent", vec!["agent"]),
            ("admin", vec!["superadmin", "admin"]),
            ("content-manager", vec!["superadmin", "admin", "contentManager"]),
        ] {
            for role in ["superadmin", "admin", "contentManager", "agent", "app"] {
                let client = app.sign_in(role).await;
                let status = client.get(&format!("/api/{path}/dashboard")).send().await.status;
                assert_eq!(status, if roles.contains(&role) { 200 } else { 403 }, "{path} {role}");
            }
        }
    }
}
