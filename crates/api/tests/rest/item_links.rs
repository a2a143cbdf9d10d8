//! Links of films and other items, and the resolution of their reports.

use chrono::TimeDelta;
use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
    links::{closed, open, probe},
};

/// A film with a link with this URL.
async fn film(manager: &Client<'_>, url: &str) -> Value {
    let mut film = manager.film().await;
    let mut link = film["links"][0].clone();
    link["url"] = json!(url);
    film["links"] = json!([link]);
    manager.create("movies", &film).await["id"].clone()
}

async fn report(client: &Client<'_>, content_type: &str, id: &Value, kind: &str) -> Value {
    let report =
        json!({"title": "No se ve", "contentType": content_type, "contentId": id, "reportType": kind});
    client.create("issue-reports", &report).await["id"].clone()
}

/// Whether the list marks each report.
async fn marks(client: &Client<'_>) -> Vec<(Value, Value)> {
    let page = client.get("/api/issue-reports?_sort=id").send().await.json();
    let rows = page["content"].as_array().unwrap().clone();
    rows.iter().map(|row| (row["id"].clone(), row["playsAgain"].clone())).collect()
}

on_both! {
    async fn a_report_on_a_film_has_its_link_probed_and_is_resolved_when_it_plays_again(app: &TestApp) {
        let manager = app.sign_in_as(RoleCode::ContentManager).await;
        let socket = closed();
        let address = socket.local_addr().unwrap();
        let id = film(&manager, &format!("http://{address}/film.ts")).await;
        app.links.take_all_over().await.unwrap();
        assert_eq!(manager.get("/api/links").send().await.json()["totalElements"], 0, "not requested");
        let trailer = report(&manager, "TRAILER", &id, "NOT_LOADING").await;
        let requested = async || app.link_reports.request_reported().await.unwrap();
        assert_eq!(requested().await, 0);
        let first = report(&manager, "MOVIE", &id, "NOT_LOADING").await;
        let text = report(&manager, "MOVIE", &id, "SUBTITLES").await;
        let links = async |report: &Value| manager.get(&format!("/api/issue-reports/{report}/links")).send().await.json();
        assert_eq!(links(&first).await, json!([]));
        assert_eq!((requested().await, requested().await), (1, 0), "once");

        let mut states = Vec::new();
        for wait in [0, 1, 5, 15] {
            probe(app, wait).await;
            states.push(links(&first).await[0]["state"].clone());
        }
        assert_eq!(states, ["SUSPECT", "SUSPECT", "SUSPECT", "DOWN"]);
        assert_eq!(links(&first).await[0]["probe"]["outcome"], "CONNECT");
        assert_eq!(links(&trailer).await, json!([]));
        let second = report(&manager, "MOVIE", &id, "BUFFERING").await;
        assert_eq!(requested().await, 1, "a second one, and more than five minutes later");

        open(socket);
        probe(app, 0).await;
        probe(app, 5).await;
        let up = links(&first).await[0].clone();
        assert_eq!((&up["state"], &up["nextProbe"], &up["owner"]), (&json!("UP"), &Value::Null, &json!("movies")));
        assert_eq!(up["cameUp"], up["since"]);
        app.clock.forward(TimeDelta::minutes(1));
        let third = report(&manager, "MOVIE", &id, "VIDEO").await;
        let (again, not) = (json!(true), json!(false));
        let expected = [
            (&trailer, &not), (&first, &again), (&text, &not), (&second, &again), (&third, &not),
        ];
        assert_eq!(marks(&manager).await, expected.map(|(id, mark)| (id.clone(), mark.clone())));
        for &(id, mark) in &expected[1..] {
            assert_eq!(links(id).await[0]["playsAgain"], *mark, "{id}");
        }
        let noted = manager.patch(&format!("/api/issue-reports/{second}")).json(&json!({"notes": "Avisado"})).send().await;
        assert_eq!(noted.status, 200);
        assert_eq!(app.link_reports.resolve_recovered().await.unwrap(), 1, "the second one was changed since");
        assert_eq!(app.link_reports.resolve_recovered().await.unwrap(), 0);
        let mut statuses = Vec::new();
        for one in [&trailer, &first, &second, &third, &text] {
            statuses.push(manager.get(&format!("/api/issue-reports/{one}")).send().await.json()["status"].clone());
        }
        assert_eq!(statuses, ["REPORTADO", "RESUELTO", "REPORTADO", "REPORTADO", "REPORTADO"]);
        let resolved = manager.get(&format!("/api/issue-reports/{first}")).send().await.json();
        let entry = resolved["history"].as_array().unwrap().last().unwrap().clone();
        assert_eq!((&entry["byKind"], &entry["statusTo"]), (&json!("SERVER"), &json!("RESUELTO")));
        assert_eq!(entry["note"], "El enlace vuelve a reproducirse. / The link plays again.");
        // A report that a user opens again stays open.
        let reopened = json!({"status": "REPORTADO"});
        assert_eq!(manager.patch(&format!("/api/issue-reports/{first}")).json(&reopened).send().await.status, 200);
        assert_eq!(app.link_reports.resolve_recovered().await.unwrap(), 0);
    }

    async fn a_report_on_a_station_has_its_link_probed(app: &TestApp) {
        let manager = app.sign_in_as(RoleCode::ContentManager).await;
        let socket = closed();
        let address = socket.local_addr().unwrap();
        let station = json!({
            "code": "RM1", "stationName": "Radio Mar", "country": "España", "genres": ["NEWS"], "streamUrl": format!("http://{address}/mar"),
        });
        let id = manager.create("radio-stations", &station).await["id"].clone();
        app.links.take_all_over().await.unwrap();
        for wait in [0, 1, 5, 15] {
            probe(app, wait).await;
        }
        app.clock.forward(TimeDelta::minutes(6));
        let named = json!({"title": "No suena", "contentType": "RADIO", "content": "radio mar", "reportType": "AUDIO"});
        let named = manager.create("issue-reports", &named).await;
        assert_eq!((&named["contentId"], &named["content"]), (&id, &json!("radio mar")));
        assert_eq!(app.link_reports.request_reported().await.unwrap(), 1);
        open(socket);
        probe(app, 0).await;
        probe(app, 5).await;
        let links = manager.get(&format!("/api/issue-reports/{}/links", named["id"])).send().await.json();
        assert_eq!((&links[0]["owner"], &links[0]["state"]), (&json!("radio-stations"), &json!("UP")));
        assert_eq!(marks(&manager).await, [(named["id"].clone(), json!(true))]);
        let resolved = json!({"status": "RESUELTO", "notes": "El enlace vuelve a reproducirse"});
        let body = json!({
            "resource": "issue-reports", "filter": {"group": named["groupId"]}, "action": {"type": "SET", "set": resolved},
        });
        assert_eq!(manager.post("/api/operations").json(&body).send().await.json()["total"], 1);
        app.run_operations().await;
        assert_eq!(report(&manager, "RADIO", &id, "AUDIO").await, json!(2));
    }

    async fn probing_links_requires_the_permission_to_update_the_item(app: &TestApp) {
        let manager = app.sign_in_as(RoleCode::ContentManager).await;
        let socket = closed();
        let address = socket.local_addr().unwrap();
        open(socket);
        let id = film(&manager, &format!("http://{address}/film.ts")).await;
        let path = format!("/api/movies/{id}/probes");
        assert_eq!(manager.get(&path).send().await.json(), json!([]));
        let requested = manager.post(&path).send().await;
        assert_eq!((requested.status, &requested.json()[0]["state"]), (202, &json!("UNKNOWN")));
        assert_eq!(requested.json()[0]["delayed"], false);
        probe(app, 0).await;
        let links = manager.get(&path).send().await.json();
        assert_eq!((&links[0]["state"], &links[0]["probe"]["format"]), (&json!("UP"), &json!("MPEG_TS")));
        assert_eq!(manager.post("/api/movies/999/probes").send().await.status, 404);
        assert_eq!(manager.get("/api/movies/999/probes").send().await.status, 404);
        assert_eq!(manager.get("/api/links?owner=movies").send().await.json()["totalElements"], 1);
        app.clock.forward(TimeDelta::days(7));
        assert!(app.links.due_hosts().await.unwrap().is_empty(), "not again before the next request");
    }
}
