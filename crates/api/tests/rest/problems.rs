//! All errors have one format, in the language of the request.

use std::sync::LazyLock;

use actix_web::http::Method;
use serde_json::{Value, json};

use crate::{
    app::{METRICS_TOKEN, TestApp},
    client::{Answer, Client, RequestBuilder, category},
};

/// Checks JSON against a schema of the document: types, required fields, and no undescribed fields.
fn check(document: &Value, schema: &Value, json: &Value, path: &str) {
    let schema = schema["$ref"].as_str().map_or(schema, |pointer| {
        document.pointer(pointer.trim_start_matches('#')).expect("a reference that resolves")
    });
    match schema["type"].as_str().unwrap_or("any") {
        "object" => {
            let fields = json.as_object().unwrap_or_else(|| panic!("{path} is no object: {json}"));
            for name in schema["required"].as_array().into_iter().flatten() {
                assert!(fields.contains_key(name.as_str().unwrap()), "{path} lacks {name}: {json}");
            }
            for (name, value) in fields.iter().filter(|_| schema["properties"].is_object()) {
                let property = &schema["properties"][name];
                assert!(property.is_object(), "{path}.{name} is not described");
                check(document, property, value, &format!("{path}.{name}"));
            }
        }
        "array" => {
            for entry in json.as_array().unwrap_or_else(|| panic!("{path} is no array: {json}")) {
                check(document, &schema["items"], entry, path);
            }
        }
        "string" => assert!(json.is_string(), "{path}: {json}"),
        "integer" => assert!(json.is_i64() || json.is_u64(), "{path}: {json}"),
        _ => {}
    }
}

/// Asserts the format of an error response in a language.
pub fn assert_problem(answer: &Answer, status: u16, code: &str, language: &str) {
    let json = answer.json();
    assert_eq!((answer.status, json["code"].as_str()), (status, Some(code)), "{json}");
    assert_eq!(json["status"], status);
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    assert_eq!(answer.header("content-language"), Some(language));
    assert!(
        answer.headers.get_all("vary").any(|value| value.as_bytes().eq_ignore_ascii_case(b"accept-language"))
    );
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(json["detail"], json["message"]);
    let message = json["message"].as_str().unwrap();
    assert!(!message.is_empty() && !message.contains(['{', '}']) && message != code, "{message}");
    // Built once, because building takes longer than a request.
    static DOCUMENT: LazyLock<Value> = LazyLock::new(api::document);
    check(&DOCUMENT, &DOCUMENT["components"]["schemas"]["Problem"], &json, "problem");
}

#[actix_web::test]
async fn every_kind_of_error_has_the_documented_format_in_both_languages() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    let stored = ana.create("categories", &category()).await;
    let one = format!("/api/categories/{}", stored["id"]);
    let large = json!({"description": "x".repeat(1024 * 1024)}).to_string();
    let json = "application/json";
    let mut messages = Vec::new();
    for language in ["es", "en"] {
        let say =
            async |requested: RequestBuilder<'_>| requested.header("accept-language", language).send().await;
        let anonymous = app.anonymous();
        let app_user = app.sign_in_as(domain_kernel::RoleCode::App).await;
        for (answer, status, code) in [
            (say(ana.post("/api/categories").body(json, "{\"a\":")).await, 400, "MALFORMED"),
            (say(ana.post("/api/categories").body(json, "")).await, 400, "MALFORMED"),
            (say(anonymous.get("/api/movies")).await, 401, "NOT_AUTHENTICATED"),
            (say(app_user.get("/api/movies")).await, 403, "FORBIDDEN"),
            (say(ana.get("/api/movies/99")).await, 404, "NOT_FOUND"),
            (say(ana.get("/api/nowhere")).await, 404, "NOT_FOUND"),
            (say(ana.get("/api")).await, 404, "NOT_FOUND"),
            (say(ana.delete("/api/movies")).await, 405, "METHOD_NOT_ALLOWED"),
            (say(ana.put("/api/auth/login")).await, 405, "METHOD_NOT_ALLOWED"),
            (say(ana.delete(&one).header("if-match", "\"9\"")).await, 412, "VERSION_CONFLICT"),
            (say(ana.post("/api/categories").body(json, large.clone())).await, 413, "PAYLOAD_TOO_LARGE"),
            (say(ana.post("/api/categories").body("text/plain", "{}")).await, 415, "UNSUPPORTED_MEDIA_TYPE"),
            (say(ana.post("/api/categories")).await, 415, "UNSUPPORTED_MEDIA_TYPE"),
            (say(ana.post("/api/categories").body(json, "{}")).await, 422, "VALIDATION_FAILED"),
            (say(ana.get("/api/movies?_sort=x")).await, 422, "VALIDATION_FAILED"),
            (say(ana.get("/api/lookup/titles/tt0903747")).await, 422, "WRONG_TITLE_TYPE"),
            (say(ana.get("/api/lookup/titles/tt0000503")).await, 502, "UPSTREAM_FAILED"),
        ] {
            assert_problem(&answer, status, code, language);
            messages.push((language, code, answer.json()["message"].as_str().unwrap().to_owned()));
        }
    }
    let (spanish, english) = messages.split_at(messages.len() / 2);
    for ((_, code, es), (_, _, en)) in spanish.iter().zip(english) {
        assert_ne!(es, en, "{code}");
    }
}

