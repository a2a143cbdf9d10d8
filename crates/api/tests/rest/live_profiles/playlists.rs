//! Playlists of profiles: their channels, streams and tags, and the import of a published one.

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use super::{LIST, address, category, channel, entries, playlist, profile};
use crate::{
    app::{TestApp, on_both},
    playlists::{apply, channels, counts, read, source},
};

const CAME_IN: &str = "#EXTM3U\n\
    #EXTINF:-1 tvg-id=\"siete\" tvg-chno=\"7\" tvg-logo=\"https://i.example/7.png\" catchup=\"default\" catchup-days=\"3\" \
    x-own=\"a, b\" group-title=\"España;Cine\",Siete, el canal\n\
    #EXTVLCOPT:http-user-agent=Mozilla/5.0\n\
    #KODIPROP:inputstream=adaptive\n\
    http://h.example/7.m3u8|User-Agent=x&Referer=http://r.example/\n\
    #EXTINF:0 tvg-chno=\"8\" group-title=\"Cine\",\"Ocho\" = 8\nhttp://h.example/8.m3u8\n\
    #EXTINF:-1,Nueve\nhttp://h.example/9.m3u8\n";

on_both! {
    #[smoke]
    async fn channels_of_groups_for_adults_are_only_in_profiles_with_them(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let source = source(&admin, json!({})).await;
        let list = "#EXTM3U\n\
            #EXTINF:-1 tvg-chno=\"1\" group-title=\"XXX / Adultos\",Uno\nhttp://h.example/1.ts\n\
            #EXTINF:-1 tvg-chno=\"2\" group-title=\"Noche\",Dos\nhttp://h.example/2.ts\n\
            #EXTINF:-1 tvg-chno=\"3\" group-title=\"Adult Swim\",Tres\nhttp://h.example/3.ts\n\
            #EXTINF:-1 tvg-chno=\"4\" group-title=\"Cine\",Cuatro\nhttp://h.example/4.ts\n";
        let run = read(app, &admin, &source, list, "").await;
        let groups = json!({"categories": [{"group": "Noche", "adult": true}, {"group": "Adult Swim", "adult": false}]});
        let saved = admin.patch(&source).json(&groups).send().await;
        assert_eq!(saved.status, 200, "{}", saved.text());
        assert_eq!(saved.json()["categories"], groups["categories"]);
        let groups = admin.get(&format!("{source}/groups")).send().await.json();
        let adult = |one: &Value| (one["group"].clone(), one["adult"].clone(), one["adultSuggestion"].clone());
        let adults: Vec<(Value, Value, Value)> = groups.as_array().unwrap().iter().map(adult).collect();
        assert_eq!(adults, [
            (json!("Adult Swim"), json!(false), json!(true)),
            (json!("Cine"), Value::Null, json!(false)),
            (json!("Noche"), json!(true), json!(false)),
            (json!("XXX / Adultos"), Value::Null, json!(true)),
        ]);
        apply(app, &admin, &source, &run, json!({"filter": {"change": "NEW"}})).await;
        let names = |list: &str| -> Vec<String> {
            let names = list.lines().filter(|line| line.starts_with("#EXTINF"));
            names.map(|line| line.rsplit(',').next().unwrap().to_owned()).collect()
        };
        let made = profile(&admin, json!({})).await;
        assert_eq!(names(&playlist(app, &made).await.text()), ["Tres", "Cuatro"]);
        let all = profile(&admin, json!({"name": "Todo", "adultContent": true})).await;
        assert_eq!(names(&playlist(app, &all).await.text()), ["Uno", "Dos", "Tres", "Cuatro"]);

        // A later change of the entry keeps what a user has decided for the channel.
        let uno = channels(&admin).await[0].clone();
        let path = format!("/api/tv-channels/{}", uno["id"]);
        let changed = admin.patch(&path).json(&json!({"adultContent": false})).send().await;
        assert_eq!(changed.status, 200, "{}", changed.text());
        let run = read(app, &admin, &source, &list.replace("/1.ts", "/uno.ts"), "").await;
        apply(app, &admin, &source, &run, json!({"filter": {"change": "CHANGED"}})).await;
        let uno = channels(&admin).await[0].clone();
        assert_eq!((&uno["url"], &uno["adultContent"]), (&json!("http://h.example/uno.ts"), &json!(false)));
    }

    async fn importing_a_published_playlist_changes_nothing(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let first = source(&admin, json!({})).await;
        let run = read(app, &admin, &first, CAME_IN, "").await;
        apply(app, &admin, &first, &run, json!({"filter": {"change": "NEW"}})).await;
        let made = profile(&admin, json!({})).await;
        let out = playlist(app, &made).await;
        assert_eq!(out.status, 200, "{}", out.text());
        assert_eq!(out.header("content-type"), Some("audio/x-mpegurl"));
        let expected = CAME_IN.replace("#EXTINF:-1,Nueve", "#EXTINF:-1 tvg-chno=\"500\",Nueve");
        assert_eq!(entries(&out.text()), entries(&expected), "tags are as they came in, the number is the channel's");

        // An empty installation, without the former source.
        admin.delete(&first).send().await;
        app.run("DELETE FROM tv_channels").await;
        assert_eq!(playlist(app, &made).await.text().lines().count(), 1, "the header alone");
        let second = source(&admin, json!({"title": "Otra"})).await;
        let run = read(app, &admin, &second, &out.text(), "").await;
        assert_eq!(counts(&run), [3, 0, 0, 0, 0, 0]);
        apply(app, &admin, &second, &run, json!({"filter": {"change": "NEW"}})).await;
        let again = playlist(app, &made).await.text();
        assert_eq!(again, out.text());
        let run = read(app, &admin, &second, &again, "").await;
        assert_eq!(counts(&run), [0, 0, 3, 0, 0, 0], "the same installation");

        let tag = playlist(app, &made).await.header("etag").unwrap().to_owned();
        let changed = again.replace("catchup-days=\"3\"", "catchup-days=\"5\"");
        let run = read(app, &admin, &second, &changed, "").await;
        assert_eq!(playlist(app, &made).await.text(), again, "nothing changes by reading");
        apply(app, &admin, &second, &run, json!({"filter": {"change": "CHANGED"}})).await;
        let answer = app.anonymous().get(&address(&made)).header("if-none-match", &tag).send().await;
        assert_eq!((answer.status, answer.text()), (200, changed), "a tag that no channel has");
    }

    async fn saving_streams_keeps_the_headers_of_a_playlist(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let first = source(&admin, json!({})).await;
        let list = "#EXTM3U\n#EXTINF:-1 tvg-chno=\"7\" http-cookie=\"abc\" group-title=\"Cine\",Siete\n\
            #EXTVLCOPT:http-user-agent=VLC\nhttp://h.example/7.ts\n";
        let run = read(app, &admin, &first, list, "").await;
        apply(app, &admin, &first, &run, json!({"filter": {"change": "NEW"}})).await;
        let made = profile(&admin, json!({})).await;
        assert_eq!(entries(&playlist(app, &made).await.text()), entries(list));
        let id = admin.get("/api/tv-channels").send().await.json()["content"][0]["id"].clone();
        let path = format!("/api/tv-channels/{id}/streams");
        let own = admin.get(&path).send().await.json()["streams"][0].clone();
        assert_eq!(own["headers"].as_array().unwrap().len(), 2, "{own}");
        let spare = json!({"urlType": "EXTERNAL", "url": "https://b.example/7.ts"});
        let saved = admin.put(&path).json(&json!({"failover": "MANUAL", "streams": [own, spare]})).send().await;
        assert_eq!(saved.status, 200, "{}", saved.text());
        assert_eq!(entries(&playlist(app, &made).await.text()), entries(list));
    }

    #[smoke]
    async fn a_playlist_has_the_channels_of_its_profile(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let (films, news) = (category(&admin, "Cine").await, category(&admin, "Noticias").await);
        channel(&admin, &films, 3, json!({"title": "Árbol"})).await;
        channel(&admin, &news, 1, json!({"title": "Zeta", "urlType": "INTERNAL", "url": "42"})).await;
        channel(&admin, &news, 2, json!({"adultContent": true})).await;
        channel(&admin, &films, 4, json!({"active": false})).await;
        let names = async |changes: Value| {
            let made = profile(&admin, changes).await;
            let text = playlist(app, &made).await.text();
            let line = |line: &str| Some(line.strip_prefix("#EXTINF:-1")?.trim_start().to_owned());
            text.lines().filter_map(line).collect::<Vec<String>>()
        };
        let (tree, zeta, two) = (
            r#"tvg-chno="3" group-title="Cine",Árbol"#,
            r#"tvg-chno="1" group-title="Noticias",Zeta"#,
            r#"tvg-chno="2" group-title="Noticias",Canal 2"#,
        );
        assert_eq!(names(json!({})).await, [tree], "an internal channel without a base URL can't be opened");
        let base = json!({"baseUrl": "https://tv.example/live"});
        assert_eq!(admin.put("/api/channels-base-url").json(&base).send().await.status, 200);
        for (changes, expected) in [
            (json!({}), vec![zeta, tree]),
            (json!({"order": "TITLE"}), vec![tree, zeta]),
            (json!({"adultContent": true}), vec![zeta, two, tree]),
            (json!({"categories": [films]}), vec![tree]),
            (json!({"categories": [films, news]}), vec![zeta, tree]),
            (
                json!({"order": "TITLE", "numbering": "CONSECUTIVE"}),
                vec![r#"tvg-chno="1" group-title="Cine",Árbol"#, r#"tvg-chno="2" group-title="Noticias",Zeta"#],
            ),
            (
                json!({"numbering": "NONE"}),
                vec![r#"group-title="Noticias",Zeta"#, r#"group-title="Cine",Árbol"#],
            ),
        ] {
            assert_eq!(names(changes.clone()).await, expected, "{changes}");
        }
        let made = profile(&admin, json!({"categories": [news]})).await;
        assert!(playlist(app, &made).await.text().ends_with("\nhttps://tv.example/live/42\n"));
    }

    async fn a_channel_with_several_streams_is_published_with_the_one_that_is_not_down(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let films = category(&admin, "Cine").await;
        let mut second = Value::Null;
        for number in 1..=3 {
            let made = channel(&admin, &films, number, json!({})).await;
            if number == 2 {
                second = made["id"].clone();
            }
        }
        let spare = json!({
            "urlType": "EXTERNAL", "url": "https://b.example/2.m3u8", "headers": [{"name": "User-Agent", "value": "VLC"}],
        });
        let own = json!({"urlType": "EXTERNAL", "url": "https://h.example/2.m3u8"});
        let streams = json!({"failover": "AUTO", "streams": [own, spare]});
        let put = admin.put(&format!("/api/tv-channels/{second}/streams")).json(&streams).send().await;
        assert_eq!(put.status, 200, "{}", put.text());
        let made = profile(&admin, json!({})).await;
        let whole = |second: &str| {
            let entry = |number: u32, address: &str| {
                format!("#EXTINF:-1 tvg-chno=\"{number}\" group-title=\"Cine\",Canal {number}\n{address}\n")
            };
            [entry(1, "https://h.example/1.m3u8"), entry(2, second), entry(3, "https://h.example/3.m3u8")].concat()
        };
        assert_eq!(entries(&playlist(app, &made).await.text()), whole("https://h.example/2.m3u8"));
        app.links.take_all_over().await.unwrap();
        app.run("UPDATE links SET state = 'DOWN' WHERE address = 'https://h.example/2.m3u8'").await;
        assert_eq!(entries(&playlist(app, &made).await.text()), whole("https://b.example/2.m3u8|User-Agent=VLC"));
    }

    #[smoke]
    async fn a_playlist_of_many_channels_is_read_in_slices(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let first = source(&admin, json!({})).await;
        // Four channels of each number and of each name: slices end among equal ones.
        let entry = |n: u32| format!("#EXTINF:-1 tvg-chno=\"{}\",Canal {}\nhttp://h.example/{n}.m3u8\n", n / 4, n % 250);
        let list = format!("#EXTM3U\n{}", (0..990).map(entry).collect::<String>());
        let run = read(app, &admin, &first, &list, "").await;
        apply(app, &admin, &first, &run, json!({"filter": {"change": "NEW"}})).await;
        for order in ["NUMBER", "TITLE"] {
            let made = profile(&admin, json!({"order": order})).await;
            let text = playlist(app, &made).await.text();
            let mut addresses: Vec<&str> = text.lines().filter(|line| line.starts_with("http")).collect();
            assert_eq!(addresses.len(), 990, "{order}");
            addresses.sort_unstable();
            addresses.dedup();
            assert_eq!(addresses.len(), 990, "{order}: each once");
        }
        let made = profile(&admin, json!({"numbering": "CONSECUTIVE"})).await;
        let text = playlist(app, &made).await.text();
        let number = |line: &str| line.split_once("tvg-chno=\"")?.1.split_once('"')?.0.parse::<usize>().ok();
        let numbers: Vec<usize> = text.lines().filter_map(number).collect();
        assert!(numbers.iter().copied().eq(1..=990), "consecutive from slice to slice: {numbers:?}");
    }

    async fn a_playlist_that_has_not_changed_is_not_sent_again(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let films = category(&admin, "Cine").await;
        let stored = channel(&admin, &films, 3, json!({})).await;
        let made = profile(&admin, json!({})).await;
        let mut tag = playlist(app, &made).await.header("etag").unwrap().to_owned();
        let read_if_changed = async |tag: &str| {
            app.anonymous().get(&address(&made)).header("if-none-match", tag).send().await
        };
        let same = read_if_changed(&tag).await;
        assert_eq!((same.status, same.body.len(), same.header("etag")), (304, 0, Some(tag.as_str())));
        assert_eq!(read_if_changed(&format!("\"x\", {tag}")).await.status, 304);
        assert_eq!(read_if_changed("\"x\"").await.status, 200);
        let channel_path = format!("/api/tv-channels/{}", stored["id"]);
        let steps: [(&str, String, Value); 4] = [
            ("PATCH", channel_path, json!({"title": "Otro"})),
            ("PUT", "/api/channels-base-url".into(), json!({"baseUrl": "https://tv.example/"})),
            ("PATCH", format!("/api/categories/{films}"), json!({"description": "Películas"})),
            ("PUT", format!("{LIST}/{}", made["id"]), json!({"name": "Otra", "keyId": made["keyId"], "numbering": "NONE"})),
        ];
        for (method, path, body) in steps {
            let changed = admin.request(method.parse().unwrap(), &path).json(&body).send().await;
            assert_eq!(changed.status, 200, "{path}: {}", changed.text());
            let answer = read_if_changed(&tag).await;
            assert_eq!(answer.status, 200, "{path}");
            answer.header("etag").unwrap().clone_into(&mut tag);
        }
        app.run("UPDATE playlist_entries SET applied_version = applied_version + 1").await;
        assert_eq!(read_if_changed(&tag).await.status, 304, "no entry was applied to the channel");

        // A stream that is down at its former URL is sent to players; one that is down at its
        // current URL is replaced by the next.
        let streams = json!({"failover": "AUTO", "streams": [
            {"urlType": "EXTERNAL", "url": "https://a.example/1.m3u8"}, {"urlType": "EXTERNAL", "url": "https://b.example/2.m3u8"},
        ]});
        let put = admin.put(&format!("/api/tv-channels/{}/streams", stored["id"])).json(&streams).send().await;
        assert_eq!(put.status, 200, "{}", put.text());
        app.links.take_all_over().await.unwrap();
        app.run("UPDATE links SET state = 'DOWN', address = 'https://former.example/1.m3u8' WHERE stream = 1").await;
        let former = playlist(app, &made).await.header("etag").unwrap().to_owned();
        app.run("UPDATE links SET address = 'https://a.example/1.m3u8' WHERE state = 'DOWN'").await;
        let present = read_if_changed(&former).await;
        assert_eq!(present.status, 200);
        assert!(present.text().contains("https://b.example/2.m3u8"), "{}", present.text());
    }
}
