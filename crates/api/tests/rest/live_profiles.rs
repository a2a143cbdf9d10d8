//! Profiles: creation, secret, playlist, limits and revocation; and the import of a published
//! playlist.

use adapter_live::guide::{GuideOptions, read_guide};
use chrono::TimeDelta;
use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{PUBLIC_ORIGIN, TestApp, on_both},
    client::{Answer, Client},
    guides::{guide, stored, upload},
    playlists::{apply, changes, channels, counts, read, source},
};

const LIST: &str = "/api/live-profiles";

/// A profile for a key of its own.
async fn profile(admin: &Client<'_>, changes: Value) -> Value {
    let key = json!({"name": "TV", "scopes": ["CATALOGUE_READ"]});
    let key = admin.create("integrator-keys", &key).await["id"].clone();
    let mut draft = json!({"name": "Salón", "keyId": key});
    for (name, value) in changes.as_object().unwrap() {
        draft[name] = value.clone();
    }
    admin.create("live-profiles", &draft).await
}

fn address(made: &Value) -> String {
    format!("/api/live/{}/playlist.m3u", made["secret"].as_str().unwrap())
}

async fn playlist(app: &TestApp, made: &Value) -> Answer {
    app.anonymous().get(&address(made)).send().await
}

/// A playlist without its first line, which has the URL of the guide.
fn entries(playlist: &str) -> &str {
    playlist.split_once('\n').unwrap().1
}

/// A published guide: the IDs of its channels, and their programmes.
fn read_guide_of(answer: &Answer) -> (Vec<String>, Vec<(String, String)>) {
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/gzip")));
    let mut programmes = Vec::new();
    let report = read_guide(answer.body.as_slice(), GuideOptions::default(), |programme| {
        programmes.push((programme.channel, programme.titles[0].text.clone()));
    });
    assert_eq!((report.stopped, report.left_out.len(), report.undeclared.len()), (None, 0, 0));
    (report.channels.into_iter().map(|channel| channel.id).collect(), programmes)
}

async fn category(admin: &Client<'_>, name: &str) -> Value {
    let category = json!({"description": name, "englishDescription": name, "type": "TV_CHANNEL"});
    admin.create("categories", &category).await["id"].clone()
}

