//! Bulk changes of channels' streams at one server beside edits of the same channels at another: no
//! acknowledged edit is lost, and each channel has the bulk change that its row reports.

use std::collections::HashMap;

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    harness::{Rng, TestDb, on_both_databases, rounds},
    live_edits::{Two, new_channel},
    operation_edits::{addresses_of, beside_edits, id_of, row_of, rows_of, streams_of},
};

const CHANNELS: usize = 24;
/// Edits of channels during each bulk change, at least.
const EDITS: usize = 6;

/// A channel as it was acknowledged.
struct Expected {
    path: String,
    /// Beginning of the addresses of its streams.
    hosts: [String; 2],
    /// Number of bulk changes: each adds a mark to each address.
    marks: usize,
    /// Number of changes, which are entries of its history.
    changes: usize,
}

impl Expected {
    fn addresses(&self) -> Vec<String> {
        self.hosts.iter().map(|host| format!("https://{host}{}", rest(self.marks))).collect()
    }
}

/// What follows the beginning of an address with so many marks.
fn rest(marks: usize) -> String {
    format!(".n{}.example/1.m3u8", "1".repeat(marks))
}

/// A channel with two streams.
async fn with_streams(two: &Two, number: usize) -> Expected {
    let (admin, url) = two.first();
    let path = new_channel(admin, url, &two.category, number).await;
    let hosts = ["a", "b"].map(|host| format!("{host}-{number}"));
    let channel = Expected { path, hosts, marks: 0, changes: 2 };
    let streams: Vec<Value> =
        channel.addresses().iter().map(|address| json!({"urlType": "EXTERNAL", "url": address})).collect();
    let body = json!({"failover": "AUTO", "streams": streams});
    assert_eq!(two.put(1, &format!("{}/streams", channel.path), &json!(1), &body).await, 200);
    channel
}

/// The address with another beginning, and with the marks that it has.
fn moved(address: &Value, host: &str) -> String {
    let (_, rest) = address.as_str().unwrap().split_once('.').unwrap();
    format!("https://{host}.{rest}")
}

/// Saves a form at the second server in which one address of the channel has another beginning: the form
/// of its streams, or its own, which has the first address. `false` where the channel was changed since.
async fn edit(two: &Two, channel: &str, at: usize, own_form: bool, host: &str) -> bool {
    let (admin, url) = two.first();
    let (path, version, body) = if own_form {
        let (_, mut form) = admin.get(url, channel).await;
        form["url"] = json!(moved(&form["url"], host));
        (channel.to_owned(), form["version"].clone(), form)
    } else {
        let mut form = streams_of(admin, url, channel).await.unwrap();
        form["streams"][at]["url"] = json!(moved(&form["streams"][at]["url"], host));
        let body = json!({"failover": form["failover"], "streams": form["streams"]});
        (format!("{channel}/streams"), form["version"].clone(), body)
    };
    match two.put(1, &path, &version, &body).await {
        200 => true,
        412 => false,
        other => panic!("{path}: {other}"),
    }
}

/// Begins a bulk change of all channels at the first server; its rows, once it has ended.
async fn marked(two: &Two) -> Vec<Value> {
    let (admin, url) = two.first();
    let action = json!({"type": "REPLACE", "fields": ["streams"], "find": ".n", "replacement": ".n1"});
    let body = json!({"resource": "tv-channels", "filter": {}, "action": action});
    let (status, begun) = two.send(0, Method::POST, "/operations", &body).await;
    assert_eq!(status, 202, "{begun}");
    rows_of(admin, url, &begun).await
}

on_both_databases! {
    async fn an_edit_beside_a_bulk_change_of_streams_at_another_server_is_kept(db: &TestDb) {
        let two = Two::start(db).await;
        let (admin, url) = two.first();
        let mut channels = Vec::new();
        for number in 1..=CHANNELS {
            channels.push(with_streams(&two, number).await);
        }
        let mut rng = Rng(71);
        for round in 0..rounds(12) {
            let (rows, acknowledged) = beside_edits(marked(&two), EDITS, async |number| {
                let of = usize::try_from(rng.below(CHANNELS as u64)).unwrap();
                let (at, own_form) = [(0, false), (1, false), (0, true)][number % 3];
                let host = format!("{}-{round}-{number}", ["a", "b"][at]);
                let is_saved = edit(&two, &channels[of].path, at, own_form, &host).await;
                is_saved.then_some(((of, at), host))
            })
            .await;
            for ((of, _), _) in &acknowledged {
                channels[*of].changes += 1;
            }
            let last: HashMap<(usize, usize), String> = acknowledged.into_iter().collect();
            for (of, channel) in channels.iter_mut().enumerate() {
                let mut is_edited = false;
                for at in [0, 1] {
                    if let Some(host) = last.get(&(of, at)) {
                        channel.hosts[at].clone_from(host);
                        is_edited = true;
                    }
                }
                let row = row_of(&rows, id_of(&channel.path));
                match row["verdict"].as_str().unwrap() {
                    "CHANGED" => {
                        channel.marks += 1;
                        channel.changes += 1;
                        for (part, marks) in [("before", channel.marks - 1), ("after", channel.marks)] {
                            let lines = row[part]["streams"].as_array().unwrap();
                            let has_marks = |line: &Value| line.as_str().unwrap().ends_with(&rest(marks));
                            assert!(lines.len() == 2 && lines.iter().all(has_marks), "round {round}: {row}");
                        }
                    }
                    "CONFLICT" => assert!(is_edited, "round {round}: {row}"),
                    other => panic!("round {round}: {other} {row}"),
                }
                let found = addresses_of(admin, url, &channel.path).await;
                assert_eq!(found, channel.addresses(), "round {round}: {row}");
            }
        }
        let histories = db.histories("tv-channels").await;
        for channel in &channels {
            let id = id_of(&channel.path);
            assert_eq!(histories[&id].len(), channel.changes, "channel {id}: {:?}", histories[&id]);
        }
        two.stop();
    }
}
