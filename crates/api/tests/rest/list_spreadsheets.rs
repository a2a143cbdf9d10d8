//! Lists other than content as spreadsheets: a file has the rows that the caller sees in the list.

use std::io::Cursor;

use calamine::{Data, Reader, Xlsx};
use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
    epg_matches::{id_of, matched},
    playlists::read,
};

async fn file(client: &Client<'_>, list: &str, query: &str) -> String {
    let answer = client.get(&format!("/api/spreadsheets/{list}?{query}")).send().await;
    assert_eq!(answer.status, 200, "{list}?{query}: {}", answer.text());
    answer.text()
}

/// The values of one column, as they were before cells that begin like a formula got an apostrophe.
async fn cells(client: &Client<'_>, list: &str, query: &str, column: &str) -> Vec<String> {
    let text = file(client, list, &format!("{query}&columns={column}&language=en")).await;
    let value = |line: &str| line.trim_matches('"').trim_start_matches('\'').to_owned();
    text.lines().skip(1).map(value).collect()
}

/// The values of one field on the first page of a list.
async fn listed(client: &Client<'_>, path: &str, field: &str) -> Vec<String> {
    let answer = client.get(path).send().await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    let value = |row: &Value| match &row[field] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    answer.json()["content"].as_array().unwrap().iter().map(value).collect()
}

/// A file has the rows of its list with the same parameters, in the same order, as many as expected.
async fn assert_same(
    client: &Client<'_>,
    (list, of): (&str, &str),
    path: &str,
    column: &str,
    query: &str,
    rows: usize,
) {
    let expected = listed(client, &format!("{path}?{query}"), column).await;
    assert_eq!(expected.len(), rows, "{path}?{query}: {expected:?}");
    assert_eq!(cells(client, list, &format!("{of}{query}"), column).await, expected, "{list}?{of}{query}");
}

/// Neither the file nor its columns are for these users.
async fn assert_refused(client: &Client<'_>, list: &str) {
    for path in [format!("{list}?source=1&run=1&guide=1"), format!("{list}/columns")] {
        assert_eq!(client.get(&format!("/api/spreadsheets/{path}")).send().await.status, 403, "{path}");
    }
}

