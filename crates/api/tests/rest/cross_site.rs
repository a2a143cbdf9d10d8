//! Requests that another site makes a browser send are refused.

use actix_web::http::Method;
use serde_json::json;

use crate::{
    app::{PASSWORD, PUBLIC_ORIGIN, TestApp},
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
            let answer = ana.request(method, path).header(name, value).json(&category()).send().await;
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
async fn signing_in_from_another_site_is_refused() {
    let app = TestApp::new().await;
    let credentials = json!({"username": "admin", "password": PASSWORD});
    for (name, value) in [("sec-fetch-site", "cross-site"), ("origin", "https://evil.example")] {
        let answer =
            app.anonymous().post("/api/auth/login").header(name, value).json(&credentials).send().await;
        assert_eq!((answer.status, answer.code()), (403, "CROSS_SITE".to_owned()));
        assert!(answer.cookie().is_none());
        assert_eq!(answer.header("content-language"), Some("es"));
    }
}

#[actix_web::test]
async fn the_panel_and_integrators_pass() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    let answer = ana.post("/api/categories").json(&category()).send().await;
    assert_eq!(answer.status, 201, "an integrator sends neither header");
    for (name, value) in [("sec-fetch-site", "same-origin"), ("sec-fetch-site", "none"), ("origin", OWN)] {
        let answer = ana.post("/api/categories").header(name, value).json(&category()).send().await;
        assert_eq!(answer.status, 201, "{name}: {value}");
    }
}

#[actix_web::test]
async fn an_app_on_a_television_passes_with_its_key() {
    let app = TestApp::new().await;
    let program = app.program(&["VISITS_RECORD"]).await;
    for (name, value) in [("sec-fetch-site", "cross-site"), ("origin", "null"), ("origin", "file://")] {
        let requested = program.post("/api/visits").header(name, value).header("idempotency-key", value);
        let answer = requested.json(&json!({"visits": [{"kind": "VISIT", "username": "x1"}]})).send().await;
        assert_eq!(answer.status, 200, "{name}: {value}: {}", answer.text());
    }
}

#[actix_web::test]
async fn a_key_beside_a_session_does_not_allow_another_site() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    let requested = ana.post("/api/categories").header("authorization", "Bearer ck_anything");
    let answer = requested.header("sec-fetch-site", "cross-site").json(&category()).send().await;
    assert_eq!((answer.status, answer.code()), (403, "CROSS_SITE".to_owned()));
    assert_eq!(ana.count("categories").await, 0);
}

#[actix_web::test]
async fn reading_from_another_site_is_left_to_the_browser() {
    let app = TestApp::new().await;
    let answer = app.manager().await.get("/api/movies").header("sec-fetch-site", "cross-site").send().await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), None);
}

#[actix_web::test]
async fn behind_a_proxy_that_rewrites_the_host_the_public_address_decides() {
    let app = TestApp::secure().await;
    let credentials = json!({"username": "admin", "password": PASSWORD});
    let sign_in = async |origin: &str| {
        let requested = app.anonymous().post("/api/auth/login").header("origin", origin);
        requested.json(&credentials).send().await.status
    };
    assert_eq!(sign_in(PUBLIC_ORIGIN).await, 200);
    // Requests of the tests have `Host: cartelera.example`, as behind a proxy.
    for elsewhere in [OWN, "http://tv.example", "https://tv.example:8443", "https://evil.example", "null"] {
        assert_eq!(sign_in(elsewhere).await, 403, "{elsewhere}");
    }
}

#[actix_web::test]
async fn only_the_public_address_is_the_same_origin_despite_the_browsers_headers() {
    let app = TestApp::secure().await;
    let credentials = json!({"username": "admin", "password": PASSWORD});
    for site in ["same-origin", "none"] {
        for (origin, status) in [(PUBLIC_ORIGIN, 200), (OWN, 403), ("https://old.example", 403)] {
            let requested = app.anonymous().post("/api/auth/login").header("origin", origin);
            let answer = requested.header("sec-fetch-site", site).json(&credentials).send().await;
            assert_eq!(answer.status, status, "{site} {origin}");
        }
        let requested = app.anonymous().post("/api/auth/login").header("sec-fetch-site", site);
        assert_eq!(requested.json(&credentials).send().await.status, 200, "{site} without an origin");
    }
    // Without a public address the browser's headers decide.
    let app = TestApp::new().await;
    let requested = app.anonymous().post("/api/auth/login").header("origin", "https://tunnel.example");
    let answer = requested.header("sec-fetch-site", "same-origin").json(&credentials).send().await;
    assert_eq!(answer.status, 200);
}

#[test]
fn the_public_address_is_read_as_browsers_write_origins() {
    for (url, origin) in [
        ("https://TV.example:443/panel/", Some("https://tv.example")),
        ("http://tv.example:80", Some("http://tv.example")),
        ("http://127.0.0.1:8080", Some("http://127.0.0.1:8080")),
        ("https://[2001:db8::1]:8443", Some("https://[2001:db8::1]:8443")),
        ("https://ñandú.example", Some("https://xn--and-6ma2c.example")),
        ("null", None),
        ("data:text/html,x", None),
    ] {
        assert_eq!(api::origin_of(url).as_deref(), origin, "{url}");
    }
}
