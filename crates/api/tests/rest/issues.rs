//! Viewers' reports over the API: creation, changes by staff, and refusals with their messages.

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
};

fn complaint(content: &str) -> Value {
    json!({
        "title": "No carga", "description": "Desde ayer", "contentType": "MOVIE", "content": content,
        "reportType": "NOT_LOADING", "reporter": "abonado 7",
    })
}

async fn reported(client: &Client<'_>, content: &str) -> Value {
    client.create("issue-reports", &complaint(content)).await
}

async fn patched(client: &Client<'_>, report: &Value, change: Value) -> Value {
    let answer = client.patch(&format!("/api/issue-reports/{}", report["id"])).json(&change).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

async fn whole(client: &Client<'_>, report: &Value) -> Value {
    client.get(&format!("/api/issue-reports/{}", report["id"])).send().await.json()
}

on_both! {
    async fn a_report_is_created_changed_and_deleted(app: &TestApp) {
        let manager = app.manager().await;
        let film = manager.film().await;
        let film = manager.create("movies", &film).await;
        let mut sent = complaint("la de arena");
        sent["contentId"] = film["id"].clone();
        let answer = manager.post("/api/issue-reports").json(&sent).send().await;
        assert_eq!((answer.status, answer.header("etag")), (201, Some("\"1\"")), "{}", answer.text());
        let report = answer.json();
        assert_eq!(answer.header("location"), Some(format!("/api/issue-reports/{}", report["id"]).as_str()));
        for (field, value) in [
            ("title", json!("No carga")),
            ("description", json!("Desde ayer")),
            ("contentType", json!("MOVIE")),
            ("contentId", film["id"].clone()),
            ("content", film["title"].clone()),
            ("reportType", json!("NOT_LOADING")),
            ("reporter", json!("abonado 7")),
            ("reportedDate", json!("2026-11-20T10:00:00.000Z")),
            ("status", json!("REPORTADO")),
            ("priority", json!("MEDIUM")),
            ("assignedTo", json!(null)),
            ("notes", json!(null)),
            ("version", json!(1)),
            ("transitions", json!(["EN_PROGRESO", "RESUELTO", "CERRADO", "RECHAZADO"])),
        ] {
            assert_eq!(report[field], value, "{field}: {report}");
        }
        let mut page = manager.get("/api/issue-reports").send().await.json();
        assert_eq!(page["content"][0].as_object_mut().unwrap().remove("playsAgain"), Some(json!(false)));
        assert_eq!((&page["content"][0], &page["size"], &page["totalElements"]), (&report, &json!(10), &json!(1)));
        let begun = patched(&manager, &report, json!({"status": "EN_PROGRESO"})).await;
        assert_eq!((&begun["assignedTo"], &begun["version"]), (&json!("contentManager"), &json!(2)));
        let done = patched(&manager, &report, json!({"status": "RESUELTO", "notes": "Enlace nuevo"})).await;
        assert_eq!(done["transitions"], json!(["REPORTADO", "CERRADO"]));
        let again = manager.patch(&format!("/api/issue-reports/{}", report["id"])).json(&done).send().await;
        assert_eq!((again.status, again.header("etag")), (200, Some("\"3\"")), "a response can be sent back");
        let seen = whole(&manager, &report).await;
        assert_eq!(seen["item"], json!({
            "kind": "movies", "id": film["id"], "title": film["title"], "showId": null,
        }));
        let reported: Vec<_> = seen["history"].as_array().unwrap().iter().map(|one| (&one["by"], &one["statusTo"], &one["note"])).collect();
        let by = json!("contentManager");
        assert_eq!(reported, [
            (&by, &json!("REPORTADO"), &json!(null)),
            (&by, &json!("EN_PROGRESO"), &json!(null)),
            (&by, &json!("RESUELTO"), &json!("Enlace nuevo")),
        ]);
        assert_eq!(manager.delete(&format!("/api/movies/{}", film["id"])).send().await.status, 204);
        assert_eq!(whole(&manager, &report).await["item"], json!(null), "the item is deleted");
        let path = format!("/api/issue-reports/{}", report["id"]);
        assert_eq!(manager.delete(&path).send().await.status, 403);
        let admin = app.sign_in_as(RoleCode::Admin).await;
        assert_eq!(admin.delete(&path).send().await.status, 204);
        let gone = admin.get(&path).send().await;
        assert_eq!((gone.status, &gone.json()["message"]), (404, &json!("El reporte no fue encontrado")));
        let english = admin.get(&path).header("accept-language", "en").send().await.json();
        assert_eq!(english["message"], "The report was not found");
    }

    async fn current_activity_changes_with_each_change_of_an_open_report(app: &TestApp) {
        let manager = app.manager().await;
        let report = reported(&manager, "Dune").await;
        let seen = async || manager.get("/api/activity").send().await.json()["reports"].clone();
        let mut before = seen().await;
        for change in [json!({"status": "EN_PROGRESO"}), json!({"priority": "HIGH"}), json!({"notes": "Enlace nuevo"})] {
            patched(&manager, &report, change.clone()).await;
            let after = seen().await;
            assert_eq!((&after["open"], &after["newest"]), (&json!(1), &report["id"]), "{change}");
            assert_ne!(after["lastChange"], before["lastChange"], "{change}");
            before = after;
        }
    }

    async fn every_rule_of_a_new_report_is_reported_in_both_languages(app: &TestApp) {
        let manager = app.manager().await;
        let bad = json!({"title": "x", "contentType": "TV_SHOW", "reportType": "AUDIO", "contentId": 0, "status": "CERRADO", "description": "x".repeat(2001)});
        let answer = manager.post("/api/issue-reports").json(&bad).send().await;
        let mut broken = answer.field_codes();
        broken.sort();
        let broken: Vec<_> = broken.iter().map(|(field, code)| (field.as_str(), code.as_str())).collect();
        assert_eq!(broken, [
            ("contentId", "TOO_SMALL"),
            ("contentType", "UNKNOWN_VALUE"),
            ("description", "TOO_LONG"),
            ("status", "UNKNOWN_FIELD"),
            ("title", "TOO_SHORT"),
        ]);
        let mut nowhere = complaint("x");
        nowhere["contentId"] = json!(999);
        for (language, message) in [("es", "El contenido no existe"), ("en", "The item does not exist")] {
            let answer = manager.post("/api/issue-reports").header("accept-language", language).json(&nowhere).send().await;
            assert_eq!(answer.field_messages(), [("contentId".into(), message.into())]);
        }
        let report = reported(&manager, "Dune").await;
        let path = format!("/api/issue-reports/{}", report["id"]);
        for (language, message) in [
            ("es", "Elige a alguien activo del equipo que pueda ver los reportes"),
            ("en", "Choose an active member of the staff who may see reports"),
        ] {
            for assignee in ["agent", "app", "suspended", "ghost_1"] {
                let answer = manager.patch(&path).header("accept-language", language).json(&json!({"assignedTo": assignee})).send().await;
                assert_eq!(answer.field_messages(), [("assignedTo".into(), message.into())], "{assignee}");
            }
        }
        let answer = manager.patch(&path).json(&json!({"title": "Otro"})).send().await;
        assert_eq!(answer.field_codes(), [("title".into(), "IMMUTABLE".into())]);
    }

    #[smoke]
    async fn a_report_allows_only_the_specified_transitions(app: &TestApp) {
        let (manager, admin) = (app.manager().await, app.sign_in_as(RoleCode::Admin).await);
        let states = ["REPORTADO", "EN_PROGRESO", "RESUELTO", "CERRADO", "RECHAZADO"];
        let allowed = |from: &str, by_admin: bool| match from {
            "REPORTADO" => vec!["EN_PROGRESO", "RESUELTO", "RECHAZADO", "CERRADO"],
            "EN_PROGRESO" => vec!["REPORTADO", "RESUELTO", "RECHAZADO", "CERRADO"],
            "RECHAZADO" => vec!["REPORTADO", "RESUELTO", "CERRADO"],
            "RESUELTO" => vec!["REPORTADO", "CERRADO"],
            _ if by_admin => vec!["REPORTADO"],
            _ => vec![],
        };
        for from in states {
            for to in states {
                for (client, by_admin) in [(&manager, false), (&admin, true)] {
                    let report = reported(client, "Dune").await;
                    patched(client, &report, json!({"status": from})).await;
                    let path = format!("/api/issue-reports/{}", report["id"]);
                    let answer = client.patch(&path).json(&json!({"status": to})).send().await;
                    let fine = from == to || allowed(from, by_admin).contains(&to);
                    assert_eq!(answer.status, if fine { 200 } else { 409 }, "{from} {to}: {}", answer.text());
                    let now = whole(client, &report).await["status"].clone();
                    assert_eq!(now, if fine { to } else { from });
                }
            }
        }
        let report = reported(&manager, "Dune").await;
        patched(&manager, &report, json!({"status": "CERRADO"})).await;
        let path = format!("/api/issue-reports/{}", report["id"]);
        for (language, message) in [
            ("es", "Un reporte «Cerrado» no puede pasar a «Reportado»."),
            ("en", "A report that is “Closed” can't become “Reported”."),
        ] {
            let answer = manager.patch(&path).header("accept-language", language).json(&json!({"status": "REPORTADO"})).send().await;
            let json = answer.json();
            assert_eq!((answer.status, answer.code()), (409, "INVALID_TRANSITION".into()));
            assert_eq!((&json["message"], &json["arguments"]), (&json!(message), &json!({"from": "CERRADO", "to": "REPORTADO"})));
        }
    }

    async fn a_group_has_the_current_title_of_its_item(app: &TestApp) {
        let manager = app.manager().await;
        let film = manager.create("movies", &manager.film().await).await;
        let mut of_film = complaint("");
        of_film["content"] = json!(null);
        of_film["contentId"] = film["id"].clone();
        let report = manager.create("issue-reports", &of_film).await;
        let path = format!("/api/movies/{}", film["id"]);
        assert_eq!(manager.patch(&path).json(&json!({"title": "Duna"})).send().await.status, 200);
        let page = manager.get("/api/issue-reports/groups").send().await.json();
        let group = &page["content"][0];
        assert_eq!((&group["id"], &group["title"]), (&report["groupId"], &json!("Duna")), "{group}");
        // A report keeps its original text.
        assert_eq!(whole(&manager, &report).await["content"], film["title"]);
    }

    async fn of_two_concurrent_changes_the_second_is_refused(app: &TestApp) {
        let manager = app.manager().await;
        let report = reported(&manager, "Dune").await;
        let path = format!("/api/issue-reports/{}", report["id"]);
        let with = |version: &'static str| manager.patch(&path).header("if-match", version).json(&json!({"priority": "HIGH"}));
        assert_eq!(with("\"1\"").send().await.status, 200);
        let late = with("\"1\"").send().await;
        assert_eq!((late.status, late.code()), (412, "VERSION_CONFLICT".into()));
        let mut current = manager.get("/api/issue-reports").send().await.json()["content"][0].clone();
        current.as_object_mut().unwrap().remove("playsAgain");
        assert_eq!(late.json()["current"], current);
        let admin = app.sign_in_as(RoleCode::Admin).await;
        assert_eq!(admin.delete(&path).header("if-match", "\"1\"").send().await.status, 412);
        assert_eq!(admin.delete(&path).header("if-match", "\"2\"").send().await.status, 204);
    }

    async fn a_report_with_a_key_is_created_once(app: &TestApp) {
        let manager = app.manager().await;
        let send = async |body: &Value| manager.post("/api/issue-reports").header("idempotency-key", "k").json(body).send().await;
        let first = send(&complaint("Dune")).await;
        assert_eq!((first.status, first.header("idempotency-replayed")), (201, None));
        let again = send(&complaint("Dune")).await;
        assert_eq!((again.status, again.header("idempotency-replayed")), (201, Some("true")));
        assert_eq!(again.json(), first.json());
        // The response is repeated although the item was deleted since.
        let film = manager.create("movies", &manager.film().await).await["id"].clone();
        let mut of_film = complaint("Dune");
        of_film["contentId"] = film.clone();
        let send_of_film = async || manager.post("/api/issue-reports").header("idempotency-key", "film").json(&of_film).send().await;
        let first_of_film = send_of_film().await;
        assert_eq!(first_of_film.status, 201, "{}", first_of_film.text());
        assert_eq!(manager.delete(&format!("/api/movies/{film}")).send().await.status, 204);
        let again = send_of_film().await;
        assert_eq!((again.status, again.json()), (201, first_of_film.json()));
        let other = send(&complaint("Vértigo")).await;
        assert_eq!((other.status, other.code()), (409, "IDEMPOTENCY_MISMATCH".into()));
        assert_eq!(manager.count("issue-reports").await, 2);
    }

    async fn a_key_for_reports_does_not_reveal_hidden_items(app: &TestApp) {
        let manager = app.manager().await;
        let mut film = manager.film().await;
        film["active"] = json!(false);
        let hidden = manager.create("movies", &film).await;
        let key = app.program(&["ISSUES_REPORT"]).await;
        let mut by_id = complaint("");
        by_id["content"] = json!(null);
        by_id["contentId"] = hidden["id"].clone();
        let by_title = complaint(hidden["title"].as_str().unwrap());
        for (sent, known) in [(by_id, "contentId"), (by_title, "content")] {
            let report = key.create("issue-reports", &sent).await;
            for field in ["contentId", "content"] {
                let expected = if field == known { sent[field].clone() } else { json!(null) };
                assert_eq!(report[field], expected, "{field}: {report}");
            }
            // Staff get the item.
            let seen = whole(&manager, &report).await;
            assert_eq!((&seen["contentId"], &seen["content"]), (&hidden["id"], &hidden["title"]));
        }
    }

    async fn lists_stats_and_dashboards_agree(app: &TestApp) {
        let manager = app.manager().await;
        for (content, change) in [
            ("Dune", json!({})),
            ("Vértigo", json!({"status": "EN_PROGRESO", "priority": "CRITICAL"})),
            ("Dune", json!({"status": "RESUELTO"})),
            ("Amélie", json!({"status": "CERRADO", "assignedTo": "admin"})),
            ("Amélie", json!({"status": "RECHAZADO"})),
        ] {
            let report = reported(&manager, content).await;
            patched(&manager, &report, change).await;
        }
        let stats = manager.get("/api/issue-reports/stats").send().await.json();
        assert_eq!(stats, json!({"reportados": 1, "enProgreso": 1, "resueltos": 2, "total": 5}));
        for (query, total) in [
            ("", 5),
            ("status=REPORTADO", 1),
            ("status=REPORTADO,EN_PROGRESO", 2),
            ("status=RESUELTO,CERRADO", 2),
            ("priority=CRITICAL", 1),
            ("assignedTo=ADMIN", 1),
            ("unassigned=true", 3),
            ("contentType=TV", 0),
            ("reportType=NOT_LOADING&search=vertigo", 1),
            ("search=pel%C3%ADcula", 5),
            ("search=amelie&status=RECHAZADO", 1),
            ("group=1", 2),
            ("reportedDateFrom=2026-11-20&reportedDateTo=2026-11-20", 5),
            ("reportedDateFrom=2026-11-21", 0),
            ("reportedDateTo=2026-11-19&search=dune", 0),
        ] {
            let page = manager.get(&format!("/api/issue-reports?{query}")).send().await.json();
            assert_eq!(page["totalElements"], total, "{query}: {page}");
        }
        let dashboard = manager.get("/api/content-manager/dashboard").send().await.json();
        assert_eq!((&dashboard["unresolvedIssues"]["MOVIE"], &dashboard["unresolvedIssues"]["TV"]), (&json!(2), &json!(0)));
        let order = manager.get("/api/issue-reports?_sort=-priority,title").send().await.json();
        assert_eq!(order["content"][0]["priority"], "CRITICAL");
        let wrong = manager.get("/api/issue-reports?status=DONE&colour=red&_sort=notes").send().await;
        assert_eq!(wrong.field_codes().len(), 3, "{}", wrong.text());
        let users = manager.get("/api/issue-reports/assignees").send().await.json();
        let names: Vec<_> = users.as_array().unwrap().iter().map(|one| one["username"].as_str().unwrap()).collect();
        assert_eq!(names, ["superadmin", "admin", "contentManager"]);
    }

    async fn reports_are_deleted_together_by_admins_and_for_good(app: &TestApp) {
        let manager = app.manager().await;
        let mut ids = Vec::new();
        for _ in 0..2 {
            ids.push(manager.create("issue-reports", &complaint("Dune")).await["id"].clone());
        }
        let kept = manager.create("issue-reports", &complaint("Dune")).await["id"].clone();
        let body = |dry_run: bool| json!({
            "resource": "issue-reports", "ids": ids, "action": {"type": "DELETE"}, "dryRun": dry_run,
        });
        assert_eq!(manager.post("/api/operations").json(&body(false)).send().await.status, 403);
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let total = async || admin.get("/api/issue-reports").send().await.json()["totalElements"].clone();
        for (dry_run, left) in [(true, 3), (false, 1)] {
            let begun = admin.post("/api/operations").json(&body(dry_run)).send().await;
            assert_eq!(begun.status, 202, "{}", begun.text());
            app.run_operations().await;
            assert_eq!(total().await, left, "dry run: {dry_run}");
            let path = format!("/api/operations/{}", begun.json()["id"]);
            let ended = admin.get(&path).send().await.json();
            assert_eq!((&ended["counts"]["changed"], &ended["undoUntil"]), (&json!(2), &json!(null)), "{ended}");
        }
        let again = admin.post("/api/operations").json(&body(false)).send().await.json();
        app.run_operations().await;
        let ended = admin.get(&format!("/api/operations/{}", again["id"])).send().await.json();
        assert_eq!(ended["counts"]["missing"], 2, "{ended}");
        let group = &admin.get("/api/issue-reports/groups").send().await.json()["content"][0];
        assert_eq!(group["reports"], 1, "{group}");
        assert_eq!(admin.get(&format!("/api/issue-reports/{kept}")).send().await.status, 200);
    }

    async fn twenty_reports_on_an_item_are_one_group(app: &TestApp) {
        let manager = app.manager().await;
        for minute in 0..20 {
            let mut sent = complaint(if minute % 2 == 0 { "Dune" } else { "DUNE" });
            sent["reportType"] = json!(if minute < 15 { "NOT_LOADING" } else { "AUDIO" });
            manager.create("issue-reports", &sent).await;
        }
        reported(&manager, "Vértigo").await;
        let page = manager.get("/api/issue-reports/groups").send().await.json();
        assert_eq!(page["totalElements"], 2);
        let group = &page["content"][0];
        for (field, value) in [
            ("title", json!("DUNE")),
            ("reports", json!(20)),
            ("inProgress", json!(0)),
            ("reportTypes", json!(["NOT_LOADING", "AUDIO"])),
            ("priority", json!("MEDIUM")),
            ("assignedTo", json!([])),
            ("item", json!(null)),
        ] {
            assert_eq!(group[field], value, "{field}: {group}");
        }
        // The open ones are changed by an operation, which can be undone.
        let filter = json!({"group": group["id"], "status": "REPORTADO,EN_PROGRESO"});
        let change = async |set: Value| {
            let action = json!({"type": "SET", "set": set});
            let body = json!({"resource": "issue-reports", "filter": filter, "action": action});
            let begun = manager.post("/api/operations").json(&body).send().await;
            assert_eq!(begun.status, 202, "{}", begun.text());
            app.run_operations().await;
            let path = format!("/api/operations/{}", begun.json()["id"]);
            manager.get(&path).send().await.json()["counts"]["changed"].clone()
        };
        assert_eq!(change(json!({"status": "EN_PROGRESO", "priority": "HIGH"})).await, 20);
        let page = manager.get("/api/issue-reports/groups?contentType=MOVIE&search=dune").send().await.json();
        let group = &page["content"][0];
        assert_eq!((&group["inProgress"], &group["priority"], &group["assignedTo"]), (&json!(20), &json!("HIGH"), &json!(["contentManager"])));
        assert_eq!(change(json!({"status": "RESUELTO", "notes": "Enlace nuevo"})).await, 20);
        assert_eq!(manager.get("/api/issue-reports/groups").send().await.json()["totalElements"], 1);
        assert_eq!(manager.get("/api/issue-reports/stats").send().await.json()["resueltos"], 20);
    }
}
