//! Large bodies of unknown fields do not delay other requests, and get small responses.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::{Map, Value};

use crate::harness::{Load, Seller, Server, TestDb, rounds};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_bodies_of_unknown_fields_are_refused_briefly() {
    let db = TestDb::sqlite().await;
    let server = Server::start(&db);
    let seller = Seller::create(&server).await;
    let fields: Map<String, Value> =
        (0..90_000).map(|number| (format!("x{number}"), Value::from(1))).collect();
    let body = Value::Object(fields);
    assert!((900_000..1024 * 1024).contains(&body.to_string().len()), "{}", body.to_string().len());
    let body = Arc::new(body);
    let stopping = Arc::new(AtomicBool::new(false));
    let (refused, largest) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let senders: Vec<_> = (0..16)
        .map(|_| {
            let (client, url, body) = (seller.admin.clone(), server.url.clone(), body.clone());
            let (stopping, refused, largest) = (stopping.clone(), refused.clone(), largest.clone());
            tokio::spawn(async move {
                while !stopping.load(Ordering::Relaxed) {
                    let (status, answer) =
                        client.send(&url, Method::POST, "/categories", None, Some(&body)).await.unwrap();
                    assert_eq!(status, 422, "{answer}");
                    largest.fetch_max(answer.to_string().len(), Ordering::Relaxed);
                    refused.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    let load = Load::start(&server, &seller, 4);
    let begun = Instant::now();
    for _ in 0..rounds(1) {
        load.wait_for(20, Duration::from_mins(2)).await;
    }
    let outcome = load.stop().await;
    stopping.store(true, Ordering::Relaxed);
    for sender in senders {
        sender.await.unwrap();
    }
    server.stop(Duration::from_secs(30));
    println!(
        "{} bodies refused in {:?}, largest answer {} bytes, slowest sale {:?}",
        refused.load(Ordering::Relaxed),
        begun.elapsed(),
        largest.load(Ordering::Relaxed),
        outcome.slowest
    );
    assert!(refused.load(Ordering::Relaxed) > 0);
    assert!(largest.load(Ordering::Relaxed) <= 64 * 1024, "{}", largest.load(Ordering::Relaxed));
    outcome.compare(&db).await.assert_sound("unknown fields");
}
