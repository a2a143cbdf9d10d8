//! The schedule: programmes or the reason without them, as an answer and as a file; and the health of guides.

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    guides::{channel_of, counts, guide, stored, upload},
};

on_both! {
    #[smoke]
    async fn the_schedule_has_programmes_or_the_reason_without_them(app: &TestApp) {
        let manager = app.manager().await;
        let one = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        let guide_id: i64 = one.rsplit('/').next().unwrap().parse().unwrap();
        let category = json!({"description": "Canales", "englishDescription": "Channels", "type": "TV_CHANNEL"});
        let category = manager.create("categories", &category).await["id"].clone();
        let channel = async |number: i64, guide: Option<i64>, epg: Option<&str>| {
            let draft = json!({
                "channelNumber": number, "title": format!("Canal {number}"), "tvGuideId": guide, "epgId": epg, "active": true,
                "categories": [category], "urlType": "EXTERNAL", "url": format!("http://h.example/{number}"),
                "adultContent": false, "kidsContent": false,
            });
            manager.create("tv-channels", &draft).await["id"].clone()
        };
        let siete = channel(7, Some(guide_id), Some("siete")).await;
        channel(3, None, None).await;
        channel(9, Some(guide_id), Some("nueve")).await;
        upload(app, &manager, &one, guide("siete", 20, 9, &["Mañana", "Noticias", "Cine", "Fútbol"])).await;

        let answer = manager.get("/api/schedule?from=2026-11-20T10:30:00Z&to=2026-11-20T12:00:00Z").send().await.json();
        assert_eq!((&answer["timeZone"], &answer["totalElements"]), (&json!("UTC"), &json!(3)), "{answer}");
        assert_eq!((&answer["daysBack"], &answer["daysAhead"]), (&json!(1), &json!(14)), "the days that are kept");
        let rows = answer["content"].as_array().unwrap();
        let titles = |row: &Value| row["programmes"].as_array().unwrap().iter().map(|one| one["title"].clone()).collect::<Vec<_>>();
        assert_eq!(rows.iter().map(|row| row["without"].clone()).collect::<Vec<_>>(), [json!("NO_GUIDE"), json!(null), json!("ID_NOT_IN_GUIDE")]);
        assert_eq!(titles(&rows[1]), [json!("Noticias"), json!("Cine")]);
        let numbers = async |query: &str| {
            let found = manager.get(&format!("/api/schedule?from=2026-11-20T10:00:00Z&{query}")).send().await.json();
            let rows = found["content"].as_array().unwrap().clone();
            rows.iter().map(|row| row["channelNumber"].as_i64().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(numbers("search=futbol").await, [7], "a title of the span");
        assert_eq!(numbers("search=ma%C3%B1ana").await, Vec::<i64>::new(), "it is over");
        assert_eq!(numbers("search=canal").await, [3, 7, 9]);
        assert_eq!(numbers("without=true").await, [3, 9]);
        assert_eq!(numbers("gaps=true").await, [7], "nothing from 13:00 on");
        assert_eq!(numbers("gaps=true&to=2026-11-20T13:20:00Z").await, Vec::<i64>::new());
        assert_eq!(numbers(&format!("category={category}")).await, [3, 7, 9]);
        assert_eq!(numbers("reason=NO_GUIDE").await, [3]);
        assert_eq!(numbers(&format!("guide={guide_id}")).await, [7, 9]);
        assert_eq!(numbers(&format!("ids={siete},999")).await, [7]);
        assert_eq!(numbers("uncovered=true&to=2026-11-20T12:00:00Z").await, [3, 9], "channels without programmes, too");
        assert_eq!(numbers("uncovered=true&hours=24&to=2026-11-20T12:00:00Z").await, [3, 7, 9], "from now on, whatever the span");
        assert_eq!(numbers("uncovered=true&without=false&hours=24").await, [7]);

        let health = manager.get("/api/guide-health").send().await.json();
        assert_eq!((&health["channels"], &health["without"]), (&json!(3), &json!([{"reason": "NO_GUIDE", "count": 1}, {"reason": "ID_NOT_IN_GUIDE", "count": 1}])), "{health}");
        let own = &health["guides"][0];
        // Three hours of 24, and of 72; nothing after that.
        assert_eq!((&own["channels"], &own["day"]["percent"], &own["threeDays"]["percent"]), (&json!(1), &json!(12), &json!(4)));
        assert_eq!((&own["day"]["gaps"], &own["unused"], &own["stale"]), (&json!(1), &json!(0), &json!(true)));
        assert_eq!((&health["day"]["percent"], &health["threeDays"]["percent"]), (&json!(4), &json!(1)), "of all three channels");
        assert_eq!(health["day"]["gaps"], 1, "a channel without programmes has a reason, and no gap");
        let channels = manager.get(&format!("{one}/channels?used=true")).send().await.json();
        assert_eq!(channels["content"][0]["epgId"], "siete", "{channels}");

        let file = async |query: &str| {
            let path = format!("/api/spreadsheets/guide-health?columns=number,without,day,dayGaps,threeDays&{query}");
            manager.get(&path).send().await.text()
        };
        let (three, seven, nine) = (
            "\"3\",\"No guide is chosen\",\"\",\"\",\"\"\r\n",
            "\"7\",\"\",\"12\",\"1\",\"4\"\r\n",
            "\"9\",\"The guide does not contain its EPG ID\",\"\",\"\",\"\"\r\n",
        );
        let english = "\u{feff}\"Number\",\"Why it has no programmes\",\"24 h: covered (%)\",\"24 h: gaps\",\"72 h: covered (%)\"\r\n";
        assert_eq!(file("language=en").await, format!("{english}{three}{seven}{nine}"));
        assert_eq!(file("language=en&without=false&gaps=true&hours=24").await, format!("{english}{seven}"));
        assert_eq!(file(&format!("language=en&guide={guide_id}&search=canal")).await, format!("{english}{seven}{nine}"));
        let spanish = "\u{feff}\"Número\";\"Por qué no tiene programas\";\"24 h: cubierto (%)\";\"24 h: huecos\";\"72 h: cubierto (%)\"\r\n";
        let expected = format!("{spanish}\"3\";\"No tiene guía asignada\";\"\";\"\";\"\"\r\n");
        assert_eq!(file("language=es&reason=NO_GUIDE").await, expected);
        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        let log = boss.get("/api/audit?action=EXPORTED&resource=guide-health").send().await.json();
        assert_eq!((&log["totalElements"], &log["content"][0]["after"]["rows"]), (&json!(4), &json!(1)), "{log}");

        let path = format!("/api/tv-channels/{siete}");
        let on = manager.get(&format!("{path}/now-next")).send().await.json();
        assert_eq!((&on["now"]["title"], &on["next"]["title"]), (&json!("Noticias"), &json!("Cine")), "{on}");
        let later = manager.get(&format!("{path}/programme?at=2026-11-20T12:59:59Z")).send().await.json();
        assert_eq!((&later["programme"]["title"], &later["following"]), (&json!("Fútbol"), &json!([])), "{later}");
        assert_eq!(later["elsewhere"], json!([]), "{later}");
        let other = channel(8, Some(guide_id), Some("ocho")).await;
        upload(app, &manager, &one, guide("ocho", 21, 9, &["futbol"])).await;
        let later = manager.get(&format!("{path}/programme?at=2026-11-20T12:59:59Z")).send().await.json();
        let elsewhere = json!([{
            "channelId": other, "channelNumber": 8, "channelTitle": "Canal 8",
            "start": "2026-11-21T09:00:00.000Z", "stop": "2026-11-21T10:00:00.000Z",
        }]);
        assert_eq!(later["elsewhere"], elsewhere, "{later}");
        manager.delete(&format!("/api/tv-channels/{other}")).send().await;
        for wrong in ["from=2026-11-20&to=2026-11-22", "from=2026-11-20&to=2026-11-19", "_size=101", "from=x", "hours=73", "hours=0", "hours=x"] {
            assert_eq!(manager.get(&format!("/api/schedule?{wrong}")).send().await.status, 422, "{wrong}");
        }
        let key = app.program(&["CATALOGUE_READ"]).await;
        assert_eq!(key.get(&format!("{path}/now-next")).send().await.json(), on);
        assert_eq!(manager.patch(&path).json(&json!({"active": false})).send().await.status, 200);
        assert_eq!(key.get(&format!("{path}/now-next")).send().await.status, 404);
        assert_eq!(numbers("").await, [3, 9]);
    }

    async fn the_schedule_is_a_file_of_programmes(app: &TestApp) {
        let manager = app.manager().await;
        let one = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        let guide_id: i64 = one.rsplit('/').next().unwrap().parse().unwrap();
        let category = json!({"description": "Canales", "englishDescription": "Channels", "type": "TV_CHANNEL"});
        let category = manager.create("categories", &category).await["id"].clone();
        for (number, epg) in [(3, None), (7, Some("siete")), (8, Some("siete"))] {
            let draft = json!({
                "channelNumber": number, "title": format!("Canal {number}"), "epgId": epg, "active": true,
                "tvGuideId": epg.map(|_| guide_id), "categories": [category], "urlType": "EXTERNAL",
                "url": format!("http://h.example/{number}"), "adultContent": false, "kidsContent": false,
            });
            manager.create("tv-channels", &draft).await;
        }
        upload(app, &manager, &one, guide("siete", 20, 9, &["=Mañana", "Noticias", "Cine"])).await;

        let file = async |query: &str| {
            let path = format!("/api/spreadsheets/schedule?columns=number,programme,start,stop,without&{query}");
            let answer = manager.get(&path).send().await;
            assert_eq!(answer.status, 200, "{query}: {}", answer.text());
            answer.text()
        };
        let english = "\u{feff}\"Number\",\"Programme\",\"Starts\",\"Ends\",\"Why it has no programmes\"\r\n";
        let three = "\"3\",\"\",\"\",\"\",\"No guide is chosen\"\r\n";
        let of = |number: i64| {
            format!(
                "\"{number}\",\"'=Mañana\",\"2026-11-20 09:00:00\",\"2026-11-20 10:00:00\",\"\"\r\n\
                 \"{number}\",\"Noticias\",\"2026-11-20 10:00:00\",\"2026-11-20 11:00:00\",\"\"\r\n"
            )
        };
        let span = "from=2026-11-20T09:30:00Z&to=2026-11-20T11:00:00Z";
        assert_eq!(file(&format!("language=en&{span}")).await, format!("{english}{three}{}{}", of(7), of(8)));
        // A channel of which a programme is found has all of the span.
        assert_eq!(file(&format!("language=en&{span}&search=noticias")).await, format!("{english}{}{}", of(7), of(8)));
        let day = file("language=es&from=2026-11-20&to=2026-11-20&without=false").await;
        assert_eq!((day.lines().count(), day.contains("\"8\";\"Cine\";")), (7, true), "{day}");

        let boss = app.sign_in_as(RoleCode::Superadmin).await;
        let log = boss.get("/api/audit?action=EXPORTED&resource=schedule").send().await.json();
        let rows: Vec<_> = log["content"].as_array().unwrap().iter().map(|entry| entry["after"]["rows"].clone()).collect();
        assert_eq!(rows, [6, 4, 5], "programmes, and a channel without any");
        for (wrong, field) in [("from=2026-11-20&to=2026-11-22", "to"), ("_page=1", "_page"), ("_sort=id", "_sort")] {
            let refused = manager.get(&format!("/api/spreadsheets/schedule?{wrong}")).send().await;
            assert_eq!((refused.status, &refused.json()["errors"][0]["field"]), (422, &json!(field)), "{wrong}");
        }
    }

    async fn a_programme_is_found_by_the_title_that_is_shown_in_either_language(app: &TestApp) {
        let manager = app.manager().await;
        let one = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        let draft = channel_of(&manager, &one).await;
        manager.create("tv-channels", &draft).await;
        let file = "<tv><programme channel='siete' start='20261120100000 +0000' stop='20261120120000 +0000'>\
            <title lang='es'>Pan y rosas</title><title lang='en'>Bread and roses</title></programme></tv>";
        assert_eq!(counts(&upload(app, &manager, &one, file.to_owned()).await), [1, 0, 0, 0]);
        assert_eq!(counts(&upload(app, &manager, &one, file.to_owned()).await), [0, 0, 0, 1], "the same writes nothing");
        for (language, text, title) in [("es", "rosas", "Pan y rosas"), ("en", "bread", "Bread and roses"), ("en", "rosas", "Bread and roses")] {
            let path = format!("/api/schedule?from=2026-11-20T10:00:00Z&search={text}");
            let found = manager.get(&path).header("accept-language", language).send().await.json();
            assert_eq!(found["content"][0]["programmes"][0]["title"], title, "{found}");
        }
    }

    async fn of_overlapping_programmes_the_last_started_one_is_current(app: &TestApp) {
        let manager = app.manager().await;
        let one = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        let draft = channel_of(&manager, &one).await;
        let path = format!("/api/tv-channels/{}", manager.create("tv-channels", &draft).await["id"]);
        let programme = |(from, to, title): (&str, &str, &str)| {
            format!("<programme channel='siete' start='20261120{from}00 +0000' stop='20261120{to}00 +0000'><title>{title}</title></programme>")
        };
        let all_day = ("0000", "2359", "Sin información");
        let file: String = [
            all_day,
            ("0900", "1001", "Noticias"),
            ("1000", "1100", "Cine"),
            ("1100", "1200", "Fútbol"),
            ("1400", "1500", "SIETE"),
            ("1500", "1600", "siete"),
        ]
        .map(programme)
        .concat();
        upload(app, &manager, &one, format!("<tv>{file}</tv>")).await;
        let on = manager.get(&format!("{path}/now-next")).send().await.json();
        assert_eq!((&on["now"]["title"], &on["next"]["title"]), (&json!("Cine"), &json!("Fútbol")), "{on}");
        let at = manager.get(&format!("{path}/programme?at=2026-11-20T11:00:00Z")).send().await.json();
        assert_eq!(at["programme"]["title"], "Fútbol", "{at}");
        let later = manager.get(&format!("{path}/programme?at=2026-11-20T13:00:00Z")).send().await.json();
        assert_eq!(later["programme"]["title"], "Sin información", "{later}");
        let named = manager.get(&format!("{path}/programme?at=2026-11-20T14:00:00Z")).send().await.json();
        assert_eq!((&named["programme"]["title"], &named["elsewhere"]), (&json!("SIETE"), &json!([])), "{named}");
        let health = manager.get("/api/guide-health").send().await.json();
        assert_eq!(health["day"]["percent"], 8, "two hours of 24: placeholders cover nothing, and hide nothing");
        assert_eq!(health["day"]["placeholders"], 3, "the channel's own name as a title is one");
    }

    async fn a_guide_with_the_titles_of_another_at_a_constant_offset_is_reported(app: &TestApp) {
        let manager = app.manager().await;
        let category = json!({"description": "Canales", "englishDescription": "Channels", "type": "TV_CHANNEL"});
        let category = manager.create("categories", &category).await["id"].clone();
        let titles = ["Noticias", "Cine", "Fútbol", "Teatro", "Ópera", "Jazz"];
        let mut ids = Vec::new();
        for (number, hour) in [(1, 11), (2, 13)] {
            let one = stored(&manager, "http://127.0.0.1:9/g.xml").await;
            let id: i64 = one.rsplit('/').next().unwrap().parse().unwrap();
            let draft = json!({
                "channelNumber": number, "title": format!("Canal {number}"), "tvGuideId": id, "epgId": "siete", "active": true,
                "categories": [category], "urlType": "EXTERNAL", "url": format!("http://h.example/{number}"),
                "adultContent": false, "kidsContent": false,
            });
            manager.create("tv-channels", &draft).await;
            upload(app, &manager, &one, guide("siete", 20, hour, &titles)).await;
            ids.push(id);
        }
        let health = manager.get("/api/guide-health").send().await.json();
        let shift = |index: usize| health["guides"][index]["shift"].clone();
        assert_eq!(shift(0), json!({"guideId": ids[1], "minutes": -120}), "{health}");
        assert_eq!(shift(1), json!({"guideId": ids[0], "minutes": 120}), "{health}");
    }
}
