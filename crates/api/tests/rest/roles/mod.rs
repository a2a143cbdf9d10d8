//! Every operation of the document with every role, on users inside, outside and above the caller's
//! subtree: real targets and valid bodies, so that only a missing permission refuses a request, and
//! refused requests are checked for changes. An operation without a row fails.

mod live;
mod matrix;
mod operations;
mod rows;

use actix_web::http::Method;
use domain_catalogue::Kind;
use domain_kernel::{Enumeration, KeyScope, RoleCode};
use domain_users::permissions_of;
use serde_json::{Value, json};

use self::matrix::{Matrix, Place, is_about_a_user};
use crate::{app::TestApp, client::Client, openapi};

/// The expected refusal for a role and a target; `None` for success.
fn refusal(role: RoleCode, id: &str, operation: &Value, place: Place, about_a_user: bool) -> Option<u16> {
    let permission = operation["x-permission"].as_str().unwrap();
    let holds = match permission {
        "public" | "session" => true,
        "admin" => role.passes_every_check(),
        // Users can't call operations of keys.
        "key" => false,
        "role" => operation["x-roles"].as_array().unwrap().iter().any(|one| one == role.code()),
        _ => {
            role.passes_every_check()
                || permissions_of(role).iter().any(|held| held.to_string() == permission)
        }
    };
    if !holds {
        return Some(403);
    }
    if !about_a_user {
        return None;
    }
    let reads = [
        "getUser",
        "listHistoryOfUser",
        "getVersionOfUser",
        "listVisitsOfUser",
        "listDevicesOfUser",
        "listReportsOfUser",
        "listNotesOfUser",
        "getSnoozeOfUser",
        "listCreditsOf",
        "recentCreditsOf",
        "countCreditsOf",
    ]
    .contains(&id);
    match (role, place) {
        (RoleCode::Agent, Place::Outside | Place::Superadmin) => Some(404),
        // The movement of the matrix is an admin's; agents reverse only their own sales.
        (RoleCode::Agent, Place::Inside) if ["reverseCredits", "requestReversal"].contains(&id) => Some(403),
        (RoleCode::Admin, Place::Superadmin) if !reads => Some(403),
        _ => None,
    }
}

/// The group of an operation: a kind of content, or a part of the API. Each group is a test of its own,
/// because tests run in parallel.
fn group_of(path: &str) -> &str {
    let first = path.split('/').nth(2).unwrap_or_default();
    match first {
        "credits" | "spreadsheets" | "users" => first,
        "epg-matches" | "epg-matching" | "guide-fetches" | "guide-health" | "links" | "live"
        | "live-profiles" | "playlist-sources" | "schedule" => "live-tv",
        "completeness" | "export" | "integrator-keys" | "issue-reports" | "lookup" | "operations"
        | "renewals" | "statements" | "subscribers" | "views" | "visits" | "webhooks" => "services",
        _ if Kind::from_path(first).is_some() => first,
        _ => "others",
    }
}

/// Sends an operation with a role, and checks the answer and whether something changed. Returns whether
/// the operation is allowed.
async fn is_allowed(
    matrix: &Matrix<'_>,
    (method, path, operation): (&str, &str, &Value),
    role: Option<RoleCode>,
    place: Place,
) -> bool {
    let id = operation["operationId"].as_str().unwrap();
    let row = matrix.row(id, path, place, role).await;
    let (status, changed) = matrix.send(method, &row, role).await;
    let reported = format!("{id} as {role:?}, {place:?}: {status}");
    let expected = match role {
        None if operation["x-permission"] == "public" => None,
        None => Some(401),
        Some(role) => refusal(role, id, operation, place, is_about_a_user(path, id)),
    };
    if let Some(expected) = expected {
        assert_eq!(status, expected, "{reported}");
        assert!(!changed, "{reported}, but something changed");
    } else {
        assert!((200..300).contains(&status), "{reported}");
        let reads = method == "GET" || id == "quoteCredits" || row.watch.is_empty();
        assert_eq!(changed, !reads, "{reported}");
    }
    if id == "changePassword" {
        let hash = "(SELECT password_hash FROM users WHERE username = 'suspended')";
        matrix.app.run(&format!("UPDATE users SET password_hash = {hash}")).await;
    }
    expected.is_none()
}

