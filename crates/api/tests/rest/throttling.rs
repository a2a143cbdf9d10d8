//! Failed sign-ins are throttled, successful ones are not.

use std::sync::atomic::Ordering;

use actix_web::cookie::Cookie;
use chrono::TimeDelta;
use futures_util::future::join_all;
use serde_json::json;

use crate::{
    app::{PASSWORD, TestApp},
    client::Answer,
};

async fn attempt(app: &TestApp, name: &str, password: &str, address: [u8; 4]) -> Answer {
    let body = json!({"username": name, "password": password});
    app.anonymous().post("/api/auth/login").at_address(address).json(&body).send().await
}

#[actix_web::test]
async fn ten_failures_of_a_name_throttle_it_only_in_that_network() {
    let app = TestApp::new().await;
    for _ in 0..10 {
        assert_eq!(attempt(&app, "admin", "wrong", [192, 0, 2, 1]).await.status, 401);
    }
    let refused = attempt(&app, "ADMIN", PASSWORD, [192, 0, 2, 1]).await;
    assert_eq!((refused.status, refused.code()), (429, "TOO_MANY_REQUESTS".to_owned()));
    assert_eq!(refused.header("retry-after"), Some("30"));
    assert_eq!(refused.json()["success"], false);
    assert!(refused.json()["message"].as_str().unwrap().contains("30"));
    // The user from another network, and other users from this one, sign in.
    assert_eq!(attempt(&app, "admin", PASSWORD, [192, 0, 2, 2]).await.status, 200);
    assert_eq!(attempt(&app, "agent", PASSWORD, [192, 0, 2, 1]).await.status, 200);
    app.clock.forward(TimeDelta::seconds(29));
    assert_eq!(attempt(&app, "admin", PASSWORD, [192, 0, 2, 1]).await.header("retry-after"), Some("1"));
    app.clock.forward(TimeDelta::seconds(1));
    assert_eq!(attempt(&app, "admin", PASSWORD, [192, 0, 2, 1]).await.status, 200);
}

#[actix_web::test]
async fn of_150_parallel_guesses_ten_are_checked() {
    let app = TestApp::new().await;
    let before = app.passwords.verified.load(Ordering::Relaxed);
    let guesses = (0..150).map(|number| {
        let app = &app;
        async move { attempt(app, "admin", &format!("Guess {number}"), [192, 0, 2, 1]).await.status }
    });
    let mut answers: Vec<u16> = join_all(guesses).await;
    answers.sort_unstable();
    assert_eq!(app.passwords.verified.load(Ordering::Relaxed) - before, 10);
    assert_eq!(answers.iter().filter(|status| **status == 401).count(), 10, "{answers:?}");
    // The others are refused by the throttle, or because more than 64 were pending.
    assert!(answers.iter().all(|status| [401, 429, 503].contains(status)), "{answers:?}");
}

#[actix_web::test]
async fn parallel_sign_ins_with_the_right_password_all_succeed() {
    let app = TestApp::new().await;
    let sign_ins = (0..40).map(|_| async { attempt(&app, "admin", PASSWORD, [192, 0, 2, 1]).await.status });
    assert!(join_all(sign_ins).await.into_iter().all(|status| status == 200));
}

#[actix_web::test]
async fn a_known_device_signs_in_while_others_guess_the_password() {
    let app = TestApp::new().await;
    let device = attempt(&app, "admin", PASSWORD, [198, 51, 100, 1]).await.device_cookie().unwrap();
    // From one network, and from a hundred others.
    for number in 0..10 {
        for network in 0..12 {
            attempt(&app, "admin", &format!("Guess {number}"), [192, 0, 2, network]).await;
        }
    }
    assert_eq!(attempt(&app, "admin", PASSWORD, [198, 51, 100, 1]).await.status, 429);
    let body = json!({"username": "admin", "password": PASSWORD});
    let known = async |cookie: Cookie<'static>| {
        let requested =
            app.anonymous().post("/api/auth/login").at_address([192, 0, 2, 1]).cookie(cookie).json(&body);
        requested.send().await.status
    };
    assert_eq!(known(device.clone()).await, 200);
    let mut forged = device.clone();
    forged.set_value(format!("{}x", device.value()));
    assert_eq!(known(forged).await, 429, "the signature is checked");
    let other = attempt(&app, "agent", PASSWORD, [198, 51, 100, 2]).await.device_cookie().unwrap();
    assert_eq!(known(other).await, 429, "another user's device");
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
async fn an_unknown_name_is_throttled_like_a_known_one() {
    let app = TestApp::new().await;
    for _ in 0..10 {
        attempt(&app, "nobody_here", "wrong", [192, 0, 2, 1]).await;
    }
    assert_eq!(attempt(&app, "nobody_here", "wrong", [192, 0, 2, 1]).await.status, 429);
}

#[actix_web::test]
async fn thirty_failures_throttle_an_address_also_behind_proxies() {
    let app = TestApp::new().await;
    let behind = async |name: String, caller: &str| {
        let body = json!({"username": name, "password": "wrong"});
        let requested = app.anonymous().post("/api/auth/login").at_address([10, 0, 0, 1]).json(&body);
        requested.header("x-forwarded-for", caller).send().await.status
    };
    for number in 0..30 {
        assert_eq!(behind(format!("user_{number}"), "203.0.113.9").await, 401);
    }
    assert_eq!(behind("user_99".into(), "203.0.113.9").await, 429);
    assert_eq!(behind("user_99".into(), "203.0.113.10").await, 401, "another caller of the same proxy");
    // `X-Forwarded-For` of untrusted addresses is ignored.
    for number in 0..30 {
        let body = json!({"username": format!("other_{number}"), "password": "wrong"});
        let requested = app.anonymous().post("/api/auth/login").at_address([192, 0, 2, 7]).json(&body);
        requested.header("x-forwarded-for", &format!("203.0.113.{number}")).send().await;
    }
    assert_eq!(attempt(&app, "other_99", "wrong", [192, 0, 2, 7]).await.status, 429);
}

#[actix_web::test]
async fn successful_sign_ins_are_never_throttled() {
    let app = TestApp::new().await;
    for _ in 0..60 {
        assert_eq!(attempt(&app, "admin", PASSWORD, [192, 0, 2, 1]).await.status, 200);
    }
}
