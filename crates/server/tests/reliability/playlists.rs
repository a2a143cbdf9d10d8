//! Runs of playlists whose server is killed: each is begun anew and comes to the same end, and what is applied is applied once.

use std::{fmt::Write, time::Duration};

use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::{
    bulk_operations::{until_ended, until_running},
    harness::{Client, Rng, Server, TestDb, on_both_databases, rounds},
};

const ENTRIES: usize = 2_500;

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

pub(crate) async fn until_read(db: &TestDb, admin: &Client, url: &str, path: &str) -> Value {
    // The lease of a killed server ends by itself within 20 seconds; nobody waits for that here.
    db.execute("DELETE FROM leases WHERE name = 'playlists'").await;
    read_run(admin, url, path).await
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

async fn total(admin: &Client, url: &str, path: &str) -> u64 {
    admin.get(url, path).await.1["totalElements"].as_u64().unwrap()
}

on_both_databases! {
    async fn a_run_that_is_killed_is_begun_anew_and_is_whole(db: &TestDb) {
        let mut server = Server::start(db);
        let admin = Client::sign_in(&server.url, "admin").await;
        let category = json!({"description": "Listas", "englishDescription": "Lists", "type": "TV_CHANNEL"});
        let category = admin.post(&server.url, "/categories", &category).await;
        let draft = json!({"title": "Proveedor", "defaultCategoryId": category["id"], "firstNumber": 1});
        let source = admin.post(&server.url, "/playlist-sources", &draft).await;
        let one = format!("/playlist-sources/{}", source["id"]);
        let mut rng = Rng(74);
        for round in 0..rounds(2) {
            let begun = admin.upload(&server.url, &format!("{one}/upload"), list(round)).await;
            sleep(Duration::from_millis(rng.below(1_200))).await;
            server.kill();
            server = Server::start(db);
            let run = format!("{one}/runs/{}", begun["id"]);
            let ended = until_read(db, &admin, &server.url, &run).await;
            assert_eq!((&ended["state"], &ended["counts"]["entries"]), (&json!("FINISHED"), &json!(ENTRIES)), "{ended}");
            let stored = total(&admin, &server.url, &format!("{run}/changes?_size=1")).await;
            assert_eq!(stored, ENTRIES as u64, "each entry is there once");
            let body = json!({"filter": {"search": "HD"}});
            let begun = admin.post(&server.url, &format!("{run}/apply"), &body).await;
            until_running(&admin, &server.url, &begun[0]).await;
            server.kill();
            server = Server::start(db);
            let operation = until_ended(db, &admin, &server.url, &begun[0]).await;
            assert_eq!(operation["state"], "FINISHED", "{operation}");
            let waiting = total(&admin, &server.url, &format!("{run}/changes?_size=1&search=HD&change=NEW,CHANGED")).await;
            assert_eq!(waiting, 0, "what was applied is linked");
            let channels = total(&admin, &server.url, "/tv-channels").await;
            assert_eq!(channels, (ENTRIES / 10 * (round + 1).min(10)) as u64, "nothing was added twice");
        }
        server.stop(Duration::from_secs(30));
    }
}