/// Each role may call exactly the operations of a group that the document says.
async fn assert_permissions(group: &str) {
    let app = TestApp::new().await;
    let matrix = Matrix::new(&app).await;
    let (mut allowed, mut refused) = (0, 0);
    for (method, path, operation) in openapi::operations(&api::document()) {
        if group_of(&path) != group {
            continue;
        }
        let id = operation["operationId"].as_str().unwrap();
        let about_a_user = is_about_a_user(&path, id);
        // Superadmins have no credits and no renewals, so there is nothing to read or deduct.
        let not_above = path.starts_with("/api/credits")
            || path.starts_with("/api/statements")
            || ["snoozeUser", "endSnoozeOfUser"].contains(&id);
        for role in [None].into_iter().chain(RoleCode::ALL.iter().copied().map(Some)) {
            for place in [Place::Inside, Place::Outside, Place::Superadmin] {
                if place != Place::Inside && (!about_a_user || (place == Place::Superadmin && not_above)) {
                    continue;
                }
                if is_allowed(&matrix, (&method, &path, &operation), role, place).await {
                    allowed += 1;
                } else {
                    refused += 1;
                }
            }
        }
    }
    println!("{allowed} allowed, {refused} refused");
    assert!(allowed > 40 && refused > 40, "{allowed} and {refused}");
}

mod each_role_has_exactly_the_documented_permissions {
    use super::assert_permissions;

    macro_rules! of_each_kind {
        ($($kind:ident $type:ident $field:ident $path:literal $subject:literal $about:literal $viewed:tt;)+) => {$(
            #[actix_web::test]
            async fn $field() {
                assert_permissions($path).await;
            }
        )+};
    }
    domain_catalogue::for_each_kind!(of_each_kind);

    #[actix_web::test]
    async fn users() {
        assert_permissions("users").await;
    }

    #[actix_web::test]
    async fn credits() {
        assert_permissions("credits").await;
    }

    #[actix_web::test]
    async fn spreadsheets() {
        assert_permissions("spreadsheets").await;
    }

    #[actix_web::test]
    async fn live_tv() {
        assert_permissions("live-tv").await;
    }

    #[actix_web::test]
    async fn services() {
        assert_permissions("services").await;
    }

    #[actix_web::test]
    async fn others() {
        assert_permissions("others").await;
    }
}

#[actix_web::test]
async fn permissions_are_checked_before_other_errors() {
    let app = TestApp::new().await;
    let agent = app.sign_in_as(RoleCode::Agent).await;
    for requested in [
        agent.post("/api/movies").body("application/json", "{"),
        agent.post("/api/movies").json(&json!({"title": "x"})),
        agent.get("/api/movies/999"),
        agent.delete("/api/categories/999"),
        agent.get("/api/movies?_sort=nonsense"),
        agent.get("/api/lookup/titles/nonsense"),
        agent.post("/api/credits/deduct").body("application/json", "{"),
        agent.delete("/api/users/nobody"),
        agent.post("/api/users").json(&json!({"roleCode": "admin"})),
    ] {
        assert_eq!(requested.send().await.status, 403);
    }
}

#[actix_web::test]
async fn a_key_allows_exactly_its_scopes() {
    let app = TestApp::new().await;
    let matrix = Matrix::new(&app).await;
    let with = app.program(KeyScope::CODES).await;
    let (mut opened, mut closed) = (0, 0);
    for (method, path, operation) in openapi::operations(&api::document()) {
        let id = operation["operationId"].as_str().unwrap();
        if operation["x-permission"] == "public" {
            continue;
        }
        let row = matrix.row(id, &path, Place::Inside, None).await;
        let before = matrix.state(&row).await;
        let requested = async |client: &Client<'_>| {
            let requested = client.request(Method::from_bytes(method.as_bytes()).unwrap(), &row.path);
            let requested = requested.header("idempotency-key", id);
            let answer = match &row.body {
                Some(body) => requested.json(body).send().await,
                None => requested.send().await,
            };
            answer.status
        };
        let Some(scope) = operation["x-scope"].as_str() else {
            assert_eq!(requested(&with).await, 403, "{id} with every scope");
            assert!(matrix.state(&row).await == before, "{id}: changed by a key");
            closed += 1;
            continue;
        };
        let others: Vec<&str> = KeyScope::CODES.iter().copied().filter(|other| *other != scope).collect();
        assert_eq!(requested(&app.program(&others).await).await, 403, "{id} without {scope}");
        assert!(matrix.state(&row).await == before, "{id}: changed without {scope}");
        let status = requested(&app.program(&[scope]).await).await;
        assert!((200..300).contains(&status), "{id} with {scope}: {status}");
        opened += 1;
    }
    println!("{opened} open to keys, {closed} closed");
    assert!(opened > 30 && closed > 60, "{opened} and {closed}");
}
