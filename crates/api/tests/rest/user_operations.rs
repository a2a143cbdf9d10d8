//! Bulk operations on users and reports over the API: permissions, validation like that of an edit,
//! undo.

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
    users::agents_with_customers,
};

async fn read(client: &Client<'_>, path: &str) -> Value {
    let answer = client.get(path).send().await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    answer.json()
}

async fn begun(client: &Client<'_>, body: &Value) -> Value {
    let answer = client.post("/api/operations").json(body).send().await;
    assert_eq!(answer.status, 202, "{body}: {}", answer.text());
    answer.json()
}

/// Runs an operation that has begun.
async fn ended(app: &TestApp, client: &Client<'_>, operation: &Value) -> Value {
    app.run_operations().await;
    read(client, &format!("/api/operations/{}", operation["id"])).await
}

/// Starts an operation and runs it.
async fn done(app: &TestApp, client: &Client<'_>, body: &Value) -> Value {
    ended(app, client, &begun(client, body).await).await
}

async fn undone(app: &TestApp, client: &Client<'_>, operation: &Value) -> Value {
    let answer = client.post(&format!("/api/operations/{}/undo", operation["id"])).send().await;
    assert_eq!(answer.status, 202, "{}", answer.text());
    app.run_operations().await;
    read(client, &format!("/api/operations/{}", answer.json()["id"])).await
}

fn request(resource: &str, ids: Value, set: Value) -> Value {
    json!({"resource": resource, "ids": ids, "action": {"type": "SET", "set": set}})
}

/// Changed, unchanged, refused, conflicts, missing.
fn counts(operation: &Value) -> [i64; 5] {
    ["changed", "unchanged", "refused", "conflicts", "missing"]
        .map(|name| operation["counts"][name].as_i64().unwrap())
}

/// Item, result and problems of each row, by field and code.
async fn outcome(client: &Client<'_>, operation: &Value) -> Vec<(String, String, Vec<String>)> {
    let rows = read(client, &format!("/api/operations/{}/rows", operation["id"])).await;
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let row = |row: &Value| {
        let problems = row["problems"].as_array().unwrap().iter();
        let problems = problems.map(|one| format!("{} {}", text(&one["field"]), text(&one["code"])));
        (text(&row["itemId"]), text(&row["verdict"]), problems.collect())
    };
    rows.as_array().unwrap().iter().map(row).collect()
}

fn row(item: &str, verdict: &str, problems: &[&str]) -> (String, String, Vec<String>) {
    (item.into(), verdict.into(), problems.iter().map(|one| (*one).to_owned()).collect())
}

async fn status(client: &Client<'_>, username: &str) -> Value {
    read(client, &format!("/api/users/{username}")).await["status"].clone()
}

async fn registrar(client: &Client<'_>, username: &str) -> Value {
    read(client, &format!("/api/users/{username}")).await["registeredBy"].clone()
}

