//! Matches of channels with channels of guides: candidates, decisions, and their effect on later
//! changes.

use adapter_seaorm::SeaOrmMatches;
use ports::{Clock as _, MatchRepository as _};
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
    guides::{stored, upload},
};

/// A guide with a current programme for each of its channels.
pub fn file(channels: &[(&str, &str)]) -> String {
    let channel = |(id, name): &(&str, &str)| {
        format!(
            "<channel id='{id}'><display-name>{name}</display-name></channel><programme channel='{id}' \
             start='20261120090000 +0000' stop='20261120130000 +0000'><title>Ahora en {name}</title></programme>"
        )
    };
    format!("<tv>{}</tv>", channels.iter().map(channel).collect::<String>())
}

pub const CHANNELS: [(&str, &str); 5] = [
    ("marea.azul", "Marea Azul TV"),
    ("marea.roja", "Marea Roja TV"),
    ("cumbre", "Cumbre Noticias"),
    ("farola.2", "Farola 2"),
    ("farola.4", "Farola 4"),
];

/// Channels of the catalogue, by number from 1.
pub async fn channels(client: &Client<'_>, titles: &[(&str, Option<&str>)]) -> Vec<Value> {
    let category = json!({"description": "Canales", "englishDescription": "Channels", "type": "TV_CHANNEL"});
    let category = client.create("categories", &category).await["id"].clone();
    let mut made = Vec::new();
    for (number, (title, epg_id)) in (1..).zip(titles) {
        let draft = json!({
            "channelNumber": number, "title": title, "tvGuideId": null, "epgId": epg_id, "active": true,
            "categories": [category], "urlType": "EXTERNAL", "url": format!("http://h.example/{number}"),
            "adultContent": false, "kidsContent": false,
        });
        made.push(client.create("tv-channels", &draft).await["id"].clone());
    }
    made
}

/// A guide with [`CHANNELS`], channels of the catalogue, and their matches; returns the guide's
/// path and the channels' IDs.
pub async fn matched(
    app: &TestApp,
    client: &Client<'_>,
    titles: &[(&str, Option<&str>)],
) -> (String, Vec<Value>) {
    let guide = stored(client, "http://127.0.0.1:9/g.xml").await;
    upload(app, client, &guide, file(&CHANNELS)).await;
    let made = channels(client, titles).await;
    app.match_channels().await;
    (guide, made)
}

pub fn id_of(path: &str) -> i64 {
    path.rsplit('/').next().unwrap().parse().unwrap()
}

pub async fn list(client: &Client<'_>, query: &str) -> Vec<Value> {
    let answer = client.get(&format!("/api/epg-matches?{query}")).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()["content"].as_array().unwrap().clone()
}

pub async fn one(client: &Client<'_>, channel: &Value) -> Value {
    list(client, &format!("channel={channel}")).await.pop().unwrap_or_default()
}

pub async fn channel(client: &Client<'_>, id: &Value) -> Value {
    client.get(&format!("/api/tv-channels/{id}")).send().await.json()
}

pub fn link(channel: &Value) -> (Value, Value) {
    (channel["tvGuideId"].clone(), channel["epgId"].clone())
}

