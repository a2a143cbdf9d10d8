//! Operations at one server beside edits of the same items at another: one of both is in conflict,
//! or both are made, and no acknowledged edit is lost.

use std::{
    collections::HashMap,
    fmt::Write,
    sync::atomic::{AtomicBool, Ordering},
};

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    bulk_operations::ended,
    harness::{Client, Rng, TestDb, on_both_databases, rounds},
    live_edits::{Two, new_channel, new_source, read_list},
};

const CHANNELS: usize = 24;
const REPORTS: usize = 60;

/// A list with this token in each address.
fn list(entries: usize, token: usize) -> String {
    (0..entries).fold(String::from("#EXTM3U\n"), |mut list, number| {
        let _ = writeln!(list, "#EXTINF:-1,Reserva {number}\nhttp://h.example/{number}.m3u8?token={token}");
        list
    })
}

pub(crate) fn id_of(path: &str) -> i64 {
    path.rsplit('/').next().unwrap().parse().unwrap()
}

/// The streams of a channel; `None` where it is deleted.
pub(crate) async fn streams_of(admin: &Client, url: &str, channel: &str) -> Option<Value> {
    let (status, found) = admin.get(url, &format!("{channel}/streams")).await;
    (status == 200).then_some(found)
}

/// The addresses of a channel's streams.
pub(crate) async fn addresses_of(admin: &Client, url: &str, channel: &str) -> Vec<String> {
    let found = streams_of(admin, url, channel).await.unwrap_or_default();
    let streams = found["streams"].as_array().into_iter().flatten();
    streams.map(|stream| stream["url"].as_str().unwrap().to_owned()).collect()
}

/// A channel for each entry of a list, which is its second stream; with the entries.
async fn followed(two: &Two, source: &str, entries: usize, first_number: usize) -> Vec<(String, Value)> {
    let (admin, url) = two.first();
    let run = read_list(admin, url, source, list(entries, 0)).await;
    let (_, page) = admin.get(url, &format!("{run}/changes?_size=1000")).await;
    let found = page["content"].as_array().unwrap();
    assert_eq!(found.len(), entries, "{page}");
    let mut channels = Vec::new();
    for (number, entry) in found.iter().enumerate() {
        let channel = new_channel(admin, url, &two.category, first_number + number).await;
        channels.push((channel, entry["id"].clone()));
    }
    let stream = |(channel, entry): &(String, Value)| json!({"entryId": entry, "channelId": id_of(channel)});
    let streams: Vec<Value> = channels.iter().map(stream).collect();
    let begun = admin.post(url, &format!("{source}/streams"), &json!({"streams": streams})).await;
    let operation = ended(admin, url, &begun["operations"][0]).await;
    assert_eq!(operation["counts"]["changed"], entries, "{operation}");
    channels
}

/// Applies changes of a run at the first server; the operation, once it has ended, and its rows.
async fn applied(two: &Two, run: &str, body: &Value) -> Vec<Value> {
    let (admin, url) = two.first();
    let (status, begun) = two.send(0, Method::POST, &format!("{run}/apply"), body).await;
    assert_eq!(status, 202, "{begun}");
    rows_of(admin, url, &begun["operations"][0]).await
}

/// The rows of an operation, once it has ended.
pub(crate) async fn rows_of(admin: &Client, url: &str, operation: &Value) -> Vec<Value> {
    let operation = ended(admin, url, operation).await;
    assert_eq!(operation["state"], "FINISHED", "{operation}");
    let (_, rows) = admin.get(url, &format!("/operations/{}/rows?_size=1000", operation["id"])).await;
    rows.as_array().unwrap().clone()
}

pub(crate) fn row_of(rows: &[Value], item: i64) -> &Value {
    rows.iter().find(|row| row["itemId"] == item).unwrap_or_else(|| panic!("no row of {item}: {rows:?}"))
}

