//! Bodies that no form sends.

use serde_json::{Value, json};

use crate::{app::TestApp, client::category};

#[actix_web::test]
async fn all_violations_are_reported_at_once() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    let body = json!({
        "title": "x", "year": "1999", "durationMinutes": 0, "rating": 11, "classification": "Z", "categoryId": 0,
        "genres": ["NOIR"], "coverImageUrl": "javascript:x", "colour": 1,
        "links": [{"quality": "8K", "url": "x", "audioLanguages": [], "bitrate": 1}],
    });
    let mut broken = ana.post("/api/movies").json(&body).send().await.field_codes();
    broken.sort();
    let expected: Vec<(String, String)> = [
        ("categoryId", "UNKNOWN_REFERENCE"),
        ("classification", "UNKNOWN_VALUE"),
        ("colour", "UNKNOWN_FIELD"),
        ("coverImageUrl", "INVALID_SCHEME"),
        ("durationMinutes", "TOO_SMALL"),
        ("genres[0]", "UNKNOWN_VALUE"),
        ("links[0].audioLanguages", "TOO_FEW"),
        ("links[0].bitrate", "UNKNOWN_FIELD"),
        ("links[0].quality", "UNKNOWN_VALUE"),
        ("links[0].url", "INVALID_URL"),
        ("rating", "TOO_LARGE"),
        ("title", "TOO_SHORT"),
        ("year", "WRONG_TYPE"),
    ]
    .map(|(field, code)| (field.to_owned(), code.to_owned()))
    .into();
    assert_eq!(broken, expected);
    let empty = ana.post("/api/movies").json(&json!({})).send().await.field_codes();
    let missing: Vec<&str> = empty.iter().map(|(field, _)| field.as_str()).collect();
    assert!(empty.iter().all(|(_, code)| code == "REQUIRED"), "{empty:?}");
    for field in ["title", "year", "durationMinutes", "classification", "categoryId", "links"] {
        assert!(missing.contains(&field), "{field}");
    }
    assert_eq!(missing.len(), 6);
}

#[actix_web::test]
async fn invalid_json_is_refused_and_never_an_internal_error() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep_field = format!("{{\"description\": {}1{}}}", "{\"a\":".repeat(100), "}".repeat(100));
    for (body, status) in [
        ("", 400),
        ("{", 400),
        ("{\"description\": \"x\",}", 400),
        ("{'description': 'x'}", 400),
        ("{\"description\": \"\\ud800\"}", 400),
        ("{\"description\": \"a\u{1}b\"}", 400),
        ("{\"description\": NaN}", 400),
        ("{} {}", 400),
        (deep.as_str(), 400),
        (deep_field.as_str(), 422),
        ("null", 422),
        ("[]", 422),
        ("[{}]", 422),
        ("\"text\"", 422),
        ("1e400", 400),
        ("{\"description\": 1e999}", 400),
        ("{\"\": 1}", 422),
        ("{\"__proto__\": {\"active\": true}}", 422),
    ] {
        let start: String = body.chars().take(40).collect();
        let answer = ana.post("/api/categories").body("application/json", body.to_owned()).send().await;
        assert_eq!(answer.status, status, "{start}: {}", answer.text().chars().take(300).collect::<String>());
    }
    let not_utf8 =
        ana.post("/api/categories").body("application/json", b"{\"description\": \"\xff\xfe\"}".to_vec());
    assert_eq!(not_utf8.send().await.status, 400);
    assert_eq!(ana.count("categories").await, 0);
}

#[actix_web::test]
async fn the_last_value_of_a_repeated_field_is_validated_and_stored() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    let twice =
        r#"{"description": "Buena", "description": "x", "englishDescription": "Good", "type": "MOVIE"}"#;
    let answer = ana.post("/api/categories").body("application/json", twice).send().await;
    assert_eq!(answer.field_codes(), vec![("description".to_owned(), "TOO_SHORT".to_owned())]);
}

#[actix_web::test]
async fn texts_are_stored_trimmed_and_otherwise_unchanged() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    for text in [
        "'; DROP TABLE categories; --",
        "<script>alert(1)</script>",
        "{{7*7}} ${x} %s %n",
        "Ñandú — «Dune» 👨‍👩‍👧",
        "\\0 \\u0000",
        "Corazo\u{301}n",
        "a\u{a0}b",
        "\"comillas\"",
        "NULL",
        "東京物語",
        "עברית",
        "0x00",
        "../../etc/passwd",
    ] {
        let mut item = category();
        item["description"] = json!(format!("  {text} "));
        let stored = ana.create("categories", &item).await;
        assert_eq!(stored["description"], text);
        let read = ana.get(&format!("/api/categories/{}", stored["id"])).send().await.json();
        assert_eq!(read["description"], text);
        let rows = ana.get("/api/categories?_size=1000").send().await.json();
        let shown = rows["content"].as_array().unwrap().iter().any(|row: &Value| row["description"] == text);
        assert!(shown, "{text}");
    }
}

#[actix_web::test]
async fn a_category_of_another_type_is_refused_with_its_name() {
    let app = TestApp::new().await;
    let ana = app.manager().await;
    let mut film = ana.film().await;
    let mut music = category();
    music["type"] = json!("MUSIC");
    film["categoryId"] = ana.create("categories", &music).await["id"].clone();
    let answer = ana.post("/api/movies").json(&film).send().await;
    assert_eq!(answer.field_codes(), vec![("categoryId".to_owned(), "WRONG_CATEGORY_TYPE".to_owned())]);
    assert!(answer.json()["errors"][0]["message"].as_str().unwrap().contains("MOVIE"));
    assert_eq!(ana.count("movies").await, 0);
}