on_both! {
    #[smoke]
    async fn customers_and_a_subtree_move_to_another_agent_and_back(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let rival = app.sign_in("rival_1").await;
        let body = request("users", json!(["ana_app", "EVA_1", "rival_app", "rival_1", "nobody_1"]), json!({"registeredBy": "RIVAL_1"}));
        let mut preview = body.clone();
        preview["dryRun"] = json!(true);
        let before = app.snapshot().await;
        let preview = done(app, &admin, &preview).await;
        let expected = [
            row("ana_app", "CHANGED", &[]),
            row("EVA_1", "CHANGED", &[]),
            row("nobody_1", "MISSING", &[]),
            row("rival_1", "REFUSED", &["registeredBy OWN_SUBTREE"]),
            row("rival_app", "UNCHANGED", &[]),
        ];
        assert_eq!((counts(&preview), outcome(&admin, &preview).await), ([2, 1, 1, 0, 1], expected.to_vec()));
        assert_eq!(registrar(&admin, "ana_app").await, "ana_1", "a preview changes nothing");
        drop(before);
        let moved = done(app, &admin, &body).await;
        assert_eq!((counts(&moved), outcome(&admin, &moved).await), ([2, 1, 1, 0, 1], expected.to_vec()));
        for username in ["ana_app", "eva_1", "eva_app"] {
            assert_eq!(rival.get(&format!("/api/users/{username}")).send().await.status, 200, "{username}");
        }
        let history = read(&admin, "/api/users/eva_1/history").await;
        assert_eq!(history["content"][0]["source"], "BULK_OPERATION");
        assert_eq!(history["content"][0]["operationId"], moved["id"]);
        assert_eq!(history["content"][0]["after"], json!({"registeredBy": "rival_1"}));
        // One is moved by a user meanwhile: the undo does not move it.
        let by_hand = admin.patch("/api/users/ana_app").json(&json!({"registeredBy": null})).send().await;
        assert_eq!(by_hand.status, 200, "{}", by_hand.text());
        let back = undone(app, &admin, &moved).await;
        assert_eq!(
            outcome(&admin, &back).await,
            [row("ana_app", "REFUSED", &["registeredBy CHANGED_SINCE"]), row("EVA_1", "CHANGED", &[])]
        );
        assert_eq!((registrar(&admin, "ana_app").await, registrar(&admin, "eva_1").await), (json!(null), json!("ana_1")));
        assert_eq!(rival.get("/api/users/eva_app").send().await.status, 404);
    }

    async fn what_a_user_edits_after_an_operation_began_stays_and_is_a_conflict(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let edit = async |path: &str, change: Value| {
            let answer = admin.patch(path).json(&change).send().await;
            assert_eq!(answer.status, 200, "{}", answer.text());
        };
        let names = json!(["Ana_App", "eva_app"]);
        let suspension = begun(&admin, &request("users", names, json!({"status": "SUSPENDED"}))).await;
        edit("/api/users/ana_app", json!({"status": "INACTIVE"})).await;
        edit("/api/users/eva_app", json!({"comment": "Calls on Mondays"})).await;
        let suspension = ended(app, &admin, &suspension).await;
        assert_eq!(counts(&suspension), [1, 0, 0, 1, 0], "another field does not matter");
        assert_eq!(status(&admin, "ana_app").await, "INACTIVE");
        assert_eq!(status(&admin, "eva_app").await, "SUSPENDED");
        let mut reports = Vec::new();
        for _ in 0..2 {
            let report = json!({
                "title": "No carga", "description": "Desde ayer", "contentType": "MOVIE", "content": "Dune",
                "reportType": "NOT_LOADING", "reporter": "abonado 7",
            });
            reports.push(admin.create("issue-reports", &report).await["id"].clone());
        }
        let raised = begun(&admin, &request("issue-reports", json!(reports), json!({"priority": "CRITICAL"}))).await;
        edit(&format!("/api/issue-reports/{}", reports[0]), json!({"priority": "LOW"})).await;
        edit(&format!("/api/issue-reports/{}", reports[1]), json!({"notes": "Seen"})).await;
        let raised = ended(app, &admin, &raised).await;
        assert_eq!(counts(&raised), [1, 0, 0, 1, 0]);
        let first = read(&admin, &format!("/api/issue-reports/{}", reports[0])).await;
        assert_eq!(first["priority"], "LOW");
    }

    async fn a_status_is_validated_as_in_an_edit_and_ends_sessions(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        boss.register("boss_2", "superadmin").await;
        let ana = app.sign_in("ana_1").await;
        let names = json!(["ana_1", "ana_app", "admin", "boss_2"]);
        let suspended = done(app, &admin, &request("users", names, json!({"status": "SUSPENDED"}))).await;
        assert_eq!(
            outcome(&admin, &suspended).await,
            [
                row("admin", "REFUSED", &[" FORBIDDEN"]),
                row("ana_1", "CHANGED", &[]),
                row("ana_app", "CHANGED", &[]),
                row("boss_2", "REFUSED", &[" FORBIDDEN"]),
            ]
        );
        assert_eq!(ana.get("/api/users").send().await.status, 401, "its session has ended");
        assert_eq!(status(&admin, "ana_app").await, "SUSPENDED");
        let off = done(app, &admin, &request("users", json!(["eva_app"]), json!({"status": "INACTIVE"}))).await;
        assert_eq!(counts(&off), [1, 0, 0, 0, 0]);
        let on = done(app, &admin, &request("users", json!(["eva_app"]), json!({"status": "ACTIVE"}))).await;
        assert_eq!(outcome(&admin, &on).await, [row("eva_app", "REFUSED", &["status USER_WITHOUT_CREDITS"])]);
        let back = undone(app, &admin, &off).await;
        assert_eq!((counts(&back), status(&admin, "eva_app").await), ([1, 0, 0, 0, 0], json!("ACTIVE")), "as before");
        let wrong = done(app, &admin, &request("users", json!(["eva_app"]), json!({"status": "GONE"}))).await;
        assert_eq!(outcome(&admin, &wrong).await, [row("eva_app", "REFUSED", &["status UNKNOWN_VALUE"])]);
        let why = admin.get(&format!("/api/operations/{}/rows?problems=true", suspended["id"])).send().await.json();
        let named: Vec<&Value> = why.as_array().unwrap().iter().map(|row| &row["itemId"]).collect();
        assert_eq!(named, ["admin", "boss_2"], "those with a reason");
        let csv = admin.get(&format!("/api/operations/{}/failures?language=en", suspended["id"])).send().await.text();
        assert!(csv.contains("\"admin\"") && csv.contains("\"boss_2\"") && !csv.contains("\"ana_1\""), "{csv}");
        let back = undone(app, &admin, &suspended).await;
        assert_eq!((counts(&back), status(&admin, "ana_1").await), ([2, 0, 0, 0, 0], json!("ACTIVE")));
    }

    async fn roles_are_granted_by_rank_and_one_superadmin_stays(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        boss.register("boss_2", "superadmin").await;
        let boss_2 = app.sign_in("boss_2").await;
        let up = done(app, &admin, &request("users", json!(["ana_app"]), json!({"roleCode": "superadmin"}))).await;
        assert_eq!(outcome(&admin, &up).await, [row("ana_app", "REFUSED", &[" FORBIDDEN"])]);
        let agent = done(app, &admin, &request("users", json!(["ana_app"]), json!({"roleCode": "agent"}))).await;
        assert_eq!(counts(&agent), [1, 0, 0, 0, 0]);
        // Users can't change themselves, so the last superadmin can only be changed by another one.
        let names = json!(["superadmin", "boss_2"]);
        let down = done(app, &boss_2, &request("users", names, json!({"roleCode": "admin"}))).await;
        assert_eq!(
            outcome(&boss_2, &down).await,
            [row("boss_2", "REFUSED", &[" FORBIDDEN"]), row("superadmin", "CHANGED", &[])]
        );
    }

    async fn the_users_that_a_list_shows_are_changed_and_their_number_is_confirmed(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let mut body = json!({"resource": "users", "filter": {"roleCode": "app", "search": "_app"}, "expectedCount": 2,
            "action": {"type": "SET", "set": {"status": "SUSPENDED"}}});
        let refused = admin.post("/api/operations").json(&body).send().await;
        assert_eq!((refused.status, refused.code(), refused.json()["arguments"]["count"].clone()), (409, "COUNT_CHANGED".into(), json!(3)));
        body["expectedCount"] = json!(3);
        assert_eq!(counts(&done(app, &admin, &body).await), [3, 0, 0, 0, 0]);
        // The customers of an agent move to another one; those of its agents stay.
        let of_ana = json!({"resource": "users", "filter": {"registeredBy": "ANA_1", "roleCode": "app"}, "expectedCount": 1,
            "action": {"type": "SET", "set": {"registeredBy": "rival_1"}}});
        assert_eq!(counts(&done(app, &admin, &of_ana).await), [1, 0, 0, 0, 0]);
        assert_eq!(registrar(&admin, "ana_app").await, "rival_1");
        assert_eq!(registrar(&admin, "eva_app").await, "eva_1");
        body["filter"] = json!({"colour": "red"});
        let unknown = admin.post("/api/operations").json(&body).send().await;
        assert_eq!(unknown.field_messages()[0].0, "filter.colour");
    }

    async fn bulk_operations_on_users_require_the_permission(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let body = request("users", json!(["ana_app"]), json!({"status": "SUSPENDED"}));
        let manager = app.manager().await;
        let (ana, customer) = (app.sign_in("ana_1").await, app.sign_in_as(RoleCode::Agent).await);
        for client in [&manager, &ana, &customer] {
            let refused = client.post("/api/operations").json(&body).send().await;
            assert_eq!((refused.status, refused.code()), (403, "FORBIDDEN".into()));
        }
        let operation = done(app, &admin, &body).await;
        let path = format!("/api/operations/{}", operation["id"]);
        assert_eq!(ana.get(&path).send().await.status, 403);
        assert_eq!(manager.get(&path).send().await.status, 404);
        assert_eq!(manager.post(&format!("{path}/undo")).send().await.status, 404);
        for (resource, action, field) in [
            ("users", json!({"type": "SET", "set": {"fullName": "x"}}), "action.set.fullName"),
            ("users", json!({"type": "DELETE"}), "action.type"),
            ("issue-reports", json!({"type": "SET", "set": {"title": "x"}}), "action.set.title"),
            ("movies", json!({"type": "SET", "set": {"registeredBy": "x"}}), "action.set.registeredBy"),
        ] {
            let ids = if resource == "users" { json!(["ana_app"]) } else { json!([1]) };
            let refused = admin.post("/api/operations").json(&json!({"resource": resource, "ids": ids, "action": action})).send().await;
            assert_eq!((refused.status, refused.field_messages()[0].0.as_str()), (422, field), "{resource} {action}");
        }
        let mixed = admin.post("/api/operations").json(&request("users", json!(["ana_app", 7]), json!({"status": "ACTIVE"}))).send().await;
        assert_eq!(mixed.field_messages()[0].0, "ids[1]");
    }

    async fn an_operation_stops_when_its_admin_loses_the_role(app: &TestApp) {
        let admin = agents_with_customers(app).await;
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        let begun = admin.post("/api/operations").json(&request("users", json!(["ana_app"]), json!({"status": "SUSPENDED"}))).send().await;
        let demoted = json!({"roleCode": "agent", "email": "agente@example.com", "phoneNumber": "+34600000001"});
        let role = boss.patch("/api/users/admin").json(&demoted).send().await;
        assert_eq!(role.status, 200, "{}", role.text());
        app.run_operations().await;
        let operation = read(&boss, &format!("/api/operations/{}", begun.json()["id"])).await;
        assert_eq!((&operation["state"], &operation["failure"]), (&json!("FAILED"), &json!("FORBIDDEN")));
        assert_eq!(status(&boss, "ana_app").await, "ACTIVE");
    }

    #[smoke]
    async fn reports_are_closed_together_by_their_transitions_and_opened_again(app: &TestApp) {
        let manager = app.manager().await;
        let mut ids = Vec::new();
        for title in ["No carga", "Sin audio", "Se corta"] {
            let draft = json!({"title": title, "contentType": "MOVIE", "reportType": "NOT_LOADING"});
            let created = manager.post("/api/issue-reports").json(&draft).send().await;
            assert_eq!(created.status, 201, "{}", created.text());
            ids.push(created.json()["id"].as_i64().unwrap());
        }
        let report = async |id: i64| read(&manager, &format!("/api/issue-reports/{id}")).await;
        let patch = async |id: i64, change: Value| {
            let answer = manager.patch(&format!("/api/issue-reports/{id}")).json(&change).send().await;
            assert_eq!(answer.status, 200, "{}", answer.text());
        };
        patch(ids[2], json!({"status": "CERRADO"})).await;
        let begun = done(app, &manager, &request("issue-reports", json!(ids), json!({"status": "EN_PROGRESO", "priority": "HIGH", "notes": "En ello"}))).await;
        assert_eq!(counts(&begun), [2, 0, 1, 0, 0]);
        let refused = read(&manager, &format!("/api/operations/{}/rows?verdict=REFUSED", begun["id"])).await;
        assert_eq!(refused[0]["problems"][0]["code"], "INVALID_TRANSITION");
        assert_eq!(refused[0]["problems"][0]["message"], "Un reporte «Cerrado» no puede pasar a «En progreso».");
        let first = report(ids[0]).await;
        assert_eq!((&first["status"], &first["priority"], &first["notes"]), (&json!("EN_PROGRESO"), &json!("HIGH"), &json!("En ello")));
        assert_eq!(first["assignedTo"], "contentManager", "a report in progress has an assignee");
        assert_eq!(first["history"].as_array().unwrap().len(), 2);
        let unknown = done(app, &manager, &request("issue-reports", json!([ids[0]]), json!({"assignedTo": "nobody_1"}))).await;
        assert_eq!(outcome(&manager, &unknown).await, [row(&ids[0].to_string(), "REFUSED", &["assignedTo UNKNOWN_REFERENCE"])]);
        let resolved = done(app, &manager, &request("issue-reports", json!([ids[0], ids[1], 999]), json!({"status": "RESUELTO"}))).await;
        assert_eq!(counts(&resolved), [2, 0, 0, 0, 1]);
        // One is closed by a user meanwhile and stays. The other gets its previous status, although
        // that is not a valid transition.
        patch(ids[1], json!({"status": "CERRADO"})).await;
        let back = undone(app, &manager, &resolved).await;
        assert_eq!(
            outcome(&manager, &back).await,
            [row(&ids[0].to_string(), "CHANGED", &[]), row(&ids[1].to_string(), "REFUSED", &["status CHANGED_SINCE"])]
        );
        assert_eq!((report(ids[0]).await["status"].clone(), report(ids[1]).await["status"].clone()), (json!("EN_PROGRESO"), json!("CERRADO")));
        let list = json!({"resource": "issue-reports", "filter": {"status": "CERRADO"}, "expectedCount": 2, "dryRun": true,
            "action": {"type": "SET", "set": {"priority": "LOW"}}});
        assert_eq!(counts(&done(app, &manager, &list).await), [2, 0, 0, 0, 0]);
    }
}
