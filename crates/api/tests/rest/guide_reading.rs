//! TV guides: when they are read, and how the numbers of their episodes are shown.

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    guides::{channel_of, guide, stored, upload},
};

on_both! {
    async fn a_guide_without_a_schedule_is_read_on_request_only_and_is_not_stale(app: &TestApp) {
        let manager = app.manager().await;
        let one = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        let fetching = format!("{one}/fetching");
        // Sessions end while days go by.
        let read_every = async |hours: i64| {
            app.manager().await.put(&fetching).json(&json!({"refreshHours": hours})).send().await
        };
        let state = async || {
            let found = app.manager().await.get(&fetching).send().await.json();
            ["state", "nextFetchDate", "refreshHours"].map(|field| found[field].clone())
        };
        let is_stale = async || {
            let health = app.manager().await.get("/api/guide-health").send().await.json();
            health["guides"][0]["stale"].clone()
        };
        assert_eq!(read_every(169).await.status, 422);
        assert_eq!(read_every(0).await.status, 200);
        app.read_guides().await;
        assert_eq!(state().await, [json!("NEVER"), json!(null), json!(0)], "nothing is behind its address");

        upload(app, &manager, &one, guide("siete", 29, 10, &["Noticias", "Cine"])).await;
        assert_eq!(state().await, [json!("DONE"), json!(null), json!(0)]);
        app.clock.forward(chrono::TimeDelta::days(2));
        app.read_guides().await;
        assert_eq!(state().await, [json!("DONE"), json!(null), json!(0)]);
        assert_eq!(is_stale().await, false, "its file goes on for a week");

        assert_eq!(app.manager().await.post(&format!("{one}/fetch")).send().await.status, 202);
        app.read_guides().await;
        assert_eq!(state().await, [json!("FAILED"), json!(null), json!(0)], "it was requested, and is not tried again");
        assert_eq!(read_every(12).await.status, 200);
        assert_eq!(is_stale().await, true, "two of its turns are over");
    }

    async fn the_number_of_an_episode_is_shown_as_the_guide_writes_it_where_it_is_none_of_ours(app: &TestApp) {
        let manager = app.manager().await;
        let one = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        let draft = channel_of(&manager, &one).await;
        let channel = manager.create("tv-channels", &draft).await["id"].clone();
        let cases = [
            ("<episode-num system='xmltv_ns'>1.12.0/1</episode-num>", json!([2, 13, null])),
            ("<episode-num system='onscreen'>S03E04</episode-num>", json!([3, 4, null])),
            ("<episode-num system='otro'>1234</episode-num><episode-num system='onscreen'> Cap. doble </episode-num>",
                json!([null, null, "Cap. doble"])),
            ("<episode-num system='otro'>1234</episode-num>", json!([null, null, "1234"])),
            ("<episode-num system='xmltv_ns'>..</episode-num>", json!([null, null, null])),
            ("", json!([null, null, null])),
        ];
        let programme = |(hour, (number, _)): (usize, &(&str, Value))| {
            format!(
                "<programme channel='siete' start='20261120{:02}0000 +0000' stop='20261120{:02}0000 +0000'>\
                 <title>Serie {hour}</title>{number}</programme>",
                10 + hour,
                11 + hour
            )
        };
        let file: String = cases.iter().enumerate().map(programme).collect();
        upload(app, &manager, &one, format!("<tv>{file}</tv>")).await;
        let shown = |programme: &Value| {
            Value::from(["season", "episode", "episodeText"].map(|field| programme[field].clone()).to_vec())
        };
        let found = manager.get("/api/schedule?from=2026-11-20T10:00:00Z&to=2026-11-20T16:00:00Z").send().await.json();
        let programmes = found["content"][0]["programmes"].as_array().unwrap();
        let numbers: Vec<Value> = programmes.iter().map(shown).collect();
        let expected: Vec<Value> = cases.iter().map(|(_, number)| number.clone()).collect();
        assert_eq!(numbers, expected, "{found}");
        let on = manager.get(&format!("/api/tv-channels/{channel}/programme?at=2026-11-20T12:30:00Z")).send().await.json();
        assert_eq!(shown(&on["programme"]), cases[2].1, "{on}");
        assert_eq!(shown(&on["following"][0]), cases[3].1, "{on}");
    }

    async fn a_channel_that_was_created_by_hand_has_a_shift_of_its_own_in_its_link(app: &TestApp) {
        let manager = app.manager().await;
        let one = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        let draft = channel_of(&manager, &one).await;
        let guide_id = draft["tvGuideId"].clone();
        let path = format!("/api/tv-channels/{}", manager.create("tv-channels", &draft).await["id"]);
        upload(app, &manager, &one, guide("siete", 20, 10, &["Noticias", "Cine"])).await;
        let decide = async |fields: Value| {
            let mut body = json!({"verdict": "ACCEPTED", "guideId": guide_id, "xmlId": "siete"});
            body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            manager.put(&format!("{path}/guide-link")).json(&body).send().await
        };
        let on = async || {
            let on = manager.get(&format!("{path}/programme?at=2026-11-20T11:30:00Z")).send().await.json();
            on["programme"]["title"].clone()
        };
        let covered = async || {
            let found = manager.get("/api/schedule?from=2026-11-20T12:00:00Z&to=2026-11-20T13:00:00Z").send().await;
            found.json()["content"][0]["programmes"].as_array().unwrap().len()
        };
        assert_eq!((on().await, covered().await), (json!("Cine"), 0));
        for wrong in [json!({"shiftMinutes": 1_441}), json!({"verdict": "REFUSED", "guideId": null, "xmlId": null, "shiftMinutes": 60})] {
            assert_eq!(decide(wrong).await.status, 422);
        }
        let decided = decide(json!({"shiftMinutes": 60})).await;
        assert_eq!((decided.status, &decided.json()["link"]["shiftMinutes"]), (200, &json!(60)), "{}", decided.text());
        assert_eq!((on().await, covered().await), (json!("Noticias"), 1), "an hour later");
        let id = path.rsplit('/').next().unwrap();
        let found = manager.get(&format!("/api/epg-matches/candidates?channel={id}")).send().await.json();
        assert_eq!(found["link"], json!({"guideId": guide_id, "xmlId": "siete", "shiftMinutes": 60}), "{found}");
        app.clock.forward(chrono::TimeDelta::minutes(1));
        assert_eq!(decide(json!({})).await.status, 200);
        assert_eq!(on().await, "Cine", "that of its playlist: none");
        assert_eq!(manager.post("/api/epg-matches/undo").json(&json!({"channelId": id.parse::<i64>().unwrap()})).send().await.status, 200);
        assert_eq!(on().await, "Noticias", "the decision before counts again");
        let log = app.sign_in_as(RoleCode::Admin).await.get("/api/audit?resource=epg-matches").send().await.json();
        let shifts: Vec<_> = log["content"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| {
                let side = if entry["action"] == "UNDONE" { "before" } else { "after" };
                entry[side].as_object().unwrap().get("shiftMinutes").cloned()
            })
            .collect();
        assert_eq!(shifts, [Some(json!(null)), Some(json!(null)), Some(json!(60))], "{log}");
    }
}
