//! Fetches from sources that respond, redirect, disconnect, hang, or are missing.

use std::{
    sync::{Arc, Mutex, Once},
    time::Duration,
};

use adapter_live::fetch::{Deadlines, FetchError, Fetched, Fetcher};
use domain_integrations::Networks;
use domain_live::fetch::FetchFault;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

static TLS: Once = Once::new();

fn fetcher(allowed: &str) -> Fetcher {
    fetcher_within(allowed, Duration::from_secs(5))
}

fn fetcher_within(allowed: &str, whole: Duration) -> Fetcher {
    TLS.call_once(|| rustls::crypto::ring::default_provider().install_default().expect("installed once"));
    let short = Duration::from_millis(700);
    let deadlines = Deadlines { connect: short, pause: short, whole };
    Fetcher::new(Networks::parse(allowed).unwrap(), deadlines).unwrap()
}

/// A source with these consecutive responses; returns its URL and the received requests.
async fn source(answers: Vec<String>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::new(Mutex::new(Vec::new()));
    let (kept, own) = (requests.clone(), url.clone());
    tokio::spawn(async move {
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (mut request, mut length) = (vec![0; 8_192], 0);
            while !request[..length].ends_with(b"\r\n\r\n") {
                match stream.read(&mut request[length..]).await {
                    Ok(0) | Err(_) => break,
                    Ok(read) => length += read,
                }
            }
            kept.lock().unwrap().push(String::from_utf8_lossy(&request[..length]).into_owned());
            if answer.contains("slow") {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            let _ = stream.write_all(answer.replace("SOURCE", &own).as_bytes()).await;
            if answer.is_empty() || answer.contains("hangs") {
                std::future::pending::<()>().await;
            }
        }
    });
    (url, requests)
}

fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\netag: \"v1\"\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

fn redirect(to: &str) -> String {
    format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n")
}

async fn fetched(allowed: &str, answers: Vec<String>) -> (Result<Fetched, FetchError<()>>, String, usize) {
    let (url, requests) = source(answers).await;
    let mut body = Vec::new();
    let outcome = fetcher(allowed)
        .fetch(&format!("{url}/list.m3u"), None, |bytes| {
            body.extend_from_slice(bytes);
            Ok(())
        })
        .await;
    let count = requests.lock().unwrap().len();
    (outcome, String::from_utf8(body).unwrap(), count)
}

fn whole() -> Fetched {
    Fetched::Whole { etag: Some("\"v1\"".into()) }
}

#[tokio::test]
async fn a_source_is_fetched_completely() {
    assert_eq!(fetched("127.0.0.1", vec![ok("#EXTM3U")]).await, (Ok(whole()), "#EXTM3U".into(), 1));
}

#[tokio::test]
async fn an_unchanged_source_is_reported_as_not_modified() {
    let (url, requests) = source(vec!["HTTP/1.1 304 Not Modified\r\n\r\n".into()]).await;
    let outcome = fetcher("127.0.0.1").fetch(&url, Some("\"v1\""), |_| Err(())).await;
    assert_eq!(outcome, Ok(Fetched::NotModified));
    assert!(requests.lock().unwrap()[0].contains("if-none-match: \"v1\""));
}

#[tokio::test]
async fn five_redirects_are_followed_and_no_more() {
    let redirects = |count: usize| vec![redirect("/next"); count];
    let five = [redirects(5), vec![ok("a")]].concat();
    assert_eq!(fetched("127.0.0.1", five).await, (Ok(whole()), "a".into(), 6));
    let six = fetched("127.0.0.1", [redirects(6), vec![ok("a")]].concat()).await;
    assert_eq!(six, (Err(FetchError::Fault(FetchFault::TooManyRedirects)), String::new(), 6));
}

#[tokio::test]
async fn each_redirect_is_checked_like_the_address_itself() {
    for (to, fault) in [
        ("http://127.0.0.2:1/", FetchFault::ForbiddenAddress),
        ("http://169.254.169.254/latest/meta-data/", FetchFault::ForbiddenAddress),
        ("file:///etc/passwd", FetchFault::InvalidAddress),
        ("ftp://example.com/a", FetchFault::InvalidAddress),
    ] {
        let (outcome, _, count) = fetched("127.0.0.1", vec![redirect(to), ok("a")]).await;
        assert_eq!((outcome, count), (Err(FetchError::Fault(fault)), 1), "{to}");
    }
}

#[tokio::test]
async fn a_private_address_is_not_fetched_and_not_even_connected_to() {
    for url in [
        "http://127.0.0.1:1/",
        "http://localhost:1/",
        "http://[::1]:1/",
        "http://10.0.0.1/",
        "http://2130706433/",
    ] {
        let outcome = fetcher("").fetch(url, None, |_| Ok::<(), ()>(())).await;
        assert_eq!(outcome, Err(FetchError::Fault(FetchFault::ForbiddenAddress)), "{url}");
    }
}

#[tokio::test]
async fn redirects_do_not_extend_the_deadline() {
    let (url, _) = source(vec![redirect("SOURCE/slow"); 6]).await;
    let fetcher = fetcher_within("127.0.0.1", Duration::from_millis(300));
    let outcome = fetcher.fetch(&url, None, |_| Ok::<(), ()>(())).await;
    assert_eq!(outcome, Err(FetchError::Fault(FetchFault::TimedOut)));
}

#[tokio::test]
async fn failures_of_a_source_have_their_fault() {
    let outcome = |answer: &'static str| async move { fetched("127.0.0.1", vec![answer.into()]).await.0 };
    let broken = "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(outcome(broken).await, Err(FetchError::Status(500)));
    let cut = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n#EXTM3U";
    assert_eq!(outcome(cut).await, Err(FetchError::Fault(FetchFault::Interrupted)));
    assert_eq!(outcome("").await, Err(FetchError::Fault(FetchFault::TimedOut)));
    let hangs = "HTTP/1.1 200 OK\r\nx: hangs\r\ncontent-length: 100\r\n\r\n#EXTM3U";
    assert_eq!(outcome(hangs).await, Err(FetchError::Fault(FetchFault::TimedOut)));
    let refused = fetcher("127.0.0.1").fetch("http://127.0.0.1:1/", None, |_| Ok::<(), ()>(())).await;
    assert_eq!(refused, Err(FetchError::Fault(FetchFault::Unreachable)));
}

#[tokio::test]
async fn the_receiver_can_reject_further_bytes() {
    let (url, _) = source(vec![ok("#EXTM3U")]).await;
    let outcome = fetcher("127.0.0.1").fetch(&url, None, |_| Err("too large")).await;
    assert_eq!(outcome, Err(FetchError::Refused("too large")));
}