async fn channel(admin: &Client<'_>, category: &Value, number: i64, changes: Value) -> Value {
    let mut draft = json!({
        "channelNumber": number, "title": format!("Canal {number}"), "categories": [category],
        "urlType": "EXTERNAL", "url": format!("https://h.example/{number}.m3u8"),
    });
    for (name, value) in changes.as_object().unwrap() {
        draft[name] = value.clone();
    }
    admin.create("tv-channels", &draft).await
}

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

    async fn a_shift_of_a_playlist_moves_programmes_everywhere(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let xmltv = stored(&admin, "http://g.example/1").await;
        upload(app, &admin, &xmltv, guide("siete", 20, 10, &["Noticias", "Cine"])).await;
        let list = "#EXTM3U\n#EXTINF:-1 tvg-id=\"siete\" tvg-chno=\"1\",Siete\nhttp://h.example/1.m3u8\n\
            #EXTINF:-1 tvg-id=\"siete\" tvg-chno=\"2\" tvg-shift=\"+1\",Siete +1\nhttp://h.example/2.m3u8\n";
        let one = source(&admin, json!({})).await;
        let run = read(app, &admin, &one, list, "").await;
        apply(app, &admin, &one, &run, json!({"filter": {"change": "NEW"}})).await;
        let made = profile(&admin, json!({})).await;
        assert_eq!(entries(&playlist(app, &made).await.text()), entries(list), "players shift what no guide of ours has");

        let id: i64 = xmltv.rsplit('/').next().unwrap().parse().unwrap();
        let channels = admin.get("/api/tv-channels?_sort=channelNumber").send().await.json();
        let paths: Vec<String> = [0, 1].map(|index| format!("/api/tv-channels/{}", channels["content"][index]["id"])).into();
        for path in &paths {
            let linked = admin.patch(path).json(&json!({"tvGuideId": id})).send().await;
            assert_eq!(linked.status, 200, "{}", linked.text());
        }
        let answer = admin.get("/api/schedule?from=2026-11-20T09:00:00Z&to=2026-11-20T13:00:00Z").send().await.json();
        let starts = |index: usize| answer["content"][index]["programmes"].as_array().unwrap().iter().map(|one| one["start"].clone()).collect::<Vec<_>>();
        assert_eq!(starts(0), ["2026-11-20T10:00:00.000Z", "2026-11-20T11:00:00.000Z"]);
        assert_eq!(starts(1), ["2026-11-20T11:00:00.000Z", "2026-11-20T12:00:00.000Z"]);
        let now = async |path: &str| admin.get(&format!("{path}/now-next")).send().await.json();
        assert_eq!(now(&paths[0]).await["now"]["title"], "Noticias");
        let later = now(&paths[1]).await;
        assert_eq!((&later["now"], &later["next"]["title"]), (&json!(null), &json!("Noticias")), "{later}");
        let health = admin.get("/api/guide-health").send().await.json();
        assert_eq!(health["guides"][0]["day"]["gaps"], 3, "before the later one, and behind both: {health}");

        let out = playlist(app, &made).await.text();
        assert_eq!(entries(&out), entries(list), "players shift what the guide has at its own times");
        let guide_path = address(&made).replace("playlist.m3u", "guide.xml.gz");
        let packed = app.anonymous().get(&guide_path).send().await;
        let (ids, programmes) = read_guide_of(&packed);
        assert_eq!(ids, ["siete"]);
        assert_eq!(programmes.len(), 2);
        let mut starts = Vec::new();
        read_guide(packed.body.as_slice(), GuideOptions::default(), |programme| starts.push((programme.channel, programme.start.timestamp() / 3_600 % 24)));
        let expected = [("siete", 10), ("siete", 11)];
        assert_eq!(starts, expected.map(|(channel, hour)| (channel.to_owned(), hour)));
    }

    #[smoke]
    async fn importing_published_shifted_channels_and_shared_ids_changes_nothing(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let guides = [stored(&admin, "http://g.example/1").await, stored(&admin, "http://g.example/2").await];
        upload(app, &admin, &guides[0], guide("siete", 20, 10, &["Noticias", "Cine"])).await;
        upload(app, &admin, &guides[1], guide("siete", 20, 12, &["Otra cosa"])).await;
        let entry = |number: u32, id: &str, shift: &str| {
            format!("#EXTINF:-1 tvg-id=\"{id}\" tvg-chno=\"{number}\"{shift},Canal {number}\nhttp://h.example/{number}.m3u8\n")
        };
        let list = |third: &str| {
            let shifted = entry(2, "siete", " tvg-shift=\"+1\"");
            format!("#EXTM3U\n{}{shifted}{}{}", entry(1, "siete", ""), entry(3, third, ""), entry(4, third, " tvg-shift=\"-1,5\""))
        };
        let one = source(&admin, json!({})).await;
        let run = read(app, &admin, &one, &list("siete"), "").await;
        apply(app, &admin, &one, &run, json!({"filter": {"change": "NEW"}})).await;
        let number = |guide: &str| guide.rsplit('/').next().unwrap().parse::<i64>().unwrap();
        // The guide of each channel, in the order of their numbers.
        let link = async |guides: [&String; 4]| {
            let channels = admin.get("/api/tv-channels?_sort=channelNumber").send().await.json();
            for (index, guide) in guides.into_iter().enumerate() {
                let path = format!("/api/tv-channels/{}", channels["content"][index]["id"]);
                let linked = admin.patch(&path).json(&json!({"tvGuideId": number(guide)})).send().await;
                assert_eq!(linked.status, 200, "{}", linked.text());
            }
        };
        let schedule = async || {
            let answer = admin.get("/api/schedule?from=2026-11-20T06:00:00Z&to=2026-11-20T20:00:00Z").send().await.json();
            let programme = |one: &Value| format!("{} {}", one["title"].as_str().unwrap(), one["start"].as_str().unwrap());
            let of = |channel: &Value| channel["programmes"].as_array().unwrap().iter().map(programme).collect::<Vec<_>>();
            answer["content"].as_array().unwrap().iter().map(of).collect::<Vec<_>>()
        };
        let [first, second] = &guides;
        link([first, first, second, second]).await;
        let shown = schedule().await;
        assert_eq!(shown[1][0], "Noticias 2026-11-20T11:00:00.000Z");
        assert_eq!(shown[3], ["Otra cosa 2026-11-20T10:30:00.000Z"]);

        let made = profile(&admin, json!({})).await;
        let out = playlist(app, &made).await.text();
        let other = format!("siete@{}", number(second));
        assert_eq!(entries(&out), entries(&list(&other)), "tags are as they came in, ids are those of the guide");
        let guide_path = address(&made).replace("playlist.m3u", "guide.xml.gz");
        let packed = app.anonymous().get(&guide_path).send().await;
        assert_eq!(read_guide_of(&packed).0, ["siete".to_owned(), other.clone()]);
        let run = read(app, &admin, &one, &out, "").await;
        assert_eq!(counts(&run), [0, 0, 4, 0, 0, 0], "the same installation");
        let run = read(app, &admin, &one, &out.replace("/3.m3u8", "/3.m3u8?token=b"), "").await;
        apply(app, &admin, &one, &run, json!({"filter": {"change": "CHANGED"}})).await;
        assert_eq!(schedule().await, shown, "another address, the same id");

        // An empty installation, with the playlist and its guide.
        admin.delete(&one).send().await;
        app.run("DELETE FROM tv_channels").await;
        let two = source(&admin, json!({"title": "Otra"})).await;
        let run = read(app, &admin, &two, &out, "").await;
        assert_eq!(counts(&run), [4, 0, 0, 0, 0, 0]);
        apply(app, &admin, &two, &run, json!({"filter": {"change": "NEW"}})).await;
        let third = stored(&admin, "http://g.example/3").await;
        let path = format!("{third}/upload?fileName=guia.xml.gz");
        let begun = admin.post(&path).body("application/octet-stream", packed.body.clone()).send().await;
        assert_eq!(begun.status, 202, "{}", begun.text());
        app.read_guides().await;
        assert_eq!(playlist(app, &made).await.text(), out, "without a guide");
        link([&third; 4]).await;
        assert_eq!(schedule().await, shown, "ids that fit, at the right times");
        assert_eq!(playlist(app, &made).await.text(), out);
        let run = read(app, &admin, &two, &out, "").await;
        assert_eq!(counts(&run), [0, 0, 4, 0, 0, 0]);
        assert_eq!(read_guide_of(&app.anonymous().get(&guide_path).send().await).0, ["siete".to_owned(), other]);
    }

    #[smoke]
    async fn a_guide_has_the_channels_of_the_playlist_and_their_programmes(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let (first, second) = (stored(&admin, "http://g.example/1").await, stored(&admin, "http://g.example/2").await);
        upload(app, &admin, &first, guide("siete", 20, 8, &["Ocho", "Nueve"])).await;
        upload(app, &admin, &second, guide("siete", 21, 1, &["Mañana"])).await;
        let id = |guide: &str| json!(guide.rsplit('/').next().unwrap().parse::<i64>().unwrap());
        let films = category(&admin, "Cine").await;
        let linked = |guide: &str, epg: &str| json!({"tvGuideId": id(guide), "epgId": epg});
        channel(&admin, &films, 1, linked(&second, "siete")).await;
        channel(&admin, &films, 2, linked(&first, "siete")).await;
        channel(&admin, &films, 3, linked(&first, "siete")).await;
        channel(&admin, &films, 4, linked(&first, "nowhere")).await;
        channel(&admin, &films, 5, json!({"epgId": "siete"})).await;
        let adult = channel(&admin, &films, 6, linked(&first, "ocho")).await;
        let hide = json!({"adultContent": true});
        admin.patch(&format!("/api/tv-channels/{}", adult["id"])).json(&hide).send().await;

        let made = profile(&admin, json!({"guideDays": 1})).await;
        let out = playlist(app, &made).await.text();
        let guide_path = address(&made).replace("playlist.m3u", "guide.xml.gz");
        let header = format!("#EXTM3U x-tvg-url=\"http://cartelera.example{guide_path}\"");
        assert_eq!(out.lines().next().unwrap(), header);
        let other = format!("siete@{}", id(&second));
        for (line, tag) in [(1, other.as_str()), (3, "siete"), (5, "siete"), (7, "nowhere"), (9, "siete")] {
            let found = out.lines().nth(line).unwrap();
            assert!(found.contains(&format!("tvg-id=\"{tag}\"")), "{found}");
        }
        let read_if_changed = async |tag: &str| app.anonymous().get(&guide_path).header("if-none-match", tag).send().await;
        let answer = read_if_changed("\"x\"").await;
        let programmes = |list: &[(&str, &str)]| -> Vec<(String, String)> {
            list.iter().map(|(channel, title)| ((*channel).to_owned(), (*title).to_owned())).collect()
        };
        let (channels, found) = read_guide_of(&answer);
        assert_eq!(channels, [other.clone(), "siete".to_owned()], "each channel of a guide once, by the playlist's ids");
        assert_eq!(found, programmes(&[("siete", "Ocho"), ("siete", "Nueve")]), "today");
        let draft = json!({"name": "Dos días", "keyId": made["keyId"], "guideDays": 2});
        let two_days = admin.create("live-profiles", &draft).await;
        let two_days = address(&two_days).replace("playlist.m3u", "guide.xml.gz");
        let tomorrow = programmes(&[(other.as_str(), "Mañana"), ("siete", "Ocho"), ("siete", "Nueve")]);
        let (_, found) = read_guide_of(&app.anonymous().get(&two_days).send().await);
        assert_eq!(found, tomorrow, "today and tomorrow, in the order of the playlist");

        let tag = answer.header("etag").unwrap();
        assert_eq!(read_if_changed(tag).await.status, 304);
        upload(app, &admin, &first, guide("siete", 20, 8, &["Otro"])).await;
        let changed = read_if_changed(tag).await;
        assert_eq!(read_guide_of(&changed).1[0], ("siete".to_owned(), "Otro".to_owned()));
        let toggle = async || admin.patch(&first).json(&json!({"active": false})).send().await.status;
        assert_eq!(toggle().await, 200);
        let without = read_if_changed(changed.header("etag").unwrap()).await;
        assert_eq!(read_guide_of(&without).0, std::slice::from_ref(&other), "a guide that is off is no longer given out");
        assert_eq!(admin.patch(&first).json(&json!({"active": true})).send().await.status, 200);
        let back = read_if_changed(without.header("etag").unwrap()).await;
        assert_eq!(read_guide_of(&back).0.len(), 2);
        let tag = back.header("etag").unwrap().to_owned();
        app.clock.forward(TimeDelta::days(1));
        assert_eq!(read_if_changed(&tag).await.status, 200, "another day");
        let unknown = format!("/api/live/pl_{}/guide.xml.gz", "x".repeat(43));
        assert_eq!(app.anonymous().get(&unknown).send().await.status, 404);
    }

    #[smoke]
    async fn an_id_that_a_guide_has_itself_is_read_as_it_is_though_a_published_one_looks_alike(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let (first, second) = (stored(&admin, "http://g.example/1").await, stored(&admin, "http://g.example/2").await);
        let id = |guide: &str| json!(guide.rsplit('/').next().unwrap().parse::<i64>().unwrap());
        let films = category(&admin, "Cine").await;
        for (number, guide) in [(1, &first), (2, &second)] {
            channel(&admin, &films, number, json!({"tvGuideId": id(guide), "epgId": "siete"})).await;
        }
        let other = format!("siete@{}", id(&second));
        let list = format!("#EXTM3U\n#EXTINF:-1 tvg-id=\"{other}\",Otro\nhttp://h.example/9\n");
        let source = source(&admin, json!({})).await;
        let id_read = async || {
            let run = read(app, &admin, &source, &list, "").await;
            changes(&admin, &source, &run, "").await[0]["guideId"].clone()
        };
        assert_eq!(id_read().await, "siete", "as the profiles call it");
        upload(app, &admin, &second, guide(&other, 20, 8, &["Ocho"])).await;
        assert_eq!(id_read().await, json!(other));
    }

    async fn the_playlist_of_a_profile_is_no_source_of_the_same_service(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let made = profile(&admin, json!({})).await;
        let own = made["address"].as_str().unwrap().to_owned();
        let inside = format!("http://10.0.0.7:8080{}?x=1", address(&made));
        for url in [&own, &inside, &own.replace("playlist.m3u", "guide.xml.gz")] {
            let refused = admin.post("/api/playlist-sources").json(&json!({"title": "Bucle", "url": url})).send().await;
            assert_eq!(refused.field_codes(), [("url".to_owned(), "OWN_PLAYLIST".to_owned())], "{url}");
        }
        let source = admin.create("playlist-sources", &json!({"title": "Otra", "url": "https://h.example/l.m3u"})).await;
        let path = format!("/api/playlist-sources/{}", source["id"]);
        let refused = admin.patch(&path).json(&json!({"url": own})).send().await;
        assert_eq!(refused.field_codes(), [("url".to_owned(), "OWN_PLAYLIST".to_owned())]);
        // A URL of another service with the same format.
        let other = json!({"url": format!("https://h.example/api/live/pl_{}/playlist.m3u", "x".repeat(43))});
        assert_eq!(admin.patch(&path).json(&other).send().await.status, 200);
        // A source may have stored the URL before such URLs were refused.
        app.run(&format!("UPDATE playlist_sources SET url = '{own}' WHERE id = {}", source["id"])).await;
        let paused = admin.patch(&path).json(&json!({"active": false})).send().await;
        assert_eq!((paused.status, &paused.json()["active"]), (200, &json!(false)));
        let renamed = json!({"title": "Bucle", "url": own, "active": false});
        assert_eq!(admin.put(&path).json(&renamed).send().await.status, 200);
        let refused = admin.patch(&path).json(&json!({"url": inside})).send().await;
        assert_eq!(refused.field_codes(), [("url".to_owned(), "OWN_PLAYLIST".to_owned())]);
    }

    async fn a_source_that_had_the_address_of_a_profile_before_reads_and_applies_nothing(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let own = profile(&admin, json!({})).await["address"].as_str().unwrap().to_owned();
        let source = source(&admin, json!({"url": "https://h.example/l.m3u", "refreshHours": 1, "automatic": "ALL"})).await;
        let run = read(app, &admin, &source, "#EXTM3U\n#EXTINF:-1,Uno\nhttps://h.example/1.ts\n", "").await;
        assert_eq!(counts(&run)[0], 1);
        app.run(&format!("UPDATE playlist_sources SET url = '{own}'")).await;
        let begun = admin.post(&format!("{source}/runs")).json(&json!({})).send().await;
        let all = json!({"filter": {}, "expectedCount": 1});
        let applied = admin.post(&format!("{source}/runs/{}/apply", run["id"])).json(&all).send().await;
        for refused in [&begun, &applied] {
            assert_eq!((refused.status, refused.code()), (409, "CONFLICT".to_owned()));
            assert!(refused.json()["message"].as_str().unwrap().contains("se duplicarían"), "{}", refused.text());
        }
        // Nor does what the schedule begins.
        app.clock.forward(TimeDelta::hours(2));
        app.read_playlists().await;
        let last = admin.get(&source).send().await.json()["lastRun"].clone();
        assert_eq!((&last["state"], &last["fault"]), (&json!("FAILED"), &json!("OWN_PLAYLIST")));
        let channels = admin.get("/api/tv-channels").send().await.json();
        assert_eq!(channels["totalElements"], 0);
    }

    async fn a_secret_is_shown_once_and_stored_as_a_hash(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let made = profile(&admin, json!({"name": "Televisión del salón"})).await;
        let secret = made["secret"].as_str().unwrap();
        assert!(secret.starts_with("pl_") && secret.len() == 46, "{secret}");
        assert_eq!(made["hint"], secret[..8]);
        assert_eq!(made["address"], format!("http://cartelera.example/api/live/{secret}/playlist.m3u"));
        let one = admin.get(&format!("{LIST}/{}", made["id"])).send().await;
        assert_eq!((&one.json()["state"], &one.json()["keyName"]), (&json!("ACTIVE"), &json!("TV")));
        let list = admin.get(&format!("{LIST}?search=television&_sort=name")).send().await;
        assert_eq!(list.json()["totalElements"], 1, "found without its accent");
        for text in [one.text(), list.text(), app.audited().await] {
            assert!(!text.contains(secret), "the secret is reported again");
        }
        let kept = app.text("SELECT secret_hash || hint AS text FROM live_profiles").await;
        assert!(!kept.contains(secret), "the secret is kept");
    }

    async fn unknown_replaced_and_revoked_urls_are_not_found(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let made = profile(&admin, json!({})).await;
        let one = format!("{LIST}/{}", made["id"]);
        let unknown = app.anonymous().get(&format!("/api/live/pl_{}/playlist.m3u", "x".repeat(43))).send().await;
        let gone = (404, unknown.text());
        let answer = async |made: &Value| {
            let answer = playlist(app, made).await;
            (answer.status, answer.text())
        };
        assert_eq!(answer(&json!({"secret": "anything"})).await, gone);
        assert_eq!(answer(&made).await.0, 200);

        let next = admin.post(&format!("{one}/rotate-secret")).send().await.json();
        assert_ne!(next["secret"], made["secret"]);
        assert_eq!(answer(&made).await, gone, "the former address");
        assert_eq!(answer(&next).await.0, 200);

        let revoked = admin.post(&format!("{one}/revoke")).send().await.json();
        assert_eq!(revoked["state"], "REVOKED");
        assert_eq!(answer(&next).await, gone);
        assert_eq!(admin.post(&format!("{one}/revoke")).send().await.json(), revoked, "revoking again changes nothing");
        let back = admin.post(&format!("{one}/rotate-secret")).send().await.json();
        assert_eq!((&back["state"], answer(&back).await.0), (&json!("ACTIVE"), 200));

        let key = format!("/api/integrator-keys/{}/revoke", made["keyId"]);
        assert_eq!(admin.post(&key).send().await.status, 200);
        assert_eq!(answer(&back).await, gone, "its key no longer works");
        assert_eq!(admin.delete(&one).send().await.status, 204);
        assert_eq!(admin.post(&format!("{one}/rotate-secret")).send().await.status, 404);
        assert_eq!(admin.post(&format!("{one}/revoke")).send().await.status, 404);
    }

    async fn a_subscribers_playlist_requires_the_permission_to_play(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        admin.register("ana_app", "app").await;
        let draft = json!({"name": "Ana", "username": "Ana_App"});
        let made = admin.create("live-profiles", &draft).await;
        assert_eq!((&made["username"], &made["keyName"]), (&json!("ana_app"), &json!(null)));
        let sale = json!({"targetUsername": "ana_app", "amount": 1});
        assert_eq!(admin.post("/api/credits/add").json(&sale).send().await.status, 201);
        assert_eq!(playlist(app, &made).await.status, 200);

        app.clock.forward(TimeDelta::days(40));
        let refused = app.anonymous().get(&address(&made)).header("accept-language", "en").send().await;
        assert_eq!((refused.status, refused.code()), (403, "MAY_NOT_PLAY".to_owned()));
        assert_eq!(refused.json()["arguments"], json!({"reason": "EXPIRED"}));
        assert!(!refused.text().contains(made["secret"].as_str().unwrap()));
        let admin = app.sign_in_as(RoleCode::Admin).await;
        assert_eq!(admin.post("/api/credits/add").json(&sale).send().await.status, 201);
        assert_eq!(playlist(app, &made).await.status, 200);
        assert_eq!(admin.patch("/api/users/ana_app/toggle-status").send().await.status, 200);
        assert_eq!(playlist(app, &made).await.json()["arguments"], json!({"reason": "INACTIVE"}));
    }

    async fn calls_are_limited_by_the_minute_and_counted(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let made = profile(&admin, json!({"callsPerMinute": 2})).await;
        for status in [200, 200, 429] {
            assert_eq!(playlist(app, &made).await.status, status);
        }
        app.clock.forward(TimeDelta::seconds(60));
        assert_eq!(playlist(app, &made).await.status, 200);
        app.record_key_uses().await;
        app.record_key_uses().await;
        let one = admin.get(&format!("{LIST}/{}", made["id"])).send().await.json();
        assert_eq!((&one["calls"], &one["lastUsedDate"]), (&json!(3), &json!("2026-11-20T10:01:00.000Z")));
        assert_eq!(one["version"], 1, "a call is no change");
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

    async fn references_of_a_profile_must_exist(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let made = profile(&admin, json!({})).await;
        let revoked = profile(&admin, json!({})).await;
        admin.post(&format!("/api/integrator-keys/{}/revoke", revoked["keyId"])).send().await;
        let film = json!({"description": "Cine", "englishDescription": "Films", "type": "MOVIE"});
        let film = admin.create("categories", &film).await["id"].clone();
        for (draft, field, code) in [
            (json!({"name": "x", "keyId": 999}), "keyId", "UNKNOWN_REFERENCE"),
            (json!({"name": "x", "keyId": revoked["keyId"]}), "keyId", "UNKNOWN_REFERENCE"),
            (json!({"name": "x", "username": "nobody_1"}), "username", "UNKNOWN_REFERENCE"),
            (json!({"name": "x", "username": "agent"}), "username", "UNKNOWN_REFERENCE"),
            (json!({"name": "x"}), "username", "REQUIRED"),
            (json!({"name": "x", "keyId": made["keyId"], "categories": [999]}), "categories[0]", "UNKNOWN_REFERENCE"),
            (json!({"name": "x", "keyId": made["keyId"], "categories": [film]}), "categories[0]", "WRONG_CATEGORY_TYPE"),
        ] {
            let refused = admin.post(LIST).json(&draft).send().await;
            assert_eq!(refused.status, 422, "{draft}: {}", refused.text());
            let error = &refused.json()["errors"][0];
            assert_eq!((&error["field"], &error["code"]), (&json!(field), &json!(code)), "{draft}");
        }
    }

    async fn a_profile_changed_meanwhile_is_not_overwritten(app: &TestApp) {
        let admin = app.sign_in_as(RoleCode::Admin).await;
        let made = profile(&admin, json!({})).await;
        let one = format!("{LIST}/{}", made["id"]);
        let draft = json!({"name": "Otro", "keyId": made["keyId"]});
        let first = admin.put(&one).header("if-match", "\"1\"").json(&draft).send().await;
        assert_eq!((first.status, first.header("etag")), (200, Some("\"2\"")));
        let late = admin.put(&one).header("if-match", "\"1\"").json(&draft).send().await;
        assert_eq!((late.status, &late.json()["current"]["name"]), (412, &json!("Otro")));
        assert_eq!(admin.delete(&one).header("if-match", "\"1\"").send().await.status, 412);
        assert_eq!(playlist(app, &made).await.status, 200, "its address stays");
    }
}

#[actix_web::test]
async fn the_url_of_a_playlist_has_the_public_origin() {
    let app = TestApp::secure().await;
    let admin = app.sign_in_as(RoleCode::Admin).await;
    let made = profile(&admin, json!({})).await;
    assert_eq!(made["address"], format!("{PUBLIC_ORIGIN}{}", address(&made)));
    let rotate = format!("{LIST}/{}/rotate-secret", made["id"]);
    let next = admin.post(&rotate).send().await.json();
    assert_ne!(next["address"], made["address"]);
    assert_eq!(next["address"], format!("{PUBLIC_ORIGIN}{}", address(&next)));
    // The guide of the playlist has the same origin.
    let header = playlist(&app, &next).await.text();
    let guide = next["address"].as_str().unwrap().replace("playlist.m3u", "guide.xml.gz");
    assert!(header.lines().next().unwrap().contains(&guide), "{header}");
}
