//! Users' decisions about channels survive later changes of a playlist.

use chrono::TimeDelta;
use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
    epg_matches::{channel, decide, file, id_of, link, one},
    guides::{stored, upload},
    playlists::{LIST, ListServer, apply, changes, channels, read, source},
};

/// The titles of all channels after an hour, in which the source was refreshed.
async fn after_an_hour(app: &TestApp) -> Vec<String> {
    app.clock.forward(TimeDelta::minutes(61));
    app.read_playlists().await;
    app.run_operations().await;
    let titles = channels(&app.manager().await).await;
    titles.iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect()
}

async fn last_run(client: &Client<'_>, source: &str) -> Value {
    client.get(&format!("{source}/runs")).send().await.json()["content"][0].clone()
}

async fn entry(client: &Client<'_>, source: &str, run: &Value, name: &str) -> Value {
    changes(client, source, run, &format!("search={name}")).await[0].clone()
}

on_both! {
    async fn a_refresh_does_not_recreate_removed_channels_or_change_those_of_others(app: &TestApp) {
        let server = ListServer::start(LIST);
        let manager = app.manager().await;
        let source = source(&manager, json!({"url": server.url, "refreshHours": 1, "automatic": "ALL"})).await;
        let category = json!({"description": "Propios", "englishDescription": "Own", "type": "TV_CHANNEL"});
        let category = manager.create("categories", &category).await["id"].clone();
        let own = manager.create("tv-channels", &json!({
            "channelNumber": 7, "title": "SIETE", "tvGuideId": null, "epgId": "propio", "active": true,
            "imageUrl": "https://images.example.com/7.png", "categories": [category], "urlType": "EXTERNAL",
            "url": "http://own.example/7", "adultContent": false, "kidsContent": false,
        })).await;
        assert_eq!(after_an_hour(app).await, ["SIETE", "Ocho", "Nueve"]);
        let manager = app.manager().await;
        let stored = channels(&manager).await;
        assert_eq!(stored[0]["url"], "http://own.example/7", "it was made by a user");
        let ocho = format!("/api/tv-channels/{}", stored[1]["id"]);
        let deleted = manager.delete(&ocho).header("if-match", "\"1\"").send().await;
        assert_eq!(deleted.status, 204, "{}", deleted.text());
        assert_eq!(after_an_hour(app).await, ["SIETE", "Nueve"]);
        assert_eq!(after_an_hour(app).await, ["SIETE", "Nueve"]);

        let manager = app.manager().await;
        let run = last_run(&manager, &source).await;
        assert_eq!(run["applyFault"], Value::Null, "{run}");
        let (siete, ocho) = (entry(&manager, &source, &run, "siete").await, entry(&manager, &source, &run, "ocho").await);
        assert_eq!((&siete["change"], &ocho["change"]), (&json!("NEW"), &json!("NEW")));
        let named = json!({"itemType": "tv-channels", "itemId": own["id"], "name": "SIETE"});
        assert_eq!((&siete["changesItem"], &ocho["changesItem"]), (&named, &Value::Null), "it is shown before it is done");
        apply(app, &manager, &source, &run, json!({"ids": [siete["id"], ocho["id"]]})).await;
        let stored = channels(&manager).await;
        let titles: Vec<&Value> = stored.iter().map(|one| &one["title"]).collect();
        assert_eq!(titles, ["SIETE", "Nueve", "Ocho"], "applied by a user");
        assert_eq!(stored[0]["url"], "http://h.example/7.m3u8?token=a");
        assert_eq!((&stored[0]["epgId"], &stored[0]["imageUrl"]), (&own["epgId"], &own["imageUrl"]), "what it had stays");
        assert_eq!(stored[0]["categories"], json!([category]));
    }

    async fn an_epg_id_accepted_by_a_user_stays_when_the_list_changes_it(app: &TestApp) {
        let manager = app.manager().await;
        let source = source(&manager, json!({})).await;
        let run = read(app, &manager, &source, LIST, "").await;
        apply(app, &manager, &source, &run, json!({"filter": {}})).await;
        let channel = channels(&manager).await[0]["id"].clone();
        let guide = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        upload(app, &manager, &guide, file(&[("siete", "Siete")])).await;
        let guide_id: i64 = guide.rsplit('/').next().unwrap().parse().unwrap();
        let accept = json!({"verdict": "ACCEPTED", "guideId": guide_id, "xmlId": "siete"});
        let accepted = manager.put(&format!("/api/tv-channels/{channel}/guide-link")).json(&accept).send().await;
        assert_eq!(accepted.status, 200, "{}", accepted.text());
        let other = LIST.replace("tvg-id=\"siete\"", "tvg-id=\"7.xx\"").replace("token=a", "token=b");
        let run = read(app, &manager, &source, &other, "").await;
        let fields = entry(&manager, &source, &run, "siete").await["fields"].clone();
        let own: Vec<(&Value, &Value)> = fields.as_array().unwrap().iter().map(|one| (&one["field"], &one["own"])).collect();
        assert!(own.contains(&(&json!("GUIDE_ID"), &json!(true))), "{fields}");
        apply(app, &manager, &source, &run, json!({"filter": {"change": "CHANGED"}, "replaceEdited": true})).await;
        let stored = channels(&manager).await[0].clone();
        assert_eq!((&stored["epgId"], &stored["tvGuideId"]), (&json!("siete"), &json!(guide_id)), "it was decided");
        assert_eq!(stored["url"], "http://h.example/7.m3u8?token=b");
    }

    #[smoke]
    async fn an_epg_id_of_a_channel_with_another_name_is_shown_and_not_applied(app: &TestApp) {
        let server = ListServer::start(LIST);
        let manager = app.manager().await;
        let source = source(&manager, json!({"url": server.url, "refreshHours": 1})).await;
        let run = read(app, &manager, &source, LIST, "").await;
        apply(app, &manager, &source, &run, json!({"filter": {"radio": false}})).await;
        let siete = channels(&manager).await[0]["id"].clone();
        let guide = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        let guide_id = json!(id_of(&guide));
        upload(app, &manager, &guide, file(&[("siete", "Siete"), ("ocho", "Canal Ocho"), ("c7", "Canal Siete")])).await;
        app.match_channels().await;
        assert_eq!(one(&manager, &siete).await["decision"], "LINKED");
        assert_eq!(link(&channel(&manager, &siete).await), (guide_id.clone(), json!("siete")));

        let with_id = |id: &str, token: &str| {
            let list = LIST.replace("tvg-id=\"siete\"", &format!("tvg-id=\"{id}\""));
            list.replace("token=a", &format!("token={token}"))
        };
        for (id, token, kept) in [("ocho", "b", "siete"), ("c7", "c", "c7"), ("ocho", "d", "c7")] {
            server.answer(&with_id(id, token));
            after_an_hour(app).await;
            let manager = app.manager().await;
            let stored = channel(&manager, &siete).await;
            assert_eq!(link(&stored), (guide_id.clone(), json!(kept)), "{id}");
            assert_eq!(stored["url"], format!("http://h.example/7.m3u8?token={token}"), "other fields are applied");
            let run = last_run(&manager, &source).await;
            let fields = entry(&manager, &source, &run, "siete").await["fields"].clone();
            let shown = if id == kept { json!([]) } else { json!([{"field": "GUIDE_ID", "before": kept, "after": id, "own": true}]) };
            assert_eq!(fields, shown);
        }
        let manager = app.manager().await;
        let run = last_run(&manager, &source).await;
        apply(app, &manager, &source, &run, json!({"filter": {"change": "CHANGED"}, "replaceEdited": true})).await;
        assert_eq!(link(&channel(&manager, &siete).await), (guide_id, json!("c7")), "also where a user applies all");
    }

    #[smoke]
    async fn an_epg_id_of_a_refused_candidate_is_not_applied(app: &TestApp) {
        let server = ListServer::start(LIST);
        let manager = app.manager().await;
        let first = source(&manager, json!({"url": server.url, "refreshHours": 1})).await;
        let run = read(app, &manager, &first, LIST, "").await;
        apply(app, &manager, &first, &run, json!({"filter": {"radio": false}})).await;
        let nueve = channels(&manager).await[2]["id"].clone();
        let guide = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        let guide_id = json!(id_of(&guide));
        upload(app, &manager, &guide, file(&[("n9", "Nueve Cine"), ("farola", "Farola")])).await;
        let path = format!("/api/tv-channels/{nueve}");
        assert_eq!(manager.patch(&path).json(&json!({"tvGuideId": guide_id})).send().await.status, 200);
        app.match_channels().await;
        let row = one(&manager, &nueve).await;
        assert_eq!((&row["level"], &row["candidates"][0]["xmlId"]), (&json!("REVIEW"), &json!("n9")), "{row}");
        decide(&manager, &nueve, json!({"verdict": "REFUSED"})).await;
        let refused = (guide_id, Value::Null);
        assert_eq!(link(&channel(&manager, &nueve).await), refused);

        server.answer(&LIST.replace("#EXTINF:-1,Nueve", "#EXTINF:-1 tvg-id=\"n9\",Nueve"));
        after_an_hour(app).await;
        let manager = app.manager().await;
        assert_eq!(link(&channel(&manager, &nueve).await), refused);
        let run = last_run(&manager, &first).await;
        let fields = entry(&manager, &first, &run, "nueve").await["fields"].clone();
        assert_eq!(fields, json!([{"field": "GUIDE_ID", "before": "", "after": "n9", "own": true}]));

        let second = source(&manager, json!({"title": "Otra"})).await;
        let number = channel(&manager, &nueve).await["channelNumber"].clone();
        let list = format!("#EXTM3U\n#EXTINF:-1 tvg-id=\"n9\" tvg-chno=\"{number}\",Nueve\nhttp://b.example/9.m3u8\n");
        let run = read(app, &manager, &second, &list, "").await;
        apply(app, &manager, &second, &run, json!({"filter": {}})).await;
        let stored = channel(&manager, &nueve).await;
        assert_eq!((link(&stored), &stored["url"]), (refused, &json!("http://b.example/9.m3u8")), "also out of another list");
    }

    async fn the_value_of_the_list_is_shown_until_a_user_decides_and_can_replace_the_users(app: &TestApp) {
        let server = ListServer::start(LIST);
        let manager = app.manager().await;
        let source = source(&manager, json!({"url": server.url, "refreshHours": 1})).await;
        let run = read(app, &manager, &source, LIST, "").await;
        apply(app, &manager, &source, &run, json!({"filter": {"radio": false}})).await;
        let before = channels(&manager).await;
        let eight = format!("/api/tv-channels/{}", before[1]["id"]);
        assert_eq!(manager.patch(&eight).json(&json!({"title": "Mi ocho"})).send().await.status, 200);
        let other = LIST.replace(",Ocho", ",Ocho HD").replace("/8.m3u8", "/8.m3u8?token=c");
        server.answer(&other);
        for _ in 0..2 {
            app.clock.forward(TimeDelta::minutes(61));
            app.read_playlists().await;
            app.run_operations().await;
            let stored = channels(&manager).await;
            assert_eq!((&stored[1]["title"], &stored[1]["url"]), (&json!("Mi ocho"), &json!("http://h.example/8.m3u8?token=c")));
            let run = last_run(&manager, &source).await;
            let found = changes(&manager, &source, &run, "change=CHANGED").await;
            let fields = json!([{"field": "NAME", "before": "Ocho", "after": "Ocho HD", "own": true}]);
            assert_eq!((found.len(), &found[0]["fields"]), (1, &fields), "{found:?}");
        }
        let run = last_run(&manager, &source).await;
        assert_eq!(run["operations"], json!([]), "nothing is left for the source to apply");
        let changed = json!({"filter": {"change": "CHANGED"}, "replaceEdited": true});
        let ended = apply(app, &manager, &source, &run, changed).await;
        assert_eq!(ended[0]["counts"]["changed"], 1, "{ended:?}");
        assert_eq!(channels(&manager).await[1]["title"], "Ocho HD");
        assert!(changes(&manager, &source, &run, "change=CHANGED").await.is_empty());
    }

    #[smoke]
    async fn a_new_name_waits_for_a_user_unless_the_source_applies_everything(app: &TestApp) {
        let server = ListServer::start(LIST);
        let manager = app.manager().await;
        let source = source(&manager, json!({"url": server.url, "refreshHours": 1})).await;
        let run = read(app, &manager, &source, LIST, "").await;
        apply(app, &manager, &source, &run, json!({"filter": {"search": "siete"}})).await;
        let channel = channels(&manager).await[0]["id"].clone();
        let nueve = entry(&manager, &source, &run, "nueve").await["id"].clone();
        let added = manager.post(&format!("{source}/entries/{nueve}/stream")).json(&json!({"channelId": channel})).send().await;
        assert_eq!(added.status, 202, "{}", added.text());
        app.run_operations().await;
        let renamed = LIST.replace("token=a", "token=b").replace(",Siete", ",Siete HD");
        server.answer(&renamed.replace(",Nueve", ",Nueve HD").replace("/9.m3u8", "/9.m3u8?token=b"));
        let streams = async || {
            let path = format!("/api/tv-channels/{channel}/streams");
            let streams = app.manager().await.get(&path).send().await.json()["streams"].clone();
            let shown = |stream: &Value| format!("{} {}", stream["label"].as_str().unwrap_or("-"), stream["url"].as_str().unwrap());
            streams.as_array().unwrap().iter().map(shown).collect::<Vec<_>>()
        };
        let first = streams().await[0].split_once(' ').unwrap().0.to_owned();
        for (automatic, title, label) in [(None, "Siete", "Nueve"), (None, "Siete", "Nueve"), (Some("ALL"), "Siete HD", "Nueve HD")] {
            let manager = app.manager().await;
            if let Some(automatic) = automatic {
                let changed = manager.patch(&source).json(&json!({"automatic": automatic})).send().await;
                assert_eq!(changed.status, 200, "{}", changed.text());
            }
            assert_eq!(after_an_hour(app).await[0], title);
            let expected = [format!("{first} http://h.example/7.m3u8?token=b"), format!("{label} http://h.example/9.m3u8?token=b")];
            assert_eq!(streams().await, expected, "addresses follow");
            let manager = app.manager().await;
            let run = last_run(&manager, &source).await;
            assert_eq!(run["applyFault"], Value::Null, "{run}");
            let waiting = changes(&manager, &source, &run, "change=CHANGED").await;
            let names: Vec<&Value> = waiting.iter().map(|one| &one["fields"]).collect();
            let name = |before: &str| json!([{"field": "NAME", "before": before, "after": format!("{before} HD"), "own": false}]);
            let expected = if automatic.is_none() { vec![name("Siete"), name("Nueve")] } else { Vec::new() };
            assert_eq!(names, expected.iter().collect::<Vec<_>>(), "what waits is shown");
        }
    }

    async fn several_entries_become_streams_of_channels_by_one_operation_or_none_does(app: &TestApp) {
        let server = ListServer::start(LIST);
        let manager = app.manager().await;
        let source = source(&manager, json!({"url": server.url})).await;
        let run = read(app, &manager, &source, LIST, "").await;
        apply(app, &manager, &source, &run, json!({"filter": {"search": "siete"}})).await;
        let channel = channels(&manager).await[0]["id"].clone();
        let id = async |name: &str| entry(&manager, &source, &run, name).await["id"].clone();
        let (ocho, nueve, mar) = (id("ocho").await, id("nueve").await, id("mar").await);
        let add = async |streams: &[(&Value, &Value)]| {
            let one = |(entry, channel): &(&Value, &Value)| json!({"entryId": entry, "channelId": channel});
            let streams: Vec<Value> = streams.iter().map(one).collect();
            manager.post(&format!("{source}/streams")).json(&json!({"streams": streams})).send().await
        };
        let streams = async || {
            let path = format!("/api/tv-channels/{channel}/streams");
            let streams = manager.get(&path).send().await.json()["streams"].clone();
            streams.as_array().unwrap().iter().map(|one| one["url"].clone()).collect::<Vec<_>>()
        };
        let refused = async |streams: &[(&Value, &Value)]| {
            let refused = add(streams).await;
            assert_eq!(refused.status, 422, "{}", refused.text());
            let errors = refused.json()["errors"].clone();
            let place = |one: &Value| format!("{} {}", one["field"].as_str().unwrap(), one["code"].as_str().unwrap());
            errors.as_array().unwrap().iter().map(place).collect::<Vec<_>>()
        };
        assert_eq!(
            refused(&[(&ocho, &channel), (&mar, &channel), (&nueve, &json!(999)), (&ocho, &channel)]).await,
            ["streams[1].entryId CHANGED_SINCE", "streams[2].channelId UNKNOWN_REFERENCE", "streams[3].entryId DUPLICATE"]
        );
        assert_eq!(add(&[]).await.status, 422);
        assert_eq!(streams().await.len(), 1, "nothing was begun");

        // The channel has all streams but one that it may have.
        let path = format!("/api/tv-channels/{channel}/streams");
        let own = manager.get(&path).send().await.json()["streams"][0].clone();
        let further = |at: usize| json!({"urlType": "EXTERNAL", "url": format!("https://f.example/{at}.m3u8")});
        let replace = async |count: usize| {
            let streams: Vec<Value> = std::iter::once(own.clone()).chain((1..count).map(further)).collect();
            let saved = manager.put(&path).json(&json!({"failover": "MANUAL", "streams": streams})).send().await;
            assert_eq!(saved.status, 200, "{}", saved.text());
        };
        replace(19).await;
        assert_eq!(refused(&[(&nueve, &channel), (&ocho, &channel)]).await, ["streams[1].channelId TOO_MANY"]);
        replace(1).await;

        let added = add(&[(&nueve, &channel), (&ocho, &channel)]).await;
        assert_eq!(added.status, 202, "{}", added.text());
        app.run_operations().await;
        let operations = added.json()["operations"].clone();
        let done = manager.get(&format!("/api/operations/{}", operations[0]["id"])).send().await.json();
        assert_eq!((operations.as_array().unwrap().len(), &done["counts"]["changed"]), (1, &json!(1)), "{done}");
        let expected = ["http://h.example/7.m3u8?token=a", "http://h.example/9.m3u8", "http://h.example/8.m3u8"];
        assert_eq!(streams().await, expected);
        for name in ["ocho", "nueve"] {
            assert_eq!(entry(&manager, &source, &run, &format!("{name}&change=UNCHANGED")).await["streamOf"], channel);
        }
    }

    async fn a_refresh_makes_no_channel_of_a_stream_that_got_another_address_by_a_bulk_change(app: &TestApp) {
        let server = ListServer::start(LIST);
        let manager = app.manager().await;
        let source = source(&manager, json!({"url": server.url, "refreshHours": 1, "automatic": "ALL"})).await;
        let run = read(app, &manager, &source, LIST, "").await;
        apply(app, &manager, &source, &run, json!({"filter": {"search": "siete"}})).await;
        let channel = channels(&manager).await[0]["id"].clone();
        let nueve = entry(&manager, &source, &run, "nueve").await["id"].clone();
        let added = manager.post(&format!("{source}/entries/{nueve}/stream")).json(&json!({"channelId": channel})).send().await;
        assert_eq!(added.status, 202, "{}", added.text());
        app.run_operations().await;
        let replace = json!({"type": "REPLACE", "fields": ["streams"], "find": "h.example/9", "replacement": "n.example/9"});
        let change = json!({"resource": "tv-channels", "ids": [channel], "action": replace});
        let begun = manager.post("/api/operations").json(&change).send().await;
        assert_eq!(begun.status, 202, "{}", begun.text());
        app.run_operations().await;
        let second = async || {
            let path = format!("/api/tv-channels/{channel}/streams");
            let second = app.manager().await.get(&path).send().await.json()["streams"][1].clone();
            ["url", "origin"].map(|name| second[name].as_str().unwrap_or_default().to_owned())
        };
        assert_eq!(second().await, ["http://n.example/9.m3u8", "PLAYLIST"]);
        assert_eq!(after_an_hour(app).await, ["Siete", "Ocho"]);
        let manager = app.manager().await;
        let undone = manager.post(&format!("/api/operations/{}/undo", begun.json()["id"])).send().await;
        assert_eq!(undone.status, 202, "{}", undone.text());
        app.run_operations().await;
        assert_eq!(after_an_hour(app).await, ["Siete", "Ocho"]);
        assert_eq!(second().await, ["http://h.example/9.m3u8", "PLAYLIST"]);
        // It follows its entry still.
        server.answer(&LIST.replace("/9.m3u8", "/9.m3u8?token=b"));
        assert_eq!(after_an_hour(app).await, ["Siete", "Ocho"]);
        assert_eq!(second().await[0], "http://h.example/9.m3u8?token=b");
    }

    #[smoke]
    async fn an_internal_channel_gets_the_url_of_its_list_by_a_users_decision(app: &TestApp) {
        let manager = app.manager().await;
        let source = source(&manager, json!({})).await;
        let run = read(app, &manager, &source, LIST, "").await;
        apply(app, &manager, &source, &run, json!({"filter": {"search": "siete"}})).await;
        let one = format!("/api/tv-channels/{}", channels(&manager).await[0]["id"]);
        let internal = json!({"urlType": "INTERNAL", "url": "42"});
        assert_eq!(manager.patch(&one).json(&internal).send().await.status, 200);
        for (token, replace, expected) in [("b", false, ["INTERNAL", "42"]), ("c", true, ["EXTERNAL", "http://h.example/7.m3u8?token=c"])] {
            let run = read(app, &manager, &source, &LIST.replace("token=a", &format!("token={token}")), "").await;
            let body = json!({"filter": {"change": "CHANGED"}, "replaceEdited": replace});
            let ended = apply(app, &manager, &source, &run, body).await;
            assert_eq!(ended[0]["counts"]["refused"], 0, "{ended:?}");
            let channel = manager.get(&one).send().await.json();
            assert_eq!([&channel["urlType"], &channel["url"]], expected);
            assert!(changes(&manager, &source, &run, "change=CHANGED").await.is_empty());
        }
    }

    async fn a_refresh_without_a_permitted_user_is_reported(app: &TestApp) {
        let server = ListServer::start(LIST);
        let manager = app.manager().await;
        let source = source(&manager, json!({"url": server.url, "refreshHours": 1, "automatic": "ALL"})).await;
        // The last editor gets another role, and is inactive later.
        for change in [json!({"roleCode": "agent"}), json!({"roleCode": "contentManager", "status": "INACTIVE"})] {
            let boss = app.sign_in_as(RoleCode::Superadmin).await;
            let mut change = change;
            change["email"] = json!("gestor@example.com");
            change["phoneNumber"] = json!("600 123 456");
            let changed = boss.patch("/api/users/contentManager").json(&change).send().await;
            assert_eq!(changed.status, 200, "{}", changed.text());
            app.clock.forward(TimeDelta::minutes(61));
            app.read_playlists().await;
            let boss = app.sign_in_as(RoleCode::Superadmin).await;
            let run = last_run(&boss, &source).await;
            assert_eq!((&run["state"], &run["applyFault"]), (&json!("FINISHED"), &json!("NOT_ALLOWED")), "{run}");
            assert_eq!(channels(&boss).await, Vec::<Value>::new());
        }
    }
}
