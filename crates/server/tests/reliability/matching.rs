//! A matching run whose server is killed after channels were compared: certain matches are still
//! linked, each channel once.

use std::{fmt::Write, time::Duration};

use reqwest::Method;
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::{
    bulk_operations,
    guides::{self, new_guide, number},
    harness::{Client, Server, TestDb, on_both_databases},
    playlists,
};

const CHANNELS: i64 = 600;

const LINKS: &str = "SELECT count(*) AS number FROM epg_decisions";
const MADE: &str = "SELECT count(*) AS number FROM epg_decisions WHERE sheet_id IS NULL";
const LINKED: &str = "SELECT count(*) AS number FROM tv_channels WHERE epg_id IS NOT NULL";
const OPERATIONS: &str = "SELECT count(*) AS number FROM bulk_operations";

fn list() -> String {
    let mut text = String::from("#EXTM3U\n");
    for number in 0..CHANNELS {
        let _ = writeln!(text, "#EXTINF:-1,Quimera {number} HD\nhttp://a.example/{number}.m3u8");
    }
    text
}

fn guide() -> String {
    let mut text = String::from("<tv>");
    for number in 0..CHANNELS {
        let _ = write!(
            text,
            "<channel id=\"q{number}\"><display-name>Quimera {number}</display-name></channel>\
             <programme channel=\"q{number}\" start=\"20261120090000 +0000\" stop=\"20261120100000 +0000\">\
             <title>una</title></programme>"
        );
    }
    text.push_str("</tv>");
    text
}

/// Imports channels from a playlist, without ids.
async fn line_up(admin: &Client, url: &str) {
    let category = json!({"description": "Listas", "englishDescription": "Lists", "type": "TV_CHANNEL"});
    let category = admin.post(url, "/categories", &category).await;
    let draft = json!({"title": "Proveedor", "defaultCategoryId": category["id"], "firstNumber": 1});
    let source = admin.post(url, "/playlist-sources", &draft).await;
    let one = format!("/playlist-sources/{}", source["id"]);
    let begun = admin.upload(url, &format!("{one}/upload"), list()).await;
    let run = format!("{one}/runs/{}", begun["id"]);
    assert_eq!(playlists::read_run(admin, url, &run).await["state"], "FINISHED");
    let begun = admin.post(url, &format!("{run}/apply"), &json!({"filter": {}})).await;
    let applied = bulk_operations::ended(admin, url, &begun["operations"][0]).await;
    assert_eq!(applied["counts"]["created"], CHANNELS, "{applied}");
}

on_both_databases! {
    async fn certain_matches_are_linked_once_although_the_server_is_killed_after_the_comparison(db: &TestDb) {
        let server = Server::start(db);
        let admin = Client::sign_in(&server.url, "admin").await;
        line_up(&admin, &server.url).await;
        let guide_path = new_guide(&admin, &server.url, "http://127.0.0.1:9/g.xml").await;
        admin.upload(&server.url, &format!("{guide_path}/upload"), guide()).await;
        let read = guides::last_fetch(&admin, &server.url, &guide_path).await;
        assert_eq!(read["counts"]["channels"], CHANNELS, "{read}");
        let connection = db.connect().await;
        let before = number(&connection, OPERATIONS).await;
        let active = json!({"active": true});
        admin.send(&server.url, Method::PATCH, &guide_path, None, Some(&active)).await.unwrap();
        admin.post(&server.url, "/epg-matching/run", &json!(null)).await;

        let has_begun = async {
            while number(&connection, LINKS).await == 0 {
                sleep(Duration::from_millis(2)).await;
            }
        };
        timeout(Duration::from_mins(2), has_begun).await.expect("channels are compared");
        server.kill();
        // Mostly before the operation has started; a slow machine may be further.
        assert!(number(&connection, OPERATIONS).await <= before + 1);

        let server = Server::start_after_kill(db).await;
        let until = async |what: &str, enough: &dyn Fn(i64) -> bool| {
            let reached = async {
                while !enough(number(&connection, what).await) {
                    sleep(Duration::from_millis(5)).await;
                }
            };
            timeout(Duration::from_mins(2), reached).await.expect("it goes on");
        };
        until(LINKED, &|linked| linked > 0).await;
        server.kill();
        let server = Server::start_after_kill(db).await;
        until(LINKED, &|linked| linked == CHANNELS).await;
        let idle = "SELECT count(*) AS number FROM epg_matching WHERE state = 'IDLE'";
        until(idle, &|idle| idle == 1).await;
        assert_eq!(number(&connection, MADE).await, CHANNELS, "each channel is linked once");
        assert_eq!(number(&connection, OPERATIONS).await, before + 1);
        connection.close().await.unwrap();
        server.stop(Duration::from_secs(30));
    }
}