on_both! {
    #[smoke]
    async fn files_of_live_tv_have_the_rows_of_their_lists(app: &TestApp) {
        let manager = app.manager().await;
        let titles = ["ES: MAREA AZUL TV FHD", "Marea", "Marea Azul TV 3", "=Quimera Dorada"].map(|title| (title, None));
        let (guide, _) = matched(app, &manager, &titles).await;
        app.links.take_all_over().await.unwrap();
        let source = json!({"title": "=España", "url": "http://127.0.0.1:9/l.m3u"});
        let source = manager.create("playlist-sources", &source).await["id"].clone();
        let of_source = format!("/api/playlist-sources/{source}");
        let entries = "#EXTM3U\n#EXTINF:-1 group-title=\"Cine\",Uno\nhttp://h.example/1\n\
            #EXTINF:-1 group-title=\"Cine\",=Dos\nhttp://h.example/2\n#EXTINF:-1,Tres\nhttp://h.example/3\n";
        let run = read(app, &manager, &of_source, entries, "").await["id"].clone();
        let of_run = format!("source={source}&run={run}&");
        let of_guide = format!("guide={}&", id_of(&guide));

        assert_same(&manager, ("links", ""), "/api/links", "title", "_sort=-title", 4).await;
        assert_same(&manager, ("links", ""), "/api/links", "id", "state=UNKNOWN&search=marea&_sort=title", 3).await;
        assert_same(&manager, ("links", ""), "/api/links", "id", "state=DOWN", 0).await;
        let sources = ("playlist-sources", "");
        assert_same(&manager, sources, "/api/playlist-sources", "title", "search=espa&_sort=title", 1).await;
        let changes = format!("{of_source}/runs/{run}/changes");
        let of = ("playlist-changes", of_run.as_str());
        assert_same(&manager, of, &changes, "name", "change=NEW,MISSING&group=Cine&_sort=-id", 2).await;
        assert_same(&manager, of, &changes, "url", "ignored=false", 3).await;
        assert_same(&manager, ("epg-matches", ""), "/api/epg-matches", "id", "_sort=-score", 4).await;
        assert_same(&manager, ("epg-matches", ""), "/api/epg-matches", "title", "level=REVIEW,NONE", 3).await;
        let channels = format!("{guide}/channels");
        let of = ("guide-channels", of_guide.as_str());
        assert_same(&manager, of, &channels, "epgId", "used=false&search=farola", 2).await;

        let columns_of_run = format!("{of_run}columns=name,change,groups");
        let columns_of_guide = format!("{of_guide}columns=epgId,title,used");
        for (list, query, expected) in [
            ("links", "columns=title,state", "\"'=Quimera Dorada\",\"Not checked yet\""),
            ("playlist-sources", "columns=title,lastRun,new", "\"'=España\",\"Finished\",\"3\""),
            ("playlist-changes", columns_of_run.as_str(), "\"'=Dos\",\"New\",\"Cine\""),
            ("epg-matches", "columns=title,candidate,guide&level=AUTO", "\"ES: MAREA AZUL TV FHD\",\"Marea Azul TV\",\"Guía nacional\""),
            ("guide-channels", columns_of_guide.as_str(), "\"farola.2\",\"Farola 2\",\"No\""),
        ] {
            let text = file(&manager, list, &format!("{query}&language=en")).await;
            assert!(text.contains(expected), "{list}: {text}");
            let columns = manager.get(&format!("/api/spreadsheets/{list}/columns")).send().await.json();
            assert!(columns.as_array().unwrap().len() > 2, "{columns}");
        }
        for (query, status, field) in [
            ("playlist-changes".to_owned(), 422, Some("source")),
            (format!("playlist-changes?source={source}"), 422, Some("run")),
            (format!("playlist-changes?source={source}&run=x"), 422, Some("run")),
            (format!("playlist-changes?source={source}&run=999"), 404, None),
            ("guide-channels".to_owned(), 422, Some("guide")),
            ("guide-channels?guide=999".to_owned(), 404, None),
            ("links?_page=1".to_owned(), 422, Some("_page")),
            ("links?columns=url".to_owned(), 422, Some("columns")),
        ] {
            let refused = manager.get(&format!("/api/spreadsheets/{query}")).send().await;
            assert_eq!(refused.status, status, "{query}: {}", refused.text());
            if let Some(field) = field {
                assert_eq!(refused.json()["errors"][0]["field"], field, "{query}");
            }
        }
        let agent = app.sign_in_as(RoleCode::Agent).await;
        for list in ["links", "playlist-sources", "playlist-changes", "epg-matches", "guide-channels"] {
            assert_refused(&agent, list).await;
        }
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        let log = boss.get("/api/audit?action=EXPORTED&resource=playlist-changes&_size=100").send().await.json();
        assert_eq!(log["content"][0]["actor"], "contentManager", "{log}");
        assert_eq!(log["content"][0]["after"]["source"], json!(source.to_string()), "{log}");
    }

    #[smoke]
    async fn a_file_of_lines_has_what_a_run_left_out_and_why(app: &TestApp) {
        let manager = app.manager().await;
        let source = json!({"title": "Lista", "url": "http://127.0.0.1:9/l.m3u"});
        let source = manager.create("playlist-sources", &source).await["id"].clone();
        let of_source = format!("/api/playlist-sources/{source}");
        let entries = "#EXTM3U\n#EXTINF:-1,Uno\nhttp://h.example/1\n#EXTINF:-1,=Otra vez\nhttp://h.example/1\n\
            #EXTINF:-1,Sin dirección\n#EXTINF:-1,Dos\nhttp://h.example/2\n";
        let run = read(app, &manager, &of_source, entries, "").await["id"].clone();
        let lines = format!("{of_source}/runs/{run}/lines");
        let of_run = format!("source={source}&run={run}&");
        let of = ("playlist-lines", of_run.as_str());
        assert_same(&manager, of, &lines, "line", "", 2).await;
        assert_same(&manager, of, &lines, "line", "_sort=-id", 2).await;
        assert_same(&manager, of, &lines, "line", "change=REFUSED", 1).await;
        let duplicate = &manager.get(&format!("{lines}?change=DUPLICATE")).send().await.json()["content"][0];
        let text = file(&manager, "playlist-lines", &format!("{of_run}change=DUPLICATE&language=es")).await;
        let expected = format!(
            "\u{feff}\"Línea\";\"Qué es\";\"Entrada\";\"Motivo\";\"Repite la línea\"\r\n\
             \"{}\";\"Repetida\";\"'=Otra vez\";\"La misma dirección\";\"{}\"\r\n",
            duplicate["line"], duplicate["ofLine"],
        );
        assert_eq!(text, expected);
        let refused = format!("{of_run}change=REFUSED&columns=change,reason,ofLine&language=en");
        let text = file(&manager, "playlist-lines", &refused).await;
        let expected = "\u{feff}\"What it is\",\"Reason\",\"Duplicate of line\"\r\n\
            \"Refused\",\"Name without an address\",\"\"\r\n";
        assert_eq!(text, expected);
        for (query, status) in [
            (String::new(), 422),
            (format!("source={source}"), 422),
            (format!("source={source}&run=999"), 404),
            (format!("{of_run}change=NEW"), 422),
            (format!("{of_run}_page=1"), 422),
        ] {
            let refused = manager.get(&format!("/api/spreadsheets/playlist-lines?{query}")).send().await;
            assert_eq!(refused.status, status, "{query}: {}", refused.text());
        }
        assert_refused(&app.sign_in_as(RoleCode::Agent).await, "playlist-lines").await;
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        let log = boss.get("/api/audit?action=EXPORTED&resource=playlist-lines&_size=100").send().await.json();
        assert_eq!(log["totalElements"], 5, "{log}");
        assert_eq!(log["content"][0]["after"]["change"], json!("REFUSED"), "{log}");
    }

    async fn files_of_webhooks_and_profiles_have_no_secret(app: &TestApp) {
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        let webhook = |name: &str| json!({"name": name, "url": "https://tv.example/hook", "events": ["ITEM_REMOVED"]});
        let made = boss.create("webhooks", &webhook("=TV")).await;
        boss.create("webhooks", &webhook("Radio")).await;
        let key = boss.create("integrator-keys", &json!({"name": "TV", "scopes": ["CATALOGUE_READ"]})).await;
        let profile = |name: &str| json!({"name": name, "keyId": key["id"]});
        let profile_made = boss.create("live-profiles", &profile("=Salón")).await;
        boss.create("live-profiles", &profile("Bar")).await;
        assert_same(&boss, ("webhooks", ""), "/api/webhooks", "name", "_sort=-name", 2).await;
        assert_same(&boss, ("webhooks", ""), "/api/webhooks", "name", "search=radio", 1).await;
        assert_same(&boss, ("live-profiles", ""), "/api/live-profiles", "name", "_sort=-name", 2).await;
        assert_same(&boss, ("live-profiles", ""), "/api/live-profiles", "keyName", "search=bar", 1).await;
        let hint = boss.get("/api/live-profiles").send().await.json()["content"][1]["hint"].clone();
        for (list, made, expected) in [("webhooks", &made, "\"'=TV\""), ("live-profiles", &profile_made, "\"'=Salón\"")] {
            let text = file(&boss, list, "language=es").await;
            let secret = made["secret"].as_str().unwrap();
            assert!(text.contains(expected) && !text.contains(secret), "{list}: {text}");
            assert!(!text.contains(hint.as_str().unwrap()), "{list}: {text}");
            let manager = app.manager().await;
            assert_refused(&manager, list).await;
        }
    }

    async fn files_of_groups_and_of_requests_have_what_their_readers_see(app: &TestApp) {
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        let reports = [("MOVIE", "=Metrópolis"), ("MOVIE", "=Metrópolis"), ("MOVIE", "Nosferatu"), ("DOCUMENTARY", "Heimat")];
        for (kind, content) in reports {
            let report = json!({"title": "No carga", "contentType": kind, "content": content, "reportType": "NOT_LOADING"});
            boss.create("issue-reports", &report).await;
        }
        let groups = ("issue-groups", "");
        assert_same(&boss, groups, "/api/issue-reports/groups", "title", "_sort=-reports&contentType=MOVIE", 2).await;
        let file_of_groups = file(&boss, "issue-groups", "search=metropolis&columns=title,reports,reportTypes&language=es").await;
        assert!(file_of_groups.contains("\"'=Metrópolis\";\"2\";"), "{file_of_groups}");
        assert_refused(&app.sign_in_as(RoleCode::Agent).await, "issue-groups").await;

        let mut sold = Vec::new();
        for name in ["agent_1", "agent_2"] {
            boss.register(name, "agent").await;
            let stock = json!({"targetUsername": name, "amount": 20});
            assert_eq!(boss.post("/api/credits/add-for-sale").json(&stock).send().await.status, 201);
            let agent = app.sign_in(name).await;
            let customer = format!("{name}_app");
            agent.register(&customer, "app").await;
            let sale = agent.post("/api/credits/add").json(&json!({"targetUsername": customer, "amount": 4})).send().await;
            assert_eq!(sale.status, 201, "{}", sale.text());
            let path = format!("/api/credits/{}/reversal-requests", sale.json()["id"]);
            let sent = agent.post(&path).json(&json!({"reason": format!("=error de {name}")})).send().await;
            assert_eq!(sent.status, 201, "{}", sent.text());
            sold.push(agent);
        }
        let list = "/api/credits/reversal-requests";
        let requests = ("reversal-requests", "");
        assert_same(&boss, requests, list, "id", "status=PENDING&_sort=requestedDate", 2).await;
        assert_same(&boss, requests, list, "id", "status=APPROVED", 0).await;
        assert_same(&sold[0], requests, list, "reason", "", 1).await;
        let own = file(&sold[1], "reversal-requests", "columns=targetUser,reason&language=en").await;
        assert_eq!(own, "\u{feff}\"User\",\"Reason\"\r\n\"agent_2_app\",\"'=error de agent_2\"\r\n");
        assert_refused(&app.manager().await, "reversal-requests").await;
    }

    async fn a_file_of_users_has_the_subtree_of_an_agent_and_everybody_for_admins(app: &TestApp) {
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        let agent = app.sign_in_as(RoleCode::Agent).await;
        agent.register("ana_1", "app").await;
        boss.register("eva_1", "app").await;
        boss.patch("/api/users/ana_1").json(&json!({"phoneNumber": "+34600111222", "fullName": "=Ana"})).send().await;
        let columns = "columns=username,fullName,phoneNumber,role&_sort=username&language=es";
        let own = file(&agent, "users", columns).await;
        let expected = "\u{feff}\"Usuario\";\"Nombre completo\";\"Teléfono\";\"Rol\"\r\n\
            \"ana_1\";\"'=Ana\";\"'+34600111222\";\"Usuario\"\r\n";
        assert_eq!(own, expected);
        let all = file(&boss, "users", &format!("{columns}&roleCode=app")).await;
        assert!(all.contains("\"ana_1\"") && all.contains("\"eva_1\"") && !all.contains("\"agent\""), "{all}");
        let found = file(&boss, "users", "columns=username&search=eva_1&language=en").await;
        assert_eq!(found, "\u{feff}\"User name\"\r\n\"eva_1\"\r\n");
        let registered = file(&boss, "users", "columns=username&registeredBy=agent&language=en").await;
        assert_eq!(registered, "\u{feff}\"User name\"\r\n\"ana_1\"\r\n");
        // In Excel a phone number is a text.
        let answer = boss.get("/api/spreadsheets/users?format=xlsx&columns=phoneNumber,credits&search=ana_1").send().await;
        let mut workbook: Xlsx<_> = calamine::open_workbook_from_rs(Cursor::new(answer.body.clone())).unwrap();
        let range = workbook.worksheet_range("Sheet1").unwrap();
        let rows: Vec<&[Data]> = range.rows().collect();
        assert_eq!(rows[1], [Data::String("+34600111222".into()), Data::Float(0.0)]);
        let manager = app.manager().await;
        assert_eq!(manager.get("/api/spreadsheets/users").send().await.status, 403);
    }

    async fn every_list_is_exported_with_the_permission_to_read_it_and_recorded(app: &TestApp) {
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        let agent = app.sign_in_as(RoleCode::Agent).await;
        agent.register("ana_1", "app").await;
        boss.register("eva_1", "app").await;
        for name in ["ana_1", "eva_1"] {
            let body = json!({"targetUsername": name, "amount": 2, "reason": "regalo"});
            assert_eq!(boss.post("/api/credits/add").json(&body).send().await.status, 201);
        }
        let report = json!({"title": "No carga", "contentType": "MOVIE", "content": "Metrópolis", "reportType": "NOT_LOADING"});
        boss.create("issue-reports", &report).await;
        boss.create("integrator-keys", &json!({"name": "TV", "scopes": ["CATALOGUE_READ"]})).await;
        let webhook = json!({"name": "TV", "url": "https://tv.example/hook", "events": ["ITEM_REMOVED"]});
        let webhook = boss.create("webhooks", &webhook).await;
        assert_eq!(boss.post(&format!("/api/webhooks/{}/test", webhook["id"])).send().await.status, 202);
        let of_webhook = format!("webhook={}&eventType=TEST", webhook["id"]);
        let mut film = boss.film().await;
        film["title"] = json!("Perdida");
        let film = boss.create("movies", &film).await;
        assert_eq!(boss.delete(&format!("/api/movies/{}", film["id"])).send().await.status, 204);
        let change = json!({"resource": "users", "ids": ["ana_1"], "action": {"type": "SET", "set": {"status": "ACTIVE"}}});
        let begun = boss.post("/api/operations").json(&change).send().await;
        assert_eq!(begun.status, 202, "{}", begun.text());
        app.run_operations().await;
        for (list, query, expected) in [
            ("users", "search=eva_1", "eva_1"),
            ("issue-reports", "status=REPORTADO", "Metrópolis"),
            ("trash", "kind=movies&search=perdida", "Perdida"),
            ("operations", "_sort=id", "Terminada"),
            ("webhook-deliveries", of_webhook.as_str(), "webhooks/"),
            ("credits", "username=eva_1", "regalo"),
            ("visits", "kind=SIGN_IN", "agent"),
            ("renewals", "window=DAYS_30", "Usuario"),
            ("integrator-keys", "search=tv", "TV"),
            ("audit", "resource=users&actor=agent", "ana_1"),
        ] {
            let text = file(&boss, list, &format!("{query}&language=es")).await;
            assert!(text.contains(expected), "{list}: {text}");
            let columns = boss.get(&format!("/api/spreadsheets/{list}/columns")).send().await.json();
            assert!(columns.as_array().unwrap().len() > 5, "{columns}");
        }
        let ledger = file(&agent, "credits", "language=en").await;
        assert!(ledger.contains("ana_1") && !ledger.contains("eva_1"), "{ledger}");
        let hidden = agent.get("/api/spreadsheets/credits?username=eva_1").send().await;
        assert_eq!(hidden.status, 404, "{}", hidden.text());
        // Users get their own operations, the kinds of the trash that they may delete, and the log
        // of a webhook only as admins.
        let manager = app.manager().await;
        let own = file(&manager, "operations", "language=en").await;
        assert_eq!(own.lines().count(), 1, "{own}");
        let trash = file(&manager, "trash", "language=en&columns=title,deletedBy").await;
        assert!(trash.contains("\"Perdida\",\"superadmin\""), "{trash}");
        let trash = file(&manager, "trash", "language=es&columns=kind,title,keptUntil").await;
        assert!(trash.contains("\"Películas\";\"Perdida\";\"2026-12-20"), "{trash}");
        let operations = file(&boss, "operations", "language=en&columns=resource,state").await;
        assert!(operations.contains("\"Users\""), "{operations}");
        let log = file(&boss, "audit", "language=es&columns=resource&resource=movies").await;
        assert!(log.contains("\"Películas\""), "{log}");
        for (client, list) in [(&manager, "webhook-deliveries"), (&agent, "trash"), (&agent, "operations")] {
            for path in [format!("{list}?webhook=1"), format!("{list}/columns")] {
                assert_eq!(client.get(&format!("/api/spreadsheets/{path}")).send().await.status, 403, "{path}");
            }
        }
        let unnamed = boss.get("/api/spreadsheets/webhook-deliveries").send().await;
        assert_eq!((unnamed.status, &unnamed.json()["errors"][0]["field"]), (422, &json!("webhook")));
        let log = boss.get("/api/audit?action=EXPORTED&_size=100").send().await.json();
        assert_eq!(log["totalElements"], 16, "{log}");
        let of_audit = log["content"].as_array().unwrap().iter().rfind(|entry| entry["resource"] == "audit").unwrap();
        assert_eq!(of_audit["after"], json!({"format": "csv", "rows": 1, "resource": "users", "actor": "agent"}));
        for (query, field) in [("columns=password", "columns"), ("_page=1", "_page"), ("format=pdf", "format"), ("nothing=1", "nothing")] {
            let refused = boss.get(&format!("/api/spreadsheets/users?{query}")).send().await;
            assert_eq!((refused.status, &refused.json()["errors"][0]["field"]), (422, &json!(field)), "{query}");
        }
    }

    async fn the_audit_log_has_refused_sign_ins_and_denied_calls(app: &TestApp) {
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        let manager = app.manager().await;
        for (username, password) in [("contentManager", "wrong"), ("a secret typed as a name", "x")] {
            let refused = boss.post("/api/auth/login").json(&json!({"username": username, "password": password})).send().await;
            assert_eq!(refused.status, 401);
        }
        for _ in 0..25 {
            assert_eq!(manager.get("/api/audit").send().await.status, 403);
        }
        let of = async |action: &str| boss.get(&format!("/api/audit?action={action}&_size=100")).send().await.json();
        let refused = of("SIGN_IN_REFUSED").await;
        assert_eq!(refused["totalElements"], 2, "{refused}");
        let (unknown, wrong) = (&refused["content"][0], &refused["content"][1]);
        assert_eq!((&unknown["item"], &unknown["title"], &unknown["after"]), (&json!(""), &json!(""), &json!({"reason": "UNKNOWN_USER"})));
        assert_eq!((&wrong["title"], &wrong["actor"], &wrong["after"]), (&json!("contentManager"), &json!(null), &json!({"reason": "WRONG_PASSWORD"})));
        let denied = of("DENIED").await;
        assert_eq!(denied["totalElements"], 20, "the limit of a user per hour");
        assert_eq!((&denied["content"][0]["title"], &denied["content"][0]["actor"]), (&json!("GET /api/audit"), &json!("contentManager")));
    }
}
