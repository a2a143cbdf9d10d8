//! Candidates on request: of a channel or of an entry of a playlist, in one guide or in all.

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
    epg_matches::{TITLES, channel, decide, file, id_of, link, matched, one},
    guides::upload,
};

async fn candidates(client: &Client<'_>, query: &str) -> Value {
    let answer = client.get(&format!("/api/epg-matches/candidates?{query}")).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

/// A second, inactive guide with these channels.
async fn inactive_guide(app: &TestApp, client: &Client<'_>, channels: &[(&str, &str)]) -> Value {
    let draft = json!({"title": "Otra", "url": "http://127.0.0.1:9/h.xml", "active": true, "gzip": false});
    let guide = format!("/api/tv-guides/{}", client.create("tv-guides", &draft).await["id"]);
    upload(app, client, &guide, file(channels)).await;
    assert_eq!(client.patch(&guide).json(&json!({"active": false})).send().await.status, 200);
    json!(id_of(&guide))
}

on_both! {
    #[smoke]
    async fn the_candidates_of_a_channel_are_those_of_a_run(app: &TestApp) {
        let manager = app.manager().await;
        let more = [
            ("Farola", None),
            ("La 4", None),
            ("Marea Roja TV +1", None),
            ("Cumbre Cine", Some("farola.2")),
            ("Quimera", Some("cumbre")),
            ("TV Noticias", None),
        ];
        let titles: Vec<_> = TITLES.into_iter().chain(more).collect();
        let (guide, made) = matched(app, &manager, &titles).await;
        let mut compared = 0;
        for id in &made {
            let stored = one(&manager, id).await;
            // A link gives the channel the guide's id, which speaks for it afterwards.
            if !stored["decision"].is_null() {
                continue;
            }
            compared += 1;
            let found = candidates(&manager, &format!("channel={id}")).await;
            assert_eq!(found["candidates"], stored["candidates"], "{found}");
            assert_eq!((&found["level"], &found["version"]), (&stored["level"], &stored["version"]), "{found}");
            let of_guide = candidates(&manager, &format!("channel={id}&guide={}", id_of(&guide))).await;
            assert_eq!(of_guide, found);
        }
        assert!(compared >= 5, "{compared}");
        let linked = candidates(&manager, &format!("channel={}", made[0])).await;
        assert_eq!((&linked["candidates"][0]["xmlId"], &linked["candidates"][0]["score"]), (&json!("marea.azul"), &json!(100)), "{linked}");
    }

    #[smoke]
    async fn a_guide_is_compared_though_it_is_inactive_and_its_candidate_is_accepted_with_its_reasons(app: &TestApp) {
        let manager = app.manager().await;
        let (_, made) = matched(app, &manager, &[("Quimera Dorada", None)]).await;
        let other = inactive_guide(app, &manager, &[("quimera", "Quimera Dorada HD"), ("cumbre", "Cumbre Cine")]).await;
        let in_active = candidates(&manager, &format!("channel={}", made[0])).await;
        assert_eq!(in_active["candidates"], one(&manager, &made[0]).await["candidates"], "{in_active}");
        let found = candidates(&manager, &format!("channel={}&guide={other}", made[0])).await;
        let best = &found["candidates"][0];
        assert_eq!((&best["xmlId"], &best["for"][0]), (&json!("quimera"), &json!({"code": "NAME_EQUAL_WITHOUT_QUALITY", "message": "Los nombres son iguales salvo la calidad o las notas"})), "{found}");
        decide(&manager, &made[0], json!({"verdict": "ACCEPTED", "guideId": other, "xmlId": "quimera"})).await;
        assert_eq!(link(&channel(&manager, &made[0]).await), (other, json!("quimera")));
        let explained = app.number("SELECT count(*) AS number FROM epg_decisions WHERE explanation LIKE '%NAME_EQUAL_WITHOUT_QUALITY%'").await;
        assert_eq!(explained, 1);
    }

    async fn a_channel_that_was_linked_by_its_form_is_decided_about_by_its_candidates(app: &TestApp) {
        let manager = app.manager().await;
        let (guide, made) = matched(app, &manager, &[("Marea", None)]).await;
        let by_form = json!({"tvGuideId": id_of(&guide), "epgId": "marea.roja"});
        assert_eq!(manager.patch(&format!("/api/tv-channels/{}", made[0])).json(&by_form).send().await.status, 200);
        // The match of before is stored until the next run.
        let found = candidates(&manager, &format!("channel={}", made[0])).await;
        assert_eq!(found["version"], 0, "{found}");
        let accept = json!({"verdict": "ACCEPTED", "guideId": id_of(&guide), "xmlId": "marea.azul"});
        let decided = manager.put(&format!("/api/tv-channels/{}/guide-link", made[0])).header("if-match", "\"0\"").json(&accept).send().await;
        assert_eq!(decided.status, 200, "{}", decided.text());
        assert_eq!(link(&channel(&manager, &made[0]).await), (json!(id_of(&guide)), json!("marea.azul")));
        let again = manager.put(&format!("/api/tv-channels/{}/guide-link", made[0])).header("if-match", "\"0\"").json(&accept).send().await;
        assert_eq!(again.status, 409, "{}", again.text());
    }

    #[smoke]
    async fn an_entry_is_compared_as_the_channel_that_it_would_create(app: &TestApp) {
        let manager = app.sign_in_as(RoleCode::Admin).await;
        matched(app, &manager, &[]).await;
        let source = manager.create("playlist-sources", &json!({"title": "Lista", "url": "http://127.0.0.1:9/l.m3u"})).await;
        let one = format!("/api/playlist-sources/{}", source["id"]);
        let list = "#EXTM3U\n#EXTINF:-1,ES: MAREA AZUL TV FHD\nhttp://ana:clave@h.example/7\n#EXTINF:-1 radio=\"true\",Cumbre Noticias\nhttp://h.example/8\n";
        let read = async || {
            let run = manager.post(&format!("{one}/upload")).body("application/octet-stream", list).send().await.json();
            app.read_playlists().await;
            run["id"].clone()
        };
        let run = read().await;
        let rows = manager.get(&format!("{one}/runs/{run}/changes?_sort=id")).send().await.json()["content"].clone();
        let found = candidates(&manager, &format!("run={run}&entry={}", rows[0]["id"])).await;
        let best = &found["candidates"][0];
        assert_eq!((&best["xmlId"], &best["score"], &found["level"], &found["version"]), (&json!("marea.azul"), &json!(100), &json!("AUTO"), &json!(null)), "{found}");
        assert!(!found.to_string().contains("clave"), "{found}");
        let radio = candidates(&manager, &format!("run={run}&entry={}", rows[1]["id"])).await;
        assert_eq!(radio, json!({"version": null, "level": "NONE", "candidates": [], "link": null}));

        let status = async |query: String| manager.get(&format!("/api/epg-matches/candidates?{query}")).send().await.status;
        assert_eq!(status(format!("run={run}&entry=9999")).await, 404);
        assert_eq!(status(format!("run=9999&entry={}", rows[0]["id"])).await, 404);
        read().await;
        assert_eq!(status(format!("run={run}&entry={}", rows[0]["id"])).await, 409, "another run has the entries");
    }

    async fn invalid_requests_for_candidates_are_refused(app: &TestApp) {
        let manager = app.manager().await;
        let (_, made) = matched(app, &manager, &TITLES[1..2]).await;
        let id = &made[0];
        for (query, field, code) in [
            (String::new(), "channel", "REQUIRED"),
            ("run=1".to_owned(), "entry", "REQUIRED"),
            ("entry=1".to_owned(), "run", "REQUIRED"),
            (format!("channel={id}&run=1&entry=1"), "run", "UNKNOWN_FIELD"),
            (format!("channel={id}&entry=1"), "entry", "UNKNOWN_FIELD"),
            ("channel=siete".to_owned(), "channel", "WRONG_TYPE"),
            (format!("channel={id}&guide=9999"), "guide", "UNKNOWN_REFERENCE"),
        ] {
            let answer = manager.get(&format!("/api/epg-matches/candidates?{query}")).send().await;
            assert_eq!(answer.status, 422, "{query}: {}", answer.text());
            assert_eq!(answer.field_codes()[0], (field.to_owned(), code.to_owned()), "{query}");
        }
        assert_eq!(manager.get("/api/epg-matches/candidates?channel=9999").send().await.status, 404);
    }
}
