//! For every operation of the OpenAPI document: no body makes a handler fail, and every timestamp
//! of a response has exactly three fractional digits.

use actix_web::http::Method;
use domain_catalogue::{Content, Kind, Sport};
use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
    every_kind::draft,
};

/// An item of each resource.
async fn populated(app: &TestApp) -> Client<'_> {
    let owner = app.sign_in_as(RoleCode::Superadmin).await;
    for kind in Kind::ALL {
        let item = draft(&owner, *kind).await;
        let answer = owner.post(&format!("/api/{}", kind.path())).json(&item).send().await;
        assert_eq!(answer.status, 201, "{kind:?} {}", answer.text());
    }
    owner.register("ana_1", "agent").await;
    owner.register("luis_1", "app").await;
    for (path, body) in [
        ("/api/credits/add", json!({"targetUsername": "luis_1", "amount": 1})),
        ("/api/credits/add-for-sale", json!({"targetUsername": "ana_1", "amount": 1})),
        (
            "/api/issue-reports",
            json!({"title": "No se ve", "description": "Nada", "contentType": "MOVIE", "contentId": 1, "reportType": "VIDEO"}),
        ),
        ("/api/webhooks", json!({"name": "Uno", "url": "https://example.com/h", "events": ["ITEM_CREATED"]})),
        ("/api/integrator-keys", json!({"name": "TV", "scopes": ["CATALOGUE_READ"]})),
    ] {
        let answer = owner.post(path).json(&body).send().await;
        assert!(answer.status < 300 || answer.status == 422, "{path} {}", answer.text());
    }
    owner
}

/// Every operation of the document: method, path with its parameters filled in, and whether it has
/// a body.
async fn operations(client: &Client<'_>, link: &str) -> Vec<(Method, String, bool)> {
    let document = client.get("/api/openapi.json").send().await.json();
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let path = path.strip_prefix("/api").unwrap_or(path);
        let filled = path.split('/').map(|part| match part {
            "{username}" => "ana_1".to_owned(),
            "{linkId}" => link.to_owned(),
            part if part.starts_with('{') => "1".to_owned(),
            part => part.to_owned(),
        });
        let filled = format!("/api{}", filled.collect::<Vec<_>>().join("/"));
        for (method, operation) in item.as_object().unwrap() {
            let Ok(method) = Method::from_bytes(method.to_uppercase().as_bytes()) else { continue };
            all.push((method, filled.clone(), operation.get("requestBody").is_some()));
        }
    }
    all
}

fn link_of(sport: &Value) -> String {
    sport["links"][0]["id"].as_str().unwrap().to_owned()
}

/// Whether a part of a response is a timestamp.
fn is_timestamp(part: &str) -> bool {
    let at = |index: usize| part.as_bytes().get(index).copied();
    part.len() >= 19
        && (at(4), at(7), at(10), at(13)) == (Some(b'-'), Some(b'-'), Some(b'T'), Some(b':'))
        && part.is_ascii()
}

fn has_three_digits(part: &str) -> bool {
    part.len() == 24 && part.as_bytes()[19] == b'.' && part.ends_with('Z')
}

#[actix_web::test]
async fn no_body_makes_a_handler_fail() {
    let app = TestApp::new().await;
    let owner = populated(&app).await;
    let link = link_of(&owner.get("/api/sports/1").send().await.json());
    let program = app.program(&["ISSUES_REPORT", "VIEWS_COUNT", "VISITS_RECORD"]).await;
    let mut sent = 0;
    for (method, path, takes_body) in operations(&owner, &link).await {
        if !takes_body || path.starts_with("/api/auth/") {
            continue;
        }
        for body in
            ["[]", "\"x\"", "1", "null", "{}", "[[]]", "{\"links\": 1, \"episodes\": [1], \"ids\": {}}"]
        {
            for client in [&owner, &program] {
                let requested = client.request(method.clone(), &path);
                let answer = requested.body("application/json", body.to_owned()).send().await;
                assert!(answer.status < 500, "{method} {path} {body}: {}", answer.text());
                sent += 1;
            }
        }
    }
    assert!(sent > 500, "{sent}");
    // Bodies without an object are violations and change nothing.
    for body in ["[]", "\"x\"", "1", "null"] {
        let requested = owner.put(&format!("/api/sports/1/links/{link}")).body("application/json", body);
        assert_eq!(requested.send().await.status, 422, "{body}");
    }
    assert_eq!(
        owner.get("/api/sports/1").send().await.json()["links"].as_array().unwrap().len(),
        Sport::sample().links.len()
    );
}

on_both! {
    async fn every_timestamp_has_three_fractional_digits(app: &TestApp) {
        let owner = populated(app).await;
        app.verify_ledger().await;
        let program = app.program(&["CATALOGUE_READ", "EXPORT", "SETTINGS_READ", "SUBSCRIBERS_READ"]).await;
        let link = link_of(&owner.get("/api/sports/1").send().await.json());
        let mut found = 0;
        for (method, path, _) in operations(&owner, &link).await {
            if method != Method::GET || path.ends_with("/openapi.json") {
                continue;
            }
            for client in [&owner, &program] {
                let answer = client.get(&path).send().await;
                assert!(answer.status < 500, "{path} {}", answer.text());
                let text = answer.text();
                for part in text.split(['"', ',', '\n', ' ']).filter(|part| is_timestamp(part)) {
                    assert!(has_three_digits(part), "{path}: {part}");
                    found += 1;
                }
            }
        }
        assert!(found > 60, "{found}");
    }
}
