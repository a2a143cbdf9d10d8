//! Runs of playlists whose server is killed: each is restarted and has the same result, and its
//! changes are applied once.

use std::{fmt::Write, time::Duration};

use reqwest::Method;
use sea_orm::DatabaseConnection;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::{
    bulk_operations::{ended, until_running},
    guides::number,
    harness::{Client, FETCHES_FROM_HERE, FileServer, Rng, Server, TestDb, on_both_databases, rounds},
};

/// Four slices: a kill after the first one comes before the last.
const ENTRIES: usize = 1_000;

/// The list of a round: every address has another token, and a tenth of the names differ.
fn list(round: usize) -> String {
    let mut text = String::from("#EXTM3U\n");
    for number in 0..ENTRIES {
        let name =
            if number % 10 == round % 10 { format!("Canal {number} HD") } else { format!("Canal {number}") };
        let _ = writeln!(
            text,
            "#EXTINF:-1 group-title=\"Grupo {}\",{name}\nhttp://a.example/canal-{number}.m3u8?token={round}",
            number % 20
        );
    }
    text
}

/// A run, once it has ended.
pub(crate) async fn read_run(admin: &Client, url: &str, path: &str) -> Value {
    let ended = async {
        loop {
            let (_, run) = admin.get(url, path).await;
            if !["WAITING", "RUNNING"].contains(&run["state"].as_str().unwrap()) {
                break run;
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_mins(2), ended).await.expect("the run goes on")
}

/// A source whose new entries become channels of its own category.
async fn new_source(admin: &Client, url: &str, more: Value) -> String {
    let category = json!({"description": "Listas", "englishDescription": "Lists", "type": "TV_CHANNEL"});
    let category = admin.post(url, "/categories", &category).await;
    let mut draft = json!({"title": "Proveedor", "defaultCategoryId": category["id"], "firstNumber": 1});
    draft.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    format!("/playlist-sources/{}", admin.post(url, "/playlist-sources", &draft).await["id"])
}

/// Waits for this number of counted rows.
async fn until(connection: &DatabaseConnection, sql: &str, wanted: usize) {
    let reached = async {
        while number(connection, sql).await != i64::try_from(wanted).unwrap() {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(Duration::from_mins(2), reached).await.unwrap_or_else(|_| panic!("not {wanted}: {sql}"));
}

const UNFINISHED: &str = "SELECT count(*) AS number FROM bulk_operations WHERE finished_date IS NULL";
const CHANNELS: &str = "SELECT count(*) AS number FROM tv_channels";
/// Channels whose address is not the one last applied from their entry.
const DIFFERENT: &str = "SELECT count(*) AS number FROM playlist_entries e JOIN tv_channels c ON c.id = e.item_id \
     WHERE e.in_use AND e.applied NOT LIKE '%' || c.url || '%'";

async fn total(admin: &Client, url: &str, path: &str) -> u64 {
    admin.get(url, path).await.1["totalElements"].as_u64().unwrap()
}

on_both_databases! {
    async fn a_killed_run_is_restarted_and_complete(db: &TestDb) {
        let mut server = Server::start(db);
        let admin = Client::sign_in(&server.url, "admin").await;
        let one = new_source(&admin, &server.url, json!({})).await;
        let mut rng = Rng(74);
        for round in 0..rounds(2) {
            let begun = admin.upload(&server.url, &format!("{one}/upload"), list(round)).await;
            sleep(Duration::from_millis(rng.below(600))).await;
            server.kill();
            server = Server::start_after_kill(db).await;
            let run = format!("{one}/runs/{}", begun["id"]);
            let found = read_run(&admin, &server.url, &run).await;
            assert_eq!((&found["state"], &found["counts"]["entries"]), (&json!("FINISHED"), &json!(ENTRIES)), "{found}");
            let stored = total(&admin, &server.url, &format!("{run}/changes?_size=1")).await;
            assert_eq!(stored, ENTRIES as u64, "each entry exists once");
            let body = json!({"filter": {"search": "HD"}});
            let begun = admin.post(&server.url, &format!("{run}/apply"), &body).await;
            let begun = &begun["operations"][0];
            // Its only slice waits, or is being written.
            sleep(Duration::from_millis(rng.below(40))).await;
            server.kill();
            server = Server::start_after_kill(db).await;
            let operation = ended(&admin, &server.url, begun).await;
            assert_eq!(operation["state"], "FINISHED", "{operation}");
            let waiting = total(&admin, &server.url, &format!("{run}/changes?_size=1&search=HD&change=NEW,CHANGED")).await;
            assert_eq!(waiting, 0, "what was applied is linked");
            let channels = total(&admin, &server.url, "/tv-channels").await;
            assert_eq!(channels, (ENTRIES / 10 * (round + 1).min(10)) as u64, "nothing was added twice");
        }
        server.stop(Duration::from_secs(30));
    }

    async fn streams_follow_their_list_and_are_undone_though_the_server_is_killed(db: &TestDb) {
        let mut server = Server::start(db);
        let admin = Client::sign_in(&server.url, "admin").await;
        let connection = db.connect().await;
        let read = async |server: &Server, source: &str, list: String| {
            let begun = admin.upload(&server.url, &format!("{source}/upload"), list).await;
            let run = format!("{source}/runs/{}", begun["id"]);
            assert_eq!(read_run(&admin, &server.url, &run).await["state"], "FINISHED");
            run
        };
        let one = new_source(&admin, &server.url, json!({})).await;
        let run = read(&server, &one, list(0)).await;
        admin.post(&server.url, &format!("{run}/apply"), &json!({"filter": {}})).await;
        until(&connection, CHANNELS, ENTRIES).await;
        until(&connection, UNFINISHED, 0).await;
        // Each entry of another source is the second stream of a channel.
        let other = admin.post(&server.url, "/playlist-sources", &json!({"title": "Reservas"})).await["id"].clone();
        let other_path = format!("/playlist-sources/{other}");
        let spare = |round: usize| list(round).replace("a.example", "b.example");
        read(&server, &other_path, spare(0)).await;
        let ranked = |table: &str, condition: &str| {
            format!("(SELECT id, row_number() OVER (ORDER BY id) AS n FROM {table} WHERE {condition})")
        };
        let (entries, channels) =
            (ranked("playlist_entries", &format!("source_id = {other}")), ranked("tv_channels", "id > 0"));
        for sql in [
            "INSERT INTO channel_stream_lists (channel_id, failover, next_number) SELECT id, 'AUTO', 2 FROM tv_channels".to_owned(),
            "INSERT INTO channel_streams (channel_id, number, position, url_type, url, headers, origin) \
             SELECT id, 0, 0, url_type, url, '[]', 'TYPED' FROM tv_channels"
                .to_owned(),
            format!(
                "UPDATE playlist_entries SET item_kind = 'channel-streams', item_id = m.channel_id, applied = content FROM \
                 (SELECT e.id AS entry_id, c.id AS channel_id FROM {entries} e JOIN {channels} c ON c.n = e.n) m \
                 WHERE m.entry_id = playlist_entries.id"
            ),
            format!(
                "INSERT INTO channel_streams (channel_id, number, position, url_type, url, headers, origin, entry_id) \
                 SELECT item_id, 1, 1, 'EXTERNAL', 'http://first.example/' || CAST(id AS text), '[]', 'PLAYLIST', id \
                 FROM playlist_entries WHERE source_id = {other}"
            ),
        ] {
            db.execute(&sql).await;
        }
        let run = read(&server, &other_path, spare(1)).await;
        let body = json!({"filter": {"change": "CHANGED"}});
        let begun = admin.post(&server.url, &format!("{run}/apply"), &body).await["operations"][0].clone();
        let with = |url: &str| {
            format!("SELECT count(*) AS number FROM channel_streams WHERE position = 1 AND entry_id IS NOT NULL AND url LIKE '{url}'")
        };
        let all = i64::try_from(ENTRIES).unwrap();
        let (mut operation, mut interrupted) = (begun, 0);
        for url in ["http://b.example/%?token=1", "http://first.example/%"] {
            until_running(&admin, &server.url, &operation).await;
            server.kill();
            interrupted += usize::from(number(&connection, &with(url)).await < all);
            server = Server::start_after_kill(db).await;
            let ended = ended(&admin, &server.url, &operation).await;
            assert_eq!((&ended["state"], &ended["counts"]["changed"]), (&json!("FINISHED"), &json!(ENTRIES)), "{ended}");
            assert_eq!(number(&connection, &with(url)).await, all, "each stream has this address once");
            if url.contains("token") {
                let undo = format!("/operations/{}/undo", ended["id"]);
                operation = admin.post(&server.url, &undo, &json!(null)).await;
            }
        }
        assert!(interrupted > 0, "each was killed after the last stream");
        let changed = format!("SELECT count(*) AS number FROM playlist_entries WHERE source_id = {other} AND in_use AND change = 'CHANGED'");
        assert_eq!(number(&connection, &changed).await, all, "each can be applied again");
        connection.close().await.unwrap();
        server.stop(Duration::from_secs(30));
    }

    async fn what_a_scheduled_run_found_is_applied_once_though_the_server_is_killed_before(db: &TestDb) {
        let file = FileServer::start(list(0));
        let mut server = Server::start_with(db, &FETCHES_FROM_HERE);
        let admin = Client::sign_in(&server.url, "admin").await;
        let connection = db.connect().await;
        let fetched = json!({"url": file.url(), "refreshHours": 168, "automatic": "ALL"});
        new_source(&admin, &server.url, fetched).await;
        let mut rng = Rng(75);
        for round in 1..=rounds(3) {
            file.replace(list(round));
            server.kill();
            // Due runs are started as a server starts.
            db.end_leases().await;
            db.execute("UPDATE playlist_sources SET next_refresh_date = '2026-01-01T00:00:00.000+00:00'").await;
            server = Server::start_with(db, &FETCHES_FROM_HERE);
            let finished = "SELECT count(*) AS number FROM playlist_runs WHERE state = 'FINISHED'";
            until(&connection, finished, round).await;
            // Immediately, while entries become rows, or while the operation runs.
            sleep(Duration::from_millis(rng.below(400) * (round as u64 % 3))).await;
            server.kill();
            db.end_leases().await;
            server = Server::start_with(db, &FETCHES_FROM_HERE);
            until(&connection, "SELECT count(*) AS number FROM playlist_runs WHERE waits_for_apply", 0).await;
            until(&connection, UNFINISHED, 0).await;
            assert_eq!(number(&connection, finished).await, i64::try_from(round).unwrap(), "it is not fetched again");
            assert_eq!(number(&connection, CHANNELS).await, i64::try_from(ENTRIES).unwrap(), "each entry is a channel, once");
            let current = format!("{CHANNELS} WHERE url LIKE '%?token={round}'");
            assert_eq!(number(&connection, &current).await, i64::try_from(ENTRIES).unwrap(), "each has its new address");
            let faults = "SELECT count(*) AS number FROM playlist_runs WHERE apply_fault IS NOT NULL";
            assert_eq!(number(&connection, faults).await, 0);
        }
        connection.close().await.unwrap();
        server.stop(Duration::from_secs(30));
    }
}

on_both_databases! {
    nightly_on_sqlite
    async fn a_run_of_one_process_and_an_apply_of_another_do_not_mix(db: &TestDb) {
        let [first, second] = [Server::start(db), Server::start(db)];
        let admin = Client::sign_in(&first.url, "admin").await;
        let connection = db.connect().await;
        let one = new_source(&admin, &first.url, json!({})).await;
        let mut rng = Rng(76);
        let read = async |url: &str, round: usize| {
            let begun = admin.upload(url, &format!("{one}/upload"), list(round)).await;
            format!("{one}/runs/{}", begun["id"])
        };
        let all = json!({"filter": {}});
        let mut run = read(&first.url, 0).await;
        read_run(&admin, &first.url, &run).await;
        let (mut applied, mut refused) = (0, 0);
        for round in 1..=rounds(4) {
            let apply = async {
                let path = format!("{run}/apply");
                admin.send(&first.url, Method::POST, &path, None, Some(&all)).await.unwrap()
            };
            let ((status, answer), next) = if round % 2 == 0 {
                // The list is read while the started operation runs, however slow the machine is.
                (apply.await, read(&second.url, round).await)
            } else {
                let later = async {
                    sleep(Duration::from_millis(rng.below(300))).await;
                    apply.await
                };
                tokio::join!(later, read(&second.url, round))
            };
            match status.as_u16() {
                200..=202 => applied += 1,
                // The list was read in between, or is being read.
                409 if round % 2 != 0 => refused += 1,
                _ => panic!("{status} {answer}"),
            }
            let ended = read_run(&admin, &second.url, &next).await;
            assert_eq!(ended["state"], "FINISHED", "{ended}");
            until(&connection, UNFINISHED, 0).await;
            assert_eq!(number(&connection, DIFFERENT).await, 0, "entries equal their channels");
            run = next;
        }
        admin.post(&first.url, &format!("{run}/apply"), &all).await;
        until(&connection, UNFINISHED, 0).await;
        assert_eq!(number(&connection, DIFFERENT).await, 0);
        let channels = number(&connection, CHANNELS).await;
        assert_eq!(channels, i64::try_from(ENTRIES).unwrap(), "nothing was added twice");
        let failed = "SELECT count(*) AS number FROM bulk_operation_rows WHERE verdict NOT IN ('CHANGED', 'CREATED', 'UNCHANGED')";
        assert_eq!(number(&connection, failed).await, 0);
        println!("{applied} applied beside a run, {refused} refused");
        connection.close().await.unwrap();
        first.stop(Duration::from_secs(30));
        second.stop(Duration::from_secs(30));
    }
}
