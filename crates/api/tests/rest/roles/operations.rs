//! Bulk operations and quotes of renewals: every change of every resource with every role, and
//! users inside, outside and above the caller's subtree.

use domain_catalogue::Kind;
use domain_kernel::{Action, Enumeration, Permission, RoleCode, Subject};
use domain_users::permissions_of;
use serde_json::{Value, json};

use super::matrix::{Matrix, Place};
use crate::app::TestApp;

/// Whether one such item may be changed by the role itself; users only by admins.
fn may(role: RoleCode, resource: &str, action: Action) -> bool {
    if role.passes_every_check() {
        return true;
    }
    let permission = match Kind::from_path(resource) {
        Some(kind) => kind.permission(action),
        None if resource == "users" => return false,
        None => Permission::new(Subject("ISSUES"), action),
    };
    permissions_of(role).contains(&permission)
}

/// A change of a new item of the resource, with the required action.
async fn request(matrix: &Matrix<'_>, resource: &str, change: &str) -> (Value, Action) {
    let id = match Kind::from_path(resource) {
        Some(kind) => matrix.stored(kind).await.0,
        None if resource == "users" => json!(matrix.target(Place::Inside, "app").await),
        None => {
            let report = json!({
                "title": "No carga", "contentType": "MOVIE", "content": format!("Film {}", matrix.number()),
                "reportType": "NOT_LOADING",
            });
            matrix.boss.create("issue-reports", &report).await["id"].clone()
        }
    };
    let set = match resource {
        "users" => json!({"status": "SUSPENDED"}),
        "issue-reports" => json!({"priority": "HIGH"}),
        _ => json!({"kidsContent": true}),
    };
    let (action, required) = match change {
        "SET" if resource == "tv-channels" => {
            (json!({"type": "SET", "set": {"tvGuideId": null}}), Action::Update)
        }
        "SET" => (json!({"type": "SET", "set": set}), Action::Update),
        "registeredBy" => (json!({"type": "SET", "set": {"registeredBy": "agent"}}), Action::Update),
        "roleCode" => (json!({"type": "SET", "set": {"roleCode": "agent"}}), Action::Update),
        "toggle" => (json!({"type": "SET", "set": {"active": false}}), Action::ToggleStatus),
        "ADD" | "REMOVE" if resource == "tv-channels" => {
            let name = format!("Otra {}", matrix.number());
            let category = json!({"description": name, "englishDescription": name, "type": "TV_CHANNEL"});
            let category = matrix.boss.create("categories", &category).await["id"].clone();
            (json!({"type": change, "list": "categories", "values": [category]}), Action::Update)
        }
        "ADD" | "REMOVE" => (json!({"type": change, "list": "genres", "values": ["DRAMA"]}), Action::Update),
        "REPLACE" => {
            let action = json!({"type": "REPLACE", "fields": ["title"], "find": "a", "replacement": "b"});
            (action, Action::Update)
        }
        "RENUMBER" => {
            let numbers = json!([{"id": id, "number": 90_000 + matrix.number()}]);
            (json!({"type": "RENUMBER", "numbers": numbers}), Action::Update)
        }
        "RESTORE" => {
            matrix.boss.delete(&format!("/api/{resource}/{id}")).send().await;
            (json!({"type": "RESTORE"}), Action::Delete)
        }
        _ => (json!({"type": "DELETE"}), Action::Delete),
    };
    (json!({"resource": resource, "ids": [id], "action": action}), required)
}

