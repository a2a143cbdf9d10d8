//! Concurrent edits of live TV by two servers, and by one that is killed: one of two edits is made,
//! and acknowledged ones are kept.

use std::{fmt::Write, time::Duration};

use reqwest::Method;
use serde_json::{Value, json};

use tokio::time::{sleep, timeout};

use crate::{
    bulk_operations::ended,
    guides,
    harness::{Client, Server, TestDb, on_both_databases, rounds},
    playlists,
};

async fn new_category(admin: &Client, url: &str) -> Value {
    let category = json!({"description": "Canales", "englishDescription": "Channels", "type": "TV_CHANNEL"});
    admin.post(url, "/categories", &category).await["id"].clone()
}

/// The path of a new channel.
pub(crate) async fn new_channel(admin: &Client, url: &str, category: &Value, number: usize) -> String {
    let channel = json!({
        "channelNumber": number, "title": format!("Canal {number}"), "categories": [category], "urlType": "EXTERNAL", "url": "https://a.example/1.m3u8",
    });
    format!("/tv-channels/{}", admin.post(url, "/tv-channels", &channel).await["id"])
}

fn streams(address: &str) -> Value {
    let stream = |url: &str| json!({"urlType": "EXTERNAL", "url": url});
    json!({"failover": "AUTO", "streams": [stream("https://a.example/1.m3u8"), stream(address)]})
}

/// The version of a channel's streams, and the address of the last.
async fn stored(admin: &Client, url: &str, channel: &str) -> (Value, String) {
    let (_, found) = admin.get(url, &format!("{channel}/streams")).await;
    let last = found["streams"].as_array().unwrap().last().unwrap();
    (found["version"].clone(), last["url"].as_str().unwrap().to_owned())
}

/// Two servers over one database, and a session valid at both.
pub(crate) struct Two {
    servers: [Server; 2],
    admins: [Client; 2],
    pub(crate) category: Value,
}

impl Two {
    pub(crate) async fn start(db: &TestDb) -> Self {
        let servers = [Server::start(db), Server::start(db)];
        let admins = [
            Client::sign_in(&servers[0].url, "admin").await,
            Client::sign_in(&servers[1].url, "admin").await,
        ];
        let category = new_category(&admins[0], &servers[0].url).await;
        Self { servers, admins, category }
    }

    pub(crate) fn first(&self) -> (&Client, &str) {
        (&self.admins[0], &self.servers[0].url)
    }

    pub(crate) fn urls(&self) -> [&str; 2] {
        [&self.servers[0].url, &self.servers[1].url]
    }

    /// Concurrent requests to the same path of both servers, with one body each; returns which
    /// succeeded, and the status of the other.
    pub(crate) async fn race(&self, path: &str, version: &Value, bodies: [&Value; 2]) -> (usize, u16) {
        let put = |at: usize| self.put(at, path, version, bodies[at]);
        let (one, two) = tokio::join!(put(0), put(1));
        winner([one, two])
    }

    /// A `PUT` with a version at one of them; returns the status.
    pub(crate) async fn put(&self, at: usize, path: &str, version: &Value, body: &Value) -> u16 {
        self.admins[at].put(&self.servers[at].url, path, version, body).await.unwrap().as_u16()
    }

    /// Concurrent calls of both servers, with one body each.
    pub(crate) async fn post_both(&self, path: &str, bodies: [&Value; 2]) -> [(u16, Value); 2] {
        let post = |at: usize| self.send(at, Method::POST, path, bodies[at]);
        let (one, two) = tokio::join!(post(0), post(1));
        [one, two]
    }

    /// A call at one of them.
    pub(crate) async fn send(&self, at: usize, method: Method, path: &str, body: &Value) -> (u16, Value) {
        let sent = self.admins[at].send(&self.servers[at].url, method, path, None, Some(body));
        let (status, answer) = sent.await.unwrap();
        (status.as_u16(), answer)
    }

    pub(crate) fn stop(self) {
        for server in self.servers {
            server.stop(Duration::from_secs(30));
        }
    }
}

/// Which of two succeeded, and the status of the other.
pub(crate) fn winner(statuses: [u16; 2]) -> (usize, u16) {
    let made = statuses.map(|status| status < 300);
    assert_ne!(made[0], made[1], "one of two is made: {statuses:?}");
    if made[0] { (0, statuses[1]) } else { (1, statuses[0]) }
}

