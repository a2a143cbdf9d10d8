//! Every role against every operation of the document: a route without a permission does not get past this.

use actix_web::http::Method;
use domain_kernel::{Enumeration, RoleCode};
use domain_users::permissions_of;
use serde_json::json;

use crate::{app::TestApp, openapi::operations};

/// Whether the role holds the permission.
fn holds(role: RoleCode, operation: &serde_json::Value) -> bool {
    let permission = operation["x-permission"].as_str().unwrap();
    if permission == "role" {
        return operation["x-roles"].as_array().unwrap().iter().any(|one| one == role.code());
    }
    role.passes_every_check() || permissions_of(role).iter().any(|held| held.to_string() == permission)
}

fn with_ids(path: &str) -> String {
    ["{id}", "{tvShowId}", "{linkId}"]
        .iter()
        .fold(path.replace("{ttid}", "tt0133093"), |path, id| path.replace(id, "1"))
}

#[actix_web::test]
async fn each_role_may_what_its_permissions_say_and_nothing_else() {
    let app = TestApp::new().await;
    let (mut allowed, mut refused) = (0, 0);
    for (method, path, operation) in operations(&api::openapi::document()) {
        let permission = operation["x-permission"].as_str().unwrap();
        for role in RoleCode::ALL {
            // Anew each time: one of the operations signs out.
            let client = app.sign_in_as(*role).await;
            let asked = client.ask(Method::from_bytes(method.as_bytes()).unwrap(), &with_ids(&path));
            let answer = asked.json(&json!({})).send().await;
            let name = format!("{method} {path} as {}: {}", role.code(), answer.status);
            assert!(answer.status != 401 || path == "/api/auth/login", "{name}");
            assert!(answer.status < 500, "{name}");
            let may = ["public", "session"].contains(&permission) || holds(*role, &operation);
            assert_eq!(answer.status == 403, !may, "{name}");
            if may { allowed += 1 } else { refused += 1 }
        }
    }
    assert!(allowed > 50 && refused > 20, "{allowed} and {refused}");
}

#[actix_web::test]
async fn without_a_session_only_what_is_public_answers() {
    let app = TestApp::new().await;
    for (method, path, operation) in operations(&api::openapi::document()) {
        let asked = app.nobody().ask(Method::from_bytes(method.as_bytes()).unwrap(), &with_ids(&path));
        let answer = asked.json(&json!({})).send().await;
        let public = operation["x-permission"] == "public";
        assert_eq!(answer.status == 401, !public, "{method} {path}: {}", answer.status);
    }
}

#[actix_web::test]
async fn permission_comes_before_everything_else_that_is_wrong() {
    let app = TestApp::new().await;
    let agent = app.sign_in_as(RoleCode::Agent).await;
    for asked in [
        agent.post("/api/movies").body("application/json", "{"),
        agent.post("/api/movies").json(&json!({"title": "x"})),
        agent.get("/api/movies/999"),
        agent.delete("/api/categories/999"),
        agent.get("/api/movies?_sort=nonsense"),
        agent.get("/api/lookup/titles/nonsense"),
    ] {
        assert_eq!(asked.send().await.status, 403);
    }
}