/// Edits items at one server while an operation is made at the other, until it has ended and so many
/// edits are acknowledged: what the operation returns, and the acknowledged edits. `edit` takes the
/// number of the edit and returns the item with its new value, or `None` where the edit is refused.
pub(crate) async fn beside_edits<T, I, V>(
    operation: impl Future<Output = T>,
    at_least: usize,
    mut edit: impl AsyncFnMut(usize) -> Option<(I, V)>,
) -> (T, Vec<(I, V)>) {
    let has_ended = AtomicBool::new(false);
    let operating = async {
        let result = operation.await;
        has_ended.store(true, Ordering::Relaxed);
        result
    };
    let editing = async {
        let mut acknowledged = Vec::new();
        for number in 0.. {
            if acknowledged.len() >= at_least && has_ended.load(Ordering::Relaxed) {
                break;
            }
            acknowledged.extend(edit(number).await);
        }
        acknowledged
    };
    tokio::join!(operating, editing)
}

/// Gives a channel's first stream this value at the second server. `false` where the channel was
/// changed since, or was locked for three seconds.
async fn edit_first_stream(two: &Two, channel: &str, field: &str, value: &Value) -> bool {
    let (admin, url) = two.first();
    let mut form = streams_of(admin, url, channel).await.unwrap();
    form["streams"][0][field] = value.clone();
    let body = json!({"failover": form["failover"], "streams": form["streams"]});
    match two.put(1, &format!("{channel}/streams"), &form["version"], &body).await {
        200 => true,
        412 | 503 => false,
        other => panic!("{value}: {other}"),
    }
}

/// Forms with a channel's streams are saved at one server while the other applies the list that
/// one of the streams follows.
async fn an_edit_of_streams_beside_their_list_is_kept(two: &Two) {
    let (admin, url) = two.first();
    let source = new_source(admin, url, "Reservas").await;
    let channels = followed(two, &source, CHANNELS, 1).await;
    let mut typed = vec!["https://a.example/1.m3u8".to_owned(); CHANNELS];
    let mut rng = Rng(61);
    let mut edits = 0;
    for round in 1..=rounds(4) {
        let run = read_list(admin, url, &source, list(CHANNELS, round)).await;
        let changes = json!({"filter": {"change": "CHANGED"}});
        let (rows, acknowledged) = beside_edits(applied(two, &run, &changes), 0, async |number| {
            let at = usize::try_from(rng.below(CHANNELS as u64)).unwrap();
            let address = format!("https://a.example/{round}-{number}.m3u8");
            edit_first_stream(two, &channels[at].0, "url", &json!(address)).await.then_some((at, address))
        })
        .await;
        let acknowledged: HashMap<usize, String> = acknowledged.into_iter().collect();
        assert_eq!(rows.len(), CHANNELS, "round {round}");
        for (at, (channel, _)) in channels.iter().enumerate() {
            let is_edited = acknowledged.contains_key(&at);
            if let Some(address) = acknowledged.get(&at) {
                typed[at].clone_from(address);
                edits += 1;
            }
            let found = addresses_of(admin, url, channel).await;
            assert_eq!((found.len(), &found[0]), (2, &typed[at]), "round {round}");
            let is_new = found[1].ends_with(&format!("?token={round}"));
            let row = row_of(&rows, id_of(channel));
            match row["verdict"].as_str().unwrap() {
                "CHANGED" => assert!(is_new, "round {round}: {found:?} {row}"),
                "CONFLICT" => assert!(is_edited && !is_new, "round {round}: {found:?} {row}"),
                other => panic!("round {round}: {other} {row}"),
            }
        }
    }
    assert!(edits > 0, "streams were edited meanwhile");
}

/// A list with this name of a player in the headers of each entry.
fn list_with_agent(entries: usize, agent: &str) -> String {
    (0..entries).fold(String::from("#EXTM3U\n"), |mut list, number| {
        let _ =
            writeln!(list, "#EXTINF:-1,Propia {number}\nhttp://p.example/{number}.m3u8|User-Agent={agent}");
        list
    })
}