async fn one_of_two_orders_of_streams_is_kept(two: &Two) {
    let (admin, url) = two.first();
    let channel = new_channel(admin, url, &two.category, 1).await;
    for round in 0..rounds(20) {
        let addresses = ["b", "c"].map(|host| format!("https://{host}.example/{round}.m3u8"));
        let (version, _) = stored(admin, url, &channel).await;
        let bodies = [streams(&addresses[0]), streams(&addresses[1])];
        let (won, refused) =
            two.race(&format!("{channel}/streams"), &version, [&bodies[0], &bodies[1]]).await;
        assert_eq!(refused, 412, "round {round}");
        assert_eq!(stored(admin, url, &channel).await.1, addresses[won], "round {round}");
    }
}

pub(crate) async fn new_source(admin: &Client, url: &str, title: &str) -> String {
    let source = admin.post(url, "/playlist-sources", &json!({"title": title, "firstNumber": 1})).await;
    format!("/playlist-sources/{}", source["id"])
}

/// The run of an uploaded list, once it has ended.
pub(crate) async fn read_list(admin: &Client, url: &str, source: &str, list: String) -> String {
    let begun = admin.upload(url, &format!("{source}/upload"), list).await;
    let run = format!("{source}/runs/{}", begun["id"]);
    assert_eq!(playlists::read_run(admin, url, &run).await["state"], "FINISHED");
    run
}

async fn an_entry_is_a_stream_of_one_channel(two: &Two) {
    let (admin, url) = two.first();
    let rounds = rounds(10);
    let mut list = String::from("#EXTM3U\n");
    for number in 0..rounds {
        let _ = writeln!(list, "#EXTINF:-1,Reserva {number}\nhttp://h.example/{number}.m3u8");
    }
    let source = new_source(admin, url, "Reservas").await;
    let run = read_list(admin, url, &source, list).await;
    let (_, page) = admin.get(url, &format!("{run}/changes?_size=1000")).await;
    let entries = page["content"].as_array().unwrap();
    assert_eq!(entries.len(), rounds);
    for (round, entry) in entries.iter().enumerate() {
        let channels = [
            new_channel(admin, url, &two.category, 2 * round + 2).await,
            new_channel(admin, url, &two.category, 2 * round + 3).await,
        ];
        let path = format!("{source}/entries/{}/stream", entry["id"]);
        let bodies = [0, 1].map(|at: usize| {
            let id: i64 = channels[at].rsplit('/').next().unwrap().parse().unwrap();
            json!({ "channelId": id })
        });
        let answers = two.post_both(&path, [&bodies[0], &bodies[1]]).await;
        // Refused, or in conflict where the first operation had ended before the second began.
        let mut changed = Vec::new();
        for (at, (status, answer)) in answers.iter().enumerate() {
            if *status == 202 {
                let ended = ended(admin, url, &answer["operations"][0]).await;
                changed.extend((ended["counts"]["changed"] == 1).then_some(at));
            } else {
                assert_eq!(*status, 409, "{answer}");
            }
        }
        let [won] = changed[..] else { panic!("one of two is made: {answers:?}") };
        let address = entry["url"].as_str().unwrap();
        assert_eq!(stored(admin, url, &channels[won]).await.1, address);
        assert_eq!(stored(admin, url, &channels[1 - won]).await.1, "https://a.example/1.m3u8");
    }
}

/// A new entry is merged with one of two missing ones, whichever server is faster.
async fn a_new_entry_is_one_missing_one(two: &Two) {
    let (admin, url) = two.first();
    let rounds = rounds(10);
    let list = |name: &str, count: usize| {
        (0..count).fold(String::from("#EXTM3U\n"), |mut list, number| {
            let _ = writeln!(list, "#EXTINF:-1,{name} {number}\nhttp://h.example/{name}/{number}.m3u8");
            list
        })
    };
    let source = new_source(admin, url, "Renombrada").await;
    read_list(admin, url, &source, list("Antes", 2 * rounds)).await;
    let run = read_list(admin, url, &source, list("Despues", rounds)).await;
    let entries = async |change: &str| {
        let (_, page) = admin.get(url, &format!("{run}/changes?_size=1000&change={change}")).await;
        page["content"].as_array().unwrap().clone()
    };
    let (new, missing) = (entries("NEW").await, entries("MISSING").await);
    assert_eq!((new.len(), missing.len()), (rounds, 2 * rounds));
    for (entry, pair) in new.iter().zip(missing.chunks(2)) {
        let bodies = [0, 1].map(|at: usize| json!({"missingId": pair[at]["id"]}));
        let path = format!("{source}/entries/{}/merge", entry["id"]);
        let answers = two.post_both(&path, [&bodies[0], &bodies[1]]).await;
        let (won, refused) = winner(answers.map(|(status, _)| status));
        assert_eq!(refused, 404);
        let merged = entries("NEW").await.into_iter().find(|one| one["name"] == entry["name"]).unwrap();
        assert_eq!(merged["id"], pair[won]["id"]);
    }
    assert_eq!(entries("MISSING").await.len(), rounds);
}

