//! Imports of spreadsheets whose server is killed, and their undos: each continues and is complete,
//! or was never started.

use std::{fmt::Write, time::Duration};

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    bulk_operations::{ended, until_running},
    harness::{Client, Rng, Server, TestDb, on_both_databases, rounds},
};

const CHANNELS: usize = 450;

/// Uploads a file and starts its import with the recognised columns.
pub(crate) async fn begun(admin: &Client, url: &str, path: &str, file: String) -> Value {
    let uploaded = admin.upload(url, path, file).await;
    admin.post(url, &format!("{path}/{}/run", uploaded["id"]), &recognised(&uploaded)).await
}

/// Recognised columns of an uploaded file, as input of an import.
pub(crate) fn recognised(uploaded: &Value) -> Value {
    let columns: Vec<Value> =
        uploaded["columns"].as_array().unwrap().iter().map(|column| column["key"].clone()).collect();
    json!({"columns": columns})
}

/// Channels of a round; the first hundred were in the previous file with other URLs.
fn file(round: usize) -> String {
    let mut csv = String::from("channelNumber;title;categories.name;urlType;url\n");
    for number in 0..CHANNELS {
        let number = round * (CHANNELS - 100) + number;
        let _ = writeln!(
            csv,
            "{number};Canal {number};Noticias;EXTERNAL;https://a.example/{round}/{number}.m3u8",
            number = number + 1
        );
    }
    csv
}

fn id_of(row: &Value) -> i64 {
    row["itemId"].as_i64().unwrap()
}

/// The operation and its rows match the store.
async fn assert_whole(db: &TestDb, admin: &Client, url: &str, operation: &Value) {
    assert_eq!(operation["state"], "FINISHED", "{operation}");
    let (_, rows) = admin.get(url, &format!("/operations/{}/rows?_size=1000", operation["id"])).await;
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), CHANNELS, "{operation}");
    let sql = "SELECT id, CAST(channel_number AS text) || ' · ' || title FROM tv_channels";
    let titles = db.by_id::<String>(sql).await;
    for (position, row) in rows.iter().enumerate() {
        assert_eq!((&row["position"], &row["sheetRow"]), (&json!(position), &json!(position + 2)));
        let stored = titles.get(&id_of(row)).map(String::as_str);
        assert_eq!(stored, row["title"].as_str(), "{row}");
    }
    for (name, verdict) in [("created", "CREATED"), ("changed", "CHANGED")] {
        let count = rows.iter().filter(|row| row["verdict"] == verdict).count();
        assert_eq!(operation["counts"][name], count, "{name}: {operation}");
    }
}

on_both_databases! {
    async fn an_import_goes_on_after_a_kill_and_adds_nothing_twice(db: &TestDb) {
        let mut server = Server::start(db);
        let admin = Client::sign_in(&server.url, "admin").await;
        let category = json!({"description": "Noticias", "englishDescription": "News", "type": "TV_CHANNEL"});
        admin.post(&server.url, "/categories", &category).await;
        let mut rng = Rng(57);
        let mut expected = 0;
        for round in 0..rounds(2) {
            let begun = begun(&admin, &server.url, "/tv-channels/spreadsheet-imports", file(round)).await;
            until_running(&admin, &server.url, &begun).await;
            sleep(Duration::from_millis(rng.below(40))).await;
            server.kill();
            server = Server::start_after_kill(db).await;
            let ended = ended(&admin, &server.url, &begun).await;
            assert_whole(db, &admin, &server.url, &ended).await;
            let known = if round == 0 { 0 } else { 100 };
            assert_eq!((&ended["counts"]["created"], &ended["counts"]["changed"]), (&json!(CHANNELS - known), &json!(known)));
            expected += CHANNELS - known;
            let (_, list) = admin.get(&server.url, "/tv-channels").await;
            assert_eq!(list["totalElements"], expected, "nothing was added twice");
        }
        server.stop(Duration::from_secs(30));
    }

    async fn the_undo_of_an_import_goes_on_after_a_kill_and_reverts_each_row_once(db: &TestDb) {
        let mut server = Server::start(db);
        let admin = Client::sign_in(&server.url, "admin").await;
        let category = json!({"description": "Noticias", "englishDescription": "News", "type": "TV_CHANNEL"});
        admin.post(&server.url, "/categories", &category).await;
        let mut import = Value::Null;
        for round in 0..2 {
            import = begun(&admin, &server.url, "/tv-channels/spreadsheet-imports", file(round)).await;
            assert_whole(db, &admin, &server.url, &ended(&admin, &server.url, &import).await).await;
        }
        let (_, rows) = admin.get(&server.url, &format!("/operations/{}/rows?_size=1000", import["id"])).await;
        let rows = rows.as_array().unwrap();
        let mut rng = Rng(59);
        let mut undoing = import["id"].clone();
        // The undo, and then the undo of the undo.
        for times in 1..=rounds(2) {
            let is_there = times % 2 == 0;
            let begun = admin.post(&server.url, &format!("/operations/{undoing}/undo"), &json!(null)).await;
            undoing = begun["id"].clone();
            until_running(&admin, &server.url, &begun).await;
            sleep(Duration::from_millis(rng.below(40))).await;
            server.kill();
            server = Server::start_after_kill(db).await;
            let ended = ended(&admin, &server.url, &begun).await;
            assert_eq!((&ended["state"], &ended["counts"]["changed"]), (&json!("FINISHED"), &json!(CHANNELS)), "{ended}");
            let added = CHANNELS - 100;
            let (listed, trashed) = if is_there { (CHANNELS + added, 0) } else { (CHANNELS, added) };
            assert_eq!(admin.get(&server.url, "/tv-channels").await.1["totalElements"], listed);
            assert_eq!(admin.get(&server.url, "/trash").await.1["totalElements"], trashed);
            let sql = format!(
                "SELECT id, version FROM tv_channels \
                 WHERE url = 'https://a.example/{}/' || CAST(channel_number AS text) || '.m3u8'",
                usize::from(is_there)
            );
            let versions = db.by_id::<i64>(&sql).await;
            let histories = db.histories("tv-channels").await;
            for row in rows {
                let (version, changes) = (versions.get(&id_of(row)), histories[&id_of(row)].len());
                if row["verdict"] == "CREATED" {
                    assert_eq!((version.is_some(), changes), (is_there, 1 + times), "each once: {row}");
                } else {
                    // Added by the first file, changed by the second, and once by each undo.
                    let expected = i64::try_from(2 + times).unwrap();
                    assert_eq!((version, changes), (Some(&expected), 2 + times), "each once: {row}");
                }
            }
        }
        server.stop(Duration::from_secs(30));
    }
}