#[actix_web::test]
async fn a_body_has_at_most_a_mebibyte() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    let of = |length: usize| {
        let frame = r#"{"description":""}"#.len();
        format!(r#"{{"description":"{}"}}"#, "x".repeat(length - frame))
    };
    let limit = 1024 * 1024;
    let just = ana.post("/api/categories").body("application/json", of(limit)).send().await;
    assert!(just.field_codes().contains(&("description".to_owned(), "TOO_LONG".to_owned())));
    let over = ana.post("/api/categories").body("application/json", of(limit + 1)).send().await;
    assert_problem(&over, 413, "PAYLOAD_TOO_LARGE", "es");
}

#[actix_web::test]
async fn json_is_accepted_with_any_parameters_of_the_media_type() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    for kind in ["application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.x+json"] {
        let answer = ana.post("/api/categories").body(kind, category().to_string()).send().await;
        assert_eq!(answer.status, 201, "{kind}");
    }
    for kind in
        ["application/x-www-form-urlencoded", "application/jsonp", "text/json", "multipart/form-data", "json"]
    {
        let answer = ana.post("/api/categories").body(kind, category().to_string()).send().await;
        assert_problem(&answer, 415, "UNSUPPORTED_MEDIA_TYPE", "es");
    }
    assert_eq!(ana.count("categories").await, 3);
}

#[actix_web::test]
async fn the_document_its_page_and_health_are_public() {
    let app = TestApp::new().await;
    let anonymous = app.anonymous();
    let monitoring = Client::with_key(&app, METRICS_TOKEN);
    assert_eq!(anonymous.get("/api/openapi.json").send().await.json(), api::document());
    let page = anonymous.get("/api/docs").send().await;
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
    assert!(page.text().contains("/api/movies/{id}/status"));
    assert!(!page.text().contains("<script"));
    for part in [
        "id=\"tag-movies\"",
        "curl -X POST",
        "Scope of keys: <code>CATALOGUE_READ</code>",
        "IDEMPOTENCY_MISMATCH",
    ] {
        assert!(page.text().contains(part), "{part}");
    }
    let found = anonymous.get("/api/docs?q=deliveries").send().await.text();
    assert!(found.contains("/api/webhooks/{id}/deliveries") && !found.contains("/api/movies"), "{found}");
    let nothing = anonymous.get("/api/docs?q=%3Cb%3Ezzz%22").send().await.text();
    assert!(
        nothing.contains("Nothing found")
            && nothing.contains("&lt;b&gt;zzz&quot;")
            && !nothing.contains("<b>zzz")
    );
    assert_eq!(anonymous.get("/api/health/live").send().await.json(), json!({"status": "ok"}));
    let ledger = || async { anonymous.get("/api/health/ready").send().await.json()["ledger"].clone() };
    assert_eq!(ledger().await, json!({"status": "checking", "breaches": 0, "checkedAt": null}));
    assert!(!monitoring.get("/metrics").send().await.text().contains("cartelera_ledger_breaches"));
    app.verify_ledger().await;
    assert_eq!(ledger().await["status"], "sound");
    app.run("UPDATE users SET app_seq = 7 WHERE username = 'app'").await;
    app.verify_ledger().await;
    assert_eq!(
        (ledger().await["status"].clone(), ledger().await["breaches"].clone()),
        (json!("broken"), json!(1))
    );
    let metrics = monitoring.get("/metrics").send().await;
    assert!(metrics.text().contains("cartelera_ledger_breaches 1"));
    assert!(metrics.text().contains("cartelera_http_requests_total{status=\"2xx\"}"));
    let post = anonymous.request(Method::POST, "/api/health/live").send().await;
    assert_problem(&post, 405, "METHOD_NOT_ALLOWED", "es");
}

#[actix_web::test]
async fn a_missing_table_reveals_no_internals() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    app.run("DROP TABLE movies_counts").await;
    let answer = ana.get("/api/movies").send().await;
    assert_problem(&answer, 500, "INTERNAL", "es");
    let text = answer.text();
    assert!(answer.json()["requestId"].as_str().is_some_and(|id| id.len() == 16), "{text}");
    for inside in ["movies_counts", "SELECT", "table", "sql"] {
        assert!(!text.contains(inside), "{text}");
    }
    app.database.connection().clone().close().await.unwrap();
    let answer = ana.post("/api/categories").json(&category()).send().await;
    assert_problem(&answer, 503, "UNAVAILABLE", "es");
    assert!(answer.header("retry-after").is_some());
}

#[actix_web::test]
async fn head_has_the_headers_of_get() {
    let app = TestApp::new().await;
    assert_eq!(app.anonymous().request(Method::HEAD, "/api/health/live").send().await.status, 200);
    assert_eq!(app.anonymous().request(Method::HEAD, "/api/movies").send().await.status, 401);
    let ana = app.manager().await;
    let path = format!("/api/movies/{}", ana.create("movies", &ana.film().await).await["id"]);
    let answer = ana.request(Method::HEAD, &path).send().await;
    assert_eq!((answer.status, answer.header("etag")), (200, Some("\"1\"")));
}

#[actix_web::test]
async fn a_method_that_is_not_allowed_is_answered_with_the_allowed_ones() {
    let app = TestApp::new().await;
    for (path, allowed) in [
        ("/api/movies", vec!["GET", "HEAD", "POST"]),
        ("/api/movies/1", vec!["DELETE", "GET", "HEAD", "PATCH", "PUT"]),
        ("/api/movies/1/status", vec!["PATCH"]),
        ("/api/auth/login", vec!["POST"]),
    ] {
        let answer = app.anonymous().request(Method::OPTIONS, path).send().await;
        assert_problem(&answer, 405, "METHOD_NOT_ALLOWED", "es");
        let mut reported: Vec<&str> = answer.header("allow").unwrap().split(", ").collect();
        reported.sort_unstable();
        assert_eq!(reported, allowed, "{path}");
    }
}
