//! Event streams: events of one process are received at the other, a client resumes at either, and
//! a stop ends them.

use std::time::Duration;

use reqwest::Response;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::harness::{Client, Server, TestDb, on_both_databases};

/// A stream, and the text read beyond the last event.
struct Events {
    answer: Response,
    text: String,
}

impl Events {
    async fn open(client: &Client, url: &str, last: Option<&str>) -> Self {
        let answer = client.open(url, "/events", last.map(|id| ("last-event-id", id))).await;
        assert_eq!(answer.status(), 200);
        Self { answer, text: String::new() }
    }

    /// The next event: its name, its id and its data; `None` at the end of the stream.
    async fn next(&mut self) -> Option<(String, String, Value)> {
        loop {
            while let Some(end) = self.text.find("\n\n") {
                let block: String = self.text.drain(..end + 2).collect();
                let field =
                    |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
                if let (Some(name), Some(id), Some(data)) = (field("event: "), field("id: "), field("data: "))
                {
                    return Some((name, id, serde_json::from_str(&data).unwrap()));
                }
            }
            let part = timeout(Duration::from_mins(1), self.answer.chunk()).await.expect("a heartbeat comes");
            self.text.push_str(std::str::from_utf8(&part.expect("the stream is not cut")?).unwrap());
        }
    }

    /// The next event of this name.
    async fn next_of(&mut self, wanted: &str) -> (String, Value) {
        loop {
            let (name, id, data) = self.next().await.expect("the stream goes on");
            if name == wanted {
                return (id, data);
            }
        }
    }
}

/// Reports a problem of a channel that is not in the catalogue.
async fn report(client: &Client, url: &str) {
    let report = json!({"title": "No se ve", "contentType": "TV", "reportType": "NOT_LOADING"});
    client.post(url, "/issue-reports", &report).await;
}

on_both_databases! {
    async fn events_of_one_process_are_received_at_the_other(db: &TestDb) {
        let first = Server::start(db);
        let second = Server::start(db);
        let other = second.url.clone();
        let admin = Client::sign_in(&first.url, "admin").await;
        let mut events = Events::open(&admin, &other, None).await;
        assert_eq!(events.next_of("reports").await.1["open"], 0);

        report(&admin, &first.url).await;
        let (last, data) = events.next_of("reports").await;
        assert_eq!(data["open"], 1);

        // An event sent by one process is not repeated by another: the first event is a later one.
        drop(events);
        report(&admin, &other).await;
        let mut events = Events::open(&admin, &first.url, Some(&last)).await;
        let (name, _, data) = events.next().await.unwrap();
        assert_eq!((name.as_str(), &data["open"]), ("reports", &json!(2)));

        // A seventh stream ends the oldest, as those do that their clients have left: none is refused.
        let mut more = Vec::new();
        for _ in 0..7 {
            let answer = admin.open(&first.url, "/events", None).await;
            assert_eq!(answer.status(), 200);
            more.push(answer);
        }
        let ended = async { while events.next().await.is_some() {} };
        timeout(Duration::from_mins(1), ended).await.expect("the oldest stream ends");
        let mut events = Events::open(&admin, &first.url, None).await;

        // A stop ends the streams, instead of waiting for them and aborting them.
        first.stop(Duration::from_secs(30));
        while events.next().await.is_some() {}
        drop(more);
        second.stop(Duration::from_secs(30));
    }
}
