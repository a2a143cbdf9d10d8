//! Headers of every response, and limits of requests.

use actix_web::http::Method;
use domain_kernel::RoleCode;
use sea_orm::TransactionTrait;
use serde_json::json;

use crate::{
    app::{METRICS_TOKEN, PASSWORD, TestApp},
    client::{Answer, Client},
    problems::assert_problem,
};

fn assert_headers(answer: &Answer, secure: bool) {
    for name in ["content-security-policy", "referrer-policy", "permissions-policy"] {
        assert!(answer.header(name).is_some(), "{} lacks {name}", answer.status);
    }
    assert!(answer.header("content-security-policy").unwrap().contains("frame-ancestors 'none'"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert!(answer.header("x-request-id").is_some_and(|id| id.len() == 16));
    let hsts = secure.then_some("max-age=31536000; includeSubDomains");
    assert_eq!(answer.header("strict-transport-security"), hsts);
}

#[actix_web::test]
async fn every_response_has_the_headers() {
    for secure in [false, true] {
        let app = if secure { TestApp::secure().await } else { TestApp::new().await };
        let anonymous = app.anonymous();
        for (method, path, status) in [
            (Method::GET, "/api/health/live", 200),
            (Method::GET, "/api/docs", 200),
            (Method::GET, "/api/movies", 401),
            (Method::GET, "/api/nowhere", 404),
            (Method::DELETE, "/api/movies", 405),
            (Method::GET, "/nowhere", 404),
            (Method::GET, "/metrics", 401),
            (Method::HEAD, "/metrics", 401),
        ] {
            let answer = anonymous.request(method, path).send().await;
            assert_eq!(answer.status, status, "{path}");
            assert_headers(&answer, secure);
        }
        let monitoring = Client::with_key(&app, METRICS_TOKEN).get("/metrics").send().await;
        assert_eq!(monitoring.status, 200);
        assert_headers(&monitoring, secure);
        let head = Client::with_key(&app, METRICS_TOKEN).request(Method::HEAD, "/metrics").send().await;
        assert_eq!(head.status, 200);
        assert_headers(&head, secure);
        let refused = anonymous.post("/api/auth/logout").header("sec-fetch-site", "cross-site").send().await;
        assert_eq!(refused.status, 403);
        assert_headers(&refused, secure);
    }
}

#[actix_web::test]
async fn metrics_require_the_token() {
    let app = TestApp::new().await;
    for client in
        [app.anonymous(), app.sign_in_as(RoleCode::Superadmin).await, Client::with_key(&app, "another")]
    {
        let answer = client.get("/metrics").send().await;
        assert_eq!((answer.status, answer.header("www-authenticate")), (401, Some("Bearer")));
    }
}

#[actix_web::test]
async fn only_a_trusted_proxy_sets_the_request_id() {
    let app = TestApp::new().await;
    let named = async |address: [u8; 4], id: &str| {
        let requested =
            app.anonymous().get("/api/health/live").at_address(address).header("x-request-id", id);
        requested.send().await.header("x-request-id").unwrap().to_owned()
    };
    assert_eq!(named([10, 0, 0, 1], "proxy-1234.5").await, "proxy-1234.5");
    for (address, id) in
        [([192, 0, 2, 1], "proxy-1234.5"), ([10, 0, 0, 1], "a b c d e f"), ([10, 0, 0, 1], "short")]
    {
        assert_ne!(named(address, id).await, id);
    }
}

#[actix_web::test]
async fn an_internal_error_has_the_request_id() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    app.run("DROP TABLE movies_counts").await;
    let answer = ana.get("/api/movies").send().await;
    assert_eq!(answer.status, 500);
    assert_eq!(answer.json()["requestId"].as_str(), answer.header("x-request-id"));
}

#[actix_web::test]
async fn bodies_of_auth_have_at_most_four_kibibytes() {
    let app = TestApp::new().await;
    let credentials = |blanks: usize| {
        let body = json!({"username": "admin", "password": PASSWORD}).to_string();
        format!("{body}{}", " ".repeat(blanks - body.len()))
    };
    let sign_in = async |body: String| {
        app.anonymous().post("/api/auth/login").body("application/json", body).send().await
    };
    assert_eq!(sign_in(credentials(4096)).await.status, 200);
    let refused = sign_in(credentials(4097)).await;
    assert_problem_of_auth(&refused);
    assert!(refused.json()["message"].as_str().unwrap().contains("4096"));
    let ana = app.manager().await;
    let large =
        ana.post("/api/categories").body("application/json", " ".repeat(1024 * 1024 + 1)).send().await;
    assert_problem(&large, 413, "PAYLOAD_TOO_LARGE", "es");
    assert!(large.json()["message"].as_str().unwrap().contains("1 MB"));
}

fn assert_problem_of_auth(answer: &Answer) {
    assert_eq!((answer.status, answer.code()), (413, "PAYLOAD_TOO_LARGE".to_owned()));
    assert_eq!(answer.json()["success"], false);
}

#[actix_web::test]
async fn the_response_to_an_invalid_body_has_a_limited_size() {
    let app = TestApp::new().await;
    let admin = app.sign_in_as(RoleCode::Superadmin).await;
    let unknown: Vec<String> = (0..80_000).map(|number| format!("\"k{number}\":1")).collect();
    let unknown = format!("{{{}}}", unknown.join(","));
    let long_name = format!("{{\"{}\":1}}", "\\u0001".repeat(170_000));
    let long_text = json!({"description": "x".repeat(800_000), "englishDescription": "\u{1}".repeat(20_000), "type": "x".repeat(50_000)});
    let numbers = json!({"description": vec![0; 400_000], "type": vec![vec![1; 100]; 1000]});
    let deep = format!("{}{}", "[".repeat(500_000), "]".repeat(500_000));
    let links = json!({"links": vec![json!({"url": "x", "language": "y", "z": 1}); 20_000]});
    let genres = json!({"genres": vec!["x".repeat(100); 9_000]});
    for path in ["categories", "movies", "tv-shows", "sports", "users", "webhooks", "integrator-keys"] {
        for body in [
            unknown.clone(),
            long_name.clone(),
            long_text.to_string(),
            numbers.to_string(),
            deep.clone(),
            links.to_string(),
            genres.to_string(),
        ] {
            assert!(body.len() <= 1024 * 1024, "{}", body.len());
            let answer =
                admin.post(&format!("/api/{path}")).body("application/json", body.clone()).send().await;
            assert!([400, 422].contains(&answer.status), "{path} {} {}", answer.status, &body[..40]);
            let size = answer.text().len();
            assert!(size <= 64 * 1024, "{path}: {size} bytes for {}", &body[..40]);
            let errors = answer.json()["errors"].as_array().map_or(0, Vec::len);
            assert!(errors <= 50, "{path}: {errors}");
        }
    }
    let answer = admin.post("/api/categories").body("application/json", unknown).send().await;
    assert_eq!(answer.json()["errors"].as_array().unwrap().len(), 50);
}

#[actix_web::test]
async fn the_response_to_an_invalid_batch_has_a_limited_size() {
    let app = TestApp::new().await;
    let program = app.program(&["VIEWS_COUNT", "VISITS_RECORD"]).await;
    let bad = json!({"type": "x".repeat(300), "id": "y".repeat(300), "username": "z".repeat(300), "u": 1});
    for (path, name) in [("views", "views"), ("visits", "visits")] {
        let body = json!({ name: vec![bad.clone(); 900] });
        let answer = program.post(&format!("/api/{path}")).json(&body).send().await;
        assert!([400, 404, 422].contains(&answer.status), "{path} {}", answer.text());
        assert!(answer.text().len() <= 64 * 1024, "{path}: {}", answer.text().len());
    }
}

#[actix_web::test]
async fn signing_out_removes_the_cookie_without_a_database() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    app.database.connection().clone().close().await.unwrap();
    let gone = ana.post("/api/auth/logout").send().await;
    assert_problem(&gone, 503, "UNAVAILABLE", "es");
    assert!(gone.cookie().is_some_and(|cookie| cookie.value().is_empty()), "the cookie is removed");
    let kept = ana.post("/api/auth/refresh").send().await;
    assert_eq!((kept.status, kept.code()), (503, "UNAVAILABLE".to_owned()));
    let credentials = json!({"username": "admin", "password": PASSWORD});
    let refused = app.anonymous().post("/api/auth/login").json(&credentials).send().await;
    assert_eq!((refused.status, refused.code()), (503, "UNAVAILABLE".to_owned()));
}

#[actix_web::test]
async fn a_session_that_can_not_be_written_is_unavailable() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    // Another transaction writes; the session can still be read.
    let held = app.database.connection().begin().await.unwrap();
    let answer = ana.post("/api/auth/refresh").send().await;
    assert_eq!((answer.status, answer.code()), (503, "UNAVAILABLE".to_owned()));
    let gone = ana.post("/api/auth/logout").send().await;
    assert_eq!((gone.status, gone.code()), (503, "UNAVAILABLE".to_owned()));
    held.rollback().await.unwrap();
    assert_eq!(ana.post("/api/auth/refresh").send().await.status, 200);
}
