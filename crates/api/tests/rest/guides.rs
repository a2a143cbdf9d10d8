//! TV guides: fetched or uploaded, they replace stored programmes, and a failing source changes
//! nothing.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    sync::{Arc, Mutex},
    thread,
};

use domain_kernel::RoleCode;
use serde_json::{Value, json};

use crate::{
    app::{TestApp, on_both},
    client::Client,
};

/// Answers every request with a status and a body, which can be replaced; 304 if the request has
/// the `ETag` of the body.
struct GuideServer {
    url: String,
    answer: Arc<Mutex<(u16, String)>>,
}

impl GuideServer {
    fn start(body: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/g.xml", listener.local_addr().unwrap());
        let answer = Arc::new(Mutex::new((200, body.to_owned())));
        let answers = answer.clone();
        thread::spawn(move || {
            for connection in listener.incoming() {
                let Ok(mut connection) = connection else { continue };
                let head: Vec<String> = BufReader::new(&connection)
                    .lines()
                    .map_while(Result::ok)
                    .take_while(|line| !line.is_empty())
                    .collect();
                let (mut status, mut body) = answers.lock().unwrap().clone();
                let etag = format!("\"{}\"", body.len());
                if head.iter().any(|line| line.to_lowercase() == format!("if-none-match: {etag}")) {
                    (status, body) = (304, String::new());
                }
                let length = body.len();
                // The client may have closed the connection.
                drop(write!(
                    connection,
                    "HTTP/1.1 {status} X\r\netag: {etag}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
                ));
            }
        });
        Self { url, answer }
    }

    fn answer(&self, status: u16, body: &str) {
        *self.answer.lock().unwrap() = (status, body.to_owned());
    }
}

/// Programmes of one hour each: the day and hour of the first, and their titles.
pub fn guide(channel: &str, day: u32, hour: usize, titles: &[&str]) -> String {
    let one = |(index, title): (usize, &&str)| {
        let time = |hour: usize| format!("202611{day:02}{hour:02}0000 +0000");
        let (start, stop) = (time(hour + index), time(hour + index + 1));
        format!(
            "<programme channel='{channel}' start='{start}' stop='{stop}'><title lang='es'>{title}</title></programme>"
        )
    };
    let programmes: String = titles.iter().enumerate().map(one).collect();
    format!(
        "<tv><channel id='{channel}'><display-name>Canal {channel}</display-name></channel>{programmes}</tv>"
    )
}

pub async fn stored(client: &Client<'_>, url: &str) -> String {
    let draft = json!({"title": "Guía nacional", "url": url, "active": true, "gzip": false});
    format!("/api/tv-guides/{}", client.create("tv-guides", &draft).await["id"])
}

/// Draft of channel 7 with the EPG id `siete` in this guide, in a new category.
pub async fn channel_of(manager: &Client<'_>, guide: &str) -> Value {
    let guide_id: i64 = guide.rsplit('/').next().unwrap().parse().unwrap();
    let category = json!({"description": "Canales", "englishDescription": "Channels", "type": "TV_CHANNEL"});
    let category = manager.create("categories", &category).await["id"].clone();
    json!({
        "channelNumber": 7, "title": "Siete", "tvGuideId": guide_id, "epgId": "siete", "active": true,
        "categories": [category], "urlType": "EXTERNAL", "url": "http://h.example/7",
        "adultContent": false, "kidsContent": false,
    })
}

async fn fetching(client: &Client<'_>, guide: &str) -> Value {
    client.get(&format!("{guide}/fetching")).send().await.json()
}

async fn fetch(app: &TestApp, client: &Client<'_>, guide: &str) -> Value {
    assert_eq!(client.post(&format!("{guide}/fetch")).send().await.status, 202);
    app.read_guides().await;
    fetching(client, guide).await
}

pub async fn upload(app: &TestApp, client: &Client<'_>, guide: &str, file: String) -> Value {
    let path = format!("{guide}/upload?fileName=guia.xml");
    let begun = client.post(&path).body("application/octet-stream", file).send().await;
    assert_eq!(begun.status, 202, "{}", begun.text());
    assert_eq!((&begun.json()["state"], &begun.json()["fileName"]), (&json!("WAITING"), &json!("guia.xml")));
    app.read_guides().await;
    fetching(client, guide).await
}

