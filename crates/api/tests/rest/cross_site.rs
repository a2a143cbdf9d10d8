//! What another site makes a browser send is refused.

use actix_web::http::Method;
use serde_json::json;

use crate::{
    app::{PASSWORD, TestApp},
    client::category,
};

const OWN: &str = "https://cartelera.example";

#[actix_web::test]
async fn a_change_from_another_site_is_refused_and_changes_nothing() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    for (name, value) in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("sec-fetch-site", "nonsense"),
        ("origin", "https://evil.example"),
        ("origin", "https://cartelera.example.evil.example"),
        ("origin", "https://cartelera.example:8443"),
        ("origin", "null"),
    ] {
        for (method, path) in [
            (Method::POST, "/api/categories"),
            (Method::PUT, "/api/categories/1"),
            (Method::PATCH, "/api/categories/1"),
            (Method::PATCH, "/api/categories/1/status"),
            (Method::DELETE, "/api/categories/1"),
            (Method::POST, "/api/auth/logout"),
            (Method::POST, "/api/auth/refresh"),
        ] {
            let answer = ana.ask(method, path).header(name, value).json(&category()).send().await;
            assert_eq!(
                (answer.status, answer.code()),
                (403, "CROSS_SITE".to_owned()),
                "{path} {name}: {value}"
            );
        }
    }
    assert_eq!(ana.count("categories").await, 0);
}

#[actix_web::test]
async fn nobody_is_signed_in_from_another_site() {
    let app = TestApp::new().await;
    let credentials = json!({"username": "admin", "password": PASSWORD});
    for (name, value) in [("sec-fetch-site", "cross-site"), ("origin", "https://evil.example")] {
        let answer = app.nobody().post("/api/auth/login").header(name, value).json(&credentials).send().await;
        assert_eq!((answer.status, answer.code()), (403, "CROSS_SITE".to_owned()));
        assert!(answer.cookie().is_none());
        assert_eq!(answer.header("content-language"), Some("es"));
    }
}

#[actix_web::test]
async fn the_panel_itself_and_programs_pass() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    let answer = ana.post("/api/categories").json(&category()).send().await;
    assert_eq!(answer.status, 201, "a program sends neither header");
    for (name, value) in [("sec-fetch-site", "same-origin"), ("sec-fetch-site", "none"), ("origin", OWN)] {
        let answer = ana.post("/api/categories").header(name, value).json(&category()).send().await;
        assert_eq!(answer.status, 201, "{name}: {value}");
    }
}

#[actix_web::test]
async fn reading_from_another_site_is_for_the_browser_to_refuse() {
    let app = TestApp::new().await;
    let answer = app.manager().await.get("/api/movies").header("sec-fetch-site", "cross-site").send().await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), None);
}