/// Of two secrets generated by two servers at the same time, only the one that was stored last is
/// valid.
async fn one_secret_of_a_profile_works(two: &Two) {
    let (admin, url) = two.first();
    let key = admin.post(url, "/integrator-keys", &json!({"name": "TV", "scopes": ["CATALOGUE_READ"]})).await;
    let profile = admin.post(url, "/live-profiles", &json!({"name": "Salón", "keyId": key["id"]})).await;
    let path = format!("/live-profiles/{}/rotate-secret", profile["id"]);
    let mut secrets = vec![profile["secret"].as_str().unwrap().to_owned()];
    for _ in 0..rounds(10) {
        let none = json!(null);
        let answers = two.post_both(&path, [&none, &none]).await;
        secrets.extend(answers.iter().map(|(_, answer)| answer["secret"].as_str().unwrap().to_owned()));
        let mut working = Vec::new();
        for secret in &secrets {
            let (status, _) = admin.get(url, &format!("/live/{secret}/playlist.m3u")).await;
            working.extend((status == 200).then_some(secret));
        }
        assert!(matches!(&working[..], [one] if secrets[secrets.len() - 2..].contains(one)), "{working:?}");
    }
}

/// Of two decisions on the guide of a channel one is kept, and the other is rejected with the first
/// decision.
async fn one_of_two_decisions_is_kept(two: &Two) {
    let (admin, url) = two.first();
    let guide = guides::new_guide(admin, url, "http://127.0.0.1:9/g.xml").await;
    let channel = "<channel id=\"q1\"><display-name>Quimera</display-name></channel>";
    let programme = "<programme channel=\"q1\" start=\"20261120090000 +0000\" stop=\"20261120100000 +0000\"><title>una</title></programme>";
    admin.upload(url, &format!("{guide}/upload"), format!("<tv>{channel}{programme}</tv>")).await;
    let active = json!({"active": true});
    admin.send(url, Method::PATCH, &guide, None, Some(&active)).await.unwrap();
    let rounds = rounds(5);
    let mut channels = Vec::new();
    for number in 0..rounds {
        channels.push(new_channel(admin, url, &two.category, 1_000 + number).await);
    }
    admin.post(url, "/epg-matching/run", &json!(null)).await;
    for path in channels {
        let compared = async {
            loop {
                if let Some(one) = found(admin, url, &path).await.filter(|one| !one["version"].is_null()) {
                    break one;
                }
                sleep(Duration::from_millis(50)).await;
            }
        };
        let before = timeout(Duration::from_mins(2), compared).await.expect("it is compared");
        let bodies = ["NO_GUIDE", "REFUSED"].map(|verdict| json!({ "verdict": verdict }));
        let (won, refused) =
            two.race(&format!("{path}/guide-link"), &before["version"], [&bodies[0], &bodies[1]]).await;
        assert_eq!(refused, 409);
        assert_eq!(found(admin, url, &path).await.unwrap()["decision"], bodies[won]["verdict"]);
    }
}

/// One of two forms of a profile is saved; its categories are kept when the category of the profile
/// is moved meanwhile.
async fn an_edit_of_a_profile_is_kept(two: &Two) {
    let (admin, url) = two.first();
    let key =
        admin.post(url, "/integrator-keys", &json!({"name": "Radio", "scopes": ["CATALOGUE_READ"]})).await;
    let (mut here, mut there) = (new_category(admin, url).await, new_category(admin, url).await);
    let draft =
        |name: &str, category: &Value| json!({"name": name, "keyId": key["id"], "categories": [category]});
    let profile = admin.post(url, "/live-profiles", &draft("Salón", &here)).await;
    let path = format!("/live-profiles/{}", profile["id"]);
    for round in 0..rounds(10) {
        let (_, before) = admin.get(url, &path).await;
        let bodies = [0, 1].map(|at: usize| draft(&format!("Salón {round} {at}"), &here));
        let (won, refused) = two.race(&path, &before["version"], [&bodies[0], &bodies[1]]).await;
        assert_eq!(refused, 412, "round {round}");
        let (_, between) = admin.get(url, &path).await;
        assert_eq!(between["name"], bodies[won]["name"], "round {round}");

        let form = draft(&format!("Cocina {round}"), &here);
        let (from, target) = (format!("/categories/{here}/move"), json!({"to": there}));
        let (saved, (moved, answer)) = tokio::join!(
            two.put(0, &path, &between["version"], &form),
            two.send(1, Method::POST, &from, &target),
        );
        assert_eq!(moved, 202, "{answer}");
        let (_, after) = admin.get(url, &path).await;
        let name = match saved {
            200 => &form["name"],
            412 => &between["name"],
            other => panic!("round {round}: {other}"),
        };
        assert_eq!((&after["name"], &after["categories"]), (name, &json!([there])), "round {round}");
        (here, there) = (there, here);
    }
}