/// Added, changed, removed, unchanged.
pub fn counts(fetch: &Value) -> [i64; 4] {
    ["added", "changed", "removed", "unchanged"].map(|name| fetch["counts"][name].as_i64().unwrap())
}

/// Number of stored programmes, and a checksum of their starts and title lengths.
async fn kept(app: &TestApp) -> (i64, i64) {
    (
        app.number("SELECT count(*) AS number FROM programmes").await,
        app.number(
            "SELECT CAST(sum(start_at % 1000003 + length(title)) AS bigint) AS number FROM programmes",
        )
        .await,
    )
}

on_both! {
    #[smoke]
    async fn a_guide_is_fetched_when_it_is_due_and_the_same_file_writes_nothing(app: &TestApp) {
        let manager = app.manager().await;
        let server = GuideServer::start(&guide("siete", 20, 10, &["Noticias", "Cine", "Fútbol"]));
        let one = stored(&manager, &server.url).await;
        assert_eq!(fetching(&manager, &one).await["state"], "NEVER");
        app.read_guides().await;
        let first = fetching(&manager, &one).await;
        assert_eq!((&first["state"], counts(&first)), (&json!("DONE"), [3, 0, 0, 0]), "{first}");
        assert_eq!(first["newestProgramme"], "2026-11-20T13:00:00.000Z");
        assert_eq!(first["nextFetchDate"], "2026-11-20T22:00:00.000Z", "every twelve hours");
        let before = kept(app).await;
        assert_eq!(before.0, 3);

        assert_eq!(fetch(app, &manager, &one).await["state"], "UNCHANGED", "by the source");
        let again = upload(app, &manager, &one, guide("siete", 20, 10, &["Noticias", "Cine", "Fútbol"])).await;
        assert_eq!((counts(&again), kept(app).await), ([0, 0, 0, 3], before));
        let all = manager.get("/api/guide-fetches").send().await.json();
        assert_eq!(all, json!([again]));
    }

    async fn a_guide_that_was_never_fetched_is_new_and_not_out_of_date(app: &TestApp) {
        let manager = app.manager().await;
        let server = GuideServer::start("");
        server.answer(500, "oh");
        stored(&manager, &server.url).await;
        let is_stale =
            async || manager.get("/api/guide-health").send().await.json()["guides"][0]["stale"].clone();
        assert_eq!(is_stale().await, false);
        app.read_guides().await;
        assert_eq!(is_stale().await, true, "its first fetch failed");
    }

    async fn only_the_span_of_a_file_is_replaced(app: &TestApp) {
        let manager = app.manager().await;
        let one = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        upload(app, &manager, &one, guide("siete", 20, 10, &["a", "b", "c", "d"])).await;
        upload(app, &manager, &one, guide("ocho", 20, 10, &["a"])).await;
        let middle = upload(app, &manager, &one, guide("siete", 20, 11, &["b", "x"])).await;
        assert_eq!(counts(&middle), [0, 1, 0, 1], "{middle}");
        assert_eq!(kept(app).await.0, 5);
        assert_eq!(app.number("SELECT count(*) AS number FROM guide_channels").await, 2, "ocho has programmes");
    }

    async fn a_failing_source_changes_nothing_and_has_the_reason(app: &TestApp) {
        let manager = app.manager().await;
        let later = "<programme channel='siete' start='20261122100000 +0000' stop='20261122110000 +0000'><title>Teatro</title></programme></tv>";
        let file = guide("siete", 20, 10, &["Noticias", "Cine"]).replace("</tv>", later);
        let server = GuideServer::start(&file);
        let one = stored(&manager, &server.url).await;
        app.read_guides().await;
        let before = kept(app).await;
        let deep = format!("<tv>{}", "<a>".repeat(100));
        let long_tag = format!("<tv><programme start='{}", "1".repeat(70_000));
        for (status, body, fault) in [
            (500, "oh", "STATUS"),
            (200, "", "NOT_A_GUIDE"),
            (200, "<html><body>502</body></html>", "NOT_A_GUIDE"),
            (200, "<tv></tv>", "EMPTY"),
            (200, "<tv><channel id='siete'/>", "ENDS_TOO_EARLY"),
            (200, "{\"user_info\": {\"auth\": 0}}", "NOT_A_GUIDE"),
            (200, "#EXTM3U\n#EXTINF:-1,a\nhttp://h/1\n", "NOT_A_GUIDE"),
            (200, deep.as_str(), "TOO_DEEP"),
            (200, long_tag.as_str(), "TAG_TOO_LONG"),
        ] {
            server.answer(status, body);
            let bad = fetch(app, &manager, &one).await;
            assert_eq!((&bad["state"], &bad["fault"]), (&json!("FAILED"), &json!(fault)), "{body}");
            assert_eq!(bad["nextFetchDate"], "2026-11-20T11:00:00.000Z", "before its due time");
            assert_eq!(counts(&bad), [3, 0, 0, 0], "what the last good one found");
            assert_eq!(kept(app).await, before, "{body}");
        }
        server.answer(200, &file[..file.len() - 60]);
        let partial = fetch(app, &manager, &one).await;
        assert_eq!((&partial["state"], &partial["fault"]), (&json!("PARTIAL"), &json!("ENDS_TOO_EARLY")));
        assert_eq!(kept(app).await, before, "what was whole is the same");
        assert_eq!(partial["newestProgramme"], "2026-11-22T11:00:00.000Z", "and later programmes");
        let health = manager.get("/api/guide-health").send().await.json();
        assert_eq!(health["guides"][0]["stale"], false, "{health}");
    }

    async fn the_stored_days_are_settings_and_ended_programmes_are_removed(app: &TestApp) {
        let manager = app.manager().await;
        let one = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        let found = upload(app, &manager, &one, guide("siete", 18, 10, &["vieja"])).await;
        assert_eq!((&found["state"], &found["counts"]["outside"]), (&json!("DONE"), &json!(1)));
        assert_eq!(app.number("SELECT count(*) AS number FROM programmes").await, 0);
        upload(app, &manager, &one, guide("siete", 19, 10, &["ayer", "ayer"])).await;
        upload(app, &manager, &one, guide("siete", 20, 10, &["hoy"])).await;
        while app.sweep_guides().await {}
        assert_eq!(kept(app).await.0, 3);
        app.clock.forward(chrono::TimeDelta::days(1));
        while app.sweep_guides().await {}
        assert_eq!(kept(app).await.0, 1);
    }

    async fn times_without_a_zone_are_in_the_guides_zone_plus_its_shift(app: &TestApp) {
        let manager = app.manager().await;
        let one = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        let settings = json!({"refreshHours": 24, "zone": "Europe/Madrid", "shiftMinutes": 30});
        let path = format!("{one}/fetching");
        let changed = manager.put(&path).json(&settings).send().await;
        assert_eq!((changed.status, &changed.json()["zone"]), (200, &json!("Europe/Madrid")), "{}", changed.text());
        let outdated = manager.put(&path).header("if-match", "\"1\"").json(&settings).send().await;
        let current = json!({
            "refreshHours": 24, "zone": "Europe/Madrid", "shiftMinutes": 30, "priority": 100, "version": 2,
        });
        assert_eq!((outdated.status, &outdated.json()["current"]), (412, &current), "{}", outdated.text());
        let wrong = manager.put(&path).json(&json!({"zone": "Madrid"})).send().await;
        assert_eq!(wrong.status, 422, "{}", wrong.text());
        let file = "<tv><programme channel='siete' start='20261120120000' stop='20261120130000'><title>a</title></programme></tv>";
        let read = upload(app, &manager, &one, file.to_owned()).await;
        assert_eq!(read["newestProgramme"], "2026-11-20T12:30:00.000Z", "{read}");
        let log = app.sign_in_as(RoleCode::Admin).await.get("/api/audit?resource=tv-guides&action=UPDATED").send().await.json();
        assert_eq!(log["content"][0]["after"]["zone"], "Europe/Madrid", "{log}");
    }

    async fn after_another_shift_no_programmes_stay_at_former_times(app: &TestApp) {
        let manager = app.manager().await;
        let one = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        let file = guide("siete", 20, 10, &["a", "b", "c"]);
        upload(app, &manager, &one, file.clone()).await;
        upload(app, &manager, &one, guide("ocho", 20, 10, &["a"])).await;
        let shift = async |minutes: i64| {
            let settings = json!({ "shiftMinutes": minutes });
            assert_eq!(manager.put(&format!("{one}/fetching")).json(&settings).send().await.status, 200);
        };
        let midnight = "2026-11-20T00:00:00Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap().timestamp();
        let hour = async |of: &str| {
            app.number(&format!("SELECT ({of} - {midnight}) / 3600 AS number FROM programmes")).await
        };
        let found = async || (kept(app).await.0, hour("min(start_at)").await, hour("max(stop_at)").await);
        shift(60).await;
        let partial = upload(app, &manager, &one, file[..file.len() - 60].to_owned()).await;
        assert_eq!((&partial["state"], found().await), (&json!("PARTIAL"), (4, 10, 13)), "the rest of the file is not known");
        assert_eq!(partial["counts"].get("readBy"), None, "{partial}");
        upload(app, &manager, &one, file.clone()).await;
        assert_eq!(found().await, (3, 11, 14));
        assert_eq!(app.number("SELECT count(*) AS number FROM guide_channels").await, 1, "the file lacks the other one");
        upload(app, &manager, &one, guide("ocho", 20, 10, &["a"])).await;
        assert_eq!(found().await, (4, 11, 14), "programmes of another file with the same settings stay");
        shift(-60).await;
        upload(app, &manager, &one, file).await;
        assert_eq!(found().await, (3, 9, 12));
    }

    async fn one_fetch_of_a_guide_is_unfinished_and_an_inactive_one_is_fetched_only_on_request(app: &TestApp) {
        let manager = app.manager().await;
        let one = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        assert_eq!(manager.post(&format!("{one}/fetch")).send().await.status, 202);
        let second = manager.post(&format!("{one}/fetch")).send().await;
        assert_eq!((second.status, &second.json()["code"]), (409, &json!("CONFLICT")), "{}", second.text());
        let file = manager.post(&format!("{one}/upload")).body("application/octet-stream", "<tv/>".to_owned()).send().await;
        assert_eq!(file.status, 409, "{}", file.text());
        app.read_guides().await;
        assert_eq!(fetching(&manager, &one).await["fault"], "UNREACHABLE");
        assert_eq!(manager.patch(&one).json(&json!({"active": false})).send().await.status, 200);
        app.clock.forward(chrono::TimeDelta::days(2));
        let before = fetching(&manager, &one).await;
        app.read_guides().await;
        assert_eq!(fetching(&manager, &one).await, before);
    }

    async fn a_guide_that_does_not_fit_in_memory_is_staged_in_the_store(app: &TestApp) {
        let manager = app.manager().await;
        let one = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        let text = "x".repeat(60_000);
        let programme = |index: u32| {
            let (channel, minute) = (index % 3, index / 3);
            let time = |minute: u32| format!("20261120{:02}{:02}00 +0000", minute / 60, minute % 60);
            let (start, stop) = (time(minute), time(minute + 1));
            format!("<programme channel='c{channel}' start='{start}' stop='{stop}'><title>{index}</title><desc>{text}</desc></programme>")
        };
        let file: String = (0..420).map(programme).collect();
        let read = upload(app, &manager, &one, format!("<tv>{file}</tv>")).await;
        assert_eq!((&read["state"], counts(&read)), (&json!("DONE"), [420, 0, 0, 0]), "{read}");
        assert_eq!(app.number("SELECT count(*) AS number FROM guide_staged").await, 0);
        let again = upload(app, &manager, &one, format!("<tv>{file}</tv>")).await;
        assert_eq!(counts(&again), [0, 0, 0, 420]);
    }

    async fn a_programme_without_an_end_does_not_keep_a_guide_fresh_and_is_not_rewritten(app: &TestApp) {
        let manager = app.manager().await;
        let one = stored(&manager, "http://127.0.0.1:9/g.xml").await;
        let file = "<tv><programme channel='siete' start='20260101000000 +0000' stop='20301231000000 +0000'><title>24 h</title></programme>\
            <programme channel='ocho' start='20261120100000 +0000' stop='20261120110000 +0000'><title>Cap&#11;ítulo\0</title></programme></tv>";
        let read = upload(app, &manager, &one, file.to_owned()).await;
        assert_eq!((read["newestProgramme"].as_str(), counts(&read)), (Some("2026-11-20T11:00:00.000Z"), [1, 0, 0, 0]), "{read}");
        let title = app.number("SELECT count(*) AS number FROM programmes WHERE title = 'Capítulo'").await;
        assert_eq!(title, 1, "without what XML can't have");
    }
}
