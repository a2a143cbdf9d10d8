//! Fetches of guides whose server is killed while it writes programmes: each channel has its old
//! span or its new one, and the fetch continues. A second process beside it fetches nothing twice.

use std::{
    fmt::Write as _,
    time::{Duration, SystemTime},
};

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use sea_orm::{ConnectionTrait, DatabaseConnection, Statement};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::harness::{Client, FETCHES_FROM_HERE, FileServer, Server, TestDb, on_both_databases, rounds};

const CHANNELS: usize = 250;
const PROGRAMMES: usize = 40;

/// A guide whose programmes all have this title.
fn guide(title: &str) -> String {
    let first = DateTime::<Utc>::from(SystemTime::now()).duration_trunc(TimeDelta::days(1)).unwrap();
    let mut text = String::from("<tv>");
    for channel in 0..CHANNELS {
        for number in 0..PROGRAMMES {
            let at = |number: usize| {
                let start = first + TimeDelta::minutes(30) * i32::try_from(number).unwrap();
                start.format("%Y%m%d%H%M%S +0000")
            };
            let _ = write!(
                text,
                "<programme channel=\"c{channel}\" start=\"{}\" stop=\"{}\"><title>{title}</title></programme>",
                at(number),
                at(number + 1)
            );
        }
    }
    text.push_str("</tv>");
    text
}

pub(crate) async fn number(connection: &DatabaseConnection, sql: &str) -> i64 {
    let statement = Statement::from_string(connection.get_database_backend(), sql);
    let row = connection.query_one_raw(statement).await.unwrap().unwrap();
    row.try_get("", "number").unwrap()
}

/// Channels whose programmes have this title.
async fn channels_with(connection: &DatabaseConnection, title: &str) -> i64 {
    let sql =
        format!("SELECT count(DISTINCT p.channel_id) AS number FROM programmes p WHERE p.title = '{title}'");
    number(connection, &sql).await
}

/// Every channel has all its programmes with the same title.
async fn assert_whole(connection: &DatabaseConnection) {
    let whole = format!(
        "SELECT count(*) AS number FROM (SELECT p.channel_id FROM programmes p GROUP BY p.channel_id \
         HAVING count(*) = {PROGRAMMES} AND count(DISTINCT p.title) = 1) w"
    );
    assert_eq!(number(connection, &whole).await, i64::try_from(CHANNELS).unwrap());
}

pub(crate) async fn new_guide(admin: &Client, url: &str, source: &str) -> String {
    let draft = json!({"title": "Guía nacional", "url": source, "active": false, "gzip": false});
    format!("/tv-guides/{}", admin.post(url, "/tv-guides", &draft).await["id"])
}

/// The last fetch of a guide, once it has ended.
pub(crate) async fn last_fetch(admin: &Client, url: &str, guide: &str) -> Value {
    let ended = async {
        loop {
            let (_, fetch) = admin.get(url, &format!("{guide}/fetching")).await;
            if !["WAITING", "RUNNING"].contains(&fetch["state"].as_str().unwrap()) {
                break fetch;
            }
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_mins(2), ended).await.expect("the fetch goes on")
}

on_both_databases! {
    async fn a_killed_fetch_leaves_each_channel_old_or_new_and_continues(db: &TestDb) {
        let mut server = Server::start(db);
        let admin = Client::sign_in(&server.url, "admin").await;
        let one = new_guide(&admin, &server.url, "http://127.0.0.1:9/g.xml").await;
        admin.upload(&server.url, &format!("{one}/upload"), guide("v0")).await;
        assert_eq!(last_fetch(&admin, &server.url, &one).await["state"], "DONE");
        let connection = db.connect().await;
        assert_whole(&connection).await;
        for round in 1..=rounds(2) {
            let title = format!("v{round}");
            admin.upload(&server.url, &format!("{one}/upload"), guide(&title)).await;
            let has_begun = async {
                while channels_with(&connection, &title).await == 0 {
                    sleep(Duration::from_millis(5)).await;
                }
            };
            timeout(Duration::from_mins(2), has_begun).await.expect("programmes are written");
            server.kill();
            let written = channels_with(&connection, &title).await;
            assert!(written < i64::try_from(CHANNELS).unwrap(), "it was killed after the last channel");
            assert_whole(&connection).await;
            server = Server::start_after_kill(db).await;
            let ended = last_fetch(&admin, &server.url, &one).await;
            assert_eq!((&ended["state"], &ended["counts"]["programmes"]), (&json!("DONE"), &json!(CHANNELS * PROGRAMMES)), "{ended}");
            assert_eq!(ended["counts"]["unchanged"], json!(usize::try_from(written).unwrap() * PROGRAMMES), "{ended}");
            assert_eq!(channels_with(&connection, &title).await, i64::try_from(CHANNELS).unwrap());
            assert_whole(&connection).await;
            assert_eq!(number(&connection, "SELECT count(*) AS number FROM guide_staged").await, 0);
        }
        connection.close().await.unwrap();
        server.stop(Duration::from_secs(30));
    }

    async fn two_processes_fetch_a_guide_once(db: &TestDb) {
        let source = FileServer::start(guide("una"));
        let first = Server::start_with(db, &FETCHES_FROM_HERE);
        let second = Server::start_with(db, &FETCHES_FROM_HERE);
        let admin = Client::sign_in(&first.url, "admin").await;
        let one = new_guide(&admin, &first.url, source.url()).await;
        for round in 1..=rounds(2) {
            admin.post(&first.url, &format!("{one}/fetch"), &json!(null)).await;
            let ended = last_fetch(&admin, &first.url, &one).await;
            assert_eq!(ended["state"], "DONE", "{ended}");
            assert_eq!(source.requests(), round);
        }
        let connection = db.connect().await;
        let attempts = number(&connection, "SELECT attempt AS number FROM guide_fetches").await;
        assert_eq!(attempts, i64::try_from(rounds(2)).unwrap(), "one process claimed each");
        assert_whole(&connection).await;
        connection.close().await.unwrap();
        first.stop(Duration::from_secs(30));
        second.stop(Duration::from_secs(30));
    }
}