/// Match of a channel in the guides.
async fn found(admin: &Client, url: &str, channel: &str) -> Option<Value> {
    let id = channel.rsplit('/').next().unwrap();
    let (_, page) = admin.get(url, &format!("/epg-matches?channel={id}")).await;
    page["content"].as_array().unwrap().first().cloned()
}

/// Waits until the state of matching is one of these.
async fn until_matching_is(admin: &Client, url: &str, states: &[&str]) {
    let reached = async {
        while !states.contains(&admin.get(url, "/epg-matching").await.1["state"].as_str().unwrap()) {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_mins(2), reached).await.expect("matching goes on");
}

/// A decision on a channel is kept, whatever a concurrent run at the other server finds.
async fn a_decision_beside_a_run_is_kept(two: &Two) {
    let (admin, url) = two.first();
    let rounds = rounds(4);
    let guide = guides::new_guide(admin, url, "http://127.0.0.1:9/g.xml").await;
    let mut programmes = String::from("<tv>");
    let mut channels = Vec::new();
    for number in 0..rounds {
        let _ = write!(
            programmes,
            "<channel id=\"n{number}\"><display-name>Nebulosa {number}</display-name></channel>\
             <programme channel=\"n{number}\" start=\"20261120090000 +0000\" stop=\"20261120100000 +0000\">\
             <title>una</title></programme>"
        );
        channels.push(new_channel(admin, url, &two.category, 2_000 + number).await);
    }
    programmes.push_str("</tv>");
    admin.upload(url, &format!("{guide}/upload"), programmes).await;
    assert_eq!(guides::last_fetch(admin, url, &guide).await["state"], "DONE");
    let active = json!({"active": true});
    admin.send(url, Method::PATCH, &guide, None, Some(&active)).await.unwrap();
    let none = json!(null);
    admin.post(url, "/epg-matching/run", &none).await;
    until_matching_is(admin, url, &["IDLE"]).await;
    for (number, channel) in channels.iter().enumerate() {
        // From here on a guide has a sure match for it.
        let title = json!({"title": format!("Nebulosa {number}")});
        let running = async {
            let (renamed, answer) = two.send(1, Method::PATCH, channel, &title).await;
            assert_eq!(renamed, 200, "{answer}");
            let (begun, answer) = two.send(1, Method::POST, "/epg-matching/run", &none).await;
            assert!(begun < 300, "{begun} {answer}");
        };
        let (link, verdict) = (format!("{channel}/guide-link"), json!({"verdict": "NO_GUIDE"}));
        let deciding = async {
            loop {
                let before = found(admin, url, channel).await.filter(|one| !one["version"].is_null());
                let Some(before) = before else { continue };
                match two.put(0, &link, &before["version"], &verdict).await {
                    200 => break,
                    // A match was found, or the channel was linked, since it was read.
                    409 | 412 => {}
                    other => panic!("round {number}: {other}"),
                }
            }
        };
        let deciding = timeout(Duration::from_mins(2), deciding);
        let decided = if number % 2 == 0 {
            tokio::join!(running, deciding).1
        } else {
            running.await;
            until_matching_is(admin, url, &["RUNNING", "LINKING", "IDLE"]).await;
            deciding.await
        };
        decided.expect("the decision is made");
        admin.post(url, "/epg-matching/run", &none).await;
        until_matching_is(admin, url, &["IDLE"]).await;
        assert_eq!(found(admin, url, channel).await.unwrap()["decision"], "NO_GUIDE", "round {number}");
        let (_, stored) = admin.get(url, channel).await;
        assert_eq!(stored["tvGuideId"], none, "round {number}: {stored}");
    }
}

/// A category is deleted, or changes its type, or a playlist assigns channels to it: never both.
async fn a_category_that_a_playlist_names_stays(two: &Two) {
    let (admin, url) = two.first();
    let none = json!(null);
    for round in 0..rounds(20) {
        let category = new_category(admin, url).await;
        let path = format!("/categories/{category}");
        let source = json!({"title": format!("Carrera {round}"), "firstNumber": 1, "categoryId": category});
        let changing = async {
            let other_type = json!({"type": "SPORTS"});
            if round % 2 == 0 {
                two.send(0, Method::DELETE, &path, &none).await
            } else {
                two.send(0, Method::PATCH, &path, &other_type).await
            }
        };
        let (changed, made) = tokio::join!(changing, two.send(1, Method::POST, "/playlist-sources", &source));
        let (won, refused) = winner([changed.0, made.0]);
        assert!([409, 422].contains(&refused), "round {round}: {changed:?} {made:?}");
        let (status, stored) = admin.get(url, &path).await;
        let is_of_channels = status == 200 && stored["type"] == "TV_CHANNEL";
        assert_eq!(is_of_channels, won == 1, "round {round}: {stored}");
    }
}

/// Settings saved without a version replace each other, also the first ones of a guide.
async fn settings_without_a_version_are_both_saved(two: &Two) {
    let (admin, url) = two.first();
    for _ in 0..rounds(10) {
        let guide = guides::new_guide(admin, url, "http://127.0.0.1:9/g.xml").await;
        let path = format!("{guide}/fetching");
        let bodies = [1, 2].map(|priority| json!({ "priority": priority }));
        for _ in 0..2 {
            let put = async |at: usize| {
                let sent =
                    two.admins[at].send(&two.servers[at].url, Method::PUT, &path, None, Some(&bodies[at]));
                sent.await.unwrap().0.as_u16()
            };
            assert_eq!(tokio::join!(put(0), put(1)), (200, 200));
        }
    }
}

on_both_databases! {
    nightly_on_sqlite
    // A second server on one file of SQLite is not refused.
    async fn of_two_edits_at_once_one_is_made(db: &TestDb) {
        let two = Two::start(db).await;
        one_of_two_orders_of_streams_is_kept(&two).await;
        an_entry_is_a_stream_of_one_channel(&two).await;
        a_new_entry_is_one_missing_one(&two).await;
        one_secret_of_a_profile_works(&two).await;
        one_of_two_decisions_is_kept(&two).await;
        a_decision_beside_a_run_is_kept(&two).await;
        an_edit_of_a_profile_is_kept(&two).await;
        a_category_that_a_playlist_names_stays(&two).await;
        settings_without_a_version_are_both_saved(&two).await;
        two.stop();
    }
}

on_both_databases! {
    async fn streams_that_were_acknowledged_survive_a_kill(db: &TestDb) {
        let server = Server::start(db);
        let admin = Client::sign_in(&server.url, "admin").await;
        let category = new_category(&admin, &server.url).await;
        let channel = new_channel(&admin, &server.url, &category, 1).await;
        let path = format!("{channel}/streams");
        let address = |version: u64| format!("https://b.example/{version}.m3u8");
        let mut server = Some(server);
        let mut version = 1;
        for round in 0..rounds(3) {
            let running = server.take().unwrap_or_else(|| Server::start(db));
            let url = running.url.clone();
            // Each version has its own address, until a response is missing. The time to the kill runs from the first
            // response: a busy machine may take longer than that for it.
            let put = async |version: u64| {
                admin.put(&url, &path, &json!(version), &streams(&address(version + 1))).await
            };
            assert_eq!(put(version).await.unwrap(), 200, "round {round}");
            version += 1;
            let kill = tokio::spawn(async move {
                sleep(Duration::from_millis(300)).await;
                running.kill();
            });
            while let Ok(status) = put(version).await {
                assert_eq!(status, 200, "round {round}, version {version}");
                version += 1;
            }
            kill.await.unwrap();
            let again = Server::start(db);
            let (found, last) = stored(&admin, &again.url, &channel).await;
            let found = found.as_u64().unwrap();
            // The unanswered one may have been made.
            assert!(found == version || found == version + 1, "{found} after {version}");
            assert_eq!(last, address(found), "round {round}");
            version = found;
            server = Some(again);
        }
        server.unwrap().stop(Duration::from_secs(30));
    }
}
