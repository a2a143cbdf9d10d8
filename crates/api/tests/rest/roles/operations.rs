//! Bulk operations and quotes of renewals: every change of every resource with every role, and
//! users inside, outside and above the caller's subtree. Every kind of content has its changes as
//! previews; two kinds, users and reports are changed.

use domain_catalogue::Kind;
use domain_kernel::{Action, Enumeration, Permission, RoleCode, Subject};
use domain_operations::{BulkChange, ChangeType, STREAMS};
use domain_users::permissions_of;
use serde_json::{Map, Value, json};

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
async fn each_change_needs_the_permission_for_one_item() {
    let app = TestApp::new().await;
    let matrix = Matrix::new(&app).await;
    let (mut allowed, mut refused) = (0, 0);
    let of_content = ["SET", "toggle", "ADD", "REMOVE", "REPLACE", "DELETE", "RESTORE"];
    let of_channels = ["SET", "toggle", "ADD", "REMOVE", "REPLACE", "RENUMBER", "DELETE", "RESTORE"];
    let (of_users, of_reports) = (["SET", "registeredBy", "roleCode"], ["SET", "DELETE"]);
    let cases: [(&str, &[&str]); 4] = [
        ("movies", &of_content[..]),
        ("tv-channels", &of_channels[..]),
        ("users", &of_users[..]),
        ("issue-reports", &of_reports[..]),
    ];
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

/// The changes that the domain has for a kind, with the action that each requires. The change of an item
/// keeps its values where it can.
fn changes_of(kind: Kind, id: &Value, item: &Value) -> Vec<(Value, Action)> {
    let has = |name: &str| item.get(name).is_some() || (kind == Kind::TvChannels && name == STREAMS);
    let faults = |action: &Value| -> Vec<_> {
        let change: BulkChange = serde_json::from_value(action.clone()).unwrap();
        change.faults(has)
    };
    // The refusal of a change with an unknown name lists the known ones.
    let known = |action: Value| -> Vec<String> {
        let allowed = faults(&action).remove(0).arguments.remove("allowed").unwrap();
        serde_json::from_value(allowed).unwrap()
    };
    let mut changes = Vec::new();
    for change_type in ChangeType::ALL.iter().copied() {
        let code = change_type.code();
        match change_type {
            ChangeType::Set => {
                let mut values = Map::new();
                for name in known(json!({"type": code, "set": {"": null}})) {
                    if name == "active" {
                        let toggle = json!({"type": code, "set": {"active": false}});
                        changes.push((toggle, Action::ToggleStatus));
                    } else {
                        let value = item.get(&name).cloned().unwrap_or_else(|| json!("HD"));
                        values.insert(name, value);
                    }
                }
                if !values.is_empty() {
                    changes.push((json!({"type": code, "set": values}), Action::Update));
                }
            }
            ChangeType::Add | ChangeType::Remove => {
                for list in known(json!({"type": code, "list": "", "values": [1]})) {
                    let action = json!({"type": code, "list": list, "values": [item[&list][0]]});
                    changes.push((action, Action::Update));
                }
            }
            ChangeType::Replace => {
                let fields = known(json!({"type": code, "fields": [""], "find": "x"}));
                if !fields.is_empty() {
                    let action = json!({"type": code, "fields": fields, "find": "no such text"});
                    changes.push((action, Action::Update));
                }
            }
            ChangeType::Renumber => {
                let action = json!({"type": code, "numbers": [{"id": id, "number": 90_000}]});
                if faults(&action).is_empty() {
                    changes.push((action, Action::Update));
                }
            }
            ChangeType::Delete | ChangeType::Restore => {
                changes.push((json!({"type": code}), Action::Delete));
            }
        }
    }
    changes
}

#[actix_web::test]
async fn a_preview_of_each_change_of_each_kind_needs_the_permission_for_one_item() {
    let app = TestApp::new().await;
    let matrix = Matrix::new(&app).await;
    let mut clients = vec![(None, app.anonymous())];
    for role in RoleCode::ALL.iter().copied() {
        clients.push((Some(role), app.sign_in_as(role).await));
    }
    // Previews are not in the list.
    let count = async || app.number("SELECT count(*) AS number FROM bulk_operations").await;
    let (mut allowed, mut refused) = (0, 0);
    for kind in Kind::ALL.iter().copied() {
        let (id, item) = matrix.stored(kind).await;
        let (trashed, _) = matrix.stored(kind).await;
        let deleted = matrix.boss.delete(&format!("/api/{}/{trashed}", kind.path())).send().await;
        assert_eq!(deleted.status, 204, "{kind:?}: {}", deleted.text());
        for (change, action) in changes_of(kind, &id, &item) {
            let id = if change["type"] == "RESTORE" { &trashed } else { &id };
            let body = json!({"resource": kind.path(), "ids": [id], "action": change, "dryRun": true});
            for (role, client) in &clients {
                let before = count().await;
                let answer = client.post("/api/operations").json(&body).send().await;
                let expected = match role {
                    None => 401,
                    Some(role) if may(*role, kind.path(), action) => 202,
                    Some(_) => 403,
                };
                let reported = format!("{change} of {kind:?} as {role:?}: {}", answer.text());
                assert_eq!(answer.status, expected, "{reported}");
                if expected != 202 {
                    assert_eq!(count().await, before, "{reported}, but an operation began");
                    refused += 1;
                    continue;
                }
                app.run_operations().await;
                let path = format!("/api/operations/{}", answer.json()["id"]);
                let ended = client.get(&path).send().await.json();
                let outcome = (&ended["state"], &ended["done"], &ended["counts"]["missing"]);
                assert_eq!(outcome, (&json!("FINISHED"), &json!(1), &json!(0)), "{reported}: {ended}");
                allowed += 1;
            }
        }
    }
    assert!(allowed > 150 && refused > 150, "{allowed} and {refused}");
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