/// Forms with other headers are saved at one server while the other applies a list whose headers the
/// first streams of channels follow: an acknowledged edit is the last change, or the form was read
/// before the list was applied and is refused.
async fn headers_that_follow_a_list_beside_an_edit_are_those_of_one(two: &Two) {
    let (admin, url) = two.first();
    // Numbers that no channel of the other scenarios has.
    let of = json!({"title": "Cabeceras", "firstNumber": 3_000, "defaultCategoryId": two.category});
    let source = format!("/playlist-sources/{}", admin.post(url, "/playlist-sources", &of).await["id"]);
    let run = read_list(admin, url, &source, list_with_agent(CHANNELS, "Lista0")).await;
    let created = applied(two, &run, &json!({"filter": {}})).await;
    assert!(
        created.len() == CHANNELS && created.iter().all(|row| row["verdict"] == "CREATED"),
        "{created:?}"
    );
    let channels: Vec<String> = created.iter().map(|row| format!("/tv-channels/{}", row["itemId"])).collect();
    // With a further stream the first one has a row with its headers.
    for channel in &channels {
        let form = streams_of(admin, url, channel).await.unwrap();
        let further = json!({"urlType": "EXTERNAL", "url": "https://a.example/1.m3u8"});
        let body = json!({"failover": "AUTO", "streams": [form["streams"][0], further]});
        assert_eq!(two.put(1, &format!("{channel}/streams"), &form["version"], &body).await, 200);
    }
    let mut rng = Rng(73);
    let mut is_edited = [false; CHANNELS];
    for round in 1..=rounds(3) {
        let agent = format!("Lista{round}");
        let run = read_list(admin, url, &source, list_with_agent(CHANNELS, &agent)).await;
        let changes = json!({"filter": {"change": "CHANGED"}});
        let (rows, acknowledged) = beside_edits(applied(two, &run, &changes), 1, async |number| {
            // A fourth of the channels, so that the others follow the list.
            let at = 4 * usize::try_from(rng.below(CHANNELS as u64 / 4)).unwrap() + round % 4;
            let typed = format!("Mano{round}-{number}");
            let headers = json!([{"name": "User-Agent", "value": typed}]);
            edit_first_stream(two, &channels[at], "headers", &headers).await.then_some((at, typed))
        })
        .await;
        let acknowledged: HashMap<usize, String> = acknowledged.into_iter().collect();
        for (at, channel) in channels.iter().enumerate() {
            let found = streams_of(admin, url, channel).await.unwrap();
            let header = found["streams"][0]["headers"][0]["value"].as_str().unwrap().to_owned();
            if let Some(typed) = acknowledged.get(&at) {
                is_edited[at] = true;
                assert_eq!(&header, typed, "round {round}: {found}");
            } else if is_edited[at] {
                assert!(header.starts_with("Mano"), "round {round}: {found}");
            } else {
                assert_eq!(header, agent, "round {round}: {found} {:?}", row_of(&rows, id_of(channel)));
            }
        }
    }
    assert!(is_edited.contains(&true), "streams were edited meanwhile");
}