#[actix_web::test]
async fn each_change_of_each_resource_needs_the_permission_for_one_item() {
    let app = TestApp::new().await;
    let matrix = Matrix::new(&app).await;
    let (mut allowed, mut refused) = (0, 0);
    let of_content = ["SET", "toggle", "ADD", "REMOVE", "REPLACE", "DELETE", "RESTORE"];
    let of_channels = ["SET", "toggle", "ADD", "REMOVE", "REPLACE", "RENUMBER", "DELETE", "RESTORE"];
    let of_every_kind = ["toggle", "DELETE", "RESTORE"];
    let (of_users, of_reports) = (["SET", "registeredBy", "roleCode"], ["SET", "DELETE"]);
    let mut cases: Vec<(&str, &[&str])> = vec![
        ("movies", &of_content[..]),
        ("tv-channels", &of_channels[..]),
        ("users", &of_users[..]),
        ("issue-reports", &of_reports[..]),
    ];
    let others = Kind::ALL.iter().filter(|kind| ![Kind::Movies, Kind::TvChannels].contains(kind));
    cases.extend(others.map(|kind| (kind.path(), &of_every_kind[..])));
    for (resource, changes) in cases {
        for change in changes {
            for role in [None].into_iter().chain(RoleCode::ALL.iter().copied().map(Some)) {
                let (body, action) = request(&matrix, resource, change).await;
                let client = match role {
                    Some(role) => app.sign_in_as(role).await,
                    None => app.anonymous(),
                };
                let count =
                    async || matrix.boss.get("/api/operations").send().await.json()["totalElements"].clone();
                let before = count().await;
                let answer = client.post("/api/operations").json(&body).send().await;
                let expected = match role {
                    None => 401,
                    Some(role) if may(role, resource, action) => 202,
                    Some(_) => 403,
                };
                let reported = format!("{change} of {resource} as {role:?}: {}", answer.text());
                assert_eq!(answer.status, expected, "{reported}");
                if expected == 202 {
                    app.run_operations().await;
                    let path = format!("/api/operations/{}", answer.json()["id"]);
                    let ended = client.get(&path).send().await.json();
                    assert_eq!(
                        (&ended["state"], &ended["done"]),
                        (&json!("FINISHED"), &json!(1)),
                        "{reported}"
                    );
                    allowed += 1;
                } else {
                    assert_eq!(count().await, before, "{reported}, but an operation began");
                    refused += 1;
                }
            }
        }
    }
    assert!(allowed > 40 && refused > 50, "{allowed} and {refused}");
}

#[actix_web::test]
async fn operations_on_users_are_for_admins_and_change_no_user_above_them() {
    let app = TestApp::new().await;
    let matrix = Matrix::new(&app).await;
    for role in RoleCode::ALL.iter().copied() {
        for place in [Place::Inside, Place::Outside, Place::Superadmin] {
            let name = matrix.target(place, "app").await;
            let action = json!({"type": "SET", "set": {"status": "SUSPENDED"}});
            let body = json!({"resource": "users", "ids": [name], "action": action});
            let client = app.sign_in_as(role).await;
            let answer = client.post("/api/operations").json(&body).send().await;
            let reported = format!("{role:?}, {place:?}: {}", answer.text());
            let status =
                async || matrix.boss.get(&format!("/api/users/{name}")).send().await.json()["status"].clone();
            if !role.passes_every_check() {
                assert_eq!((answer.status, status().await), (403, json!("ACTIVE")), "{reported}");
                continue;
            }
            assert_eq!(answer.status, 202, "{reported}");
            app.run_operations().await;
            let is_above = place == Place::Superadmin && role == RoleCode::Admin;
            let expected = if is_above { json!("ACTIVE") } else { json!("SUSPENDED") };
            assert_eq!(status().await, expected, "{reported}");
        }
    }
}

#[actix_web::test]
async fn a_quote_of_renewals_has_nothing_of_users_outside_the_scope() {
    let app = TestApp::new().await;
    let matrix = Matrix::new(&app).await;
    for role in RoleCode::ALL.iter().copied() {
        for place in [Place::Inside, Place::Outside] {
            let name = matrix.target(place, "app").await;
            let client = app.sign_in_as(role).await;
            let body = json!({"customers": [{"username": name, "months": 1}]});
            let answer = client.post("/api/renewals/quote").json(&body).send().await;
            let reported = format!("{role:?}, {place:?}: {}", answer.text());
            if !role.passes_every_check() && role != RoleCode::Agent {
                assert_eq!(answer.status, 403, "{reported}");
                continue;
            }
            assert_eq!(answer.status, 200, "{reported}");
            let line = &answer.json()["customers"][0];
            let is_hidden = role == RoleCode::Agent && place == Place::Outside;
            let code = if is_hidden { json!("NOT_FOUND") } else { Value::Null };
            assert_eq!(line["refusal"]["code"], code, "{reported}");
            assert_eq!(line["expirationAfter"].is_null(), is_hidden, "{reported}");
        }
    }
}
