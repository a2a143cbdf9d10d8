//! Decisions about the guides of channels: concurrent, in bulk, during a run, and undone.

use adapter_seaorm::SeaOrmMatches;
use domain_kernel::RoleCode;
use domain_live::matching::{LinkVerdict, MatchLevel, Outcome};
use ports::{Clock as _, ExpectedLink, FoundMatch, MatchRepository as _};
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    epg_matches::{CHANNELS, TITLES, channel, channels, decide, file, id_of, link, list, matched, one, undo},
    guides::{stored, upload},
};

on_both! {
    #[smoke]
    async fn an_undone_link_is_not_made_again(app: &TestApp) {
        let manager = app.manager().await;
        let (_, made) = matched(app, &manager, &TITLES[..1]).await;
        let operation = manager.get("/api/operations").send().await.json()["content"][0].clone();
        assert_eq!((&operation["resource"], &operation["counts"]["changed"]), (&json!("tv-channels"), &json!(1)), "{operation}");
        let undone = manager.post(&format!("/api/operations/{}/undo", operation["id"])).send().await;
        assert_eq!(undone.status, 202, "{}", undone.text());
        app.run_operations().await;
        assert_eq!(link(&channel(&manager, &made[0]).await), (json!(null), json!(null)));
        for _ in 0..2 {
            app.match_channels().await;
            let row = one(&manager, &made[0]).await;
            assert_eq!((&row["level"], &row["decision"]), (&json!("REVIEW"), &json!(null)), "{row}");
            assert_eq!(row["candidates"][0]["against"][0]["code"], "DECIDED_BEFORE");
            assert_eq!(manager.post("/api/epg-matching/run").send().await.status, 202);
        }
    }

    #[smoke]
    async fn a_decision_precedes_all_candidates_and_survives_changes_of_both_sides(app: &TestApp) {
        let manager = app.manager().await;
        let (guide, made) = matched(app, &manager, &TITLES).await;
        let guide_id = json!(id_of(&guide));
        let row = decide(&manager, &made[1], json!({"verdict": "ACCEPTED", "guideId": guide_id, "xmlId": "marea.roja"})).await;
        assert_eq!((&row["level"], &row["decision"], &row["decidedBy"]), (&json!("AUTO"), &json!("ACCEPTED"), &json!("contentManager")), "{row}");
        decide(&manager, &made[2], json!({"verdict": "REFUSED"})).await;
        decide(&manager, &made[3], json!({"verdict": "NO_GUIDE"})).await;
        assert_eq!(link(&channel(&manager, &made[1]).await), (guide_id.clone(), json!("marea.roja")));

        // A channel is added with the name of the one without a guide; all other matches stay.
        let more: Vec<(&str, &str)> = CHANNELS.into_iter().chain([("quimera", "Quimera Dorada")]).collect();
        upload(app, &manager, &guide, file(&more)).await;
        let renamed = manager.patch(&format!("/api/tv-channels/{}", made[3])).json(&json!({"title": "Quimera Dorada HD"})).send().await;
        assert_eq!(renamed.status, 200, "{}", renamed.text());
        assert_eq!(manager.post("/api/epg-matching/run").send().await.status, 202);
        app.match_channels().await;
        let rows = list(&manager, "_sort=id").await;
        let decisions: Vec<&Value> = rows.iter().map(|row| &row["decision"]).collect();
        assert_eq!(decisions, [&json!("LINKED"), &json!("ACCEPTED"), &json!("REFUSED"), &json!("NO_GUIDE")]);
        let levels: Vec<&Value> = rows.iter().map(|row| &row["level"]).collect();
        assert_eq!(levels, [&json!("AUTO"), &json!("AUTO"), &json!("NONE"), &json!("NONE")], "{rows:?}");
        assert_eq!(link(&channel(&manager, &made[3]).await), (json!(null), json!(null)));

        // The refused candidate is last and marked.
        let farola = one(&manager, &made[2]).await;
        assert_eq!(farola["candidates"][0]["against"].as_array().unwrap().last().unwrap()["code"], "DECIDED_BEFORE", "{farola}");
        let log = app.sign_in_as(RoleCode::Admin).await.get("/api/audit?resource=epg-matches").send().await.json();
        assert_eq!(log["content"][0]["after"], json!({"verdict": "NO_GUIDE"}), "{log}");
        assert_eq!(log["content"][2]["after"]["xmlId"], "marea.roja");
    }

    async fn a_link_by_the_form_after_its_decision_was_replaced_has_no_shift(app: &TestApp) {
        let manager = app.manager().await;
        let (guide, made) = matched(app, &manager, &TITLES[..1]).await;
        let guide_id = json!(id_of(&guide));
        let accepted = json!({"verdict": "ACCEPTED", "guideId": guide_id, "xmlId": "marea.azul", "shiftMinutes": 60});
        let shift = async || {
            let path = format!("/api/epg-matches/candidates?channel={}", made[0]);
            manager.get(&path).send().await.json()["link"]["shiftMinutes"].clone()
        };
        for verdict in ["REFUSED", "NO_GUIDE"] {
            decide(&manager, &made[0], accepted.clone()).await;
            assert_eq!(shift().await, 60);
            app.clock.forward(chrono::TimeDelta::minutes(1));
            decide(&manager, &made[0], json!({ "verdict": verdict })).await;
            let path = format!("/api/tv-channels/{}", made[0]);
            let linked = manager.patch(&path).json(&json!({"tvGuideId": guide_id})).send().await;
            assert_eq!(linked.status, 200, "{}", linked.text());
            assert_eq!(link(&linked.json()), (guide_id.clone(), json!("marea.azul")), "{verdict}");
            assert_eq!(shift().await, json!(null), "{verdict}");
            app.clock.forward(chrono::TimeDelta::minutes(1));
        }
    }

    #[smoke]
    async fn the_second_of_two_decisions_is_refused_with_the_first_user_and_decisions_can_be_undone(app: &TestApp) {
        let manager = app.manager().await;
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let (guide, made) = matched(app, &manager, &TITLES).await;
        let guide_id = json!(id_of(&guide));
        let seen = one(&manager, &made[1]).await;
        let path = format!("/api/tv-channels/{}/guide-link", made[1]);
        let tag = format!("\"{}\"", seen["version"]);
        let accept = json!({"verdict": "ACCEPTED", "guideId": guide_id, "xmlId": "marea.roja"});
        assert_eq!(admin.put(&path).header("if-match", &tag).json(&accept).send().await.status, 200);
        let second = manager.put(&path).header("if-match", &tag).json(&json!({"verdict": "NO_GUIDE"})).send().await;
        let problem = second.json();
        assert_eq!((second.status, &problem["code"]), (409, &json!("CONFLICT")), "{problem}");
        assert_eq!((&problem["arguments"]["by"], &problem["arguments"]["verdict"]), (&json!("admin"), &json!("ACCEPTED")), "{problem}");
        assert!(problem["message"].as_str().unwrap().starts_with("admin ya ha decidido"), "{problem}");

        let decided = one(&manager, &made[1]).await;
        assert_eq!(
            (&seen["undoUntil"], &decided["decidedDate"], &decided["undoUntil"]),
            (&json!(null), &json!("2026-11-20T10:00:00.000Z"), &json!("2026-11-21T10:00:00.000Z")),
            "{decided}"
        );
        let undone = manager.post("/api/epg-matches/undo").json(&json!({"channelId": made[1]})).send().await;
        assert_eq!((undone.status, &undone.json()["level"]), (200, &json!("REVIEW")), "{}", undone.text());
        assert_eq!(undone.json()["undoUntil"], json!(null), "{}", undone.text());
        assert_eq!(link(&channel(&manager, &made[1]).await), (json!(null), json!(null)));
        app.match_channels().await;
        let again = one(&manager, &made[1]).await;
        assert_eq!((&again["level"], &again["candidates"]), (&json!("REVIEW"), &seen["candidates"]), "nothing is held against it");
        let nothing = manager.post("/api/epg-matches/undo").json(&json!({"channelId": made[1]})).send().await;
        assert_eq!(nothing.status, 409, "{}", nothing.text());
        decide(&manager, &made[1], accept).await;
        app.clock.forward(chrono::TimeDelta::hours(25));
        let late = app.manager().await.post("/api/epg-matches/undo").json(&json!({"channelId": made[1]})).send().await;
        assert_eq!(late.status, 409, "{}", late.text());
    }

    #[smoke]
    async fn many_are_accepted_as_one_operation_which_is_undone(app: &TestApp) {
        let manager = app.manager().await;
        let settings = json!({"auto": 86, "review": 30, "lead": 6, "automatic": false});
        let changed = manager.put("/api/epg-matching").header("if-match", "\"1\"").json(&settings).send().await;
        assert_eq!((changed.status, changed.header("etag")), (200, Some("\"2\"")), "{}", changed.text());
        let outdated = manager.put("/api/epg-matching").header("if-match", "\"1\"").json(&settings).send().await;
        let current = &outdated.json()["current"];
        assert_eq!((outdated.status, &current["version"], &current["automatic"]), (412, &json!(2), &json!(false)), "{current}");
        assert!(current["updatedBy"].is_string(), "{current}");
        let (guide, made) = matched(app, &manager, &[("Marea Azul TV", None), ("Cumbre Noticias HD", None), ("Marea", None)]).await;
        let guide_id = json!(id_of(&guide));
        assert_eq!(link(&channel(&manager, &made[0]).await), (json!(null), json!(null)), "it waits");
        let filter = json!({"clear": true, "minScore": 90});
        let wrong = manager.post("/api/epg-matches/accept").json(&json!({"filter": filter, "expectedCount": 3})).send().await;
        assert_eq!((wrong.status, &wrong.json()["arguments"]["count"]), (409, &json!(2)), "{}", wrong.text());
        let begun = manager.post("/api/epg-matches/accept").json(&json!({"filter": filter, "expectedCount": 2})).send().await;
        assert_eq!(begun.status, 202, "{}", begun.text());
        app.run_operations().await;
        assert_eq!(link(&channel(&manager, &made[1]).await), (guide_id, json!("cumbre")));
        let row = one(&manager, &made[1]).await;
        assert_eq!((&row["decision"], &row["decidedBy"]), (&json!("ACCEPTED"), &json!("contentManager")), "{row}");
        let undone = manager.post(&format!("/api/operations/{}/undo", begun.json()["id"])).send().await;
        assert_eq!(undone.status, 202, "{}", undone.text());
        app.run_operations().await;
        let waiting = async || {
            let rows = list(&manager, "level=REVIEW").await;
            assert_eq!(rows.len(), 3, "they wait again: {rows:?}");
            assert!(rows.iter().all(|row| row["decision"].is_null()), "{rows:?}");
        };
        waiting().await;
        app.match_channels().await;
        waiting().await;
        let nothing = manager.post("/api/epg-matches/accept").json(&json!({"ids": [9_999]})).send().await;
        assert_eq!(nothing.status, 409, "{}", nothing.text());
    }

    async fn a_pending_link_does_not_override_a_later_decision(app: &TestApp) {
        let manager = app.manager().await;
        let settings = json!({"auto": 86, "review": 30, "lead": 6, "automatic": false});
        let changed = manager.put("/api/epg-matching").header("if-match", "\"1\"").json(&settings).send().await;
        assert_eq!(changed.status, 200, "{}", changed.text());
        let guide = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        upload(app, &manager, &guide, file(&CHANNELS)).await;
        let titles = [("Marea Azul TV", None), ("Cumbre Noticias HD", None), ("Farola 2", None)];
        let made = channels(&manager, &titles).await;
        app.match_channels().await;
        let begun = manager.post("/api/epg-matches/accept").json(&json!({"ids": made})).send().await;
        assert_eq!(begun.status, 202, "{}", begun.text());
        decide(&manager, &made[0], json!({"verdict": "REFUSED"})).await;
        decide(&manager, &made[1], json!({"verdict": "NO_GUIDE"})).await;
        app.run_operations().await;
        let ended = manager.get(&format!("/api/operations/{}", begun.json()["id"])).send().await.json();
        assert_eq!((&ended["counts"]["changed"], &ended["counts"]["conflicts"]), (&json!(1), &json!(2)), "{ended}");
        assert_eq!(link(&channel(&manager, &made[0]).await), (json!(null), json!(null)));
        assert_eq!(link(&channel(&manager, &made[1]).await), (json!(null), json!(null)));
        let rows = list(&manager, "_sort=id").await;
        let decisions: Vec<&Value> = rows.iter().map(|row| &row["decision"]).collect();
        assert_eq!(decisions, [&json!("REFUSED"), &json!("NO_GUIDE"), &json!("ACCEPTED")]);
        // The operation has ended: a decision does not change the channel any more.
        let before = channel(&manager, &made[0]).await;
        decide(&manager, &made[0], json!({"verdict": "NO_GUIDE"})).await;
        assert_eq!(channel(&manager, &made[0]).await, before);
    }

    async fn no_link_is_expected_of_a_file_whose_channels_have_decisions(app: &TestApp) {
        let manager = app.manager().await;
        let settings = json!({"auto": 86, "review": 30, "lead": 6, "automatic": false});
        let changed = manager.put("/api/epg-matching").header("if-match", "\"1\"").json(&settings).send().await;
        assert_eq!(changed.status, 200, "{}", changed.text());
        let (_, made) = matched(app, &manager, &[("Marea Azul TV", None), ("Cumbre Noticias HD", None)]).await;
        let matches = SeaOrmMatches(app.database.clone());
        let ids: Vec<i64> = made.iter().map(|id| id.as_i64().unwrap()).collect();
        let links = (1..).zip(matches.find_all(&ids).await.unwrap()).map(|(row, (found, target))| {
            let proposal = found.candidates.into_iter().next().unwrap();
            ExpectedLink { row, target, verdict: LinkVerdict::Accepted, by: None, proposal }
        });
        let mut links: Vec<ExpectedLink> = links.collect();
        let second = links.split_off(1);
        let expected = async || app.number("SELECT count(*) AS number FROM epg_decisions WHERE sheet_id = 7").await;
        assert!(matches.expect_links(7, links, app.clock.now()).await.unwrap());
        assert_eq!(expected().await, 1);
        decide(&manager, &made[1], json!({"verdict": "NO_GUIDE"})).await;
        assert!(!matches.expect_links(7, second, app.clock.now()).await.unwrap());
        assert_eq!(expected().await, 0);
        // There is no pending link: a decision does not change the channel.
        let before = channel(&manager, &made[0]).await;
        decide(&manager, &made[0], json!({"verdict": "NO_GUIDE"})).await;
        assert_eq!(channel(&manager, &made[0]).await, before);
    }

    async fn a_decision_during_a_run_stays(app: &TestApp) {
        let manager = app.manager().await;
        let (_, made) = matched(app, &manager, &[("Marea", None), ("Farola", None)]).await;
        assert_eq!(manager.post("/api/epg-matching/run").send().await.status, 202);
        let matches = SeaOrmMatches(app.database.clone());
        let claim = matches.claim().await.unwrap().unwrap();
        let targets = matches.targets(true, 0, 100).await.unwrap();
        assert_eq!(targets.len(), 2);
        decide(&manager, &made[0], json!({"verdict": "NO_GUIDE"})).await;
        let found = |target| {
            let outcome = Outcome { level: MatchLevel::Auto, proposals: Vec::new() };
            (target, FoundMatch::Found { outcome, renamed: false })
        };
        let written = targets.into_iter().map(found).collect();
        assert!(matches.write(&claim, written, app.clock.now()).await.unwrap());
        let decided = one(&manager, &made[0]).await;
        assert_eq!((&decided["level"], &decided["decision"]), (&json!("NONE"), &json!("NO_GUIDE")), "{decided}");
        assert_eq!(one(&manager, &made[1]).await["level"], "AUTO", "a match without a decision is written");
        app.match_channels().await;
        assert_eq!(one(&manager, &made[0]).await["decision"], "NO_GUIDE");
        assert_eq!(link(&channel(&manager, &made[0]).await), (json!(null), json!(null)));
    }

    #[smoke]
    async fn candidates_after_a_refusal_are_decided_by_a_user(app: &TestApp) {
        let manager = app.manager().await;
        let first = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        upload(app, &manager, &first, file(&CHANNELS)).await;
        let made = channels(&manager, &[("Marea", None)]).await;
        app.match_channels().await;
        decide(&manager, &made[0], json!({"verdict": "REFUSED"})).await;
        let draft = json!({"title": "Otra", "url": "http://127.0.0.1:9/h.xml", "active": true, "gzip": false});
        let second = format!("/api/tv-guides/{}", manager.create("tv-guides", &draft).await["id"]);
        upload(app, &manager, &second, file(&[("marea", "Marea")])).await;
        app.match_channels().await;
        let row = one(&manager, &made[0]).await;
        assert_eq!((&row["level"], &row["decision"], &row["candidates"][0]["xmlId"]), (&json!("REVIEW"), &json!("REFUSED"), &json!("marea")), "{row}");
        assert_eq!(link(&channel(&manager, &made[0]).await), (json!(null), json!(null)));
        for decided in [json!({"ids": made}), json!({"filter": {"minScore": 0}})] {
            let left_out = manager.post("/api/epg-matches/accept").json(&decided).send().await;
            assert_eq!(left_out.status, 409, "{}", left_out.text());
        }
        // The match is pending again after it was accepted by mistake.
        app.clock.forward(chrono::TimeDelta::minutes(1));
        decide(&manager, &made[0], json!({"verdict": "ACCEPTED", "guideId": id_of(&second), "xmlId": "marea"})).await;
        assert_eq!(undo(&manager, &made[0]).await, (json!("REVIEW"), json!("REFUSED"), json!("contentManager")));
        // The match is not pending any more after the channel was linked by its form.
        let seen = one(&manager, &made[0]).await;
        let by_form = json!({"tvGuideId": id_of(&first), "epgId": "cumbre"});
        assert_eq!(manager.patch(&format!("/api/tv-channels/{}", made[0])).json(&by_form).send().await.status, 200);
        assert_eq!(list(&manager, "level=REVIEW").await, Vec::<Value>::new());
        let late = manager.put(&format!("/api/tv-channels/{}/guide-link", made[0]));
        let late = late.header("if-match", &format!("\"{}\"", seen["version"])).json(&json!({"verdict": "NO_GUIDE"})).send().await;
        assert_eq!(late.status, 412, "{}", late.text());
        assert_eq!(link(&channel(&manager, &made[0]).await), (json!(id_of(&first)), json!("cumbre")));
    }

    #[smoke]
    async fn an_undo_restores_the_previous_decision(app: &TestApp) {
        let manager = app.manager().await;
        let (guide, made) = matched(app, &manager, &[("Marea Azul TV", None), ("Marea", None), ("Quimera", None)]).await;
        let guide_id = json!(id_of(&guide));
        let later = || app.clock.forward(chrono::TimeDelta::minutes(1));
        let (no_user, manager_name) = (json!(null), json!("contentManager"));
        let no_guide = || json!({"verdict": "NO_GUIDE"});
        let accepted = || json!({"verdict": "ACCEPTED", "guideId": guide_id, "xmlId": "marea.roja"});

        later();
        decide(&manager, &made[0], no_guide()).await;
        assert_eq!(undo(&manager, &made[0]).await, (json!("AUTO"), json!("LINKED"), no_user.clone()));
        assert_eq!(link(&channel(&manager, &made[0]).await), (guide_id.clone(), json!("marea.azul")));

        decide(&manager, &made[1], json!({"verdict": "REFUSED"})).await;
        later();
        decide(&manager, &made[1], accepted()).await;
        later();
        decide(&manager, &made[1], no_guide()).await;
        assert_eq!(undo(&manager, &made[1]).await, (json!("AUTO"), json!("ACCEPTED"), manager_name.clone()));
        assert_eq!(undo(&manager, &made[1]).await, (json!("NONE"), json!("REFUSED"), manager_name));
        assert_eq!(link(&channel(&manager, &made[1]).await), (json!(null), json!(null)));
        assert_eq!(undo(&manager, &made[1]).await, (json!("REVIEW"), no_user.clone(), no_user.clone()));

        // An undo is about the last decision that was read: a second request undoes nothing else.
        decide(&manager, &made[1], json!({"verdict": "REFUSED"})).await;
        later();
        let seen = decide(&manager, &made[1], accepted()).await;
        let click = async || {
            let request = manager.post("/api/epg-matches/undo").header("if-match", &format!("\"{}\"", seen["version"]));
            request.json(&json!({"channelId": made[1]})).send().await
        };
        assert_eq!(click().await.status, 200);
        let second = click().await;
        assert_eq!((second.status, &second.json()["arguments"]["verdict"]), (409, &json!("REFUSED")), "{}", second.text());
        assert_eq!(one(&manager, &made[1]).await["decision"], "REFUSED");
        assert_eq!(undo(&manager, &made[1]).await.0, "REVIEW");
        let nothing = click().await;
        assert_eq!(nothing.status, 409, "{}", nothing.text());

        // A channel that was linked by its form is not pending.
        let by_form = json!({"tvGuideId": guide_id, "epgId": "cumbre"});
        assert_eq!(manager.patch(&format!("/api/tv-channels/{}", made[2])).json(&by_form).send().await.status, 200);
        decide(&manager, &made[2], no_guide()).await;
        assert_eq!(undo(&manager, &made[2]).await, (json!("NONE"), no_user.clone(), no_user));
        assert_eq!(link(&channel(&manager, &made[2]).await), (guide_id, json!("cumbre")));
        let waiting = list(&manager, "level=REVIEW").await;
        assert_eq!(waiting.iter().map(|row| &row["id"]).collect::<Vec<_>>(), [&made[1]], "{waiting:?}");
    }

    #[smoke]
    async fn after_an_undo_an_id_with_another_name_is_pending_review_again(app: &TestApp) {
        let manager = app.manager().await;
        let (guide, made) = matched(app, &manager, &TITLES[..1]).await;
        upload(app, &manager, &guide, file(&[("marea.azul", "Deportes Sierra")])).await;
        app.match_channels().await;
        app.clock.forward(chrono::TimeDelta::minutes(1));
        decide(&manager, &made[0], json!({"verdict": "REFUSED"})).await;
        assert_eq!(undo(&manager, &made[0]).await, (json!("REVIEW"), json!("LINKED"), json!(null)));
        assert_eq!(link(&channel(&manager, &made[0]).await), (json!(id_of(&guide)), json!("marea.azul")));
    }
}