pub async fn decide(client: &Client<'_>, channel: &Value, body: Value) -> Value {
    let answer = client.put(&format!("/api/tv-channels/{channel}/guide-link")).json(&body).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

/// Undoes the last decision; returns level, decision and its user.
pub async fn undo(client: &Client<'_>, channel: &Value) -> (Value, Value, Value) {
    let answer = client.post("/api/epg-matches/undo").json(&json!({"channelId": channel})).send().await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let row = answer.json();
    (row["level"].clone(), row["decision"].clone(), row["decidedBy"].clone())
}

pub const TITLES: [(&str, Option<&str>); 4] =
    [("ES: MAREA AZUL TV FHD", None), ("Marea", None), ("Marea Azul TV 3", None), ("Quimera Dorada", None)];

/// Each decision based on the former match is refused, because the channel's form has linked it
/// since.
async fn assert_outdated(manager: &Client<'_>, seen: &Value, accept: &Value) {
    let path = format!("/api/tv-channels/{}/guide-link", seen["id"]);
    for body in [accept, &json!({"verdict": "REFUSED"}), &json!({"verdict": "NO_GUIDE"})] {
        let tag = format!("\"{}\"", seen["version"]);
        let refused = manager.put(&path).header("if-match", &tag).json(body).send().await;
        assert_eq!(refused.status, 412, "{}", refused.text());
    }
}

on_both! {
    #[smoke]
    async fn certain_matches_are_linked_automatically_and_others_have_the_reason(app: &TestApp) {
        let manager = app.manager().await;
        let (guide, made) = matched(app, &manager, &TITLES).await;
        let guide_id = json!(id_of(&guide));

        assert_eq!(link(&channel(&manager, &made[0]).await), (guide_id.clone(), json!("marea.azul")));
        let sure = one(&manager, &made[0]).await;
        assert_eq!((&sure["level"], &sure["decision"], &sure["decidedBy"]), (&json!("AUTO"), &json!("LINKED"), &json!(null)), "{sure}");
        let best = &sure["candidates"][0];
        assert_eq!((&best["xmlId"], &best["score"], &best["guideTitle"]), (&json!("marea.azul"), &json!(100), &json!("Guía nacional")));
        assert_eq!(best["now"]["title"], "Ahora en Marea Azul TV", "{best}");
        let codes = |reasons: &Value| reasons.as_array().unwrap().iter().map(|one| one["code"].clone()).collect::<Vec<_>>();
        assert_eq!((codes(&best["for"]), codes(&best["against"])), (vec![json!("NAME_EQUAL_WITHOUT_QUALITY")], vec![]));

        let levels: Vec<Value> = list(&manager, "").await.iter().map(|row| row["level"].clone()).collect();
        assert_eq!(levels, [json!("AUTO"), json!("REVIEW"), json!("REVIEW"), json!("NONE")]);
        let farola = one(&manager, &made[2]).await;
        assert_eq!(farola["candidates"][0]["against"][0], json!({"code": "NUMBER_DIFFERS", "message": "El número es distinto, así que es otro canal"}), "{farola}");
        assert_eq!(link(&channel(&manager, &made[2]).await), (json!(null), json!(null)));
        let numbers = async |query: &str| {
            list(&manager, query).await.iter().map(|row| row["channelNumber"].as_i64().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(numbers("level=REVIEW,NONE").await, [2, 3, 4]);
        assert_eq!(numbers("reason=NUMBER_DIFFERS").await, [3]);
        assert_eq!(numbers("minScore=90&clear=true").await, [1]);
        assert_eq!(numbers(&format!("guide={guide_id}&search=azul%20tv%203")).await, [3]);
        assert_eq!(numbers("decided=false").await, [2, 3, 4]);
        assert_eq!(numbers("minScore=0&maxScore=100&decision=LINKED").await, [1]);
        let counts = async |query: &str| manager.get(&format!("/api/epg-matches/counts?{query}")).send().await.json();
        let all = counts("").await;
        assert_eq!(all["total"], 4, "{all}");
        let bands = all["bands"].as_array().unwrap();
        assert_eq!(bands.iter().map(|band| band["count"].as_u64().unwrap()).sum::<u64>(), 4, "{all}");
        for band in bands {
            let shown = numbers(&format!("minScore={}&maxScore={}", band["from"], band["to"])).await;
            assert_eq!(json!(shown.len()), band["count"], "{band}");
        }
        for reason in all["reasons"].as_array().unwrap() {
            let shown = numbers(&format!("reason={}", reason["code"].as_str().unwrap())).await;
            assert_eq!(json!(shown.len()), reason["count"], "{reason}");
        }
        assert_eq!(counts("decision=LINKED").await["total"], 1);
        assert_eq!(numbers("decision=LINKED").await, [1]);
        assert_eq!(numbers("decision=LINKED,NO_GUIDE").await, [1]);
        assert_eq!(numbers("decision=NO_GUIDE,REFUSED").await, [0_i64; 0]);
        let state = manager.get("/api/epg-matching").send().await.json();
        assert_eq!(state["levels"], json!([{"level": "AUTO", "count": 1}, {"level": "REVIEW", "count": 2}, {"level": "NONE", "count": 1}]), "{state}");
        assert_eq!((&state["state"], &state["counts"]), (&json!("IDLE"), &json!({"channels": 4, "sure": 1, "review": 2, "none": 1})));

        let health = manager.get("/api/guide-health").send().await.json();
        let reasons = ["NO_GUIDE", "TWO_FIT", "NOBODY_DECIDED"].map(|reason| json!({"reason": reason, "count": 1}));
        assert_eq!(health["without"], json!(reasons), "{health}");
        for (reason, number) in [("NO_GUIDE", 4), ("TWO_FIT", 2), ("NOBODY_DECIDED", 3)] {
            let rows = manager.get(&format!("/api/schedule?without=true&reason={reason}")).send().await.json();
            let shown: Vec<_> = rows["content"].as_array().unwrap().iter().map(|row| (&row["channelNumber"], &row["without"])).collect();
            assert_eq!(shown, [(&json!(number), &json!(reason))]);
        }

        // Without changes nothing is written.
        let before = list(&manager, "").await;
        assert_eq!(manager.post("/api/epg-matching/run").send().await.status, 202);
        app.match_channels().await;
        assert_eq!(list(&manager, "").await, before);
    }

    #[smoke]
    async fn an_id_with_another_name_is_pending_review_again(app: &TestApp) {
        let manager = app.manager().await;
        let (guide, made) = matched(app, &manager, &TITLES[..1]).await;
        let guide_id = json!(id_of(&guide));
        let renamed = [("marea.azul", "Deportes Sierra"), ("cumbre", "Cumbre Noticias")];
        upload(app, &manager, &guide, file(&renamed)).await;
        app.match_channels().await;
        let row = one(&manager, &made[0]).await;
        let first = &row["candidates"][0];
        assert_eq!((&row["level"], &row["decision"], &first["name"]), (&json!("REVIEW"), &json!("LINKED"), &json!("Deportes Sierra")), "{row}");
        assert_eq!(first["against"][0]["code"], "ID_CONTRADICTS_NAME");
        assert_eq!(link(&channel(&manager, &made[0]).await), (guide_id.clone(), json!("marea.azul")), "without a decision");
        // A quality is not part of the name.
        upload(app, &manager, &guide, file(&[("marea.azul", "Marea Azul TV 4K")])).await;
        app.match_channels().await;
        assert_eq!(one(&manager, &made[0]).await["level"], "AUTO");
        upload(app, &manager, &guide, file(&renamed)).await;
        app.match_channels().await;
        decide(&manager, &made[0], json!({"verdict": "REFUSED"})).await;
        assert_eq!(link(&channel(&manager, &made[0]).await), (json!(null), json!("marea.azul")), "it was wrong");
    }

    #[smoke]
    async fn an_accepted_name_is_an_alias_for_other_lists(app: &TestApp) {
        let manager = app.manager().await;
        let guide = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        let guide_id = json!(id_of(&guide));
        upload(app, &manager, &guide, file(&[("10.uy", "Canal 10"), ("4.uy", "Monte Sereno")])).await;
        let made = channels(&manager, &[("Saeta", None)]).await;
        app.match_channels().await;
        decide(&manager, &made[0], json!({"verdict": "ACCEPTED", "guideId": guide_id, "xmlId": "10.uy"})).await;
        let other = channels(&manager, &[("UY: SAETA HD", None)]).await;
        app.match_channels().await;
        assert_eq!(link(&channel(&manager, &other[0]).await), (guide_id, json!("10.uy")));
        let row = one(&manager, &other[0]).await;
        assert!(row["candidates"][0]["for"].as_array().unwrap().iter().any(|one| one["code"] == "ALIAS"), "{row}");
    }

    async fn a_name_is_an_alias_as_long_as_its_channel_has_the_link(app: &TestApp) {
        let manager = app.manager().await;
        let (guide, made) = matched(app, &manager, &[("Marea", None), ("Quimera", None)]).await;
        let guide_id = json!(id_of(&guide));
        let begun = manager.post("/api/epg-matches/accept").json(&json!({"ids": [made[0]]})).send().await;
        assert_eq!(begun.status, 202, "{}", begun.text());
        app.run_operations().await;
        assert_eq!(link(&channel(&manager, &made[0]).await).0, guide_id);
        let undone = manager.post(&format!("/api/operations/{}/undo", begun.json()["id"])).send().await;
        assert_eq!(undone.status, 202, "{}", undone.text());
        app.run_operations().await;
        // Accepted by mistake, then corrected.
        for xml_id in ["cumbre", "farola.2"] {
            decide(&manager, &made[1], json!({"verdict": "ACCEPTED", "guideId": guide_id, "xmlId": xml_id})).await;
        }
        let others = channels(&manager, &[("ES: MAREA HD", None), ("Quimera HD", None)]).await;
        app.match_channels().await;
        let row = one(&manager, &others[0]).await;
        assert_eq!((&row["level"], &row["decision"]), (&json!("REVIEW"), &json!(null)), "{row}");
        assert_eq!(link(&channel(&manager, &others[0]).await), (json!(null), json!(null)));
        let row = one(&manager, &others[1]).await;
        assert_eq!(link(&channel(&manager, &others[1]).await), (guide_id.clone(), json!("farola.2")), "{row}");

        // A deleted channel may be restored.
        let gone = manager.delete(&format!("/api/tv-channels/{}", made[1])).send().await;
        assert_eq!(gone.status, 204, "{}", gone.text());
        let third = channels(&manager, &[("QUIMERA 4K", None)]).await;
        app.match_channels().await;
        assert_eq!(link(&channel(&manager, &third[0]).await), (guide_id, json!("farola.2")));
    }

    async fn an_equal_id_with_different_names_is_decided_by_a_user(app: &TestApp) {
        let manager = app.manager().await;
        let (guide, made) = matched(app, &manager, &[("Quimera Dorada", Some("cumbre")), ("Cumbre Noticias", Some("cumbre"))]).await;
        let row = one(&manager, &made[0]).await;
        assert_eq!((&row["level"], &row["candidates"][0]["against"][0]["code"]), (&json!("REVIEW"), &json!("ID_CONTRADICTS_NAME")), "{row}");
        assert_eq!(one(&manager, &made[1]).await["decision"], "LINKED");
        // Linking a channel by its form is a decision, too.
        let by_form = json!({"tvGuideId": id_of(&guide), "epgId": "marea.azul"});
        assert_eq!(manager.patch(&format!("/api/tv-channels/{}", made[0])).json(&by_form).send().await.status, 200);
        assert_eq!(manager.post("/api/epg-matching/run").send().await.status, 202);
        app.match_channels().await;
        assert_eq!(one(&manager, &made[0]).await, Value::default());
    }

    async fn a_channel_linked_by_its_form_is_not_pending_and_keeps_the_link(app: &TestApp) {
        let manager = app.manager().await;
        let (guide, made) = matched(app, &manager, &[("Marea", None)]).await;
        let guide_id = json!(id_of(&guide));
        let seen = one(&manager, &made[0]).await;
        assert_eq!(seen["level"], "REVIEW", "{seen}");
        let by_form = json!({"tvGuideId": guide_id, "epgId": "marea.roja"});
        assert_eq!(manager.patch(&format!("/api/tv-channels/{}", made[0])).json(&by_form).send().await.status, 200);

        assert_eq!(list(&manager, "level=REVIEW").await, Vec::<Value>::new());
        let levels = manager.get("/api/epg-matching").send().await.json()["levels"].clone();
        assert_eq!(levels[1], json!({"level": "REVIEW", "count": 0}), "{levels}");
        let activity = manager.get("/api/activity").send().await.json();
        assert_eq!(activity["reviews"]["waiting"], 0, "{activity}");
        for accept in [json!({"ids": made}), json!({"filter": {"minScore": 0}})] {
            let nothing = manager.post("/api/epg-matches/accept").json(&accept).send().await;
            assert_eq!(nothing.status, 409, "{}", nothing.text());
        }
        let path = format!("/api/tv-channels/{}/guide-link", made[0]);
        let accept = json!({"verdict": "ACCEPTED", "guideId": guide_id, "xmlId": "marea.azul"});
        assert_outdated(&manager, &seen, &accept).await;
        assert_eq!(link(&channel(&manager, &made[0]).await), (guide_id.clone(), json!("marea.roja")));

        // Without a previous decision, or with one from before an undo, the decision is about the
        // current link.
        decide(&manager, &made[0], json!({"verdict": "NO_GUIDE"})).await;
        assert_eq!(undo(&manager, &made[0]).await.0, "NONE");
        assert_eq!(link(&channel(&manager, &made[0]).await), (guide_id.clone(), json!("marea.roja")));
        let tag = format!("\"{}\"", seen["version"].as_i64().unwrap() + 2);
        let decided = manager.put(&path).header("if-match", &tag).json(&accept).send().await;
        assert_eq!(decided.status, 200, "{}", decided.text());
        assert_eq!(link(&channel(&manager, &made[0]).await), (guide_id, json!("marea.azul")));
    }

    async fn a_link_by_form_instead_of_a_decided_one_is_not_pending_and_stays(app: &TestApp) {
        let manager = app.manager().await;
        let (guide, made) = matched(app, &manager, &[("Marea Azul TV", None), ("Cumbre Noticias", None)]).await;
        let guide_id = json!(id_of(&guide));
        let renamed: Vec<_> = [("marea.azul", "Deportes Sierra")].into_iter().chain(CHANNELS.into_iter().skip(1)).collect();
        upload(app, &manager, &guide, file(&renamed)).await;
        app.match_channels().await;
        let seen = one(&manager, &made[0]).await;
        assert_eq!((&seen["level"], &seen["decision"]), (&json!("REVIEW"), &json!("LINKED")), "{seen}");
        let other = one(&manager, &made[1]).await;
        assert_eq!((&other["level"], &other["decision"]), (&json!("AUTO"), &json!("LINKED")), "{other}");
        let by_form = async |id: &Value, epg_id: &str| {
            let changed = manager.patch(&format!("/api/tv-channels/{id}")).json(&json!({"epgId": epg_id})).send().await;
            assert_eq!(changed.status, 200, "{}", changed.text());
        };
        by_form(&made[0], "marea.roja").await;
        by_form(&made[1], "farola.2").await;

        assert_eq!(list(&manager, "").await, Vec::<Value>::new());
        let levels = manager.get("/api/epg-matching").send().await.json()["levels"].clone();
        assert!(levels.as_array().unwrap().iter().all(|level| level["count"] == 0), "{levels}");
        let activity = manager.get("/api/activity").send().await.json();
        assert_eq!(activity["reviews"]["waiting"], 0, "{activity}");
        assert_outdated(&manager, &seen, &json!({"verdict": "ACCEPTED", "guideId": guide_id, "xmlId": "marea.azul"})).await;
        let run = async || {
            assert_eq!(manager.post("/api/epg-matching/run").send().await.status, 202);
            app.match_channels().await;
        };
        run().await;
        assert_eq!(app.number("SELECT count(*) AS number FROM epg_matches").await, 0, "what was found is forgotten");
        // A late decision is outdated, and not about a channel that does not exist.
        assert_outdated(&manager, &seen, &json!({"verdict": "ACCEPTED", "guideId": guide_id, "xmlId": "marea.azul"})).await;
        assert_eq!(link(&channel(&manager, &made[0]).await), (guide_id.clone(), json!("marea.roja")));
        assert_eq!(link(&channel(&manager, &made[1]).await), (guide_id, json!("farola.2")));

        // The decision applies again once the channel has its link.
        by_form(&made[0], "marea.azul").await;
        run().await;
        let again = one(&manager, &made[0]).await;
        assert_eq!((&again["level"], &again["decision"]), (&json!("REVIEW"), &json!("LINKED")), "{again}");
    }

    async fn the_guide_with_the_higher_priority_is_chosen_and_invalid_requests_are_refused(app: &TestApp) {
        let manager = app.manager().await;
        let first = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        let draft = json!({"title": "La mejor", "url": "http://127.0.0.1:9/h.xml", "active": true, "gzip": false});
        let second = format!("/api/tv-guides/{}", manager.create("tv-guides", &draft).await["id"]);
        let settings = json!({"refreshHours": 12, "zone": "UTC", "shiftMinutes": 0, "priority": 1});
        assert_eq!(manager.put(&format!("{second}/fetching")).json(&settings).send().await.status, 200);
        for guide in [&first, &second] {
            upload(app, &manager, guide, file(&CHANNELS)).await;
        }
        let made = channels(&manager, &[("Cumbre Noticias", None)]).await;
        app.match_channels().await;
        assert_eq!(link(&channel(&manager, &made[0]).await), (json!(id_of(&second)), json!("cumbre")));
        let path = format!("/api/tv-channels/{}/guide-link", made[0]);
        for (body, field) in [
            (json!({"verdict": "LINKED"}), "verdict"),
            (json!({"verdict": "ACCEPTED", "guideId": 1}), "xmlId"),
            (json!({"verdict": "REFUSED", "guideId": 1}), "guideId"),
            (json!({"verdict": "ACCEPTED", "guideId": id_of(&first), "xmlId": "nada"}), "xmlId"),
        ] {
            let answer = manager.put(&path).json(&body).send().await;
            assert_eq!(answer.status, 422, "{}", answer.text());
            assert_eq!(answer.field_codes()[0].0, field, "{}", answer.text());
        }
        let gone = manager.put("/api/tv-channels/9999/guide-link").json(&json!({"verdict": "NO_GUIDE"})).send().await;
        assert_eq!(gone.status, 404, "{}", gone.text());
    }

    async fn an_automatic_link_is_restored_with_its_guide(app: &TestApp) {
        let manager = app.manager().await;
        let (guide, made) = matched(app, &manager, &[("Marea Azul TV", None), ("Cumbre Noticias", None)]).await;
        let guide_id = json!(id_of(&guide));
        let before = [one(&manager, &made[0]).await, one(&manager, &made[1]).await];
        assert_eq!(before[0]["decision"], "LINKED", "{before:?}");
        app.clock.forward(chrono::TimeDelta::minutes(1));
        let switch = async |active: bool| {
            assert_eq!(manager.patch(&guide).json(&json!({"active": active})).send().await.status, 200);
            app.match_channels().await;
        };
        switch(false).await;
        assert_eq!(one(&manager, &made[0]).await["decision"], json!(null), "it can be accepted with others");
        // Meanwhile the name of the other one changes.
        let renamed = [("marea.azul", "Marea Azul TV"), ("cumbre", "Deportes Sierra")];
        upload(app, &manager, &guide, file(&renamed)).await;
        switch(true).await;
        let row = one(&manager, &made[0]).await;
        assert_eq!((&row["level"], &row["decision"]), (&json!("AUTO"), &json!("LINKED")), "{row}");
        assert_eq!((&row["decidedBy"], &row["decidedDate"]), (&json!(null), &before[0]["decidedDate"]));
        assert_eq!(row["candidates"], json!([before[0]["candidates"][0]]), "why it was linked");
        let other = one(&manager, &made[1]).await;
        assert_eq!((&other["level"], &other["decision"]), (&json!("REVIEW"), &json!("LINKED")), "{other}");
        assert_eq!(other["decidedDate"], before[1]["decidedDate"]);
        assert_eq!(other["candidates"][0]["against"][0]["code"], "ID_CONTRADICTS_NAME", "{other}");
        assert_eq!(manager.post("/api/epg-matching/run").send().await.status, 202);
        app.match_channels().await;
        assert_eq!(list(&manager, "_sort=id").await, [row, other], "nothing changed");

        // A link can be undone without a stored match.
        app.run("DELETE FROM epg_matches").await;
        assert_eq!(undo(&manager, &made[0]).await, (json!("REVIEW"), json!(null), json!(null)));
        assert_eq!(link(&channel(&manager, &made[0]).await), (json!(null), json!(null)));
        assert_eq!(link(&channel(&manager, &made[1]).await), (guide_id, json!("cumbre")));
    }

    #[smoke]
    async fn an_effective_decision_starts_no_further_runs(app: &TestApp) {
        let manager = app.manager().await;
        let (guide, made) = matched(app, &manager, &[("Marea", None), ("Quimera", None)]).await;
        decide(&manager, &made[0], json!({"verdict": "ACCEPTED", "guideId": id_of(&guide), "xmlId": "marea.roja"})).await;
        decide(&manager, &made[1], json!({"verdict": "NO_GUIDE"})).await;
        // The match is removed if a channel was linked without a decision, as after some undos.
        app.run("DELETE FROM epg_matches").await;
        assert_eq!(manager.patch(&guide).json(&json!({"active": false})).send().await.status, 200);
        app.match_channels().await;
        let rows = list(&manager, "_sort=id").await;
        let shown: Vec<_> = rows.iter().map(|row| (&row["level"], &row["decision"], &row["decidedBy"])).collect();
        let by = json!("contentManager");
        assert_eq!(shown, [(&json!("AUTO"), &json!("ACCEPTED"), &by), (&json!("NONE"), &json!("NO_GUIDE"), &by)]);
        assert!(!SeaOrmMatches(app.database.clone()).schedule().await.unwrap(), "nothing is to be matched");
    }

    async fn a_failed_run_is_started_again_by_a_request_or_a_changed_guide(app: &TestApp) {
        let manager = app.manager().await;
        let guide = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        upload(app, &manager, &guide, file(&CHANNELS)).await;
        channels(&manager, &[("Marea", None)]).await;
        let seen = async || manager.get("/api/epg-matching").send().await.json();
        let state = async || seen().await["state"].clone();
        let matches = SeaOrmMatches(app.database.clone());
        let fail = async || {
            let claim = matches.claim().await.unwrap().unwrap();
            matches.fail(&claim, app.clock.now()).await.unwrap();
        };
        let ended = async || manager.get("/api/activity").send().await.json()["ended"].clone();
        let dates = async || (seen().await["finishedDate"].clone(), ended().await);
        let before = dates().await;
        assert!(matches.schedule().await.unwrap());
        fail().await;
        assert_eq!(state().await, "FAILED");
        let first = dates().await;
        assert!(first.0 != before.0 && first.1 != before.1, "a user who reads only before and after: {first:?}");
        assert!(!matches.schedule().await.unwrap(), "the channel that was not compared is no reason to fail again");
        assert!(matches.claim().await.unwrap().is_none());
        app.clock.forward(chrono::TimeDelta::minutes(1));
        assert_eq!(manager.post("/api/epg-matching/run").send().await.status, 202);
        fail().await;
        let second = dates().await;
        assert!(second.0 != first.0 && second.1 != first.1, "{second:?}");
        assert_eq!(manager.patch(&guide).json(&json!({"active": false})).send().await.status, 200);
        app.match_channels().await;
        assert_eq!(state().await, "IDLE");
    }
}
