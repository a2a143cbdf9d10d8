//! Failures are slowed down, successes never.

use chrono::TimeDelta;
use serde_json::json;

use crate::{
    app::{PASSWORD, TestApp},
    client::Answer,
};

async fn attempt(app: &TestApp, name: &str, password: &str, address: [u8; 4]) -> Answer {
    let body = json!({"username": name, "password": password});
    app.nobody().post("/api/auth/login").at_address(address).json(&body).send().await
}

#[actix_web::test]
async fn after_ten_failures_of_a_name_it_waits_wherever_it_comes_from() {
    let app = TestApp::new().await;
    for last in 0..10 {
        assert_eq!(attempt(&app, "admin", "wrong", [192, 0, 2, last]).await.status, 401);
    }
    let refused = attempt(&app, "ADMIN", PASSWORD, [198, 51, 100, 1]).await;
    assert_eq!((refused.status, refused.code()), (429, "TOO_MANY_REQUESTS".to_owned()));
    assert_eq!(refused.header("retry-after"), Some("30"));
    assert_eq!(refused.json()["success"], false);
    assert!(refused.json()["message"].as_str().unwrap().contains("30"));
    // Others come in.
    assert_eq!(attempt(&app, "agent", PASSWORD, [198, 51, 100, 1]).await.status, 200);
    app.clock.forward(TimeDelta::seconds(29));
    assert_eq!(attempt(&app, "admin", PASSWORD, [198, 51, 100, 1]).await.header("retry-after"), Some("1"));
    app.clock.forward(TimeDelta::seconds(1));
    assert_eq!(attempt(&app, "admin", PASSWORD, [198, 51, 100, 1]).await.status, 200);
}

#[actix_web::test]
async fn waits_double_with_each_further_failure() {
    let app = TestApp::new().await;
    for _ in 0..10 {
        attempt(&app, "admin", "wrong", [192, 0, 2, 1]).await;
    }
    for seconds in [30, 60, 120] {
        let refused = attempt(&app, "admin", "wrong", [192, 0, 2, 1]).await;
        assert_eq!(refused.header("retry-after"), Some(seconds.to_string().as_str()));
        app.clock.forward(TimeDelta::seconds(seconds));
        assert_eq!(attempt(&app, "admin", "wrong", [192, 0, 2, 1]).await.status, 401);
    }
}

#[actix_web::test]
async fn an_unknown_name_is_slowed_down_like_a_known_one() {
    let app = TestApp::new().await;
    for _ in 0..10 {
        attempt(&app, "nobody_here", "wrong", [192, 0, 2, 1]).await;
    }
    assert_eq!(attempt(&app, "nobody_here", "wrong", [192, 0, 2, 2]).await.status, 429);
}

#[actix_web::test]
async fn after_thirty_failures_an_address_waits_and_proxies_are_looked_behind() {
    let app = TestApp::new().await;
    let behind = async |name: String, caller: &str| {
        let body = json!({"username": name, "password": "wrong"});
        let asked = app.nobody().post("/api/auth/login").at_address([10, 0, 0, 1]).json(&body);
        asked.header("x-forwarded-for", caller).send().await.status
    };
    for number in 0..30 {
        assert_eq!(behind(format!("user_{number}"), "203.0.113.9").await, 401);
    }
    assert_eq!(behind("user_99".into(), "203.0.113.9").await, 429);
    assert_eq!(behind("user_99".into(), "203.0.113.10").await, 401, "another caller of the same proxy");
    // Whom nobody trusts cannot pretend to be another.
    for number in 0..30 {
        let body = json!({"username": format!("other_{number}"), "password": "wrong"});
        let asked = app.nobody().post("/api/auth/login").at_address([192, 0, 2, 7]).json(&body);
        asked.header("x-forwarded-for", &format!("203.0.113.{number}")).send().await;
    }
    assert_eq!(attempt(&app, "other_99", "wrong", [192, 0, 2, 7]).await.status, 429);
}

#[actix_web::test]
async fn successes_are_never_slowed_down() {
    let app = TestApp::new().await;
    for _ in 0..60 {
        assert_eq!(attempt(&app, "admin", PASSWORD, [192, 0, 2, 1]).await.status, 200);
    }
}