/// A channel is merged into another at one server while the other applies the list that one of its
/// streams follows: the stream is at one of both channels, once, and follows its list.
async fn a_stream_follows_its_list_beside_a_merge(two: &Two) {
    let (admin, url) = two.first();
    let rounds = rounds(6);
    let source = new_source(admin, url, "Fusiones").await;
    let channels = followed(two, &source, rounds, 1_000).await;
    let run = read_list(admin, url, &source, list(rounds, 1)).await;
    for (round, (merged, entry)) in channels.iter().enumerate() {
        let kept = new_channel(admin, url, &two.category, 2_000 + round).await;
        let (_, first) = admin.get(url, &kept).await;
        let (_, second) = admin.get(url, merged).await;
        let merge = json!({
            "version": first["version"], "mergedId": second["id"], "mergedVersion": second["version"],
        });
        let (path, body) = (format!("{kept}/merge"), json!({"ids": [entry]}));
        let (rows, (status, answer)) =
            tokio::join!(applied(two, &run, &body), two.send(1, Method::POST, &path, &merge));
        assert!([200, 409, 412, 503].contains(&status), "round {round}: {status} {answer}");
        let followed = async || {
            let mut found = addresses_of(admin, url, &kept).await;
            found.extend(addresses_of(admin, url, merged).await);
            found.retain(|address| address.starts_with("http://h.example/"));
            found
        };
        let token = usize::from(rows[0]["verdict"] == "CHANGED");
        let found = followed().await;
        let [address] = &found[..] else { panic!("round {round}: {found:?} {rows:?}") };
        assert!(address.ends_with(&format!("?token={token}")), "round {round}: {address} {rows:?}");
        assert_eq!(streams_of(admin, url, merged).await.is_none(), status == 200, "round {round}");
        if token == 0 {
            // Refused where the channel was merged since; now the entry is a stream of the other.
            let again = applied(two, &run, &body).await;
            assert_eq!(again[0]["verdict"], "CHANGED", "round {round}: {again:?}");
            assert_eq!(followed().await, [address.replace("?token=0", "?token=1")], "round {round}");
        }
    }
}

/// Reports are deleted by an operation at one server while their notes are edited at the other.
async fn an_edited_report_is_deleted_with_its_edit_or_stays(two: &Two) {
    let (admin, url) = two.first();
    let mut rng = Rng(67);
    for round in 0..rounds(3) {
        let mut ids = Vec::new();
        for number in 0..REPORTS {
            let report = json!({
                "title": "No carga", "description": "Desde ayer", "contentType": "MOVIE",
                "content": format!("Film {round}-{number}"), "reportType": "NOT_LOADING", "reporter": "ana",
            });
            ids.push(admin.post(url, "/issue-reports", &report).await["id"].as_i64().unwrap());
        }
        let deleting = async {
            let body = json!({"resource": "issue-reports", "ids": ids, "action": {"type": "DELETE"}});
            let (status, operation) = two.send(0, Method::POST, "/operations", &body).await;
            assert_eq!(status, 202, "{operation}");
            rows_of(admin, url, &operation).await
        };
        let (rows, acknowledged) = beside_edits(deleting, 0, async |number| {
            let id = ids[usize::try_from(rng.below(REPORTS as u64)).unwrap()];
            let notes = format!("Nota {number}");
            let path = format!("/issue-reports/{id}");
            let (status, answer) = two.send(1, Method::PATCH, &path, &json!({"notes": notes})).await;
            match status {
                200 => Some((id, notes)),
                404 | 503 => None,
                other => panic!("round {round}: {other} {answer}"),
            }
        })
        .await;
        let acknowledged: HashMap<i64, String> = acknowledged.into_iter().collect();
        for id in &ids {
            let notes = acknowledged.get(id);
            let (status, report) = admin.get(url, &format!("/issue-reports/{id}")).await;
            let row = row_of(&rows, *id);
            match row["verdict"].as_str().unwrap() {
                "CHANGED" => assert_eq!(status, 404, "round {round}: {report} {row}"),
                "CONFLICT" => {
                    assert_eq!(
                        (status.as_u16(), &report["notes"]),
                        (200, &json!(notes)),
                        "round {round}: {row}"
                    );
                    assert!(notes.is_some(), "round {round}: {row}");
                }
                other => panic!("round {round}: {other} {row}"),
            }
        }
    }
}

on_both_databases! {
    // A second server on one file of SQLite is not refused.
    async fn an_operation_beside_edits_at_another_server_loses_none(db: &TestDb) {
        let two = Two::start(db).await;
        an_edit_of_streams_beside_their_list_is_kept(&two).await;
        headers_that_follow_a_list_beside_an_edit_are_those_of_one(&two).await;
        a_stream_follows_its_list_beside_a_merge(&two).await;
        an_edited_report_is_deleted_with_its_edit_or_stays(&two).await;
        two.stop();
    }
}
