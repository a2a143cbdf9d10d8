//! Receivers that accept, fail, hang, redirect, send malformed responses, or are unreachable.

use std::{
    sync::{
        Arc, Once,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use adapter_webhooks::{HttpWebhookSender, signature};
use domain_integrations::{Attempt, DeliveryFault, Networks};
use ports::{OutgoingMessage, WebhookSender};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpSocket},
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
};

static TLS: Once = Once::new();
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn sender(allowed: &str) -> HttpWebhookSender {
    TLS.call_once(|| rustls::crypto::ring::default_provider().install_default().expect("installed once"));
    HttpWebhookSender::with_limit(Networks::parse(allowed).unwrap(), Duration::from_millis(700)).unwrap()
}

fn message(url: &str) -> OutgoingMessage {
    OutgoingMessage {
        url: url.into(),
        id: "msg_42".into(),
        sent_at: "2026-11-21T03:00:00.250Z".parse().unwrap(),
        body: r#"{"type":"ITEM_CREATED","data":{"id":1}}"#.into(),
        secret: SECRET.into(),
    }
}

/// A receiver with this response for each request; returns its address and the received requests.
async fn receiver(answer: &'static str) -> (String, UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook?a=b", listener.local_addr().unwrap());
    let (report, reported) = unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let report = report.clone();
            tokio::spawn(async move {
                let mut request = vec![0; 16_384];
                let mut length = 0;
                while !String::from_utf8_lossy(&request[..length]).ends_with("}}") {
                    match stream.read(&mut request[length..]).await {
                        Ok(0) | Err(_) => break,
                        Ok(read) => length += read,
                    }
                }
                let _ = report.send(String::from_utf8_lossy(&request[..length]).into_owned());
                let _ = stream.write_all(answer.as_bytes()).await;
                if answer.is_empty() {
                    // Never responds, and never closes the connection.
                    std::future::pending::<()>().await;
                }
            });
        }
    });
    (url, reported)
}

async fn attempt(answer: &'static str) -> Attempt {
    let (url, _reported) = receiver(answer).await;
    sender("127.0.0.1").send(&message(&url)).await
}

fn failed(status_code: Option<u16>, fault: DeliveryFault) -> Attempt {
    Attempt { status_code, fault: Some(fault) }
}

#[tokio::test]
async fn a_message_is_signed_and_complete() {
    let (url, mut reported) = receiver("HTTP/1.1 204 No Content\r\n\r\n").await;
    let attempt = sender("127.0.0.1").send(&message(&url)).await;
    assert_eq!(attempt, Attempt { status_code: Some(204), fault: None });
    let request = reported.recv().await.unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let header = |name: &str| {
        let found = head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        found.unwrap_or_else(|| panic!("no {name} in {head}")).to_owned()
    };
    assert!(head.starts_with("POST /hook?a=b HTTP/1.1"), "{head}");
    assert_eq!(body, r#"{"type":"ITEM_CREATED","data":{"id":1}}"#);
    assert_eq!(header("content-type"), "application/json");
    assert_eq!(
        (header("webhook-id").as_str(), header("webhook-timestamp").as_str()),
        ("msg_42", "1795230000")
    );
    // Computed by another program: printf %s "msg_42.1795230000.$body" | openssl dgst -sha256 -mac HMAC …
    assert_eq!(header("webhook-signature"), "v1,l2Y9/am0w1bXDRbITDKavnDIilu6ZwCIYONvgLZKnjA=");
    assert_eq!(Some(header("webhook-signature")), signature(SECRET, "msg_42", 1_795_230_000, body));
}

#[tokio::test]
async fn only_2xx_is_success_and_failures_have_their_reason() {
    for (answer, expected) in [
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", Attempt { status_code: Some(200), fault: None }),
        ("HTTP/1.1 500 Oh\r\ncontent-length: 0\r\n\r\n", failed(Some(500), DeliveryFault::Refused)),
        ("HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n", failed(Some(404), DeliveryFault::Refused)),
        ("HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n", failed(Some(410), DeliveryFault::Refused)),
        ("I don't speak HTTP\r\n\r\n", failed(None, DeliveryFault::Unreadable)),
    ] {
        assert_eq!(attempt(answer).await, expected, "{answer}");
    }
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let (private, mut reported) = receiver("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    for status in [301, 302, 303, 307, 308] {
        let answer = format!("HTTP/1.1 {status} There\r\nlocation: {private}\r\ncontent-length: 0\r\n\r\n");
        let answer: &'static str = answer.leak();
        assert_eq!(attempt(answer).await, failed(Some(status), DeliveryFault::Redirected));
    }
    assert!(reported.try_recv().is_err(), "it was not called");
}

#[tokio::test]
async fn a_hanging_receiver_times_out() {
    let begun = Instant::now();
    assert_eq!(attempt("").await, failed(None, DeliveryFault::TimedOut));
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn an_answer_without_end_is_not_read() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let written = Arc::new(AtomicUsize::new(0));
    let counter = written.clone();
    let endless = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = String::new();
        while !request.ends_with("}}") {
            let mut part = [0; 4096];
            let read = stream.read(&mut part).await.unwrap();
            request.push_str(std::str::from_utf8(&part[..read]).unwrap());
        }
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
        let junk = vec![b'x'; 65_536];
        while stream.write_all(&junk).await.is_ok() {
            counter.fetch_add(junk.len(), Ordering::Relaxed);
        }
    });
    let attempt = sender("127.0.0.1").send(&message(&url)).await;
    assert_eq!(attempt, Attempt { status_code: Some(200), fault: None });
    endless.await.unwrap();
    assert!(
        written.load(Ordering::Relaxed) < 32 * 1024 * 1024,
        "what the system's buffers hold, and no more"
    );
}

#[tokio::test]
async fn closed_ports_and_unknown_hosts_are_unreachable() {
    // Bound, so that no other process gets its port, and not listening.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}/", socket.local_addr().unwrap());
    for url in [url.as_str(), "https://receiver.invalid/hook"] {
        let attempt = sender("127.0.0.1").send(&message(url)).await;
        assert_eq!(attempt, failed(None, DeliveryFault::Unreachable), "{url}");
    }
}

#[tokio::test]
async fn private_addresses_are_not_even_connected_to() {
    let (url, mut reported) = receiver("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let port = url.split(':').nth(2).unwrap().split('/').next().unwrap();
    for host in ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "[::ffff:127.0.0.1]"] {
        let attempt = sender("").send(&message(&format!("http://{host}:{port}/"))).await;
        assert_eq!(attempt, failed(None, DeliveryFault::ForbiddenAddress), "{host}");
    }
    for url in ["http://169.254.169.254/latest/meta-data/", "https://10.0.0.1/", "http://[fd00::1]/"] {
        assert_eq!(
            sender("127.0.0.1").send(&message(url)).await,
            failed(None, DeliveryFault::ForbiddenAddress)
        );
    }
    assert!(reported.try_recv().is_err(), "it was not called");
    // Addresses listed by the operator are allowed, also by name.
    for host in ["127.0.0.1", "localhost"] {
        let attempt = sender("127.0.0.0/8").send(&message(&format!("http://{host}:{port}/"))).await;
        assert_eq!(attempt.status_code, Some(200), "{host}");
    }
}
