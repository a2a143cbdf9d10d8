//! Guides of profiles: their channels, ids and programmes, and the import of a published one.

use adapter_live::guide::{GuideOptions, read_guide};
use chrono::TimeDelta;
use domain_kernel::RoleCode;
use serde_json::{Value, json};

use super::{address, category, channel, entries, playlist, profile};
use crate::{
    app::{TestApp, on_both},
    client::Answer,
    guides::{guide, stored, upload},
    playlists::{apply, changes, counts, read, source},
};

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

on_both! {
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
        assert_eq!(read_guide_of(&without).0, std::slice::from_ref(&other), "an inactive guide is not published");
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
    async fn an_id_in_a_guide_is_not_read_as_a_published_id(app: &TestApp) {
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
}
