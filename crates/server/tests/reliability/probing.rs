//! Probes by three servers over one database: no link is probed twice in its interval, and a host
//! has one connection at a time, according to the host's own log; also when a server is killed.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write as _},
    net::TcpListener,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::harness::{Client, Server, TestDb, on_both_databases};

const LINKS_OF_A_HOST: usize = 6;
const HOSTS: [&str; 2] = ["127.0.0.1", "127.0.0.2"];
/// Pause between two probes of a host.
const PAUSE: Duration = Duration::from_secs(1);

/// Time and path of the requests to each host.
type Log = Arc<Mutex<Vec<(Instant, String)>>>;

/// A host whose links all play. Returns its log, and the maximum number of concurrent connections.
fn host(address: &str) -> (String, Log, Arc<AtomicUsize>) {
    let listener = TcpListener::bind(format!("{address}:0")).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (log, most) = (Log::default(), Arc::new(AtomicUsize::new(0)));
    let (kept, counted, open) = (log.clone(), most.clone(), Arc::new(AtomicUsize::new(0)));
    thread::spawn(move || {
        for connection in listener.incoming() {
            let Ok(mut connection) = connection else { continue };
            let (kept, counted, open) = (kept.clone(), counted.clone(), open.clone());
            thread::spawn(move || {
                counted.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                let mut lines = BufReader::new(&connection).lines().map_while(Result::ok);
                if let Some(first) = lines.next() {
                    lines.take_while(|line| !line.is_empty()).for_each(drop);
                    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
                    kept.lock().unwrap().push((Instant::now(), path));
                    // A client that has disconnected gets no response.
                    drop(connection.write_all(
                        b"HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\ncontent-length: 24\r\nconnection: close\r\n\r\n\
                          \x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2",
                    ));
                }
                open.fetch_sub(1, Ordering::SeqCst);
            });
        }
    });
    (url, log, most)
}

async fn probes_of_three_servers(db: &TestDb) {
    let settings = [("CARTELERA_FETCH_ALLOW", "127.0.0.0/8"), ("CARTELERA_PROBE_HOURS", "6")];
    let start = || Server::start_with(db, &settings);
    let (first, second, third) = (start(), start(), start());
    let admin = Client::sign_in(&second.url, "admin").await;
    let category = json!({"description": "Canales", "englishDescription": "Channels", "type": "TV_CHANNEL"});
    let category = admin.post(&second.url, "/categories", &category).await["id"].clone();
    let hosts = HOSTS.map(host);
    for (url, ..) in &hosts {
        for number in 0..LINKS_OF_A_HOST {
            let channel = json!({
                "channelNumber": number, "title": format!("Canal {number} de {url}"), "categories": [category],
                "urlType": "EXTERNAL", "url": format!("{url}/{number}"),
            });
            admin.post(&second.url, "/tv-channels", &channel).await;
        }
    }
    let up = async || {
        let (_, page) = admin.get(&second.url, "/links?state=UP&_size=100").await;
        page["totalElements"].as_u64().unwrap()
    };
    let until = async |wanted: u64| {
        let reached = async {
            while up().await < wanted {
                sleep(Duration::from_millis(100)).await;
            }
        };
        timeout(Duration::from_mins(3), reached).await.expect("links are probed");
    };
    // The server that started first, and has the lease, is killed midway.
    until(4).await;
    first.kill();
    let killed = Instant::now();
    until((HOSTS.len() * LINKS_OF_A_HOST) as u64).await;
    for (url, log, most) in &hosts {
        let log = log.lock().unwrap().clone();
        assert_eq!(most.load(Ordering::SeqCst), 1, "one connection at a time to {url}");
        for pair in log.windows(2) {
            let pause = pair[1].0 - pair[0].0;
            assert!(pause >= PAUSE, "{pause:?} between {} and {} of {url}", pair[0].1, pair[1].1);
        }
        let mut times: HashMap<&str, usize> = HashMap::new();
        for (_, path) in &log {
            *times.entry(path).or_default() += 1;
        }
        assert_eq!(times.len(), LINKS_OF_A_HOST, "{times:?}");
        // Requests of the killed server that were not recorded are repeated, and no others.
        let again: Vec<&str> = times.iter().filter(|(_, count)| **count > 1).map(|(path, _)| *path).collect();
        assert!(again.len() <= 1, "probed twice: {again:?}");
        for path in again {
            let (at, _) = log.iter().find(|(_, one)| one == path).unwrap();
            assert!(*at <= killed, "{path} was probed twice after the kill");
        }
    }
    for server in [second, third] {
        server.stop(Duration::from_secs(30));
    }
}

on_both_databases! {
    nightly_on_sqlite
    async fn three_servers_probe_each_link_as_often_as_one(db: &TestDb) {
        probes_of_three_servers(db).await;
    }
}
